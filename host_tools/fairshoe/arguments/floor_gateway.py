"""The arguments of `fairshoe floor gateway`."""

from __future__ import annotations

import argparse
from pathlib import Path

from fairshoe.cli.options import add_server, number_between


def add_gateway(command: argparse.ArgumentParser) -> None:
    command.add_argument("inventory", nargs="?", type=Path, help="made with fairshoe floor inventory add")
    command.add_argument("--demo", type=_tables, metavar="N", help="N simulated tables instead of an inventory")
    speed = number_between(0.1, 100)
    command.add_argument("--speed", type=speed, default=4.0, metavar="X", help="demo: times real time (%(default)g)")
    command.add_argument("--folder", type=Path, help="demo: keep its store there, and go on from it")
    add_server(command)
    command.add_argument("--rules", type=Path, metavar="FILE", help="rules of alarms, as of fairshoe floor (built in)")
    command.add_argument(
        "--new-log",
        action="append",
        default=[],
        metavar="DEVICE",
        help="accept once that the storage of this device was replaced; may be given several times",
    )


def _tables(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 200:
        raise argparse.ArgumentTypeError(f"a number of tables between 1 and 200, not {text!r}")
    return int(text)
