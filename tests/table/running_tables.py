"""Options and meters of tables in tests, and what their books must be."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from fairshoe_table.books.books import Books
from fairshoe_table.games.caribbean.options import CaribbeanOptions
from fairshoe_table.play import registry
from fairshoe_table.play.game import Ask
from fairshoe_table.play.inputs import Input
from fairshoe_table.play.options import Options
from fairshoe_table.rules.meters import FIVE_CARD, PROGRESSIVE, new_meters
from fairshoe_table.rules.pay_tables import pay_table
from fairshoe_table.simulated.demonstration import Running, simulated_table
from fairshoe_table.simulated.stack import Died

POKER = ("double-down-stud", "boston-5-stud", "caribbean-stud", "double-cross-poker")
SIDE = ("bonus_pays", "progressive_pays", "five_card", "cover_all")
FULL = CaribbeanOptions(
    bonus_pays=pay_table("CS-11c-A"),
    progressive_pays=pay_table("CS-11d-D"),
    five_card=True,
    cover_all="with_dealer",
    approvals=dict.fromkeys(SIDE, "test"),
)


def always(chosen: tuple[str, ...], games: Iterable[str]) -> list[Any]:
    """Cases by game: the chosen ones in every run of the tests, the others in the full set."""
    return [game if game in chosen else pytest.param(game, marks=pytest.mark.full) for game in games]


def options_of(game: str) -> Options:
    return FULL if game == "caribbean-stud" else registry.find(game).options()


def start_meters(books: Books) -> None:
    for pool, table in ((PROGRESSIVE, "CS-11d-D"), (FIVE_CARD, "CS-11e")):
        books.start_meters(new_meters(pay_table(table), {"main": 7123}, {"main": 1_000_000}, pool=pool))


def check_books(books: Books) -> None:
    """Money is conserved, nothing lies on the layout, and the books agree with themselves."""
    assert books.audit() == []
    left = {name: cents for name, cents in books.balances().items() if "/layout" in name and cents}
    assert left == {}


def check_replayed(books: Books, options: Options | None = None) -> None:
    """The same, and the inputs alone give every line again."""
    check_books(books)
    assert books.replay(options) == []


def end(books: Books, number: int, options: Options) -> None:
    """The round is over, and everything agrees."""
    books.record(number, Input("over", "over"), options)
    check_replayed(books, options)


class Life:
    """One run of the program after another, each at the shoe of a seed, until its round is over or `stop`; what a
    supervisor was asked, who decides `choice`, or without one is not there."""

    def __init__(self, folder: Path, game: str) -> None:
        self.folder, self.game = folder, game
        self.asked: list[str] = []

    def __call__(
        self,
        shoe: int,
        stop: Callable[[Running], bool] = lambda it: False,
        choice: str = "",
        options: Options | None = None,
        then: Callable[[Running], object] = lambda it: None,
    ) -> None:
        def supervisor(ask: Ask) -> str:
            self.asked.append(ask.part)
            if not choice:
                raise Died
            return choice

        with simulated_table(self.folder, self.game, 5, shoe_seed=shoe, options=options) as it, suppress(Died):
            it.people.supervisor = supervisor
            it.table.begin()
            for message in it.shoe.messages():
                over = it.table.take(message)
                if over:
                    it.shoe.acknowledge()
                if over or stop(it):
                    then(it)
                    return

    def books(self) -> Books:
        return Books(self.folder / "books.db")
