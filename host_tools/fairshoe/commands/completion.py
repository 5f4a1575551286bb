"""`fairshoe completion`: print a completion script for a shell."""

from __future__ import annotations

import argparse

from fairshoe.cli import shell_completion
from fairshoe.cli.command_line import full_parser
from fairshoe.printable import say


def run(options: argparse.Namespace) -> int:
    say(shell_completion.script(full_parser(), options.shell), end="")
    return 0
