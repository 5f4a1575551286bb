"""Show a bench run on a terminal: a line for every step, highlighted prompts, and one live line with a progress bar."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TextIO

from fairshoe.bench.plan import Step
from fairshoe.bench.report_file import FAILED, NOT_APPLICABLE, PASSED, StepResult
from fairshoe.bench.run import Watcher
from fairshoe.messages import Message, Status
from fairshoe.printable import printable
from fairshoe.text.describe import describe_status

_RED, _GREEN, _YELLOW, _BOLD, _DIM, _END = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[1m", "\x1b[2m", "\x1b[0m"
_MARKS = {PASSED: ("passed", _GREEN), FAILED: ("FAILED", _RED), NOT_APPLICABLE: ("n/a", _DIM)}
_BAR = 20


class BenchScreen(Watcher):
    """Colour and the live line only on a terminal; NO_COLOR is honoured. Elsewhere plain lines."""

    def __init__(self, out: TextIO | None = None, simulated: bool = False) -> None:
        self.out = out or sys.stdout
        self.simulated = simulated  # times are those of a simulated shoe, and not of this computer
        self.live = self.out.isatty() and os.environ.get("TERM") != "dumb"
        self.colour = self.live and not os.environ.get("NO_COLOR")
        self._line = ""
        self._title = ""
        self._part = ""
        self._status = ""
        self._done = self._total = 0

    def line(self, text: str, colour: str = "") -> None:
        """One line that stays."""
        self._erase()
        text = printable(text)  # titles and reasons may be those of a foreign plan or device
        self.out.write((f"{colour}{text}{_END}" if colour and self.colour else text) + "\n")
        self._draw()
        self.out.flush()

    def heading(self, text: str) -> None:
        self.line(text, _BOLD)

    def prompt(self, text: str) -> None:
        """What the technician is to do now."""
        self.line(f"  >> {text}", _BOLD + _YELLOW)

    def answered(self) -> None:
        """Enter has moved the cursor to a new line, below the live one."""
        if self._line:
            self.out.write("\x1b[A")
            self._redraw()

    def part(self, text: str) -> None:
        """How far the step is."""
        self._part = text
        if self.live:
            self._redraw()
        else:
            self.line(f"       {text}")

    def watch(self, message: Message) -> None:
        if self.live and isinstance(message, Status):
            self._status = describe_status(message)
            self._redraw()

    def begin(self, number: int, total: int, step: Step) -> None:
        self._done, self._total, self._title, self._part = number - 1, total, step.title, ""
        if self.live:
            self._redraw()
        else:
            self.line(f"[{number}/{total}] {step.title}")

    def end(self, number: int, total: int, result: StepResult) -> None:
        word, colour = _MARKS.get(result.status, (result.status.replace("_", " "), _YELLOW))
        self._done = number
        clock = " simulated" if self.simulated else ""
        seconds = f"  {result.seconds:.0f} s{clock}" if result.seconds else ""
        self.line(f"{number:3d}/{total} {word:6s}  {result.title}{seconds}", colour)
        if result.reason:
            self.line(f"               {result.reason}", colour if result.status == FAILED else _DIM)

    def finish(self) -> None:
        """Take the live line away."""
        self._erase()
        self._line = ""
        self._total = 0
        self.out.flush()

    def verdict(self, verdict: str, reason: str) -> None:
        self.finish()
        self.line(f"{verdict.upper()}: {reason}", {PASSED: _GREEN, FAILED: _RED}.get(verdict, _YELLOW) + _BOLD)

    def _redraw(self) -> None:
        self._erase()
        self._draw()
        self.out.flush()

    def _draw(self) -> None:
        if not self.live or not self._total:
            return
        filled = self._done * _BAR // self._total
        parts = [part for part in (self._part, self._status) if part]
        text = f"[{'#' * filled}{'.' * (_BAR - filled)}] {self._title}" + (": " + ", ".join(parts) if parts else "")
        self._line = printable(text)[: shutil.get_terminal_size().columns - 1]
        self.out.write(f"{_DIM}{self._line}{_END}" if self.colour else self._line)

    def _erase(self) -> None:
        if self._line:
            self.out.write("\r\x1b[K")
            self._line = ""
