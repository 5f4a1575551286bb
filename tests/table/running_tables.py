"""Options and meters of tables in tests, and what their books must be."""

from collections.abc import Iterable
from typing import Any

import pytest

from fairshoe_table.books.books import Books
from fairshoe_table.games.caribbean.options import CaribbeanOptions
from fairshoe_table.play import registry
from fairshoe_table.play.options import Options
from fairshoe_table.rules.meters import FIVE_CARD, PROGRESSIVE, new_meters
from fairshoe_table.rules.pay_tables import pay_table

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
