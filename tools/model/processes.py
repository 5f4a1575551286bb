"""Records a device and a host that is a process of its own, which may be killed at any instant.

The host's steps go to a file that outlives it. Each step has the time of the machine's monotonic clock, and bytes leave
a process only after the steps that they report: the order of the clock is one in which the steps can have been taken.
Before a commit the host says what it is about to commit. If it is killed before it says that it has, its store decides.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from model.tracer import Step, Trace

_SESSIONS = ("hello", "welcome", "proof", "take_welcome")  # their first value is one
_LANE = ("begin_op", "finish")


class ProcessTrace(Trace):
    """In the device's process, and in those that are forked from it. A session is named by its nonce until `close`."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.times = [time.monotonic_ns()]
        self._path = path
        self._file = -1
        self._read = 0
        self.doubts = 0  # commits that a kill left open, and the store decided

    def fork(self) -> None:
        """From here on this is the host's process."""
        self._file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

    def add(self, *step: Any) -> None:
        now = time.monotonic_ns()
        if self._file < 0:
            self._note(now, step)
        else:  # the line break comes first: the process before may have died within a line
            os.write(self._file, b"\n" + json.dumps([now, *step]).encode())

    def _note(self, now: int, step: Step) -> None:
        self.steps.append(step)
        self.times.append(now)

    def ask(self, nonce: bytes) -> None:
        self.add("hello", nonce.hex())

    def asked(self, nonce: bytes) -> Any:
        return nonce.hex()

    def commit(self, real: Callable[[], None]) -> None:
        if self.uncommitted:
            self.add("commits", self.uncommitted)
        super().commit(real)

    def _committed(self) -> None:
        if self.uncommitted:
            self.add("committed")

    def killed(self, on_file: Mapping[str, int]) -> None:
        """The host's process has ended. Its store has the event `commit`, the program was done with `note_handled`, and
        the command `lane` is open, or 0."""
        with contextlib.suppress(FileNotFoundError):
            text = self._path.read_bytes()[self._read :]
            self._read += len(text)
            self._note_all(text, on_file)
        self.process("kill")

    def _note_all(self, text: bytes, on_file: Mapping[str, int]) -> None:
        group: list[Step] = []
        for line in text.splitlines():
            with contextlib.suppress(ValueError):  # empty, or the process died within it
                now, *step = json.loads(line)
                if step[0] == "commits":
                    group = [tuple(it) for it in step[1]]
                    continue
                for it in group if step[0] == "committed" else [tuple(step)]:
                    self._note(now, it)
                group = [] if step[0] == "committed" else group
        self.doubts += bool(group)
        after = {"lane" if name in _LANE else name: values[0] if values else 0 for name, *values in group}
        if all(on_file[what] == value for what, value in after.items()):
            for step in group:
                self.add(*step)

    def close(self) -> None:
        """The steps as the table knows them, in the order of the clock."""
        order = sorted(range(len(self.steps)), key=self.times.__getitem__)
        asked = [step for step in (self.steps[at] for at in order) if step[0] == "hello"]
        numbers = {step[1]: number for number, step in enumerate(asked, 1)}
        for at in order:
            name, *values = self.steps[at]
            if name in _SESSIONS:
                self.steps[at] = (name, numbers[values[0]], *values[1:])
        self.steps = [self.steps[at] for at in order]
        self.times = sorted(self.times)
