"""Cover All with three to eight hands: the highest of n disjoint hands by inclusion and exclusion.

The highest of n payments is the sum of all, less the lower of each pair, plus the lowest of each three, and so on. The
first two sums are counted. Three hands that all pay are rare, so the rest is small: it is sampled from hands that pay,
which leaves a standard error far below a hundredth of a percent.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import combinations
from math import comb, prod, sqrt
from random import Random

from fairshoe_table.rules.cards import DECK
from fairshoe_table.rules.pay_tables import PayTable
from fairshoe_table.rules.pay_tables import cover_all as cover_all_pays
from fairshoe_table.rules.poker import Hand, hand_of, value5
from oracles import exact
from oracles.sampled import Clock, Estimate

SAMPLES = {3: 50_000, 4: 20_000, 5: 5_000}  # sets of so many hands in one pass; six hands and more give less than 1e-6


@dataclass
class _Lowest:
    """Of disjoint sets of hands that all pay: how often each kind is the lowest, among so many samples, and what share
    of all sets of disjoint hands one sample stands for."""

    hands: list[tuple[Hand, int]]
    size: int
    kinds: Counter[Hand] = field(default_factory=Counter[Hand])
    samples: int = 0

    def add(self, samples: int, rng: Random) -> None:
        """Hands are drawn one by one from those that pay; sets that share a card count as nothing."""
        self.samples += samples
        for _ in range(samples):
            drawn = rng.choices(self.hands, k=self.size)
            cards = 0
            for _, mask in drawn:
                if cards & mask:
                    break
                cards |= mask
            else:
                self.kinds[min(kind for kind, _ in drawn)] += 1

    @property
    def share(self) -> float:
        return len(self.hands) ** self.size / prod(comb(52 - 5 * number, 5) for number in range(self.size))


def returns(best_of_two: exact.BestOfTwo, seconds: float, seed: int) -> dict[int, Estimate]:
    """By the number of hands, which is the column of the table."""
    hands = [
        (kind, sum(1 << card for card in cards))
        for cards in combinations(DECK, 5)
        if (kind := hand_of(value5(*cards))) >= Hand.THREE_OF_A_KIND
    ]
    rng, clock = Random(seed), Clock(seconds)
    lowest = [_Lowest(hands, size) for size in SAMPLES]
    while True:
        for one in lowest:
            one.add(SAMPLES[one.size], rng)
        found = {number: _return(number, cover_all_pays(number), best_of_two, lowest) for number in range(3, 9)}
        if clock.over(max(one.error for one in found.values())):
            return found


def _return(number: int, table: PayTable, two: exact.BestOfTwo, lowest: list[_Lowest]) -> Estimate:
    one, pair = exact.return5(table), two.mean(table)
    mean = float(number * one - comb(number, 2) * (2 * one - pair))
    back = {hand_of(value): float(exact.back(table.row5(value))) for value in exact.values()}
    variance = 0.0
    for found in lowest:
        weight = comb(number, found.size) * found.share
        first = sum(count * back[kind] for kind, count in found.kinds.items()) / found.samples
        second = sum(count * back[kind] ** 2 for kind, count in found.kinds.items()) / found.samples
        mean += (-1) ** (found.size + 1) * weight * first
        variance += weight**2 * (second - first**2) / found.samples
    return Estimate(mean, sqrt(variance))
