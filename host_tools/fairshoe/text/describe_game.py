"""Events of a game in words: what happened, by which rule, and what follows from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from fairshoe import messages
from fairshoe.games.record_kinds import describe_record
from fairshoe.text.advice import WORDS

UNKNOWN_U8, UNKNOWN_U16 = 0xFF, 0xFFFF

# For the hands first, then for the cards.
CONSEQUENCES: dict[str, str] = WORDS["consequences"]

# What was refused, and what it waits for.
NEEDS: dict[str, str] = WORDS["needs"]
_ANSWERS = {
    messages.Answer.NONE: "no answer",
    messages.Answer.NO_BLACKJACK: "no blackjack",
    messages.Answer.BLACKJACK: "blackjack",
    messages.Answer.FAULT: "cannot be trusted; play goes on without it",
}
_NTH = {1: "first", 2: "second"}


def rule(clause: str) -> str:
    """The clause of the game's rules that asks for it; without one the house decides."""
    return "house policy" if clause == "HOUSE" else f"rule {clause}"


def consequence(value: messages.Consequence) -> str:
    return CONSEQUENCES.get(value.name.lower(), value.name.lower().replace("_", " "))


def need(value: messages.Need, in_round: bool = False) -> str:
    if value == messages.Need.STUB_COUNT and in_round:
        return "end of the round refused: stub count due"
    return NEEDS.get(value.name.lower(), f"refused: {value.name.lower().replace('_', ' ')}")


def describe_game(event: messages.Event) -> str | None:
    """None for events that are not about a game."""
    describer = _DESCRIBERS.get(type(event))
    return describer(event) if describer else None


def _round_voided(event: messages.RoundVoided) -> str:
    why = "" if event.warning == messages.Fault.NONE else f" ({_fault(event.warning)})"
    text = f"round {event.round} void by {rule(event.clause)}{why}: {consequence(event.consequence)}"
    if event.consequence == messages.Consequence.ALL_VOID_BUT_COMPLETE:
        text += f": {_positions(event.hands_kept)}"
    if event.cards_out == UNKNOWN_U16:
        return text + "; where the cards are is not known"
    return text + f"; {_stacks(event.stacks_taken)} taken, {event.cards_out} cards out, {event.cards_inside} inside"


def _positions(mask: int) -> str:
    if mask == UNKNOWN_U16:
        return "whose is not known"
    found = [str(i + 1) for i in range(16) if mask >> i & 1]
    return f"position{'s' if len(found) != 1 else ''} {', '.join(found) or 'none'}"


def _recorded(event: messages.Recorded) -> str:
    text = f"recorded: {describe_record(event.what, event.a, event.b)}"
    follows = consequence(event.consequence)
    return f"{text}; by {rule(event.clause)}{': ' + follows if follows else ''}"


def _held_back(event: messages.HeldBack) -> str:
    return f"{need(event.need, event.round != 0)}, {rule(event.clause)}"


def _stub_due(event: messages.StubDue) -> str:
    return f"stub count due at the end of this round, {rule(event.clause)}: it is round {event.rounds} without one"


def _betting_closed(event: messages.BettingClosed) -> str:
    return f"betting closed for the {_NTH.get(event.closing, f'{event.closing}th')} time, {rule(event.clause)}"


def _lockout(event: messages.LockoutConfirmed) -> str:
    reported = event.accepted != UNKNOWN_U16
    counts = f"{event.accepted} wagers, {event.collected} chips" if reported else "wagers and chips not reported"
    return f"lock-out confirmed, {rule(event.clause)}: {counts}"


def _cover_all(event: messages.CoverAll) -> str:
    shown = f"the column for {event.column} is shown" if event.column else "there is no column for that number"
    return f"Cover All, {rule(event.clause)}: {event.hands} hands, {shown}"


def _deck_refused(event: messages.DeckRefused) -> str:
    counts = f"{event.counted} cards counted, {event.expected} expected"
    if event.swept != event.counted:
        counts += f", {event.swept} at the second count"
    return f"deck refused by {rule(event.clause)}: {counts}; {consequence(event.consequence)}"


def _shuffle_failed(event: messages.ShuffleFailed) -> str:
    return f"shuffle failed ({_fault(event.warning)}), {rule(event.clause)}: {consequence(event.consequence)}"


def _deck_removed(event: messages.DeckRemoved) -> str:
    cards = {0: "no cards left inside", UNKNOWN_U16: "cards not counted"}.get(event.counted, f"{event.counted} cards")
    follows = consequence(event.consequence)
    return f"deck put out: {cards}, {rule(event.clause)}{': ' + follows if follows else ''}"


def _round_started(event: messages.RoundStarted) -> str:
    count = event.positions
    seats = f"{count} position{'s' if count != 1 else ''}" if count else "positions not set"
    return f"round started: {event.game}, {seats}"


def _round_ended(event: messages.RoundEnded) -> str:
    text = f"round ended: {_stacks(event.stacks)}, {event.dealt} cards dealt, remainder {event.remainder}"
    if event.stub != UNKNOWN_U16:
        text += f", stub {event.stub}"
    return text + (f", counted {event.stub_counted}" if event.stub_counted != UNKNOWN_U16 else "")


def _cards_odd(event: messages.CardsOdd) -> str:
    follows = consequence(event.consequence)
    return f"{_fault(event.warning)}, number {event.found} of this deck, {rule(event.clause)}: {follows}"


def _hole_card(event: messages.HoleCardRead) -> str:
    return f"hole-card reader, {rule(event.clause)}: {_ANSWERS.get(event.answer, 'no answer')}"


def _stacks(count: int) -> str:
    return "stacks not known" if count == UNKNOWN_U8 else f"{count} stack{'s' if count != 1 else ''}"


def _fault(fault: messages.Fault) -> str:
    return fault.name.lower().replace("_", " ")


_DESCRIBERS: dict[type[messages.Event], Callable[[Any], str]] = cast(
    dict[type[messages.Event], Callable[[Any], str]],
    {
        messages.RoundStarted: _round_started,
        messages.RoundEnded: _round_ended,
        messages.RoundVoided: _round_voided,
        messages.Recorded: _recorded,
        messages.HeldBack: _held_back,
        messages.StubDue: _stub_due,
        messages.BettingClosed: _betting_closed,
        messages.LockoutConfirmed: _lockout,
        messages.CoverAll: _cover_all,
        messages.DeckRefused: _deck_refused,
        messages.DeckRemoved: _deck_removed,
        messages.ShuffleFailed: _shuffle_failed,
        messages.CardsOdd: _cards_odd,
        messages.HoleCardRead: _hole_card,
    },
)
