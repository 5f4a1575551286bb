"""Double Attack Blackjack as a whole: counted exactly without splits, and splits sampled, pair by pair.

The strategy: attack against 2 to 8, never insure, and take the best of stand, draw, double and surrender for the cards
that are seen. Pairs of `SPLITS` are split, up to four hands; hands of a split are played by their points. The dealer
has a hole card and a reader: no decision meets a blackjack of the dealer. Nothing here uses the settlement code;
tests/table/test_oracles.py plays deals through both.

A pair that is split is one deal in forty, so the sampled part has a small weight and a small standard error.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import sqrt
from random import Random
from typing import NamedTuple

from oracles.sampled import Clock, Estimate

Counts = tuple[int, ...]  # cards of value 1 (ace) to 10 that are unseen
VALUES = range(1, 11)
ACE, TEN = 1, 10
STANDS = 17
HANDS_MAX = 4
CARDS = 40  # more than four hands and the dealer ever take
PASS = 400_000  # deals of all pairs, split or not, that one pass of the sampler stands for
_LOW = (1, 2, 3, 7, 8)
_MID = (1, 2, 3, 6, 7, 8)
SPLITS = {1: (1, 8), 2: _LOW, 3: _MID, 4: _MID, 5: _MID, 6: _MID, 7: _LOW, 8: (1, 2, 7, 8), 9: (1, 8), 10: (1, 8)}


class Points(NamedTuple):
    total: int
    soft: bool


NOTHING = Points(0, False)


def shoe(packs: int) -> Counts:
    return (*(4 * packs for _ in range(9)), 12 * packs)


def without(cards: Counts, *values: int) -> Counts:
    for value in values:
        cards = (*cards[: value - 1], cards[value - 1] - 1, *cards[value:])
    return cards


def plus(points: Points, *values: int) -> Points:
    for value in values:
        total, soft = points.total + value, points.soft
        if value == ACE and total + 10 <= 21:
            points = Points(total + 10, True)
        else:
            points = Points(total - 10, False) if soft and total > 21 else Points(total, soft)
    return points


@cache
def dealer(cards: Counts, points: Points, never: int) -> tuple[float, ...]:
    """Chances of 17 to 21 and of a bust. `never`: the value that the reader has excluded for the next card, or 0."""
    if points.total > 21:
        return (0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    if points.total >= STANDS:
        return (*(float(points.total == total) for total in range(17, 22)), 0.0)
    left = sum(cards) - (cards[never - 1] if never else 0)
    found = [0.0] * 6
    for value in VALUES:
        if cards[value - 1] and value != never:
            chance = cards[value - 1] / left
            for place, more in enumerate(dealer(without(cards, value), plus(points, value), 0)):
                found[place] += chance * more
    return tuple(found)


def _against(total: int, chances: tuple[float, ...]) -> float:
    return chances[5] + sum(
        chance * ((total > dealers) - (total < dealers))
        for dealers, chance in zip(range(17, 22), chances, strict=False)
    )


class UpCard:
    """Decisions against one up-card after the reader has said no, in units of the wagers on the hand."""

    def __init__(self, up: int, cards: Counts) -> None:
        self.up = up
        self.cards = cards  # without the up-card
        self.never = {ACE: TEN, TEN: ACE}.get(up, 0)
        self.stake = 2 if 2 <= up <= 8 else 1
        self._best: dict[tuple[Counts, Points], tuple[float, str]] = {}
        self._act: dict[Points, str] = {}

    def stand(self, cards: Counts, total: int) -> float:
        return _against(total, dealer(cards, plus(NOTHING, self.up), self.never))

    def _draws(self, cards: Counts) -> Iterator[tuple[int, float]]:
        """The next card, where the hole card is any unseen one but `never`."""
        whole = sum(cards)
        others = whole - (cards[self.never - 1] if self.never else 0)
        for value in VALUES:
            number = cards[value - 1]
            if number and self.never and value != self.never:
                yield value, number * (1 - 1 / others) / (whole - 1)
            elif number:
                yield value, number / (whole - 1 if self.never else whole)

    def best(self, cards: Counts, points: Points) -> tuple[float, str]:
        """Expectation and name of the best of stand, draw, double and surrender."""
        found = self._best.get((cards, points))
        if found is None:
            found = (self.stand(cards, points.total), "stand")
            if points.total < 21:
                found = max(found, (-0.5, "surrender"), *self._with_a_card(cards, points))
            self._best[cards, points] = found
        return found

    def _with_a_card(self, cards: Counts, points: Points) -> tuple[tuple[float, str], tuple[float, str]]:
        draw = double = 0.0
        for value, chance in self._draws(cards):
            after, left = plus(points, value), without(cards, value)
            bust = after.total > 21
            draw += chance * (-1 if bust else self.best(left, after)[0])
            double += chance * (-2 if bust else max(2 * self.stand(left, after.total), -1))
        return (draw, "draw"), (double, "double")

    def act(self, points: Points) -> str:
        """By the points alone, for hands of a split."""
        if points not in self._act:
            self._act[points] = self.best(self.cards, points)[1]
        return self._act[points]

    def gives_up(self, total: int) -> bool:
        """Whether a hand of a split that takes no more cards is surrendered."""
        return self.stand(self.cards, total) < -0.5


@dataclass(frozen=True)
class Pair:
    """A pair against an up-card: how often it is dealt and the reader says no, and its worth if it is not split, in
    initial wagers."""

    up: UpCard
    value: int
    chance: float
    unsplit: float


@cache
def unsplit(first: Counts) -> tuple[float, tuple[Pair, ...]]:
    """Expectation of a whole shoe without splits, and every pair."""
    whole, pairs = 0.0, list[Pair]()
    for value in (value for value in VALUES if first[value - 1]):
        up = UpCard(value, without(first, value))
        for one in VALUES:
            for two in range(one, 11):
                chance = first[value - 1] / sum(first) * _chance(up.cards, one, two)
                if not chance:
                    continue
                left = without(up.cards, one, two)
                blackjack = left[up.never - 1] / sum(left) if up.never else 0.0
                if (one, two) == (ACE, TEN):
                    worth, lost = float(up.stake), 0.0
                else:
                    worth, lost = up.stake * up.best(left, plus(NOTHING, one, two))[0], 1.0
                whole += chance * ((1 - blackjack) * worth - blackjack * lost)
                if one == two:
                    pairs.append(Pair(up, one, chance * (1 - blackjack), worth))
    return whole, tuple(pairs)


def _chance(cards: Counts, one: int, two: int) -> float:
    """Of these two cards, in any order."""
    ways = cards[one - 1] * (cards[two - 1] - (one == two)) * (1 if one == two else 2)
    return ways / (sum(cards) * (sum(cards) - 1))


class Splits:
    """Deals of one pair that is split. `both`: a further hand costs initial and attack wager (`dab-split-amount`)."""

    def __init__(self, pair: Pair, both: bool) -> None:
        self.pair = pair
        left = without(pair.up.cards, pair.value, pair.value)
        self.cards = [value for value in VALUES for _ in range(left[value - 1])]
        self._more = pair.up.stake if both else 1
        self._number, self._sum, self._squares = 0, 0.0, 0.0

    def add(self, deals: int, rng: Random) -> None:
        for _ in range(deals):
            cards = rng.sample(self.cards, CARDS)
            while cards[0] == self.pair.up.never:
                cards = rng.sample(self.cards, CARDS)
            net = self.deal(cards) - self.pair.unsplit
            self._number += 1
            self._sum += net
            self._squares += net * net

    @property
    def gain(self) -> float:
        """Of splitting, for all deals of the game."""
        return self.pair.chance * self._sum / self._number

    @property
    def variance(self) -> float:
        mean = self._sum / self._number
        return self.pair.chance**2 * (self._squares / self._number - mean**2) / self._number

    def deal(self, order: list[int]) -> float:
        """What the player nets, in initial wagers. The hole card comes first. Hands are completed one by one."""
        up, value = self.pair.up, self.pair.value
        hole, *rest = order
        cards = iter(rest)
        waiting, hands = 2, list[tuple[int, float]]()
        while waiting:
            card = next(cards)
            if card == value != ACE and waiting + len(hands) < HANDS_MAX:
                waiting += 1
            else:
                waiting -= 1
                hands.append(self._play(cards, plus(NOTHING, value, card)))
        dealers = plus(NOTHING, up.up, hole)
        while dealers.total < STANDS:
            dealers = plus(dealers, next(cards))
        least = dealers.total if dealers.total <= 21 else 0
        stakes = chain((up.stake,), (self._more for _ in hands[1:]))
        return sum(
            stake * (times * ((total > least) - (total < least)) if total else -times)
            for stake, (total, times) in zip(stakes, hands, strict=True)
        )

    def _play(self, cards: Iterator[int], points: Points) -> tuple[int, float]:
        """Points, and how many times its wagers the hand plays for; without points it has lost them."""
        up = self.pair.up
        if self.pair.value == ACE:
            return (0, 0.5) if up.gives_up(points.total) else (points.total, 1)
        while True:
            act = up.act(points)
            if act == "stand":
                return points.total, 1
            if act == "surrender":
                return 0, 0.5
            points = plus(points, next(cards))
            if points.total > 21:
                return 0, 2 if act == "double" else 1
            if act == "double":
                return (0, 1) if up.gives_up(points.total) else (points.total, 2)


def returns(packs: int, both: bool, seconds: float, seed: int) -> Estimate:
    """Expectation in initial wagers."""
    whole, pairs = unsplit(shoe(packs))
    chosen = [Splits(pair, both) for pair in pairs if pair.value in SPLITS[pair.up.up]]
    rng, clock = Random(seed), Clock(seconds)
    while True:
        for one in chosen:
            one.add(round(PASS * one.pair.chance), rng)
        error = sqrt(sum(one.variance for one in chosen))
        if clock.over(error):
            return Estimate(whole + sum(one.gain for one in chosen), error)
