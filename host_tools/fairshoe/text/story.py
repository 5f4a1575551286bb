"""One event as a sentence for people at a table. Events that only auditors and programs need give nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from fairshoe import messages
from fairshoe.text.advice import WARNINGS, measured
from fairshoe.text.describe import CAUSES, MESSAGE_NAMES, describe_event, describe_reason, words
from fairshoe.text.describe_game import UNKNOWN_U16

# Recorded for audits, or said again by the event that follows.
_HIDDEN = (
    messages.ClockSet,
    messages.CommandAccepted,
    messages.GreenPressed,
    messages.Meters,
    messages.ReleaseStarted,
    messages.Sealed,
    messages.ShuffleCommitted,
    messages.ShuffleNonce,
    messages.StackStarted,
)


def hidden(message: messages.Message) -> bool:
    """Whether a story leaves this message out. That a command was done shows in the events it caused."""
    return isinstance(message, _HIDDEN) or (
        isinstance(message, messages.CommandEnded) and message.outcome == messages.Outcome.DONE
    )


def story_text(event: messages.Event) -> str:
    """`stack 2 is ready: 5 cards`. Events without a sentence of their own read as in the monitor."""
    describer = _DESCRIBERS.get(type(event))
    return describer(event) if describer else describe_event(event)


def cards(count: int) -> str:
    return f"{count} card{'' if count == 1 else 's'}"


def _booted(event: messages.Booted) -> str:
    if event.halted_boot:
        return describe_event(event)
    return f"started ({CAUSES.get(event.cause, 'cause not known')}), firmware {event.firmware}"


def _empty(event: messages.EmptyProved) -> str:
    return f"proved empty: {event.slots_swept} slots searched" if event.slots_swept else "proved empty"


def _latched(event: messages.WarningLatched) -> str:
    known = WARNINGS.get(event.warning)
    if known is None or event.sensor != messages.Sensor.NONE:
        return describe_event(event)
    counted = f" ({event.cards_seen} seen)" if event.warning == messages.Fault.MISMATCH else ""
    length = f"; {measured(event)}" if event.length_um else ""
    return f"STOPPED, {words(event.warning.name)}: {known.what}{counted}{length}. To do: {known.advice}"


def _ended(event: messages.CommandEnded) -> str:
    name = MESSAGE_NAMES.get(event.command, f"number {event.command}")
    return f"command {name}: {words(event.outcome.name)}{describe_reason(event.reason, event.detail)}"


def _verified(event: messages.DeckVerified) -> str:
    text = f"deck verified: {cards(event.counted)}"
    text += ", counted twice" if event.swept == event.counted else ""
    return text + _retries(event.misfeeds, event.stalls)


def _offered(event: messages.StackOffered) -> str:
    name = f"stack {event.stack} is ready" if event.stack else "extra card is ready"
    return f"{name}: {cards(event.cards)}" + _retries(event.misfeeds, event.stalls)


def _retries(misfeeds: int, stalls: int) -> str:
    parts = [f", {misfeeds} misfeed{'' if misfeeds == 1 else 's'}"] if misfeeds else []
    parts += [f", {stalls} stall{'' if stalls == 1 else 's'}"] if stalls else []
    return "".join(parts)


def _remainder_taken(event: messages.RemainderTaken) -> str:
    return "rest taken" if event.counted == UNKNOWN_U16 else f"rest taken: {cards(event.counted)}"


def _shuffle_started(event: messages.ShuffleStarted) -> str:
    return f"shuffle started: {cards(event.expected)} expected, {event.report_ds / 10:g} s"


def _loaded(event: messages.DeckLoaded) -> str:
    return f"deck loaded: {cards(event.expected)} expected"


def _removal(_event: messages.RemovalStarted) -> str:
    return "putting out all cards"


def _taken(event: messages.StackTaken) -> str:
    return f"stack {event.stack} taken" if event.stack else "extra card taken"


def _released(event: messages.RemainderReleased) -> str:
    return f"rest put out: {cards(event.counted)}, {event.expected} expected"


def _round_started(event: messages.RoundStarted) -> str:
    count = event.positions
    return "round started" + (f": {count} position{'' if count == 1 else 's'}" if count else "")


def _round_ended(event: messages.RoundEnded) -> str:
    if event.stub != event.remainder or UNKNOWN_U16 in (event.dealt, event.remainder):
        return describe_event(event)
    stacks = f"{event.stacks} stack{'' if event.stacks == 1 else 's'}"
    return f"round ended: {stacks}, {cards(event.dealt)} dealt, {event.remainder} left"


_DESCRIBERS: dict[type[messages.Event], Callable[[Any], str]] = cast(
    dict[type[messages.Event], Callable[[Any], str]],
    {
        messages.Booted: _booted,
        messages.EmptyProved: _empty,
        messages.WarningLatched: _latched,
        messages.CommandEnded: _ended,
        messages.ShuffleStarted: _shuffle_started,
        messages.DeckVerified: _verified,
        messages.DeckLoaded: _loaded,
        messages.RemovalStarted: _removal,
        messages.StackOffered: _offered,
        messages.StackTaken: _taken,
        messages.RemainderReleased: _released,
        messages.RemainderTaken: _remainder_taken,
        messages.RoundStarted: _round_started,
        messages.RoundEnded: _round_ended,
    },
)
