"""Poker hands of five and of three cards, and blackjack totals.

Five cards: two table lookups, one by the ranks of a suited hand and one by the product of a prime for each rank.
`value5` orders all hands: more is better, equal is a tie, suits never break one. Ruling `groups-first`: groups of equal
ranks are compared before single cards.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import IntEnum
from itertools import combinations, combinations_with_replacement
from math import prod
from typing import NamedTuple

from fairshoe_table.rules.cards import ACE, JACK, KING, RANK_NAMES


class Hand(IntEnum):
    """Five-card hands (DDS 5(b), B5 5(b), CS 5(b), DCP 5(b)), from the lowest."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    ROYAL_FLUSH = 9

    def __str__(self) -> str:
        return self.name.replace("_", " ").lower()


class Hand3(IntEnum):
    """Three-card hands (B5 5(d), DCP 5(c)); a straight beats a flush here."""

    NOTHING = 0
    PAIR = 1
    FLUSH = 2
    STRAIGHT = 3
    THREE_OF_A_KIND = 4
    STRAIGHT_FLUSH = 5

    def __str__(self) -> str:
        return self.name.replace("_", " ").lower()


_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41)
PRIME = tuple(_PRIMES[card // 4] for card in range(52))
_WHEEL = (ACE, 3, 2, 1, 0)
_GROUPS: dict[tuple[int, ...], Hand] = {
    (4, 1): Hand.FOUR_OF_A_KIND,
    (3, 2): Hand.FULL_HOUSE,
    (3, 1, 1): Hand.THREE_OF_A_KIND,
    (2, 2, 1): Hand.TWO_PAIR,
    (2, 1, 1, 1): Hand.PAIR,
    (1, 1, 1, 1, 1): Hand.HIGH_CARD,
}


class _Key(NamedTuple):
    """What orders hands: the kind, then the ranks of its groups, the largest group first."""

    hand: Hand
    ranks: tuple[int, ...]


def _key(ranks: Sequence[int], suited: bool) -> _Key:
    """Of five ranks in falling order."""
    counts = sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True)
    hand = _GROUPS[tuple(count for count, _ in counts)]
    order = tuple(rank for _, rank in counts)
    if hand is not Hand.HIGH_CARD:
        return _Key(hand, order)
    wheel = order == _WHEEL
    if not wheel and order[0] - order[4] != 4:
        return _Key(Hand.FLUSH if suited else Hand.HIGH_CARD, order)
    top = (3,) if wheel else order[:1]  # a wheel is a straight to the five
    if not suited:
        return _Key(Hand.STRAIGHT, top)
    return _Key(Hand.ROYAL_FLUSH if top == (ACE,) else Hand.STRAIGHT_FLUSH, top)


def _tables() -> tuple[dict[int, int], dict[int, int], list[Hand], list[tuple[int, ...]]]:
    falling = range(ACE, -1, -1)
    unsuited = [five for five in combinations_with_replacement(falling, 5) if five[0] != five[4]]
    plain = {prod(_PRIMES[rank] for rank in five): _key(five, False) for five in unsuited}
    suited = {prod(_PRIMES[rank] for rank in five): _key(five, True) for five in combinations(falling, 5)}
    order = sorted({*plain.values(), *suited.values()})
    place = {key: number for number, key in enumerate(order)}
    return (
        {product: place[key] for product, key in plain.items()},
        {product: place[key] for product, key in suited.items()},
        [key.hand for key in order],
        [key.ranks for key in order],
    )


_PLAIN, _SUITED, _HANDS, _RANKS = _tables()
VALUES = len(_HANDS)  # 7462 different values


def value5(a: int, b: int, c: int, d: int, e: int) -> int:
    """The value of five cards, 0 to 7461."""
    product = PRIME[a] * PRIME[b] * PRIME[c] * PRIME[d] * PRIME[e]
    if a & 3 == b & 3 == c & 3 == d & 3 == e & 3:
        return _SUITED[product]
    return _PLAIN[product]


def hand_of(value: int) -> Hand:
    return _HANDS[value]


def hand5(cards: Iterable[int]) -> Hand:
    return _HANDS[value5(*cards)]


def pair_rank(value: int) -> int | None:
    """The rank of the pair in a hand that is one pair."""
    return _RANKS[value][0] if _HANDS[value] is Hand.PAIR else None


def qualifies(value: int) -> bool:
    """Whether a dealer's hand has an ace and a king, or better (CS 1, 10(c)(3))."""
    return _HANDS[value] > Hand.HIGH_CARD or _RANKS[value][:2] == (ACE, KING)


def describe5(value: int) -> str:
    """`pair of queens`, `ace high`."""
    hand, ranks = _HANDS[value], _RANKS[value]
    if hand is Hand.HIGH_CARD:
        return f"{RANK_NAMES[ranks[0]]}-{RANK_NAMES[ranks[1]]} high"
    if hand in (Hand.PAIR, Hand.THREE_OF_A_KIND, Hand.FOUR_OF_A_KIND):
        return f"{hand} ({RANK_NAMES[ranks[0]]}s)"
    return str(hand)


def hand3(a: int, b: int, c: int) -> Hand3:
    """Three cards. A-2-3 and Q-K-A are straights, K-A-2 is not (DCP 5(c)(3))."""
    low, mid, high = sorted((a // 4, b // 4, c // 4))
    if low == high:
        return Hand3.THREE_OF_A_KIND
    if low == mid or mid == high:
        return Hand3.PAIR
    straight = high - low == 2 or (low, mid, high) == (0, 1, ACE)
    suited = a % 4 == b % 4 == c % 4
    if straight:
        return Hand3.STRAIGHT_FLUSH if suited else Hand3.STRAIGHT
    return Hand3.FLUSH if suited else Hand3.NOTHING


class Total(NamedTuple):
    """Points of a blackjack hand; soft while an ace counts 11."""

    points: int
    soft: bool


def points(card: int) -> int:
    """2 to 9 as printed, J Q K (and a ten that has no business here) 10, ace 11 (DAB 2(b))."""
    rank = card // 4
    return 11 if rank == ACE else min(rank + 2, 10)


_POINTS = tuple(points(card) for card in range(52))


def total(hand: Sequence[int]) -> Total:
    value = aces = 0
    for card in hand:
        value += _POINTS[card]
        aces += card // 4 == ACE
    while value > 21 and aces:
        value -= 10
        aces -= 1
    return Total(value, aces > 0)


def is_blackjack(hand: Sequence[int]) -> bool:
    """An ace and J, Q or K as the first two cards. After a split there is none (DAB 1)."""
    ranks = sorted(card // 4 for card in hand)
    return len(ranks) == 2 and ranks[1] == ACE and JACK <= ranks[0] <= KING
