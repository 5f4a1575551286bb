"""What one board ships and how big it is: `make size`, and `ship()` for whoever fills a device.

A board gets what firmware/main.py imports, the HAL port and the kind of machine that its config names, and that
config; never the simulator. Constants become numbers (fold.py), names become short (shorten.py), and everything is
compiled, except for the main.py that MicroPython wants as source. What the names were is in build/names-<board>.json,
and `--names` reads a traceback.
"""

import argparse
import ast
import importlib
import json
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from fold import Folded, FoldError, fold
from mpy_compile import CompileError, compile_mpy
from shorten import Foreign, Shortened, ShortenError, foreign_of, restore, shorten
from unused import drop_unused

ROOT = Path(__file__).resolve().parents[1]
BOARD_DEFAULT = "pico-carousel"
GAME_DEFAULT = "caribbean-stud"
BUDGET_BYTES = 80 * 1024
NEVER_SHIPPED = ("hal.sim", "rig")
ENTRY = "firmware.main"
KINDS = "firmware.machines.kinds"
DRAWN = tuple(f"firmware.games.{name}" for name in ("draw_steps", "play", "hole_card", "draw_pages"))
MAIN_PY = "from firmware.main import main\nmain()\n"
PROBE = ROOT / "tools" / "emulator" / "probe.py"

# -O3 drops line numbers, a twelfth of everything: on a card shoe nobody sees a traceback. A bench may want them.
NO_LINES = "-O3"
LINES = "-O2"
# What MicroPython's own objects are called: the stubs that the device's sources are checked against.
TYPINGS = ROOT / ".venv" / "typings"
# Types that nobody imports: of open files, of exceptions, of what comes out of json.
STUBS_ALWAYS = ("builtins", "collections", "io", "types", "typing", "_typeshed", "_mpy_shed")
# Native code in a port needs to know its processor; bytecode is the same on all.
MARCH = {"rp2": "armv6m", "esp32": "xtensawin", "stm32": "armv7emsp"}


class ShipError(Exception):
    """Why a board cannot be shipped, and what to do."""


@dataclass(frozen=True)
class Shipped:
    """One file of the device, what it was made from, and the size of both."""

    path: str
    source: str
    source_bytes: int
    shipped_bytes: int


def ship(
    board: str, out: Path, root: Path = ROOT, main: str = MAIN_PY, lines: bool = False
) -> list[Shipped]:
    """Build the file tree of a board in `out`, ready to copy to the device; what is in it."""
    config = read_config(board, root)
    march = f"-march={MARCH[port_of(config, board, root)]}"
    short = short_sources(ship_names(board, root), root, main)
    shipped: list[Shipped] = []
    for name, new in sorted(short.modules.items(), key=lambda pair: pair[0]):
        path = find_module(name, root)
        place = path.relative_to(root).as_posix()
        try:
            # The name that tracebacks show is the module's: MicroPython has that text in memory anyway.
            code = compile_mpy(short.sources[name], new, LINES if lines else NO_LINES, march)
        except CompileError as error:
            raise ShipError(f"{place}: {error}") from error
        shipped.append(put(out, new + ".mpy", code, place, path.stat().st_size))
    small = json.dumps({key: config[key] for key in config if key != "$schema"}, separators=(",", ":"))
    path = config_path(board, root)
    shipped.append(put(out, "board.json", small.encode(), path.relative_to(root).as_posix(), path.stat().st_size))
    shipped.append(put_words(out, root))
    game = config.get("game", GAME_DEFAULT)
    if isinstance(game, str) and game != "house":
        shipped.append(put_game(out, game, root))
    shipped.append(put(out, "main.py", short.sources["main"].encode(), "main.py", len(main.encode())))
    write_names(board, short, root)
    return shipped


def put_words(out: Path, root: Path) -> Shipped:
    """The dictionary of this tree's messages, as texts."""
    importlib.import_module("fairshoe")
    from firmware.protocol.dictionary import dictionary_text

    path = root / "firmware/protocol/table.py"
    return put(out, "words.txt", dictionary_text(), "firmware/protocol/table.py", path.stat().st_size)


def put_game(out: Path, game: str, root: Path) -> Shipped:
    """The one game the device plays, without what only people read."""
    path = root / "game_profiles" / f"{game}.json"
    if not path.is_file():
        raise ShipError(f"no game called {game!r} in game_profiles/")
    importlib.import_module("fairshoe")  # makes firmware and rig known
    from rig.games import device_game

    small = device_game(json.loads(path.read_text(encoding="utf-8")))
    data = json.dumps(small, separators=(",", ":")).encode()
    return put(out, "game.json", data, path.relative_to(root).as_posix(), path.stat().st_size)


