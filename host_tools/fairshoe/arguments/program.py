"""The arguments of the commands that are about this program: explain, docs, help, version, completion."""

from __future__ import annotations

import argparse
from typing import Any

from fairshoe.cli.options import add_key
from fairshoe.cli.registry import ABOVE, COMMANDS


def add_explain(command: argparse.ArgumentParser) -> None:
    command.add_argument("name", nargs="+", metavar="NAME", help="what to explain; hyphens, blanks and _ are the same")
    command.add_argument("--why", action="store_true", help="of a clause also our reading, with its reasons")
    command.add_argument("--json", action="store_true", help="print a list of objects: name, kind, lines, page")


def add_docs(command: argparse.ArgumentParser) -> None:
    from fairshoe import pages  # here: plain `fairshoe` and `fairshoe help` do without

    page: Any = command.add_argument("page", nargs="?", metavar="PAGE", help="a page or example; lists all if left out")
    page.completes = [each.name for each in pages.everything()]


def add_help(command: argparse.ArgumentParser) -> None:
    words: Any = command.add_argument("words", nargs="*", metavar="COMMAND", help="a command and its subcommand")
    words.completes = [*COMMANDS, *ABOVE]
    command.add_argument("--all", action="store_true", help="list every command, not those of every day alone")


def add_version(command: argparse.ArgumentParser) -> None:
    command.add_argument("--json", action="store_true", help="as one JSON object")


def add_support(command: argparse.ArgumentParser) -> None:
    command.add_argument("port", nargs="?", metavar="PORT", help="a shoe to ask; without it none is asked")
    add_key(command)
    command.add_argument("--journal", metavar="EXPORT", help="what `fairshoe journal pull` wrote")
    command.add_argument("--log", metavar="FILE", help="a log, of which the last 500 lines go along")
    command.add_argument("--board", help="the board's name or .json file")
    command.add_argument("--rounds", action="store_true", help="events about decks and rounds too")
    command.add_argument(
        *("-o", "--out"), default="fairshoe-support.tar.gz", metavar="FILE", help="a new file (%(default)s)"
    )


def add_completion(command: argparse.ArgumentParser) -> None:
    command.add_argument("shell", choices=["bash", "fish", "zsh"])
