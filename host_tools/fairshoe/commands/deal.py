"""`fairshoe deal`: deal a verified deck to the positions and the dealer."""

from __future__ import annotations

import argparse
import json

from fairshoe.cli.operating import KEY_NOTE, AtTheKeyboard, add_dealing, driver_of, positions_of
from fairshoe.operate.round_procedure import DEALT, Procedure, check_can_deal

EPILOG = f"""\
examples:
  fairshoe deal /dev/ttyACM0 5              to five positions and the dealer
  fairshoe deal 5                           the same at the port that is set
  fairshoe deal 5 --yes                     close betting and confirm the lock-out without asking

Each stack comes when the one before was taken out of the tray. `fairshoe round` does the rest of the round as well.

{KEY_NOTE}"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.usage = "fairshoe deal [PORT] [N] [options]"
    command.description = (
        "Sets the positions, closes the betting, confirms the lock-out where the game has one, and shows "
        "every stack until all are dealt."
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
