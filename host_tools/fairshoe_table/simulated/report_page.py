"""The report of a simulation as one HTML page with plots: return by wager with confidence limits, hand frequencies, and
the running return of all wagers."""

from __future__ import annotations

from html import escape
from math import log10

from fairshoe.look import page as whole_page
from fairshoe.look import svg, table, text
from fairshoe_table.simulated.returns import ALL, Report

WIDTH, LEFT, RIGHT = 760, 210, 740
ROW = 26
SURE = 1.96  # standard errors of a confidence of 95 %
STYLE = """
main{max-width:50rem}svg{width:100%}
svg text{font:12px var(--font);fill:var(--ink)}
.bar{fill:var(--series-1)}.grid{stroke:var(--line)}.even,.known{stroke:var(--muted);stroke-width:2}
.sure{stroke:var(--series-2);stroke-width:2}.dot{fill:var(--series-2)}
.band{fill:var(--series-1);opacity:.22}.line{fill:none;stroke:var(--series-1);stroke-width:2}
"""


def page(report: Report) -> str:
    title = f"{report.game}: {report.rounds:,} rounds"
    rows = [
        [escape(name), f"{it.number:,}", f"{it.returned:.4%}", f"\u00b1 {SURE * it.error:.4%}", _known(known)]
        for name, it, known in report.rows()
    ]
    found = table(["wager", "number", "return", "95 % confidence", "known return"], rows)
    return whole_page(
        title,
        STYLE,
        f"<h1>{escape(title)}</h1><p>Simulated through the settlement code of the reference table system, which is not "
        f"certified: seed {report.seed}, one player with every wager that the game offers, by the rules of the "
        f"simulated players.</p><h2>Return by wager</h2><p>What comes back of the stakes. 100 % is even; an orange "
        f"line is the 95 % confidence, a grey mark the known return.</p>{_returns(report)}{found}"
        f"<h2>Hands</h2><p>Share of the rounds. Bars are on a logarithmic scale.</p>{_hands(report)}"
        f"<h2>Return of all wagers together, with 95 % confidence</h2>{_history(report)}",
    )


def _known(value: float | None) -> str:
    return "" if value is None else f"{value:.4%}"


def _returns(report: Report) -> str:
    """A dot for each wager, and its confidence as a line; the grid is in steps of 10 %, or of 20 % if it is wide."""
    rows = list(report.rows())
    ends = [it.returned + sign * SURE * it.error for _, it, _ in rows for sign in (-1, 1)]
    low, high = int(min([*ends, 0.8]) * 10) / 10, int(max([*ends, 1.0]) * 10 + 1) / 10
    scale = (RIGHT - LEFT) / (high - low)
    height = ROW * (len(rows) + 1) + 8
    parts: list[str] = []
    step = 1 if high - low <= 1 else 2
    for tenth in range(round(low * 10), round(high * 10) + 1):
        if tenth % step == 0:
            x = LEFT + (tenth / 10 - low) * scale
            kind = "even" if tenth == 10 else "grid"
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{height - ROW:g}" class="{kind}"/>')
            parts.append(text(x, height - 8, f"{tenth * 10} %", anchor="middle"))
    for place, (name, it, known) in enumerate(rows):
        y = ROW * place + 18
        if known is not None:
            x = LEFT + (known - low) * scale
            parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{y - 8}" y2="{y + 8}" class="known"/>')
        left, x, right = (LEFT + (it.returned + sign * SURE * it.error - low) * scale for sign in (-1, 0, 1))
        parts.append(text(LEFT - 10, y + 4, name, anchor="end"))
        parts.append(f'<line x1="{left:.1f}" x2="{right:.1f}" y1="{y}" y2="{y}" class="sure"/>')
        parts.append(f'<circle cx="{x:.1f}" cy="{y}" r="4" class="dot"/>')
    return svg(WIDTH, height, "return by wager", parts)


def _hands(report: Report) -> str:
    """Bars on a scale of powers of ten, because a royal flush is one in 649,740."""
    counts = report.hands.most_common()
    decades = max(log10(report.rounds), 1.0)
    scale = (RIGHT - LEFT - 150) / decades
    parts: list[str] = []
    for place, (name, number) in enumerate(counts):
        y = ROW * place + 6
        wide = max((decades - log10(report.rounds / number)) * scale, 2.0)
        parts.append(text(LEFT - 10, y + 14, name, anchor="end"))
        parts.append(f'<rect x="{LEFT}" y="{y}" width="{wide:.1f}" height="{ROW - 8}" class="bar"/>')
        parts.append(text(LEFT + wide + 6, y + 14, f"{number:,} ({number / report.rounds:.4%})"))
    return svg(WIDTH, ROW * len(counts) + 10, "frequencies of hands", parts)


def _history(report: Report) -> str:
    points = report.history[len(report.history) // 20 :]  # the first ones are too wide to show the others
    if not points:
        return ""
    low = min(one.returned - SURE * one.error for one in points)
    high = max(one.returned + SURE * one.error for one in points)
    height, span = 240, (high - low) or 1.0
    x = [60 + (RIGHT - 60) * one.rounds / report.rounds for one in points]

    def at(value: float) -> float:
        return 14 + (height - 44) * (high - value) / span

    def grid(value: float) -> tuple[str, str]:
        y = f"{at(value):.1f}"
        line = f'<line x1="60" x2="{RIGHT}" y1="{y}" y2="{y}" class="grid"/>'
        return line, text(54, at(value) + 4, f"{value:.2%}", anchor="end")

    upper = [f"{left:.1f},{at(one.returned + SURE * one.error):.1f}" for left, one in zip(x, points, strict=True)]
    lower = [f"{left:.1f},{at(one.returned - SURE * one.error):.1f}" for left, one in zip(x, points, strict=True)]
    middle = " ".join(f"{left:.1f},{at(one.returned):.1f}" for left, one in zip(x, points, strict=True))
    parts = [part for value in (high, low, points[-1].returned) for part in grid(value)]
    parts += [
        f'<polygon points="{" ".join([*upper, *reversed(lower)])}" class="band"/>',
        f'<polyline points="{middle}" class="line"/>',
        text(x[0], height - 6, f"{points[0].rounds:,} rounds"),
        text(RIGHT, height - 6, f"{report.rounds:,} rounds", anchor="end"),
    ]
    return svg(WIDTH, height, f"return of {ALL} after so many rounds", parts)
