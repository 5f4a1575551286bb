"""Hands are judged by the stage of the deal, records by who plays, and the stub by where the cards are."""

from game_tables import DONE, REFUSED, Table, short_deck
from support import all_fields_of, board, clauses_of
from test_game_faults import jam_while_dealing, voided

from firmware.games.flow import STACK_OFFERED, WAITING_FOR_DECK
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


def test_three_are_right_in_the_first_deal_of_boston_5_and_five_in_the_second():
    table = Table("boston-5-stud").shuffle().deal(3)
    refused(table, ARGUMENT, "misdeal", 2, 3)
    refused(table, ARGUMENT, "misdeal", 0, 3)
    assert table.record("misdeal", 2, 5) == DONE
    assert all_fields_of(table.stage, "recorded")[-1][3] == ids.ONE_VOID
    table.release()
    refused(table, ARGUMENT, "misdeal", 1, 3)  # the last two are not dealt yet
    refused(table, STATE, "misdeal", 0, 4)  # of three or of five: the final deal is recorded first
    assert table.record("final_deal", 2) == DONE
    refused(table, ARGUMENT, "misdeal", 1, 5)
    refused(table, ARGUMENT, "misdeal", 0, 5)
    assert table.record("misdeal", 1, 3) == DONE
    assert all_fields_of(table.stage, "recorded")[-1][3] == ids.ONE_VOID
    assert table.record("misdeal", 0, 4) == DONE
    assert all_fields_of(table.stage, "recorded")[-1][3] == ids.COMPLETE_HAND


def test_a_dealer_of_boston_5_with_four_of_three_voids_all():
    table = Table("boston-5-stud").shuffle().deal(2)
    table.recorded("misdeal", 0, 4)
    assert clauses_of(table.stage, "round_voided") == [b"B5-12d"]
    assert voided(table) == [ids.ALL_VOID_RESHUFFLE, 0]


def test_double_down_stud_has_no_community_cards_before_they_are_dealt():
    table = Table("double-down-stud").shuffle()
    assert table.command(ids.CMD_SET_POSITIONS, 2) == DONE
    table.play(("", 300, "press", "close"), ("stack_offered", 600, "take", 0), ("stack_offered", 500, "wait", 0))
    assert table.flow.state == STACK_OFFERED
    refused(table, STATE, "misdeal", 2, 2)  # that card still lies in the tray
    refused(table, STATE, "misdeal", 0, 4)
    refused(table, STATE, "misdeal", 255, 3)
    refused(table, ARGUMENT, "misdeal", 3, 2)  # does not play
    refused(table, ARGUMENT, "misdeal", 1, 1)
    table.play(("", 300, "take", 0), ("stack_offered", 600, "take", 0), ("", 600, "wait", 0))
    refused(table, ARGUMENT, "misdeal", 0, 4)
    refused(table, ARGUMENT, "misdeal", 255, 4)
    table.recorded("misdeal", 0, 3)
    assert clauses_of(table.stage, "round_voided") == [b"DDS-11d"]


def test_double_cross_poker_has_no_cross_before_the_rest_is_out():
    table = Table("double-cross-poker").shuffle().deal(2)
    refused(table, STATE, "misdeal", 255, 4)
    refused(table, ARGUMENT, "misdeal", 0, 2)
    table.release()
    refused(table, ARGUMENT, "misdeal", 255, 5)
    table.recorded("misdeal", 255, 4)
    assert clauses_of(table.stage, "round_voided") == [b"DCP-12c"]


# -- hands that stand --------------------------------------------------------------------------------------------------


def test_neither_folded_nor_void_hands_are_kept():
    table = Table("boston-5-stud").shuffle().deal(4)
    assert table.record("fold", 2) == DONE
    assert table.record("misdeal", 4, 2) == DONE
    table.stage.rig.plant.add_fault({"fault": "jam", "place": "exit", "card": 20, "at_um": 60000})
    table.play(("", 300, "press", "green"), ("warning_latched", 500, "wait", 0))
    assert clauses_of(table.stage, "round_voided") == [b"B5-12f"]
    assert voided(table) == [ids.ALL_VOID_BUT_COMPLETE, 0b0101]


