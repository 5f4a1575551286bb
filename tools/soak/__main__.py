"""`python -m soak`: runs until the time is over, or replays one; a failing run is shrunk and written as a scenario."""

from __future__ import annotations

import sys
from collections import Counter

from timed import Tool, replay

from soak.hands import BOARDS
from soak.run import Run, write_finding


def main() -> int:
    tool = Tool("soak", __doc__, seed="of the first run")
    tool.add("--runs", type=int, default=1 << 30, help="at most so many")
    tool.add("--board", choices=BOARDS, default="", help="on this one only")
    tool.add("--keep-going", action="store_true", help="do not stop at the first finding")
    tool.add("--verbose", action="store_true", help="every step")
    options = tool.begin()
    chosen = f" --board {options.board}" if options.board else ""
    done: Counter[str] = Counter()
    found = 0
    while done.total() < options.runs and tool.more(lambda: f"{done.total()} runs"):
        run = Run(options.seed + done.total(), options.board, print if options.verbose else None)
        done[run.data["board"]] += 1
        if run.play():
            print(f"seed {run.seed} on {run.data['board']}: {run.problems[0]}")
            print(replay("soak", f"--seed {run.seed} --runs 1 --verbose{chosen}"))
            print(f"shrunk: .venv/bin/fairshoe scenario run {write_finding(run)}", flush=True)
            found += 1
            if not options.keep_going:
                break
    each = ", ".join(f"{board} {count}" for board, count in sorted(done.items()))
    print(f"soak: {done.total()} runs ({each}), {found or 'nothing'} found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
