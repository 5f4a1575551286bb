"""The look of pages and reports: one set of tokens, files that pages and reports share, and what a report consists of:
page, table, list of facts, plot."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from html import escape
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "web" / "page"
SHARED = ("tokens.css", "base.css", "dom.js", "svg.js", "plot.js", "live_states.js", "icon.svg")

_RULES = (
    ":root{--bad0:var(--series-2);--bad1:var(--series-3);--bad2:var(--series-4)}"
    "svg{font:13px var(--font)}svg text{fill:var(--muted)}"
    "svg .head{fill:var(--ink);font-size:15px;font-weight:600}svg .ink{fill:var(--ink)}"
    "svg .paper{fill:var(--surface)}svg .grid{stroke:var(--line);fill:none}svg .frame{stroke:var(--line);fill:none}"
    "svg .law{fill:var(--part)}svg .ours{fill:var(--series-1);stroke:var(--surface);stroke-width:1.2}"
    "svg .line{fill:none;stroke-width:2;stroke-linejoin:round}"
    "svg .bad0{stroke:var(--bad0)}svg .bad1{stroke:var(--bad1);stroke-dasharray:7 3}"
    "svg .bad2{stroke:var(--bad2);stroke-dasharray:2 3}"
    + "".join(f"svg .{c}{d}{{stroke:var(--{c}{d});fill:none}}" for c in "np" for d in range(1, 5))
)


def shared_files() -> dict[str, bytes]:
    """For a page of another package, by name."""
    return {name: (PAGE / name).read_bytes() for name in SHARED}


def tokens() -> str:
    return plain_css(PAGE / "tokens.css")


def report_style() -> str:
    """For a report that is one file: the tokens, and the elements that reports share."""
    return tokens() + plain_css(PAGE / "report.css")


# -- pieces of a report; texts are HTML already, but for titles and texts in plots -------------------------------------


def page(title: str, style: str, body: str) -> str:
    """One self-contained file for screen and paper, light and dark, without scripts."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"/>'
        '<meta name="viewport" content="width=device-width,initial-scale=1"/>'
        f"<title>{escape(title)}</title><style>{report_style()}{_RULES}{style}</style></head><body><main>\n"
        f"{body}\n</main></body></html>\n"
    )


def table(head: Iterable[str], rows: Iterable[Iterable[str]], foot: Iterable[Iterable[str]] = ()) -> str:
    """A cell is its text, or what `cell` makes."""
    below = f"<tfoot>{_rows('td', foot)}</tfoot>" if foot else ""
    return (
        f'<div class="wide"><table><thead>{_rows("th", [head])}</thead>'
        f"<tbody>{_rows('td', rows)}</tbody>{below}</table></div>"
    )


def cell(text: str, kind: str, tag: str = "td") -> str:
    return f'<{tag} class="{kind}">{text}</{tag}>' if kind else f"<{tag}>{text}</{tag}>"


def _rows(tag: str, rows: Iterable[Iterable[str]]) -> str:
    ready = (f"<{tag} ", f"<{tag}>")
    return "".join(
        f"<tr>{''.join(text if text.startswith(ready) else cell(text, '', tag) for text in row)}</tr>" for row in rows
    )


def facts(found: Mapping[str, str]) -> str:
    return "<dl>" + "".join(f"<dt>{escape(name)}</dt><dd>{text}</dd>" for name, text in found.items()) + "</dl>"


def svg(width: float, height: float, label: str, parts: Iterable[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" role="img" '
        f'aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )


def text(x: float, y: float, words: str, name: str = "", anchor: str = "") -> str:
    names = f' class="{name}"' if name else ""
    anchors = f' text-anchor="{anchor}"' if anchor else ""
    return f'<text x="{x:g}" y="{y:g}"{names}{anchors}>{escape(words)}</text>'


def standalone(drawing: str) -> str:
    """A plot as a file of its own: style and background inside."""
    head, _, body = drawing.partition(">")
    style = f"<style>{tokens()}{_RULES}</style>"
    return f'{head} xmlns="http://www.w3.org/2000/svg">{style}<rect class="paper" width="100%" height="100%"/>{body}\n'


def plain_css(path: Path) -> str:
    """Without comments and indentation: it is in every report."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s*([{};:,])\s*", r"\1", re.sub(r"\s+", " ", text)).strip()
