"""`python -m soak`: runs until the time is over, or replays one; a failing run is shrunk and written as a scenario."""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from pathlib import Path

import fairshoe
from soak.hands import BOARDS
from soak.run import Run, write_finding


def tell(run: Run, board: str, path: Path) -> None:
    chosen = f" --board {board}" if board else ""
    print(f"seed {run.seed} on {run.data['board']}: {run.problems[0]}")
    print(f"replay: PYTHONPATH=tools .venv/bin/python -m soak --seed {run.seed} --runs 1 --verbose{chosen}")
    print(f"shrunk: .venv/bin/fairshoe scenario run {path}", flush=True)


def main() -> int:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("soak", description=__doc__, formatter_class=layout)
    parser.add_argument("--minutes", type=float, default=1, help="how long (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the first run")
    parser.add_argument("--runs", type=int, default=1 << 30, help="at most so many")
    parser.add_argument("--board", choices=BOARDS, default="", help="on this one only")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at the first finding")
    parser.add_argument("--verbose", action="store_true", help="every step")
    options = parser.parse_args()
    started = told = time.monotonic()
    print(f"soak {fairshoe.__version__}: first seed {options.seed}", flush=True)
    done: Counter[str] = Counter()
    found = 0
    while done.total() < options.runs and time.monotonic() - started < options.minutes * 60:
        run = Run(options.seed + done.total(), options.board, print if options.verbose else None)
        done[run.data["board"]] += 1
        if run.play():
            tell(run, options.board, write_finding(run))
            found += 1
            if not options.keep_going:
                break
        if time.monotonic() - told > 5:
            told = time.monotonic()
            print(f"  {done.total()} runs in {told - started:.0f} s", flush=True)
    each = ", ".join(f"{board} {count}" for board, count in sorted(done.items()))
    print(f"soak: {done.total()} runs ({each}), {found or 'nothing'} found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
