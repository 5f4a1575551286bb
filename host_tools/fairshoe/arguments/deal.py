"""The arguments of `fairshoe deal`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import KEY_NOTE, add_dealing

EPILOG = f"""\
examples:
  fairshoe deal /dev/ttyACM0 5     five positions and the dealer
  fairshoe deal 5                  the only shoe attached, or the port set
  fairshoe deal 5 --yes            close betting and confirm lock-out unasked

Each stack comes after the one before was taken out of the tray.
`fairshoe round` leads through the rest of the round as well.

{KEY_NOTE}"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.usage = "fairshoe deal [PORT] [N] [options]"
    command.description = (
        "Sets the number of positions, closes betting, confirms the lock-out if the game has one, and shows every "
        "stack until all are dealt."
    )
    command.epilog = EPILOG
    add_dealing(command)
