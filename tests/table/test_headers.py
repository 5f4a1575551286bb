"""Headers of rounds: the shoe, the options and the program of each; books of another version."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from kills import Killed, Sweep
from running_tables import FULL, POKER, options_of

from fairshoe import __version__
from fairshoe.errors import UsageError
from fairshoe_table.books import schema
from fairshoe_table.books.books import Books
from fairshoe_table.books.header import options_of as read_again
from fairshoe_table.books.header import settings_text
from fairshoe_table.games.double_down import DoubleDownOptions
from fairshoe_table.play import registry
from fairshoe_table.rules.pay_tables import TABLES, improve
from fairshoe_table.simulated.demonstration import simulated_table
from fairshoe_table.table.table import Table


@pytest.mark.parametrize("game", registry.ids())
def test_options_and_pay_tables_are_read_again_from_a_header(game: str) -> None:
    for options in (options_of(game), registry.find(game).demo()):
        assert read_again(settings_text(game, options)) == options


def test_every_printed_table_is_kept_whole_in_a_header() -> None:
    for table in TABLES.values():
        options = replace(FULL, bonus_pays=table)
        assert read_again(settings_text("caribbean-stud", options)) == options


def test_a_round_names_its_shoe_options_program_and_time(tmp_path: Path) -> None:
    with simulated_table(tmp_path, "boston-5-stud", seed=5) as it:
        numbers = [it.table.play_round() for _ in range(2)]
        heads = [it.books.header(number) for number in numbers]
        assert it.shoe.welcome is not None and it.shoe.store is not None
        log = it.shoe.store.logs()[-1].identity.hex()
        assert {(head.device, head.log) for head in heads} == {(f"{it.shoe.welcome.device:08x}", log)}
        assert [head.round for head in heads] == [1, 2] and {head.program for head in heads} == {__version__}
        assert it.books.options(numbers[0]) == it.table.configured and heads[0].began < heads[1].began < "3"
        assert it.books.replay() == []
    with sqlite3.connect(tmp_path / "books.db") as db:
        assert db.execute("SELECT COUNT(*) FROM settings").fetchone() == (1,)  # stored once
        assert db.execute("SELECT COUNT(*) FROM inputs WHERE utc NOT LIKE '20%Z'").fetchone() == (0,)


class Stop(Exception):
    pass


BETTER = improve("DDS-10b", {"Pair of sixes, sevens, eights, nines or tens": "100 to 1"}, "test")


@pytest.mark.parametrize(
    "changed", [{"minimum": 50_000, "maximum": 90_000}, {"pays": BETTER, "approvals": {"pays": "test"}}]
)
def test_an_open_round_goes_on_with_the_options_of_its_header(tmp_path: Path, changed: dict[str, object]) -> None:
    """The next one has those of the table's file."""
    with simulated_table(tmp_path, "double-down-stud", seed=5) as it:
        answer = it.people.answer
        old = it.table.configured

        def stop(*_asked: object) -> object:
            raise Stop

        it.people.answer = stop  # type: ignore[method-assign]
        with pytest.raises(Stop):
            it.table.play_round()
        it.people.answer = answer
        new = replace(DoubleDownOptions(), rounding=old.rounding, **changed)  # type: ignore[arg-type]
        again = Table(it.shoe, it.books, "double-down-stud", new, it.people)
        number = again.play_round()
        assert it.books.options(number) == old and it.books.audit() == it.books.replay() == []
        again.begin()
        assert again.options == new


# --- files of other versions -------------------------------------------------------------------


def test_a_kill_leaves_all_tables_or_none(tmp_path: Path) -> None:
    path, sweep = tmp_path / "books.db", Sweep()
    sweep.on = True
    while True:
        try:
            books = Books(path, connection=sweep.connection)
            break
        except Killed:
            sweep.bury()
            with sqlite3.connect(path) as db:
                assert db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone() == (0,)
    assert sweep.kills > 10 and books.audit() == []
    books.close()


@pytest.mark.parametrize("version", [0, schema.VERSION - 1, schema.VERSION + 1])
def test_books_of_another_version_are_refused_unchanged(tmp_path: Path, version: int) -> None:
    path = tmp_path / "books.db"
    Books(path).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {version}")
    before = path.read_bytes()
    with pytest.raises(UsageError, match=f"version {version}"):
        Books(path)
    assert path.read_bytes() == before


def test_events_of_a_round_that_is_over_close_no_other_round(tmp_path: Path) -> None:
    """After a power cut the library may give events again that were handled."""
    with simulated_table(tmp_path, POKER[0], seed=5) as it:
        number = it.table.play_round()
        it.table.begin()
        assert it.shoe.store is not None and it.table.number == number + 1
        for stored in it.shoe.store.events():
            it.table.take(stored.event)
        assert it.books.inputs(number + 1) == []
        it.table.play_round()
        assert it.books.rounds_over() == 2 and it.books.audit() == []
