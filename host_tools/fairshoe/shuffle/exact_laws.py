"""Exact distributions of a uniformly shuffled deck, and the tails of the chi-square and normal distributions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

_TINY = 1e-300
_STEPS_MAX = 100_000  # far beyond need: both expansions take a few times sqrt(a) steps


@dataclass(frozen=True)
class Law:
    """The exact distribution of a whole number: `weights[i]` of all equally likely orders give `first + i`."""

    first: int
    weights: tuple[int, ...]

    @property
    def total(self) -> int:
        return sum(self.weights)

    @property
    def mean(self) -> Fraction:
        return Fraction(sum(value * weight for value, weight in self._items()), self.total)

    @property
    def variance(self) -> Fraction:
        square = Fraction(sum(value * value * weight for value, weight in self._items()), self.total)
        return square - self.mean**2

    def probabilities(self) -> list[float]:
        total = self.total
        return [weight / total for weight in self.weights]

    def _items(self) -> enumerate[int]:
        return enumerate(self.weights, self.first)


@cache
def eulerian(cards: int) -> Law:
    """Descents plus one: how many ascending runs an order has, and how many rising sequences."""
    row = [1]
    for size in range(2, cards + 1):
        below = [*row, 0]
        row = [(k + 1) * below[k] + (size - k) * (row[k - 1] if k else 0) for k in range(size)]
    return Law(1, tuple(row))


@cache
def stirling(cards: int) -> Law:
    """Cycles of an order; also the correct guesses of a player who always names a card not yet seen.

    The k-th card from the end is guessed right with probability 1/k, whatever happened before; a sum of such
    independent draws is the law of the number of cycles. Its mean is the harmonic number.
    """
    row = [1]
    for size in range(1, cards + 1):
        below = [*row, 0]
        row = [(size - 1) * below[k] + (row[k - 1] if k else 0) for k in range(size + 1)]
    return Law(1, tuple(row[1:]))


@cache
def rencontres(cards: int) -> Law:
    """Cards that lie where they lay before; also the places at which two independent orders agree."""
    none = [1, 0]  # orders of k cards without a fixed point
    for size in range(2, cards + 1):
        none.append((size - 1) * (none[-1] + none[-2]))
    return Law(0, tuple(math.comb(cards, k) * none[cards - k] for k in range(cards + 1)))


@cache
def alternating(cards: int) -> Law:
    """Runs up and down: one more than the places at which the order turns (Andre's recurrence)."""
    row = [0, 2]  # two cards: one run, up or down
    for size in range(3, cards + 1):
        above = [*row, 0]
        row = [
            k * above[k] + (2 * row[k - 1] if k >= 1 else 0) + ((size - k) * row[k - 2] if k >= 2 else 0)
            for k in range(size)
        ]
    return Law(1, tuple(row[1:]))


def serial_moments(cards: int) -> tuple[Fraction, Fraction]:
    """Mean and variance of the sum of products of neighbours, last and first included (Wald and Wolfowitz 1943).

    Card values are counted from the middle of the deck, so that their sum is 0.
    """
    values = [Fraction(2 * card - cards + 1, 2) for card in range(cards)]
    square = sum((value**2 for value in values), Fraction(0))
    fourth = sum((value**4 for value in values), Fraction(0))
    mean = -square / (cards - 1)
    spread = (square**2 - fourth) / (cards - 1) + (square**2 - 2 * fourth) / ((cards - 1) * (cards - 2))
    return mean, spread - mean**2


# --- tails -------------------------------------------------------------------------------------


def gamma_tails(shape: float, x: float) -> tuple[float, float]:
    """Regularised incomplete gamma function: (lower, upper), each to about 13 digits of the smaller one."""
    if shape <= 0 or x < 0:
        raise ValueError("the incomplete gamma function wants shape > 0 and x >= 0")
    if x == 0:
        return 0.0, 1.0
    front = shape * math.log(x) - x - math.lgamma(shape)
    # Each expansion is used on the side of the mean where its terms are positive: nothing cancels.
    if x < shape + 1:
        lower = math.exp(front + math.log(_gamma_series(shape, x)))
        return min(lower, 1.0), max(1.0 - lower, 0.0)
    upper = math.exp(front + math.log(_gamma_fraction(shape, x)))
    return max(1.0 - upper, 0.0), min(upper, 1.0)


def _gamma_series(shape: float, x: float) -> float:
    term = total = 1 / shape
    for step in range(1, _STEPS_MAX):
        term *= x / (shape + step)
        total += term
        if term < total * 1e-16:
            return total
    raise ArithmeticError("the series of the incomplete gamma function did not settle")


def _gamma_fraction(shape: float, x: float) -> float:
    """Continued fraction by Lentz's method."""
    b = x + 1 - shape
    c = 1 / _TINY
    d = 1 / b
    value = d
    for step in range(1, _STEPS_MAX):
        a = step * (shape - step)
        b += 2
        d = 1 / (a * d + b or _TINY)
        c = b + a / c or _TINY
        value *= c * d
        if abs(c * d - 1) < 1e-15:
            return value
    raise ArithmeticError("the continued fraction of the incomplete gamma function did not settle")


def chi_square_upper(statistic: float, freedom: int) -> float:
    """Probability that chi-square with `freedom` degrees of freedom is at least `statistic`."""
    return gamma_tails(freedom / 2, statistic / 2)[1]


def chi_square_p(statistic: float, freedom: int) -> float:
    """Two-sided: a table that fits too well was not drawn at random either."""
    return min(1.0, 2 * min(gamma_tails(freedom / 2, statistic / 2)))


def normal_p(z: float) -> float:
    """Two-sided."""
    return math.erfc(abs(z) / math.sqrt(2))


def holm(chances: Sequence[float]) -> list[float]:
    """Adjusted p-values: below alpha for any true hypothesis with probability at most alpha, dependent or not."""
    ranked = sorted(range(len(chances)), key=chances.__getitem__)
    adjusted = [0.0] * len(chances)
    largest = 0.0
    for rank, index in enumerate(ranked):
        largest = max(largest, min(1.0, (len(chances) - rank) * chances[index]))
        adjusted[index] = largest
    return adjusted
