"""What a fault, a misdeal or an exposed card does to the hands and the cards: by the clause of each game."""

from game_tables import DONE, REFUSED, Table
from support import all_fields_of, board, clauses_of, fields_of

from firmware.fault import FAULT_JAM_EXIT, FAULT_NONE, FAULT_STACK
from firmware.games.flow import DISPENSING, RELEASING, WAITING_FOR_DECK, WAITING_FOR_GREEN, WARNING
from firmware.protocol import ids
from hal.sim.oracle import CardCounts
from rig import stories

POKER = ("double-down-stud", "boston-5-stud", "caribbean-stud", "double-cross-poker")


def jam_while_dealing(game, positions, stacks, nth):
    """A card stops at the exit after so many stacks were taken."""
    table = Table(game)
    table.stage.rig.plant.add_fault({"fault": "jam", "place": "exit", "card": nth, "at_um": 60000})
    table.shuffle()
    table.play(*(stories.seats(positions) + [("", 500, "press", "close"), ("round_started", 600, "press", "lock")]))
    table.play(*[("stack_offered", 600, "take", 0) for _ in range(stacks)])
    table.play(("warning_latched", 500, "wait", 0))
    return table


def voided(table):
    """Consequence and hands kept of the only void."""
    return all_fields_of(table.stage, "round_voided")[0][-2:]


def test_a_dealing_jam_voids_by_the_clause_of_the_game_and_the_cards_join_those_dealt():
    for game, clause, nth in (("caribbean-stud", b"CS-13f", 7), ("double-cross-poker", b"DCP-12e", 3)):
        table = jam_while_dealing(game, 3, 1, nth)
        assert clauses_of(table.stage, "round_voided") == [clause]
        assert voided(table) == [ids.ALL_VOID_WITH_DEALT, 0]
        taken = len(table.stage.taken[0])
        assert fields_of(table.stage, "round_voided")[0][1:] == [1, taken, 52 - taken]
        table.close()


def test_boston_5_stud_keeps_the_hands_of_positions_with_a_complete_stack_and_lists_them():
    table = jam_while_dealing("boston-5-stud", 4, 2, 7)
    assert clauses_of(table.stage, "round_voided") == [b"B5-12f"]
    assert voided(table) == [ids.ALL_VOID_BUT_COMPLETE, 0b11]
    table = jam_while_dealing("boston-5-stud", 4, 0, 1)
    assert clauses_of(table.stage, "round_voided") == [b"HOUSE"]  # no player has three cards yet
    assert voided(table) == [ids.ALL_VOID_RESHUFFLE, 0]


def test_the_dealers_own_stack_is_no_position_that_keeps_its_hand():
    table = Table("boston-5-stud").shuffle().deal(2)
    table.stage.rig.plant.add_fault({"fault": "jam", "place": "exit", "card": 12, "at_um": 60000})
    table.play(("", 300, "press", "green"), ("warning_latched", 500, "wait", 0))
    assert voided(table) == [ids.ALL_VOID_BUT_COMPLETE, 0b11]


def test_without_positions_the_last_stack_before_green_is_the_dealers():
    table = Table("boston-5-stud").shuffle()
    table.play(("", 300, "press", "close"), *[("stack_offered", 600, "take", 0) for _ in range(3)])
    table.stage.rig.plant.add_fault({"fault": "jam", "place": "exit", "card": 15, "at_um": 60000})
    table.play(("stack_offered", 300, "press", "green"), ("warning_latched", 500, "wait", 0))
    assert voided(table) == [ids.ALL_VOID_BUT_COMPLETE, 0b11]


def test_a_hand_that_waits_for_a_card_in_place_of_a_rejected_one_is_not_complete():
    for taken, more, kept in ((0, 1, 0), (1, 0, 0), (1, 1, 0b10), (2, 0, 0b1), (3, 0, 0b11)):
        for how in ("cut", "open"):
            table = Table("boston-5-stud").shuffle()
            table.play(*stories.seats(3), ("", 500, "press", "close"))
            table.play(*[("stack_offered", 600, "take", 0)] * taken, ("stack_offered", 600, "wait", 0))
            assert table.record("face_up", 1) == DONE
            table.play(*[("", 100, "take", 0), ("stack_offered", 600, "wait", 0)] * more)
            table.play(("", 300, how, 0), ("", 900, "boot" if how == "cut" else "wait", 0))
            table.play(("round_voided", 0, "wait", 0))
            assert clauses_of(table.stage, "round_voided") == [b"B5-12f"]
            assert voided(table) == [ids.ALL_VOID_BUT_COMPLETE, kept], (taken, how)
    for given in (False, True):
        table = Table("boston-5-stud").shuffle().deal(3)
        assert table.record("face_up", 1) == DONE
        if given:  # the card that was due: all hands are complete
            assert table.command(ids.CMD_GIVE_CARD) == DONE
            table.play(("", 600, "take", 0), ("stack_taken", 600, "wait", 0))
        assert table.record("hole_card_seen") == DONE
        table.play(("round_voided", 300, "wait", 0))
        assert voided(table) == [ids.ALL_VOID_BUT_COMPLETE, 0b111 if given else ids.UNKNOWN_U16]


