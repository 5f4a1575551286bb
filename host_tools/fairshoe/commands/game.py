"""`fairshoe game`: list the games, and check whether game files can be played."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from fairshoe.games.profiles import game_names, inspect_game
from fairshoe.printable import printable, say
from fairshoe.ship.game_fit import lawful_dealings


def run(options: argparse.Namespace) -> int:
    """0 if all are good, 3 if one is not."""
    if options.action == "list":
        say("\n".join(game_names()))
        return 0
    bad = 0
    for name in options.game:
        found = inspect_game(name)
        bad += not found.good
        if options.json:
            say(json.dumps({**asdict(found), "good": found.good}))
        elif found.good:
            say(f"{printable(name)}: good (code {found.code}, {found.clauses} clauses)")
            for line in lawful_dealings(found.code):
                say(f"  {line}")
        else:
            say(f"{printable(name)}: cannot be played")
            for problem in found.problems:
                say(f"  {printable(problem)}")
    return 3 if bad else 0
