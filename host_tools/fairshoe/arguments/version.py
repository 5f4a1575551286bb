"""The arguments of `fairshoe version`."""

from __future__ import annotations

import argparse

EPILOG = """\
examples:
  fairshoe version
  fairshoe version --json
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = "Prints the version of fairshoe, of Python and of the operating system."
    command.epilog = EPILOG
    command.add_argument("--json", action="store_true", help="as one JSON object")
