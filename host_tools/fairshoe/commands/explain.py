"""`fairshoe explain`: a clause, a warning, a message, an exit status, a config key or a word, in a few lines."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import textwrap
from dataclasses import asdict

from fairshoe.errors import Exit
from fairshoe.printable import say
from fairshoe.text import explain

WIDTH_MAX = 100


def run(options: argparse.Namespace) -> int:
    found = explain.find(" ".join(options.name))
    if options.json:
        say(json.dumps([asdict(each) for each in found], indent=1))
        return Exit.DONE
    width = min(shutil.get_terminal_size().columns, WIDTH_MAX) if sys.stdout.isatty() else WIDTH_MAX
    for number, each in enumerate(found):
        if number:
            say()
        say(f"{each.name}: {each.kind}")
        for line in each.lines + (each.why if options.why else ()):
            say(textwrap.fill(line, width, initial_indent="  ", subsequent_indent="  "))
        say(f"  Read on: fairshoe docs {each.page}")
    return Exit.DONE
