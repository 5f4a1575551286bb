"""A shoe whose storage was replaced in a round: the same device, another log, and a person has accepted it."""

from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest
from running_tables import Life, check_books

from fairshoe import Need, Shoe, Status
from fairshoe.errors import UsageError
from fairshoe.games.rounds import fold
from fairshoe.messages import RoundStarted
from fairshoe_table.play import registry
from fairshoe_table.play.game import ALL_OUT
from fairshoe_table.play.round import asks
from fairshoe_table.simulated.demonstration import NEW_STORAGE, Running, simulated_table
from fairshoe_table.simulated.stack import Place, StackReport, compare
from fairshoe_table.table.table import Table

OLD, NEW = 1, 1 + NEW_STORAGE


def _wagers_lie_there(it: Running) -> bool:
    return bool(it.table._play().seats) and not it.table._play().closed  # pyright: ignore[reportPrivateUsage]


def _some_cards_are_out(it: Running) -> bool:
    keys = [fact.kind for fact in it.books.inputs(it.table.number)]
    return "closed" in keys and ("cards" in keys if it.table.kind.drawn else bool(it.shoe.current_round.stacks))


def _all_cards_are_out(it: Running) -> bool:
    play, cards = it.table._play(), it.shoe.current_round.cards  # pyright: ignore[reportPrivateUsage]
    out = not asks(play, ALL_OUT) if it.table.kind.drawn else cards.released is not None
    return play.closed and out and not play.over


STAGES = {"moved": _wagers_lie_there, "shoe": _some_cards_are_out, "": _all_cards_are_out}


PAIRS = ("void", "continue", "other options", "house void", "back")
BOTH = [it for it in product(STAGES, PAIRS) if it[0] == "moved" or it[1] != "continue"]
CASES = [(game, *it) for game in registry.OURS for it in BOTH]
ALWAYS = {
    *(("double-down-stud", "moved", "continue"), ("boston-5-stud", "shoe", "other options")),
    *(("caribbean-stud", "", "void"), ("double-cross-poker", "shoe", "back")),
    *(("double-attack-blackjack", "shoe", "void"), ("double-attack-blackjack", "shoe", "house void")),
}


@pytest.mark.parametrize(
    ("game", "part", "pair"), [pytest.param(*it, marks=[] if it in ALWAYS else [pytest.mark.full]) for it in CASES]
)
def test_no_round_goes_on_with_cards_of_another_storage(tmp_path: Path, game: str, part: str, pair: str) -> None:
    """`part` is what a supervisor is asked: about wagers that lie there, or cards that are out; nothing if all cards
    are. With that other options, a supervisor's void before the storage left, or the old storage again."""
    life, back = Life(tmp_path, game), pair == "back" and bool(part)
    options = registry.find(game).demo()
    others = replace(options, minimum=2 * options.minimum) if pair == "other options" else None
    choice = {"continue": "continue", "back": ""}.get(pair, "void")
    house = pair == "house void"
    life(OLD, STAGES[part], then=lambda it: it.table.decide("void", "J. Doe", "smoke") if house else None)
    with life.books() as books:
        before, fact = books.header(1), books.inputs(1)
        assert before.log and not books.rounds_over()
    life(NEW, choice=choice, options=others)
    if back:
        with life.books() as books:
            assert books.inputs(1) == fact and books.header(1) == before
        life(OLD, choice="void")
    # Back at its storage, the shoe says itself what follows from a stop, or asks a supervisor where no clause does.
    stops = back and part == "shoe" and registry.find(game).profile["rules"].get("deal_fault") is None
    assert life.asked == [part] * bool(part and not house) + ["machine"] * stops
    with life.books() as books:
        assert books.rounds_over() == 1 and not books.replay()
        after = books.header(1)
        assert after.settings == before.settings
        voids = [one for one in books.inputs(1) if one.kind == "void"]
        assert len(voids) == (house or (bool(part) and choice == "void") or (back and part == "shoe"))
        if voids and not back:
            assert {one.kind for one in books.inputs(1)[len(fact) :]} <= {"house", "void", "over"}
        goes_on = (part, pair) == ("moved", "continue")
        assert (after.log == before.log) == (not goes_on) and (after.round > 0) == (part != "moved" or not voids)
    gone: set[Place] = set() if back else {(before.device, before.log, after.round or 1)}
    life(NEW, choice="void", then=lambda it: _agree(it, gone))
    life(OLD, choice="void", then=lambda it: _agree(it, gone))


def test_a_deal_of_another_storage_is_not_for_the_wagers_that_lie_there(tmp_path: Path) -> None:
    """CLOSE was pressed at the shoe before a supervisor has answered: then only a void is left."""
    life = Life(tmp_path, "caribbean-stud")
    life(OLD, STAGES["moved"])
    with simulated_table(tmp_path, "caribbean-stud", 5, shoe_seed=NEW) as it:
        it.table.begin()
        before = it.books.inputs(1)
        assert it.table.may_decide() == ("void", "continue")
        started = RoundStarted(9, 1, 5, 0, 0, 1, 1, "CS", 2)
        it.shoe._core.view = fold(it.shoe.current_round, started)  # pyright: ignore[reportPrivateUsage]
        assert not it.table.take(started) and it.books.inputs(1) == before
        assert it.table.may_decide() == ("void",) and "stop it" in it.people.calls[0]


@pytest.mark.parametrize("part", ["moved", "shoe"])
def test_a_void_round_does_not_wait_for_the_rack_of_another_shoe(tmp_path: Path, part: str) -> None:
    """It would be counted for ever: no record goes to a shoe about a round that it does not deal."""
    game = "double-attack-blackjack"
    Life(tmp_path, game)(OLD, STAGES[part])
    with simulated_table(tmp_path, game, 5, shoe_seed=2) as it:
        it.table.begin()
        status = next(one for one in it.shoe.messages() if isinstance(one, Status))
        it.shoe._core.status = waits = replace(status, need=Need.RACK)  # pyright: ignore[reportPrivateUsage]
        it.table.decide("void", "J. Doe", "it was replaced")
        it.people.answer = lambda play, ask: pytest.fail(f"asked: {ask}")
        assert it.table.take(waits) and it.books.inputs(1)[-1].kind == "over"


@pytest.mark.parametrize("game", ["double-down-stud", "double-attack-blackjack"])
def test_a_stop_of_a_round_that_is_over_is_not_decided_in_the_next_one(tmp_path: Path, game: str) -> None:
    """No clause covers a stop in these games. The shoe that stopped comes back while wagers of the next round lie
    there: a decision about the stop, booked in that round, would wait for ever for the shoe to void it."""
    life = Life(tmp_path, game)
    life(OLD, _some_cards_are_out)
    life(2, choice="void")
    life(2, _wagers_lie_there)
    life(OLD, choice="continue", then=lambda it: check_books(it.books))
    assert life.asked == ["shoe", "moved"]
    with life.books() as books:
        assert books.rounds_over() == 2 and not any(one.kind == "void" for one in books.inputs(2))


def test_a_table_without_a_store_is_refused(tmp_path: Path) -> None:
    with (
        simulated_table(tmp_path, "caribbean-stud", 5) as it,
        Shoe.open("sim://pico-carousel") as bare,
        pytest.raises(UsageError, match="no store"),
    ):
        Table(bare, it.books, "caribbean-stud", it.table.options, it.people)


def _agree(it: Running, gone: set[Place]) -> None:
    report = StackReport()
    it.shoe.sim.sleep(1)
    compare(it, report, gone)
    assert report.wrong == []
    check_books(it.books)
