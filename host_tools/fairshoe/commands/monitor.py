"""`fairshoe monitor`: show what a shoe is doing, live; plain lines when output is not a terminal."""

from __future__ import annotations

import argparse
import contextlib
import json
import time
from collections.abc import Callable, Generator, Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from fairshoe.cli.connection import Connection
from fairshoe.errors import PortBusy, PortLost
from fairshoe.message_data import to_dict
from fairshoe.messages import Event, Message, Meters, Role, Status
from fairshoe.observe.monitor_view import View
from fairshoe.observe.observer import Mode, Watch
from fairshoe.printable import printable, say
from fairshoe.text.describe import describe_event
from fairshoe.text.screen import Screen

DRAW_S = 0.1
HISTORY = 30


def run(options: argparse.Namespace) -> int:
    from fairshoe.text.terminal import Terminal  # only where there are terminals of this kind

    connection = Connection(options)
    key = connection.key(Role.RECORDER if options.host else None)
    as_view = Terminal.fits() and not options.plain and not options.json
    with Watch(
        connection.port,
        key,
        acknowledge=options.host,
        listen=options.listen,
        history=HISTORY if as_view else 0,
    ) as watch:
        watch.open()
        with _log(options.log) as log:
            return _view(watch, options, log) if as_view else _lines(watch, options, log)


@contextlib.contextmanager
def _log(path: str | None) -> Generator[Callable[[Message], None]]:
    """Writes events to a file, if one is named: a line each, with date, time and number."""
    if path is None:
        yield lambda _message: None
        return
    with Path(path).open("a", encoding="utf-8") as file:

        def write(message: Message) -> None:
            if isinstance(message, Event):
                now = datetime.now().astimezone().isoformat(timespec="seconds")
                place = f"round {message.round}  " if message.round else ""
                file.write(f"{now}  #{message.seq}  {place}{printable(describe_event(message))}\n")
                file.flush()

        yield write


def _steps(watch: Watch, options: argparse.Namespace) -> Iterator[list[Message]]:
    """What is new, again and again, as long as it is worth it."""
    heard = time.monotonic()
    while True:
        fresh = watch.step()
        if fresh:
            heard = time.monotonic()
        yield fresh
        if options.once and isinstance(watch.problem, PortBusy):
            raise watch.problem
        if options.once and isinstance(watch.problem, PortLost):
            raise PortLost(f"{watch.url} disappeared.", "Check cable and power; without --once it is tried again.")
        if options.quiet_s is not None and time.monotonic() - heard >= options.quiet_s:
            return


def _view(watch: Watch, options: argparse.Namespace, log: Callable[[Message], None]) -> int:
    from fairshoe.text.terminal import Terminal

    view = View(watch)
    draw_at = 0.0
    with Terminal() as terminal:
        for fresh in _steps(watch, options):
            view.take(fresh)
            for message in fresh:
                log(message)
            typed = terminal.keys()
            if not view.press(typed):
                break
            if typed or time.monotonic() >= draw_at or terminal.size() != terminal.drawn:
                draw_at = time.monotonic() + DRAW_S
                terminal.draw(view.lines(*terminal.size()))
    return 0


def _lines(watch: Watch, options: argparse.Namespace, log: Callable[[Message], None]) -> int:
    screen = Screen()
    was = (watch.mode, _wrong(watch))
    try:
        for fresh in _steps(watch, options):
            now = (watch.mode, _wrong(watch))
            if now != was:
                _tell_change(watch, screen, options.json)
                was = now
            screen.boot_now = watch.known.welcome.boot if watch.known.welcome else 0
            for message in fresh:
                log(message)
                if options.json and isinstance(message, (Event, Meters, Status)):
                    _print_json(to_dict(message))
                elif not options.json:
                    screen.show(message)
    finally:
        screen.finish()
    return 0


def _print_json(data: dict[str, Any]) -> None:
    """One line; `time` is when it was heard, by the clock of this computer."""
    now = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    say(json.dumps({"time": now, **data}), flush=True)


def _wrong(watch: Watch) -> str:
    """What is wrong with the connection, and what to do; nothing while all is well."""
    return str(watch.problem or watch.halted or "")


def _tell_change(watch: Watch, screen: Screen, as_json: bool) -> None:
    """That the port went, or came back; and who is on it."""
    welcome = watch.known.welcome
    device = f"{welcome.device:08x}" if welcome else None
    if as_json:
        if watch.link.reconnects or _wrong(watch):
            what = _wrong(watch) or None
            _print_json({"message": "connection", "state": watch.mode.name.lower(), "what": what})
    elif _wrong(watch):
        screen.line(f"            {_wrong(watch)}", "bad")
    elif watch.mode is Mode.LIVE and welcome is not None:
        screen.line(f"            device {device}, firmware {welcome.firmware}, game {welcome.game}", "bold")
    elif watch.mode is Mode.LISTENING:
        screen.line("            listening only: another host uses the shoe", "dim")
