"""The arguments of `fairshoe sim`."""

from __future__ import annotations

import argparse

from fairshoe.cli.options import add_simulation

EPILOG = """\
examples:
  fairshoe sim                     you are the dealer: type help for a list
  fairshoe sim --dealer auto       a simulated dealer plays round after round
  fairshoe keys new keys
  fairshoe sim --key-file keys/device.key --mode table
      a shoe that takes commands: fairshoe round, in a second terminal
  fairshoe sim --tcp 4001          over TCP too: monitor tcp://127.0.0.1:4001
  fairshoe sim --game boston-5-stud --display
      another game; show what the dealer's display says

`fairshoe ports` lists the simulated shoes that run on this machine.
"""


def add_arguments(sim: argparse.ArgumentParser) -> None:
    sim.description = (
        "Runs a simulated shoe on a serial device path that any program can open. You are the dealer: type actions, "
        "one a line; help lists them. Where there are no pseudo-terminals (Windows) give --tcp."
    )
    sim.epilog = EPILOG
    add_simulation(sim, speed=1.0)
    sim.add_argument(
        "--dealer",
        choices=["none", "hands", "auto"],
        default="none",
        help="auto: a simulated dealer plays round after round; hands: it moves cards, and a table system sends "
        "commands; none: you type (%(default)s)",
    )
    sim.add_argument("--hands", action="store_true", help="end when standard input ends")
    sim.add_argument(
        "--json",
        action="store_true",
        help="print the ports as one line of JSON; with --hands also each action done",
    )
    sim.add_argument("--display", action="store_true", help="print the dealer's display whenever it changes")
    sim.add_argument("--key-file", metavar="F", help="a device key for the simulated device")
    sim.add_argument("--storage", metavar="FILE", help="keep the shoe's memory in this file between runs")
    sim.add_argument(
        "--tcp", metavar="HOST:PORT", help="the table port over TCP too; PORT alone listens on this machine only"
    )
    sim.add_argument("--mode", choices=["report_only", "table"], help="link mode, in place of the board config's")
