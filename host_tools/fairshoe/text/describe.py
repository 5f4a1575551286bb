"""Messages in words: a line for people about an event or a state, and a dump of any message."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from enum import IntEnum
from typing import cast

from fairshoe import messages
from fairshoe.link.halt_report import halt_advice, halt_text
from fairshoe.messages import State
from fairshoe.text.advice import SENSORS, measured, misfit, warned
from fairshoe.text.describe_game import describe_game
from fairshoe.wear import BEAMS

SECRET = "(not_shown)"
FEED_DRIFT_PERCENT = 15  # policy: rollers that need so much longer than when new want cleaning


def words(name: str) -> str:
    return name.replace("_", " ").lower()


HOW = {0: "first", 1: "rotated", 2: "replaced without the old one", 3: "recovered after power was lost"}
DEFECTS = {1: "a record cannot be read", 2: "a hash does not fit", 3: "the log lost its identity"}
CAUSES = {0: "power-on", 1: "watchdog reset", 2: "reset"}
MESSAGE_NAMES = {cls.ID: words(cls.NAME) for cls in messages.ALL}

_NAMES = {cls.ID: cls.NAME for cls in messages.ALL}
_MESSAGE_FIELDS = ("command", "during")  # hold the id of a message
_NO_HALT = ("halted_boot", "halted")
_PREFIX = frozenset(field.name for field in fields(messages.Event))


def describe_event(event: messages.Event) -> str:
    """`stack offered: stack 2, cards 5`; what a game's rules bear on in whole words: text/describe_game.py."""
    if isinstance(event, (messages.CommandAccepted, messages.CommandEnded)):
        return _describe_command(event)
    if isinstance(event, messages.WarningLatched) and event.sensor in SENSORS:
        return _describe_sensor(event)
    if isinstance(event, messages.ShuffleCommitted):
        waits = f", waits up to {event.wait_ds / 10:g} s for the table's nonce" if event.wait_ds else ""
        return f"shuffle committed: commitment {event.commitment.hex()}{waits}"
    if isinstance(event, messages.NotAsConfigured):
        return f"the machine is not as configured: {misfit(event)}"
    if isinstance(event, messages.Serviced):
        how = "replaced" if event.replaced else "cleaned or adjusted"
        return f"serviced: {words(event.part.name)} {how} after {event.cycles:,} decks"
    game_text = describe_game(event)
    if game_text is not None:
        return game_text
    hidden: tuple[str, ...] = _NO_HALT if isinstance(event, messages.Booted) and not event.halted_boot else ()
    if isinstance(event, messages.WarningLatched):
        hidden = ("sensor", "length_um", "card_um")
    names = [f.name for f in fields(event) if f.name not in _PREFIX and f.name not in hidden]
    unknown = messages.UNKNOWN.get(event.NAME, {})
    values = [(name, getattr(event, name)) for name in names]
    parts = [f"{words(name)} unknown" if it == unknown.get(name) else _field(name, it) for name, it in values]
    if isinstance(event, messages.WarningLatched) and event.length_um:
        parts.append(measured(event))
    return words(event.NAME) + (": " + ", ".join(parts) if parts else "")


def _describe_sensor(event: messages.WarningLatched) -> str:
    """`warning latched: NOISE ON throat_a (first throat beam), cards seen 12: check ...`."""
    noise = event.warning == messages.Fault.NOISE
    what = "NOISE ON" if noise else f"{words(event.warning.name)} at"
    text = f"warning latched: {what} {event.sensor.name.lower()} ({SENSORS[event.sensor]}), cards seen"
    return f"{text} {event.cards_seen}: check its cable, connector and shield, and lamps that shine on it"


def _describe_command(event: messages.CommandAccepted | messages.CommandEnded) -> str:
    """`command close betting (table, operation 3): accepted`."""
    name = MESSAGE_NAMES.get(event.command, f"number {event.command}")
    text = f"command {name} ({words(event.role.name)}, operation {event.op}): "
    if isinstance(event, messages.CommandAccepted):
        return text + "accepted"
    if event.outcome == messages.Outcome.FAILED and event.reason == messages.Reason.STATE:
        return text + f"failed, still {words(State(event.detail).name)}"  # something holds it back
    return text + words(event.outcome.name) + describe_reason(event.reason, event.detail)


def describe_reason(reason: messages.Reason, detail: int) -> str:
    """The reason in words; what `detail` means depends on it."""
    if reason == messages.Reason.NONE:
        return ""
    if reason == messages.Reason.WARNING:
        return f", warning {words(messages.Fault(detail).name)}"
    if reason == messages.Reason.STATE:
        return f", not while {words(State(detail).name)}"
    if reason == messages.Reason.NEED:
        return f", {words(messages.Need(detail).name)} first"
    return f", {words(reason.name)}"


def describe(message: messages.Message) -> str:
    """Any message in one line for a person; `dump` leaves nothing out."""
    if isinstance(message, messages.Event):
        return describe_event(message)
    if isinstance(message, messages.Status):
        return describe_status(message)
    if isinstance(message, messages.Halted):
        text = halt_text(message.text)
        return f"could not start: {text}. {halt_advice(text)}"
    return dump(message)


