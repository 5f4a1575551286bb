"""Options and checks of arguments that more than one command has."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from math import nan

from fairshoe.errors import UsageError

DEFAULT_BOARD = "pico-carousel"
DEFAULT_GAME = "caribbean-stud"


def add_simulation(command: argparse.ArgumentParser, speed: float) -> None:
    """The options of a simulation, for demo and sim."""
    command.add_argument("--board", default=DEFAULT_BOARD, help="a board's name or .json file (%(default)s)")
    command.add_argument(
        "--game",
        default="",
        help="a game's name or .json file; house:deck_cards=384,stack_cards=3 makes a deal of your own "
        f"({DEFAULT_GAME}; house on boards that deal no stacks)",
    )
    command.add_argument(
        "--table",
        action="append",
        default=[],
        metavar="WORD=VALUE",
        help="a setting that the rules leave to the table: progressive=false, cover_all=with_dealer, records=true, "
        "dealing=hand, decks=2",
    )
    command.add_argument("--seed", type=int, default=1, metavar="N", help="one seed gives one run (%(default)s)")
    command.add_argument(
        "--speed", type=number_between(0.1, 50), default=speed, metavar="X", help="times real time (%(default)s)"
    )


def number_between(least: float, most: float) -> Callable[[str], float]:
    """A number within limits, for `type=`."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = nan
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"a number between {least:g} and {most:g}, not {text!r}")
        return value

    return read


seconds = number_between(0, 3600)  # a waiting time


def version(text: str) -> str:
    """A version to compare with, for `type=`."""
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)*", text):
        raise argparse.ArgumentTypeError("numbers with dots, such as 1.4.2")
    return text


def check_prompt_port(port: str | None) -> None:
    """Refuse a port that cannot have a MicroPython prompt."""
    if port == "":
        raise UsageError("PORT is empty.", "Give the device's USB or console port: fairshoe ports lists them.")
    if port is not None and port.startswith("sim://"):
        raise UsageError("a simulated shoe has no MicroPython prompt.", "Give the port of a device.")
