"""The arguments of `fairshoe explain`."""

from __future__ import annotations

import argparse

EPILOG = """\
examples:
  fairshoe explain CS-13e          a clause of a game's rules
  fairshoe explain jam_throat      a warning, and what to do
  fairshoe explain stack_taken     an event or another message, with its fields
  fairshoe explain 9               an exit status
  fairshoe explain slot_count      a key of a board config
  fairshoe explain remainder       a word
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = "Explains a name that fairshoe prints, in a few lines, and names the page to read on."
    command.epilog = EPILOG
    command.add_argument("name", nargs="+", metavar="NAME", help="what to explain; hyphens, blanks and _ are the same")
    command.add_argument("--json", action="store_true", help="print a list of objects: name, kind, lines, page")
