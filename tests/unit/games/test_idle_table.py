"""A table without activity: what waits inside is not dealt any more."""

from game_tables import DONE, REFUSED, Table
from support import board, fields_of

from firmware.games.flow import DECK_SPENT, WAITING_FOR_DECK, WAITING_FOR_GREEN
from firmware.games.table_facts import ROUNDS
from firmware.protocol import ids

POKER = ("double-down-stud", "boston-5-stud", "caribbean-stud", "double-cross-poker")


def test_a_verified_deck_that_waits_inside_comes_out_and_is_never_dealt():
    for game in POKER:
        table = Table(game).shuffle()
        assert table.record("no_activity") == DONE
        table.play(("", 300, "press", "close"), ("", 3000, "wait", 0))
        assert table.flow.state == WAITING_FOR_GREEN
        assert table.display == ["Deck is not to be", "played", "Press GREEN to take", "out all cards"]
        table.release()
        assert table.flow.state == WAITING_FOR_DECK
        assert fields_of(table.stage, "remainder_released") == [[52, 52]]
        assert "round_started" not in table.stage.names()
        table.close()


def test_a_shoe_drawn_by_hand_is_taken_out():
    table = Table("house", "draw")
    table.play(("", 300, "load", 52), ("", 300, "press", "green"), ("deck_loaded", 500, "wait", 0))
    table.recorded("no_activity")
    assert table.flow.state == DECK_SPENT


def test_there_is_no_idle_table_while_a_round_is_being_settled():
    config = board(inputs={"back": {"pin": 28}})
    table = Table("boston-5-stud", table={"decks": 2}, config=config).shuffle(1).deal(1).release()
    assert table.record("no_activity") == REFUSED and table.reason() == ids.REASON_STATE
    table.shuffle(2)
    assert table.record("no_activity") == REFUSED
    table.end()
    assert table.record("no_activity") == DONE
    table.close()


def test_of_two_decks_one_that_was_not_dealt_has_its_turn_again():
    for game, dealing, record in (
        ("boston-5-stud", "shoe", "no_activity"),
        ("boston-5-stud", "manual", "no_activity"),
        ("boston-5-stud", "hand", "no_activity"),
        ("caribbean-stud", "manual", "hole_card_seen"),
    ):
        table = Table(game, table={"decks": 2, "dealing": dealing}, config=board(inputs={"back": 28}))
        table.shuffle(1)
        if dealing != "shoe":
            table.release()  # the whole deck is handed out
        table.recorded(record)
        if dealing == "shoe":
            table.release()
        table.shuffle(1)
        assert not table.flow.facts.row[ROUNDS]
        table.close()
