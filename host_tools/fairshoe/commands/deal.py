"""`fairshoe deal`: deal a verified deck to the positions and the dealer."""

from __future__ import annotations

import argparse
import json

from fairshoe.cli.operating import AtTheKeyboard, driver_of, positions_of
from fairshoe.operate.round_procedure import DEALT, Procedure, check_can_deal
from fairshoe.printable import say


def run(options: argparse.Namespace) -> int:
    positions = positions_of(options)
    with driver_of(options) as (driver, screen):
        check_can_deal(driver.begin())
        person = AtTheKeyboard(screen, options.yes, options.json)
        report = Procedure(driver, person, positions).run(until=DEALT)
        screen.finish()
        if options.json:
            say(json.dumps(report.facts()))
        else:
            screen.line(f"dealt: {len(report.stacks)} stacks, {sum(cards for _, cards in report.stacks)} cards", "good")
    return 0
