"""`fairshoe round`: lead a whole round step by step, from whatever state the shoe is in."""

from __future__ import annotations

import argparse
import json

from fairshoe.cli.operating import AtTheKeyboard, driver_of, positions_of
from fairshoe.operate.round_procedure import Procedure
from fairshoe.printable import say
from fairshoe.text.advice import warned


def run(options: argparse.Namespace) -> int:
    positions = positions_of(options)
    with driver_of(options) as (driver, screen):
        report = Procedure(driver, AtTheKeyboard(screen, options.yes, options.json), positions).run()
        screen.finish()
        if options.json:
            say(json.dumps(report.facts()))
        else:
            screen.line("")
            for line in report.lines():
                screen.line(line, "" if report.good else "bad")
            warning = warned(driver.shoe.status) if driver.shoe.status else None
            if warning is not None:
                screen.line(f"  to do: {warning.advice}", "bold")
    return 0 if report.good else 1