def dump(message: messages.Message, numbers: Mapping[str, int] | None = None) -> str:
    """Name and every field: `deck_verified seq=2 boot=1 ... counted=52`. The same message is always the same text.

    `numbers` has what was sent in enumerated fields (Frame.numbers), for those that have no name here."""
    values = {field.name: getattr(message, field.name) for field in fields(message)}
    if isinstance(message, messages.UnknownMessage):
        return dump_fields(f"unknown_{message.id}", {"class": message.kind, "body": message.body})
    return dump_fields(message.NAME, values, numbers)


def dump_fields(name: str, values: Mapping[str, object], numbers: Mapping[str, int] | None = None) -> str:
    parts = [f"{field}={_dumped(field, value, (numbers or {}).get(field))}" for field, value in values.items()]
    return " ".join([name, *parts])


def _dumped(name: str, value: object, number: int | None) -> str:
    if name == "key" and isinstance(value, bytes):
        return SECRET  # a device key on its way in
    if isinstance(value, IntEnum):
        unnamed = value.name == "UNRECOGNISED" and number is not None
        return f"unrecognised({number})" if unnamed else value.name.lower()
    if name in _MESSAGE_FIELDS and isinstance(value, int):
        return _NAMES.get(value, str(value))
    if isinstance(value, bytes) and name == "text":
        value = value.decode("ascii", "replace")
    if isinstance(value, str):
        return value if value.isprintable() and value and not set(value) & set(' "=') else json.dumps(value)
    return (value.hex() or "-") if isinstance(value, bytes) else str(value)


def describe_status(status: messages.Status, brief: bool = False) -> str:
    """State, counts by zone where there are cards, and a warning with what to do, unless `brief`."""
    text = words(status.state.name)
    if status.state == State.SHUFFLING:
        text += f" {status.elapsed_ds / 10:.0f} of {status.expected_ds / 10:.0f} s"
    zones = [f"{zone} {getattr(status, zone)}" for zone in messages.ZONES if getattr(status, zone)]
    if zones and status.state != State.SHUFFLING:
        text += "  [" + ", ".join(zones) + "]"
    if status.warning:
        text += f"  WARNING {words(status.warning.name)}"
        warning = warned(status)
        waits = (State.WARNING, State.WAITING_FOR_DECK, State.DECK_READY)
        if warning is not None and not brief and status.state in waits:
            text += f": {warning.advice}"
    return text


def describe_meters(meters: messages.Meters) -> str:
    """What maintenance asks first: how much it has done, how often it tried again, whether feeding has slowed down."""
    cards = max(meters.cards, 1)
    parts = [
        f"{meters.cycles} decks, {meters.cards} cards",
        f"{meters.misfeeds * 1000 / cards:.1f} misfeeds and {meters.stalls * 1000 / cards:.1f} stalls per thousand",
        f"{meters.jams} jams, {meters.double_feeds} double feeds",
    ]
    if meters.feed_us_new:
        drift = (meters.feed_us - meters.feed_us_new) * 100 / meters.feed_us_new
        advice = ": clean or replace the rollers" if drift > FEED_DRIFT_PERCENT else ""
        parts.append(f"feed {meters.feed_us / 1000:.0f} ms ({drift:+.0f} % against new{advice})")
    uneasy = {name: getattr(meters, name) for name in BEAMS if getattr(meters, name)}
    if uneasy:
        parts.append("beam glitches: " + ", ".join(f"{words(name)} {count}" for name, count in uneasy.items()))
    return "; ".join(parts)


def progress(status: messages.Status) -> float | None:
    """How far a shuffle is, by time: nothing else about it may be shown."""
    if status.state != State.SHUFFLING or not status.expected_ds:
        return None
    return min(status.elapsed_ds / status.expected_ds, 1.0)


def _field(name: str, value: object) -> str:
    if isinstance(value, messages.Fault):
        return words(value.name)
    if isinstance(value, IntEnum):
        return f"{words(name)} {words(value.name)}"
    if name == "cause" and isinstance(value, int):
        return CAUSES.get(value, f"cause {value}")
    if name == "how" and isinstance(value, int):
        return HOW.get(value, f"how {value}")
    if name == "defect" and isinstance(value, int):
        return DEFECTS.get(value, f"defect {value}")
    if name.endswith("_crc"):
        return f"{words(name)} {value:08x}"
    if name.endswith("_ds") and isinstance(value, int):
        return f"{words(name[:-3])} after {value / 10:g} s"
    if name == "digest":
        return f"digest {value:08x}"
    if name == "command":
        return f"command {MESSAGE_NAMES.get(cast(int, value), value)}"
    if name == "during":
        return f"during {MESSAGE_NAMES.get(cast(int, value), 'no motion')}"
    if isinstance(value, bytes):
        return f"{words(name)} {value.hex()}"
    return f"{words(name)} {value}"
