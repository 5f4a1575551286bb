"""The arguments of `fairshoe scenario`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from fairshoe.sim.scenario_cases import scenario_names

EPILOG = """\
examples:
  fairshoe scenario list
      the scenarios that belong to this version
  fairshoe scenario run carousel-card-under-the-rail --transcript -
      play one of them, and print what happened
  fairshoe scenario run my-fault.json --vm micropython
      a file of your own, on the MicroPython VM

exit status: 0 all as expected, 1 one was not, 3 a file cannot be played
More: fairshoe docs SCENARIOS
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = "Plays stories from files on the simulated machine: good rounds, and every fault."
    command.epilog = EPILOG
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    actions.add_parser("list", help="list the scenarios that belong to this version")
    run_parser = actions.add_parser(
        "run",
        help="play scenarios and check what they expect",
        description="Plays scenarios and says whether everything happened as the files expect. The same file gives "
        "the same transcript on both VMs.",
        epilog=EPILOG,
    )
    file: Any = run_parser.add_argument(
        "file", nargs="+", type=Path, metavar="FILE", help="a name, a file, FILE:CASE, or a folder"
    )
    file.completes = scenario_names()
    run_parser.add_argument("--vm", choices=["cpython", "micropython"], default="cpython", help="(%(default)s)")
    run_parser.add_argument("--transcript", type=Path, metavar="OUT", help="write what happened; - prints it in words")
    run_parser.add_argument("--json", action="store_true", help="results as JSON")
