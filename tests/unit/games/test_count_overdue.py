"""A stub count that is overdue is made up for with the buttons that the display names, inside and outside a round."""

from game_tables import Table
from support import board, clauses_of, fields_of

from firmware.games.flow import DECK_READY, STACK_OFFERED, WAITING_FOR_DECK, WAITING_FOR_GREEN
from firmware.protocol import ids
from rig import stories

ASKED = ["Count the stub", "Right: press LOCK", "Wrong: press ACK", ""]


def overdue():
    """Five rounds, the last of which was void before its stub was counted."""
    table = Table("boston-5-stud", config=board(mechanism={"count_assurance": "basic"}, inputs={"opacity": None}))
    for _ in range(4):
        table.round(1)
    table.shuffle().deal(1)
    assert table.record("face_up", 2) == ids.OUTCOME_DONE
    table.stage.run(300)
    table.release().shuffle()
    table.play(("", 300, "press", "close"), ("held_back", 300, "wait", 0))
    assert table.flow.state == DECK_READY and table.display == ASKED
    return table


def test_lock_says_that_the_deck_is_whole_and_the_round_may_begin():
    """Proves: B5-9e (in part)"""
    table = overdue()
    table.play(("", 300, "press", "lock"), ("", 300, "press", "lock"), ("", 300, "press", "close"))
    table.play(("stack_offered", 300, "wait", 0))
    assert table.flow.state == STACK_OFFERED
    assert clauses_of(table.stage, "recorded")[1:] == [b"B5-9e"]  # once, however often it is pressed
    table.close()


def test_ack_says_that_it_is_not_and_the_deck_comes_out():
    """Proves: B5-7f2 (automated, in part)"""
    table = overdue()
    table.play(("", 300, "press", "ack"), ("recorded", 300, "press", "close"), ("", 2000, "wait", 0))
    assert table.flow.state == WAITING_FOR_GREEN
    assert clauses_of(table.stage, "recorded")[1:] == [b"B5-7f2"]
    table.release()
    assert fields_of(table.stage, "remainder_released")[-1] == [52, 52]
    table.close()


def test_with_no_deck_inside_a_wrong_count_leaves_the_machine_waiting_for_a_new_one():
    table = Table("boston-5-stud", table={"dealing": "hand"})
    for _ in range(5):
        table.play(*(stories.shuffle(52) + stories.hand_out()))
    assert table.flow.state == WAITING_FOR_DECK and table.display == ASKED
    table.play(("", 300, "press", "ack"), ("recorded", 1000, "wait", 0))
    assert table.flow.state == WAITING_FOR_DECK and table.display[0] == "Take this deck off"
    table.play(("", 300, "open", 0), ("", 500, "close", 0), ("empty_proved", 1500, "press", "ack"))
    table.play(*(stories.shuffle(52) + stories.hand_out()))
    table.close()
