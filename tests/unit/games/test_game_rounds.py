"""Rounds of the four poker games, as their rules want them dealt: stacks, order, interlocks, rest and stub."""

from game_tables import DONE, REFUSED, Table, short_deck
from support import all_fields_of, clauses_of, fields_of, lock_decide

from firmware.games import flow
from firmware.protocol import ids
from hal.sim.oracle import CardCounts

UNKNOWN = ids.UNKNOWN_U16


def sizes(table):
    return [len(cards) for cards in table.stage.taken]


def test_double_down_stud_deals_one_to_each_position_then_four():
    table = Table("double-down-stud").shuffle().deal(3)
    assert sizes(table) == [1, 1, 1, 4]
    assert table.flow.state == flow.WAITING_FOR_WAGERS
    table.close()


def test_double_down_stud_without_positions_green_ends_the_players_cards_and_an_untaken_card_joins_the_four():
    table = Table("double-down-stud").shuffle()
    table.play(("", 300, "press", "close"), ("stack_offered", 500, "take", 0), ("stack_offered", 500, "take", 0))
    table.play(("stack_offered", 500, "press", "green"), ("stack_offered", 500, "take", 0))
    assert sizes(table) == [1, 1, 4]
    assert CardCounts(table.stage.rig.plant).store == 52 - 2 - 4
    assert fields_of(table.stage, "stack_taken")[-1] == [3, 4]
    assert table.flow.state == flow.WAITING_FOR_WAGERS
    table.close()


def test_double_down_stud_closes_betting_twice_and_keeps_the_rest_until_all_is_settled():
    table = Table("double-down-stud").shuffle()
    table.play(("", 500, "press", "green"), ("", 500, "wait", 0))
    assert "stack_started" not in table.stage.names()  # nothing moves before betting is closed
    table.deal(3)
    table.play(("", 300, "press", "green"), ("", 1500, "wait", 0))
    assert table.flow.state == flow.WAITING_FOR_WAGERS  # green does not stand for the second closing
    before = len(table.stage.names())
    table.play(("", 300, "press", "close"), ("", 500, "wait", 0))
    assert table.stage.names()[before:] == ["betting_closed"]
    assert clauses_of(table.stage, "betting_closed") == [b"DDS-8e"]
    assert table.flow.state == flow.WAITING_FOR_GREEN
    assert CardCounts(table.stage.rig.plant).store == 52 - 3 - 4
    table.release().end()
    assert fields_of(table.stage, "remainder_released") == [[45, 45]]
    assert all_fields_of(table.stage, "round_ended") == [[4, 7, 45, 45, UNKNOWN]]
    assert "stub_due" not in table.stage.names()
    table.close()


def test_boston_5_stud_releases_the_rest_and_the_stub_is_another_number():
    table = Table("boston-5-stud").shuffle().deal(4)
    assert sizes(table) == [3, 3, 3, 3, 3]
    for position in (1, 2, 3):
        assert table.record("second_wager", position, 1) == DONE
    assert table.record("fold", 4) == DONE
    assert table.record("second_wager", 4, 1) == REFUSED  # folded is folded
    table.release()
    assert fields_of(table.stage, "remainder_released") == [[37, 37]]
    assert table.record("second_wager", 3, 0) == DONE  # taken back after the release
    assert table.record("final_deal", 3) == REFUSED and table.reason() == ids.REASON_ARGUMENT
    assert table.record("final_deal", 2) == DONE
    assert table.record("second_wager", 3, 1) == REFUSED  # frozen
    assert table.record("stub_counted", 31) == DONE
    table.end()
    assert all_fields_of(table.stage, "round_ended") == [[5, 15, 37, 37 - 2 * 3, 31]]
    table.close()


def test_caribbean_stud_needs_betting_closed_and_lock_out_and_as_many_chips_as_wagers():
    table = Table("caribbean-stud", table={"records": True}).inducted()
    table.shuffle()
    assert table.command(ids.CMD_CONFIRM_LOCKOUT) == REFUSED
    assert table.command(ids.CMD_SET_POSITIONS, 2) == DONE
    assert table.command(ids.CMD_CLOSE_BETTING) == DONE
    assert table.flow.state == flow.WAITING_FOR_LOCKOUT
    assert table.command(ids.CMD_CONFIRM_LOCKOUT) == REFUSED  # no wagers are on record
    assert table.record("progressive", 2, 1) == DONE
    table.play(("", 300, "press", "lock"), ("", 1000, "wait", 0))
    assert table.flow.state == flow.WAITING_FOR_LOCKOUT  # a chip is missing
    assert table.flow.need == ids.NEED_PROGRESSIVE
    assert table.record("progressive", 2, 2) == DONE
    assert table.command(ids.CMD_CONFIRM_LOCKOUT) == DONE
    assert all_fields_of(table.stage, "lockout_confirmed") == [[2, 2]]
    assert set(clauses_of(table.stage, "held_back")) == {b"CS-9c"}
    table.play(*[("stack_offered", 600, "take", 0) for _ in range(3)])
    table.release().end()
    assert sizes(table)[:3] == [5, 5, 5]
    assert fields_of(table.stage, "remainder_released") == [[37, 37]]
    assert table.record("provenance", 1, 1) == DONE
    table.shuffle().play(("", 300, "press", "close"), ("round_started", 300, "wait", 0))
    assert table.record("progressive", 0, 0) == DONE
    assert table.command(ids.CMD_CONFIRM_LOCKOUT) == DONE
    assert all_fields_of(table.stage, "lockout_confirmed")[1:] == [[0, 0]]  # none is a number
    table.close()


def test_the_lock_out_is_skipped_only_on_a_table_without_a_progressive():
    table = Table("caribbean-stud", table={"progressive": False}).shuffle()
    table.play(("", 300, "press", "close"), ("stack_offered", 300, "wait", 0))
    assert "lockout_confirmed" not in table.stage.names()
    table = Table("caribbean-stud").shuffle()
    table.play(("", 300, "press", "close"), ("", 3000, "wait", 0))
    assert table.flow.state == flow.WAITING_FOR_LOCKOUT


def test_double_cross_poker_deals_stacks_of_two_and_releases_for_the_community_cards():
    table = Table("double-cross-poker").shuffle().deal(3)
    assert sizes(table) == [2, 2, 2, 2]
    assert table.flow.state == flow.WAITING_FOR_GREEN
    table.release()
    assert fields_of(table.stage, "remainder_released") == [[44, 44]]
    table.end()
    assert all_fields_of(table.stage, "round_ended") == [[4, 8, 44, 47 - 8, UNKNOWN]]
    table.close()


def test_no_stack_leaves_before_betting_is_closed_in_any_game():
    for game in ("double-down-stud", "boston-5-stud", "caribbean-stud", "double-cross-poker"):
        table = Table(game).shuffle()
        table.play(("", 300, "press", "green"), ("", 300, "press", "lock"), ("", 3000, "wait", 0))
        assert table.flow.state == flow.DECK_READY, game
        assert CardCounts(table.stage.rig.plant).store == 52, game


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
