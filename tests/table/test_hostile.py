"""Odd sequences against the books: a kill or a full disk at every statement, and two programs at the same file."""

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from kills import Killed, Sweep
from running_tables import FULL, check_books, options_of, start_meters
from test_attacks import CAUSES, two_royals
from test_books import OVER, ROUNDS

from fairshoe.errors import UsageError
from fairshoe_table.books.books import Books
from fairshoe_table.play.inputs import Input

DDS = "double-down-stud"
Step = Callable[[Books], object]


def story(choice: str, cause: str) -> list[Step]:
    """A validated jackpot whose hand becomes void, what is decided about it, and the end."""

    def validate(books: Books) -> object:
        key = next(line.key for line in books.lines(1) if line.seat == 4 and line.wager == "progressive")
        return books.record(1, Input(f"done:{key}:1", "done", {"checked": ["x"], "by": "J. Doe"}), FULL)

    def decide(books: Books) -> object:
        waiting = books.in_suspense()
        return books.decide_suspense(choice, FULL, "J. Doe", "seen on video") if waiting else None

    return [validate, lambda books: books.record(1, CAUSES[cause], FULL), decide,
            lambda books: books.record(1, OVER, FULL)]  # fmt: skip


def unread(books: Books) -> object:
    """A void without the game, once."""
    return None if any(fact.kind == "void" for fact in books.inputs(1)) else books.void_unread("J. Doe", "x", over=True)


def tried(path: Path, sweep: Sweep, step: Step) -> None:
    """A program after the other does it, until one has lived; or one program does, until there is room."""
    while True:
        books = Books(path, connection=sweep.connection)
        sweep.on = True
        try:
            step(books)
            return
        except (Killed, sqlite3.OperationalError):
            pass
        finally:
            sweep.on = False
            sweep.bury()
            books.close()
        with Books(path) as seen:
            assert seen.audit() == []  # nothing of it is half there


@pytest.mark.parametrize("full", [False, True], ids=["kills", "full disk"])
@pytest.mark.parametrize("cause", CAUSES)
@pytest.mark.parametrize("choice", ["pay", "return"])
def test_a_payout_in_suspense_is_the_same_whatever_fails_at_any_statement(
    tmp_path: Path, full: bool, cause: str, choice: str
) -> None:
    sweep = Sweep(full)
    with Books(tmp_path / "whole.db") as whole:
        for path in (tmp_path / "books.db", tmp_path / "whole.db"):
            with Books(path) as books:
                start_meters(books)
                assert two_royals(books) == 1
        for step in story(choice, cause):
            step(whole)
            tried(tmp_path / "books.db", sweep, step)
            with Books(tmp_path / "books.db") as books:
                assert books.balances() == whole.balances() and books.lines(1) == whole.lines(1)
                assert books.meters("progressive") == whole.meters("progressive")
        with Books(tmp_path / "books.db") as books:
            check_books(books)
            assert books.replay(FULL) == [] and sweep.kills > 30


@pytest.mark.parametrize("full", [False, True], ids=["kills", "full disk"])
def test_a_void_without_the_game_happens_once_whatever_fails(tmp_path: Path, full: bool) -> None:
    sweep, path = Sweep(full), tmp_path / "books.db"
    with Books(path) as books:
        for fact in ROUNDS[DDS][:7]:
            books.record(books.open_round(DDS), fact, options_of(DDS))
        layout = books.on_the_layout()
    tried(path, sweep, unread)
    with Books(path) as books:
        assert [(line.seat, line.stake, line.returned) for line in books.lines(1)] == [(s, c, c) for s, c in layout]
        check_books(books)
        assert sweep.kills > 12 and books.rounds_over() == 1 and books.replay() == []


def test_two_programs_cannot_decide_one_payout_in_two_ways(tmp_path: Path) -> None:
    with Books(tmp_path / "books.db") as one, Books(tmp_path / "books.db") as other:
        start_meters(one)
        two_royals(one)
        for step in story("pay", "hand")[:2]:
            step(one)
        assert len(other.in_suspense()) == 2
        one.decide_suspense("pay", FULL, "J. Doe", "seen on video")
        with pytest.raises(UsageError, match="decides about no payout"):
            other.decide_suspense("return", FULL, "R. Roe", "not seen")
        assert one.audit() == other.audit() == []


# Another program: fills with slips, each of them entered twice.
FILL = """
import sys
from pathlib import Path
from fairshoe_table.books.books import Books
with Books(Path(sys.argv[1])) as books:
    for slip in range(20):
        for _ in range(2):
            books.rack.add("fill", 100, "J. Doe", key=f"{sys.argv[2]}-{slip}")
"""


def test_racks_and_rounds_of_three_programs_agree(tmp_path: Path) -> None:
    path = tmp_path / "books.db"
    with Books(path) as books:
        books.rack.add("opening", 100_000, "J. Doe")
        programs = [subprocess.Popen([sys.executable, "-c", FILL, str(path), str(number)]) for number in range(2)]
        for _ in range(10):
            number = books.open_round(DDS)
            for fact in [*ROUNDS[DDS], OVER]:
                books.record(number, fact, options_of(DDS))
        for program in programs:
            assert program.wait() == 0
        shift = books.rack.shift(1)
        assert shift.total("fill") == 4000 and shift.expected == 104_000 + shift.win and shift.win == -60_000
        books.rack.add("closing", shift.expected, "J. Doe")
        assert books.rack.shift(1).difference == 0
        check_books(books)
