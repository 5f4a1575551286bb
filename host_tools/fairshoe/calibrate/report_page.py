"""A calibration as a page: old and new figures, their spread and stated error, and plots; one HTML file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from fairshoe import look
from fairshoe.bench.report_plots import STYLE, Point, bars
from fairshoe.calibrate.derive import Line

_PLOTS = {
    "transport_um_per_ms": ("Speed of each card at throat A", "um/ms"),
    "hand_um_per_ms": ("Speed of the hand with each card", "um/ms"),
    "throat_gap_um": ("Distance of the throat beams, by each card", "um"),
    "pick_latency_us_max": ("Pick latency, sorted", "us"),
    "ejector_us": ("Ejector back home", "us"),
}
_UNSEEN = """\
Card length; speed limit and ramps of the axis; heat and wear; the opacity line under two cards. The
place of the exit beam holds half the arm's stroke, that of the tray the card's rest."""
_UNSEEN_DRAWN = """\
Card length; how far throat A is from the front card, on which nothing depends. The longest draw is at
least twice the longest of these; the edge rate holds for the fastest hand that docs/BOARDS.md assumes."""


def page(board: str, lines: Sequence[Line], series: Mapping[str, Sequence[float]], shots: int) -> str:
    rows = "".join(
        f"<tr><td>{line.key}</td><td>{line.old}</td><td>{line.new}</td><td>{_change(line)}</td>"
        f"<td>{line.spread_text}</td><td>{_error(line)}</td>"
        f"<td>{line.count or ''}</td><td>{escape(line.part)}</td></tr>"
        for line in lines
    )
    heads = ("figure", "old", "new", "change", "spread", "stated error", "from", "part")
    plots = "".join(
        bars(title, unit, "card", [Point(str(n), round(value)) for n, value in enumerate(series[name], 1)])
        for name, (title, unit) in _PLOTS.items()
        if len(series.get(name, ())) > 1
    )
    body = f"""\
<h1>Calibration of {escape(board)}</h1>
<p class="soft">{shots} short motions. Speeds follow from the length of a card, which was entered.</p>
<div class="wide"><table><thead><tr>{"".join(f"<th>{head}</th>" for head in heads)}</tr></thead>
<tbody>{rows}</tbody></table></div>
<h2>Plots</h2>{plots}
<h2>What was not measured</h2>
<p class="soft">{_UNSEEN_DRAWN if "hand_um_per_ms" in series else _UNSEEN}</p>"""
    return look.page(f"fairshoe calibration, {board}", STYLE, body)


def _change(line: Line) -> str:
    return f"{100 * (line.new - line.old) / line.old:+.1f} %" if line.old else ""


def _error(line: Line) -> str:
    return "derived" if line.error is None else "exact" if not line.error else f"± {line.error:.0f}"
