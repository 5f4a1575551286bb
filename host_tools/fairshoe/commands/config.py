"""`fairshoe config`: show settings with their origin; check board configs."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict

from fairshoe.cli import settings
from fairshoe.errors import BoardError
from fairshoe.printable import printable
from fairshoe.ship.game_fit import inspect_with_game

EPILOG = """\
examples:
  fairshoe config show
      every setting, and where it comes from
  fairshoe config check my-board.json
      everything that is wrong with a board config
"""
SHOW_EPILOG = """\
settings, by name in the file and by environment variable:
{table}

The settings file is $XDG_CONFIG_HOME/fairshoe/config.toml, with ~/.config if
that is unset, or the one named by FAIRSHOE_CONFIG or --config FILE:

  port = "/dev/ttyACM0"
  key_file = "table.key"     # relative to the folder of this file
"""


def add_arguments(config: argparse.ArgumentParser) -> None:
    config.description = "Shows the settings of this program, and checks board configs."
    config.epilog = EPILOG
    actions = config.add_subparsers(dest="action", required=True)
    table = "\n".join(f"  {each.name:11s} {each.variable:20s} {each.about}" for each in settings.SETTINGS)
    show = actions.add_parser(
        "show",
        help="print every setting and where it comes from",
        epilog=SHOW_EPILOG.format(table=table),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    show.add_argument("--json", action="store_true", help="as one JSON object")
    for each in settings.SETTINGS:
        kind = float if each.kind == "number" else str
        word = "--port" if each.name == "port" else each.flag
        show.add_argument(word, dest=each.name, type=kind, metavar="X", help="as if a command had been given this")
    check = actions.add_parser("check", help="say whether board configs can work")
    check.add_argument("board", nargs="+", help="a board's name or the path of a .json file")
    check.add_argument("--json", action="store_true", help="one JSON object a line and board")


def run(options: argparse.Namespace) -> int:
    return _show(options) if options.action == "show" else _check(options)


def _show(options: argparse.Namespace) -> int:
    found = settings.load(options)
    if options.json:
        entries = {name: asdict(value) for name, value in found.values.items()}
        print(json.dumps({"file": str(found.path), "exists": found.path.exists(), "settings": entries}))
        return 0
    print(f"settings file  {found.path}{'' if found.path.exists() else '  (there is none)'}")
    for name, value in found.values.items():
        shown = "-" if value.value is None else f"{value.value:g}" if isinstance(value.value, float) else value.value
        print(f"  {name:11s}  {shown:32s}  {'not set' if value.value is None else value.origin}")
    return 0


def _check(options: argparse.Namespace) -> int:
    bad = 0
    for name in options.board:
        found = inspect_with_game(name)
        bad += not found.good
        if options.json:
            print(json.dumps({**asdict(found), "crc": f"{found.crc:08x}", "good": found.good}))
        elif found.good:
            print(
                f"{printable(name)}: good ({found.kind} on {found.mcu}, crc {found.crc:08x}); count assurance"
                f" {found.count_assurance}: {found.meaning}"
            )
            if found.noise:
                print(f"  on this chip {found.noise}")
        else:
            print(f"{printable(name)}: cannot work")
            for problem in found.problems:
                print(f"  {printable(problem)}")
    if bad:
        raise BoardError(
            f"{bad} of {len(options.board)} board configs cannot work.",
            "What is wrong is listed above; docs/BOARDS.md explains the rules.",
        )
    return 0
