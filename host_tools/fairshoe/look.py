"""The look of pages and reports: one set of tokens, and files of the page that other pages and reports share."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).resolve().parent / "web" / "page"
SHARED = ("tokens.css", "base.css", "dom.js", "svg.js", "plot.js", "live_states.js", "icon.svg")


def shared_files() -> dict[str, bytes]:
    """For a page of another package, by name."""
    return {name: (PAGE / name).read_bytes() for name in SHARED}


def tokens() -> str:
    return plain_css(PAGE / "tokens.css")


def report_style() -> str:
    """For a report that is one file: the tokens, and the elements that reports share."""
    return tokens() + plain_css(PAGE / "report.css")


def plain_css(path: Path) -> str:
    """Without comments and indentation: it is in every report."""
    text = re.sub(r"/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    return re.sub(r"\s*([{};:,])\s*", r"\1", re.sub(r"\s+", " ", text)).strip()
