"""Tables that share a progressive jackpot."""

from typing import Any

from fairshoe.boards.configs import load_board
from fairshoe.games.jackpot_links import TableFacts, link_objections, table_facts


def table(
    game: str = "caribbean-stud", decks: int = 1, pay_table: str = "PTMGL01", wager_cents: int = 100
) -> TableFacts:
    config: dict[str, Any] = dict(load_board("pico-carousel")[0])
    config["table"] = {"decks": decks}
    return table_facts(config, game, pay_table, wager_cents)


def test_tables_are_linked_only_with_the_same_pay_table_wager_and_number_of_decks() -> None:
    """Proves: CS-12n"""
    one = table()
    assert (one.code, one.decks, one.deck_cards) == ("CS", 1, 52)
    assert link_objections({"pit 1": one, "pit 2": one}) == []
    for other, why in (
        (table(decks=2), "pit 1 has 1 deck(s) of 52 cards, pit 3 2 of 52"),
        (table(pay_table="PTMGL02"), "pit 1 pays by PTMGL01, pit 3 by PTMGL02"),
        (table(wager_cents=500), "pit 1 takes wagers of 100 cents, pit 3 of 500"),
    ):
        assert link_objections({"pit 1": one, "pit 2": one, "pit 3": other}) == [why]
    assert link_objections({}) == []


def test_different_titles_may_share_a_jackpot() -> None:
    """Proves: CS-12n (in part)"""
    assert link_objections({"pit 1": table(), "pit 2": table("boston-5-stud")}) == []


def test_what_is_not_known_of_a_table_equals_nothing() -> None:
    """Proves: CS-12n (in part)"""
    unknown = table(pay_table="")
    assert link_objections({"pit 1": unknown, "pit 2": unknown}) == [
        "pit 1: name its pay table and the amount of its progressive wager",
        "pit 2: name its pay table and the amount of its progressive wager",
    ]
