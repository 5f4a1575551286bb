"""`fairshoe game`: list the games, and check whether game files can be played."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from fairshoe.games.profiles import game_names, inspect_game
from fairshoe.printable import printable

EPILOG = """\
examples:
  fairshoe game list
      the games that belong to this version
  fairshoe game check my-game.json
      everything that is wrong with a game file of your own
  fairshoe demo --game my-game.json
      then play it on a simulated shoe

More: fairshoe docs GAMES
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = "Lists games, and checks game files. A game is a JSON file: deck, stacks, rules and clauses."
    command.epilog = EPILOG
    actions = command.add_subparsers(dest="action", required=True)
    actions.add_parser("list", help="list the games that belong to this version")
    check = actions.add_parser("check", help="say whether game files can be played")
    check.add_argument("game", nargs="+", help="a game's name or the path of a .json file")
    check.add_argument("--json", action="store_true", help="one JSON object a line and game")


def run(options: argparse.Namespace) -> int:
    """0 if all are good, 3 if one is not."""
    if options.action == "list":
        print("\n".join(game_names()))
        return 0
    bad = 0
    for name in options.game:
        found = inspect_game(name)
        bad += not found.good
        if options.json:
            print(json.dumps({**asdict(found), "good": found.good}))
        elif found.good:
            print(f"{printable(name)}: good (code {found.code}, {found.clauses} clauses)")
        else:
            print(f"{printable(name)}: cannot be played")
            for problem in found.problems:
                print(f"  {printable(problem)}")
    return 3 if bad else 0
