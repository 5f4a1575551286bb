"""The six estimators of SP 800-90B 6.3.1 to 6.3.6 that count: each gives a lower bound of the min-entropy of a sample.

Written from the publication, without numpy: a million samples take seconds, and a verdict about noise should be short
enough to read. Three of them are defined for bits alone. Numbers of the publication that its examples change are
arguments. None as a result: too few samples for this estimator, which then says nothing.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise, repeat
from operator import mul

Z = 2.5758293035489008  # the 99.5 % quantile of the normal distribution: bounds hold with 99 %
_BLOCK = 6  # bits of a block of the compression estimate
_SPREAD = 0.5907  # its standard deviation, corrected for blocks that depend on each other
_HALVINGS = 48  # of the interval in which its p is searched: to 14 digits
_SORTED_BY = 48  # samples of a suffix that the first sort looks at; random data differ in fewer
REPEATS_MIN = 35  # occurrences that make a tuple common


def upper_bound(p: float, samples: int) -> float:
    """Of a probability that was seen as p in so many samples."""
    return min(1.0, p + Z * math.sqrt(p * (1.0 - p) / (samples - 1)))


def bits(p: float) -> float:
    """The min-entropy of a sample that is guessed with probability p."""
    return max(0.0, -math.log2(p))


def most_common_value(samples: bytes) -> float:
    """6.3.1"""
    return bits(upper_bound(max(Counter(samples).values()) / len(samples), len(samples)))


def collision(samples: bytes) -> float | None:
    """6.3.2: how soon a value is repeated. Of bits: after two samples or after three."""
    at = searches = threes = 0
    last = len(samples) - 1
    while at < last:
        if samples[at] == samples[at + 1]:
            at += 2
        elif at + 1 < last:
            threes += 1
            at += 3
        else:
            break
        searches += 1
    if searches < 2:
        return None
    mean = at / searches
    squares = 4 * (searches - threes) + 9 * threes
    spread = math.sqrt(max(0.0, squares - at * mean) / (searches - 1))
    low = max(2.0, mean - Z * spread / math.sqrt(searches))
    # The publication's equation for p is, of bits, low = 2 + 2p - 2p^2.
    return bits(0.5 + math.sqrt(1.25 - 0.5 * low)) if low < 2.5 else 1.0


def markov(samples: bytes) -> float:
    """6.3.3: the likeliest of all sequences of 128 bits, if a bit depends on the one before it."""
    ones = samples.count(1)
    first = (1 - ones / len(samples), ones / len(samples))
    pairs = Counter(pairwise(samples))
    after = [[0.0, 0.0], [0.0, 0.0]]
    for was in (0, 1):
        total = pairs[was, 0] + pairs[was, 1]
        for now in (0, 1):
            after[was][now] = pairs[was, now] / total if total else 0.0
    best = math.inf
    for one in (0, 1):
        other = 1 - one
        # All that can be the likeliest: constant, alternating, and constant from the second on.
        for steps in (
            (((one, one), 127),),
            (((one, other), 64), ((other, one), 63)),
            (((one, other), 1), ((other, other), 126)),
        ):
            factors = [(first[one], 1), *((after[was][now], count) for (was, now), count in steps)]
            if all(p > 0 for p, _ in factors):
                best = min(best, -sum(count * math.log2(p) for p, count in factors))
    return max(0.0, min(1.0, best / 128))


def compression(samples: bytes, learnt: int = 1000) -> float | None:
    """6.3.4: Maurer's statistic, how long ago a block of six bits came last. The first `learnt` blocks only teach."""
    text = samples.translate(bytes(range(48, 256)) + bytes(48))
    blocks = [int(text[at : at + _BLOCK], 2) for at in range(0, len(text) - _BLOCK + 1, _BLOCK)]
    counted = len(blocks) - learnt
    if counted < 2:
        return None
    seen = dict.fromkeys(range(1 << _BLOCK), 0)
    distances: Counter[int] = Counter()
    for number, block in enumerate(blocks, 1):
        if number > learnt:
            distances[number - seen[block]] += 1
        seen[block] = number
    logs = {distance: math.log2(distance) for distance in distances}
    mean = math.fsum(count * logs[distance] for distance, count in distances.items()) / counted
    square = math.fsum(count * logs[distance] ** 2 for distance, count in distances.items()) / (counted - 1)
    low = mean - Z * _SPREAD * math.sqrt(max(0.0, square - mean * mean)) / math.sqrt(counted)
    expected = _Expected(len(blocks), learnt)
    if expected.of(1 / (1 << _BLOCK)) <= low:
        return 1.0
    low_p, high_p = 1 / (1 << _BLOCK), 1.0
    for _ in range(_HALVINGS):
        middle = (low_p + high_p) / 2
        if expected.of(middle) > low:
            low_p = middle
        else:
            high_p = middle
    return bits(high_p) / _BLOCK


