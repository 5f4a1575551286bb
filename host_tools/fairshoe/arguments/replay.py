"""The arguments of `fairshoe replay`."""

from __future__ import annotations

import argparse

from fairshoe.arguments.web import SIM_PORT
from fairshoe.cli.options import add_key

PAGE = f"http://127.0.0.1:{SIM_PORT}/"
EPILOG = """\
examples:
  fairshoe replay shoe-17.journal          the last stop of an export
  fairshoe replay shoe-17.journal --number 214
  fairshoe replay capture.bin              of a capture, as decode reads it
  fairshoe replay 00510001/9f3c/214        of the store: device, log, number
  fairshoe replay /dev/ttyACM0             of the journal that a shoe has
  fairshoe replay shoe-17.journal --serve  and open it in the browser

The link opens the bench page at the stop, paused. It names no card of the real
deck: no journal has the order. docs/BENCH_PAGE.md says what is guessed.
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = (
        "Turns what a device journaled before a stop into a link that opens the bench page at that moment, on a "
        "simulated shoe with the same board, game and course, to see it, step through it and vary it."
    )
    command.epilog = EPILOG
    command.add_argument(
        "source",
        metavar="EXPORT|CAPTURE|EVENT|PORT",
        help="a file of `journal pull`, a capture, DEVICE/LOG/NUMBER of an event in the store, or a shoe to read",
    )
    command.add_argument("--number", type=int, metavar="N", help="the stop at or before event N, instead of the last")
    command.add_argument("--board", default="", metavar="NAME", help="the board, where the records do not tell")
    command.add_argument("--game", default="", metavar="NAME", help="the game, where the records do not tell")
    command.add_argument("--seed", type=int, default=1, metavar="N", help="of the simulated shoe (1)")
    command.add_argument("--page", default=PAGE, metavar="URL", help=f"where the bench page is served ({PAGE})")
    command.add_argument("--serve", action="store_true", help="serve the page from here, and open the link")
    command.add_argument("--json", action="store_true", help="print one object: link, same, reconstructed, guessed")
    add_key(command)
    command.add_argument("--store", metavar="FILE", help="the store that has the event (that of the settings)")
