"""Writes that fail at a desk: the disk is full at every statement once, and the file of the layout cannot be written.
The table goes on, and what was booked is what the dealer's page has shown."""

import contextlib
import sqlite3
from collections.abc import Callable
from itertools import product
from pathlib import Path
from unittest.mock import Mock

import pytest
from kills import Sweep
from running_tables import check_books, check_replayed
from sitting import sitting
from test_kills import NOW, SEATS, WAGERS, wagers

from fairshoe import Shoe
from fairshoe.client.store_file import StoreFile
from fairshoe.errors import ALARMS, DeviceHalted, FairshoeError, NoAnswer, StoreError, UsageError
from fairshoe_table.books.books import Books
from fairshoe_table.desk import loop
from fairshoe_table.desk.taps import Desk
from fairshoe_table.simulated.demonstration import simulated_table
from fairshoe_table.simulated.sitting import Patient, Sitting, listen
from fairshoe_table.simulated.stack import StackReport, compare

TRIES_MAX = 3000
ORIGINAL = {"wager": "original", "cents": 1000}


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


def test_a_store_that_cannot_be_written_acknowledges_nothing_and_the_table_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At every transaction of its file: events that arrive, numbers of commands, the place of the program."""
    monkeypatch.setattr(loop, "PAUSE_S", 0)
    commit = StoreFile._commit  # pyright: ignore[reportPrivateUsage]
    failed: list[int] = []  # what the device was acknowledged beyond what is on file
    left = 0

    def full(store: StoreFile, db: sqlite3.Connection) -> None:
        nonlocal left
        left -= 1
        if left >= 0:
            raise sqlite3.OperationalError("database or disk is full")
        left = 2
        commit(store, db)

    with sitting(tmp_path, "double-down-stud") as old:
        desk = old.desk
        it = Patient(desk)
        listen(it)
        journal = desk.shoe.sim.rig.app.journal
        monkeypatch.setattr(StoreFile, "_commit", full)
        call = desk.call

        def called(text: str) -> None:
            call(text)
            stored = desk.store.logs()[0].last
            failed.append(journal.seq_acked - stored)
            assert "full" in text or "Clear" in text, text

        monkeypatch.setattr(desk, "call", called)
        until(it, lambda: it.values, it.turn)
        numbers = [played(it, "original") for _ in range(2)]
        monkeypatch.setattr(StoreFile, "_commit", commit)
        assert numbers == [1, 2] and len(failed) > 40 and max(failed) <= 0
        assert any("disk is full" in text for _, text in desk.calls)
        seqs = [event.seq for event in desk.store.events()]
        assert seqs == list(range(1, len(seqs) + 1))
        check_books(desk.books)


def turn_fails(it: Sitting, error: Exception) -> None:
    """One turn of the desk, in which its shoe raises this."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Shoe, "messages", Mock(side_effect=error))
        it.desk.attempt()


def test_what_may_pass_is_said_and_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "PAUSE_S", 0)
    known = [kind(f"{kind.__name__}.", "Wait.") for kind in (StoreError, NoAnswer, UsageError)]
    others = [kind(f"{kind.__name__}.") for kind in (sqlite3.OperationalError, OSError, RuntimeError)]
    with sitting(tmp_path, "double-down-stud") as it:
        it.bets()
        for error in (*known, *others):
            waits = it.desk.tap({"do": "wager", "seat": 2, **ORIGINAL, **it.shown()})
            turn_fails(it, error)
            assert f"{type(error).__name__}." in it.values["calls"][-1]["text"]
            with pytest.raises(UsageError, match=type(error).__name__):
                waits.result(0)
        assert wagers(it.values) == {}
        it.wager(2, original=1000)
        it.close()
        it.finish()


def test_an_alarm_stops_the_table_wherever_it_is_raised(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A halted device too: only a new program says hello to it."""
    with sitting(tmp_path, "double-down-stud") as it:
        it.bets()
        for kind in (*ALARMS, DeviceHalted):
            with pytest.raises(kind):
                turn_fails(it, kind("it is so.", "Call service."))
        for kind, place in product(ALARMS, ("_place", "_look_again")):
            tap = it.desk.tap({"do": "wager", "seat": 2, **ORIGINAL, **it.shown()})
            with monkeypatch.context() as patch, pytest.raises(kind):
                patch.setattr(Desk, place, Mock(side_effect=kind("it is so.", "Call service.")))
                it.desk.attempt()
            assert tap.done()
