"""The arguments of `fairshoe round`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import KEY_NOTE, add_dealing

EPILOG = f"""\
examples:
  fairshoe round /dev/ttyACM0 3    three positions, from shuffle to report
  fairshoe round                   the only shoe attached; asks for positions
  fairshoe round 3 --yes --json    no questions; the report as JSON

It says what to do next and waits for Enter before it sends a command. If you
act at the shoe first, it goes on by itself. If it was stopped, run it again:
it continues from the state the shoe is in.
exit status: 0 the round has ended, 1 it is void or was stopped

{KEY_NOTE}"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.usage = "fairshoe round [PORT] [N] [options]"
    command.description = (
        "Leads through a round: shuffle, close betting, deal stacks, release the rest, end. Says what to do next, "
        "sends the commands, and ends with the report of the round."
    )
    command.epilog = EPILOG
    add_dealing(command)
