"""`fairshoe help`: print the help of the program or of one command."""

from __future__ import annotations

import argparse
from typing import Any

from fairshoe.cli import command_line
from fairshoe.cli.registry import COMMANDS
from fairshoe.errors import Exit, UsageError

EPILOG = """\
examples:
  fairshoe help                    list all commands
  fairshoe help journal verify     the same as fairshoe journal verify --help
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = "Prints what a command does, its arguments and examples."
    command.epilog = EPILOG
    words: Any = command.add_argument("words", nargs="*", metavar="COMMAND", help="a command and its subcommand")
    words.completes = list(COMMANDS)


def run(options: argparse.Namespace) -> int:
    known: argparse.ArgumentParser = command_line.parser(*options.words[:1])
    for word in options.words:
        choices = next(iter(command_line.inner_parsers(known)), None)
        if choices is None or word not in choices:
            raise UsageError(f"there is no command {' '.join(options.words)!r}.", f"See {known.prog} --help.")
        known = choices[word]
    known.print_help()
    return Exit.DONE
