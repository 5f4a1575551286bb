"""`fairshoe scenario run`: play scenario files on the simulated machine, on CPython or on the MicroPython VM."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from fairshoe.printable import printable
from fairshoe.sim.scenario_cases import by_name, places, scenario_names
from fairshoe.sim.scenario_files import Result, ScenarioError, play, play_on_micropython

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
    run_parser.add_argument("--transcript", type=Path, metavar="OUT", help="write what happened as text; - prints it")
    run_parser.add_argument("--json", action="store_true", help="results as JSON")


def run(options: argparse.Namespace) -> int:
    if options.action == "list":
        print("\n".join(scenario_names()))
        return 0
    paths = places(map(by_name, options.file))
    if not paths:
        raise ScenarioError("no scenario files there.", "Give names, files, or a folder with .json files.")
    results: list[Result] = []
    started = time.monotonic()
    for result in (play_on_micropython if options.vm == "micropython" else play)(paths):
        results.append(result)
        if not options.json:
            _tell(result, len(results), len(paths))
    failed = [result for result in results if result.problems]
    if options.transcript:
        _write(options.transcript, results)
    if options.json:
        found = [
            {"file": str(r.path), "title": r.title, "ok": not r.problems, "problems": r.problems, "seconds": r.seconds}
            for r in results
        ]
        print(json.dumps({"vm": options.vm, "played": len(results), "failed": len(failed), "results": found}, indent=1))
    else:
        took_s = time.monotonic() - started
        played = f"{len(results)} scenario{'s' * (len(results) != 1)}"
        print(f"{played}, {len(failed)} not as expected ({options.vm}, {took_s:.1f} s)")
    return 1 if failed else 0


def _tell(result: Result, number: int, of: int) -> None:
    print(f"[{number}/{of}] {'ok  ' if not result.problems else 'FAIL'} {_name(result)}", flush=True)
    for problem in result.problems:
        print(f"       {printable(problem)}", flush=True)


def _name(result: Result) -> str:
    return printable(f"{result.name}: {result.title}")


def _write(target: Path, results: list[Result]) -> None:
    text = "".join(f"# {_name(r)}\n" + "".join(printable(line) + "\n" for line in r.transcript) for r in results)
    if str(target) == "-":
        sys.stdout.write(text)
    else:
        target.write_text(text, encoding="utf-8")
