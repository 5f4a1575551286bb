"""Plots of a bench report as SVG, in the style of the shuffle test: bars and their limit, counts per deck."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

from fairshoe.look import svg, text

WIDTH = 760
_LEFT, _RIGHT, _TOP, _HEIGHT = 58, WIDTH - 16, 40, 150
_BAR_MAX = 44.0
_LABELS_MAX = 24
# Steps of an axis that people read without thinking.
_STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 5000, 10000)

STYLE = (
    "svg .bar{fill:var(--series-1)}svg .over{fill:var(--warn)}svg .limit{stroke:var(--warn);stroke-width:1.5;"
    "stroke-dasharray:6 4;fill:none}svg .limittext{fill:var(--warn)}svg .good{fill:var(--series-1)}"
    "svg .wrong{fill:var(--warn)}svg .asked{stroke:var(--muted);stroke-width:2;fill:none}"
)


@dataclass(frozen=True)
class Point:
    """A value under its label; `wrong` if it is not what it had to be."""

    label: str
    value: float
    wrong: bool = False


def bars(title: str, unit: str, below: str, points: Sequence[Point], limit: float | None = None) -> str:
    """One bar a point, and the limit as a line that none of them may pass."""
    highest = max([point.value for point in points] + ([limit] if limit is not None else []))
    unit_step, top = _axis(0, highest * 1.08 or 1.0)
    y = _scale(0, top)
    parts = [text(4, 18, f"{title} ({unit})", "head"), _grid(0, top, unit_step, y)]
    pitch = (_RIGHT - _LEFT) / len(points)
    wide = min(pitch * 0.7, _BAR_MAX)
    for index, point in enumerate(points):
        middle = _LEFT + pitch * (index + 0.5)
        high = y(0) - y(point.value)
        over = point.wrong or (limit is not None and point.value > limit)
        parts.append(
            f'<rect class="{"over" if over else "bar"}" x="{middle - wide / 2:.1f}" y="{y(point.value):.1f}" '
            f'width="{wide:.1f}" height="{max(high, 0.5):.1f}"><title>{escape(point.label)}: {point.value:g} '
            f"{escape(unit)}</title></rect>"
        )
        if len(points) <= _LABELS_MAX // 2:
            # Inside where there is room: above a bar that is nearly too high stands the limit.
            inside = high > 24
            at = y(point.value) + (15 if inside else -5)
            parts.append(text(middle, at, f"{point.value:g}", "paper" if inside else "ink", "middle"))
    if limit is not None:
        parts.append(f'<path class="limit" d="M{_LEFT} {y(limit):.1f}H{_RIGHT}"/>')
        parts.append(text(_RIGHT, y(limit) - 5, f"limit {limit:g}", "limittext", "end"))
    parts.append(_labels([point.label for point in points], pitch))
    parts.append(text(_LEFT, _TOP + _HEIGHT + 36, below))
    return svg(WIDTH, _TOP + _HEIGHT + 44, title, parts)


def counts(title: str, below: str, decks: Sequence[tuple[str, int, Sequence[int], bool]]) -> str:
    """For every deck what was put in, as a line, and every count of it, as dots: label, put in, counts, right."""
    values = [value for _label, put_in, counted, _right in decks for value in (put_in, *counted)]
    step, top = _axis(min(values) - 1, max(values) + 1)
    bottom = min(values) - 1
    y = _scale(bottom, top)
    pitch = (_RIGHT - _LEFT) / len(decks)
    parts = [text(4, 18, title, "head"), _grid(bottom, top, step, y)]
    for index, (label, put_in, counted, right) in enumerate(decks):
        middle = _LEFT + pitch * (index + 0.5)
        half = min(pitch * 0.42, 26.0)
        parts.append(f'<path class="asked" d="M{middle - half:.1f} {y(put_in):.1f}H{middle + half:.1f}"/>')
        gap = min(half / max(len(counted), 1), 9.0)
        for number, value in enumerate(counted):
            at = middle + (number - (len(counted) - 1) / 2) * gap * 1.4
            name = "good" if right else "wrong"
            parts.append(
                f'<circle class="{name}" cx="{at:.1f}" cy="{y(value):.1f}" r="4"><title>deck {escape(label)}: put in '
                f"{put_in}, counted {value}</title></circle>"
            )
    parts.append(_labels([label for label, _put_in, _counted, _right in decks], pitch))
    parts.append(text(_LEFT, _TOP + _HEIGHT + 36, below))
    return svg(WIDTH, _TOP + _HEIGHT + 44, title, parts)


def _axis(bottom: float, highest: float) -> tuple[float, float]:
    """The step of the axis, and its upper end."""
    span = highest - bottom
    step = next((step for step in _STEPS if span / step <= 6), span / 5)
    if span <= 1:
        step = 0.2
    return step, highest


def _scale(bottom: float, top: float) -> Callable[[float], float]:
    return lambda value: _TOP + _HEIGHT - (value - bottom) / (top - bottom) * _HEIGHT


def _grid(bottom: float, top: float, step: float, y: Callable[[float], float]) -> str:
    parts: list[str] = []
    number = -(-bottom // step)  # the first multiple that is not below
    while number * step <= top:
        at = y(number * step)
        parts.append(f'<path class="grid" d="M{_LEFT} {at:.1f}H{_RIGHT}"/>')
        parts.append(text(_LEFT - 8, at + 4, f"{number * step:g}", anchor="end"))
        number += 1
    return "".join(parts)


def _labels(labels: Sequence[str], pitch: float) -> str:
    every = -(-len(labels) // _LABELS_MAX)
    return "".join(
        text(_LEFT + pitch * (index + 0.5), _TOP + _HEIGHT + 17, label, anchor="middle")
        for index, label in enumerate(labels)
        if index % every == 0
    )