def ship_names(board: str, root: Path = ROOT) -> list[str]:
    """The modules that a board gets."""
    config = read_config(board, root)
    port = port_of(config, board, root)
    home = other_ports(port) + other_storage(config) + other_kinds(config, board, root)
    return modules_of([ENTRY, *port_modules(port, root)], home, root)


def folded_sources(names: list[str], root: Path, main: str = MAIN_PY) -> Folded:
    """The sources of modules that belong together, and of the main.py on top of them, with constants as numbers."""
    sources = {name: find_module(name, root).read_text(encoding="utf-8") for name in names}
    try:
        folded = fold({**sources, "main": main})
    except FoldError as error:
        raise ShipError(str(error)) from error
    return Folded(drop_unused(folded.sources), folded.kept)


def short_sources(names: list[str], root: Path, main: str = MAIN_PY) -> Shortened:
    """The same, with short names: by the module's old name, as it is in the repository."""
    folded = folded_sources(names, root, main)
    try:
        foreign = foreign_names([folded.sources[name] for name in names])
        # Whatever starts a device, its modules are the same.
        return shorten(folded.sources, foreign, "main", (MAIN_PY, PROBE.read_text(encoding="utf-8")))
    except ShortenError as error:
        raise ShipError(str(error)) from error


def foreign_names(sources: list[str]) -> Foreign:
    """What belongs to MicroPython, as far as these sources can come across it."""
    if not TYPINGS.is_dir():
        raise ShipError("no types of MicroPython in .venv/typings; `make ready` installs them")
    roots = (TYPINGS, TYPINGS / "stdlib")
    modules = {path.name.removesuffix(".pyi") for root in roots for path in root.iterdir()}
    wanted = sorted({*STUBS_ALWAYS, *(name for source in sources for name in outside_modules(source))})
    files = [
        path
        for name in wanted
        for root in roots
        for path in (root / f"{name}.pyi", *sorted((root / name).rglob("*.pyi")))
        if path.is_file()
    ]
    return foreign_of({path.relative_to(TYPINGS).as_posix(): path.read_text("utf-8") for path in files}, modules)


def outside_modules(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.partition(".")[0]


def names_path(board: str, root: Path) -> Path:
    return root / "build" / f"names-{board}.json"


def real_names(text: str, board: str, root: Path = ROOT) -> str:
    """A traceback of a board with the names of this tree, which has to be the one that was shipped."""
    names = ship_names(board, root)
    short = short_sources(names, root)
    return restore(text, short.names, short.modules, folded_sources(names, root).sources)


def write_names(board: str, short: Shortened, root: Path) -> None:
    path = names_path(board, root)
    path.parent.mkdir(exist_ok=True)
    table = {"modules": short.modules, "names": short.names, "kept": short.kept}
    path.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def put(out: Path, place: str, data: bytes, source: str, source_bytes: int) -> Shipped:
    target = out / place
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(data)
    return Shipped(place, source, source_bytes, len(data))


# --- the board ---------------------------------------------------------------------------------


def config_path(board: str, root: Path) -> Path:
    return root / "board_configs" / f"{board}.json"


def read_config(board: str, root: Path) -> dict[str, Any]:
    path = config_path(board, root)
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in path.parent.glob("*.json"))) or "none"
        raise ShipError(f"no board called {board!r} in board_configs/; there are: {known}")
    return json.loads(path.read_text(encoding="utf-8"))


def port_of(config: dict[str, Any], board: str, root: Path) -> str:
    port = str(config.get("mcu", {}).get("port", ""))
    if port not in MARCH or not (root / "hal" / port).is_dir():
        raise ShipError(
            f"board_configs/{board}.json: mcu.port is {port!r}; "
            f"a board needs one of {', '.join(MARCH)}, with a folder in hal/"
        )
    return port


# --- what its firmware imports -----------------------------------------------------------------


def port_modules(port: str, root: Path) -> list[str]:
    return [module_at(path, root) for path in (root / "hal" / port).rglob("*.py")]


def other_ports(port: str) -> list[str]:
    """main.py picks its port at run time. The board config tells which one that will be; the rest stays home."""
    return [f"hal.{other}" for other in MARCH if other != port]


def other_storage(config: dict[str, Any]) -> list[str]:
    """Back ends that the port could use, but not on this board; files are for hosts."""
    flash = config.get("nv", {}).get("kind") == "flash"
    return ["hal.disk", "hal.rp2.fram"] if flash else ["hal.disk", "hal.flash", "hal.rp2.onboard"]


