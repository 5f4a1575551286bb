"""A number that is not known is equal to nothing, and a record that comes before the one it needs is refused."""

from game_tables import DONE, KEY, REFUSED, Table
from support import all_fields_of, board, check_stage, clauses_of

from firmware.games.flow import WAITING_FOR_DECK, WAITING_FOR_LOCKOUT, WAITING_FOR_ROUND_END
from firmware.games.table_facts import ROUNDS
from firmware.protocol import ids
from rig import stories
from rig.story import Stage

UNKNOWN = ids.UNKNOWN_U16
COUNT = ["Count the stub", "Right: press LOCK", "Wrong: press ACK", ""]
FINAL_FIRST = ["Final deal is not", "on record", "Tell the table", "system"]


def basic():
    """A carousel whose count does not excuse a stub count."""
    return board(mechanism={"count_assurance": "basic"}, inputs={"opacity": None})


def fifth_round_of_a_motor_shoe():
    """Boston 5 from a motor shoe whose link only reports: it is unknown how many stand in the final deal."""
    stage = Stage(board("shoe"), "boston-5-stud", 7, KEY, ids.ROLE_RECORDER)
    stage.play(stories.start())
    for _ in range(4):
        stage.play(stories.play_shoe(1))
    stage.play(stories.play_shoe(1)[:-2] + [("remainder_taken", 1000, "wait", 0)])
    assert list(stage.rig.hal.lines) == COUNT
    return stage


def test_a_wrong_count_at_the_panel_is_wrong_although_the_right_one_is_not_known():
    stage = fifth_round_of_a_motor_shoe()
    stage.play([("", 300, "press", "ack"), ("recorded", 500, "wait", 0)])
    assert clauses_of(stage, "recorded") == [b"B5-7f2"]
    assert all_fields_of(stage, "recorded") == [[ids.REC_STUB_COUNTED, UNKNOWN, 0, ids.ALL_VOID_REMOVE_DECK]]
    assert all_fields_of(stage, "round_voided")[0][-2:] == [ids.ALL_VOID_REMOVE_DECK, 0]
    check_stage(stage)


def test_a_right_count_at_the_panel_is_right_although_its_number_is_not_known():
    stage = fifth_round_of_a_motor_shoe()
    stage.play([("", 300, "press", "lock"), ("recorded", 500, "press", "green"), ("round_ended", 300, "wait", 0)])
    assert clauses_of(stage, "recorded") == [b"B5-9e"]
    assert all_fields_of(stage, "recorded") == [[ids.REC_STUB_COUNTED, UNKNOWN, 0, ids.CONSEQUENCE_NONE]]
    assert stage.rig.app.flow.facts.row[ROUNDS] == 0
    check_stage(stage)


def test_no_number_stands_for_a_count_that_nobody_made():
    for game in ("boston-5-stud", "caribbean-stud", "double-cross-poker"):
        table = Table(game).shuffle().deal(1).release()
        assert table.record("stub_counted", UNKNOWN) == REFUSED, game
        if game == "boston-5-stud":
            assert table.record("final_deal", 1) == DONE
        assert table.record("stub_counted", UNKNOWN) == REFUSED, game
        assert table.reason() == ids.REASON_ARGUMENT, game
        assert table.record("stub_counted", 40, 3) == REFUSED, game  # why it is wrong has three answers
        assert "round_voided" not in table.stage.names(), game


def test_a_stub_is_not_counted_before_the_final_deal_is_on_record():
    table = Table("boston-5-stud").shuffle().deal(3).release()
    for cards in (0, 32, 40):
        assert table.record("stub_counted", cards) == REFUSED and table.reason() == ids.REASON_STATE
    assert table.flow.state == WAITING_FOR_ROUND_END and "round_voided" not in table.stage.names()
    assert table.record("final_deal", 3) == DONE
    assert table.record("stub_counted", 32) == DONE
    table.end()
    assert all_fields_of(table.stage, "round_ended") == [[4, 12, 40, 32, 32]]
    table.close()


def test_a_table_with_records_asks_for_the_final_deal_before_the_count():
    table = Table("boston-5-stud", table={"records": True}, config=basic()).inducted()
    for _ in range(4):
        table.shuffle().deal(1)
        assert table.record("second_wager", 1, 1) == DONE
        table.release().recorded("final_deal", 1)
        table.end()
    table.shuffle().deal(1)
    assert table.record("second_wager", 1, 1) == DONE
    table.release()
    assert table.display[0] == "Deal two cards each,"
    for button in ("lock", "ack", "lock", "green"):
        table.play(("", 300, "press", button), ("", 500, "wait", 0))
    assert table.display == FINAL_FIRST
    assert "round_voided" not in table.stage.names()
    table.recorded("final_deal", 1)
    assert table.display == COUNT  # what was pressed before does not count
    table.play(("", 300, "press", "lock"), ("", 300, "wait", 0)).end()
    assert all_fields_of(table.stage, "round_ended")[-1][-2:] == [42, 42]
    assert table.flow.state == WAITING_FOR_DECK


def test_more_wagers_than_can_be_told_apart_are_refused_and_never_equal():
    table = Table("caribbean-stud").shuffle()
    table.play(("", 300, "press", "close"), ("round_started", 300, "wait", 0))
    assert table.record("progressive", 300, 400) == REFUSED and table.reason() == ids.REASON_ARGUMENT
    assert table.record("progressive", 9, 300) == REFUSED
    assert table.record("progressive", 9, 8) == DONE
    table.play(("", 300, "press", "lock"), ("", 1000, "wait", 0))
    assert table.flow.state == WAITING_FOR_LOCKOUT


def test_a_deck_is_not_cut_before_it_is_on_record_who_shuffled_it():
    for game in ("caribbean-stud", "double-cross-poker"):
        table = Table(game, "shoe", {"records": True}).inducted()
        assert table.record("cut", 26, 1) == REFUSED and table.reason() == ids.REASON_STATE, game
        assert table.record("provenance", 1, ids.FROM_SUPPLIER) == DONE
        assert table.record("cut", 26, 1) == DONE
