"""A copy of the repository in which mutants live, and a process there that runs tests against them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from mutants.mutant import ENDED, UNREACHED, Mutant, Verdict

ROOT = Path(__file__).resolve().parents[2]
# What tests import or read.
_FOLDERS = ("firmware", "hal", "rig", "host_tools", "board_configs", "game_profiles", "rules", "tests", "tools")
_FILES = ("pyproject.toml",)


class CopiedTree:
    def __init__(self, root: Path, worker: subprocess.Popen[str]) -> None:
        self.root = root
        self._worker = worker
        self._sound: set[str] = set()  # tests that pass here while nothing is changed
        self.patience_s = 10.0  # of test files for one mutant
        self.unsound: list[str] = []  # and those that fail, where that is no reason to stop

    def judge(self, mutant: Mutant, by_files: bool = False) -> Verdict:
        """Run the tests until one fails. The file is as before when this returns. A test that fails without a change
        would catch everything: an error, or of whole files (it wants git, a browser) left out."""
        used_s = 0.0
        while True:
            verdict = self._changed(mutant, mutant.text)
            used_s += verdict.processor_s
            test = verdict.caught_by
            if not test or test in self._sound or test.startswith(ENDED):
                break
            unchanged = self._run((test,))
            used_s += unchanged.processor_s
            if not unchanged.caught_by:
                self._sound.add(test)
                break
            if not by_files:
                raise RuntimeError(f"{test} fails while nothing is changed: mend it first, it would catch everything")
            self.unsound.append(unchanged.caught_by)
        if mutant.probe and not test:
            reached = self._changed(mutant, mutant.probe)
            test, used_s = "" if reached.caught_by else UNREACHED, used_s + reached.processor_s
        return Verdict(test, used_s)

    def _changed(self, mutant: Mutant, text: str) -> Verdict:
        path = self.root / mutant.path
        before = path.read_bytes()
        path.write_text(text, encoding="utf-8")
        try:
            return self._run(mutant.tests)
        finally:
            path.write_bytes(before)

    def _run(self, tests: tuple[str, ...]) -> Verdict:
        worker = self._worker
        assert worker.stdin is not None and worker.stdout is not None
        worker.stdin.write(json.dumps([tests, self.unsound, self.patience_s]) + "\n")
        worker.stdin.flush()
        line = worker.stdout.readline()
        if not line:
            raise RuntimeError("the process that runs the tests has ended; what it said is above")
        caught_by, processor_s = json.loads(line)
        return Verdict(caught_by, processor_s)


@contextmanager
def copied_tree(preload: bool) -> Generator[CopiedTree]:
    """With `preload` firmware and simulator are imported once for all mutants: right where a mutant is data that is
    read for every device, wrong where it is code."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        root = Path(folder)
        # With compiled files and times, so that they stay valid.
        for name in _FOLDERS:
            shutil.copytree(ROOT / name, root / name)
        for name in _FILES:
            shutil.copy2(ROOT / name, root / name)
        paths = os.pathsep.join(str(root / name) for name in ("host_tools", "tools"))
        # Two mutants of one second and size would share a compiled file.
        env = {**os.environ, "PYTHONPATH": paths, "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "mutants.worker", *(["--preload"] if preload else [])]
        with subprocess.Popen(
            command, cwd=root, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        ) as worker:
            yield CopiedTree(root, worker)
