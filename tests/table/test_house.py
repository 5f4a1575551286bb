"""What a supervisor decides: void at any stage, a shoe that was replaced, a header that is unknown."""

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from running_tables import POKER, Life, always, check_books, check_replayed, options_of
from sitting import bet, sitting
from test_books import ROUNDS

from fairshoe import Need
from fairshoe.cli.command_line import main
from fairshoe.errors import FairshoeError, UsageError
from fairshoe.games.record_kinds import DEALER
from fairshoe_table.books.books import Books
from fairshoe_table.books.header import header
from fairshoe_table.desk.taps import Desk
from fairshoe_table.play import registry
from fairshoe_table.play.inputs import Input, wager
from fairshoe_table.play.options import Options
from fairshoe_table.rules.ledger import Line
from fairshoe_table.simulated.demonstration import NEW_STORAGE, Running, simulated_table
from fairshoe_table.simulated.sitting import Sitting, Values, listen
from fairshoe_table.simulated.stack import Died, StackReport, TroubledPeople, compare
from fairshoe_table.table.table import Table

STEPS_MAX = 60
BY = {"by": "J. Doe", "reason": "the shoe smokes"}


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


def ready(values: Values) -> object:
    return values["now"]["action"] or values["now"]["say"] == "Place your bets"


def at_the_shoe(it: Sitting) -> bool:
    """Whether the shoe voids the round now, by a record."""
    return it.desk.shoe.records.misdeal(DEALER, 0).done


@pytest.mark.parametrize("first", ["", "books", "shoe"])
@pytest.mark.parametrize("game", always(("caribbean-stud", "double-attack-blackjack"), registry.OURS))
def test_a_supervisor_voids_the_round_at_any_stage_and_the_next_one_is_played(
    tmp_path: Path, game: str, first: str
) -> None:
    """Some steps further in each round, until a round ends before that; the shoe is brought to its end as well.
    `first`: which of the two is void before the other one. The books keep what came first."""
    pairs: set[tuple[str, str]] = set()
    with sitting(tmp_path, game, seed=4, seats=2) as it:
        for steps in range(0, STEPS_MAX, 4):
            while it.until(ready)["now"]["action"]:  # after a void the rest of the deck is released
                it.go_on()
            bet(it)
            number = it.desk.number
            for _ in range(steps):
                goes_on(it, number)
            there = first == "shoe" and it.desk.number == number and at_the_shoe(it)
            if there:
                it.until(lambda values, number=number: values["void"] or values["round"] != number)
                with pytest.raises(FairshoeError, match=r"cannot be decided|another round"):
                    it.tap(do="house", choice="void", **BY)
            elif not voided(it, number):
                break
            elif first == "books" and at_the_shoe(it):
                it.until(lambda values, number=number: values["round"] != number)
            while goes_on(it, number):
                pass
            fact = [one.data for one in it.desk.books.inputs(number) if one.kind == "void"]
            assert [(one.get("by"), one.get("reason")) for one in fact] == [(None, None) if there else (*BY.values(),)]
            dealt = it.desk.books.header(number).round  # 0: it was void before the shoe began
            if dealt:
                how = it.desk.books.shoe_rounds()[dealt].how
                pairs.add((how, it.desk.shoe.current_round.stage.name.lower()))
                assert how == ("void" if there else "house")
            check_books(it.desk.books)
        report = StackReport()
        compare(Running(it.desk.shoe, it.desk.books, it.desk.hands, it.desk), report)  # type: ignore[arg-type]
        assert report.wrong == [] and it.desk.books.rounds_over() > 2
        assert (
            pairs - {("house", "ended")} == {"": set(), "books": {("house", "void")}, "shoe": {("void", "void")}}[first]
        )


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
                it.desk.decide("void", by, reason)


# --- another shoe ------------------------------------------------------------------------------


