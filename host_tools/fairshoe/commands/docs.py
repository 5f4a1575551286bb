"""`fairshoe docs`: read the pages of the documentation and the example programs, without a network."""

from __future__ import annotations

import argparse
import pydoc
import sys
from typing import Any

from fairshoe import pages
from fairshoe.errors import Exit
from fairshoe.printable import printable

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


def run(options: argparse.Namespace) -> int:
    if options.page is None:
        _list()
        return Exit.DONE
    text = pages.find(options.page).path.read_text("utf-8")
    if sys.stdout.isatty():
        pydoc.pager("\n".join(printable(line) for line in text.splitlines()))
    else:
        sys.stdout.write(text)
    return Exit.DONE


def _list() -> None:
    for kind, title in pages.KINDS.items():
        print(f"{title}:")
        for page in pages.everything():
            if page.kind == kind and not page.name.startswith("0"):
                print(f"  {page.name:20s} {page.title.split(': python ')[0]}"[:79])
    print("\nfairshoe docs NAME shows one of them.")