def test_the_clause_holds_when_no_hand_is_left_that_stands():
    table = Table("boston-5-stud").shuffle().deal(1)
    assert table.record("fold", 1) == DONE
    table.stage.rig.plant.add_fault({"fault": "jam", "place": "exit", "card": 10, "at_um": 60000})
    table.play(("", 300, "press", "green"), ("warning_latched", 500, "wait", 0))
    assert clauses_of(table.stage, "round_voided") == [b"B5-12f"]
    assert voided(table) == [ids.ALL_VOID_BUT_COMPLETE, 0]


def test_a_seen_card_of_the_dealer_keeps_the_same_hands():
    table = Table("boston-5-stud").shuffle().deal(3)
    assert table.record("second_wager", 1, 1) == DONE
    assert table.record("fold", 3) == DONE
    table.recorded("hole_card_seen")
    assert voided(table) == [ids.ALL_VOID_BUT_COMPLETE, 0b011]


def test_once_every_player_has_decided_a_seen_card_voids_nothing():
    table = Table("boston-5-stud").shuffle().deal(2)
    assert table.record("second_wager", 1, 1) == DONE
    assert table.record("fold", 2) == DONE
    refused(table, STATE, "hole_card_seen")


def test_without_positions_no_stack_that_may_be_the_dealers_is_kept():
    for taken, kept in ((1, 0b1), (2, 0b1), (3, 0b11)):
        table = jam_while_dealing("boston-5-stud", 0, taken, 3 * taken + 1)
        assert clauses_of(table.stage, "round_voided") == [b"B5-12f"], taken
        assert voided(table) == [ids.ALL_VOID_BUT_COMPLETE, kept], taken


# -- who plays ---------------------------------------------------------------------------------------------------------


def test_only_who_plays_decides_and_only_once():
    table = Table("boston-5-stud").shuffle().deal(3)
    for what, b in (("fold", 0), ("second_wager", 1)):
        refused(table, ARGUMENT, what, 4, b)
    refused(table, STATE, "second_wager", 1, 0)  # there is none to take back
    assert table.record("second_wager", 1, 1) == DONE
    refused(table, STATE, "second_wager", 1, 1)
    assert table.record("fold", 2) == DONE
    refused(table, STATE, "fold", 2)
    assert table.record("misdeal", 3, 4) == DONE
    refused(table, STATE, "fold", 3)  # void
    refused(table, STATE, "second_wager", 3, 1)
    refused(table, STATE, "misdeal", 3, 2)
    refused(table, ARGUMENT, "misdeal", 2, 3)  # folded, and right
    refused(table, ARGUMENT, "misdeal", 4, 2)
    table.release()
    refused(table, ARGUMENT, "final_deal", 2)
    assert table.record("final_deal", 1) == DONE
    refused(table, ARGUMENT, "misdeal", 2, 3)  # it has no cards of the final deal
    assert table.record("misdeal", 2, 4) == DONE  # a fold takes no card back
    refused(table, STATE, "misdeal", 2, 4)


def test_no_more_hands_stand_than_were_dealt():
    table = Table("boston-5-stud").shuffle().deal(3)
    assert table.record("fold", 1) == DONE
    table.release()
    for positions in (3, 4, 9):
        refused(table, ARGUMENT, "final_deal", positions)
    assert table.record("final_deal", 2) == DONE


def test_a_player_folds_in_caribbean_stud_and_double_cross_poker():
    for game, clause, with_cross in (("caribbean-stud", b"CS-10a", False), ("double-cross-poker", b"DCP-10c1", True)):
        table = Table(game).shuffle()
        refused(table, STATE, "fold", 1)  # no position has cards
        table.deal(2)
        if with_cross:
            refused(table, STATE, "fold", 1)  # the cross is dealt from the rest, before a player decides
            table.release()
        assert table.record("fold", 1) == DONE, game
        refused(table, STATE, "fold", 1)
        refused(table, ARGUMENT, "fold", 3)
        if not with_cross:
            table.release()
        assert table.record("fold", 2) == DONE, game
        assert clauses_of(table.stage, "recorded") == [clause] * 2
        refused(table, STATE, "second_wager", 1, 1)  # has another name here, and deals no cards
        refused(table, STATE, "final_deal", 1)
        stub = all_fields_of(table.stage, "remainder_taken")[0][0] - table.flow.profile.final_fixed
        counted(table, stub)  # a fold moves no card of the stub
    table = Table("double-down-stud").shuffle().deal(2)
    refused(table, STATE, "fold", 1)


