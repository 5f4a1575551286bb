"""`fairshoe help`: print the help of the program or of one command."""

from __future__ import annotations

import argparse

from fairshoe.cli import command_line
from fairshoe.errors import Exit, UsageError


def run(options: argparse.Namespace) -> int:
    known: argparse.ArgumentParser = command_line.parser(*options.words[:1])
    for word in options.words:
        choices = next(iter(command_line.inner_parsers(known)), None)
        if choices is None or word not in choices:
            raise UsageError(f"there is no command {' '.join(options.words)!r}.", f"See {known.prog} --help.")
        known = choices[word]
    known.print_help()
    return Exit.DONE
