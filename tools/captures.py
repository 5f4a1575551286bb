"""Takes the terminal captures of the documentation: real commands, a simulated shoe, docs/captures/NAME.svg.

    python tools/captures.py [NAME...]            take them, and say which changed
    python tools/captures.py --check [NAME...]    take them and compare; status 1 if one is stale
    python tools/captures.py --list               which there are

Times, keys and commitments that a screen shows are those of the run: they and the live line make no capture stale.
"""

from __future__ import annotations

import argparse
import difflib
import html
import re
import sys
import time

from captures_list import CAPTURES
from captures_run import ROOT, Capture, CaptureError, record
from captures_svg import render

FOLDER = ROOT / "docs" / "captures"
ELAPSED = r"\d+\.\d s\b"
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


def main() -> int:
    parser = argparse.ArgumentParser(description="Take the terminal captures of the documentation.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="some of them; all if none is named")
    parser.add_argument("--check", action="store_true", help="change nothing; status 1 if one is stale")
    parser.add_argument("--list", action="store_true", help="say which there are")
    options = parser.parse_args()
    known = {capture.name: capture for capture in CAPTURES}
    if options.list:
        print(*(f"{capture.name:16s} {capture.title}" for capture in CAPTURES), sep="\n")
        return 0
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"no capture {', '.join(unknown)}; there are {', '.join(known)}")
    try:
        return take([known[name] for name in options.names or known], options.check)
    except KeyboardInterrupt:
        print("\ncaptures: interrupted", file=sys.stderr)
        return 130


def take(captures: list[Capture], check: bool) -> int:
    wrong: list[str] = []
    for capture in captures:
        begin = time.monotonic()
        print(f"captures: {capture.name} ...", end=" ", flush=True)
        try:
            outcome = _take(capture, check)
        except CaptureError as error:
            outcome = f"FAILED {error}\n"
        if outcome.split()[0].isupper():
            wrong.append(capture.name)
        print(f"{outcome} ({time.monotonic() - begin:.1f} s)", flush=True)
    if wrong:
        print(f"captures: {', '.join(wrong)}; take stale ones again with: make captures", file=sys.stderr)
    return 1 if wrong else 0


def _take(capture: Capture, check: bool) -> str:
    """Its outcome; the first word in capitals if somebody has to do something."""
    path = FOLDER / f"{capture.name}.svg"
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    new = render(record(capture), capture.columns, capture.title)
    was, now = steady(old, capture.vary), steady(new, capture.vary)
    if was == now:
        return "the same"
    if check:
        return f"STALE\n{difference(was, now)}\n" if old else "MISSING"
    FOLDER.mkdir(exist_ok=True)
    path.write_text(new, encoding="utf-8")
    return "changed" if old else "new"


if __name__ == "__main__":
    sys.exit(main())
