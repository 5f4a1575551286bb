"""The arguments of `fairshoe status`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import add_key, add_port

EPILOG = """\
examples:
  fairshoe status                  the only shoe attached, or the port set
  fairshoe status /dev/ttyACM0
  fairshoe status --json | jq .next
      the next step, for a script

status acknowledges no event: the table system still receives all of them.
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Shows the identity of a shoe, its state and next step, where the cards are, warnings with what to do, "
        "meters, how full the journal is, and a command of yours whose outcome is not known."
    )
    command.epilog = EPILOG
    add_port(command)
    add_key(command)
    command.add_argument("--json", action="store_true", help="as one JSON object")
