"""Runs in a copied tree: reads a list of tests from a line, forks, and says which of them failed first.

A fork for each list, so that whatever a mutant breaks is gone with its process.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import signal
import sys
from pathlib import Path

from mutants.mutant import ENDED

LIMIT_S = 120  # of processor time; a mutant that hangs is caught


def main() -> None:
    from fairshoe import _device

    if "--preload" in sys.argv:
        _device.load()
        for name in ("pytest", "fairshoe.sim.scenario_files", "rules.claims"):
            importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(_forked(json.loads(line))), flush=True)


def _forked(tests: list[str]) -> tuple[str, float]:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        os.dup2(2, 1)  # the answer is the parent's business
        signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
        os.write(writing, _first_failure(tests).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        text = answer.read()
    _, status, used = os.wait4(child, 0)
    caught_by = text if not status else f"{ENDED} {status}"
    return caught_by, used.ru_utime + used.ru_stime


def _first_failure(tests: list[str]) -> str:
    for test in tests:
        if "::" not in test and _scenario_fails(Path(test)):
            return test
    nodes = [test for test in tests if "::" in test]
    return _first_node(nodes) if nodes else ""


def _scenario_fails(path: Path) -> bool:
    from fairshoe.sim.scenario_files import play

    try:
        return any(result.problems for result in play([path]))
    except Exception:  # a profile that cannot be read is noticed as well
        return True


def _first_node(nodes: list[str]) -> str:
    import pytest

    class Failed:
        name = ""

        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed:
                self.name = self.name or report.nodeid

    failed = Failed()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        status = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *nodes], [failed])
    return failed.name or (f"{ENDED} {int(status)} of pytest" if status else "")


if __name__ == "__main__":
    main()
