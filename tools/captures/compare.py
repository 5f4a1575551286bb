"""Compares two drawings of a capture. Times, keys, commitments and the live line differ from run to run and are left
out of the comparison."""

from __future__ import annotations

import difflib
import html
import re

from captures.player import ROOT

FOLDER = ROOT / "docs" / "captures"
ELAPSED = r"\d+\.\d s\b|\b\d+:\d\d\.\d\b|\b\d\d:\d\d:\d\d\b"
PLACE = re.compile(r' (?:x|textLength)="[^"]*"')
SPACES = re.compile(r" +")
TEXT = re.compile(r'<text y="([^"]*)"[^>]*>([^<]*)</text>')
HEX = re.compile(r"\b[0-9a-f]{12,}\b")
LIVE = re.compile(r"^<text [^\n]*>&gt; [^\n]*$", re.MULTILINE)


def steady(svg: str, vary: tuple[str, ...] = ()) -> str:
    """What is the same in every run. Places and lengths follow from the text, whose numbers may have more digits."""
    svg = PLACE.sub("", HEX.sub("0", LIVE.sub("", svg)))
    for pattern in (ELAPSED, *vary):
        svg = re.sub(pattern, " - ", svg)
    return SPACES.sub(" ", svg)


def difference(old: str, new: str) -> str:
    """Lines of the terminal that are not the same, of two steady captures; a line is what stands at one height."""
    stored, now = _lines(old), _lines(new)
    lines = difflib.unified_diff(stored, now, "stored", "now", lineterm="", n=0)
    return "\n".join(f"    {line}" for line in lines)


def _lines(svg: str) -> list[str]:
    rows: dict[str, str] = {}
    for y, text in TEXT.findall(svg):
        rows[y] = rows.get(y, "") + html.unescape(text)
    return list(rows.values())
