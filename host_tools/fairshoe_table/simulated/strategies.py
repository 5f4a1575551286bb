"""How simulated players decide: pure functions of what a player sees. docs/TABLE.md has the return of each.

Exact where that is cheap: Double Down Stud looks at all 48 hole cards; Caribbean Stud has the three rules whose return
is 2e-6 of the ante below the best play. The others are short rules with a known return.
"""

from __future__ import annotations

from functools import cache

from fairshoe_table.rules.cards import ACE, DECK, JACK, KING, QUEEN, rank, suit
from fairshoe_table.rules.money import Lose, Push, To
from fairshoe_table.rules.pay_tables import pay_table
from fairshoe_table.rules.poker import Hand, hand_of, qualifies, value5

_DOUBLE_DOWN = pay_table("DDS-10b")
_AKJ83 = value5(ACE * 4, KING * 4 + 1, JACK * 4, 6 * 4, 1 * 4)


@cache
def _net(value: int) -> int:
    """What one unit wins or loses by the table of Double Down Stud."""
    row = _DOUBLE_DOWN.row5(value)
    match row.odds if row is not None else Lose():
        case To(wins=wins):
            return wins
        case Push():
            return 0
        case _:
            return -1


def doubles_down(card: int, community: tuple[int, ...]) -> bool:
    """Whether the hole cards that are left pay more than they cost."""
    first, second, third = community
    known = (card, first, second, third)
    return sum(_net(value5(card, first, second, third, hole)) for hole in DECK if hole not in known) > 0


def raises(own: tuple[int, ...], up: int | None = None) -> bool:
    """Caribbean Stud: every pair; ace-king by three rules if the dealer's up-card is seen, else from A-K-J-8-3."""
    first, second, third, fourth, fifth = own
    value = value5(first, second, third, fourth, fifth)
    if hand_of(value) > Hand.HIGH_CARD:
        return True
    if not qualifies(value):
        return False
    if up is None:
        return value >= _AKJ83
    ranks = sorted((rank(card) for card in own), reverse=True)
    return raises_ace_king(tuple(ranks), rank(up))


def raises_ace_king(ranks: tuple[int, ...], up: int) -> bool:
    """An up-card from 2 to queen that matches; an ace or king with an own queen or jack; no match, an own queen, and an
    up-card below the own fourth card."""
    if up in ranks and up <= QUEEN:
        return True
    if up in (ACE, KING):
        return QUEEN in ranks or JACK in ranks
    return QUEEN in ranks and up not in ranks and up < ranks[3]


def axis(own: tuple[int, ...], top: int, right: int) -> str:
    """Double Cross Poker: raise with a pair, a card that matches an open one, or a queen and better."""
    ranks = [rank(card) for card in own]
    worth = ranks[0] == ranks[1] or max(ranks) >= QUEEN or rank(top) in ranks or rank(right) in ranks
    return better_axis(own, top, right) if worth else "fold"


def better_axis(own: tuple[int, ...], top: int, right: int) -> str:
    """The axis that pairs, else the one with three of a suit, else the one with the higher open card."""
    ranks = [rank(card) for card in own]
    pairing = [open for open in (top, right) if rank(open) in ranks]
    flush = [open for open in (top, right) if suit(open) == suit(own[0]) == suit(own[1])]
    best = max(pairing or flush or (top, right), key=rank)
    return "vertical" if best == top else "horizontal"
