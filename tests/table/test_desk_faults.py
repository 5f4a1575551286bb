"""Writes that fail at a desk: the disk is full at every statement once, and the file of the layout cannot be written.
The table goes on, and what was booked is what the dealer's page has shown."""

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from kills import Sweep
from running_tables import check_books, check_replayed
from sitting import sitting
from test_kills import NOW, SEATS, WAGERS, wagers

from fairshoe.errors import FairshoeError
from fairshoe_table.books.books import Books
from fairshoe_table.desk import loop
from fairshoe_table.desk.taps import Desk
from fairshoe_table.simulated.demonstration import simulated_table
from fairshoe_table.simulated.sitting import Patient, Sitting, listen
from fairshoe_table.simulated.stack import StackReport, compare

TRIES_MAX = 3000


def until(it: Sitting, due: Callable[[], object], deed: Callable[[], object]) -> None:
    """Do it until it is done, whatever fails meanwhile."""
    for _ in range(TRIES_MAX):
        if due():
            return
        try:
            deed()
        except FairshoeError:
            it.turn()
    raise TimeoutError(f"it does not go on: {it.values.get('now')}, {it.values.get('calls')}")


def played(it: Sitting, wager: str) -> int:
    """One round with the wagers of SEATS, to its last line; its number."""
    number = int(it.values["round"])
    until(it, lambda: it.values["open"] and it.values["now"]["say"] == "Place your bets", it.turn)
    for seat, cents in SEATS.items():
        until(it, lambda seat=seat: seat in wagers(it.values), lambda s=seat, c=cents: it.wager(s, **{wager: c}))
    placed = wagers(it.values)
    until(it, lambda: it.values["closed"], lambda: it.close() if it.values["open"] else it.turn())
    until(it, lambda: it.values["round"] != number and not it.desk.open_lines(), lambda: _next(it))
    fact = [one.data for one in it.desk.books.inputs(number) if one.kind == "wager"]
    assert {int(one["seat"]): one["amounts"] for one in fact} == placed
    assert len(it.desk.books.play(number, it.desk.options).seats) == len(SEATS)
    return number


def _next(it: Sitting) -> None:
    if it.values["ask"] or it.values["now"]["action"]:
        it.go_on()
    else:
        it.turn()


@pytest.mark.parametrize(
    "game", ["double-down-stud", *(pytest.param(it, marks=pytest.mark.full) for it in list(WAGERS)[1:])]
)
def test_a_disk_that_is_full_at_any_statement_leaves_no_desk_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, game: str
) -> None:
    """Also at those with which the next round is opened: it has wagers of its own, and its shoe deals to them."""
    monkeypatch.setattr(loop, "PAUSE_S", 0)
    sweep = Sweep(full=True)
    with sitting(tmp_path, game) as old:
        books = Books(tmp_path / "books.db", connection=sweep.connection, now=lambda: NOW)
        desk = old.desk
        desk.books.close()
        it = Patient(Desk(desk.shoe, books, game, desk.options, 6, tmp_path / "wagers.json", desk.hands))
        listen(it)
        sweep.on = True
        until(it, lambda: it.values, it.turn)
        numbers = [played(it, WAGERS[game]) for _ in range(2)]
        sweep.on = False
        assert sweep.kills > 150 and numbers == [1, 2]
        assert [books.header(number).round for number in numbers] == [1, 2]
        assert all(books.options(number) == desk.options for number in numbers)
        check_replayed(books)
        books.close()


def test_wagers_of_a_round_are_never_those_of_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of the layout cannot be written when betting is closed, or ever again."""
    with sitting(tmp_path, "double-down-stud") as it:
        it.bets()
        it.wager(2, original=1000)
        write = Path.write_text

        def full(path: Path, *text: str, **more: str) -> int:
            if path.name.startswith("wagers"):
                raise OSError(28, "No space left on device")
            return write(path, *text, **more)  # type: ignore[arg-type]

        monkeypatch.setattr(Path, "write_text", full)
        it.close()
        assert it.desk._play().seats == (2,)  # pyright: ignore[reportPrivateUsage]
        it.finish()
        it.bets()
        assert wagers(it.values) == {}
        with pytest.raises(FairshoeError, match="No space"):
            it.wager(3, original=1000)
        assert wagers(it.values) == {}
        monkeypatch.undo()
        it.wager(3, original=1000)
        it.close()
        it.finish()
        check_books(it.desk.books)
    with sitting(tmp_path, "double-down-stud") as it:
        assert wagers(it.bets()) == {}


def test_a_card_that_could_not_be_booked_is_not_drawn_again(tmp_path: Path) -> None:
    """Double Attack Blackjack, card by card: the disk is full at every statement once. Shoe and books count alike."""
    sweep = Sweep(full=True)
    with simulated_table(tmp_path, "double-attack-blackjack", 5, connection=sweep.connection) as it:
        it.table.play_round()
        sweep.on = True
        for _ in range(2):
            number = 0
            while not number:
                with contextlib.suppress(sqlite3.OperationalError):
                    number = it.table.play_round()
        sweep.on = False
        it.shoe.sim.sleep(1)
        report = StackReport()
        compare(it, report)
        assert report.wrong == [] and report.ended == 3 and sweep.kills > 150
