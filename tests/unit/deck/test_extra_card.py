"""The single card that a rule makes due: when it comes, where play goes on after it, what a jam of it leaves behind."""

from game_tables import DONE, Table
from support import clauses_of, fields_of

from firmware.games.flow import STACK_OFFERED, WAITING_FOR_GREEN, WAITING_FOR_WAGERS
from firmware.protocol import ids


def test_double_down_stud_replaces_a_face_up_card_before_the_players_decide():
    """Proves: DDS-11b (automated, in part)"""
    table = Table("double-down-stud").shuffle().deal(2)
    assert table.flow.state == WAITING_FOR_WAGERS
    table.recorded("face_up", 1)
    assert table.display == ["One card more is due", "Press LOCK to get it", "Play goes on after", "that card"]
    table.play(("", 300, "press", "lock"), ("stack_offered", 600, "take", 0), ("", 600, "wait", 0))
    assert table.flow.state == WAITING_FOR_WAGERS  # wagers are as open as before
    assert "betting_closed" not in table.stage.names()
    assert table.display[0] == "Double down wagers"
    table.play(("", 300, "press", "close"), ("", 300, "wait", 0))
    table.release().end()
    assert fields_of(table.stage, "remainder_released") == [[45, 45]]
    table.close()


def test_the_table_system_may_ask_for_it_in_the_same_place():
    table = Table("double-down-stud").shuffle().deal(2)
    assert table.record("face_up", 1) == DONE
    assert table.command(ids.CMD_GIVE_CARD) == DONE
    assert table.flow.state == STACK_OFFERED
    table.play(("", 300, "take", 0), ("", 600, "wait", 0))
    assert table.flow.state == WAITING_FOR_WAGERS
    table.close()


def test_a_jam_of_the_extra_card_leaves_nothing_behind_in_the_next_round():
    table = Table("caribbean-stud", table={"progressive": False}).shuffle().deal(1)
    assert table.record("misdeal", 0, 4) == DONE
    table.stage.rig.plant.add_fault({"fault": "jam", "place": "exit", "card": 10, "at_um": 40000})
    table.play(("", 500, "press", "lock"), ("warning_latched", 500, "open", 0), ("", 500, "clear", 0))
    table.play(("", 500, "close", 0), ("", 500, "press", "ack"), ("warning_cleared", 500, "wait", 0))
    assert clauses_of(table.stage, "round_voided") == [b"CS-13f"]
    table.stage.rig.plant.repair()
    table.shuffle().deal(2)
    assert table.flow.state == WAITING_FOR_GREEN
    table.release().end()
    assert fields_of(table.stage, "round_ended") == [[3, 15, 37]]
    table.close()
