"""`fairshoe deal`: deal a verified deck to the positions and the dealer."""

from __future__ import annotations

import argparse
import json

from fairshoe.cli.operating import KEY_NOTE, AtTheKeyboard, add_dealing, driver_of, positions_of
from fairshoe.operate.round_procedure import DEALT, Procedure, check_can_deal

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
