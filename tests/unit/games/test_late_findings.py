"""Cards that are found face up in Double Down Stud after the hands were settled, and when the round has ended."""

from game_tables import DONE, REFUSED, Table

from firmware.protocol import ids


def settled():
    table = Table("double-down-stud").shuffle().deal(2)
    assert table.command(ids.CMD_CLOSE_BETTING) == DONE
    return table.release()


def test_the_second_face_up_card_voids_until_the_round_is_ended():
    """Proves: DDS-11b (automated, in part)"""
    table = settled()
    assert table.record("face_up", 1) == DONE
    table.recorded("face_up", 1)
    assert [event[-1] for event in table.told("round_voided")] == ["DDS-11b"]
    table.close()


def test_when_it_has_ended_no_hand_is_left_to_be_void():
    """Proves: DDS-11b (automated, in part)"""
    table = settled()
    table.recorded("face_up", 1)
    table.end()
    assert "round_ended" in table.stage.names()
    assert table.record("face_up", 1) == REFUSED and table.reason() == ids.REASON_STATE
    table.close()
