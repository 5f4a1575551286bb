"""Tables at a simulated shoe: whole rounds, the void matrix by records of the device, crashes at every question."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from running_tables import POKER, Running, check_books, options_of, table_at

from fairshoe import CommandResult
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe_table.books import Books
from fairshoe_table.plays import Ask, Input, Play
from fairshoe_table.table import Table


@pytest.mark.parametrize("game", POKER)
def test_rounds_are_played_and_the_books_agree_with_the_shoe(tmp_path: Path, game: str) -> None:
    with table_at(tmp_path, game) as it:
        for _ in range(3):
            number = it.table.play_round()
            view = it.shoe.current_round
            play = it.books.play(number, it.table.options)
            assert view.positions == len(play.seats) and view.end is not None
            assert set(play.sources) <= {"plant"}
            check_books(it.books)
        assert it.books.rounds_over() == 3
        assert it.floor.calls == []


class Crash(Exception):
    pass


@pytest.mark.parametrize("game", POKER)
def test_a_program_that_dies_at_any_question_goes_on_where_it_was(tmp_path: Path, game: str) -> None:
    """Before each question and after each booking in turn; then a new table with the same shoe and books goes on."""
    with table_at(tmp_path, game, seed=9) as it:
        answer, record = it.floor.answer, Books.record
        crashes = 0

        def dies(play: Play, ask: Ask) -> Input:
            nonlocal crashes
            if ask.key not in asked:
                asked.add(ask.key)
                crashes += 1
                raise Crash
            return answer(play, ask)

        asked: set[str] = set()
        it.floor.answer = dies
        number = _until_over(it)
        assert crashes > 2
        check_books(it.books)
        it.floor.answer = answer
        told: set[str] = set()

        def dies_after(books: Books, number: int, what: Input, *rest: object) -> object:
            found = record(books, number, what, *rest)  # type: ignore[arg-type]
            if what.key not in told:
                told.add(what.key)
                raise Crash
            return found

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Books, "record", dies_after)
            assert _until_over(it) == number + 1
        assert {"closed", "over"} < told
        check_books(it.books)


def _until_over(it: Running) -> int:
    """Start a new table after every crash."""
    over = it.books.rounds_over()
    number = it.books.open_round(it.table.game)
    while it.books.rounds_over() == over:
        with suppress(Crash):
            Table(it.shoe, it.books, it.table.game, it.table.options, it.floor).play_round()
    return number


def test_a_jam_voids_the_round_returns_wagers_and_calls_a_person(tmp_path: Path) -> None:
    with table_at(tmp_path, "caribbean-stud", faults="jam:exit:7") as it:
        number = it.table.play_round()
        assert {line.outcome.value for line in it.books.lines(number)} == {"void"}
        assert {line.clause for line in it.books.lines(number)} == {"CS-13f"}
        assert any("jam" in text for text in it.floor.calls)
        check_books(it.books)
        it.table.play_round()  # a person has cleared the path
        assert it.books.rounds_over() == 2
        check_books(it.books)


def test_a_power_cut_in_the_round_voids_it_and_the_meters_stay(tmp_path: Path) -> None:
    def cut(play: Play, ask: Ask) -> Input:
        raise Crash

    with table_at(tmp_path, "caribbean-stud", storage=True) as it:
        before = it.books.meters("progressive")
        it.floor.answer = cut
        with pytest.raises(Crash):
            it.table.play_round()
        number = it.books.open_round("caribbean-stud")
    with table_at(tmp_path, "caribbean-stud", storage=True) as it:
        assert it.table.play_round() == number
        assert sum(line.net for line in it.books.lines(number)) == 0
        assert it.books.meters("progressive") == before
        check_books(it.books)


# --- the void matrix ---------------------------------------------------------------------------
# What goes to the device, and what comes back: all wagers void, one hand void, or play goes on.

Tell = Callable[[Running], CommandResult]
MATRIX: list[tuple[str, str, Tell, str, str]] = [
    ("double-down-stud", "a player's wrong count", lambda it: it.shoe.records.misdeal(1, 2), "all", "DDS-11d"),
    ("double-down-stud", "community wrong", lambda it: it.shoe.records.misdeal(COMMUNITY, 5), "all", "DDS-11d"),
    ("double-down-stud", "hole card seen", lambda it: it.shoe.records.hole_card_seen(), "all", "DDS-11a"),
    ("double-down-stud", "two face up", lambda it: it.shoe.records.face_up(2), "all", "DDS-11b"),
    ("double-down-stud", "drawn in error", lambda it: it.shoe.records.drawn_in_error(1), "none", ""),
    ("boston-5-stud", "a player's wrong count", lambda it: it.shoe.records.misdeal(1, 4), "one", "B5-12d"),
    ("boston-5-stud", "dealer wrong", lambda it: it.shoe.records.misdeal(DEALER, 5), "all", "B5-12d"),
    ("boston-5-stud", "dealer's card seen", lambda it: it.shoe.records.hole_card_seen(), "all", "B5-12a"),
    ("boston-5-stud", "two face up", lambda it: it.shoe.records.face_up(2), "all", "B5-12b"),
    ("boston-5-stud", "drawn in error", lambda it: it.shoe.records.drawn_in_error(1), "none", ""),
    ("caribbean-stud", "a player's wrong count", lambda it: it.shoe.records.misdeal(1, 6), "one", "CS-13d"),
    ("caribbean-stud", "dealer wrong", lambda it: it.shoe.records.misdeal(DEALER, 6), "all", "CS-13d"),
    ("caribbean-stud", "two face up", lambda it: it.shoe.records.face_up(2), "all", "CS-13b"),
    ("caribbean-stud", "drawn in error", lambda it: it.shoe.records.drawn_in_error(1), "none", ""),
    ("double-cross-poker", "a player's wrong count", lambda it: it.shoe.records.misdeal(1, 3), "all", "DCP-12c"),
    ("double-cross-poker", "community wrong", lambda it: it.shoe.records.misdeal(COMMUNITY, 4), "all", "DCP-12c"),
    ("double-cross-poker", "two face up", lambda it: it.shoe.records.face_up(2), "all", "DCP-12a"),
    ("double-cross-poker", "drawn in error", lambda it: it.shoe.records.drawn_in_error(1), "none", ""),
]


@pytest.mark.parametrize(
    ("game", "_what", "tell", "void", "clause"), MATRIX, ids=[f"{it[0]}: {it[1]}" for it in MATRIX]
)
def test_the_void_matrix(tmp_path: Path, game: str, _what: str, tell: Tell, void: str, clause: str) -> None:
    with table_at(tmp_path, game, seed=9) as it:
        answer = it.floor.answer
        results: list[CommandResult] = []

        def first_tells(play: Play, ask: Ask) -> Input:
            if not results:
                results.append(tell(it))
            return answer(play, ask)

        it.floor.answer = first_tells
        number = it.table.play_round()
        assert results[0].done, results
        lines = it.books.lines(number)
        voided = {line.seat for line in lines if line.outcome.value == "void"}
        seats = it.books.play(number, options_of(game)).seats
        assert voided == {"all": set(seats), "one": set(seats[:1]), "none": set()}[void]
        assert {line.clause for line in lines if line.outcome.value == "void"} <= {clause}
        check_books(it.books)


@pytest.mark.parametrize(
    ("game", "fault", "clause"),
    [
        ("double-down-stud", "jam:exit:3", "HOUSE"),  # no clause: the policy of the house
        ("boston-5-stud", "jam:exit:8", "B5-12f"),
        ("double-cross-poker", "jam:exit:3", "DCP-12e"),
    ],
)
def test_a_jam_in_the_deal_returns_every_wager(tmp_path: Path, game: str, fault: str, clause: str) -> None:
    with table_at(tmp_path, game, faults=fault, seed=9) as it:
        number = it.table.play_round()
        lines = it.books.lines(number)
        assert lines and sum(line.net for line in lines if line.outcome.value == "void") == 0
        assert {line.clause for line in lines} == {clause}
        check_books(it.books)