CLAUSES = {
    "double-down-stud": "HOUSE",
    "boston-5-stud": "B5-12f",
    "caribbean-stud": "CS-13f",
    "double-cross-poker": "DCP-12e",
    "double-attack-blackjack": "HOUSE",
}


@pytest.mark.parametrize(
    "second", [pytest.param(False, marks=pytest.mark.full), True], ids=["same number", "other number"]
)
@pytest.mark.parametrize(("seed", "says"), [(99, "another shoe"), (3 + NEW_STORAGE, "another storage")])
@pytest.mark.parametrize("game", always(("boston-5-stud", "double-attack-blackjack"), CLAUSES))
def test_cards_of_a_round_come_only_from_its_shoe(
    tmp_path: Path, game: str, seed: int, says: str, second: bool
) -> None:
    with sitting(tmp_path, game, seed=3) as it:
        if second:  # the first round of the other shoe is not the first of this one
            bet(it)
            it.finish()
        it.bets()
        for seat in (2, 4):
            it.wager(seat, **{registry.find(game).stakes(it.desk.options)[0].wager: 1000})
        it.close()
        number = it.desk.number
        it.next()
        step(it)
        assert it.desk.number == number
    (tmp_path / "shoe.nv").unlink()
    with sitting(tmp_path, game, seed=seed, new_log=True) as it:
        it.until(lambda values: values["house"]["text"] or values["round"] != number or values["ask"])
        assert says in it.values["house"]["text"] and it.values["ask"]["kind"] == "house"
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


@pytest.mark.parametrize("game", always(("caribbean-stud",), POKER))
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


@pytest.mark.parametrize("choice", ["continue", "void"])
def test_a_supervisor_is_asked_about_wagers_that_were_placed_with_another_shoe(tmp_path: Path, choice: str) -> None:
    """The round of the first shoe was voided, and another took its place before it was ended. That one left after the
    next wagers were booked. The first is back: its round is ended though they lie there, and a person says whether the
    other has dealt for them."""

    life = Life(tmp_path, "caribbean-stud")
    life(1, lambda it: it.shoe.current_round.number == 1 and bool(it.shoe.current_round.stacks))
    life(1)
    life(2, lambda it: bool(it.books.inputs(it.table.number)))
    with life.books() as books:
        assert books.header(2).device == "00510002"
    life(1, choice=choice)
    with life.books() as books:
        assert books.rounds_over() == 2 and life.asked == ["moved"]
        void = [one for one in books.inputs(2) if one.kind == "void"]
        assert len(void) == (choice == "void") and books.header(2).round == (0 if void else 2)
        assert books.header(2).device == ("00510002" if void else "00510001")
    life(1)
    with life.books() as books:
        check_replayed(books)


def test_a_shoe_that_comes_back_deals_for_no_wagers_that_were_returned(tmp_path: Path) -> None:
    """The program ends as betting is closed, before it reads that the round began; another shoe takes its place, and a
    supervisor returns the wagers. In the round of the first shoe no money moves, and a person is called."""

    with simulated_table(tmp_path, "caribbean-stud", 5, shoe_seed=2) as it:
        book = it.books.record_all

        def closing(number: int, fact: Iterable[Input], options: Options, seq: int = 0) -> list[Line]:
            if any(one.kind == "closed" for one in fact):
                raise Died
            return book(number, fact, options, seq)

        it.books.record_all = closing
        with pytest.raises(Died):
            it.table.play_round()
    with simulated_table(tmp_path, "caribbean-stud", 6, shoe_seed=1) as it:
        assert it.table.play_round() == 1 and {line.net for line in it.books.lines(1)} == {0}
        it.table.play_round()
    with simulated_table(tmp_path, "caribbean-stud", 7, shoe_seed=2) as it:
        assert it.table.play_round() == 3 and it.books.lines(3) == []
        assert "0 seats have wagers" in it.people.calls[0]
        it.table.play_round()
        report = StackReport()
        it.shoe.sim.sleep(1)
        compare(it, report, {("00510002", it.books.header(1).log, 1)})
        assert report.wrong == [] and report.ended == 2


