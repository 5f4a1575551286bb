"""The arguments of `fairshoe demo`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import add_simulation

EPILOG = """\
examples:
  fairshoe demo                    two rounds, a short deck and a jam; 30 s
  fairshoe demo --game boston-5-stud
      another game, by its own procedure
  fairshoe demo --board pico-shelves
      another machine
  fairshoe demo --speed 1          as slow as a real shoe
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Plays rounds on a simulated shoe: good ones, a deck with a card too few, a jam. What you see are the events "
        "that the shoe sends to a table system. At a terminal the shoe runs on afterwards, until you press Enter."
    )
    command.epilog = EPILOG
    add_simulation(command, speed=6.0)
