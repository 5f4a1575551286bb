"""`fairshoe config`: show settings with their origin; check board configs."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from fairshoe.cli import settings
from fairshoe.errors import BoardError
from fairshoe.printable import printable, say
from fairshoe.ship.game_fit import inspect_with_game


def run(options: argparse.Namespace) -> int:
    return _show(options) if options.action == "show" else _check(options)


def _show(options: argparse.Namespace) -> int:
    found = settings.load(options)
    if options.json:
        entries = {name: asdict(value) for name, value in found.values.items()}
        say(json.dumps({"file": str(found.path), "exists": found.path.exists(), "settings": entries}))
        return 0
    say(f"settings file  {found.path}{'' if found.path.exists() else '  (there is none)'}")
    for name, value in found.values.items():
        shown = "-" if value.value is None else f"{value.value:g}" if isinstance(value.value, float) else value.value
        say(f"  {name:11s}  {shown:32s}  {'not set' if value.value is None else value.origin}")
    return 0


def _check(options: argparse.Namespace) -> int:
    bad = 0
    for name in options.board:
        found = inspect_with_game(name)
        bad += not found.good
        if options.json:
            say(json.dumps({**asdict(found), "crc": f"{found.crc:08x}", "good": found.good}))
        elif found.good:
            say(
                f"{printable(name)}: good ({found.kind} on {found.mcu}, crc {found.crc:08x}); count assurance"
                f" {found.count_assurance}: {found.meaning}"
            )
        else:
            say(f"{printable(name)}: cannot work")
            for problem in found.problems:
                say(f"  {printable(problem)}")
    if bad:
        raise BoardError(
            f"{bad} of {len(options.board)} board configs cannot work.",
            "What is wrong is listed above; docs/BOARDS.md explains the rules.",
        )
    return 0