def test_the_dealer_cuts_and_leaves_a_card():
    for game in ("caribbean-stud", "double-cross-poker"):
        table = Table(game, "shoe", {"records": True, "progressive": False}).inducted()
        assert table.record("provenance", 1, ids.FROM_SUPPLIER) == DONE
        for cards, by in ((26, 2), (52, 1), (9, 1), (26, 0)):
            refused(table, ARGUMENT, "cut", cards, by)
        assert table.record("cut", 51, 1) == DONE
        assert table.record("cut", 10, 3) == DONE  # once more, by order of a floorperson
    table = Table("double-down-stud").shuffle()
    assert table.record("cut", 26, 2) == DONE  # there players are offered it


def test_no_more_progressive_wagers_are_accepted_than_players_play():
    table = Table("caribbean-stud").shuffle()
    assert table.command(ids.CMD_SET_POSITIONS, 2) == DONE
    table.play(("", 300, "press", "close"), ("round_started", 300, "wait", 0))
    refused(table, ARGUMENT, "progressive", 3, 3)
    assert table.record("progressive", 2, 2) == DONE


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


def test_the_card_that_completes_a_dealers_four_of_five_restores_the_stub():
    table = boston(3, 3)
    assert table.record("misdeal", 0, 4) == DONE
    counted(table, 32)


def test_cards_that_a_void_hand_did_not_get_are_in_the_stub():
    for cards, stub in ((3, 34), (4, 33), (6, 31)):
        table = boston(3, 3)
        assert table.record("misdeal", 2, cards) == DONE
        refused(table, ARGUMENT, "stub_counted", stub, 1)  # right is right
        counted(table, stub)


def test_a_hand_that_was_void_before_gets_no_final_cards():
    table = Table("boston-5-stud").shuffle().deal(3)
    assert table.record("misdeal", 1, 4) == DONE  # the device has counted three: another hand has two
    assert table.record("misdeal", 2, 2) == DONE
    table.release()
    assert table.record("final_deal", 1) == DONE
    counted(table, 40 - 2 - 2)


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


def test_a_count_that_agrees_with_the_hands_as_they_were_found_is_right():
    """The device has counted five cards into each stack and 37 were left; the dealer has found four, and taken one of
    the 37. Hands and stub make 52 with 37 in the stub; with 36 a card is missing."""
    for cards, right in ((35, False), (36, False), (37, True), (38, False)):
        table = caribbean(2).release()
        assert table.record("misdeal", 0, 4) == DONE
        table.recorded("stub_counted", cards)
        assert ("round_voided" in table.stage.names()) != right, cards
        assert clauses_of(table.stage, "recorded")[-1] == (b"CS-9f" if right else b"CS-7g2"), cards
        assert right or table.flow.state == WAITING_FOR_DECK


def test_a_dealers_hand_is_completed_once():
    table = caribbean(1)
    assert table.record("misdeal", 0, 4) == DONE
    refused(table, STATE, "misdeal", 0, 4)
    table.play(("", 300, "press", "lock"), ("stack_offered", 600, "take", 0), ("", 600, "wait", 0)).release()
    refused(table, STATE, "misdeal", 0, 4)
    table = boston(1, 1)
    assert table.record("misdeal", 0, 4) == DONE
    refused(table, STATE, "misdeal", 0, 4)
    assert table.record("misdeal", 0, 6) == DONE  # another matter
    table.stage.run(300)
    assert clauses_of(table.stage, "round_voided") == [b"B5-12d"]


def test_a_whole_deck_that_is_not_whole_was_not_misdealt():
    table = Table(short_deck("double-cross-poker", deck_cards=12, stub_rounds=1)).shuffle().deal(1)
    table.recorded("misdeal", 1, 3)
    table.release().shuffle()
    assert table.flow.need == ids.NEED_COUNT
    refused(table, ARGUMENT, "stub_counted", 11, 1)
    assert table.record("stub_counted", 11) == DONE
    assert all_fields_of(table.stage, "recorded")[-1][3] == ids.ALL_VOID_REMOVE_DECK


def test_a_void_hand_of_caribbean_stud_is_counted_as_it_was_found():
    table = caribbean(2)
    assert table.record("misdeal", 1, 4) == DONE
    table.release()
    assert table.record("stub_counted", 38) == DONE  # 4 + 5 + 5 + 38
    table.stage.run(300)
    table.end()
    assert "round_voided" not in table.stage.names()


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
