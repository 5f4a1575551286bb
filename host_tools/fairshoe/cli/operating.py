"""What the commands that operate a shoe share: their options, their output, and prompts for the person at the table."""

from __future__ import annotations

import argparse
import contextlib
import os
import queue
import sys
import threading
from collections.abc import Callable, Generator
from typing import Any

from fairshoe.cli.connection import Connection
from fairshoe.client.notices import LinkBack, LinkLost
from fairshoe.errors import UsageError
from fairshoe.messages import Event, Message
from fairshoe.operate.driver import Driver
from fairshoe.text.screen import Screen, waiting


def positions_of(options: argparse.Namespace) -> int:
    """How many positions; a number alone is no port."""
    if options.positions is None and options.port is not None and options.port.isdigit():
        options.port, options.positions = None, options.port
    if options.positions is None:
        return 0
    if not options.positions.isdigit() or not 0 < int(options.positions) < 256:
        raise UsageError(f"{options.positions!r} is no number of positions.", "For example: fairshoe deal 5.")
    return int(options.positions)


@contextlib.contextmanager
def driver_of(options: argparse.Namespace) -> Generator[tuple[Driver, Screen]]:
    """An open shoe under commands, whose events and states are shown as they come."""
    connection = Connection(options)
    screen = Screen(story=True)

    def show(message: Message) -> None:
        if not options.json:
            screen.show(message)

    def lost(_notice: LinkLost) -> None:
        screen.line("            the shoe cannot be reached: check cable and power; it is tried again", "bad")

    with waiting(f"asking {connection.port}"):
        opened = connection.open_to_command()
    with opened as shoe:
        if not options.json:
            shoe.on(LinkLost, lost)
            shoe.on(LinkBack, lambda _notice: screen.line("            the shoe is back", "good"))
        try:
            yield Driver(shoe, connection.timeout_s, show, show), screen
        finally:
            screen.finish()


class AtTheKeyboard:
    """Says what to do, and waits for Enter before a command; asks nothing with --yes."""

    def __init__(self, screen: Screen, yes: bool, quiet: bool = False) -> None:
        self._screen = screen
        self._yes = yes
        self._quiet = quiet
        self._typed: queue.SimpleQueue[str | None] | None = None  # None at its end

    def tell(self, text: str) -> None:
        if not self._quiet:
            self._screen.line(f"         -> {text}", "bold")

    def confirm(self, text: str, still: Callable[[], bool]) -> bool:
        if self._yes:
            return True
        self.tell(f"{text}; press Enter")
        while still():
            if self._line() is not None:
                return True
        return False

    def number(self, text: str) -> int:
        if self._yes:
            raise UsageError(text, "Give the number on the command line.")
        while True:
            self.tell(text)
            line = None
            while line is None:
                line = self._line(0.5)
            if line.isdigit() and int(line) > 0:
                return int(line)

    def _line(self, seconds: float = 0.0) -> str | None:
        """The next line that was typed; None if Enter was not pressed yet."""
        if self._typed is None:
            self._typed = queue.SimpleQueue()
            threading.Thread(target=_read_lines, args=(sys.stdin.fileno(), self._typed), daemon=True).start()
        try:
            line = self._typed.get(timeout=seconds) if seconds else self._typed.get_nowait()
        except queue.Empty:
            return None
        if line is None:
            raise UsageError("standard input has ended.", "--yes gives every command without asking.")
        return line


def _read_lines(stdin: int, lines: queue.SimpleQueue[str | None]) -> None:
    """In a thread: select cannot wait for a keyboard on Windows. Not by sys.stdin, whose lock would hang the exit."""
    typed = b""
    while data := os.read(stdin, 256):
        *whole, typed = (typed + data).split(b"\n")
        for line in whole:
            lines.put(line.decode("ascii", "replace").strip())
    lines.put(None)


def event_facts(events: list[Event], kind: type[Event]) -> Any:
    """The last event of a kind, if there was one."""
    return next((event for event in reversed(events) if isinstance(event, kind)), None)
