"""Double Cross Poker: two own cards and one axis of a cross of five, against the dealer's better axis."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fairshoe.errors import UsageError
from fairshoe_table.play.options import DoubleCrossOptions
from fairshoe_table.rules.ledger import Line, Outcome, Wager
from fairshoe_table.rules.line_shapes import Void, by_row, limit, lost, pushed, staked, void_line, won
from fairshoe_table.rules.money import DOLLAR, To
from fairshoe_table.rules.poker import describe5, hand3, value5
from fairshoe_table.rules.seats import settle_order

CAPPED = frozenset({Wager.RAISE_1, Wager.RAISE_2})
EVEN = To(1)
# Community cards in the order of the deal: the row from the dealer's left, then the top (farthest from the dealer) and
# the bottom of the middle card (DCP 7(c)(3), ruling `dcp-top`).
LEFT, CENTRE, RIGHT, TOP, BOTTOM = range(5)


class Axis(Enum):
    """Which three community cards a hand uses."""

    VERTICAL = (TOP, CENTRE, BOTTOM)
    HORIZONTAL = (LEFT, CENTRE, RIGHT)


@dataclass(frozen=True)
class Hand:
    """`exposed`: None until the three-card wager is decided. `raised`: None until the player has decided, False after a
    fold; then `axis` is where both raises lie."""

    seat: int
    ante: int
    bonus: int = 0
    cards: tuple[int, ...] = ()
    exposed: bool | None = None
    raised: bool | None = None
    axis: Axis | None = None

    @property
    def bonus_open(self) -> bool:
        """The three-card wager is not resolved: not decided, or exposed cards that are not entered yet."""
        return bool(self.bonus) and (self.exposed is None or (self.exposed and not self.cards))

    def check(self, options: DoubleCrossOptions) -> None:
        if not options.minimum <= self.ante <= options.maximum:
            raise UsageError(f"seat {self.seat}: an ante of {self.ante} cents is outside the limits.", "Return it.")
        if self.bonus and not DOLLAR <= self.bonus <= 100 * DOLLAR:
            raise UsageError(f"seat {self.seat}: a three-card wager of {self.bonus} cents (DCP 6(d)).", "$1 to $100.")
        if self.raised and self.axis is None:
            raise UsageError(
                f"seat {self.seat}: a raise without an axis (DCP 10(c)(2)).", "Ask: vertical or horizontal?"
            )


@dataclass(frozen=True)
class Round:
    """A community card is None until it is turned over: first the top and the right one, then the other three."""

    hands: tuple[Hand, ...]
    dealer: tuple[int, ...] = ()
    community: tuple[int | None, ...] = (None,) * 5
    void: Void | None = None

    @property
    def complete(self) -> bool:
        return len(self.dealer) == 2 and None not in self.community


def axis_cards(community: tuple[int | None, ...], axis: Axis) -> tuple[int, int, int]:
    found = [community[place] for place in axis.value]
    one, two, three = found
    if one is None or two is None or three is None:
        raise UsageError("a community card is not turned over yet.", "Enter all five first.")
    return one, two, three


def _value(own: tuple[int, ...], community: tuple[int | None, ...], axis: Axis) -> int:
    one, two = own
    return value5(one, two, *axis_cards(community, axis))


def dealers_axis(round: Round) -> Axis:
    """The alignment that yields the higher hand (DCP 10(e)); vertical if both are equal."""
    return max(Axis, key=lambda axis: _value(round.dealer, round.community, axis))


def settle(round: Round, options: DoubleCrossOptions) -> list[Line]:
    """Three-card wagers first (losers, then winners, DCP 10(a)), folds, then the rest from the far right."""
    order = settle_order(round.hands)
    if round.void is not None:
        return staked(line for hand in order for line in _returned(hand, round.void.clause))
    bonuses = [line for hand in order if hand.bonus for line in _bonus(hand, round, options)]
    bonuses.sort(key=lambda line: line.outcome is Outcome.WIN)
    if any(hand.bonus_open for hand in order):
        return []
    folds = [lost(hand.seat, Wager.ANTE, hand.ante, "DCP 10(c)(1)", "fold") for hand in order if hand.raised is False]
    decided = round.complete and all(hand.raised is not None for hand in order)
    ready = decided and all(len(hand.cards) == 2 for hand in order if hand.raised)
    final = [line for hand in order if ready and hand.raised for line in _final(hand, round, options)]
    return staked([*bonuses, *folds, *limit(final, CAPPED, options.cap, "DCP 11(d)")])


def _bonus(hand: Hand, round: Round, options: DoubleCrossOptions) -> list[Line]:
    top = round.community[TOP]
    if hand.bonus_open or (hand.exposed and top is None):
        return []
    if not hand.exposed or top is None:
        return [lost(hand.seat, Wager.BONUS, hand.bonus, "DCP 10(a)", "not exposed")]
    one, two = hand.cards
    row = options.three_pays.row3(hand3(one, two, top))
    return [by_row(hand.seat, Wager.BONUS, hand.bonus, row, "DCP 10(a), 11(c)", options.rounding)]


def _returned(hand: Hand, clause: str) -> list[Line]:
    raised = hand.ante if hand.raised else 0
    return [
        void_line(hand.seat, Wager.BONUS, hand.bonus, clause),
        void_line(hand.seat, Wager.ANTE, hand.ante, clause),
        void_line(hand.seat, Wager.RAISE_1, raised, clause),
        void_line(hand.seat, Wager.RAISE_2, raised, clause),
    ]


def _final(hand: Hand, round: Round, options: DoubleCrossOptions) -> list[Line]:
    if hand.axis is None:
        raise UsageError(f"seat {hand.seat}: a raise without an axis.", "Enter vertical or horizontal.")
    mine = _value(hand.cards, round.community, hand.axis)
    dealers = _value(round.dealer, round.community, dealers_axis(round))
    wagers = (Wager.ANTE, Wager.RAISE_1, Wager.RAISE_2)
    if mine < dealers:
        why = f"{describe5(dealers)} beats {describe5(mine)}"
        return [lost(hand.seat, wager, hand.ante, "DCP 10(g)(2)", why) for wager in wagers]
    if mine == dealers:
        return [pushed(hand.seat, wager, hand.ante, "DCP 10(g)(3)") for wager in wagers]
    why = f"{describe5(mine)} beats {describe5(dealers)}"
    row = options.raise_pays.row5(mine)
    return [
        won(hand.seat, Wager.ANTE, hand.ante, EVEN, "DCP 10(g)(3)", why),
        by_row(hand.seat, Wager.RAISE_1, hand.ante, row, "DCP 11(b)", options.rounding),
        by_row(hand.seat, Wager.RAISE_2, hand.ante, row, "DCP 11(b)", options.rounding),
    ]
