"""What one board ships and how big it is: `make size`, and `ship()` for whoever fills a device.

The way from the sources to those files is fairshoe.ship. What the names were is in build/names-<board>.json, and
`--names` reads a traceback.
"""

import argparse
import json
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from fairshoe.ship.build import (
    BUDGET_BYTES,
    MAIN_PY,
    PROBE_PLACE,
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
    out.mkdir(parents=True, exist_ok=True)
    for name, data in built.files.items():
        (out / name).write_bytes(data)
    write_names(board, built.short, root)
    return built.shipped


def write_names(board: str, short: Shortened, root: Path) -> None:
    path = root / "build" / f"names-{Path(board).stem}.json"
    path.parent.mkdir(exist_ok=True)
    table = {"modules": short.modules, "names": short.names, "kept": short.kept}
    path.write_text(json.dumps(table, indent=1, sort_keys=True) + "\n", encoding="utf-8")


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
