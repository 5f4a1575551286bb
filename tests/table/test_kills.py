"""Kills between any two statements: what the books hold then is what the dealer's page had shown."""

from pathlib import Path
from typing import Any

import pytest
from kills import Killed, Sweep
from running_tables import always, check_replayed, options_of, start_meters
from sitting import sitting
from test_books import OVER, ROUNDS

from fairshoe_table.books.books import Books
from fairshoe_table.desk.taps import Desk
from fairshoe_table.play import registry
from fairshoe_table.simulated.sitting import Sitting, Values, listen

NOW = "2026-11-17T20:00:00.000Z"  # statements are known again by their values
SEATS = {1: 1000, 3: 2000, 4: 1500, 6: 1000}
WAGERS = {game: registry.find(game).stakes(registry.find(game).demo())[0].wager for game in registry.OURS}


def again(it: Sitting, folder: Path, sweep: Sweep) -> None:
    """Another program with the same shoe, books and draft, which may be killed itself; the page is opened again."""
    while True:
        old = it.desk
        old.books.close()
        sweep.bury()
        try:
            books = Books(folder / "books.db", connection=sweep.connection, now=lambda: NOW)
            it.desk = Desk(old.shoe, books, old.game, old.options, 6, folder / "wagers.json", old.hands)
            it.values.clear()
            listen(it)
            it.desk.begin()
            it.until(lambda values: values["now"]["who"] != "shoe")
            return
        except Killed:
            continue


def wagers(values: Values) -> dict[int, dict[str, int]]:
    return {seat["seat"]: seat["wagers"] for seat in values["seats"] if seat["wagers"]}


def shown(values: Values) -> dict[str, Any]:
    """What a dealer relies on: lines with what is done, and cards that were entered."""
    return {line["key"]: (line["text"], line["done"]) for line in values["lines"]} | {
        one["of"]: one["cards"] for one in values["entered"]
    }


def swept(it: Sitting, folder: Path, sweep: Sweep, placed: dict[int, dict[str, int]], at_the_shoe: bool) -> int:
    """Close betting and play the round, with a kill before every statement; the round's number."""
    number = it.desk.number
    page: dict[str, Any] = {}
    sweep.on = True
    while it.desk.number == number or it.desk.open_lines():
        try:
            if it.desk.number == number and not it.values["closed"]:
                assert wagers(it.values) == placed  # what the page shows after a kill
                it.desk.shoe.sim.act("press", "close") if at_the_shoe else it.close()
            if it.desk.number == number:
                it.until(lambda values: values["closed"])
            it.finish()
        except Killed:
            page = {**page, **shown(it.values)} if it.values["lines_of"] == number else page
            again(it, folder, sweep)
            now = shown(it.values)
            if "cards:0:" in now:
                page.pop("cards:0:up", None)  # the first of the dealer's five
            if it.values["lines_of"] == number:
                lost = {key: value for key, value in page.items() if now.get(key) != value and value[-1] is not False}
                assert not lost, f"was on the page, and is not now: {lost}"
    sweep.on = False
    return number


@pytest.mark.parametrize("game", always(("boston-5-stud", "caribbean-stud", "double-attack-blackjack"), registry.OURS))
def test_all_wagers_that_the_page_showed_are_booked_or_none(tmp_path: Path, game: str) -> None:
    sweep = Sweep()
    with sitting(tmp_path, game) as it:
        again(it, tmp_path, sweep)
        it.bets()
        for seat, cents in SEATS.items():
            it.wager(seat, **{WAGERS[game]: cents})
        placed = wagers(it.values)
        number = swept(it, tmp_path, sweep, placed, at_the_shoe=game == "boston-5-stud")
        fact = [one.data for one in it.desk.books.inputs(number) if one.kind == "wager"]
        assert {int(one["seat"]): one["amounts"] for one in fact} == placed
        assert it.desk.shoe.current_round.positions == len(placed) and sweep.kills > 60
        check_replayed(it.desk.books, it.desk.options)


@pytest.mark.parametrize("game", ROUNDS)
def test_a_kill_before_any_statement_changes_nothing_that_was_booked(tmp_path: Path, game: str) -> None:
    """Wagers together, then one input after the other; at each kill the books are those before the transaction."""
    sweep = Sweep()
    steps = [[one for one in ROUNDS[game] if one.kind == "wager"]]
    steps += [[one] for one in [*ROUNDS[game], OVER] if one.kind != "wager"]
    with Books(tmp_path / "whole.db") as whole, Books(tmp_path / "books.db") as books:
        start_meters(whole)
        start_meters(books)
        number = whole.open_round(game)
        books.open_round(game)
        for step in steps:
            while True:
                killed = Books(tmp_path / "books.db", connection=sweep.connection, now=lambda: NOW)
                sweep.on = True
                try:
                    killed.record_all(number, step, options_of(game))
                    break
                except Killed:
                    sweep.bury()
                finally:
                    sweep.on = False
                assert books.inputs(number) == whole.inputs(number) and books.balances() == whole.balances()
                assert books.lines(number) == whole.lines(number) and books.audit() == []
            whole.record_all(number, step, options_of(game))
        assert books.balances() == whole.balances() and books.lines(number) == whole.lines(number)
        assert sweep.kills > 30
