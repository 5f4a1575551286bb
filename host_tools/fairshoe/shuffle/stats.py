"""Statistics of many shuffled decks: count deck by deck, then compare with the exact distributions.

A deck is a sequence of cards from the top; card c was at place c before the shuffle.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from operator import eq, gt, mul, ne

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

CLASS_MIN = 10.0  # expected decks in a class of a chi-square test; smaller classes are joined
CELL_MIN = 5  # expected decks in a cell of the position table; with fewer, chi-square is no good approximation
CARDS_MIN = 3
ALPHAS = (0.05, 0.01)  # verdicts at 95 % and at 99 %

Deck = Sequence[int]


# --- one deck ----------------------------------------------------------------------------------


def inverse(deck: Deck) -> list[int]:
    """Where each card lies."""
    places = [0] * len(deck)
    for place, card in enumerate(deck):
        places[card] = place
    return places


def falls(deck: Deck) -> list[bool]:
    """Whether each card is higher than the next."""
    return list(map(gt, deck, deck[1:]))


def turns(steps: list[bool]) -> int:
    """Runs up and down: one more than the places at which the sequence turns."""
    return 1 + sum(map(ne, steps, steps[1:]))


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


def agreements(deck: Deck, other: Deck) -> int:
    return sum(map(eq, deck, other))


def guess_lowest(deck: Deck) -> int:
    """Correct guesses of the lowest card not yet seen: optimal against a uniform deck, as is every unseen card."""
    seen = bytearray(len(deck) + 1)
    guess = right = 0
    for card in deck:
        seen[card] = 1
        if card == guess:
            right += 1
            while seen[guess]:
                guess += 1
    return right


def guess_successor(deck: Deck) -> int:
    """Correct guesses of the next unseen card above the last one shown: riffles leave rising sequences."""
    end = len(deck)
    # Unseen cards as a ring through `end`, so that the neighbours of any card are at hand.
    up = [*range(1, end + 1), 0]
    down = [end, *range(end)]
    guess = right = 0
    for card in deck:
        if card == guess:
            right += 1
        above, below = up[card], down[card]
        up[below], down[above] = above, below
        guess = above if above != end else up[end]
    return right


def guess_piles(deck: Deck) -> int:
    """Correct guesses of a player aware that shelves hold piles that fall and then rise.

    While cards fall the next unseen one below is named, while they rise the next above. A rise ends the fall; if it
    leads nearer to the top card than to the last one shown, a new pile has begun and falls again.
    """
    end = last = len(deck)
    up = [*range(1, end + 1), 0]
    down = [end, *range(end)]
    guess = end - 1
    right = 0
    rising = False
    for card in deck:
        if card == guess:
            right += 1
        if card < last:
            rising = False
        elif not rising:
            rising = card - last < end - card
        above, below = up[card], down[card]
        up[below], down[above] = above, below
        last = card
        guess = above if below == end or (rising and above != end) else below
    return right


# --- many decks --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Seen:
    """One deck, and what several tests read off it."""

    deck: Deck
    places: Deck  # of its cards
    before: Deck
    down: list[bool]  # falls of the deck
    down_places: list[bool]

    @classmethod
    def of(cls, deck: Deck, before: Deck | None) -> Seen:
        places = inverse(deck)
        return cls(deck, places, before or places, falls(deck), falls(places))


@dataclass(frozen=True)
class Counted:
    """A whole number read off every deck, whose law under a uniform shuffle is known exactly."""

    key: str
    name: str
    law: Callable[[int], Law]
    read: Callable[[Seen], int]
    mean: bool  # test the mean by itself: sharper against a shift than the classes
    classes: bool


COUNTED = (
    Counted("rising", "rising sequences", eulerian, lambda it: 1 + sum(it.down_places), True, True),
    Counted("ascending", "ascending runs", eulerian, lambda it: 1 + sum(it.down), False, True),
    Counted("turns", "runs up and down", alternating, lambda it: turns(it.down), False, True),
    Counted("turns_places", "the same, of places", alternating, lambda it: turns(it.down_places), False, True),
    Counted("cycles", "cycles", stirling, lambda it: cycles(it.deck), False, True),
    Counted("fixed", "fixed points", rencontres, lambda it: agreements(it.deck, range(len(it.deck))), False, True),
    Counted("repeats", "same as deck before", rencontres, lambda it: agreements(it.deck, it.before), False, True),
    Counted("lowest", "guess lowest unseen", stirling, lambda it: guess_lowest(it.deck), True, True),
    Counted("successor", "guess successor", stirling, lambda it: guess_successor(it.deck), True, False),
    Counted("piles", "guess shelf piles", stirling, lambda it: guess_piles(it.deck), True, False),
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
        readers = [(item.read, self.counts[item.key]) for item in COUNTED]
        repeats = self.counts["repeats"]
        for deck in decks:
            seen = Seen.of(deck, before)
            for read, counts in readers:
                counts[read(seen)] += 1
            if before is None:
                # The first has nothing to compare with: its count is not valid.
                repeats[agreements(deck, seen.places)] -= 1
            self.serial += sum(map(mul, deck, deck[1:])) + deck[-1] * deck[0]
            before = deck
        self._add_tables(list(zip(*decks, strict=True)))

    def _add_tables(self, columns: Sequence[Sequence[int]]) -> None:
        cards = self.cards
        for place, column in enumerate(columns):
            for card, count in Counter(column).items():
                self.position[card * cards + place] += count
        pairs: Counter[tuple[int, int]] = Counter()
        for left, right in pairwise(columns):
            pairs.update(zip(left, right, strict=True))
        for card, count in Counter(columns[0]).items():
            pairs[cards, card] += count
        for card, count in Counter(columns[-1]).items():
            pairs[card, cards] += count
        for (card, follower), count in pairs.items():
            self.follows[card * (cards + 1) + follower] += count

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