def test_an_opened_door_or_a_deck_that_is_lifted_out_stops_the_shoe_and_its_clause_covers_that():
    for game, clause, kept in zip(POKER[1:], (b"B5-12f", b"CS-13f", b"DCP-12e"), (0b11, 0, 0)):
        for how in ("open", "lift"):
            if how == "open":
                table = Table(game).shuffle()
            else:
                table = Table(game, "shoe").insert("deck_loaded", 600, cards=52)
            table.deal(2).play(("", 300, how, 0), ("round_voided", 300, "wait", 0))
            assert clauses_of(table.stage, "round_voided") == [clause]
            assert voided(table)[1] == kept, how
        table = Table(game).shuffle().play(("", 300, "open", 0), ("warning_latched", 300, "wait", 0))
        assert "round_voided" not in table.stage.names()  # none has begun


def test_double_down_stud_has_no_clause_for_a_jam():
    table = jam_while_dealing("double-down-stud", 3, 1, 1)
    assert fields_of(table.stage, "warning_latched")[-1][0] == FAULT_JAM_EXIT
    assert fields_of(table.stage, "held_back") == [[ids.NEED_HOUSE_DECISION]]
    assert "round_voided" not in table.stage.names()


STORM = {"fault": "storm", "line": "throat_a", "edges_per_s": 40000, "for_ms": 800}


def test_a_shuffle_that_stops_is_no_shuffle_by_the_clause_of_each_game():
    jam = {"fault": "jam", "place": "throat", "card": 9, "at_um": 60000}
    back = {"fault": "wrong_back", "card": 9}  # with one deck no rule is about two
    rows = [("shoe", 1, jam), ("manual", 2, jam), ("shoe", 1, back), ("manual", 1, back)]
    rows += [("hand", 2, jam), ("hand", 1, back)]
    rows += [("shoe", 2, STORM), ("manual", 2, STORM), ("hand", 2, STORM)]  # nor is it about any other fault
    for game, clause in zip(POKER, (b"DDS-11e", b"B5-12e", b"CS-13e", b"DCP-12d")):
        for dealing, decks, fault in rows if game != "double-down-stud" else rows[:4]:
            config = board(inputs={"back": {"pin": 28}})
            table = Table(game, table={"dealing": dealing, "decks": decks}, config=config)
            if fault is STORM:
                table.play(*stories.shuffle(52), ("shuffle_started", 500, "wait", 0))
            table.stage.rig.plant.add_fault(dict(fault))
            table.play(*(() if fault is STORM else stories.shuffle(52)), ("warning_latched", 500, "wait", 0))
            assert clauses_of(table.stage, "shuffle_failed") == [clause], (dealing, fault)
            assert all_fields_of(table.stage, "shuffle_failed")[0][1] == ids.RESHUFFLE
            assert "deck_verified" not in table.stage.names()


def removed(table):
    """Repaired, emptied and acknowledged; the clause by which the cards came out."""
    table.stage.rig.plant.repair()
    table.play(("", 500, "open", 0), ("", 500, "clear", 0), ("", 500, "close", 0), ("", 500, "press", "ack"))
    table.play(("deck_removed", 300, "wait", 0))
    return clauses_of(table.stage, "deck_removed")[-1]


def test_a_shuffle_that_loses_its_power_is_none_by_the_same_clause_and_a_removal_has_no_rule():
    cut = (("", 10, "cut", 0), ("", 1000, "boot", 0), ("warning_latched", 1000, "wait", 0))
    for game, clause in zip(POKER, (b"DDS-11e", b"B5-12e", b"CS-13e", b"DCP-12d")):
        for dealing in ("shoe", "manual", "hand")[: 2 if game == "double-down-stud" else 3]:
            table = Table(game, table={"dealing": dealing})
            table.play(*stories.shuffle(52), ("shuffle_started", 500, "wait", 0), *cut)
            assert removed(table) == clause, (game, dealing)
            assert all_fields_of(table.stage, "deck_removed")[-1][-1] == ids.RESHUFFLE
    table = Table(game).shuffle().play(("", 300, "open", 0), ("", 500, "close", 0), ("", 500, "press", "ack"))
    assert removed(table.play(("removal_started", 0, "wait", 0), *cut)) == b"HOUSE"


