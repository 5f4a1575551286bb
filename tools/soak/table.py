"""`make table-soak`: tables with simulated shoes, killed with SIGKILL at random, until the time is over.

    python -m soak.table --minutes M [--seed S] [--game G]

A child process plays rounds; shoe and books live in a folder. In half of the time it plays through the desk of the
dealer's page, and in the end the books are held against what the page had shown (`soak.table_page`). Every second child
is killed from outside: it writes a dot whenever it asks people for something, and is killed at a random dot, a few
milliseconds later. The others kill themselves before a random statement of their books. Some begin with other options,
or at another shoe; in some the disk is full for a statement now and then, or a supervisor voids the round at a random
question. The kill takes program and shoe down together. At the end the events of both shoes are held against the books:
nothing lost, nothing booked twice, money conserved, and every round settles again to the same lines.
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
from itertools import product
from pathlib import Path
from typing import Any

from fairshoe_table.play import registry
from fairshoe_table.play.options import Options
from fairshoe_table.rules.money import Rounding
from fairshoe_table.simulated.demonstration import simulated_table
from fairshoe_table.simulated.stack import StackReport, TroubledFloor, compare
from fairshoe_table.table.table import Table
from soak import table_page

DOTS = (1, 45)  # a round has 15 to 30
LATER_S = 0.05

STATEMENTS = (1, 1500)  # of a child that kills itself; a round has about 2,000, most of them questions
OTHER_OPTIONS = 0.3  # share of the children
FULL_DISK = 0.002  # share of the statements, in every second child
SHOE_SEEDS = (1, 1, 1, 2)  # two shoes, one of them more often
HOUSE_VOID = 0.004  # share of the questions


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


class Supervisor(Exception):
    """A supervisor comes to the table."""


def others(options: Options, rng: random.Random) -> Options:
    """Options with other limits, or by which odd amounts are rounded otherwise."""
    approvals = {**options.approvals, "rounding": "soak"}
    return rng.choice(
        (
            replace(options, minimum=2 * options.minimum),
            replace(options, maximum=options.maximum // 2),
            replace(options, rounding=Rounding.HOUSE, approvals=approvals),
        )
    )


def with_coupons(options: Options) -> Options:
    approvals = {**options.approvals, "coupons": "soak"}
    return replace(options, coupons=tuple(options.takes_coupons), approvals=approvals)


def child(folder: Path, game: str, seed: int, shoe: int, page: bool) -> None:
    rng = random.Random(seed)
    Unlucky.rng = rng
    options = with_coupons(registry.find(game).demo())
    if rng.random() < OTHER_OPTIONS:
        options = others(options, rng)
    with simulated_table(folder, game, seed, shoe_seed=shoe, options=options, connection=Unlucky) as it:
        floor = TroubledFloor(it.floor)

        def strike() -> None:
            _dot(floor)
            if rng.random() < HOUSE_VOID:
                raise Supervisor

        def each() -> bool:
            _dot(floor)
            return rng.random() < HOUSE_VOID

        floor.strike = strike
        _dot(floor)
        if seed % 2:
            Unlucky.left = rng.randint(*STATEMENTS)
        Unlucky.full_share = FULL_DISK if rng.random() < 0.5 else 0.0
        if page:
            table_page.play(it, folder, lambda: False, each)
        while True:
            table = Table(it.shoe, it.books, game, options, floor)
            with contextlib.suppress(sqlite3.OperationalError):
                try:
                    table.play_round()
                except Supervisor:
                    if "void" in table.may_decide() and table.held() is None:
                        table.decide("void", "soak", "at a random question")


def _dot(floor: TroubledFloor) -> None:
    sys.stdout.write(".")
    sys.stdout.flush()
    floor.countdown = 1  # at the next call again


def check(folder: Path, game: str, seed: int, gone: set[tuple[str, int]], page: bool) -> StackReport:
    """Good rounds to the end at both shoes, then compare."""
    report = StackReport()
    for shoe in sorted(set(SHOE_SEEDS)):
        gone |= open_rounds(folder)
        with simulated_table(folder, game, seed, shoe_seed=shoe) as it:
            rounds = it.books.rounds_over() + 2
            if page:
                table_page.play(
                    it, folder, lambda it=it, rounds=rounds: it.books.rounds_over() >= rounds, lambda: False
                )
            while it.books.rounds_over() < rounds:
                it.table.play_round()
            it.shoe.sim.sleep(1)
            if shoe == max(SHOE_SEEDS):
                compare(it, report, gone)
                report.wrong += table_page.lost(folder, it.books) if page else []
    return report


def open_rounds(folder: Path) -> set[tuple[str, int]]:
    """The round that is open when another shoe is connected, by device and number."""
    if not (folder / "books.db").exists():
        return set()
    with contextlib.closing(sqlite3.connect(folder / "books.db", timeout=30)) as db:
        found = db.execute("SELECT device, shoe_round FROM rounds WHERE over = 0 AND shoe_round > 0")
        return {(device, number) for device, number in found}


def soak(game: str, until: float, seed: int, folder: Path, page: bool) -> tuple[int, StackReport]:
    """How often it was killed, and what shoe and books say in the end."""
    rng = random.Random(seed)
    kills, shoe, gone = 0, 0, set[tuple[str, int]]()
    while time.monotonic() < until:
        before, shoe = shoe, rng.choice(SHOE_SEEDS)
        if shoe != before:
            gone |= open_rounds(folder)
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
            "--shoe",
            str(shoe),
            *(["--page"] if page else []),
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
    return kills, check(folder, game, seed, gone, page)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="soak.table", description="Kill tables at random, then compare shoe and books."
    )
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=secrets.randbits(16))
    parser.add_argument("--game", choices=registry.ids(), help="one game only (default: all in turn)")
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--page", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--shoe", type=int, default=1, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child is not None:
        child(given.child, given.game, given.seed, given.shoe, given.page)
        return 0
    games = [given.game] if given.game else list(registry.ids())
    print(f"seed {given.seed}: make table-soak MINUTES={given.minutes:g} SEED={given.seed}", flush=True)
    wrong = 0
    for game, page in product(games, (False, True)):
        with tempfile.TemporaryDirectory() as name:
            until = time.monotonic() + given.minutes * 60 / len(games) / 2
            kills, report = soak(game, until, given.seed, Path(name), page)
        wrong += len(report.wrong)
        name = f"{game}, by the page" if page else game
        said = f"{kills} kills, {report.ended} rounds ended, {report.void} void, {len(report.wrong)} wrong"
        print(f"{name}: {said}", flush=True)
        for text in report.wrong:
            print(f"  {text}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
