"""Parts of a run, each played in a copy of this process: a board that has started is started once for all of them."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hil.report import GOOD


@dataclass
class Part:
    """What a child process reports."""

    result: str = GOOD
    said: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    motion: dict[str, float] = field(default_factory=dict[str, float])
    emulated_s: float = 0.0


def all_at_once(works: dict[str, Callable[[], Part]], jobs: int) -> dict[str, Part]:
    """Run each in a fork of this process, so many at a time."""
    context = multiprocessing.get_context("fork")
    waiting = list(works)
    running: dict[str, tuple[Any, Any]] = {}
    parts: dict[str, Part] = {}
    while waiting or running:
        while waiting and len(running) < jobs:
            name = waiting.pop(0)
            ours, theirs = context.Pipe(duplex=False)
            process = context.Process(target=_send, args=(theirs, works[name]))
            process.start()
            theirs.close()
            running[name] = process, ours
        for name, (process, pipe) in list(running.items()):
            if pipe.poll(0.2) or not process.is_alive():
                parts[name] = _receive(pipe)
                process.join()
                del running[name]
    return {name: parts[name] for name in works}


def _send(pipe: Any, work: Callable[[], Part]) -> None:
    try:
        pipe.send(work())
    except KeyboardInterrupt:
        os._exit(130)  # the parent process reports it


def _receive(pipe: Any) -> Part:
    try:
        return pipe.recv()
    except EOFError:
        return Part("WRONG: its process ended without a word")