def test_no_rule_is_about_a_stop_beside_shuffle_and_round():
    for game in POKER:
        for dealing in ("shoe", "manual", "hand")[: 2 if game == "double-down-stud" else 3]:
            table = Table(game, table={"dealing": dealing}).shuffle()
            if dealing == "shoe" and game != "double-down-stud":
                table.deal(1).recorded("face_up", 2)
                assert table.stage.names().count("round_voided") == 1  # its rule is not that of the stop
            table.play(("", 300, "open", 0), ("warning_latched", 300, "wait", 0))
            assert "shuffle_failed" not in table.stage.names(), (game, dealing)
            assert removed(table) == b"HOUSE", (game, dealing)
            assert table.stage.names().count("round_voided") <= 1


def test_a_wrong_count_removes_the_deck_and_its_induction():
    for game, clause in (("boston-5-stud", b"B5-9f"), ("caribbean-stud", b"CS-9g"), ("double-cross-poker", b"DCP-7f")):
        dealing = "manual" if clause == b"DCP-7f" else "shoe"
        table = Table(game, table={"records": True, "dealing": dealing}).inducted()
        table.play(*stories.refuse_deck(51))
        assert clauses_of(table.stage, "deck_refused") == [clause]
        assert all_fields_of(table.stage, "deck_refused")[0][-1] == ids.REMOVE_DECK
        assert clauses_of(table.stage, "deck_removed") == [clause]
        assert table.flow.need == ids.NEED_INDUCTION


def test_a_shoe_that_finds_a_wrong_count_with_the_rest_voids_the_round_by_the_rule_of_the_count():
    for game, count, stop in (("boston-5-stud", b"B5-9f", b"B5-12f"), ("caribbean-stud", b"CS-9g", b"CS-13f")):
        for cards, how, clause in ((51, "rest", count), (52, "lift", stop), (52, "jam", stop), (52, "open", stop)):
            table = Table(game, "shoe").insert("deck_loaded", 600, cards=cards).deal(2)
            if how == "jam":  # of the rest
                table.stage.rig.plant.add_fault({"fault": "jam", "place": "exit", "card": 30, "at_um": 60000})
            if how == "lift":
                table.play(("", 300, "lift", 0))
            else:
                table.play(("", 300, "press", "green"))
            if how == "open":
                table.play(("release_started", 500, "wait", 0))
                assert table.flow.state == RELEASING
                table.play(("", 100, "open", 0))
            table.play(("round_voided", 300, "wait", 0))
            assert clauses_of(table.stage, "round_voided") == [clause], (game, how)
            order = all_fields_of(table.stage, "round_voided")[0][-2]
            assert (order == ids.ALL_VOID_REMOVE_DECK) == (how == "rest")


def test_a_stack_that_is_not_what_was_asked_for_stops_the_deal_or_is_a_misdeal_where_no_rule_is_about_a_stop():
    for game, clause in zip(POKER, (b"DDS-11d", b"B5-12f", b"CS-13f", b"DCP-12e")):
        table = Table(game).shuffle()
        table.play(*stories.seats(2), ("", 500, "press", "close"), ("round_started", 600, "press", "lock"))
        table.play(("stack_offered", 300, "wait", 0))
        cards = table.stage.rig.plant.take()
        while table.flow.state != DISPENSING:
            table.stage.run(5)
        table.stage.rig.plant.put_in_tray(cards)
        table.play(("round_voided", 300, "wait", 0))
        assert fields_of(table.stage, "warning_latched")[-1][0] == FAULT_STACK
        assert clauses_of(table.stage, "round_voided") == [clause], game
    table = Table("double-down-stud").shuffle()
    table.play(*stories.seats(2), ("", 500, "press", "close"), ("stack_offered", 600, "wait", 0))
    table.stage.rig.plant.add_fault(dict(STORM))
    table.play(("warning_latched", 500, "wait", 0))
    assert "round_voided" not in table.stage.names()  # the house decides
    assert fields_of(table.stage, "held_back") == [[ids.NEED_HOUSE_DECISION]]


def test_misdeals_void_all_or_one_as_the_game_says():
    wanted = (ids.ALL_VOID_RESHUFFLE, ids.ONE_VOID, ids.ONE_VOID, ids.ALL_VOID_RESHUFFLE)
    clauses = (b"DDS-11d", b"B5-12d", b"CS-13d", b"DCP-12c")
    for i in range(4):
        table = Table(POKER[i]).shuffle().deal(2)
        assert table.record("misdeal", 2, 9) == DONE
        table.stage.run(500)
        assert clauses_of(table.stage, "recorded") == [clauses[i]]
        assert all_fields_of(table.stage, "recorded")[0][3] == wanted[i]
        void = wanted[i] != ids.ONE_VOID
        assert ("round_voided" in table.stage.names()) == void
        if void:
            assert fields_of(table.stage, "round_voided")[0][0] == FAULT_NONE
            assert table.flow.state == WAITING_FOR_GREEN
            assert table.display[0] == "Round is void"
            table.release()
            assert table.flow.state == WAITING_FOR_DECK
        table.close()


