"""`fairshoe status`: show a shoe once: identity, state, cards, warnings, next step."""

from __future__ import annotations

import argparse
import contextlib
import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fairshoe.cli.connection import Connection, json_ready
from fairshoe.client.operation_numbers import Unfinished
from fairshoe.messages import ZONES, State, Status, Welcome
from fairshoe.observe.monitor_view import link_facts, many, meters_facts, round_facts
from fairshoe.observe.observer import Mode, Watch
from fairshoe.observe.snapshot import Snapshot
from fairshoe.printable import say
from fairshoe.text.advice import next_step, warned
from fairshoe.text.describe import words
from fairshoe.text.screen import Screen, waiting
from fairshoe.wear import Trend


def run(options: argparse.Namespace) -> int:
    connection = Connection(options)
    look = Snapshot(connection.port, connection.key(), connection.answer_s)
    with contextlib.ExitStack() as stack:
        with waiting(f"asking {connection.port}"):
            stack.enter_context(look)
        known = look.watch.known
        unfinished = connection.unfinished(known.welcome)
        kept = connection.wear_file(known.welcome)
        if kept is not None and known.meters is not None:
            kept.take(known.meters, known.wear)
        trends = kept.series.trends() if kept is not None else []
        if options.json:
            say(json.dumps(facts(look.watch, unfinished, trends), default=json_ready))
        else:
            _print(look.watch, unfinished, trends)
    return 0


def facts(watch: Watch, unfinished: Unfinished | None, trends: Sequence[Trend] = ()) -> dict[str, Any]:
    """Everything, for a program."""
    known, status = watch.known, watch.known.status
    assert status is not None
    step, warning = next_step(status), warned(status)
    return {
        "port": watch.url,
        "in_session": watch.mode is Mode.LIVE,
        "device": _device(known.welcome) if known.welcome else None,
        "state": status.state.name.lower(),
        "need": status.need.name.lower(),
        "waits_for": step.who,
        "next": step.text,
        "command": step.command.NAME if step.command else None,
        "records_due": [what.name.lower() for what in step.records],
        "positions_due": list(step.positions),
        "deck_next": status.deck_next,
        "cards_in_hopper": bool(status.hopper_seen),
        "warning": _warning(status) if warning else None,
        "round": status.round or None,
        "deck": status.deck or None,
        "positions": status.positions or None,
        "stack": status.stack or None,
        "ledger": {zone: getattr(status, zone) for zone in ZONES},
        "meters": asdict(known.meters) if known.meters else None,
        "wear": [trend.to_json() for trend in trends],
        "journal": {"first": known.journal.first, "last": known.journal.last} if known.journal else None,
        "events_waiting": status.events_waiting,
        "link": {"frames": watch.link.frames, "dropped": watch.link.drops.by_reason(), "sent_again": watch.link.again},
        "unanswered": asdict(unfinished) if unfinished else None,
    }


def _device(welcome: Welcome) -> dict[str, Any]:
    return {
        "id": f"{welcome.device:08x}",
        "firmware": welcome.firmware,
        "game": welcome.game,
        "boot": welcome.boot,
        "mode": welcome.mode.name.lower(),
        "role": welcome.role.name.lower(),
        "has_key": bool(welcome.has_key),
    }


def _warning(status: Status) -> dict[str, str]:
    warning = warned(status)
    assert warning is not None
    return {"name": status.warning.name.lower(), "what": warning.what, "to_do": warning.advice}


def _print(watch: Watch, unfinished: Unfinished | None, trends: Sequence[Trend]) -> None:
    screen = Screen()
    known, status = watch.known, watch.known.status
    assert status is not None
    welcome = known.welcome
    if welcome is not None:
        key = "has a key" if welcome.has_key else "no key"
        text = f"{welcome.device:08x}, firmware {welcome.firmware}, game {welcome.game}, boot {welcome.boot}"
        _row(screen, "device", f"{text}, {words(welcome.mode.name)}, {key}", "bold")
    _row(screen, "state", _state(status), "bad" if status.warning else "good")
    _row(screen, "next", next_step(status).text, "" if next_step(status).machine else "bold")
    warning = warned(status)
    if warning is not None:
        _row(screen, "warning", f"{words(status.warning.name)}: {warning.what}", "bad")
        _row(screen, "to do", warning.advice, "bold")
    zones = [f"{zone} {getattr(status, zone)}" for zone in ZONES if getattr(status, zone)]
    _row(screen, "ledger", ", ".join(zones) or "no cards")
    if known.meters is not None:
        _row(screen, "meters", "; ".join(meters_facts(known.meters)))
    for number, trend in enumerate(trends):
        _row(screen, "" if number else "wear", trend.text, "warn" if trend.worn else "")
    _row(screen, "journal", _journal(watch, status))
    _row(screen, "link", "; ".join(part for part in link_facts(watch) if "for a host" not in part))
    if unfinished is not None:
        text = f"{words(unfinished.command)} (operation {unfinished.op}): ask with `fairshoe command --resume`"
        _row(screen, "unanswered", text, "warn")


def _state(status: Status) -> str:
    text = words(status.state.name)
    if status.state == State.SHUFFLING:
        text += f" {status.elapsed_ds / 10:.0f} of {status.expected_ds / 10:.0f} s"
    return f"{text} ({', '.join(round_facts(status))})"


def _journal(watch: Watch, status: Status) -> str:
    journal = watch.known.journal
    if journal and not journal.last:
        return "no records yet"
    held = f"records {journal.first} to {journal.last}; " if journal else ""
    if journal and journal.first > 1:  # only a log that has come round tells how much fits into it
        held = f"records {journal.first} to {journal.last}, all {journal.last - journal.first + 1} places in use; "
    waiting = status.events_waiting
    return f"{held}{many(waiting, 'event')} wait{'s' if waiting == 1 else ''} for a host that stores them"


def _row(screen: Screen, label: str, text: str, style: str = "") -> None:
    screen.beside(f"{label:11s}", text, style)
