"""`make table-soak`: tables with simulated shoes, killed with SIGKILL at random, until the time is over.

    python -m soak.table --minutes M [--seed S] [--game G]

A child process plays rounds; shoe and books live in a folder. Every second child is killed from outside: it writes a
dot whenever it asks people for something, and is killed at a random dot, a few milliseconds later. The others kill
themselves before a random statement of their books. Some begin with other limits in their options, and in some the
disk is full for a statement now and then. The kill takes program and shoe down together. At the end the shoe's own
events are held against the books: nothing lost, nothing booked twice, money conserved, and every round settles again to
the same lines.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import secrets
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from fairshoe_table.play import registry
from fairshoe_table.simulated.demonstration import simulated_table
from fairshoe_table.simulated.stack import StackReport, TroubledFloor, compare
from fairshoe_table.table.table import Table

DOTS = (1, 45)  # a round has 15 to 30
LATER_S = 0.05

STATEMENTS = (1, 1500)  # of a child that kills itself; a round has about 2,000, most of them questions
OTHER_OPTIONS = 0.3  # share of the children
FULL_DISK = 0.002  # share of the statements, in every second child
SHOE_SEED = 1  # the same shoe in every run


class Unlucky(sqlite3.Connection):
    """Dies before the statement with which `left` is used up, or has no room on the disk now and then."""

    left = 0
    full_share = 0.0
    rng = random.Random(0)

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        Unlucky.left -= 1
        if not Unlucky.left:
            os.kill(os.getpid(), signal.SIGKILL)
        if sql.startswith(("INSERT", "UPDATE", "COMMIT")) and self.rng.random() < self.full_share:
            raise sqlite3.OperationalError("database or disk is full")
        return super().execute(sql, *values)


def child(folder: Path, game: str, seed: int) -> None:
    rng = random.Random(seed)
    Unlucky.rng = rng
    options = registry.find(game).demo()
    if rng.random() < OTHER_OPTIONS:
        options = replace(options, minimum=2 * options.minimum)
    with simulated_table(folder, game, seed, shoe_seed=SHOE_SEED, options=options, connection=Unlucky) as it:
        floor = TroubledFloor(it.floor)
        floor.strike = lambda: _dot(floor)
        _dot(floor)
        if seed % 2:
            Unlucky.left = rng.randint(*STATEMENTS)
        Unlucky.full_share = FULL_DISK if rng.random() < 0.5 else 0.0
        while True:
            with contextlib.suppress(sqlite3.OperationalError):
                Table(it.shoe, it.books, game, options, floor).play_round()


def _dot(floor: TroubledFloor) -> None:
    sys.stdout.write(".")
    sys.stdout.flush()
    floor.countdown = 1  # at the next call again


def check(folder: Path, game: str, seed: int) -> StackReport:
    """One good round to the end, then compare."""
    report = StackReport()
    with simulated_table(folder, game, seed, shoe_seed=SHOE_SEED) as it:
        it.table.play_round()
        it.table.play_round()
        it.shoe.sim.sleep(1)
        compare(it, report)
    return report


def soak(game: str, until: float, seed: int, folder: Path) -> tuple[int, StackReport]:
    """How often it was killed, and what shoe and books say in the end."""
    rng = random.Random(seed)
    kills = 0
    while time.monotonic() < until:
        command = [
            sys.executable,
            "-m",
            "soak.table",
            "--child",
            str(folder),
            "--game",
            game,
            "--seed",
            str(rng.getrandbits(16)),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            seen = len(process.stdout.read(rng.randint(*DOTS)))
            time.sleep(rng.uniform(0, LATER_S))
            ended = process.poll()
            if not seen or ended not in (None, -signal.SIGKILL):
                wrong = f"the program ended by itself, with status {process.wait()}"
                return kills, StackReport(wrong=[wrong])
            process.kill()
            kills += 1
    return kills, check(folder, game, seed)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="soak.table", description="Kill tables at random, then compare shoe and books."
    )
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=secrets.randbits(16))
    parser.add_argument("--game", choices=registry.ids(), help="one game only (default: all in turn)")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        child(given.child, given.game, given.seed)
        return 0
    games = [given.game] if given.game else list(registry.ids())
    print(f"seed {given.seed}: make table-soak MINUTES={given.minutes:g} SEED={given.seed}", flush=True)
    wrong = 0
    for game in games:
        with tempfile.TemporaryDirectory() as name:
            until = time.monotonic() + given.minutes * 60 / len(games)
            kills, report = soak(game, until, given.seed, Path(name))
        wrong += len(report.wrong)
        print(
            f"{game}: {kills} kills, {report.ended} rounds ended, {report.void} void, {len(report.wrong)} wrong",
            flush=True,
        )
        for text in report.wrong:
            print(f"  {text}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
