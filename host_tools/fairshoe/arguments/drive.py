"""The arguments of the commands that drive a shoe: round, shuffle, deal, command."""

from __future__ import annotations

import argparse
import textwrap
from typing import Any

from fairshoe.cli.options import PORT_HELP, add_dealing, add_driving
from firmware.protocol import ids, table


def add_round(command: argparse.ArgumentParser) -> None:
    command.usage = "fairshoe round [PORT] [N] [options]"
    add_dealing(command)


def add_shuffle(command: argparse.ArgumentParser) -> None:
    add_driving(command)


def add_deal(command: argparse.ArgumentParser) -> None:
    command.usage = "fairshoe deal [PORT] [N] [options]"
    add_dealing(command)


NAMES = sorted(spec.split()[0].replace("_", "-") for _id, kind, spec in table.MESSAGES if kind == ids.CLASS_COMMAND)


def add_command(command: argparse.ArgumentParser) -> None:
    command.usage = "fairshoe command [PORT] NAME [ARGUMENT ...] [options]"
    command.epilog = (command.epilog or "").format(names=_wrapped(NAMES))
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
