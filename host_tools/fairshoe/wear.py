"""Wear: figures of a machine over its decks, and which of them show a part that wears.

    series = Series()
    series.take(meters, wear)        # whenever they come: one point for each deck at most
    series.serviced(event)           # the trends of this part begin again
    for finding in series.findings():
        finding.text                 # pick latency 31 to 44 ms in 3,000 decks: pick roller

All figures are means or counts over whole decks, which do not depend on the order of one (docs/decisions/0110). A
series compares its first decks with its last ones. A finding needs a change that matters (`limit`) and that the spread
between neighbouring points does not explain (SIGMAS, CHANCE_MAX); so a day of other cards or a cold room is none.

A series keeps POINTS_MAX points: when there are more, neighbours are merged, so that 100,000 decks take 10 KB.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from math import exp, isfinite, lgamma, log, sqrt
from pathlib import Path
from statistics import median
from typing import Any

from fairshoe.files import write_whole
from fairshoe.messages import Meters, Part, Serviced, Wear

POINTS_MAX = 128
DECKS_MIN = 100  # since the part was serviced; fewer say nothing
SIGMAS = 6.0  # of a mean time
CHANCE_MAX = 1e-7  # of a count
COUNT_MIN = 10  # misfeeds and the like among the last decks
SETTLED = 5  # decks after a service in which the mean of the device still has what was before
# Optical inputs. Meters counts the glitches of each; the dark test of the firmware checks those that are wired.
BEAMS = ("hopper", "throat_a", "throat_b", "opacity", "slot", "exit", "tray", "arrival", "cut")


@dataclass(frozen=True)
class Point:
    """What a device had counted and measured when `cycles` decks were through. Times are means of `weight` readings."""

    cycles: int
    feed_us: float
    throat_us: float
    cards: int
    misfeeds: int
    stalls: int
    glitches: int
    weight: int = 1

    def merged(self, later: Point) -> Point:
        weight = self.weight + later.weight
        feed_us = (self.feed_us * self.weight + later.feed_us * later.weight) / weight
        throat_us = (self.throat_us * self.weight + later.throat_us * later.weight) / weight
        counts = (later.cards, later.misfeeds, later.stalls, later.glitches)
        return Point(later.cycles, round(feed_us, 1), round(throat_us, 1), *counts, weight)


@dataclass(frozen=True)
class Trend:
    """One figure, from the first decks to the last ones. `worn`: it is a finding; `curve`: it after so many decks."""

    name: str
    unit: str
    before: float
    now: float
    decks: int
    part: Part
    worn: bool
    curve: tuple[tuple[int, float], ...] = ()

    def to_json(self) -> dict[str, Any]:
        known = {name: value for name, value in asdict(self).items() if name != "curve"}
        return {**known, "part": self.part.name.lower(), "text": self.text}

    @property
    def text(self) -> str:
        first, last = (
            (f"{it:.1f}" if max(self.before, self.now) < 20 else f"{it:.0f}") for it in (self.before, self.now)
        )
        part = f": {self.part.name.lower().replace('_', ' ')}" if self.worn else ""
        decks = round(self.decks, 2 - len(str(self.decks)))
        return f"{self.name} {first} to {last} {self.unit} in {decks:,} decks{part}"


@dataclass(frozen=True)
class _Figure:
    """A row of FIGURES. `limit` is the ratio of the last decks to the first from which a change matters."""

    name: str
    unit: str
    part: Part
    limit: float
    value: Callable[[Point], float]
    counts: bool = False  # a count over the device's life, judged per 1,000 cards; otherwise a time in microseconds

    def curve(self, points: Sequence[Point]) -> tuple[tuple[int, float], ...]:
        if not self.counts:
            return tuple((it.cycles, round(self.value(it) / 1000, 2)) for it in points)
        return tuple(
            (b.cycles, round(1000 * max(self.value(b) - self.value(a), 0) / max(b.cards - a.cards, 1), 2))
            for a, b in pairwise(points)
        )


FIGURES = (
    _Figure("pick latency", "ms", Part.PICK_ROLLER, 1.15, lambda it: it.feed_us),
    _Figure("misfeeds", "per 1,000 cards", Part.PICK_ROLLER, 3.0, lambda it: it.misfeeds, True),
    _Figure("time in the throat", "ms", Part.TRANSPORT_ROLLERS, 1.04, lambda it: it.throat_us),
    _Figure("stalls", "per 1,000 cards", Part.TRANSPORT_ROLLERS, 3.0, lambda it: it.stalls, True),
    _Figure("beam glitches", "per 1,000 cards", Part.BEAMS, 3.0, lambda it: it.glitches, True),
)


@dataclass
class Series:
    """One device. `since` has by part after how many decks it was last serviced."""

    points: list[Point] = field(default_factory=list[Point])
    since: dict[Part, int] = field(default_factory=dict[Part, int])

    def take(self, meters: Meters, wear: Wear | None) -> bool:
        """Whether this is a new point: a deck more than the last. Fewer decks are other storage: it begins again."""
        last = self.points[-1].cycles if self.points else 0
        if meters.cycles < last:
            self.points, self.since = [], {}
        elif meters.cycles == last:
            return False
        throat_us = wear.throat_us if wear is not None else 0
        glitches = sum(getattr(meters, beam) for beam in BEAMS)
        counts = (meters.cards, meters.misfeeds, meters.stalls, glitches)
        self.points.append(Point(meters.cycles, meters.feed_us, throat_us, *counts))
        if len(self.points) > POINTS_MAX:
            self._halve()
        return True

    def serviced(self, part: Part, cycles: int) -> None:
        """After so many decks; an older record that is read a second time changes nothing."""
        self.since[part] = max(cycles, self.since.get(part, 0))

    def trends(self) -> list[Trend]:
        """Every figure that has enough decks."""
        found = [_trend(figure, self._after(self.since.get(figure.part))) for figure in FIGURES]
        return [trend for trend in found if trend is not None]

    def findings(self) -> list[Trend]:
        return [trend for trend in self.trends() if trend.worn]

    def _after(self, cycles: int | None) -> Sequence[Point]:
        return self.points if cycles is None else [it for it in self.points if it.cycles >= cycles + SETTLED]

    def _halve(self) -> None:
        """Merge neighbours, but none over a service: a new part has no old decks."""
        merged: list[Point] = []
        for it in self.points:
            service = any(
                merged and merged[-1].cycles <= cycles + SETTLED < it.cycles for cycles in self.since.values()
            )
            if merged and not service and merged[-1].weight + it.weight <= 2 * self._weight():
                merged[-1] = merged[-1].merged(it)
            else:
                merged.append(it)
        self.points = merged

    def _weight(self) -> int:
        """What each point has after merging, if all are alike."""
        return max(1, sum(it.weight for it in self.points) // POINTS_MAX)

    def to_json(self) -> dict[str, Any]:
        rows = [[getattr(it, name) for name in Point.__dataclass_fields__] for it in self.points]
        return {"format": 1, "points": rows, "since": {part.name.lower(): it for part, it in self.since.items()}}

    @staticmethod
    def from_json(data: Any) -> Series:
        """What `to_json` made; an empty one of anything else: a lost trend is no reason to stop."""
        with contextlib.suppress(KeyError, TypeError, ValueError, AttributeError):
            if data["format"] == 1:
                since = {Part[name.upper()]: int(cycles) for name, cycles in data["since"].items()}
                points = [Point(*row) for row in data["points"]]
                if all(isfinite(it) and it >= 0 for row in data["points"] for it in row) and all(
                    it.weight >= 1 for it in points
                ):
                    return Series(points, since)
        return Series()


def _trend(figure: _Figure, points: Sequence[Point]) -> Trend | None:
    if len(points) < 4 or not all(figure.counts or figure.value(it) for it in (points[0], points[-1])):
        return None
    decks = points[-1].cycles - points[0].cycles
    if decks < DECKS_MIN:
        return None
    span = max(DECKS_MIN // 2, decks // 10)
    first = [it for it in points if it.cycles <= points[0].cycles + span]
    last = [it for it in points if it.cycles >= points[-1].cycles - span]
    judge = _counted if figure.counts else _timed
    before, now, worn = judge(figure, points, first, last)
    return Trend(figure.name, figure.unit, before, now, decks, figure.part, worn, figure.curve(points))


def _timed(
    figure: _Figure, points: Sequence[Point], first: Sequence[Point], last: Sequence[Point]
) -> tuple[float, float, bool]:
    def mean(some: Sequence[Point]) -> float:
        return sum(figure.value(it) * it.weight for it in some) / sum(it.weight for it in some)

    before, now = mean(first), mean(last)
    steps = [abs(figure.value(b) - figure.value(a)) / sqrt(1 / a.weight + 1 / b.weight) for a, b in pairwise(points)]
    spread = max(median(steps) / 0.6745, before / 300)  # neighbours share cards of the device's mean: not below 0.3 %
    error = spread * sqrt(1 / sum(it.weight for it in first) + 1 / sum(it.weight for it in last))
    worn = now >= figure.limit * before and now - before >= SIGMAS * error
    return before / 1000, now / 1000, worn


def _counted(
    figure: _Figure, _points: Sequence[Point], first: Sequence[Point], last: Sequence[Point]
) -> tuple[float, float, bool]:
    def counted(some: Sequence[Point]) -> tuple[float, int]:
        """A count that fell was not counted by one device: nothing is known of it."""
        return max(figure.value(some[-1]) - figure.value(some[0]), 0), max(some[-1].cards - some[0].cards, 1)

    (count, cards), (count_now, cards_now) = counted(first), counted(last)
    rate, rate_now = 1000 * count / cards, 1000 * count_now / cards_now
    worn = count_now >= COUNT_MIN and rate_now >= figure.limit * rate
    chance = _tail(int(count + count_now), int(count_now), cards_now / (cards + cards_now)) if worn else 1.0
    return rate, rate_now, chance < CHANCE_MAX


def _tail(total: int, least: int, share: float) -> float:
    """How likely `least` or more of `total` fall on the last cards if nothing has changed. Exact: counts are small, and
    six standard deviations of a small count are not rare."""
    first = lgamma(total + 1) - lgamma(least + 1) - lgamma(total - least + 1)
    term = tail = exp(first + least * log(share) + (total - least) * log(1 - share))
    for it in range(least, total):
        term *= (total - it) / (it + 1) * share / (1 - share)
        tail += term
        if term <= tail * 1e-9:  # beyond the mean terms only fall
            break
    return tail


class WearFile:
    """The series of one device, in a file of a host without a floor: `wear-DEVICE.json` in the folder of its store."""

    def __init__(self, folder: Path, device: int) -> None:
        self.device = device
        self.path = folder / f"wear-{device:08x}.json"
        try:
            self.series = Series.from_json(json.loads(self.path.read_text()))
        except (OSError, ValueError):
            self.series = Series()

    def take(self, meters: Meters, wear: Wear | None) -> bool:
        """Whether it is a new point."""
        return self.series.take(meters, wear) and self._written()

    def serviced(self, event: Serviced) -> bool:
        if self.series.since.get(event.part) == event.cycles:
            return False
        self.series.serviced(event.part, event.cycles)
        return self._written()

    def keep(self, series: Series) -> None:
        """What another one has taken."""
        self.series = series
        self._written()

    def _written(self) -> bool:
        """A folder that cannot be written costs the trend, and nothing else."""
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, json.dumps(self.series.to_json()) + "\n")
        return True
