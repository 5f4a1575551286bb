"""The arguments of `fairshoe help`."""

from __future__ import annotations

import argparse
from typing import Any

from fairshoe.cli.registry import COMMANDS

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
