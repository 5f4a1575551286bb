"""Irregularities that a dealer reports to the shoe, with the clause by which the device judges each of them.

An irregularity becomes a record of the device; what follows from it comes back as an event, and is never inferred here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum

from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import COMMUNITY, DEALER, Misdealt
from fairshoe.messages import What
from fairshoe_table.rules.seats import stack_of

SEATS, DEALERS, COMMON = "seats", "dealer", "community"


class _Burned(IntEnum):
    """Why a card went to the rack, as the record `burned` counts it."""

    NEW_SHOE = 1
    FINISHED_HAND = 3
    REFUSED = 4


@dataclass(frozen=True)
class Irregularity:
    """One button. `who` lists what may be named: seats, the dealer, the community cards. `deck`: the record names the
    deck in play. `b` is the second number of the record where nothing is asked for it. Without `what` it becomes no
    record: only the table has to know it."""

    name: str
    text: str
    clause: str
    what: What | None
    who: tuple[str, ...] = ()
    cards: bool = False
    deck: bool = False
    b: int = 0

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


def _poker(code: str, misdeal: str, who: tuple[str, ...], face_up: str, error: str, dispute: str) -> list[Irregularity]:
    return [
        Irregularity("misdeal", "A hand has a wrong number of cards", f"{code}-{misdeal}", What.MISDEAL, who, True),
        Irregularity("face_up", "Cards lie face up in shoe or deck", f"{code}-{face_up}", What.FACE_UP, cards=True),
        Irregularity("drawn_in_error", "A card was drawn in error, unseen", f"{code}-{error}", What.DRAWN_IN_ERROR,
                     cards=True),
        *_holds(What.DISPUTE, "dispute", "Dispute", f"{code}-{dispute}"),
    ]  # fmt: skip


def _holds(what: What, name: str, text: str, clause: str) -> list[Irregularity]:
    return [
        Irregularity(name, f"{text}: keep these cards", clause, what, deck=True, b=1),
        Irregularity(f"{name}_over", f"{text} is over", clause, what, deck=True),
    ]


def _stub(count: str, wrong: str) -> list[Irregularity]:
    return [
        Irregularity("stub", "The stub was counted", count, What.STUB_COUNTED, cards=True),
        Irregularity("stub_misdealt", "The stub was counted, and cards were misdealt", wrong, What.STUB_COUNTED,
                     cards=True, b=Misdealt.YES),
    ]  # fmt: skip


BY_GAME: Mapping[str, tuple[Irregularity, ...]] = {
    "double-down-stud": (
        *_poker("DDS", "11d", (SEATS, COMMON), "11b", "11c", "9d"),
        Irregularity("exposed", "The hole card was seen too early", "DDS-11a", What.HOLE_CARD_SEEN),
    ),
    "boston-5-stud": (
        *_poker("B5", "12d", (SEATS, DEALERS), "12b", "12c", "10g"),
        Irregularity("exposed", "A card of the dealer was seen too early", "B5-12a", What.HOLE_CARD_SEEN),
        *_stub("B5-9e", "B5-7f2"),
        Irregularity("withdrawn", "A player withdraws the second wager", "B5-10c", None, (SEATS,)),
    ),
    "caribbean-stud": (
        *_poker("CS", "13d", (SEATS, DEALERS), "13b", "13c", "10d"),
        Irregularity("exposed", "A hole card was seen before the closing", "CS-13a", What.HOLE_CARD_SEEN),
        *_stub("CS-9f", "CS-7g2"),
        Irregularity("not accepted", "The acceptor took no progressive wager of a seat", "CS-9c", None, (SEATS,)),
        *_holds(What.WINNER_HOLD, "winner_hold", "Jackpot paperwork", "CS-10c"),
    ),
    "double-cross-poker": (
        *_poker("DCP", "12c", (SEATS, COMMON), "12a", "12b", "10h"),
        *_stub("DCP-9d", "DCP-7e2"),
    ),
    "double-attack-blackjack": (
        Irregularity("face_up", "Cards lay face up in the shoe", "DAB-15b", What.FACE_UP, cards=True),
        Irregularity("ten", "A ten was found", "DAB-15c", What.TEN_FOUND, cards=True),
        Irregularity("drawn_in_error", "A card was drawn in error, unseen", "DAB-15d", What.DRAWN_IN_ERROR, cards=True),
        Irregularity("drawn_seen", "A card was drawn in error and seen", "DAB-15f", What.DRAWN_IN_ERROR, cards=True,
                     b=1),
        Irregularity("refused", "A player refuses that card, and gets no more", "DAB-15f", None, (SEATS,)),
        Irregularity("refused_burned", "The dealer cannot use that card either: burn it", "DAB-15f", What.BURNED,
                     cards=True, b=_Burned.REFUSED),
        Irregularity("pat_hand", "A card was drawn on a pat hand: burn it", "DAB-15g", What.BURNED, cards=True,
                     b=_Burned.FINISHED_HAND),
        Irregularity("box_missed", "A box was missed", "DAB-15i", What.BOX_MISSED, (SEATS,), True),
        Irregularity("dealer_short", "The dealer has no first card", "DAB-15e", What.MISDEAL, (DEALERS,), True),
        Irregularity("new_dealer", "A new dealer comes: burn a card", "DAB-7c", What.DEALER_CHANGE),
        Irregularity("burn_missed", "The burn was forgotten", "DAB-15o", What.BURNED, b=_Burned.NEW_SHOE),
        *_holds(What.DISPUTE, "dispute", "Dispute", "DAB-7h"),
    ),
}  # fmt: skip


def find(game: str, name: str) -> Irregularity:
    for it in BY_GAME[game]:
        if it.name == name:
            return it
    raise UsageError(f"{game} has no irregularity {name!r}.", "Reload the page.")
