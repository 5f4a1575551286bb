"""`make table-soak`: tables with simulated shoes, killed with SIGKILL at random, until the time is over.

    python -m soak.table --minutes M [--seed S] [--game G] [--through table|page] [--kills N]

A child process plays rounds; shoe and books live in a folder. In half of the time it plays through the desk of the
dealer's page, and in the end the books are held against what the page had shown (`soak.table_page`). Every second child
is killed from outside: it writes a dot whenever it asks people for something, and is killed at a random dot, a few
milliseconds later. The others kill themselves before a random statement of their books. Some begin with other options,
or at another shoe; in some the disk is full for a statement now and then, or a supervisor voids the round at a random
question. The kill takes program and shoe down together. At the end the events of both shoes are held against the books:
nothing lost, nothing booked twice, money conserved, and every round settles again to the same lines.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from timed import Tool

from fairshoe_table.play import registry
from fairshoe_table.play.game import Ask
from fairshoe_table.play.options import Options
from fairshoe_table.rules.money import Rounding
from fairshoe_table.simulated.demonstration import NEW_STORAGE, Running, simulated_table
from fairshoe_table.simulated.stack import Place, StackReport, TroubledPeople, compare
from fairshoe_table.table.table import Table
from rig.card_locations import Finding
from soak import killing, table_page

DOTS = (1, 45)  # a round has 15 to 30
LATER_S = 0.05

STATEMENTS = (1, 1500)  # of a child that kills itself; a round has about 2,000, most of them questions
OTHER_OPTIONS = 0.3  # share of the children
FULL_DISK = 0.002  # share of the statements, in every second child
SHOE_SEEDS = (1, 1, 1, 1 + NEW_STORAGE, 2)  # two shoes, one of them with two storages
HOUSE_VOID = 0.004  # share of the questions
WAYS = ("table", "page")


class FailingConnection(sqlite3.Connection):
    """Dies before the statement with which `left` is used up, or has no room on the disk now and then."""

    left = 0
    full_share = 0.0
    rng = random.Random(0)

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        FailingConnection.left -= 1
        if not FailingConnection.left:
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


def supervisor(game: str, rng: random.Random) -> Callable[[Ask], str]:
    """Wagers may go on at another shoe, and a round by hand whose cards are drawn by hand; otherwise it is void."""
    goes_on = ("moved", "machine") if registry.find(game).drawn else ("moved",)
    return lambda ask: rng.choice(ask.choices) if ask.part in goes_on else ask.choices[0]


def with_coupons(options: Options) -> Options:
    approvals = {**options.approvals, "coupons": "soak"}
    return replace(options, coupons=tuple(options.takes_coupons), approvals=approvals)


def child(folder: Path, game: str, seed: int, shoe: int, page: bool, dots: int) -> None:
    """Plays until it is killed; writes a dot to a pipe at every question."""
    rng = random.Random(seed)
    FailingConnection.rng = rng
    options = with_coupons(registry.find(game).demo())
    if rng.random() < OTHER_OPTIONS:
        options = others(options, rng)
    with simulated_table(folder, game, seed, shoe_seed=shoe, options=options, connection=FailingConnection) as it:
        people = TroubledPeople(it.people)
        it.people.supervisor = supervisor(game, rng)

        def dot() -> None:
            os.write(dots, b".")
            people.countdown = 1  # at the next call again

        def strike() -> None:
            dot()
            if rng.random() < HOUSE_VOID:
                raise Supervisor

        def each() -> bool:
            dot()
            return rng.random() < HOUSE_VOID

        people.strike = strike
        dot()
        if seed % 2:
            FailingConnection.left = rng.randint(*STATEMENTS)
        FailingConnection.full_share = FULL_DISK if rng.random() < 0.5 else 0.0
        if page:
            table_page.play(it, folder, lambda: False, each)
        while True:
            table = Table(it.shoe, it.books, game, options, people)
            with contextlib.suppress(sqlite3.OperationalError):
                try:
                    table.play_round()
                except Supervisor:
                    if "void" in table.may_decide() and table.held() is None:
                        table.decide("void", "soak", "at a random question")


def open_rounds(folder: Path) -> set[Place]:
    """The round that is open when another shoe, or another storage of it, is connected. Wagers may lie there for which
    the shoe deals already, and the books do not know: a supervisor returns them, and that round has none."""
    if not (folder / "books.db").exists():
        return set()
    with contextlib.closing(sqlite3.connect(folder / "books.db", timeout=30)) as db:
        found = db.execute(
            "SELECT device, log, CASE WHEN shoe_round > 0 THEN shoe_round ELSE 1 + COALESCE((SELECT MAX(shoe_round)"
            " FROM rounds o WHERE o.device = r.device AND o.log = r.log), 0) END FROM rounds r WHERE over = 0"
            " AND (shoe_round > 0 OR EXISTS (SELECT 1 FROM inputs WHERE round = r.id AND kind = 'wager'))"
        )
        return {(device, log, number) for device, log, number in found}


class TableSoak(killing.Killing):
    """One game: two shoes and one set of books."""

    def __init__(self, seed: int, folder: Path, game: str, page: bool) -> None:
        super().__init__(folder)
        self.seed = seed
        self.game = game
        self.page = page
        self.draw = random.Random(seed)
        self.shoe = 0
        self.gone: set[Place] = set()  # rounds whose shoe was replaced in them

    def life(self) -> None:
        draw = self.draw
        before, self.shoe = self.shoe, draw.choice(SHOE_SEEDS)
        if self.shoe != before:
            self.gone |= open_rounds(self.folder)
        seed = draw.getrandbits(16)
        reading, writing = os.pipe()
        process = killing.start(lambda: child(self.folder, self.game, seed, self.shoe, self.page, writing))
        os.close(writing)
        with os.fdopen(reading, "rb") as dots:
            try:
                seen = len(dots.read(draw.randint(*DOTS)))
                time.sleep(draw.uniform(0, LATER_S))
            finally:
                killed = killing.end(process)
            if not killed or not seen:
                raise Finding("the program ended by itself; what it said is above")
        self.tally["kills"] += 1

    def peace(self) -> None:
        """Good rounds to the end at both shoes, then compare."""
        report = StackReport()
        for shoe in sorted(set(SHOE_SEEDS)):
            self.gone |= open_rounds(self.folder)
            with simulated_table(self.folder, self.game, self.seed, shoe_seed=shoe) as it:
                rounds = it.books.rounds_over() + 2

                def over(it: Running = it, rounds: int = rounds) -> bool:
                    return it.books.rounds_over() >= rounds

                if self.page:
                    table_page.play(it, self.folder, over, lambda: False)
                while not over():
                    it.table.play_round()
                it.shoe.sim.sleep(1)
                if shoe == max(SHOE_SEEDS):
                    compare(it, report, self.gone)
                    report.wrong += table_page.lost(self.folder, it.books) if self.page else []
        self.tally.update({"rounds ended": report.ended, "void": report.void})
        if report.wrong:
            raise Finding("\n  ".join([f"{len(report.wrong)} wrong", *report.wrong]))

    def check(self) -> None:
        """At the last shoe, while it is connected."""


def main() -> int:
    tool = Tool("soak.table", __doc__)
    tool.add("--kills", type=int, default=1 << 30, help="of all games together (as many as there is time for)")
    tool.add("--game", choices=registry.ids(), help="one game only (default: all in turn)")
    tool.add("--through", choices=WAYS, help="the table, or the dealer's page (default: each for half of the time)")
    options = tool.begin()
    ways = [options.through] if options.through else WAYS
    games = [f"{game} --through {way}" for game in ([options.game] if options.game else registry.ids()) for way in ways]

    def make(game: str, folder: Path) -> TableSoak:
        name, way = game.split(" --through ")
        return TableSoak(options.seed, folder, name, way == "page")

    return killing.run(tool, games, options.kills, make)


if __name__ == "__main__":
    sys.exit(main())
