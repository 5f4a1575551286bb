"""Tables that share a progressive jackpot."""

from fairshoe.boards.configs import load_board
from fairshoe.games.jackpot_links import link_objections, table_facts


def test_tables_are_linked_only_with_the_same_game_and_the_same_number_of_decks() -> None:
    """Proves: CS-12n"""
    config, _crc = load_board("pico-carousel")
    one = table_facts(config, "caribbean-stud")
    config["table"] = {"decks": 2}
    two = table_facts({**config, "game": "caribbean-stud"})
    other = table_facts(config, "boston-5-stud")
    assert (one.code, one.decks, one.deck_cards, two.decks) == ("CS", 1, 52, 2)
    assert link_objections({"pit 1": one, "pit 2": one}) == []
    assert link_objections({"pit 1": one, "pit 2": two, "pit 3": one}) == [
        "pit 1 has 1 deck(s) of 52 cards, pit 2 2 of 52"
    ]
    assert link_objections({"pit 1": two, "pit 2": other}) == ["pit 1 plays caribbean-stud, pit 2 plays boston-5-stud"]
    assert link_objections({}) == []
