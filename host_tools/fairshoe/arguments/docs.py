"""The arguments of `fairshoe docs`."""

from __future__ import annotations

import argparse
from typing import Any

from fairshoe import pages

EPILOG = """\
examples:
  fairshoe docs                    list all pages and example programs
  fairshoe docs QUICKSTART         read one; in a pager on a terminal
  fairshoe docs 0016               a decision, by its number
  fairshoe docs print_events.py > print_events.py
      copy an example program
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = "Shows the documentation that belongs to this version."
    command.epilog = EPILOG
    page: Any = command.add_argument("page", nargs="?", metavar="PAGE", help="a page or example; lists all if left out")
    page.completes = [each.name for each in pages.everything()]
