"""`fairshoe help`: print the help of the program or of one command."""

from __future__ import annotations

import argparse

from fairshoe.cli import command_line
from fairshoe.cli.registry import path_of
from fairshoe.errors import Exit, UsageError, nearest


def run(options: argparse.Namespace) -> int:
    words = [*path_of(options.words[0]), *options.words[1:]] if options.words else []
    known: argparse.ArgumentParser = command_line.parser(*words[:1], everything=options.all)
    for word in words:
        choices = next(iter(command_line.inner_parsers(known)), None)
        if choices is None or word not in choices:
            near = nearest(word, choices or ())
            hint = f"; did you mean {near}?" if near else "."
            raise UsageError(f"there is no command {' '.join(options.words)!r}{hint}", f"See {known.prog} --help.")
        known = choices[word]
    known.print_help()
    return Exit.DONE
