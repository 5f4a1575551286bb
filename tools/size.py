"""What one board ships and how big it is: `make size`, and `ship()` for whoever fills a device.

The way from the sources to those files is fairshoe.ship. What the names were is in build/names-<board>.json, and
`--names` reads a traceback.
"""

import argparse
import json
import sys
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

from fairshoe.ship.build import (
    BUDGET_BYTES,
    MAIN_PY,
    PROBE_PLACE,
    Built,
    Shipped,
    build,
    folded_sources,
    read_config,
    real_names,
    ship_names,
    short_sources,
)
from fairshoe.ship.closure import find_module, module_at
from fairshoe.ship.faults import ShipError
from fairshoe.ship.mpy_compile import compile_mpy
from fairshoe.ship.often_first import often_first
from fairshoe.ship.shorten import Shortened

__all__ = [
    "BOARD_DEFAULT",
    "BUDGET_BYTES",
    "MAIN_PY",
    "PROBE",
    "ROOT",
    "ShipError",
    "Shipped",
    "find_module",
    "folded_sources",
    "module_at",
    "read_config",
    "real_names",
    "ship",
    "ship_names",
    "short_sources",
]

ROOT = Path(__file__).resolve().parents[1]
PROBE = ROOT / PROBE_PLACE
BOARD_DEFAULT = "pico-carousel"


def ship(board: str, out: Path, root: Path = ROOT, main: str = MAIN_PY, lines: bool = False) -> list[Shipped]:
    """Build the file tree of a board in `out`, ready to copy to the device; what is in it."""
    built = build(board, root, main, lines)
    write_files(built, out, root)
    return built.shipped


def write_files(built: Built, out: Path, root: Path) -> None:
    out.mkdir(parents=True, exist_ok=True)
    for name, data in built.files.items():
        (out / name).write_bytes(data)
    write_names(built.board, built.short, root)


def write_names(board: str, short: Shortened, root: Path) -> None:
    path = root / "build" / f"names-{Path(board).stem}.json"
    path.parent.mkdir(exist_ok=True)
    parts = {name: [asdict(part) for part in every] for name, every in short.parts.items()}
    table = {"modules": short.modules, "parts": parts, "names": short.names, "kept": short.kept}
    path.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def added_bytes(built: Built) -> dict[str, list[int]]:
    """By the name of a joined file, what each of its modules adds to it behind those before; first what all share."""
    added: dict[str, list[int]] = {}
    for name, parts in built.short.parts.items():
        lines = often_first(built.short.sources[name]).split("\n")
        ends = [part.first_line - 1 for part in parts] + [len(lines)]
        new = built.short.modules[name]
        sizes = [len(compile_mpy("\n".join(lines[:end]) + "\n", new, *built.options)) for end in ends]
        added[new + ".mpy"] = [sizes[0], *(after - before for before, after in pairwise(sizes))]
    return added


def table(board: str, shipped: list[Shipped], budget: int, added: dict[str, list[int]]) -> str:
    total = sum(item.shipped_bytes for item in shipped)
    rows = [f"{board}: what the device gets", "", f"{'source':<36} {'file':<10} {'bytes':>8} {'shipped':>8}"]
    for item in shipped:
        rows.append(f"{item.source:<36} {item.path:<10} {item.source_bytes:>8} {item.shipped_bytes:>8}")
        sources = (("names and imports of all", 0), *item.joined) if item.joined else ()
        for (source, size), bytes_added in zip(sources, added.get(item.path, []), strict=False):
            rows.append(f"  {source:<45} {size or '':>8} {bytes_added:>+8}")
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
    try:
        built = build(args.board, args.root, lines=args.lines)
        write_names(args.board, built.short, args.root)
        if args.out:
            write_files(built, args.out, args.root)
    except (ShipError, OSError) as error:
        print(f"size: {error}", file=sys.stderr)
        return 1
    shipped = built.shipped
    total = sum(item.shipped_bytes for item in shipped)
    if args.json:
        files = [asdict(item) for item in shipped]
        print(json.dumps({"board": args.board, "total": total, "budget": args.budget, "files": files}, indent=1))
    else:
        print(table(args.board, shipped, args.budget, added_bytes(built)))
    return 1 if total > args.budget else 0


if __name__ == "__main__":
    sys.exit(main())
