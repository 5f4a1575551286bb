"""`fairshoe ports`: list ports and say which of them is a shoe."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from fairshoe.observe import discovery
from fairshoe.printable import printable, say
from fairshoe.text.screen import Screen, waiting

_FOUND = (discovery.SHOE, discovery.IN_USE, discovery.HALTED, discovery.SIMULATED)


def run(options: argparse.Namespace) -> int:
    with waiting("asking"):
        found = discovery.find(options.url, not options.no_ask, options.seconds)
    if options.json:
        say(json.dumps([asdict(each) for each in found], indent=1))
    elif not found:
        say("no serial device and no simulated shoe on this machine")
        say("  plug one in, name a URL (fairshoe ports tcp://HOST:PORT), or start one: fairshoe sim")
    else:
        _table(found)
    return 0 if options.no_ask or any(each.kind in _FOUND for each in found) else 1


def _table(found: list[discovery.FoundPort]) -> None:
    screen = Screen()
    rows = [("PORT", "WHAT", "DEVICE", "FIRMWARE", "GAME", "KEY", "ABOUT"), *map(_row, found)]
    widths = [max(len(row[i]) for row in rows) for i in range(6)]
    for number, row in enumerate(rows):
        text = "  ".join(f"{cell:{width}s}" for cell, width in zip(row, widths, strict=False)) + f"  {row[6]}"
        good = number and row[1] in _FOUND
        screen.line(text.rstrip(), "bold" if not number else "good" if good else "dim")


def _row(each: discovery.FoundPort) -> tuple[str, ...]:
    key = "-" if each.has_key is None else "yes" if each.has_key else "no"
    cells = (each.device, each.firmware, each.game)
    return tuple(map(printable, (each.port, each.kind, *(cell or "-" for cell in cells), key, each.about)))
