"""What the commands that operate a shoe share: their options, their output, and prompts for the person at the table."""

from __future__ import annotations

import argparse
import contextlib
import os
import select
import sys
from collections.abc import Callable, Generator
from typing import Any

from fairshoe.cli.connection import KEY_HELP, Connection, add_port
from fairshoe.client.notices import LinkBack, LinkLost
from fairshoe.errors import UsageError
from fairshoe.messages import Event, Message
from fairshoe.operate.driver import Driver
from fairshoe.text.screen import Screen, waiting

KEY_NOTE = """\
Commands need the key of the table: --key-file, FAIRSHOE_KEY_FILE or the
settings file. Ctrl-C is safe: the outcome of a command that was interrupted
is asked for with `fairshoe command --resume`.
"""


def add_driving(command: argparse.ArgumentParser, port: bool = True) -> None:
    if port:
        add_port(command)
    command.add_argument("--key-file", metavar="F", help=KEY_HELP)
    command.add_argument("--role", choices=["table", "service"], help="the role to use with a device key (table)")
    command.add_argument("--timeout-s", type=float, metavar="S", help="seconds to wait for an outcome (120)")
    command.add_argument("--json", action="store_true", help="print only the outcome, as JSON")


def add_dealing(command: argparse.ArgumentParser) -> None:
    """The same for a deal to so many positions; PORT and N may each be left out."""
    add_port(command)
    command.add_argument("positions", nargs="?", metavar="N", help="how many positions play; asked for if left out")
    add_driving(command, port=False)
    command.add_argument("--yes", action="store_true", help="send every command without asking")


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
    """Says what to do, and waits for Enter before a command; without questions if told so."""

    def __init__(self, screen: Screen, yes: bool, quiet: bool = False) -> None:
        self._screen = screen
        self._yes = yes
        self._quiet = quiet
        self._typed = b""

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
        """What was typed, once Enter was pressed."""
        if b"\n" not in self._typed and select.select([sys.stdin], [], [], seconds)[0]:
            data = os.read(sys.stdin.fileno(), 256)
            if not data:
                raise UsageError("standard input has ended.", "--yes gives every command without asking.")
            self._typed += data
        if b"\n" not in self._typed:
            return None
        line, _, self._typed = self._typed.partition(b"\n")
        return line.decode("ascii", "replace").strip()


def event_facts(events: list[Event], kind: type[Event]) -> Any:
    """The last event of a kind, if there was one."""
    return next((event for event in reversed(events) if isinstance(event, kind)), None)
