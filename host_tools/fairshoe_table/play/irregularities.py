"""Irregularities that a dealer reports to the shoe, with the clause by which the device judges each of them.

An irregularity becomes a record of the device; what follows from it comes back as an event, and is never inferred here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum

from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import COMMUNITY, DEALER, Misdealt
from fairshoe.messages import What
from fairshoe_table.rules.seats import stack_of

SEATS, DEALERS, COMMON = "seats", "dealer", "community"


class Burned(IntEnum):
    """Why a card went to the rack, as the record `burned` counts it."""

    FINISHED_HAND = 3
    REFUSED = 4


@dataclass(frozen=True)
class Irregularity:
    """One button. `who` lists what may be named: seats, the dealer, the community cards. `deck`: the record names the
    deck in play. `named`: a floorperson decides it, and signs. `b` is the second number of the record where nothing is
    asked for it. Without `what` it becomes no record: only the table has to know it."""

    name: str
    text: str
    clause: str
    what: What | None
    who: tuple[str, ...] = ()
    cards: bool = False
    deck: bool = False
    b: int = 0
    named: bool = False

    def record(self, seats: tuple[int, ...], seat: int | None, cards: int | None, deck: int = 1) -> tuple[int, int]:
        """The two numbers of the record. `seat` is a seat of the table, DEALER or COMMUNITY."""
        if bool(self.who) != (seat is not None) or self.cards != (cards is not None):
            raise UsageError(f"{self.text}: something is missing.", "Choose the seat and the number of cards.")
        if cards is not None and not 0 <= cards <= 52:
            raise UsageError(f"{cards} cards?", "Count them again.")
        if self.deck:
            return deck, self.b
        if seat is None:
            return cards or 0, self.b
        return self._position(seats, seat), self.b if cards is None else cards

    def _position(self, seats: tuple[int, ...], seat: int) -> int:
        if (seat == DEALER and DEALERS in self.who) or (seat == COMMUNITY and COMMON in self.who):
            return seat
        if SEATS not in self.who or seat not in seats:
            raise UsageError(f"{self.text}: seat {seat} has no wager in this round.", f"Seats in play: {seats}.")
        return stack_of(seats)[seat]


def holds(what: What, name: str, text: str, clause: str) -> list[Irregularity]:
    return [
        Irregularity(name, f"{text}: keep these cards", clause, what, deck=True, b=1),
        Irregularity(f"{name}_over", f"{text} is over", clause, what, deck=True),
    ]


def from_profile(clause: Callable[[str], str], misdealt: tuple[str, ...], seen: str) -> tuple[Irregularity, ...]:
    """The buttons for which the device's profile of a game has a rule."""
    whose = "A hand has a wrong number of cards"
    rows = (
        ("misdeal", [Irregularity("misdeal", whose, clause("misdeal"), What.MISDEAL, misdealt, True)]),
        ("face_up", [Irregularity("face_up", "Cards lie face up in shoe or deck", clause("face_up"), What.FACE_UP,
                                  cards=True)]),
        ("drawn_in_error", [Irregularity("drawn_in_error", "A card was drawn in error, unseen",
                                         clause("drawn_in_error"), What.DRAWN_IN_ERROR, cards=True)]),
        ("dispute", holds(What.DISPUTE, "dispute", "Dispute", clause("dispute"))),
        ("exposure", [Irregularity("exposed", seen, clause("exposure"), What.HOLE_CARD_SEEN)]),
        ("stub_count", [Irregularity("stub", "The stub was counted", clause("stub_count"), What.STUB_COUNTED,
                                     cards=True)]),
        ("stub_misdealt", [Irregularity("stub_misdealt", "The stub was counted, and cards were misdealt",
                                        clause("stub_misdealt"), What.STUB_COUNTED, cards=True, b=Misdealt.YES)]),
        ("winner_hold", holds(What.WINNER_HOLD, "winner_hold", "Jackpot paperwork", clause("winner_hold"))),
    )  # fmt: skip
    return tuple(it for rule, buttons in rows if clause(rule) for it in buttons)


def find(buttons: Iterable[Irregularity], name: str) -> Irregularity:
    for it in buttons:
        if it.name == name:
            return it
    raise UsageError(f"this game has no irregularity {name!r}.", "Reload the page.")
