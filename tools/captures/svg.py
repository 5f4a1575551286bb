"""A terminal's screen as SVG: self-contained, monospaced, its text selectable, readable on light and dark pages."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from itertools import groupby

CELL_W, CELL_H = 8.4, 18
FONT_SIZE = 14
MARGIN = 14
FONTS = "ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace"
BACKGROUND, FOREGROUND = "#12181b", "#d5dcd8"
# Each has a contrast of at least 4.5 to 1 on the background.
COLOURS = {
    "black": "#8a9694",
    "red": "#ff8a7a",
    "green": "#6fd39a",
    "brown": "#e3c168",
    "yellow": "#e3c168",
    "blue": "#84b5f5",
    "magenta": "#d9a3e8",
    "cyan": "#7fd3d8",
    "white": "#d5dcd8",
    "brightblack": "#95a19f",
    "brightred": "#ffa598",
    "brightgreen": "#93e4b4",
    "brightbrown": "#f0d48a",
    "brightyellow": "#f0d48a",
    "brightblue": "#a8cbf8",
    "brightmagenta": "#e6bff0",
    "brightcyan": "#a2e4e8",
    "brightwhite": "#ffffff",
}


@dataclass(frozen=True)
class Style:
    """How a cell looks; "default" or a name of COLOURS, or six hexadecimal digits."""

    fg: str = "default"
    bg: str = "default"
    bold: bool = False
    underlined: bool = False


PLAIN = Style()
Cell = tuple[str, Style]


def render(rows: list[list[Cell]], columns: int, title: str) -> str:
    """One <text> a run of cells of the same style, each on a line of its own in the file."""
    width = columns * CELL_W + 2 * MARGIN
    height = len(rows) * CELL_H + 2 * MARGIN
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'font-family="{FONTS}" font-size="{FONT_SIZE}" fill="{FOREGROUND}">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="{BACKGROUND}"/>',
    ]
    for number, row in enumerate(rows):
        lines += _runs(row, MARGIN + number * CELL_H)
    return "\n".join([*lines, "</svg>", ""])


def _runs(row: list[Cell], top: float) -> list[str]:
    lines: list[str] = []
    column = 0
    for style, cells in groupby(row, key=lambda cell: cell[1]):
        text = "".join(data for data, _ in cells)
        size = len(text)
        x = MARGIN + column * CELL_W
        column += size
        if style.bg != "default":
            fill = _colour(style.bg)
            lines.append(f'<rect x="{x:g}" y="{top:g}" width="{size * CELL_W:g}" height="{CELL_H}" fill="{fill}"/>')
        if text.strip():
            lines.append(_text(text, style, x, top))
    return lines


def _text(text: str, style: Style, x: float, top: float) -> str:
    kept = text.rstrip() if style.bg == "default" and not style.underlined else text
    # The length is said, so that columns stand under each other in whatever font the reader has.
    length = len(kept) * CELL_W
    extra = f' fill="{_colour(style.fg)}"' if style.fg != "default" else ""
    extra += ' font-weight="bold"' if style.bold else ""
    extra += ' text-decoration="underline"' if style.underlined else ""
    return (
        f'<text x="{x:g}" y="{top + CELL_H - 5:g}" textLength="{length:g}" lengthAdjust="spacingAndGlyphs" '
        f'xml:space="preserve"{extra}>{escape(kept, quote=False)}</text>'
    )


def _colour(name: str) -> str:
    return COLOURS.get(name, f"#{name}")
