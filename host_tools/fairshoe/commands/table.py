"""`fairshoe table`: the reference table system: rounds with simulated players, and simulations of its games."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from pathlib import Path

GAMES = (
    "caribbean-stud",
    "boston-5-stud",
    "double-cross-poker",
    "double-down-stud",
    "double-attack-blackjack",
)
EPILOG = """\
examples:
  fairshoe table play --game caribbean-stud
  fairshoe table play --game double-attack-blackjack --rounds 5
  fairshoe table simulate --game boston-5-stud --rounds 1000000 --jobs 2
  fairshoe table simulate --game caribbean-stud --rounds 200 --stack
      through a simulated shoe, with jams; shoe and books must agree

Games: caribbean-stud, boston-5-stud, double-cross-poker, double-down-stud,
double-attack-blackjack.

The table system is a reference for programs of your own, and not certified:
docs/TABLE.md.
"""


def add_arguments(command: argparse.ArgumentParser) -> None:
    command.description = "Plays and settles the five games with the reference table system, without hardware."
    command.epilog = EPILOG
    actions = command.add_subparsers(dest="action", required=True)
    play = actions.add_parser("play", help="play rounds with simulated players and a simulated shoe")
    simulate = actions.add_parser("simulate", help="play many rounds and report what each wager returns")
    for one, rounds in ((play, 2), (simulate, 10_000)):
        one.add_argument("--game", metavar="GAME", choices=GAMES, default=GAMES[0], help="its name (%(default)s)")
        one.add_argument("--rounds", type=int, default=rounds, metavar="N", help="how many (%(default)s)")
        one.add_argument("--seed", type=int, default=1, help="one seed, one story (%(default)s)")
    play.add_argument("--seats", type=int, default=4, metavar="N", help="seats at the table (%(default)s)")
    play.add_argument("--folder", type=Path, help="keep books and shoe there, and go on from them")
    simulate.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes (%(default)s)")
    simulate.add_argument("--stack", action="store_true", help="through a simulated shoe, with faults")
    simulate.add_argument("--json", action="store_true", help="the report as one JSON object")


def run(options: argparse.Namespace) -> int:
    # Loaded here: no other command needs the table system.
    from fairshoe_table import demonstration

    with tempfile.TemporaryDirectory() as scratch:
        if options.action == "play":
            folder = options.folder or Path(scratch)
            folder.mkdir(parents=True, exist_ok=True)
            demonstration.play_rounds(folder, options.game, options.rounds, options.seed, options.seats, print)
            return 0
        if options.stack:
            return _stack(Path(scratch), options)
    return _simulate(options)


def _stack(folder: Path, options: argparse.Namespace) -> int:
    from fairshoe_table import demonstration

    report = demonstration.run_stack(folder, options.game, options.rounds, options.seed)
    print(f"{options.game}: {report.ended} rounds ended, {report.void} void, {report.faults} faults")
    for text in report.wrong:
        print(text, file=sys.stderr)
    print("shoe and books agree, money is conserved" if not report.wrong else "SHOE AND BOOKS DO NOT AGREE")
    return 1 if report.wrong else 0


def _simulate(options: argparse.Namespace) -> int:
    from fairshoe_table import simulation

    report = simulation.simulate(options.game, options.rounds, options.seed, options.jobs)
    print(report.as_json() if options.json else report.as_text())
    return 0
