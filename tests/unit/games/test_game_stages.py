"""Hands are judged by the stage of the deal, records by who plays, and the stub by where the cards are."""

from game_tables import DONE, REFUSED, Table
from support import all_fields_of, board

from firmware.games.table_facts import FINAL, REST, TAIL, TableFacts
from firmware.protocol import ids
from rig.games import load_profile

ARGUMENT = ids.REASON_ARGUMENT
STATE = ids.REASON_STATE


def refused(table, reason, what, a=0, b=0):
    assert table.record(what, a, b) == REFUSED, (what, a, b)
    assert table.reason() == reason, (what, a, b)


def counted(table, stub):
    """Count the stub, end the round: nothing is void, and this is what it must have."""
    table.recorded("stub_counted", stub)
    table.end()
    assert "round_voided" not in table.stage.names()
    assert all_fields_of(table.stage, "round_ended")[-1][-2:] == [stub, stub]
    table.close()


# -- the stage ---------------------------------------------------------------------------------------------------------


# -- hands that stand --------------------------------------------------------------------------------------------------


# -- who plays ---------------------------------------------------------------------------------------------------------


def test_no_more_hands_stand_than_were_dealt():
    table = Table("boston-5-stud").shuffle().deal(3)
    assert table.record("fold", 1) == DONE
    table.release()
    for positions in (3, 4, 9):
        refused(table, ARGUMENT, "final_deal", positions)
    assert table.record("final_deal", 2) == DONE


def test_nothing_is_said_of_a_round_that_is_void():
    for game in ("double-cross-poker", "double-down-stud"):
        table = Table(game).shuffle().deal(2)
        table.recorded("misdeal", 1, 3)
        for what, a, b in (("misdeal", 2, 3), ("fold", 1, 0), ("face_up", 1, 0), ("drawn_in_error", 1, 0)):
            refused(table, STATE, what, a, b)
        assert table.stage.names().count("round_voided") == 1


# -- where the cards are -----------------------------------------------------------------------------------------------


def boston(positions, standing):
    table = Table("boston-5-stud").shuffle().deal(positions).release()
    assert table.record("final_deal", standing) == DONE
    return table


def test_a_face_up_card_of_the_final_deal_leaves_the_stub_one_less():
    table = boston(2, 1)
    assert table.record("face_up", 1) == DONE
    counted(table, 43 - 2 * 2 - 1)


def caribbean(positions):
    config = board(mechanism={"count_assurance": "basic"}, inputs={"opacity": None})
    return Table("caribbean-stud", config=config).shuffle().deal(positions)


def test_a_card_that_completes_the_dealers_hand_comes_from_the_released_stub():
    table = caribbean(2).release()
    assert table.record("misdeal", 0, 4) == DONE
    counted(table, 37)


def test_more_misdeals_than_cards_are_no_reason_to_stop():
    """Every hand short at once, told one by one: the account stays in its cells."""
    table = boston(3, 2)
    for seat in (1, 2):
        assert table.record("misdeal", seat, 0) == DONE
    assert table.record("misdeal", 3, 0) == DONE  # two got final cards, at any positions: it has folded
    table.recorded("misdeal", 0, 4)
    assert "round_voided" not in table.stage.names()


def test_a_hand_that_was_dealt_short_by_hand_leaves_its_cards_in_the_stub():
    """As a manual shoe or the dealer's hand deals it: nothing of the hand was counted by the device."""
    for game, cards, stub in (("caribbean-stud", 4, 38), ("caribbean-stud", 6, 36), ("boston-5-stud", 2, 44)):
        facts = TableFacts(load_profile(game).at_table({"table": {"dealing": "manual"}, "inputs": {}}))
        rest = 52 - 3 * facts.profile.stack_cards
        facts.row[TAIL], facts.row[REST], facts.row[FINAL] = 1, rest, 0
        facts.note(ids.EV_RECORDED, [ids.REC_MISDEAL, 2, cards, ids.ONE_VOID], 1, 1)
        facts.row[FINAL] = 1
        assert facts.stub() == stub, (game, cards)
