"""Double Down Stud: one card each and four in common; a pay table, no dealer's hand."""

from __future__ import annotations

from dataclasses import dataclass

from fairshoe.errors import UsageError
from fairshoe_table.play.options import DoubleDownOptions
from fairshoe_table.rules.ledger import Line, Wager
from fairshoe_table.rules.line_shapes import Void, by_row, limit, staked, void_line
from fairshoe_table.rules.poker import value5
from fairshoe_table.rules.seats import settle_order

CAPPED = frozenset({Wager.ORIGINAL, Wager.DOUBLE_DOWN})


@dataclass(frozen=True)
class Area:
    """One betting area. `double` is None until the second closing of bets, 0 without a double down wager."""

    seat: int
    original: int
    card: int | None = None
    double: int | None = None
    owner: str = ""

    def check(self, options: DoubleDownOptions) -> None:
        if not options.minimum <= self.original <= options.maximum:
            raise UsageError(f"seat {self.seat}: a wager of {self.original} cents is outside the limits.", "Return it.")
        if self.double is not None and not 0 <= self.double <= self.original:
            raise UsageError(
                f"seat {self.seat}: a double down wager of {self.double} cents exceeds the original (DDS 1).",
                f"At most {self.original} cents.",
            )


@dataclass(frozen=True)
class Round:
    """`community`: the hole card first, then the three cards that lie face up; without the hole card before it is
    turned over."""

    areas: tuple[Area, ...]
    community: tuple[int, ...] = ()
    void: Void | None = None


def settle(round: Round, options: DoubleDownOptions) -> list[Line]:
    """From the far right, counterclockwise (DDS 9(a)); nothing before the hole card is turned over."""
    order = settle_order(round.areas)
    if round.void is not None:
        return staked(line for area in order for line in _returned(area, round.void.clause))
    if len(round.community) != 4 or any(area.card is None or area.double is None for area in order):
        return []
    lines = [line for area in order for line in _area(area, round.community, options)]
    return limit(staked(lines), CAPPED, options.cap, "DDS 10(c)")


def _returned(area: Area, clause: str) -> list[Line]:
    return [
        void_line(area.seat, Wager.ORIGINAL, area.original, clause),
        void_line(area.seat, Wager.DOUBLE_DOWN, area.double or 0, clause),
    ]


def _area(area: Area, community: tuple[int, ...], options: DoubleDownOptions) -> list[Line]:
    assert area.card is not None
    row = options.pays.row5(value5(area.card, *community))
    pays = ("DDS 9, 10(b)", options.rounding)
    return [
        by_row(area.seat, Wager.ORIGINAL, area.original, row, *pays),
        by_row(area.seat, Wager.DOUBLE_DOWN, area.double or 0, row, *pays),
    ]
