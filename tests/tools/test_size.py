"""make size ships what a board runs, and nothing else."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import size

from fairshoe.ship.build import BUDGET_BYTES, Shipped, build, ship_names
from fairshoe.ship.errors import ShipError

ShipOnce = Callable[[str], tuple[list[Shipped], Path]]

FILES = {
    "firmware/__init__.py": '"""f"""\n',
    "firmware/main.py": "from firmware import app\n\n\ndef main():\n    import hal.rp2.port\n    app.run()\n",
    "firmware/app.py": (
        "from firmware.games.flow import go\n"
        "TYPE_CHECKING = False\n"
        "if TYPE_CHECKING:\n"
        "    from hal.api import Hal\n"
        "def run():\n    go()\n"
        "from firmware.machines.kinds import make_machine\n"
    ),
    "firmware/unused.py": "X = 1\n",
    "firmware/games/__init__.py": "",
    "firmware/games/flow.py": "def go():\n    pass\n",
    "firmware/machines/__init__.py": "",
    "firmware/machines/kinds.py": (
        "TYPE_CHECKING = False\n"
        "if TYPE_CHECKING:\n"
        "    from firmware.machines.spec import Spec\n"
        "def make_machine(kind):\n"
        "    if kind == 'shoe':\n        from firmware.machines.motor_shoe import Shoe as Kind\n"
        "    elif kind == 'carousel':\n        from firmware.machines.carousel import Carousel as Kind\n"
        "    return Kind()\n"
    ),
    "firmware/machines/spec.py": "class Spec:\n    pass\n",
    "firmware/machines/motor_shoe.py": "from firmware.machines import feed\nclass Shoe:\n    pass\n",
    "firmware/machines/carousel.py": "from firmware.machines import axis, feed\nclass Carousel:\n    pass\n",
    "firmware/machines/axis.py": "X = 1\n",
    "firmware/machines/feed.py": "X = 1\n",
    "hal/__init__.py": "",
    "hal/api.py": "X = 1\n",
    "hal/rp2/__init__.py": "",
    "hal/rp2/port.py": "import machine\nfrom hal.rp2 import pins\n",
    "hal/rp2/pins.py": "import micropython\n@micropython.viper\ndef f(a: int) -> int:\n    return a\n",
    "hal/sim/__init__.py": "",
    "hal/sim/plant.py": "X = 1\n",
    "rig/__init__.py": "",
    "firmware/protocol/table.py": "",
    "board_configs/b.json": (
        '{\n  "$schema": "board.schema.json",\n  "mcu": {"port": "rp2"},\n  "game": "house",\n'
        '  "mechanism": {"kind": "shoe"}\n}\n'
    ),
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def shipped_sources(tree: Path, out: Path) -> set[str]:
    shipped = size.ship("b", out, tree)
    files = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    assert {item.path for item in shipped} == files
    return {item.source for item in shipped}


def test_ships_the_import_closure_of_main_and_one_kind_each_under_its_own_path(tree: Path, tmp_path: Path) -> None:
    modules = {
        "firmware/main",
        "firmware/app",
        "firmware/games/flow",
        "firmware/machines/kinds",
        "firmware/machines/motor_shoe",
        "firmware/machines/feed",
        "hal/rp2/port",
        "hal/rp2/pins",
    }
    others = {"hal/boot_main.py", "board_configs/b.json", "firmware/protocol/table.py", "*.mpy"}
    assert shipped_sources(tree, tmp_path / "out") == {f"{name}.py" for name in modules} | others
    assert all((tmp_path / "out" / f"{name}.mpy").is_file() for name in modules)
    board = json.loads((tmp_path / "out/board.json").read_text())
    assert board == {"mcu": {"port": "rp2"}, "game": "house", "mechanism": {"kind": "shoe"}}


def test_the_main_is_the_source_of_the_start_as_it_is(tree: Path, tmp_path: Path) -> None:
    size.ship("b", tmp_path, tree)
    source = (size.ROOT / "hal/boot_main.py").read_text(encoding="utf-8")
    assert (tmp_path / "main.py").read_text(encoding="utf-8") == source + "\n\nboot()\n"


def test_a_package_that_does_something_and_a_module_that_is_only_loaded_are_shipped(tree: Path, tmp_path: Path) -> None:
    (tree / "firmware/games/__init__.py").write_text("X = 1\n")
    (tree / "firmware/app.py").write_text((tree / "firmware/app.py").read_text() + "from firmware import unused\n")
    (tree / "firmware/unused.py").write_text('"""Nothing."""\n')
    size.ship("b", tmp_path, tree)
    assert (tmp_path / "firmware/games/__init__.mpy").is_file()
    assert (tmp_path / "firmware/unused.mpy").is_file()
    assert not (tmp_path / "firmware/__init__.mpy").exists()


def test_ships_what_only_the_boards_own_kind_needs(tree: Path, tmp_path: Path) -> None:
    shoe = shipped_sources(tree, tmp_path / "shoe")
    config = (tree / "board_configs/b.json").read_text().replace("shoe", "carousel")
    (tree / "board_configs/b.json").write_text(config)
    carousel = shipped_sources(tree, tmp_path / "carousel")
    assert carousel - shoe == {"firmware/machines/carousel.py", "firmware/machines/axis.py"}
    assert shoe - carousel == {"firmware/machines/motor_shoe.py"}


@pytest.mark.parametrize("board", ["pico-carousel", "pico-shelves", "pico-shoe", "pico-draw", "pico2-carousel"])
def test_every_reference_board_and_the_largest_of_all_ship_one_machine_within_budget(
    board: str, ship_once: ShipOnce
) -> None:
    shipped, _folder = ship_once(board)
    kinds = {"carousel": "carousel", "shelves": "shelves", "shoe": "motor_shoe", "draw": "hand_shoe"}
    machines = {Path(item.source).stem for item in shipped if item.source.startswith("firmware/machines/")}
    assert machines & set(kinds.values()) == {kinds[board.partition("-")[2]]}
    assert sum(item.shipped_bytes for item in shipped) < BUDGET_BYTES
    # A machine that draws no order keeps no seed of one.
    keeps = any(item.source == "firmware/journal/seeds.py" for item in shipped)
    assert keeps == bool(machines & {"carousel", "shelves"})
    # An RP2040 has memory for signatures in an image only.
    signs = any(item.source.startswith("firmware/signing/") for item in shipped)
    assert signs == (not board.startswith("pico-"))


def test_a_build_has_the_sources_and_the_data_that_an_image_freezes() -> None:
    built = build("pico-carousel")
    names = {*ship_names("pico-carousel"), "hal.boot_main"}
    packages = {name for name in names if any(other.startswith(name + ".") for other in names)}
    assert set(built.modules) == names - packages  # which have nothing but a docstring
    cobs, status = (built.modules[name] for name in ("firmware.protocol.cobs", "firmware.link.status"))
    assert "@micropython.viper\ndef cobs_encode(" in cobs
    assert "firmware.signing.signer" in built.modules
    assert "STATUS_STATE" not in status and "def status_fill(" in status  # a folded constant, and a name that is kept
    assert built.source_path("firmware.games") == "firmware/games/__init__.py"
    assert built.source_path("firmware.link.status") == "firmware/link/status.py"
    assert sorted(built.data) == ["board.json", "game.json", "words.txt"]
    assert all(built.data[name] == built.files[name] for name in built.data)


@pytest.mark.parametrize("line", ["from hal.sim import plant\n", "import hal.sim.plant\n", "import rig\n"])
def test_refuses_to_ship_the_simulator(tree: Path, tmp_path: Path, line: str) -> None:
    (tree / "firmware/games/flow.py").write_text(line)
    with pytest.raises(ShipError, match="simulator"):
        size.ship("b", tmp_path / "out", tree)


def test_the_files_of_an_rp2040_have_no_line_numbers_and_say_what_they_are_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    flow = "firmware/games/flow.mpy"
    assert len(build("pico-shoe").files[flow]) < len(build("pico2-shoe").files[flow]) * 0.95
    size.main(["--board", "pico-shoe"])
    assert size.RP2040_NOTE in capsys.readouterr().out


def test_fails_over_budget(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--board", "b", "--root", str(tree)]
    assert size.main(arguments) == 0
    assert "within budget" in capsys.readouterr().out
    big = "def go():\n    return X\nX = (\n" + '    "0123456789abcdef"\n' * 12000 + ")\n"
    (tree / "firmware/games/flow.py").write_text(big)
    assert size.main(arguments) == 1
    assert "OVER BUDGET" in capsys.readouterr().out


def test_json_adds_up(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert size.main(["--board", "b", "--root", str(tree), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["total"] == sum(item["shipped_bytes"] for item in report["files"])
    assert report["budget"] == BUDGET_BYTES


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("board_configs/b.json", '{"mcu": {"port": "sim"}}', "mcu.port"),
        ("board_configs/b.json", "{}", "mcu.port"),
        ("board_configs/b.json", '{"mcu": {"port": "rp2"}, "mechanism": {"kind": "wheel"}}', "mechanism.kind is"),
        ("firmware/games/flow.py", "x = [*a]\n", "firmware/games/flow.py"),
    ],
)
def test_says_what_is_wrong(tree: Path, capsys: pytest.CaptureFixture[str], name: str, text: str, message: str) -> None:
    (tree / name).write_text(text)
    assert size.main(["--board", "b", "--root", str(tree)]) == 1
    assert message in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_told(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = tree / "firmware/app.py/out"
    assert size.main(["--board", "b", "--root", str(tree), "--out", str(place)]) == 1
    assert capsys.readouterr().err.startswith("size: ")


def test_names_the_boards_there_are(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert size.main(["--board", "nope", "--root", str(tree)]) == 1
    assert "there are: b" in capsys.readouterr().err


def test_a_device_gets_the_numbers_of_its_own_game_and_no_other(ship_once: ShipOnce) -> None:
    shipped = {item.path: item.source for item in ship_once("pico-carousel")[0]}
    assert shipped["game.json"] == "game_profiles/caribbean-stud.json"
    assert [path for path in shipped if path.endswith(".json")] == ["board.json", "game.json"]
