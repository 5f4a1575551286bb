"""The four estimators of SP 800-90B 6.3.7 to 6.3.10 that guess: each sample is predicted from those before it.

What counts is the share of right guesses and the longest run of them. Each predictor has several guesses at hand and
takes the one that was right most often so far; where two are equal, the later one of the publication's order.
"""

from __future__ import annotations

import math

from fairshoe.noise.estimators import bits, upper_bound

_NO_RUN = math.log(0.99)  # how sure it must be that a run as long as the longest is no accident
WINDOWS = (63, 255, 1023, 4095)
LAGS = 128
DEPTH = 16
MODEL_MAX = 100_000  # pairs of context and sample that MultiMMC keeps for each depth
DICTIONARY_MAX = 65_536  # contexts that LZ78Y keeps

Entry = list[int]  # of a context: what follows most often, how often; then pairs of sample and count


def multi_mcw(samples: bytes, windows: tuple[int, ...] = WINDOWS) -> float | None:
    """6.3.7: the most common value of the last 63, 255, 1,023 and 4,095 samples; of two, the one seen last."""
    if len(samples) < windows[-1] + 1:
        return None
    values = sorted(set(samples))
    counts = [dict.fromkeys(values, 0) for _ in windows]
    last = dict.fromkeys(values, -1)
    common = [values[0]] * len(windows)
    score = [0] * len(windows)
    guesses = _Guesses()
    best = 0
    for at, sample in enumerate(samples):
        if at >= windows[0]:
            guesses.add(common[best] == sample)
        last[sample] = at
        for number, window in enumerate(windows):
            tally = counts[number]
            lost = False
            if at >= window:
                if common[number] == sample:
                    score[number] += 1
                    if score[number] >= score[best]:
                        best = number
                gone = samples[at - window]
                tally[gone] -= 1
                lost = gone == common[number]
            tally[sample] += 1
            if lost:
                common[number] = max(values, key=lambda value, tally=tally: (tally[value], last[value]))
            elif tally[sample] >= tally[common[number]]:
                common[number] = sample
    return guesses.bits(len(values))


def lag(samples: bytes, lags: int = LAGS) -> float:
    """6.3.8: the sample that came 1 to 128 before."""
    size = len(samples)
    backwards = samples[::-1]
    score = [0] * lags
    guesses = _Guesses()
    best = 0
    for at in range(1, size):
        sample = samples[at]
        guesses.add(at > best and samples[at - best - 1] == sample)
        begin = size - at
        end = begin + lags
        place = backwards.find(sample, begin, end)
        while place >= 0:
            number = place - begin
            score[number] += 1
            if score[number] >= score[best]:
                best = number
            place = backwards.find(sample, place + 1, end)
    return guesses.bits(len(set(samples)))


def multi_mmc(samples: bytes, depth: int = DEPTH) -> float:
    """6.3.9: what followed most often on the last 1 to 16 samples."""
    models: list[dict[bytes, Entry]] = [{} for _ in range(depth + 1)]
    room = [MODEL_MAX] * (depth + 1)
    score = [0] * (depth + 1)
    guesses = _Guesses()
    best = 1
    for at in range(1, len(samples)):
        sample = samples[at]
        found = right = False
        winner = best
        for length in range(1, min(depth, at) + 1):
            entry = models[length].get(samples[at - length : at]) if found or length == 1 else None
            found = entry is not None
            if entry is not None:
                if entry[0] == sample:
                    score[length] += 1
                    right |= length == winner
                    if score[length] >= score[best]:
                        best = length
                room[length] -= _count(entry, sample, room[length] > 0)
            elif room[length]:
                models[length][samples[at - length : at]] = [sample, 1, sample, 1]
                room[length] -= 1
        if at > 1:
            guesses.add(right)
    return guesses.bits(len(set(samples)))


def lz78y(samples: bytes, depth: int = DEPTH, dictionary_max: int = DICTIONARY_MAX) -> float | None:
    """6.3.10: the same from one dictionary of limited size; of all lengths the context that was seen most often."""
    if len(samples) < depth + 2:
        return None
    entries: dict[bytes, Entry] = {}
    guesses = _Guesses()
    for at in range(depth, len(samples)):
        sample = samples[at]
        guess, most = -1, 0
        for length in range(depth, 0, -1):
            context = samples[at - length : at]
            entry = entries.get(context)
            if entry is not None:
                if entry[1] > most:
                    guess, most = entry[0], entry[1]
                _count(entry, sample, True)
            elif len(entries) < dictionary_max:
                entries[context] = [sample, 1, sample, 1]
        if at > depth:
            guesses.add(guess == sample)
    return guesses.bits(len(set(samples)))


def _count(entry: Entry, sample: int, may_add: bool) -> bool:
    """One more of a sample behind a context. Whether that pair is new. Of two as frequent, the higher value leads."""
    at = 2
    while at < len(entry) and entry[at] != sample:
        at += 2
    new = at == len(entry)
    if new:
        if not may_add:
            return False
        entry += (sample, 0)
    count = entry[at + 1] = entry[at + 1] + 1
    if count > entry[1] or (count == entry[1] and sample > entry[0]):
        entry[0], entry[1] = sample, count
    return new


class _Guesses:
    """Right and wrong guesses in a row."""

    def __init__(self) -> None:
        self.made = self.right = self.run = self.longest = 0

    def add(self, right: bool) -> None:
        self.made += 1
        if right:
            self.right += 1
            self.run += 1
            if self.run > self.longest:
                self.longest = self.run
        else:
            self.run = 0

    def bits(self, values: int) -> float:
        """The min-entropy, by the share of right guesses or by the longest run of them, whichever says less."""
        share = self.right / self.made
        p = upper_bound(share, self.made) if self.right else 1 - 0.01 ** (1 / self.made)
        p = max(p, 1 / values)
        if p < 1 and self._no_run(p) > _NO_RUN:
            p = self._local(p)
        return bits(p)

    def _local(self, low: float) -> float:
        """The probability at which a longer run than the longest is missing in one case of a hundred."""
        high = 1.0
        while high - low > 1e-14:
            middle = (low + high) / 2
            if self._no_run(middle) > _NO_RUN:
                low = middle
            else:
                high = middle
        return high

    def _no_run(self, p: float) -> float:
        """The logarithm of the probability that guesses right with p never make a run one longer than the longest
        (Feller's approximation). `excess` is the root less 1, so that it keeps its digits when it is tiny."""
        run, q = self.longest + 1, 1 - p
        excess = 0.0
        for _ in range(66):
            excess = q * math.exp(run * math.log(p) + (run + 1) * math.log1p(excess))
        left, right = q - p * excess, 1 - run * excess
        if left <= 0 or right <= 0 or q <= 0:
            return -math.inf
        return math.log(left) - math.log(right) - math.log(q) - (self.made + 1) * math.log1p(excess)
