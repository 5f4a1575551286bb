"""The arguments of `fairshoe shuffle`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import KEY_NOTE, add_driving

EPILOG = f"""\
examples:
  fairshoe shuffle                 the only shoe attached, or the port set
  fairshoe shuffle /dev/ttyACM0 --key-file table.key
  fairshoe shuffle --json          counts and outcome, for a program

{KEY_NOTE}"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Shuffles the deck in the hopper and counts it twice. Shows the progress by time, because nothing else "
        "about a running shuffle may be disclosed, and then the counts."
    )
    command.epilog = EPILOG
    add_driving(command)
