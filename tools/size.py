"""What one board ships and how big it is, against the flash budget: `make size`.

`ship()` writes the files of a board into a folder. How they are made: fairshoe.ship.build.
"""

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from fairshoe.ship.build import BUDGET_BYTES, MAIN_PY, Built, Shipped, build, is_rp2040
from fairshoe.ship.errors import ShipError

ROOT = Path(__file__).resolve().parents[1]
BOARD_DEFAULT = "pico-carousel"
RP2040_NOTE = "an RP2040 runs an image alone; these files are for make hil with a stock MicroPython"


def ship(board: str, out: Path, root: Path = ROOT, main: str = MAIN_PY) -> list[Shipped]:
    """Build the file tree of a board in `out`, ready to copy to the device; what is in it."""
    built = build(board, root, main)
    write_files(built, out)
    return built.shipped


def write_files(built: Built, out: Path) -> None:
    for name, data in built.files.items():
        (out / name).parent.mkdir(parents=True, exist_ok=True)
        (out / name).write_bytes(data)


def table(board: str, shipped: list[Shipped], budget: int) -> str:
    total = sum(item.shipped_bytes for item in shipped)
    rows = [f"{board}: files for the device", "", f"{'file':<36} {'source':<42} {'bytes':>8} {'shipped':>8}"]
    rows += [f"{each.path:<36} {each.source:<42} {each.source_bytes:>8} {each.shipped_bytes:>8}" for each in shipped]
    rows += [
        f"{'total, bytes':<79} {sum(item.source_bytes for item in shipped):>8} {total:>8}",
        "",
        f"{total / 1024:.1f} KB of {budget / 1024:.0f} KB, {'OVER BUDGET' if total > budget else 'within budget'}",
    ]
    return "\n".join(rows)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="What one board ships, against the flash budget.")
    parser.add_argument("--board", default=BOARD_DEFAULT, help=f"a name in board_configs/ (default {BOARD_DEFAULT})")
    parser.add_argument("--out", type=Path, help="leave the files here, ready to copy to the device")
    parser.add_argument("--json", action="store_true", help="print JSON instead of the table")
    parser.add_argument("--budget", type=int, default=BUDGET_BYTES, help="bytes (default %(default)s)")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    args = parser.parse_args(argv)
    try:
        built = build(args.board, args.root)
        if args.out:
            write_files(built, args.out)
    except (ShipError, OSError) as error:
        print(f"size: {error}", file=sys.stderr)
        return 1
    shipped = built.shipped
    total = sum(item.shipped_bytes for item in shipped)
    if args.json:
        files = [asdict(item) for item in shipped]
        print(json.dumps({"board": args.board, "total": total, "budget": args.budget, "files": files}, indent=1))
    else:
        print(table(args.board, shipped, args.budget) + ("\n" + RP2040_NOTE if is_rp2040(built.config) else ""))
    return 1 if total > args.budget else 0


if __name__ == "__main__":
    sys.exit(main())
