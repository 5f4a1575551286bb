"""The arguments of `fairshoe command`."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from fairshoe.cli.options import KEY_NOTE, PORT_HELP, add_driving
from firmware.protocol import ids, table

NAMES = sorted(spec.split()[0].replace("_", "-") for _id, kind, spec in table.MESSAGES if kind == ids.CLASS_COMMAND)
EPILOG = """\
commands:
{names}

examples:
  fairshoe command /dev/ttyACM0 shuffle --key-file table.key
  fairshoe command set-positions 3
      at the only shoe attached, or the port that is set
  fairshoe command record cut 26 dealer
      tell the shoe what no sensor sees: fairshoe docs GAMES
  fairshoe command --resume
      ask for the outcome of the last command

exit status: 0 done, 1 refused or failed

{note}"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.usage = "fairshoe command [PORT] NAME [ARGUMENT ...] [options]"
    command.description = (
        "Sends one command in an authenticated session and waits for its outcome. Its number is stored first, so "
        "that --resume can ask for the outcome later and the command never acts twice."
    )
    command.epilog = EPILOG.format(names=_wrapped(NAMES), note=KEY_NOTE)
    command.add_argument("port", nargs="?", metavar="PORT", help=PORT_HELP)
    name: Any = command.add_argument("name", nargs="?", metavar="NAME", help="the command; see below")
    name.completes = NAMES  # no choices for argparse: the name may stand where the port would
    command.add_argument(
        "argument",
        nargs="*",
        metavar="ARGUMENT",
        help="set-positions: how many; record: what, and its numbers, as in docs/GAMES.md",
    )
    add_driving(command, port=False)
    command.add_argument("--resume", action="store_true", help="ask for an outcome that is not known")


def _wrapped(names: list[str]) -> str:
    return textwrap.fill(", ".join(names), 76, initial_indent="  ", subsequent_indent="  ", break_on_hyphens=False)
