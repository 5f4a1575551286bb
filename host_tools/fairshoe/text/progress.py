"""Progress of a long task: one changing line on a terminal, an occasional line elsewhere."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TextIO

from fairshoe.printable import printable

_BAR = 24
EVERY_S = 2.0  # without a terminal
QUIET_S = 1.0  # a count that is done by then is not shown


class Progress:
    """Writes to standard error, so that what a command prints stays clean."""

    def __init__(self, out: TextIO | None = None) -> None:
        self._out = out or sys.stderr
        self._live = self._out.isatty() and os.environ.get("TERM") != "dumb"
        self._shown = False
        self._next = 0.0

    def say(self, text: str) -> None:
        """A line that stays."""
        self.finish()
        print("\n".join(map(printable, text.split("\n"))), file=self._out, flush=True)

    def at(self, what: str, done: int, total: int) -> None:
        what = printable(what)
        share = done / total if total else 1.0
        now = time.monotonic()
        if self._live:
            filled = round(share * _BAR)
            self._out.write(f"\r\x1b[K  [{'#' * filled}{'.' * (_BAR - filled)}] {share:4.0%}  {what}")
            self._shown = True
            self._out.flush()
        elif now >= self._next or done == total:
            self._next = now + EVERY_S
            print(f"  {share:4.0%}  {what}", file=self._out, flush=True)

    def finish(self) -> None:
        """Take the changing line away."""
        if self._shown:
            self._out.write("\r\x1b[K")
            self._out.flush()
            self._shown = False


def counting(what: str) -> Callable[[int, int], None]:
    """Shows how many are done, and of how many, once that has taken a while."""
    progress, begun = Progress(), time.monotonic()

    def show(done: int, total: int) -> None:
        if time.monotonic() - begun >= QUIET_S:
            progress.at(f"{what} {done} of {total}", done, total)
        if done == total:
            progress.finish()

    return show
