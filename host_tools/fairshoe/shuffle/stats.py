"""Statistics of many shuffled decks: count many decks at once, then compare with the exact distributions.

A deck is a sequence of cards from the top; card c was at place c before the shuffle.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise, repeat
from operator import mul

from fairshoe.shuffle.exact_laws import (
    Law,
    alternating,
    chi_square_p,
    eulerian,
    holm,
    normal_p,
    rencontres,
    serial_moments,
    stirling,
)
from fairshoe.shuffle.lanes import Lanes

CLASS_MIN = 10.0  # expected decks in a class of a chi-square test; smaller classes are joined
CELL_MIN = 5  # expected decks in a cell of the position table; with fewer, chi-square is no good approximation
CARDS_MIN = 3
ALPHAS = (0.05, 0.01)  # verdicts at 95 % and at 99 %

Deck = Sequence[int]
_EVERY_BYTE = bytes(range(256))


# --- one deck ----------------------------------------------------------------------------------


def inverse(deck: Deck) -> list[int]:
    """Where each card lies."""
    cards = len(deck)
    if cards <= len(_EVERY_BYTE):
        return list(bytes.maketrans(bytes([*deck]), _EVERY_BYTE[:cards])[:cards])
    places = [0] * cards
    for place, card in enumerate(deck):
        places[card] = place
    return places


def cycles(deck: Deck) -> int:
    todo = list(deck)
    count = 0
    for start in range(len(todo)):
        card = todo[start]
        if card >= 0:
            count += 1
            while card >= 0:
                todo[start] = -1
                start = card
                card = todo[start]
    return count


# --- many decks at once ------------------------------------------------------------------------


class DeckLanes:
    """Decks, and what several tests read off them: for each place, or each card, the lanes of all decks."""

    def __init__(self, decks: Sequence[Deck], before: Deck) -> None:
        self.decks = decks
        self.cards = cards = len(decks[0])
        self.lanes = lanes = Lanes(len(decks), 2 * cards)
        self.in_order = [place * lanes.one for place in range(cards)]
        self.ring = lanes.ring(decks)
        self.columns = [self.ring[place :: cards + 1] for place in range(1, cards + 1)]
        self.deck = list(map(lanes.pack, self.columns))
        self.before = [
            lanes.pack(array(lanes.code, [card]) + column[:-1])
            for card, column in zip(before, self.columns, strict=True)
        ]
        places = lanes.ring(list(map(inverse, decks)))
        self.falls = self._falls(self.deck)
        self.falls_places = self._falls([lanes.pack(places[card :: cards + 1]) for card in range(1, cards + 1)])
        # Of each card among those not dealt before it: how many are lower.
        self.ranks = [
            sum(map(lanes.not_below, repeat(card), self.deck[place + 1 :])) for place, card in enumerate(self.deck)
        ]

    def _falls(self, columns: list[int]) -> list[int]:
        """Whether each number is higher than the next."""
        return list(map(self.lanes.not_below, columns, columns[1:]))

    def turns(self, falls: list[int]) -> int:
        """Runs up and down: one more than the places at which the sequence turns."""
        return self.lanes.one + sum(a ^ b for a, b in pairwise(falls))

    def agreements(self, others: Iterable[int]) -> int:
        return sum(map(self.lanes.equal, self.deck, others))

    def cycles(self) -> int:
        return self.lanes.pack(array(self.lanes.code, map(cycles, self.decks)))

    def guess_lowest(self) -> int:
        """Correct guesses of the lowest card not yet seen: optimal against a uniform deck, as is every unseen card."""
        return sum(map(self.lanes.equal, self.ranks, repeat(0)))

    def guess_successor(self) -> int:
        """Correct guesses of the next unseen card above the last one shown, which has the rank that the last one had;
        above the highest comes the lowest. Riffles leave rising sequences."""
        lanes, guess, right = self.lanes, 0, 0
        for left, rank in zip(range(self.cards - 1, -1, -1), self.ranks, strict=True):
            right += lanes.equal(rank, guess)
            guess = lanes.where(lanes.equal(rank, left * lanes.one) ^ lanes.one, rank)
        return right

    def guess_piles(self) -> int:
        """Correct guesses of a player aware that shelves hold piles that fall and then rise.

        While cards fall the next unseen one below is named, while they rise the next above. A rise ends the fall; if it
        leads nearer to the top card than to the last one shown, a new pile has begun and falls again.
        """
        lanes, one = self.lanes, self.lanes.one
        last, guess = self.cards * one, (self.cards - 1) * one
        right = rising = 0
        for left, rank, card in zip(range(self.cards - 1, -1, -1), self.ranks, self.deck, strict=True):
            right += lanes.equal(rank, guess)
            rising |= lanes.not_below(self.cards * one + last, 2 * card + one)
            rising &= lanes.not_below(card, last)
            last = card
            above = lanes.equal(rank, 0) | rising & (lanes.equal(rank, left * one) ^ one)
            guess = rank - (above ^ one)
        return right


@dataclass(frozen=True)
class Counted:
    """A whole number read off every deck, whose law under a uniform shuffle is known exactly."""

    key: str
    name: str
    law: Callable[[int], Law]
    read: Callable[[DeckLanes], int]
    mean: bool  # test the mean by itself: sharper against a shift than the classes
    classes: bool


COUNTED = (
    Counted("rising", "rising sequences", eulerian, lambda it: it.lanes.one + sum(it.falls_places), True, True),
    Counted("ascending", "ascending runs", eulerian, lambda it: it.lanes.one + sum(it.falls), False, True),
    Counted("turns", "runs up and down", alternating, lambda it: it.turns(it.falls), False, True),
    Counted("turns_places", "the same, of places", alternating, lambda it: it.turns(it.falls_places), False, True),
    Counted("cycles", "cycles", stirling, DeckLanes.cycles, False, True),
    Counted(
        "fixed",
        "fixed points",
        rencontres,
        lambda it: it.agreements(it.in_order),
        False,
        True,
    ),
    Counted("repeats", "same as deck before", rencontres, lambda it: it.agreements(it.before), False, True),
    Counted("lowest", "guess lowest unseen", stirling, DeckLanes.guess_lowest, True, True),
    Counted("successor", "guess successor", stirling, DeckLanes.guess_successor, True, False),
    Counted("piles", "guess shelf piles", stirling, DeckLanes.guess_piles, True, False),
)


@dataclass
class Tally:
    """Everything that is kept of any number of decks. Tallies of parts add up to the tally of the whole."""

    cards: int
    shuffles: int = 0
    serial: int = 0
    position: list[int] = field(default_factory=list[int])  # card * cards + place
    follows: list[int] = field(default_factory=list[int])  # card * (cards + 1) + next; `cards` is the end of the deck
    counts: dict[str, list[int]] = field(default_factory=dict[str, list[int]])

    def __post_init__(self) -> None:
        if self.cards < CARDS_MIN:
            raise ValueError(f"at least {CARDS_MIN} cards")
        self.position = self.position or [0] * self.cards**2
        self.follows = self.follows or [0] * (self.cards + 1) ** 2
        self.counts = self.counts or {item.key: [0] * (self.cards + 1) for item in COUNTED}

    def add(self, decks: Sequence[Deck], before: Deck | None) -> None:
        """Decks in the order in which they were shuffled; `before` is the one that came before them, if any."""
        self.shuffles += len(decks)
        seen = DeckLanes(decks, before or decks[0])
        for item in COUNTED:
            found = seen.lanes.unpack(item.read(seen))
            # The first deck of all has none before it to compare with.
            for value, times in Counter(found[item.key == "repeats" and before is None :]).items():
                self.counts[item.key][value] += times
        self._add_tables(seen)

    def _add_tables(self, seen: DeckLanes) -> None:
        end = self.cards
        for place, column in enumerate(seen.columns):
            for card, times in Counter(column).items():
                self.position[card * end + place] += times
        for card, follower, times in seen.lanes.pairs(seen.ring):
            self.follows[card * (end + 1) + follower] += times
            if card != end != follower:
                self.serial += card * follower * times
        self.serial += sum(map(mul, seen.columns[-1], seen.columns[0]))

    def merge(self, other: Tally) -> None:
        self.shuffles += other.shuffles
        self.serial += other.serial
        _add_to(self.position, other.position)
        _add_to(self.follows, other.follows)
        for key, counts in other.counts.items():
            _add_to(self.counts[key], counts)


def _add_to(target: list[int], source: Sequence[int]) -> None:
    for index, count in enumerate(source):
        target[index] += count


# --- verdicts ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """One test. `freedom` is 0 where the statistic is a standard normal one."""

    key: str
    name: str
    statistic: float
    freedom: int
    p: float
    holm: float = 1.0
    observed: float | None = None
    expected: float | None = None

    @property
    def text(self) -> str:
        return f"chi2({self.freedom}) = {self.statistic:.1f}" if self.freedom else f"z = {self.statistic:+.2f}"

    def passes(self, alpha: float) -> bool:
        """This test looked at alone."""
        return self.p >= alpha


@dataclass(frozen=True)
class Family:
    """All tests of one shuffler, and the one verdict they give together (Holm's correction)."""

    results: tuple[Result, ...]

    @property
    def p(self) -> float:
        return min(result.holm for result in self.results)

    def passes(self, alpha: float) -> bool:
        return self.p >= alpha

    def failures(self, alpha: float) -> list[Result]:
        return [result for result in self.results if result.holm < alpha]


def judge(tally: Tally) -> Family:
    results = [position_test(tally), pairs_test(tally), serial_test(tally)]
    for item in COUNTED:
        law, counts = item.law(tally.cards), tally.counts[item.key]
        if item.mean:
            results.append(mean_test(item, law, counts))
        if item.classes:
            results.append(classes_test(item, law, counts))
    adjusted = holm([result.p for result in results])
    return Family(tuple(replace(result, holm=p) for result, p in zip(results, adjusted, strict=True)))


def position_test(tally: Tally) -> Result:
    """Which card lies where.

    Every row and every column of the table adds up to the number of shuffles, so (n-1)**2 cells are free; and because
    one deck fills n cells at once, the squares have to be scaled by (n-1)/n to become chi-square.
    """
    n = tally.cards
    expected = tally.shuffles / n
    squares = sum((count - expected) ** 2 for count in tally.position)
    statistic = squares / expected * (n - 1) / n
    freedom = (n - 1) ** 2
    return Result("position", "position", statistic, freedom, chi_square_p(statistic, freedom))


def pairs_test(tally: Tally) -> Result:
    """Which card follows which, with the end of the deck as one more card m = n+1 that closes the ring.

    In the ring a follows b at once excludes that b follows a, so the symmetric and the antisymmetric part of the table
    have different variances, 1/(m-1) and m/((m-1)(m-2)) for one deck; each is scaled by its own.
    """
    m = tally.cards + 1
    expected = tally.shuffles / (m - 1)
    table = tally.follows
    even = odd = 0.0
    for card in range(m):
        for other in range(card):
            one = table[card * m + other] - expected
            two = table[other * m + card] - expected
            even += (one + two) ** 2 / 2
            odd += (one - two) ** 2 / 2
    statistic = (even * (m - 1) + odd * (m - 1) * (m - 2) / m) / tally.shuffles
    freedom = m * m - 3 * m + 1
    return Result("pairs", "adjacent pairs", statistic, freedom, chi_square_p(statistic, freedom))


def serial_test(tally: Tally) -> Result:
    """Correlation of each card with the next one, as the mean over all decks against its exact mean and variance."""
    n, shuffles = tally.cards, tally.shuffles
    mean, variance = serial_moments(n)
    centred = tally.serial / shuffles - n * ((n - 1) / 2) ** 2
    z = (centred - float(mean)) / math.sqrt(float(variance) / shuffles)
    scale = n * (n * n - 1) / 12
    name = "serial correlation"
    return Result("serial", name, z, 0, normal_p(z), observed=centred / scale, expected=float(mean) / scale)


def mean_test(item: Counted, law: Law, counts: Sequence[int]) -> Result:
    total = sum(counts)
    observed = sum(value * count for value, count in enumerate(counts)) / total
    expected = float(law.mean)
    z = (observed - expected) / math.sqrt(float(law.variance) / total)
    name = f"{item.name}: mean"
    return Result(f"{item.key}_mean", name, z, 0, normal_p(z), observed=observed, expected=expected)


def classes_test(item: Counted, law: Law, counts: Sequence[int]) -> Result:
    """Chi-square over the values, neighbours joined until each class expects CLASS_MIN decks."""
    total = sum(counts)
    classes: list[list[float]] = [[0.0, 0.0]]
    for value, chance in enumerate(law.probabilities(), law.first):
        if classes[-1][1] >= CLASS_MIN:
            classes.append([0.0, 0.0])
        classes[-1][0] += counts[value]
        classes[-1][1] += chance * total
    # What no order can give must not hide in the class of its neighbours.
    possible = {value for value, weight in enumerate(law.weights, law.first) if weight}
    impossible = any(count and value not in possible for value, count in enumerate(counts))
    if len(classes) > 1 and classes[-1][1] < CLASS_MIN:
        seen, expected = classes.pop()
        classes[-1][0] += seen
        classes[-1][1] += expected
    freedom = max(len(classes) - 1, 1)
    statistic = sum((seen - expected) ** 2 / expected for seen, expected in classes)
    p = 0.0 if impossible else chi_square_p(statistic, freedom)
    observed = sum(value * count for value, count in enumerate(counts)) / total
    name = f"{item.name}: spread" if item.mean else item.name
    return Result(item.key, name, statistic, freedom, p, observed=observed, expected=float(law.mean))
