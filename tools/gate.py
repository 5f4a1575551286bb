"""The gate: `make test` runs all of it, `make check` four of its stages.

    python -m gate [--jobs N] [STAGE ...]

A stage named alone prints as it goes. Otherwise stages run four at a time, the longest first: many tests wait, so
four keep two cores busy. What a stage printed is in build/stages, and that of a failed one is shown at the end.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

from stages import BIN, ROOT, Stage, run_stages

JOBS = 4
PYTEST = [str(BIN / "pytest"), "-q"]
PYRIGHT = str(BIN / "pyright")
VM = [str(BIN / "node"), "tools/mpy/test.mjs", "--lanes", "1"]
BOTH_VMS = ["tests/unit", "tests/contract"]
CHANCE = ["tests/powerloss", "tests/fuzz", "tests/differential"]  # tests that draw what they try


def host_tests() -> tuple[list[str], list[str]]:
    """The host's tests in two halves: every second file."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "host").glob("test_*.py"))
    return files[::2], files[1::2]


def module(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", name, *arguments]


def stages() -> dict[str, Stage]:
    """All stages, the longest first."""
    first, second = host_tests()
    elsewhere = ("tests/style", "tests/host", "tests/unit", "tests/web", "tests/floor_servers", "tests/table", *CHANCE)
    others = [f"--ignore={path}" for path in elsewhere]
    commands = {
        "host-1": [*PYTEST, *first],
        "others": [*PYTEST, *others],
        "mpy": [*VM, "--without", "tests/unit/long_on_vm.txt", *BOTH_VMS],
        "host-2": [*PYTEST, *second],
        "chance": [*PYTEST, *CHANCE],
        "unit": [*PYTEST, "tests/unit"],
        "types": [PYRIGHT],
        "table": [*PYTEST, "tests/table"],
        "web": module("web", "--if-possible"),
        "style": [*PYTEST, "tests/style"],
        "floor": module("floor", "--if-possible"),
        "dissector": module("dissector", "--if-possible"),
        "types-device": [PYRIGHT, "--project", "pyright.device.json"],
        "trace": module("rules"),
        "lint": [str(BIN / "ruff"), "check"],
    }
    return {name: Stage(name, command) for name, command in commands.items()}


def main() -> int:
    known = stages()
    parser = argparse.ArgumentParser(prog="gate", description="Run the stages of the gate.")
    parser.add_argument("--jobs", type=int, default=JOBS, help="stages at a time (default: %(default)s)")
    parser.add_argument("stage", nargs="*", help=f"of {', '.join(known)} (default: all)")
    given = parser.parse_args()
    unknown = [name for name in given.stage if name not in known]
    if unknown:
        parser.error(f"no stage {unknown[0]}; there are {', '.join(known)}")
    if len(given.stage) == 1:
        return subprocess.call(known[given.stage[0]].command, cwd=ROOT, env=dict(os.environ))
    chosen = [stage for name, stage in known.items() if not given.stage or name in given.stage]
    return run_stages("the gate" if not given.stage else " ".join(given.stage), chosen, given.jobs)


if __name__ == "__main__":
    sys.exit(main())
