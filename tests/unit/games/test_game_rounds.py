"""Rounds of the four poker games, as their rules want them dealt: stacks, order, interlocks, rest and stub."""

from game_tables import Table, short_deck
from support import all_fields_of, lock_decide

from firmware.games import flow
from firmware.protocol import ids

UNKNOWN = ids.UNKNOWN_U16


def sizes(table):
    return [len(cards) for cards in table.stage.taken]


def test_the_round_is_the_dealers_to_end_after_a_power_cut_once_every_card_is_out():
    table = Table("caribbean-stud").shuffle().deal(2).release()
    assert table.flow.state == flow.WAITING_FOR_ROUND_END
    table.play(("", 500, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 500, "wait", 0))
    assert table.flow.state == flow.WAITING_FOR_ROUND_END
    assert "round_voided" not in table.stage.names()
    table.end()
    assert all_fields_of(table.stage, "round_ended") == [[3, 15, 37, 37, UNKNOWN]]
    assert table.flow.state == flow.WAITING_FOR_DECK
    table.close()


def test_green_in_the_middle_of_a_deal_with_positions_ends_nothing():
    table = Table("double-down-stud").shuffle()
    table.play(("", 200, "press", "seat"), ("", 200, "press", "seat"), ("", 300, "press", "close"))
    table.play(("stack_offered", 300, "press", "green"), ("", 1000, "wait", 0))
    assert table.flow.state in (flow.STACK_OFFERED, flow.DISPENSING)
    table.play(("", 300, "take", 0), ("stack_offered", 300, "take", 0), ("stack_offered", 300, "take", 0))
    assert sizes(table) == [1, 1, 4]
    table.close()


def test_nothing_is_allocated_in_rounds_of_any_game_and_at_no_press_of_a_button():
    for game, table in (
        ("double-down-stud", {}),
        ("double-cross-poker", {}),
        ("caribbean-stud", {"cover_all": "with_dealer"}),
    ):
        made = Table(short_deck(game, deck_cards=20, stub_rounds=1, stub_exempt=0), table=table)
        lock_decide(made.stage.rig.app)
        made.shuffle().deal(1)
        if game == "double-down-stud":
            made.play(("", 300, "press", "close"), ("", 300, "wait", 0))
        made.release().play(("", 300, "press", "seat"), ("", 300, "press", "green"), ("", 300, "press", "lock"))
        made.end()
        assert made.flow.state == flow.WAITING_FOR_DECK, game
        made.close()