def other_kinds(config: dict[str, Any], board: str, root: Path) -> list[str]:
    """The machines that firmware/machines/kinds.py could make, but not of this board."""
    kinds = module_path(KINDS, root)
    if kinds is None:
        return []
    known = set(imported_modules(ast.parse(kinds.read_text(encoding="utf-8")), root))
    kind = str(config.get("mechanism", {}).get("kind", ""))
    own = f"{KINDS.rpartition('.')[0]}.{kind}"
    if own not in known:
        names = ", ".join(sorted(name.rpartition(".")[2] for name in known))
        raise ShipError(f"board_configs/{board}.json: mechanism.kind is {kind!r}; firmware/machines has {names}")
    # What only a dealer needs who draws by hand is imported where one does.
    drawn = () if kind == "draw" else DRAWN
    return sorted({*(known - {own}), *drawn})


def modules_of(entries: list[str], excluded: list[str], root: Path) -> list[str]:
    """The modules to ship, sorted: all that is reached from the entries, but for what stays home."""
    todo = list(entries)
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name in seen or any(is_within(name, other) for other in excluded):
            continue
        path = find_module(name, root)
        if any(is_within(name, never) for never in NEVER_SHIPPED):
            raise ShipError(f"{name} is imported by what a device ships; it belongs to the simulator")
        seen.add(name)
        # A package runs before what is inside it.
        if "." in name:
            todo.append(name.rpartition(".")[0])
        todo.extend(imported_modules(ast.parse(path.read_text(encoding="utf-8")), root))
    return sorted(seen)


def is_within(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def module_at(path: Path, root: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def find_module(name: str, root: Path) -> Path:
    path = module_path(name, root)
    if path is None:
        raise ShipError(f"no source for {name} (every package needs an __init__.py)")
    return path


def module_path(name: str, root: Path) -> Path | None:
    base = root.joinpath(*name.split("."))
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.is_file():
            return path
    return None


def imported_modules(node: ast.AST, root: Path) -> Iterator[str]:
    """Our own modules that a source imports when it runs."""
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        for child in node.orelse:
            yield from imported_modules(child, root)
        return
    names: list[str] = []
    if isinstance(node, ast.Import):
        names = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        # `from a import b`: b may be a module, or just a name in a.
        names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    yield from (name for name in names if name.split(".")[0] in ("firmware", "hal", "rig") and module_path(name, root))
    for child in ast.iter_child_nodes(node):
        yield from imported_modules(child, root)


# --- the report --------------------------------------------------------------------------------


def table(board: str, shipped: list[Shipped], budget: int) -> str:
    total = sum(item.shipped_bytes for item in shipped)
    rows = [f"{board}: what the device gets", "", f"{'source':<36} {'file':<10} {'bytes':>8} {'shipped':>8}"]
    rows += [f"{item.source:<36} {item.path:<10} {item.source_bytes:>8} {item.shipped_bytes:>8}" for item in shipped]
    rows += [
        f"{'total, bytes':<47} {sum(item.source_bytes for item in shipped):>8} {total:>8}",
        "",
        f"{total / 1024:.1f} KB of {budget / 1024:.0f} KB, {'OVER BUDGET' if total > budget else 'within budget'}",
    ]
    return "\n".join(rows)


def print_real_names(board: str, root: Path) -> int:
    try:
        print(real_names(sys.stdin.read(), board, root), end="")
    except ShipError as error:
        print(f"size: {error}", file=sys.stderr)
        return 1
    return 0


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="What one board ships, against the budget.")
    parser.add_argument("--board", default=BOARD_DEFAULT, help=f"a name in board_configs/ (default {BOARD_DEFAULT})")
    parser.add_argument("--out", type=Path, help="leave the files here, ready to copy to the device")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--lines", action="store_true", help="with line numbers, for a bench: tracebacks can be read")
    parser.add_argument("--names", action="store_true", help="read a traceback of the device, print it with real names")
    parser.add_argument("--budget", type=int, default=BUDGET_BYTES, help="bytes (default %(default)s)")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    if args.names:
        return print_real_names(args.board, args.root)
    out: Path = args.out or Path(tempfile.mkdtemp(prefix="fairshoe-size-"))
    try:
        shipped = ship(args.board, out, args.root, lines=args.lines)
    except ShipError as error:
        print(f"size: {error}", file=sys.stderr)
        return 1
    finally:
        if args.out is None:
            shutil.rmtree(out, ignore_errors=True)
    total = sum(item.shipped_bytes for item in shipped)
    if args.json:
        files = [asdict(item) for item in shipped]
        print(json.dumps({"board": args.board, "total": total, "budget": args.budget, "files": files}, indent=1))
    else:
        print(table(args.board, shipped, args.budget))
    return 1 if total > args.budget else 0


if __name__ == "__main__":
    sys.exit(main())
