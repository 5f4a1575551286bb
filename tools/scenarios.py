"""Plays every scenario on CPython and on the MicroPython VM and compares what happened, line by line.

    PYTHONPATH=tools .venv/bin/python -m scenarios [FILE|FILE:CASE ...]

Exit status 0 when all went as expected on both and both wrote the same transcript, else 1.
"""

from __future__ import annotations

import sys
import time
from contextlib import nullcontext
from pathlib import Path

from model.replay import held
from model.tracer import recording

from fairshoe.sim.scenario_cases import places, read_place
from fairshoe.sim.scenario_files import Result, play, play_on_micropython

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "tests" / "scenarios"


def difference(left: Result, right: Result) -> str:
    """The first line in which two transcripts differ, in words; empty if none does."""
    for i, (one, other) in enumerate(zip(left.transcript, right.transcript, strict=False)):
        if one != other:
            return f"line {i + 1}: CPython {one!r}, MicroPython {other!r}"
    if len(left.transcript) != len(right.transcript):
        return f"{len(left.transcript)} lines on CPython, {len(right.transcript)} on MicroPython"
    return ""


def recorded(path: Path) -> tuple[Result, list[str]]:
    """Played on CPython; what a host of the table saw and did is held against the model of the promises."""
    with recording() if read_place(path).get("role") == "table" else nullcontext() as trace:
        (result,) = play([path])
    return result, held(trace) if trace is not None else []


def compare(paths: list[Path]) -> list[str]:
    """What went wrong or differs, one line each."""
    findings: list[str] = []
    started = time.monotonic()
    expected: list[Result] = []
    for path in paths:
        result, problems = recorded(path)
        expected.append(result)
        findings += [f"{result.name}: {problem}" for problem in problems]
    took_s = time.monotonic() - started
    print(f"CPython: {len(paths)} scenarios in {took_s:.1f} s", flush=True)
    started = time.monotonic()
    for left, right in zip(expected, play_on_micropython(paths), strict=True):
        findings += [f"{left.name} (CPython): {problem}" for problem in left.problems]
        findings += [f"{left.name} (MicroPython): {problem}" for problem in right.problems]
        differs = difference(left, right)
        if differs:
            findings.append(f"{left.name}: {differs}")
    took_s = time.monotonic() - started
    print(f"MicroPython: {len(paths)} scenarios in {took_s:.1f} s", flush=True)
    return findings


def main(arguments: list[str]) -> int:
    paths = places([Path(name) for name in arguments] or [FOLDER])
    findings = compare(paths)
    for finding in findings:
        print(finding)
    print(f"{len(paths)} scenarios, {len(findings)} findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
