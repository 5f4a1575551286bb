"""The arguments of `fairshoe keys`."""

from __future__ import annotations

import argparse

EPILOG = """\
examples:
  fairshoe keys new keys
      make a device key and the keys of all roles, in the folder keys
  fairshoe sim --key-file keys/device.key --mode table
      a simulated shoe with that key, which takes commands
  fairshoe round --key-file keys/table.key
      then, in a second terminal: a round under commands

A real device gets its key from `fairshoe provision`.
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = "Makes keys for a simulated shoe or a test: a device key and the keys of all roles."
    command.epilog = EPILOG
    actions = command.add_subparsers(dest="action", required=True, metavar="ACTION")
    new = actions.add_parser("new", help="make keys", description=command.description)
    new.epilog = EPILOG
    new.add_argument("folder", metavar="FOLDER", help="for the key files; no file in it is overwritten")
