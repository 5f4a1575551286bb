"""`fairshoe round`: lead a whole round step by step, from whatever state the shoe is in."""

from __future__ import annotations

import argparse
import json

from fairshoe.cli.operating import KEY_NOTE, AtTheKeyboard, add_dealing, driver_of, positions_of
from fairshoe.operate.round_procedure import Procedure
from fairshoe.text.advice import warned

EPILOG = f"""\
examples:
  fairshoe round /dev/ttyACM0 3    three positions, from shuffle to report
  fairshoe round                   the only shoe attached; asks for positions
  fairshoe round 3 --yes --json    no questions; the report as JSON

It says what to do next and waits for Enter before it sends a command. If you
act at the shoe first, it goes on by itself. If it was stopped, run it again:
it continues from the state the shoe is in.
exit status: 0 the round has ended, 1 it is void or was stopped

{KEY_NOTE}"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.usage = "fairshoe round [PORT] [N] [options]"
    command.description = (
        "Leads through a round: shuffle, close betting, deal stacks, release the rest, end. Says what to do next, "
        "sends the commands, and ends with the report of the round."
    )
    command.epilog = EPILOG
    add_dealing(command)


def run(options: argparse.Namespace) -> int:
    positions = positions_of(options)
    with driver_of(options) as (driver, screen):
        report = Procedure(driver, AtTheKeyboard(screen, options.yes, options.json), positions).run()
        screen.finish()
        if options.json:
            print(json.dumps(report.facts()))
        else:
            screen.line("")
            for line in report.lines():
                screen.line(line, "" if report.good else "bad")
            told = warned(driver.shoe.status) if driver.shoe.status else None
            if told is not None:
                screen.line(f"  to do: {told.advice}", "bold")
    return 0 if report.good else 1
