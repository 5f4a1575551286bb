"""`python -m captures [--check | --list] [NAME...]`: takes captures, or compares them with those in docs/captures."""

from __future__ import annotations

import argparse
import sys
import time

from web.browser import find_chromium

from captures import pages
from captures.catalogue import CAPTURES
from captures.compare import FOLDER, difference, steady
from captures.pages import PAGES
from captures.player import Capture, CaptureError, record
from captures.svg import render


def main() -> int:
    parser = argparse.ArgumentParser("captures", description="Take captures for the documentation: terminals, pages.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="some of them; all if none is named")
    parser.add_argument("--check", action="store_true", help="change nothing; status 1 if one is stale")
    parser.add_argument("--list", action="store_true", help="say which there are")
    options = parser.parse_args()
    known = {capture.name: capture for capture in CAPTURES}
    if options.list:
        print(*(f"{capture.name:16s} {capture.title}" for capture in CAPTURES), *PAGES, sep="\n")
        return 0
    unknown = [name for name in options.names if name not in known and name not in PAGES]
    if unknown:
        parser.error(f"no capture {', '.join(unknown)}; there are {', '.join([*known, *PAGES])}")
    names = options.names or [*known, *PAGES]
    try:
        status = take([known[name] for name in names if name in known], options.check)
        return take_pages([name for name in names if name in PAGES], options.check) or status
    except KeyboardInterrupt:
        print("\ncaptures: interrupted", file=sys.stderr)
        return 130


def take_pages(names: list[str], check: bool) -> int:
    """Pictures of pages differ by a pixel from one browser to the next: they are taken and not compared."""
    if names and check:
        print(f"captures: pictures of pages are not compared: {', '.join(names)}")
    elif names and not find_chromium():
        print(f"captures: NOT TAKEN for want of Chromium: {', '.join(names)}; `make test-web` installs it")
        return 1
    elif names:
        pages.take(names)
    return 0


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
    """Its outcome; the first word in capitals if there is something to do."""
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
