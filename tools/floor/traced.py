"""Runs `fairshoe` and writes every step of its publisher or consumer into a pipe, a line of JSON each.

    python -m floor.traced [arguments of `fairshoe`]

A pipe, because a killed process loses nothing that it has written there, and a full disk does not stop it.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
import time
from typing import Any

from model.floor_replay import CHANGES, rejected, replay_logs
from model.floor_run import FloorTrace, recording_floor
from model.tracer import Step

from fairshoe.cli import command_line

PIPE = "FLOOR_TRACE"  # a descriptor
CHANGES_MIN = 8  # a short run may have no cursor that moves


class PipeTrace(FloorTrace):
    """Of a program that has one consumer at most."""

    who = "floor"

    def __init__(self, pipe: int) -> None:
        super().__init__()
        self._pipe = pipe
        self._write(b"\n")  # the process before may have died within a line

    def add(self, *step: Any) -> None:
        self._write(json.dumps([time.monotonic_ns(), *step]).encode() + b"\n")

    def _write(self, line: bytes) -> None:
        while line:
            line = line[os.write(self._pipe, line) :]


class Traces:
    """The pipes of all programs, and what was done to the servers."""

    def __init__(self) -> None:
        self._steps: list[Any] = []
        self._pipes: list[tuple[int, threading.Thread]] = []

    def pipe(self) -> int:
        """Of one program, over all its lives."""
        reading, writing = os.pipe()
        thread = threading.Thread(target=self._read, args=(reading,), daemon=True)
        thread.start()
        self._pipes.append((writing, thread))
        return writing

    def add(self, *step: Any) -> None:
        self._steps.append([time.monotonic_ns(), *step])

    def close(self) -> list[Step]:
        """All steps, in the order of the clock. Every program has ended."""
        while self._pipes:
            pipe, thread = self._pipes.pop()
            os.close(pipe)
            thread.join()
        return [tuple(step[1:]) for step in sorted(self._steps, key=lambda step: step[0])]

    def _read(self, pipe: int) -> None:
        with open(pipe, "rb") as lines:
            for line in lines:
                with contextlib.suppress(ValueError):  # the last line of a process that was killed
                    self._steps.append(json.loads(line))


def replay(steps: list[Step]) -> tuple[list[str], str]:
    """What the table of the floor does not allow, and a summary. Changed runs must be rejected."""
    logs = replay_logs(steps)
    wrong = [f"model: log {key}: {found}" for key, found in logs.items() if found]
    tried = rejected(steps, lambda run, key: replay_logs(run, key)[key])
    wrong += [f"model: not rejected: {name}" for name, found in tried.items() if not found]
    if len(tried) < CHANGES_MIN:
        wrong.append(f"model: only {len(tried)} of {len(CHANGES)} changes found a step")
    cut = len({step[1] for step in steps if step[0] == "cut"})
    return wrong, (
        f"{len(steps)} steps of {len(logs)} logs replayed by the model, {cut} logs up to the loss of their store;"
        f" {sum(tried.values())} changed runs rejected"
    )


def main() -> int:
    with recording_floor(PipeTrace(int(os.environ[PIPE]))):
        return command_line.main(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
