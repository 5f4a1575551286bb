"""Runs in a copied tree: reads a list of tests from a line, forks, and says which of them failed first.

A test is a scenario, a pytest node, or a whole file: files are run one by one while patience lasts, without
the tests of the second list and those that are marked `full`.

A fork for each list, so that whatever a mutant breaks is gone with its process.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import select
import signal
import sys
import time
from pathlib import Path

from mutants.mutant import ENDED

LIMIT_S = 120  # of processor time; a mutant that hangs is caught
WAIT_S = 300  # and one that only waits
TEST_S = 60  # for one test of a file
_STARTED = [0.0, 0.0]  # when this fork began, and how long it may go on


def main() -> None:
    from fairshoe import _device

    importlib.import_module("pytest")
    if "--preload" in sys.argv:
        _device.load()
        for name in ("fairshoe.sim.scenario_files", "rules.claims"):
            importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(_forked(*json.loads(line))), flush=True)


def _forked(tests: list[str], without: list[str], patience_s: float) -> tuple[str, float]:
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        _STARTED[:] = [time.monotonic(), patience_s]
        os.setpgid(0, 0)  # with the processes that tests start
        os.dup2(2, 1)  # the answer is the parent's business
        signal.setitimer(signal.ITIMER_PROF, LIMIT_S)
        os.write(writing, _first_failure(tests, without).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as answer:
        ready, _, _ = select.select([answer], [], [], WAIT_S)
        text = answer.read() if ready else ""
    if not ready:
        os.kill(child, signal.SIGKILL)
    _, status, used = os.wait4(child, 0)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)
    caught_by = text if not status else f"{ENDED} {status}"
    return caught_by, used.ru_utime + used.ru_stime


def _first_failure(tests: list[str], without: list[str]) -> str:
    files = [test for test in tests if test.endswith(".py")]
    nodes = [test for test in tests if "::" in test]
    for test in tests:
        if test not in files and test not in nodes and _scenario_fails(Path(test)):
            return test
    caught_by = _first_node(nodes) if nodes else ""
    options = ["-m", "not full", f"--timeout={TEST_S}", *(f"--deselect={name}" for name in without)]
    for file in files if not caught_by else ():
        if file not in without and not _is_late():
            caught_by = caught_by or _first_node([file, *options])
    return caught_by


def _is_late() -> bool:
    """Patience is processor time, of this process and those it has waited for; waiting counts a quarter."""
    began, patience_s = _STARTED
    return max(sum(os.times()[:4]), (time.monotonic() - began) / 4) >= patience_s


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

        pytest_collectreport = pytest_runtest_logreport

        def pytest_runtest_logfinish(self, nodeid: str) -> None:
            if not self.name and files and _is_late():
                pytest.exit(nodeid, returncode=0)

    files = any(node.endswith(".py") for node in nodes)
    failed = Failed()
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        status = pytest.main(["-x", "-q", "-p", "no:cacheprovider", *nodes], [failed])
    return failed.name or (
        f"{ENDED} {int(status)} of pytest" if status not in (0, pytest.ExitCode.NO_TESTS_COLLECTED) else ""
    )


if __name__ == "__main__":
    main()
