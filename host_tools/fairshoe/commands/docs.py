"""`fairshoe docs`: read the pages of the documentation and the example programs, without a network."""

from __future__ import annotations

import argparse
import pydoc
import sys

from fairshoe import pages
from fairshoe.errors import Exit
from fairshoe.printable import printable, say


def run(options: argparse.Namespace) -> int:
    if options.page is None:
        _list()
        return Exit.DONE
    text = pages.find(options.page).path.read_text("utf-8")
    if sys.stdout.isatty():
        pydoc.pager("\n".join(printable(line) for line in text.splitlines()))
    else:
        say(text, end="")
    return Exit.DONE


def _list() -> None:
    for kind, title in pages.KINDS.items():
        say(f"{title}:")
        for page in pages.everything():
            if page.kind == kind and not page.name.startswith("0"):
                say(f"  {page.name:20s} {page.title.split(': python ')[0]}"[:79])
    say("\nfairshoe docs NAME shows one of them.")
