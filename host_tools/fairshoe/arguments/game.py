"""The arguments of `fairshoe game`."""

from __future__ import annotations

import argparse

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
