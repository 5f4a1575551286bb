"""The gate: `make test` runs it, `make check` four of its stages, `make test-all` what it leaves out.

    python -m gate [--full] [--jobs N] [STAGE ...]

The gate is for every commit (docs/MAKE.md says how long it takes). The full set is for CI and for a release:
tests marked `full`, the rest of the tests in tests/long.txt, those of tests/unit/long_on_vm.txt on the MicroPython VM,
the types of tests and tools, and tests that draw what they try with more draws. Every test is in one of the two sets;
tests/tools/test_stages.py holds that.

A stage named alone prints as it goes. Otherwise stages run four at a time, the longest first: many tests wait, so
four keep two cores busy. What a stage printed is in build/stages, and that of a failed one is shown at the end.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from stages import BIN, ROOT, Stage, environment, run_stages

JOBS = 4
GATE = [str(BIN / "pytest"), "-q", "-m", "not full"]
FULL = [str(BIN / "pytest"), "-q", "-m", "full or drawn"]
PYRIGHT = str(BIN / "pyright")
VM = [str(BIN / "node"), "tools/mpy/test.mjs", "--lanes"]
BOTH_VMS = ["tests/unit", "tests/contract"]
LONG_ON_VM = "tests/unit/long_on_vm.txt"
CHANCE = ["tests/powerloss", "tests/fuzz", "tests/differential"]  # tests that draw what they try
# The folders that have a stage of their own; the stage "others" has the rest.
ELSEWHERE = ["tests/style", "tests/host", "tests/unit", "tests/web", "tests/floor_servers", "tests/table", *CHANCE]
# The same of the full set. Of tests/web both run a slice, `make test-web` all.
IN_FULL_ELSEWHERE = ["tests/host", "tests/table", "tests/web", "tests/floor_servers", *CHANCE]

EVERYTHING = (".",)
ON_BOTH_VMS = ("firmware", "hal", "rig", "board_configs", "game_profiles", "tests/scenarios", *BOTH_VMS)
TYPES_OF_DEVICE = ("firmware", "hal", "rig", "tools/typings", "pyright.device.json")
LIBRARY = ("host_tools", "tools", "rules", "tests/conftest.py")


def host_tests() -> tuple[list[str], list[str]]:
    """The host's tests in two halves: every second file, in all folders below tests/host."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "host").rglob("test_*.py"))
    return files[::2], files[1::2]


def module(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", name, *arguments]


def others(command: list[str], *left_out: str) -> list[str]:
    """pytest on all folders but some."""
    return [*command, *(f"--ignore={path}" for path in left_out)]


def gate_stages() -> list[Stage]:
    """The stages of `make test`, the longest first, and early those that mostly wait."""
    first, second = host_tests()
    return [
        Stage("host-2", [*GATE, *second], EVERYTHING),
        Stage("table", [*GATE, "tests/table"], EVERYTHING),
        Stage("floor", module("floor", "--if-possible"), EVERYTHING),
        Stage("unit", [*GATE, "tests/unit"], (*ON_BOTH_VMS, *LIBRARY)),
        Stage("mpy", [*VM, "1", "--without", LONG_ON_VM, *BOTH_VMS], (*ON_BOTH_VMS, "tools/mpy")),
        Stage("host-1", [*GATE, *first], EVERYTHING),
        Stage("others", others(GATE, *ELSEWHERE), EVERYTHING),
        Stage("web", module("web", "--if-possible"), EVERYTHING),
        Stage("chance", [*GATE, *CHANCE], EVERYTHING),
        Stage("types", [PYRIGHT, "host_tools"], ("host_tools", "firmware", "hal", "rig", "pyrightconfig.json")),
        Stage("style", [*GATE, "tests/style"], EVERYTHING),
        Stage("dissector", module("dissector", "--if-possible"), EVERYTHING),
        Stage("types-device", [PYRIGHT, "--project", "pyright.device.json"], TYPES_OF_DEVICE),
        Stage("trace", module("rules"), EVERYTHING),
        Stage("lint", [str(BIN / "ruff"), "check"]),
    ]


def full_stages() -> list[Stage]:
    """The stages of `make test-all`, the longest first: what `make test` leaves out, and more draws."""
    more = (("FULL", "1"),)
    return [
        Stage("mpy-long", [*VM, "2", "--only", LONG_ON_VM, *BOTH_VMS], (*ON_BOTH_VMS, "tools/mpy")),
        Stage("full-host", [*FULL, "tests/host"], EVERYTHING, more),
        Stage("full-chance", [*FULL, *CHANCE], EVERYTHING, more),
        Stage("full-table", [*FULL, "tests/table"], EVERYTHING, more),
        Stage("full-others", others(FULL, *IN_FULL_ELSEWHERE), EVERYTHING, more),
        Stage("full-floor", module("floor", "--if-possible", "--full"), EVERYTHING),
        Stage("full-web", module("web", "--if-possible", "--full"), EVERYTHING),
        Stage("types-all", [PYRIGHT], EVERYTHING),
        Stage("chip", module("hil", "--quick", "--keyed", "--if-possible"), EVERYTHING),
        Stage("chip-two", module("hil.two", "--if-possible"), EVERYTHING),
        Stage("chip-cuts", module("hil.cuts", "--if-possible"), EVERYTHING),
        Stage("model", module("model", "--slice", "--if-possible"), ("tools/model",)),
        Stage("floor-chaos", module("floor", "--if-possible", "--chaos"), EVERYTHING),
    ]


def main() -> int:
    sets = {"gate": gate_stages(), "full": full_stages()}
    known = {stage.name: stage for stages in sets.values() for stage in stages}
    parser = argparse.ArgumentParser(prog="gate", description="Run the stages of the gate or of the full set.")
    parser.add_argument("--full", action="store_true", help="what the gate leaves out")
    parser.add_argument("--jobs", type=int, default=JOBS, help="stages at a time (default: %(default)s)")
    parser.add_argument("stage", nargs="*", help=f"of {', '.join(known)} (default: all of the set)")
    given = parser.parse_args()
    unknown = [name for name in given.stage if name not in known]
    if unknown:
        parser.error(f"no stage {unknown[0]}; there are {', '.join(known)}")
    if len(given.stage) == 1:
        stage = known[given.stage[0]]
        return subprocess.call(stage.command, cwd=ROOT, env=environment(stage))
    if given.stage:
        return run_stages(" ".join(given.stage), [known[name] for name in given.stage], given.jobs)
    return run_stages(*(("the full set", sets["full"]) if given.full else ("the gate", sets["gate"])), given.jobs)


if __name__ == "__main__":
    sys.exit(main())
