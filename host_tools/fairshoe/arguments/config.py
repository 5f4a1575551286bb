"""The arguments of `fairshoe config`."""

from __future__ import annotations

import argparse

from fairshoe.cli import settings

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
