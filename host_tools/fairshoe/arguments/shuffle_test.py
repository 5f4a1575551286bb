"""The arguments of `fairshoe shuffle-test`."""

from __future__ import annotations

import argparse
import os

SHUFFLES = 100_000
FULL = 50
EPILOG = """\
examples:
  fairshoe shuffle-test
  fairshoe shuffle-test --shuffles 1000 --full 20 --seed 1
      a short run that gives the same result every time

The orders are drawn as the firmware draws them, without its tests of the
noise; its own code draws some again, and all with --thorough. For --full of
them the whole firmware also plays the shuffle on the simulated machine, and
the deck in the machine must be the one drawn. The same tests run on shufflers
known to be bad, which must fail.

exit status: 0 the shuffle passes. 1 it fails at 99 % family-wise (Holm's
correction; an honest shuffle fails one run of a hundred, so repeat a failure
with another seed), a deck in the machine is not the one drawn, or a bad
shuffler is not caught.
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = "Shuffles many decks with the firmware's own code and tests them against a uniform shuffle."
    command.epilog = EPILOG
    command.add_argument("--board", default="pico-carousel", help="a board's name or a .json file (%(default)s)")
    command.add_argument("--game", default="caribbean-stud", help="the game, which says how many cards (%(default)s)")
    command.add_argument("--shuffles", type=int, default=SHUFFLES, metavar="N", help="how many (%(default)s)")
    command.add_argument("--full", type=int, default=FULL, metavar="N", help="on the whole machine (%(default)s)")
    command.add_argument("--seed", type=int, help="one seed gives one result; without it a fresh one, which is shown")
    command.add_argument("--processes", type=int, default=os.cpu_count() or 1, metavar="P", help="(%(default)s)")
    command.add_argument("--thorough", action="store_true", help="test the noise for each, as the device does; slow")
    command.add_argument("--json", action="store_true", help="everything as one JSON object")
    command.add_argument("--html", metavar="FILE", help="a page with plots, complete in itself")
    command.add_argument("--plots", metavar="DIR", help="the plots alone, as SVG files")
