"""Terminal output: scrolling lines above one live line on a terminal, plain lines everywhere else."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import textwrap
from collections.abc import Generator, Iterable
from datetime import datetime
from typing import TextIO

from fairshoe import messages
from fairshoe.printable import coloured, printable, say
from fairshoe.text.describe import describe_event, describe_meters, describe_status, progress, words
from fairshoe.text.story import hidden, story_text

Span = tuple[str, str]  # text, and the name of a style or nothing
Line = list[Span]

STYLES = {"bad": "\x1b[31m", "good": "\x1b[32m", "warn": "\x1b[33m", "bold": "\x1b[1m", "dim": "\x1b[2m"}
STYLES["title"] = "\x1b[7m"
END = "\x1b[0m"
_BAR = 24
_GOOD = (messages.DeckVerified, messages.StackOffered, messages.RoundEnded, messages.WarningCleared)
_BAD = (messages.DeckRefused, messages.ShuffleFailed, messages.RoundVoided, messages.WarningLatched)
_ASKS = (messages.HeldBack, messages.StubDue)  # a person has to act first
_KINDS = ((_GOOD, "good"), (_BAD, "bad"), (_ASKS, "warn"))
EPOCH_S = 1_577_836_800  # 2020-01-01T00:00:00Z, from which a device counts
SPEED_MAX = 50  # of a simulated shoe that is watched, in times of real time
LATE_S = 5.0
_WIDTH = 20  # characters of a dealer's display
TEXT_WIDTH, TEXT_WIDTH_MIN = 100, 20  # of a text beside its head


@contextlib.contextmanager
def waiting(text: str) -> Generator[None]:
    """Show on a terminal what is waited for while the block runs, then erase it."""
    shown = sys.stderr.isatty() and os.environ.get("TERM", "dumb") != "dumb"
    if shown:
        say(f"{text} ...", end="", file=sys.stderr, flush=True)
    try:
        yield
    finally:
        if shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def style_of(message: messages.Message) -> str:
    """The style of a message: good, bad, or a person has to act first."""
    return next((style for kinds, style in _KINDS if isinstance(message, kinds)), "")


def framed(lines: list[str]) -> list[str]:
    """A display as a picture of one."""
    edge = "+" + "-" * (_WIDTH + 2) + "+"
    return [edge, *(f"| {line:{_WIDTH}s} |" for line in lines), edge]


def shoe_time(event: messages.Event) -> str:
    """When it happened, by the shoe: local time if a host has set its clock, else its boot and the time since."""
    if event.utc_s:
        return datetime.fromtimestamp(event.utc_s + EPOCH_S).astimezone().strftime("%H:%M:%S")
    minutes, seconds = divmod(event.uptime_s, 60)
    return f"b{event.boot} {minutes // 60}:{minutes % 60:02d}:{seconds:02d}"


def came_late(heard: Iterable[tuple[messages.Event, float]]) -> set[int]:
    """Numbers of events that were heard long after they happened, of events with the times at which each was heard, the
    newest first. A shoe keeps what no host has stored, and sends it when one comes; nothing says what time it is there.
    So an event is late if a later one of its boot followed it by far sooner than it happened."""
    least: dict[int, float] = {}
    late: set[int] = set()
    for event, heard_s in heard:
        behind_s = heard_s * SPEED_MAX - event.uptime
        least[event.boot] = min(least.get(event.boot, behind_s), behind_s)
        if behind_s - least[event.boot] > LATE_S:
            late.add(event.seq)
    return late


class Screen:
    """What a person sees. Colour and the live line only on a terminal; NO_COLOR is honoured."""

    def __init__(self, out: TextIO | None = None, story: bool = False, shoe_clock: bool = False) -> None:
        self.out: TextIO = out or sys.stdout
        self.story = story  # only what people at the table notice, without event numbers
        self._since_start = shoe_clock  # times are of one start, to tenths of a second
        self.boot_now = 0  # of the shoe that is heard: an event of an earlier one came late
        self.live = self.out.isatty() and os.environ.get("TERM") != "dumb"
        self.colour = self.live and not os.environ.get("NO_COLOR")
        self._line = ""
        self._quarter = 0
        self._state = ""

    def line(self, text: str, style: str = "", indent: int | None = None, wrap: bool = True) -> None:
        """One line that stays; `style` is one of STYLES. On a terminal it wraps at words, under `indent` columns."""
        if self._line:
            self.out.write("\r\x1b[K")
        for row in self._rows(text, indent) if wrap else [text]:
            self.out.write(self.styled(coloured(row), style) + "\n")
        if self._line:
            self.out.write(self._line)
        self.out.flush()

    def styled(self, text: str, style: str) -> str:
        return f"{STYLES[style]}{text}{END}" if style and self.colour else text

    def beside(self, head: str, text: str, style: str = "") -> None:
        """A head, and text beside it on as many lines as it takes: of the terminal's width, or 100 elsewhere."""
        width = shutil.get_terminal_size().columns - 1 if self.live else len(head) + TEXT_WIDTH
        room = max(min(width - len(head), TEXT_WIDTH), TEXT_WIDTH_MIN)
        for number, row in enumerate(textwrap.wrap(printable(text), room) or [""]):
            self.line((" " * len(head) if number else head) + self.styled(row, style), wrap=False)

    def _rows(self, text: str, indent: int | None) -> list[str]:
        width = shutil.get_terminal_size().columns - 1
        if not self.live or len(text) <= width or "\x1b" in text:
            return [text]
        lead = len(text) - len(text.lstrip())
        hang = min(lead if indent is None else indent, width // 2)
        return textwrap.wrap(text.lstrip(), width, initial_indent=" " * lead, subsequent_indent=" " * hang)

    def heading(self, text: str) -> None:
        self.line("")
        self.line(text, "bold")

    def warn(self, text: str) -> None:
        self.line(text, "bad")

    def show(self, message: messages.Message) -> None:
        if self.story and hidden(message):
            return
        if isinstance(message, messages.Event):
            number = "" if self.story else f"#{message.seq:<5d} "
            round_text = f"round {message.round}" if message.round else ""
            head = f"  {self._when(message):>8s}  {number}{round_text:8s}  "
            text = story_text(message) if self.story else describe_event(message)
            late = "late: " if message.boot < self.boot_now else ""
            self.line(head + late + printable(text), style_of(message), len(head))
        elif isinstance(message, messages.Status):
            self._status(message)
        elif isinstance(message, messages.Meters) and message.cards:
            self.line(f"            meters: {describe_meters(message)}", "dim")

    def _when(self, event: messages.Event) -> str:
        if self._since_start:
            return f"{event.uptime_s // 60}:{event.uptime_s % 60:02d}.{event.uptime_ms // 100}"
        return shoe_time(event)

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

    def _status(self, status: messages.Status) -> None:
        share = progress(status)
        if not self.live:
            self._plain(status, share)
            return
        text = describe_status(status, brief=self.story)
        if share is not None:
            filled = round(share * _BAR)
            text = f"shuffling [{'#' * filled}{'.' * (_BAR - filled)}] {share:4.0%}  " + text.partition(" ")[2]
        width = shutil.get_terminal_size().columns - 1
        text = textwrap.shorten(f"> {text}", width, placeholder=" ...") if len(text) + 2 > width else f"> {text}"
        self._line = "\r\x1b[K" + self.styled(printable(text), "warn" if status.warning else "dim")
        self.out.write(self._line)
        self.out.flush()

    def _plain(self, status: messages.Status, share: float | None) -> None:
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
