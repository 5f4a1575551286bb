"""`fairshoe deal`: deal a verified deck to the positions and the dealer."""

from __future__ import annotations

import argparse
import json
from typing import Any

from fairshoe.connection import PORT_HELP
from fairshoe.driving import KEY_NOTE, AtTheKeyboard, add_driving, driver_of
from fairshoe.errors import UsageError
from fairshoe.procedure import DEALT, Procedure, check_can_deal

EPILOG = f"""\
examples:
  fairshoe deal /dev/ttyACM0 5              to five positions and the dealer
  fairshoe deal 5                           the same at the port that is set
  fairshoe deal 5 --yes                     close betting and confirm the lock-out without asking

Each stack comes when the one before was taken out of the tray. `fairshoe round` does the rest of the round as well.

{KEY_NOTE}"""


def add_parser(commands: Any) -> None:
    command = commands.add_parser(
        "deal",
        help="deal a verified deck: close betting, stack by stack",
        usage="fairshoe deal [PORT] [N] [options]",
        description="Sets the positions, closes the betting, confirms the lock-out where the game has one, and shows "
        "every stack until all are dealt.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.add_argument("port", nargs="?", metavar="PORT", help=PORT_HELP)
    command.add_argument("positions", nargs="?", metavar="N", help="positions that play; asked for if left out")
    add_driving(command, port=False)
    command.add_argument("--yes", action="store_true", help="give every command without asking")


def run(options: argparse.Namespace) -> int:
    positions = positions_of(options)
    with driver_of(options) as (driver, screen):
        check_can_deal(driver.begin())
        person = AtTheKeyboard(screen, options.yes, options.json)
        report = Procedure(driver, person, positions).run(until=DEALT)
        screen.finish()
        if options.json:
            print(json.dumps(report.facts()))
        else:
            screen.line(f"dealt: {len(report.stacks)} stacks, {sum(cards for _, cards in report.stacks)} cards", "good")
    return 0


def positions_of(options: argparse.Namespace) -> int:
    """How many positions; a number alone is no port."""
    if options.positions is None and options.port is not None and options.port.isdigit():
        options.port, options.positions = None, options.port
    if options.positions is None:
        return 0
    if not options.positions.isdigit() or not 0 < int(options.positions) < 256:
        raise UsageError(f"{options.positions!r} is no number of positions.", "For example: fairshoe deal 5.")
    return int(options.positions)
