"""`fairshoe scenario run`: play scenario files on the simulated machine, on CPython or on the MicroPython VM."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from fairshoe.printable import printable, say
from fairshoe.sim.scenario_cases import by_name, places, scenario_names
from fairshoe.sim.scenario_files import Result, ScenarioError, play, play_on_micropython
from fairshoe.text.transcript import in_words


def run(options: argparse.Namespace) -> int:
    if options.action == "list":
        say("\n".join(scenario_names()))
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
        say(json.dumps({"vm": options.vm, "played": len(results), "failed": len(failed), "results": found}, indent=1))
    else:
        took_s = time.monotonic() - started
        played = f"{len(results)} scenario{'s' * (len(results) != 1)}"
        say(f"{played}, {len(failed)} not as expected ({options.vm}, {took_s:.1f} s)")
    return 1 if failed else 0


def _tell(result: Result, number: int, of: int) -> None:
    say(f"[{number}/{of}] {'ok  ' if not result.problems else 'FAIL'} {_name(result)}", flush=True)
    for problem in result.problems:
        say(f"       {printable(problem)}", flush=True)


def _name(result: Result) -> str:
    return printable(f"{result.name}: {result.title}")


def _write(target: Path, results: list[Result]) -> None:
    """A file has the numbers, which can be compared; a person reads words."""
    show = in_words if str(target) == "-" else str
    text = "".join(f"# {_name(r)}\n" + "".join(f"{printable(show(line))}\n" for line in r.transcript) for r in results)
    if str(target) == "-":
        say(text, end="")
    else:
        target.write_text(text, encoding="utf-8")
