"""The gate: `make test` runs it, `make check` four of its stages, `make test-all` what it leaves out.

    python -m gate [--full] [--jobs N] [STAGE ...]

The gate is for every commit (CONTRIBUTING.md says how long it takes). The full set is for CI and for a release:
tests marked `full`, the rest of the tests in tests/long.txt, those of tests/unit/long_on_vm.txt on the MicroPython VM,
tests that need servers, Chromium or tshark, the types of tests and tools, and tests that draw what they try with more
draws. Every test is in one of the two sets;
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
WITH_PROGRAMS = ("tests/web", "tests/floor_servers", "tests/dissector")  # the full set alone; of tests/web a slice
# The folders that have a stage of their own; the stage "others" has the rest.
IN_FULL_ELSEWHERE = ["tests/host", "tests/table", *WITH_PROGRAMS, *CHANCE]
ELSEWHERE = ["tests/style", "tests/unit", *IN_FULL_ELSEWHERE]

# Tests that read pages, apart from tests/style: with a changed page these run, and no others do.
PAGES = [
    "tests/host/docs",
    "tests/host/bench/test_bench_plans.py",
    "tests/host/cli/test_cli_front.py",
    "tests/host/cli/test_explain.py",
    "tests/host/client/test_public_api.py",
    "tests/host/client/test_records.py",
    "tests/host/games/test_rules_data.py",
    "tests/host/journal/test_journal.py",
    "tests/host/journal/test_seed_audit.py",
    "tests/host/shuffle/test_shuffle_test.py",
    "tests/host/text/test_advice.py",
    "tests/host/web/test_js_client.py",
    "tests/powerloss/test_defects.py",
    "tests/table/test_options.py",
    "tests/table/test_oracles.py",
    "tests/table/test_rulings.py",
    "tests/tools/test_image_sum.py",
    "tests/tools/test_matrix.py",
    "tests/tools/test_procedure_page.py",
    "tests/tools/test_release_parts.py",
    "tests/tools/test_rules_trace.py",
    "tests/tools/test_twin.py",
    "tests/tools/test_wheel.py",
]

# Tests that start tables and are not in their folder.
WITH_TABLES = [
    "tests/attack/test_local_servers.py",
    "tests/host/cli/test_choices.py",
    "tests/host/cli/test_cli_ports.py",
    "tests/releases",
]

# What decides how a stage ends. Tests that open another file of the tree fail (tools/inputs.py).
EVERYTHING = (".",)
FORMATS = "docs/protocol"  # vectors and schemas, for other programs
DEVICE = ("firmware", "hal", "rig", "board_configs", "game_profiles")
SUITE = ("tests/conftest.py", "tests/long.txt", "tests/host/kit", "tools", "rules", "host_tools/fairshoe")
ON_BOTH_VMS = (*DEVICE, "rules/law", "tests/scenarios", *BOTH_VMS)
CODE = ":(glob)host_tools/**/*.py"
OF_HOST = (
    *ON_BOTH_VMS,
    *SUITE,
    CODE,
    FORMATS,
    "tests/host",
    "tests/behaviour",
    "host_tools/examples",
    "host_tools/fairshoe-js",
)
OF_TABLE = (*ON_BOTH_VMS, *SUITE, "host_tools", FORMATS, "tests/table", "tests/host", "tests/attack", "tests/releases")
OF_CHANCE = (*ON_BOTH_VMS, *SUITE, *CHANCE)
OF_OTHERS = (
    *ON_BOTH_VMS,
    *SUITE,
    CODE,
    FORMATS,
    "tests",
    "host_tools/examples",
    "host_tools/fairshoe_floor",
    "Makefile",
    ".ci",
)
OF_TRACE = (*DEVICE, "rules", "tests", "tools/rules", "host_tools/fairshoe", "docs/RULES.md")
TYPES_OF_HOST = (*(f":(glob){each}/**/*.py" for each in ("host_tools", "firmware", "hal", "rig")), "pyrightconfig.json")
TYPES_OF_DEVICE = ("firmware", "hal", "rig", "tools/typings", "pyright.device.json")


def host_tests() -> tuple[list[str], list[str]]:
    """The host's tests in two halves: every second file, in all folders, but those of other stages."""
    files = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "tests" / "host").rglob("test_*.py"))
    files = [path for path in files if not path.startswith((*PAGES, *WITH_TABLES))]
    return files[::2], files[1::2]


def module(name: str, *arguments: str) -> list[str]:
    return [sys.executable, "-m", name, *arguments]


def others(command: list[str], *left_out: str) -> list[str]:
    """pytest on all folders and files but some."""
    return [*command, *(f"--ignore={path}" for path in left_out)]


def gate_stages() -> list[Stage]:
    """The stages of `make test`, the longest first, and early those that mostly wait."""
    first, second = host_tests()
    return [
        Stage("host-2", [*GATE, *second], OF_HOST),
        Stage("table", [*others(GATE, *PAGES), "tests/table", *WITH_TABLES], OF_TABLE),
        Stage("unit", [*GATE, "tests/unit"], (*ON_BOTH_VMS, *SUITE)),
        Stage("mpy", [*VM, "1", "--without", LONG_ON_VM, *BOTH_VMS], (*ON_BOTH_VMS, "tools/mpy")),
        Stage("host-1", [*GATE, *first], OF_HOST),
        Stage("others", others(GATE, *ELSEWHERE, *PAGES, *WITH_TABLES), OF_OTHERS),
        Stage("chance", [*others(GATE, *PAGES), *CHANCE], OF_CHANCE),
        Stage("pages", [*GATE, *PAGES], EVERYTHING),
        Stage("types", [PYRIGHT, "host_tools"], TYPES_OF_HOST),
        Stage("style", [*GATE, "tests/style"], EVERYTHING),
        Stage("types-device", [PYRIGHT, "--project", "pyright.device.json"], TYPES_OF_DEVICE),
        Stage("trace", module("rules"), OF_TRACE),
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
        Stage("floor", module("floor", "--if-possible"), EVERYTHING, more),
        Stage("web", module("web", "--if-possible"), EVERYTHING),
        Stage("dissector", module("dissector", "--if-possible"), EVERYTHING),
        Stage("types-all", [PYRIGHT], EVERYTHING),
        Stage("chip", module("hil", "--quick", "--keyed", "--if-possible"), EVERYTHING),
        Stage("chip-port", module("hil", "--port", "emulated", "--if-possible"), EVERYTHING),
        Stage("chip-two", module("hil.two", "--if-possible"), EVERYTHING),
        Stage("chip-cuts", module("hil.cuts", "--if-possible"), EVERYTHING),
        Stage("model", module("model", "--slice", "--if-possible"), ("tools/model",)),
        Stage("bench", module("bench", "--small", "--if-possible"), EVERYTHING),
        Stage("small", module("small"), EVERYTHING),
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
