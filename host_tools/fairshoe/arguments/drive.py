"""The arguments and examples of the commands that drive a shoe: round, shuffle, deal, command."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from fairshoe.cli.options import KEY_NOTE, PORT_HELP, add_dealing, add_driving
from firmware.protocol import ids, table

ROUND_EXAMPLES = f"""\
examples:
  fairshoe round /dev/ttyACM0 3    three positions, from shuffle to report
  fairshoe round                   the only shoe attached; asks for positions
  fairshoe round 3 --yes --json    no questions; the report as JSON

It says what to do next and waits for Enter before it sends a command. If you
act at the shoe first, it goes on by itself. If it was stopped, run it again:
it continues from the state the shoe is in.
exit status: 0 the round has ended, 1 it is void or was stopped

{KEY_NOTE}"""


def add_round(command: argparse.ArgumentParser) -> None:
    command.usage = "fairshoe round [PORT] [N] [options]"
    command.description = (
        "Leads through a round: shuffle, close betting, deal stacks, release the rest, end. Says what to do next, "
        "sends the commands, and ends with the report of the round."
    )
    command.epilog = ROUND_EXAMPLES
    add_dealing(command)


SHUFFLE_EXAMPLES = f"""\
examples:
  fairshoe shuffle                 the only shoe attached, or the port set
  fairshoe shuffle /dev/ttyACM0 --key-file table.key
  fairshoe shuffle --json          counts and outcome, for a program

{KEY_NOTE}"""


def add_shuffle(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Shuffles the deck in the hopper and counts it twice. Shows the progress by time, because nothing else "
        "about a running shuffle may be disclosed, and then the counts."
    )
    command.epilog = SHUFFLE_EXAMPLES
    add_driving(command)


DEAL_EXAMPLES = f"""\
examples:
  fairshoe deal /dev/ttyACM0 5     five positions and the dealer
  fairshoe deal 5                  the only shoe attached, or the port set
  fairshoe deal 5 --yes            close betting and confirm lock-out unasked

Each stack comes after the one before was taken out of the tray.
`fairshoe round` leads through the rest of the round as well.

{KEY_NOTE}"""


def add_deal(command: argparse.ArgumentParser) -> None:
    command.usage = "fairshoe deal [PORT] [N] [options]"
    command.description = (
        "Sets the number of positions, closes betting, confirms the lock-out if the game has one, and shows every "
        "stack until all are dealt."
    )
    command.epilog = DEAL_EXAMPLES
    add_dealing(command)


NAMES = sorted(spec.split()[0].replace("_", "-") for _id, kind, spec in table.MESSAGES if kind == ids.CLASS_COMMAND)
COMMAND_EXAMPLES = """\
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


def add_command(command: argparse.ArgumentParser) -> None:
    command.usage = "fairshoe command [PORT] NAME [ARGUMENT ...] [options]"
    command.description = (
        "Sends one command in an authenticated session and waits for its outcome. Its number is stored first, so "
        "that --resume can ask for the outcome later and the command never acts twice."
    )
    command.epilog = COMMAND_EXAMPLES.format(names=_wrapped(NAMES), note=KEY_NOTE)
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