# --- an unknown header -------------------------------------------------------------------------


@pytest.mark.parametrize("choice", ["continue", "void"])
def test_a_supervisor_is_asked_about_an_open_round_without_a_header(tmp_path: Path, choice: str) -> None:
    options = options_of("double-down-stud")
    with Books(tmp_path / "books.db") as books:
        number = books.open_round("double-down-stud")
        for fact in ROUNDS["double-down-stud"][:6]:
            books.record(number, fact, options)
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
@pytest.mark.parametrize("game", ["double-down-stud", "double-attack-blackjack"])
def test_a_machine_that_stopped_in_a_game_without_a_clause_is_decided_by_the_house(
    tmp_path: Path, game: str, choice: str
) -> None:
    """The record house_decision tells the shoe, so that its journal and the books agree. A rack is counted once."""
    with sitting(tmp_path, game, seed=4, seats=2) as it:
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
        if it.until(lambda values: ready(values) or values["ask"])["ask"]:
            it.go_on()
        bet(it)
        while goes_on(it, number + 1):
            pass
        counts = [fact for number in (1, 2) for fact in it.desk.books.inputs(number) if fact.kind == "count"]
        assert len(counts) == (game == "double-attack-blackjack")


def test_nothing_is_asked_about_a_round_that_the_house_has_voided(tmp_path: Path) -> None:
    """The status of a shoe may come before its event that the round is void."""
    with simulated_table(tmp_path, "double-attack-blackjack", 4) as it:
        people = TroubledPeople(it.people)
        people.countdown, people.strike = 12, lambda: power_cut(it)
        number = Table(it.shoe, it.books, it.table.game, it.table.options, people).play_round()
        keys = [fact.key for fact in it.books.inputs(number)]
        assert keys[keys.index("house:0:machine") + 1 :] == ["void", "over"]


def power_cut(it: Running) -> None:
    it.shoe.sim.act("cut", "")
    it.shoe.sim.sleep(0.5)
    it.shoe.sim.act("boot", "")


# --- a round that cannot be read ---------------------------------------------------------------


def _limits(db: sqlite3.Connection) -> None:
    """Its wagers do not fit the options of its header."""
    (old,) = db.execute("SELECT settings FROM rounds WHERE id = 1").fetchone()
    db.execute(
        "UPDATE settings SET data = replace(data, '\"minimum\": 1000', '\"minimum\": 90000') WHERE hash = ?", (old,)
    )


def _unknown(db: sqlite3.Connection) -> None:
    """Its header is unknown, and they do not fit those of the table either."""
    db.execute("UPDATE rounds SET settings = 'unknown' WHERE id = 1")


def _option(db: sqlite3.Connection) -> None:
    """This program does not know an option of its header."""
    db.execute("UPDATE settings SET data = replace(data, '\"minimum\"', '\"least\"')")


CASES = [(game, spoil) for game in registry.OURS for spoil in (_limits, _unknown, _option)]
ALWAYS = [("double-down-stud", _limits), ("boston-5-stud", _unknown), ("double-attack-blackjack", _option)]


