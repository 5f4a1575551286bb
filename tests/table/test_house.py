"""What a supervisor decides: void at any stage, a shoe that was replaced, a header that is unknown."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from running_tables import POKER, check_books, options_of
from sitting import Sitting, Values, sitting
from test_headers import old_file

from fairshoe import Need
from fairshoe.errors import FairshoeError, UsageError
from fairshoe_table.play import registry

STEPS_MAX = 60
BY = {"by": "J. Doe", "reason": "the shoe smokes"}


def outcomes(it: Sitting, number: int) -> dict[int, str]:
    return {line.seat: line.outcome.value for line in it.desk.books.lines(number)}


def bet(it: Sitting) -> None:
    it.bets()
    it.tap(do="players")
    it.close()


def step(it: Sitting) -> None:
    it.until(lambda values: values["ask"] or values["now"]["action"])
    it.go_on()


def goes_on(it: Sitting, number: int) -> bool:
    """One step of this round or of its lines; False if there is none any more."""

    def due(values: Values) -> object:
        counted = it.desk.step is not None and it.desk.step.need is Need.STUB_COUNT
        return values["ask"] or values["now"]["action"] or values["round"] != number or counted

    values = it.until(due)
    if not values["ask"] and not values["now"]["action"] and values["round"] == number:
        it.tap(do="hand")  # the stub is counted after some rounds
        return True
    if it.desk.number != number and not it.desk.open_lines():
        return False
    it.go_on()
    return True


def voided(it: Sitting, number: int) -> bool:
    """Whether a supervisor could void this round, as soon as no command is under way at the shoe."""
    while it.desk.number == number:
        try:
            it.tap(do="house", choice="void", **BY)
            return True
        except FairshoeError as error:
            assert "under way" in error.what
            it.desk.turn()
    return False


# --- void at any stage -------------------------------------------------------------------------


@pytest.mark.parametrize("game", registry.OURS)
def test_a_supervisor_voids_the_round_at_any_stage_and_the_next_one_is_played(tmp_path: Path, game: str) -> None:
    """Some steps further in each round, until a round ends before that; the shoe is brought to its end as well."""
    with sitting(tmp_path, game, seed=4, seats=2) as it:
        for steps in range(0, STEPS_MAX, 4):
            bet(it)
            number = it.desk.number
            for _ in range(steps):
                goes_on(it, number)
            if not voided(it, number):
                break
            while goes_on(it, number):
                pass
            told = [one.data for one in it.desk.books.inputs(number) if one.kind == "void"]
            assert [(one["clause"], one["by"], one["reason"]) for one in told] == [("HOUSE", *BY.values())]
            check_books(it.desk.books)
        assert it.desk.books.rounds_over() > 2 and it.desk.books.replay() == []


def test_only_what_may_be_decided_now_is_taken(tmp_path: Path) -> None:
    with sitting(tmp_path, "double-down-stud") as it:
        it.bets()
        for choice in ("void", "settle", "continue", "nothing"):
            with pytest.raises(UsageError, match="cannot be decided"):
                it.tap(do="house", choice=choice, **BY)
        bet(it)
        it.next()
        for by, reason in (("", "smoke"), ("J. Doe", " ")):
            with pytest.raises(UsageError, match="no name or no reason"):
                it.tap(do="house", choice="void", by=by, reason=reason)


# --- another shoe ------------------------------------------------------------------------------


@contextmanager
def swapped(folder: Path, game: str, cards_out: int, **more: Any) -> Generator[tuple[Sitting, int]]:
    """A round that began at one shoe, so many steps after betting was closed, and then another shoe."""
    with sitting(folder, game, seed=3) as it:
        if more.get("second"):  # the first round of the other shoe is not the first of this one
            bet(it)
            it.finish()
        it.bets()
        for seat in (2, 4):
            it.wager(seat, **{registry.find(game).stakes(it.desk.options)[0].wager: 1000})
        it.close()
        number = it.desk.number
        it.next()
        for _ in range(cards_out):
            step(it)
        assert it.desk.number == number
    (folder / "shoe.nv").unlink()
    with sitting(folder, game, seed=99) as it:
        assert it.desk.shoe.welcome is not None
        assert it.desk.books.header(number).device != f"{it.desk.shoe.welcome.device:08x}"
        it.until(lambda values: values["house"]["text"] or values["round"] != number or values["ask"])
        yield it, number


CLAUSES = {
    "double-down-stud": "HOUSE",
    "boston-5-stud": "B5-12f",
    "caribbean-stud": "CS-13f",
    "double-cross-poker": "DCP-12e",
    "double-attack-blackjack": "HOUSE",
}


@pytest.mark.parametrize("second", [False, True], ids=["same number", "other number"])
@pytest.mark.parametrize("game", CLAUSES)
def test_cards_of_a_round_come_only_from_its_shoe(tmp_path: Path, game: str, second: bool) -> None:
    with swapped(tmp_path, game, 1, second=second) as (it, number):
        assert "another shoe" in it.values["house"]["text"] and it.values["ask"]["kind"] == "house"
        before = it.desk.books.inputs(number)
        for _ in range(5):
            it.desk.turn()
        assert it.desk.books.inputs(number) == before  # nothing goes on without a supervisor
        with pytest.raises(UsageError, match="a supervisor decides this"):  # who, and why
            it.tap(do="choose", key=it.values["ask"]["key"], choice="void")
        assert it.desk.books.inputs(number) == before
        it.tap(do="house", choice="void", **BY)
        while goes_on(it, number):
            pass
        void = next(one.data for one in it.desk.books.inputs(number) if one.kind == "void")
        assert void["clause"] == CLAUSES[game]
        assert void["kept"] == ([2, 4] if game == "boston-5-stud" else [])
        check_books(it.desk.books)
        bet(it)
        it.finish()
        assert it.desk.books.replay() == []


@pytest.mark.parametrize("game", POKER)
def test_a_round_whose_cards_are_all_out_is_settled_without_its_shoe(tmp_path: Path, game: str) -> None:
    """After the release of the rest; the faces are entered by hand."""
    faces = iter(range(52))
    with sitting(tmp_path, game, seed=3) as it:
        bet(it)
        number = it.desk.number
        while it.desk.shoe.current_round.cards.released is None:
            step(it)
        assert it.desk.number == number
    (tmp_path / "shoe.nv").unlink()
    with sitting(tmp_path, game, seed=99) as it:
        known = {card for one in it.desk.books.inputs(number) if one.kind == "cards" for card in one.data["cards"]}
        while it.desk.number == number or it.desk.open_lines():
            values = it.until(lambda now: now["ask"] or now["now"]["action"] or it.desk.number != number)
            ask = values["ask"]
            if not ask and not values["now"]["action"]:
                continue  # everything was entered: it is settled
            if it.values["now"]["action"].get("do") == "done":
                it.go_on()
            elif ask["kind"] == "cards":
                for _ in range(ask["count"] - len(ask["entry"])):
                    it.tap(do="card", key=ask["key"], card=next(card for card in faces if card not in known))
                it.tap(do="enter", key=ask["key"])
            else:
                it.tap(do="choose", key=ask["key"], choice=ask["choices"][0] if ask["choices"] else True)
        assert not [one for one in it.desk.books.inputs(number) if one.kind in ("void", "house")]
        check_books(it.desk.books)
        bet(it)
        it.finish()
        assert it.desk.books.replay() == []


# --- an unknown header -------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["continue", "void"])
def test_a_supervisor_is_asked_about_an_open_round_of_old_books(tmp_path: Path, choice: str) -> None:
    old_file(tmp_path / "books.db", True)
    with sitting(tmp_path, "double-down-stud", options=options_of("double-down-stud")) as it:
        it.until(lambda values: values["house"]["text"])
        assert it.values["ask"]["choices"] == ("continue", "void")
        it.tap(do="house", choice=choice, **BY)
        if choice == "continue":
            assert it.desk.books.header(1).known and it.desk.held() is None
            it.tap(do="house", choice="void", **BY)  # the simulated shoe never dealt it
        while goes_on(it, 1):
            pass
        check_books(it.desk.books)
        bet(it)
        it.finish()
    with sqlite3.connect(tmp_path / "books.db") as db:
        assert db.execute("SELECT COUNT(*) FROM rounds WHERE over = 0").fetchone() == (1,)


# --- a machine that stopped --------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["void", "continue"])
def test_a_machine_that_stopped_in_a_game_without_a_clause_is_decided_by_the_house(tmp_path: Path, choice: str) -> None:
    """The record house_decision tells the shoe, so that its journal and the books agree."""
    with sitting(tmp_path, "double-down-stud", seed=4, seats=2) as it:
        bet(it)
        number = it.desk.number
        it.next()
        it.desk.shoe.sim.act("cut", "")
        it.desk.shoe.sim.sleep(0.5)
        it.desk.shoe.sim.act("boot", "")
        for _ in range(STEPS_MAX):
            if it.values["house"]["text"]:
                break
            it.tap(do="hand")  # clears the warning
        assert [one for one, _ in it.values["house"]["choices"]] == ["void", "continue"]
        it.tap(do="house", choice=choice, **BY)
        while goes_on(it, number):
            pass
        view = it.desk.books.shoe_rounds()[1]
        assert (view.how, view.clause) == (("void", "HOUSE") if choice == "void" else ("ended", ""))
        check_books(it.desk.books)
        bet(it)
        while goes_on(it, number + 1):
            pass