def test_a_hand_of_the_right_size_is_no_misdeal():
    table = Table("caribbean-stud").shuffle().deal(2)
    assert table.record("misdeal", 1, 5) == REFUSED and table.reason() == ids.REASON_ARGUMENT
    assert table.record("misdeal", 255, 4) == REFUSED  # no community cards in this game
    assert "recorded" not in table.stage.names()


def test_a_dealers_four_of_five_gets_exactly_one_card_more():
    table = Table("caribbean-stud").shuffle().deal(2)
    assert table.command(ids.CMD_GIVE_CARD) == REFUSED  # nothing makes one due
    assert table.record("misdeal", 0, 4) == DONE
    table.stage.run(500)
    assert table.display[0] == "One card more is due"
    assert table.command(ids.CMD_GIVE_CARD) == DONE
    table.play(("", 500, "take", 0), ("", 1000, "wait", 0))
    assert len(table.stage.taken[-1]) == 1
    assert table.command(ids.CMD_GIVE_CARD) == REFUSED  # exactly one
    table.release().end()
    assert fields_of(table.stage, "remainder_released") == [[36, 36]]
    assert fields_of(table.stage, "round_ended") == [[3, 16, 36]]
    table.close()


def test_any_other_misdeal_to_the_dealer_voids_all():
    for game, cards, clause in (
        ("boston-5-stud", 4, b"B5-12d"),  # before the final deal no hand has four of five
        ("caribbean-stud", 6, b"CS-13d"),
        ("double-cross-poker", 1, b"DCP-7e2"),
    ):
        table = Table(game).shuffle().deal(2)
        assert table.record("misdeal", 0, cards) == DONE
        table.stage.run(500)
        assert clauses_of(table.stage, "round_voided") == [clause], game
        assert voided(table) == [ids.ALL_VOID_RESHUFFLE, 0]


def test_the_first_face_up_card_is_replaced_and_the_second_voids_the_round():
    for game, clause in zip(POKER, (b"DDS-11b", b"B5-12b", b"CS-13b", b"DCP-12a")):
        table = Table(game).shuffle().deal(2)
        if game == "double-down-stud":
            table.play(("", 300, "press", "close"), ("", 300, "wait", 0))
        table.recorded("face_up", 1)
        assert clauses_of(table.stage, "recorded") == [clause]
        assert all_fields_of(table.stage, "recorded")[0][3] == ids.REJECT_CARD
        assert table.command(ids.CMD_GIVE_CARD) == DONE
        table.play(("", 500, "take", 0), ("", 500, "wait", 0))
        rest = CardCounts(table.stage.rig.plant).store
        table.recorded("face_up", 1)
        assert clauses_of(table.stage, "round_voided") == [clause]
        assert voided(table) == [ids.ALL_VOID_RESHUFFLE, 0]
        table.release()
        assert fields_of(table.stage, "remainder_released") == [[rest, rest]]
        table.close()


def test_an_exposed_card_voids_only_while_the_game_says_so():
    table = Table("double-down-stud").shuffle()
    assert table.record("hole_card_seen") == REFUSED
    table.deal(2)
    table.recorded("hole_card_seen")
    assert clauses_of(table.stage, "round_voided") == [b"DDS-11a"]
    table = Table("double-down-stud").shuffle().deal(2).play(("", 300, "press", "close"), ("", 300, "wait", 0))
    assert table.record("hole_card_seen") == REFUSED  # betting is closed for the second time
    table = Table("boston-5-stud").shuffle().deal(3)
    table.recorded("hole_card_seen")
    assert clauses_of(table.stage, "round_voided") == [b"B5-12a"]
    assert voided(table) == [ids.ALL_VOID_BUT_COMPLETE, 0b111]
    table = Table("caribbean-stud").shuffle().deal(1)
    assert table.record("hole_card_seen") == REFUSED  # bets were closed before any card moved
    table = Table("double-cross-poker").shuffle().deal(1)
    assert table.record("hole_card_seen") == REFUSED  # no such rule


def test_a_card_drawn_in_error_stays_in_sequence_unless_its_face_was_seen():
    for game, clause in zip(POKER, (b"DDS-11c", b"B5-12c", b"CS-13c", b"DCP-12b")):
        table = Table(game).shuffle().deal(1)
        assert table.record("drawn_in_error", 1, 1) == REFUSED
        assert table.record("drawn_in_error", 1, 0) == DONE
        assert clauses_of(table.stage, "recorded") == [clause]
        assert all_fields_of(table.stage, "recorded")[0][3] == ids.NEXT_CARD
        assert table.flow.state != WARNING
