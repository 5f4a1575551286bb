"""`python -m wiring [--check]`: writes docs/WIRING.md, docs/wiring/ and the lines of board_configs/schema.json, or
compares them with the board configs and fairshoe/boards/lines.py."""

import argparse
import sys

from wiring import page


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("wiring", description="Write docs/WIRING.md and docs/wiring/ from board configs.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is not up to date")
    args = parser.parse_args(argv)
    if args.check:
        wrong = page.outdated()
        for path in wrong:
            print(f"wiring: docs/{path} does not match the board configs; run make generate", file=sys.stderr)
        if page.schema() != page.SCHEMA.read_text(encoding="utf-8"):
            print(f"wiring: {page.SCHEMA} does not match boards/lines.py; run make generate", file=sys.stderr)
            return 1
        return 1 if wrong else 0
    page.SCHEMA.write_text(page.schema(), encoding="utf-8")
    (page.DOCS / "wiring").mkdir(exist_ok=True)
    wanted = page.files()
    for path in page.outdated():
        if path in wanted:
            (page.DOCS / path).write_text(wanted[path], encoding="utf-8")
        else:
            (page.DOCS / path).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
