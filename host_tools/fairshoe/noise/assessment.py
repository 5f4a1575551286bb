"""What the samples of a noise source are worth: all estimators, the lowest of which counts, and restarts of the source.

As SP 800-90B 3.1.3 (bits beside whole samples) and 3.1.4 (a matrix of the first samples after each restart).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from fairshoe.noise import estimators, predictors

BITS_MAX = 1_000_000  # of samples taken apart: as many as NIST's own tool looks at
SAMPLES = 1_000_000  # that the publication asks for
RESTARTS = 1_000  # and the first so many samples after each
_SURE = 0.99
_DEAD = 0.02  # of its width: less is a source that can be foretold
_EVEN = 0.9  # of a bit: what the most common value leaves of an honest one, from 1,000 samples on
_SHORT = 0.8  # of that: less is a source that remembers
_MEMORY = ("Markov", "lag prediction", "MultiMMC prediction")

Advance = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Estimate:
    """What one estimator says: bits in a sample, or in a bit of it. None: too few samples."""

    name: str
    of_bits: bool  # of the samples taken apart into bits
    entropy: float | None


@dataclass(frozen=True)
class Assessment:
    """Of one sequence of samples."""

    samples: int
    width: int  # bits of a sample
    values: int  # different ones that came
    estimates: tuple[Estimate, ...]
    entropy: float  # bits a sample: the lowest

    @property
    def lowest(self) -> str:
        """The estimator that decided."""
        known = [estimate for estimate in self.estimates if estimate.entropy is not None]
        return min(known, key=self.per_sample).name if known else "one value only"

    def per_sample(self, estimate: Estimate) -> float:
        return (estimate.entropy or 0.0) * (self.width if estimate.of_bits else 1)

    @property
    def looks(self) -> str:
        """In one word, for the person at the bench; the figures decide."""
        if self.entropy < _DEAD * self.width:
            return "dead"
        of_bits = [each for each in self.estimates if each.of_bits or self.width == 1]
        common = next(each.entropy or 0.0 for each in of_bits if each.name == MOST_COMMON)
        if common < _EVEN:
            return "biased"
        memory = min(each.entropy or 0.0 for each in of_bits if each.name in _MEMORY)
        return "correlated" if memory < _SHORT * common else "even"


MOST_COMMON = "most common value"
Estimator = Callable[["_Data"], "float | None"]


class _Data:
    """Samples, and what two estimators share."""

    def __init__(self, samples: bytes) -> None:
        self.samples = samples
        self.tuples = cache(lambda: estimators.Tuples(samples))


# In the order of the publication; those of bits alone are marked.
_ESTIMATORS: tuple[tuple[str, bool, Estimator], ...] = (
    (MOST_COMMON, False, lambda data: estimators.most_common_value(data.samples)),
    ("collision", True, lambda data: estimators.collision(data.samples)),
    ("Markov", True, lambda data: estimators.markov(data.samples)),
    ("compression", True, lambda data: estimators.compression(data.samples)),
    ("t-tuple", False, lambda data: estimators.t_tuple(data.tuples())),
    ("longest repeated substring", False, lambda data: estimators.longest_repeated(data.tuples())),
    ("MultiMCW prediction", False, lambda data: predictors.multi_mcw(data.samples)),
    ("lag prediction", False, lambda data: predictors.lag(data.samples)),
    ("MultiMMC prediction", False, lambda data: predictors.multi_mmc(data.samples)),
    ("LZ78Y prediction", False, lambda data: predictors.lz78y(data.samples)),
)


def assess(samples: bytes, width: int, advance: Advance = lambda _what, _done, _total: None) -> Assessment:
    """Judge samples, one a byte. Those of several bits are judged whole and, taken apart, bit by bit."""
    values = len(set(samples))
    if values < 2:
        return Assessment(len(samples), width, values, (), 0.0)
    whole = _Data(samples)
    work = [(name, False, whole, run) for name, only_bits, run in _ESTIMATORS if width == 1 or not only_bits]
    if width > 1:
        apart = _Data(taken_apart(samples[: BITS_MAX // width + 1], width)[:BITS_MAX])
        work += [(name, True, apart, run) for name, _only_bits, run in _ESTIMATORS]
    found: list[Estimate] = []
    for name, of_bits, data, run in work:
        advance(name, len(found), len(work))
        found.append(Estimate(name, of_bits, run(data)))
    known = [each for each in found if each.entropy is not None]
    lowest = min((each.entropy or 0.0) * (width if each.of_bits else 1) for each in known)
    return Assessment(len(samples), width, values, tuple(found), min(float(width), lowest))


def taken_apart(samples: bytes, width: int) -> bytes:
    """The bits of samples, highest first, one a byte."""
    return bytes(sample >> shift & 1 for sample in samples for shift in range(width - 1, -1, -1))


# --- restarts ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Restarts:
    """The matrix of restarts, by rows (one restart each) and by columns (the same moment after each)."""

    rows: int  # and as many columns
    most: int  # times that one value came in a row or a column
    most_allowed: int
    by_row: Assessment
    by_column: Assessment
    needed: float  # bits a sample: half of what the source is taken to be worth

    @property
    def passes(self) -> bool:
        return self.most <= self.most_allowed and min(self.by_row.entropy, self.by_column.entropy) >= self.needed


def assess_restarts(
    matrix: list[bytes], width: int, worth: float, advance: Advance = lambda _what, _done, _total: None
) -> Restarts:
    """3.1.4: no value may be too common in a row or column, and neither way of reading may be worth less than half."""
    columns = [bytes(column) for column in zip(*matrix, strict=True)]
    most = max(max(Counter(line).values()) for line in (*matrix, *columns))
    return Restarts(
        len(matrix),
        most,
        most_allowed(len(matrix), worth),
        assess(b"".join(matrix), width, lambda what, done, total: advance(f"rows: {what}", done, 2 * total)),
        assess(
            b"".join(columns), width, lambda what, done, total: advance(f"columns: {what}", done + total, 2 * total)
        ),
        worth / 2,
    )


def most_allowed(size: int, worth: float) -> int:
    """How often a value may come in a row or column of so many samples: more happens to an honest source in one matrix
    of a hundred. NIST's tool simulates this; here the binomial tail is used, for as many likeliest values as fit."""
    p = 2.0**-worth
    if p >= 1:
        return size
    alpha = 1 - _SURE ** (1 / (2 * size))
    tail, count = 0.0, size
    while count > 0:
        logs = math.lgamma(size + 1) - math.lgamma(count + 1) - math.lgamma(size - count + 1)
        tail += math.exp(logs + count * math.log(p) + (size - count) * math.log1p(-p))
        if tail * math.ceil(1 / p) > alpha:
            break
        count -= 1
    return count
