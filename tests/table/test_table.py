"""Tables at a simulated shoe: whole rounds, crashes at every question, jams and power cuts."""

from contextlib import suppress
from pathlib import Path

import pytest
from running_tables import POKER, check_books, check_replayed

from fairshoe import What
from fairshoe.messages import Recorded
from fairshoe_table.books.books import Books
from fairshoe_table.play.game import Ask, Play
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.rules.ledger import Line, Wager
from fairshoe_table.simulated.demonstration import Running, simulated_table
from fairshoe_table.table.table import ACTS, Table
from rig.games import INDUCTION


@pytest.mark.parametrize("game", POKER)
def test_rounds_are_played_and_the_books_agree_with_the_shoe(tmp_path: Path, game: str) -> None:
    with simulated_table(tmp_path, game, seed=5) as it:
        for _ in range(3):
            number = it.table.play_round()
            view = it.shoe.current_round
            play = it.books.play(number, it.table.options)
            assert view.positions == len(play.seats) and view.end is not None
            assert set(play.sources) <= {"plant"}
            check_books(it.books)
        assert it.books.rounds_over() == 3
        assert it.people.calls == []


class Crash(Exception):
    pass


@pytest.mark.parametrize("game", POKER)
def test_a_program_that_dies_at_any_question_goes_on_where_it_was(tmp_path: Path, game: str) -> None:
    """Before each question and after each booking in turn; then a new table with the same shoe and books goes on."""
    with simulated_table(tmp_path, game, seed=9) as it:
        answer, record = it.people.answer, Books.record_all
        crashes = 0

        def dies(play: Play, ask: Ask) -> Input:
            nonlocal crashes
            if ask.key not in asked:
                asked.add(ask.key)
                crashes += 1
                raise Crash
            return answer(play, ask)

        asked: set[str] = set()
        it.people.answer = dies
        number = _until_over(it)
        assert crashes > 2
        check_books(it.books)
        it.people.answer = answer
        fact: set[str] = set()

        def dies_after(books: Books, number: int, what: tuple[Input, ...], *rest: object) -> object:
            found = record(books, number, what, *rest)  # type: ignore[arg-type]
            if not {one.key for one in what} <= fact:
                fact.update(one.key for one in what)
                raise Crash
            return found

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(Books, "record_all", dies_after)
            assert _until_over(it) == number + 1
        assert {"closed", "over"} < fact
        check_books(it.books)


def _until_over(it: Running) -> int:
    """Start a new table after every crash."""
    over = it.books.rounds_over()
    number = it.books.open_round(it.table.game)
    while it.books.rounds_over() == over:
        with suppress(Crash):
            Table(it.shoe, it.books, it.table.game, it.table.options, it.people).play_round()
    return number


def test_a_jam_voids_the_round_returns_wagers_and_calls_a_person(tmp_path: Path) -> None:
    with simulated_table(tmp_path, "caribbean-stud", seed=5, board="pico-carousel?faults=jam:exit:7") as it:
        number = it.table.play_round()
        assert {line.outcome.value for line in it.books.lines(number)} == {"void"}
        assert {line.clause for line in it.books.lines(number)} == {"CS-13f"}
        assert any("jam" in text for text in it.people.calls)
        check_books(it.books)
        it.table.play_round()  # a person has cleared the path
        assert it.books.rounds_over() == 2
        check_books(it.books)


def test_a_power_cut_in_the_round_voids_it_and_the_meters_stay(tmp_path: Path) -> None:
    def cut(play: Play, ask: Ask) -> Input:
        raise Crash

    with simulated_table(tmp_path, "caribbean-stud", seed=5) as it:
        before = it.books.meters("progressive")
        it.people.answer = cut
        with pytest.raises(Crash):
            it.table.play_round()
        number = it.books.open_round("caribbean-stud")
    with simulated_table(tmp_path, "caribbean-stud", seed=5) as it:
        assert it.table.play_round() == number
        assert sum(line.net for line in it.books.lines(number)) == 0
        assert it.books.meters("progressive") == before
        check_books(it.books)


def _two_royals(it: Running) -> None:
    """At seats 1 and 2, with progressive wagers; the dealer has nothing."""
    hands = {seat: tuple(rank * 4 + seat for rank in range(8, 13)) for seat in (1, 2)}
    it.people.players.wagers = lambda play: [wager(seat, {Wager.ANTE: 1000, Wager.PROGRESSIVE: 100}) for seat in hands]
    it.people.faces = lambda play, ask: hands.get(ask.seat, (0, 5, 9, 14, 19))[: ask.count]
    it.people.players.decide = lambda play, ask, own: "raise"


def test_a_jackpot_holds_its_cards_until_the_paperwork_is_done(tmp_path: Path) -> None:
    """CS 10(c)(3)(ii)c.2.iv; the next round comes after it. Two seats have a royal flush: the second gets the seed."""
    with simulated_table(tmp_path, "caribbean-stud", seed=5) as it:
        faces = it.people.faces
        _two_royals(it)
        number = it.table.play_round()
        paid = [line.paid for line in it.books.lines(number) if line.source.startswith("meter ")]
        assert paid == [1_000_150, 1_000_000] and any("jackpot" in text for text in it.people.calls)
        check_books(it.books)
        it.people.faces = faces
        it.table.play_round()
        assert it.shoe.store is not None
        records = [stored.event for stored in it.shoe.store.events(kinds=[Recorded])]
        holds = [(one.a, one.b) for one in records if isinstance(one, Recorded) and one.what is What.WINNER_HOLD]
        assert holds == [(1, 1), (1, 0)]
        assert it.books.replay(it.table.options) == []


def test_a_hand_that_becomes_void_after_its_jackpot_calls_a_person(tmp_path: Path) -> None:
    """CS 13(d), found when both royal flushes were settled: the one that stands is paid the whole meter."""
    with simulated_table(tmp_path, "caribbean-stud", seed=5) as it:
        _two_royals(it)
        results: list[bool] = []

        def misdealt(lines: list[Line]) -> None:
            if any(line.jackpot for line in lines) and not results:
                results.append(it.shoe.records.misdeal(2, 6).done)

        it.people.booked = misdealt
        number = it.table.play_round()
        assert results == [True]
        assert any(text.startswith("the hand of seat 2 is void and had a jackpot") for text in it.people.calls)
        paid = [(line.seat, line.paid) for line in it.books.lines(number) if line.jackpot]
        assert paid == [(1, 1_000_150)]
        check_replayed(it.books, it.table.options)


def test_a_kill_after_the_rest_was_taken_leaves_the_cards_on_the_table(tmp_path: Path) -> None:
    """Power and program fail together in the tail of a round, which is not void: the same cards are settled."""

    def killed(play: Play, ask: Ask) -> Input:
        raise Crash

    with simulated_table(tmp_path, "double-cross-poker", seed=5) as it:
        it.people.answer = killed
        with pytest.raises(Crash):
            it.table.play_round()
        dealt, number = (it.people.stacks, it.people.rest), it.table.number
        assert len(it.people.rest) > 5
    with simulated_table(tmp_path, "double-cross-poker", seed=5) as it:
        assert (it.people.stacks, it.people.rest) == dealt
        assert it.table.play_round() == number
        assert it.shoe.current_round.end is not None and it.shoe.current_round.void is None
        check_books(it.books)


def test_people_are_asked_for_every_step_of_an_induction() -> None:
    assert {what.name.lower() for what in ACTS} == {"deck_removed", *INDUCTION[1:]}