class _Expected:
    """The statistic's expectation if one block has probability p and the others share the rest evenly."""

    def __init__(self, blocks: int, learnt: int) -> None:
        logs = [math.log2(number) for number in range(1, blocks + 1)]
        self.counted = blocks - learnt
        # Distance u below its block's number t: for each t from learnt + 1 on. Distance t: never seen before.
        self.inside = [(blocks - max(learnt, u)) * logs[u - 1] for u in range(1, blocks)]
        self.first = [0.0] * learnt + logs[learnt:]

    def of(self, p: float) -> float:
        others = (1 << _BLOCK) - 1
        return self._term(p) + others * self._term((1 - p) / others)

    def _term(self, p: float) -> float:
        if p <= 0:
            return 0.0
        # What comes later than this is below the smallest number.
        reach = len(self.first) if p < 1e-9 else min(len(self.first), int(740 / -math.log1p(-p)) + 2) if p < 1 else 1
        powers = list(accumulate(repeat(1 - p, reach - 1), mul, initial=1.0))
        inside, first = sum(map(mul, self.inside, powers)), sum(map(mul, self.first, powers))
        return p * (p * inside + first) / self.counted


# --- tuples ------------------------------------------------------------------------------------


class Tuples:
    """For each length: how often its most common tuple occurs, and how many pairs of places have the same tuple.

    From the sorted suffixes and how much neighbours share. A stretch of suffixes that share `depth` samples is a tuple
    of that length, and of all lengths down to what the stretch around it shares."""

    def __init__(self, samples: bytes) -> None:
        self.size = len(samples)
        shared = _shared_prefixes(samples)
        self.longest = max(shared, default=0)
        self.most = [1] * (self.longest + 2)
        self.pairs = [0] * (self.longest + 2)
        stretches = [(0, 0)]
        for at, depth in enumerate([*shared[1:], 0], 1):
            left = at - 1
            while stretches[-1][0] > depth:
                length, left = stretches.pop()
                count = at - left
                self.most[length] = max(self.most[length], count)
                self.pairs[length] += count * (count - 1) // 2
                self.pairs[max(depth, stretches[-1][0])] -= count * (count - 1) // 2
            if stretches[-1][0] < depth:
                stretches.append((depth, left))
        for length in range(self.longest - 1, 0, -1):
            self.most[length] = max(self.most[length], self.most[length + 1])
            self.pairs[length] += self.pairs[length + 1]

    def common(self, repeats_min: int) -> int:
        """The first length of which no tuple is common."""
        length = 1
        while length <= self.longest and self.most[length] >= repeats_min:
            length += 1
        return length


def t_tuple(tuples: Tuples, repeats_min: int = REPEATS_MIN) -> float | None:
    """6.3.5"""
    end = tuples.common(repeats_min)
    if end == 1:
        return None
    p = max((tuples.most[t] / (tuples.size - t + 1)) ** (1 / t) for t in range(1, end))
    return bits(upper_bound(p, tuples.size))


def longest_repeated(tuples: Tuples, repeats_min: int = REPEATS_MIN) -> float | None:
    """6.3.6"""
    begin = tuples.common(repeats_min)
    if begin > tuples.longest:
        return None
    p = 0.0
    for length in range(begin, tuples.longest + 1):
        places = tuples.size - length + 1
        p = max(p, (tuples.pairs[length] / (places * (places - 1) // 2)) ** (1 / length))
    return bits(upper_bound(p, tuples.size))


def _sorted_suffixes(samples: bytes) -> tuple[list[int], list[int]]:
    """Where suffixes begin, in their order, and the rank of each place. Those that begin alike for `span` samples are
    sorted by the rank of what comes `span` later, with the span doubled until none is left."""
    size = len(samples)
    span = _SORTED_BY
    order = sorted(range(size), key=lambda at: samples[at : at + span])
    rank = [0] * size
    groups: list[tuple[int, int]] = []
    begin = 0
    for i in range(1, size + 1):
        if i == size or samples[order[i] : order[i] + span] != samples[order[begin] : order[begin] + span]:
            for place in order[begin:i]:
                rank[place] = begin
            if i - begin > 1:
                groups.append((begin, i))
            begin = i
    while groups:
        todo, groups = groups, []
        renewed: list[tuple[int, int]] = []
        for begin, end in todo:

            def later(place: int, span: int = span) -> int:
                return rank[place + span] if place + span < size else -1

            members = sorted(order[begin:end], key=later)
            order[begin:end] = members
            keys = [later(place) for place in members]
            first = 0
            while first < len(members):
                last = bisect_left(keys, keys[first] + 1, first)
                renewed += [(place, begin + first) for place in members[first:last]]
                if last - first > 1:
                    groups.append((begin + first, begin + last))
                first = last
        for place, new in renewed:
            rank[place] = new
        span *= 2
    return order, rank


def _shared_prefixes(samples: bytes) -> Sequence[int]:
    """How many samples each sorted suffix shares with the one before it (Kasai and others, 2001)."""
    order, rank = _sorted_suffixes(samples)
    size = len(samples)
    shared = [0] * size
    length = 0
    for place in range(size):
        if rank[place] == 0:
            length = 0
            continue
        other = order[rank[place] - 1]
        while max(place, other) + length < size and samples[place + length] == samples[other + length]:
            length += 1
        shared[rank[place]] = length
        length = max(0, length - 1)
    return shared
