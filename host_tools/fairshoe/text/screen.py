"""Terminal output: scrolling lines above one live line on a terminal, plain lines everywhere else."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Generator
from typing import TextIO

from fairshoe.messages import (
    CommandAccepted,
    CommandEnded,
    DeckRefused,
    DeckVerified,
    Event,
    HeldBack,
    Message,
    Meters,
    Outcome,
    RoundEnded,
    RoundVoided,
    Sealed,
    ShuffleFailed,
    StackOffered,
    Status,
    StubDue,
    WarningCleared,
    WarningLatched,
)
from fairshoe.printable import printable
from fairshoe.text.describe import describe_event, describe_meters, describe_status, progress, words

Span = tuple[str, str]  # text, and the name of a style or nothing
Line = list[Span]

STYLES = {"bad": "\x1b[31m", "good": "\x1b[32m", "warn": "\x1b[33m", "bold": "\x1b[1m", "dim": "\x1b[2m"}
STYLES["title"] = "\x1b[7m"
END = "\x1b[0m"
_BAR = 24
_GOOD = (DeckVerified, StackOffered, RoundEnded, WarningCleared)
_BAD = (DeckRefused, ShuffleFailed, RoundVoided, WarningLatched)
_ASKS = (HeldBack, StubDue)  # a person has to act first
_KINDS = ((_GOOD, "good"), (_BAD, "bad"), (_ASKS, "warn"))
_WIDTH = 20  # characters of a dealer's display


def _bookkeeping(message: Message) -> bool:
    """What is recorded for auditors and programs; that a command was done shows in what it did."""
    done = isinstance(message, CommandEnded) and message.outcome == Outcome.DONE
    return done or isinstance(message, (CommandAccepted, Sealed, Meters))


@contextlib.contextmanager
def waiting(text: str) -> Generator[None]:
    """Show on a terminal what is waited for while the block runs, then erase it."""
    shown = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    if shown:
        print(f"{text} ...", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def style_of(message: Message) -> str:
    """The style of a message: good, bad, or a person has to act first."""
    return next((style for kinds, style in _KINDS if isinstance(message, kinds)), "")


def framed(lines: list[str]) -> list[str]:
    """A display as a picture of one."""
    edge = "+" + "-" * (_WIDTH + 2) + "+"
    return [edge, *(f"| {line:{_WIDTH}s} |" for line in lines), edge]


class Screen:
    """What a person sees. Colour and the live line only on a terminal; NO_COLOR is honoured."""

    def __init__(self, out: TextIO | None = None, story: bool = False) -> None:
        self.out: TextIO = out or sys.stdout
        self.story = story  # only what people at the table notice
        self.live = self.out.isatty() and os.environ.get("TERM") != "dumb"
        self.colour = self.live and not os.environ.get("NO_COLOR")
        self._started = time.monotonic()
        self._line = ""
        self._quarter = 0
        self._state = ""

    def line(self, text: str, style: str = "") -> None:
        """One line that stays; `style` is one of STYLES."""
        if self._line:
            self.out.write("\r\x1b[K")
        self.out.write(self.styled(text, style) + "\n")
        if self._line:
            self.out.write(self._line)
        self.out.flush()

    def styled(self, text: str, style: str) -> str:
        return f"{STYLES[style]}{text}{END}" if style and self.colour else text

    def heading(self, text: str) -> None:
        self.line("")
        self.line(text, "bold")

    def warn(self, text: str) -> None:
        self.line(text, "bad")

    def show(self, message: Message) -> None:
        if self.story and _bookkeeping(message):
            return
        if isinstance(message, Event):
            elapsed = time.monotonic() - self._started
            round_text = f"round {message.round}" if message.round else ""
            text = f"  {elapsed:6.1f} s  #{message.seq:<4d} {round_text:9s} {printable(describe_event(message))}"
            self.line(text, style_of(message))
        elif isinstance(message, Status):
            self._status(message)
        elif isinstance(message, Meters) and message.cards:
            self.line(f"            meters: {describe_meters(message)}", "dim")

    def display(self, lines: list[str]) -> None:
        """What the dealer reads."""
        for line in framed(lines):
            self.line(f"            {line}", "warn")

    def finish(self) -> None:
        """Take the live line away."""
        if self._line:
            self.out.write("\r\x1b[K")
            self.out.flush()
            self._line = ""

    def _status(self, status: Status) -> None:
        share = progress(status)
        if not self.live:
            self._plain(status, share)
            return
        text = describe_status(status)
        if share is not None:
            filled = round(share * _BAR)
            text = f"shuffling [{'#' * filled}{'.' * (_BAR - filled)}] {share:4.0%}  " + text.partition(" ")[2]
        width = shutil.get_terminal_size().columns - 1
        text = f"> {text}"[:width]
        self._line = "\r\x1b[K" + self.styled(text, "warn" if status.warning else "dim")
        self.out.write(self._line)
        self.out.flush()

    def _plain(self, status: Status, share: float | None) -> None:
        """Without a terminal: a line when a shuffle passes another quarter, and when the state changes."""
        if share is None:
            self._quarter = 0
            state = words(status.state.name)
            if state != self._state:
                self._state = state
                self.line(f"            {describe_status(status)}")
        elif int(share * 4) > self._quarter:
            self._quarter = int(share * 4)
            self.line(f"            shuffling {self._quarter * 25} % (by time)")