@pytest.mark.parametrize(
    ("game", "spoil"), [pytest.param(*it, marks=[] if it in ALWAYS else [pytest.mark.full]) for it in CASES]
)
def test_a_round_that_cannot_be_read_is_voided_and_the_next_one_is_played(
    tmp_path: Path, game: str, spoil: Any
) -> None:
    """Whatever was changed: everything that lies on the layout goes back, and the shoe is brought to its end."""
    options = registry.find(game).demo()
    other = replace(options, maximum=200_000, **({"minimum": 90_000} if spoil is _unknown else {}))
    with sitting(tmp_path, game, options=options, seats=2) as it:
        it.bets()
        stake = registry.find(game).stakes(options)[0].wager
        it.wager(2, **{stake: 1000})
        it.close()
        step(it)
        old = it.desk
        old.books.close()
        with sqlite3.connect(tmp_path / "books.db") as db:
            spoil(db)
        books = Books(tmp_path / "books.db")
        it.desk = Desk(old.shoe, books, game, other, 2, tmp_path / "wagers.json", old.hands)
        listen(it)
        it.until(lambda values: values["house"]["text"])
        assert "cannot be read" in it.values["house"]["text"] and it.values["ask"]["choices"] == ("void",)
        on_the_layout = it.desk.books.on_the_layout()
        assert on_the_layout and voided(it, 1)
        while goes_on(it, 1):
            pass
        lines = it.desk.books.lines(1)
        assert [(line.seat, line.stake, line.outcome.value, line.net) for line in lines] == [
            (seat, cents, "void", 0) for seat, cents in on_the_layout
        ]
        check_books(it.desk.books)
        bet(it, 2, **{stake: 90_000})
        it.finish()
        check_replayed(books)
        books.close()


def test_an_open_round_of_a_game_that_is_gone_is_voided_by_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with sitting(tmp_path, "double-down-stud") as it:
        it.bets()
        it.wager(2, original=1000)
        it.wager(5, original=3000)
        it.close()
        it.next()
        assert main(["table", "void", str(tmp_path), "--by", "J. Doe", "--reason", "x"]) != 0
        assert "another program serves the table" in capsys.readouterr().err
    with sqlite3.connect(tmp_path / "books.db") as db:
        db.execute("UPDATE rounds SET game = 'whist'")
    (tmp_path / "shoe.nv").unlink()
    with pytest.raises(UsageError, match="a round of whist is open"), sitting(tmp_path, "boston-5-stud", seed=99):
        pass
    assert main(["table", "void", str(tmp_path), "--by", " ", "--reason", "x"]) != 0
    assert main(["table", "void", str(tmp_path), "--by", "J. Doe", "--reason", "its package was removed"]) == 0
    assert "seat 2: return $10\nseat 5: return $30" in capsys.readouterr().out
    assert main(["table", "void", str(tmp_path), "--by", "J. Doe", "--reason", "again"]) != 0
    with sitting(tmp_path, "boston-5-stud", seed=99) as it:
        assert it.next()["now"]["do"].startswith("give wagers $30 back to seat 5") or it.values["lines"]
        for _ in range(2):
            it.go_on()  # the lines of the void
        bet(it)
        it.finish()
        check_replayed(it.desk.books)


# --- two programs ------------------------------------------------------------------------------


def test_one_program_serves_a_folder(tmp_path: Path) -> None:
    with (
        sitting(tmp_path, "double-down-stud"),
        pytest.raises(UsageError, match="another program serves"),
        sitting(tmp_path, "double-down-stud"),
    ):
        pass
    with sitting(tmp_path, "double-down-stud"):  # the first one has ended
        pass


def test_wagers_are_booked_by_the_options_of_the_header_only(tmp_path: Path) -> None:
    """Two programs at the same books, which nothing has kept apart."""
    first, second = options_of("double-down-stud"), replace(options_of("double-down-stud"), maximum=5000)
    head = header("double-down-stud", "00000001", "log")
    with Books(tmp_path / "books.db") as one, Books(tmp_path / "books.db") as other:
        number = one.open_round("double-down-stud", head, first)
        assert one.play(number, first).seats == ()
        assert other.open_round("double-down-stud", head, second) == number
        with pytest.raises(UsageError, match="other options"):
            one.record(number, wager(2, {"original": 90_000}), first)
        other.record(number, wager(2, {"original": 5000}), second)
        one.open_round("double-down-stud", head, first)  # wagers are booked: the header stays
        with pytest.raises(UsageError, match="other options"):
            one.record(number, wager(3, {"original": 90_000}), first)
        assert [fact.data["seat"] for fact in one.inputs(number)] == [2] and one.audit() == []
