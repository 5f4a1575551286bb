"""Plots of the shuffle test as SVG, for light and dark: heat maps of positions, distributions beside their laws."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fairshoe.look import svg, text
from fairshoe.shuffle.exact_laws import Law
from fairshoe.shuffle.stats import Tally
from fairshoe.shuffle.trial import Outcome

# Standard deviations from the expected count; a map of honest chance has a third of its cells beyond one.
_STEPS = (1.0, 2.0, 3.0, 4.0)
_CELL = 4
_GAP = 36


@dataclass(frozen=True)
class Series:
    """The counted values of one shuffler, under the name that the legend gives them."""

    label: str
    counts: Sequence[int]


# --- heat maps ---------------------------------------------------------------------------------


def heat_maps(outcomes: Sequence[Outcome]) -> str:
    cards = outcomes[0].tally.cards
    side = cards * _CELL
    width = len(outcomes) * (side + _GAP) + 12
    parts = [text(4, 18, f"Which card lies where: {cards} × {cards} cells, standard deviations from even", "head")]
    for number, outcome in enumerate(outcomes):
        left = 36 + number * (side + _GAP)
        parts.append(text(left, 46, outcome.name, "ink"))
        parts.append(f'<rect class="frame" x="{left - 1}" y="54" width="{side + 2}" height="{side + 2}"/>')
        cells = _cells(outcome.tally)
        parts.append(f'<g transform="translate({left} 55) scale({_CELL})">{cells}</g>')
    middle = 55 + side / 2
    parts.append(
        f'<text text-anchor="middle" transform="translate(20 {middle:.0f}) rotate(-90)">place before the shuffle</text>'
    )
    parts.append(text(36, side + 76, "place in the shuffled deck, from the top"))
    parts.append(_heat_legend(width - 12, side + 66))
    label = "Heat maps of card positions: " + ", ".join(outcome.name for outcome in outcomes)
    return svg(width, side + 92, label, parts)


def _cells(tally: Tally) -> str:
    """Cells of one colour as one stroked path: a table of thousands of cells in a few kilobytes."""
    n = tally.cards
    mean = tally.shuffles / n
    spread = math.sqrt(mean * (1 - 1 / n))
    paths: dict[str, list[str]] = {}
    for card in range(n):
        row = [_step((count - mean) / spread) for count in tally.position[card * n : card * n + n]]
        start = 0
        for place in range(1, n + 1):
            if place == n or row[place] != row[start]:
                if row[start]:
                    paths.setdefault(row[start], []).append(f"M{start} {card}.5h{place - start}")
                start = place
    return "".join(f'<path class="{name}" d="{"".join(moves)}"/>' for name, moves in sorted(paths.items()))


def _step(z: float) -> str:
    """The colour class of a deviation; "" if there is nothing to see."""
    level = sum(abs(z) >= step for step in _STEPS)
    return f"{'p' if z > 0 else 'n'}{level}" if level else ""


def _heat_legend(right: float, top: float) -> str:
    names = ["n4", "n3", "n2", "n1", "", "p1", "p2", "p3", "p4"]
    left = right - len(names) * 16 - 64
    parts = [text(left - 6, top + 11, "fewer  −4", anchor="end")]
    for i, name in enumerate(names):
        if name:
            parts.append(f'<path class="{name}" stroke-width="12" d="M{left + 16 * i} {top + 6.5}h16"/>')
    parts.append(f'<rect class="frame" x="{left}" y="{top}.5" width="{len(names) * 16}" height="12"/>')
    parts.append(text(left + len(names) * 16 + 6, top + 11, "+4  more"))
    return "".join(parts)


# --- distributions -----------------------------------------------------------------------------


def distribution(title: str, axis: str, law: Law, ours: Series, bad: Sequence[Series]) -> str:
    """Bars for the exact law, dots for our shuffle, lines for the bad shufflers."""
    curves = [_shares(series.counts) for series in (ours, *bad)]
    exact = [0.0] * law.first + law.probabilities()
    exact += [0.0] * (len(curves[0]) - len(exact))
    low, high = _range([exact, *curves])
    top = max(max(shares[low : high + 1]) for shares in [exact, *curves]) * 1.06
    left, right, upper, lower = 56, 724, 92, 330
    step = (right - left) / (high - low + 1)

    def x(value: int) -> float:
        return left + (value - low + 0.5) * step

    def y(share: float) -> float:
        return lower - share / top * (lower - upper)

    parts = [text(4, 18, title, "head"), _legend(ours, bad), _shares_axis(top, left, right, y)]
    every = 1 if high - low < 26 else 2
    values = range(low, high + 1)
    parts += [text(x(v), lower + 18, str(v), anchor="middle") for v in values if (v - low) % every == 0]
    parts.append(text((left + right) / 2, lower + 40, axis, anchor="middle"))
    for v in values:
        if exact[v] > 0:
            wide, height = step * 0.72, lower - y(exact[v])
            corner = f'x="{x(v) - wide / 2:.1f}" y="{y(exact[v]):.1f}"'
            parts.append(f'<rect class="law" {corner} width="{wide:.1f}" height="{height:.1f}"/>')
    for number, shares in enumerate(curves[1:]):
        # Only where there is anything, and down to the axis beside it: lines on the axis would hide each other.
        seen = [v for v in values if any(shares[max(v - 1, 0) : v + 2])]
        points = " ".join(f"{x(v):.1f},{y(shares[v]):.1f}" for v in seen)
        parts.append(f'<polyline class="line bad{number}" points="{points}"/>')
    for v in values:
        if exact[v] > 1e-5 or curves[0][v]:
            parts.append(f'<circle class="ours" cx="{x(v):.1f}" cy="{y(curves[0][v]):.1f}" r="4.5"/>')
    return svg(744, lower + 52, title, parts)


def _shares(counts: Sequence[int]) -> list[float]:
    total = sum(counts)
    return [count / total for count in counts]


def _range(curves: Sequence[Sequence[float]]) -> tuple[int, int]:
    """Values that a curve reaches in one deck of a thousand."""
    seen = [value for value in range(len(curves[0])) if any(shares[value] > 0.001 for shares in curves)]
    return seen[0], seen[-1]


def _legend(ours: Series, bad: Sequence[Series]) -> str:
    parts = ['<rect class="law" x="56" y="34" width="12" height="14"/>', text(74, 46, "uniform, exact", "ink")]
    parts += ['<circle class="ours" cx="218" cy="41" r="4.5"/>', text(230, 46, ours.label, "ink")]
    for number, series in enumerate(bad):
        left = 56 + number * 228
        parts.append(f'<path class="line bad{number}" d="M{left} 64h22"/>')
        parts.append(text(left + 28, 69, series.label, "ink"))
    return "".join(parts)


def _shares_axis(top: float, left: float, right: float, y: Callable[[float], float]) -> str:
    unit = next(unit for unit in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if top / unit <= 6)
    parts: list[str] = []
    for number in range(int(top / unit) + 1):
        at = y(number * unit)
        parts.append(f'<path class="grid" d="M{left} {at:.1f}H{right}"/>')
        parts.append(text(left - 8, at + 4, f"{number * unit:.0%}", anchor="end"))
    return "".join(parts)
