"""`python -m model`: checks every run and every planted error, and prints what it found.

--slice [--seed N]    what the full set runs: the quick runs, and eight planted errors drawn by the seed
--only NAME           runs, planted errors or tables whose name has this in it
--json                one line for each, for docs/TESTING.md and scripts
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from dataclasses import asdict

from model import spin
from model.plan import PLANTED, RUNS, table_of

SLICE = ("program", "logs", "floor-logs", "key-failing-writes")
SLICE_PLANTED = 8


def main() -> int:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("model", description=__doc__, formatter_class=layout)
    parser.add_argument("--slice", action="store_true", help="the quick part of it")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the planted errors in a slice")
    parser.add_argument("--only", default="", help="names that have this in them")
    parser.add_argument("--if-possible", action="store_true", help="go without, if spin cannot be installed")
    parser.add_argument("--json", action="store_true", help="one JSON object for each line")
    options = parser.parse_args()
    if not spin.available():
        print("NOT RUN: the model, for want of spin.")
        return 0 if options.if_possible and os.environ.get("CI") != "true" else 1
    planted = random.Random(options.seed).sample(PLANTED, SLICE_PLANTED) if options.slice else PLANTED
    runs = [run for run in (SLICE if options.slice else RUNS) if options.only in f"{run} {RUNS[run][0]}"]
    planted = [each for each in planted if options.only in f"{each.name} {each.run}"]
    if not runs and not planted:
        parser.error(f"no run and no planted error has {options.only!r} in its name")
    if options.slice and not options.json:
        print(f"the same again: PYTHONPATH=tools .venv/bin/python -m model --slice --seed {options.seed}", flush=True)
    started = time.monotonic()
    wrong = 0
    taken: dict[str, set[str]] = {}
    for run in runs:
        table = table_of(run)
        found = spin.check(table)
        taken.setdefault(RUNS[run][0], set()).update(found.taken)
        wrong += _tell(options.json, run, found, bool(found.broken), found.broken or "every promise holds")
    for each in planted:
        found = spin.check(table_of(each.run, each.changes), shortest=True)
        said = f"found in {len(found.trace)} steps" if found.broken else "NOT FOUND"
        wrong += _tell(options.json, each.name, found, not found.broken, said)
    if not options.slice and not options.only:
        for table in sorted(taken):
            never = sorted(set(next(table_of(run) for run in RUNS if RUNS[run][0] == table).steps) - taken[table])
            wrong += bool(never)
            if never:
                print(f"{table}: no run takes {', '.join(never)}")
    if not options.json:
        print(f"model: {len(runs)} runs, {len(planted)} planted errors, {wrong or 'nothing'} wrong", end="")
        print(f"; {time.monotonic() - started:.0f} s")
    return 1 if wrong else 0


def _tell(as_json: bool, name: str, found: spin.Checked, is_wrong: bool, said: str) -> bool:
    if as_json:
        print(json.dumps({"name": name, "said": said, **asdict(found), "taken": sorted(found.taken)}), flush=True)
    else:
        print(f"{name:58} {found.states:>9,} states {found.seconds:6.1f} s  {said}", flush=True)
        if is_wrong:
            print("  " + "; ".join(found.trace))
    return is_wrong


if __name__ == "__main__":
    sys.exit(main())
