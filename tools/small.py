"""Every long target run for a moment, by its own command line: what is only started by hand breaks unseen.

    python -m small [TARGET ...]

The full set runs it. That a run finds the defects it is for, tests and planted errors show. NOT_SMALL names the targets
that have no short run, and why; those that have a stage of their own in the full set are in `gate.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time

from stages import NOT_RUN, ROOT

SEED = ("--seed", "1")
BOARD = (*SEED, "--board", "pico-draw")
# By target: a module of tools/ with its options.
SMALL = {
    "fuzz": (("fuzz", *SEED, "--minutes", "0.02"),),
    "soak": (("soak", *BOARD, "--runs", "1"),),
    "sweep": (("soak.sweep", *BOARD, "--minutes", "0.02"),),
    "powerloss": (("powerloss", *BOARD, "--game", "double-attack-blackjack", "--minutes", "0.02", "--jobs", "1"),),
    "powerloss-records": (("powerloss.records", *SEED, "--minutes", "0.02"),),
    "soak-kill": (
        ("soak.kill", *SEED, "--rounds", "1", "--board", "pico-shoe"),
        ("soak.kill_tcp", *SEED, "--kills", "1", "--game", "caribbean-stud"),
    ),
    "table-oracles": (("oracles.table", *SEED, "--quick"),),
    "table-soak": (("soak.table", *SEED, "--kills", "1", "--game", "caribbean-stud"),),
    "mutants": (("mutants", *SEED, "--rules", "--minutes", "0.02"),),
}
NOT_SMALL = {
    "scenarios": "its tests are in both sets; the command plays all 350 of them twice",
    "growth": "a test runs its command",
    "matrix": "a test compares every page as it does",
    "release": "it wants a clean commit and builds everything",
    "release-try": "it wants a release",
    "release-files": "it wants the commit of a release",
    "captures": "it writes pages of this tree",
    "hil-same": "it wants an image",
    "hil-contract": "it wants an image",
    "twin": "it wants a board",
    "deploy": "it wants a board",
    "image": "it wants a MicroPython checkout",
}


def main(targets: list[str]) -> int:
    env = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    failed = 0
    for target in targets or SMALL:
        for words in SMALL[target]:
            began = time.monotonic()
            command = [sys.executable, "-m", *words]
            done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
            spent_s = time.monotonic() - began
            print(f"{'FAILED' if done.returncode else 'ok'}  {target}, {spent_s:.0f} s: {' '.join(words)}", flush=True)
            if done.returncode:
                failed = 1
                print(done.stdout, done.stderr, sep="\n")
    for target, why in () if targets else NOT_SMALL.items():
        print(f"{NOT_RUN}: make {target}: {why}")
    return failed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
