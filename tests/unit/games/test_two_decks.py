"""Two decks by the colour of their backs: they take turns, one is shuffled while the other is in play, and neither does
anything to the other's round."""

from game_tables import DONE, REFUSED, Table
from support import act, all_fields_of, board, clauses_of, fields_of

from firmware.fault import FAULT_BACK
from firmware.games.flow import DECK_READY, WAITING_FOR_DECK, WARNING
from firmware.protocol import ids

TWO = {"decks": 2}


def two(game="caribbean-stud", **table):
    config = board(inputs={"back": {"pin": 28}})
    wanted = dict(TWO)
    wanted.update(table)
    return Table(game, table=wanted, config=config)


def decks_of(table, name):
    """The deck and round that every event of that name is about."""
    found = []
    for event in table.stage.peer.events:
        if event.name == name:
            payload = table.stage.peer.payloads[event.seq]
            found.append((payload[2 + 20], event.round))
    return found


def test_the_other_deck_is_shuffled_while_the_first_is_in_play_and_waits_for_the_end_of_its_round():
    table = two().shuffle(1).deal(2).release()
    assert table.flow.state == WAITING_FOR_DECK and table.flow.tail
    table.shuffle(2)
    assert table.flow.state == DECK_READY
    table.play(("", 300, "press", "close"), ("", 500, "wait", 0))
    assert table.flow.state == DECK_READY  # round 1 is still being settled
    assert clauses_of(table.stage, "held_back") == [b"CS-2b"]
    table.end()
    table.deal(1).release()
    assert decks_of(table, "round_ended") == [(1, 1)]
    assert decks_of(table, "deck_verified") == [(1, 0), (2, 0)]
    assert decks_of(table, "round_started") == [(1, 1), (2, 2)]
    table.shuffle(1).end()
    assert decks_of(table, "round_ended") == [(1, 1), (2, 2)]
    assert all_fields_of(table.stage, "round_ended")[1] == [2, 10, 42, 42, ids.UNKNOWN_U16]
    table.close()


def test_the_deck_out_of_turn_and_a_mixed_one_are_refused():
    table = two()
    table.insert("warning_latched", 300, cards=52, deck=2)
    assert fields_of(table.stage, "warning_latched") == [[FAULT_BACK, 1, 0]]  # at its first card
    assert clauses_of(table.stage, "shuffle_failed") == [b"CS-2b"]
    table = two().round(1)
    table.stage.act("load", {"cards": 30, "deck": 2})
    table.insert("warning_latched", 300, cards=22)
    assert fields_of(table.stage, "warning_latched")[0][0] == FAULT_BACK
    assert table.flow.facts.turn() == 2


def test_a_fault_of_the_second_deck_does_not_touch_the_round_of_the_first_nor_a_void_of_that_the_second():
    for void in (False, True):
        table = two().shuffle(1).deal(2).release()
        table.stage.rig.plant.add_fault({"fault": "jam", "place": "throat", "card": 9, "at_um": 60000})
        table.insert("warning_latched", 500, cards=52, deck=2)
        assert table.flow.state == WARNING and table.flow.tail
        assert "round_voided" not in table.stage.names()
        if void:
            table.recorded("misdeal", 0, 3)
        table.stage.rig.plant.repair()
        table.play(("", 500, "open", 0), ("", 500, "clear", 0), ("", 500, "close", 0), ("", 500, "press", "ack"))
        table.play(("warning_cleared", 500, "wait", 0)).end()
        assert clauses_of(table.stage, "deck_removed") == [b"CS-13e"]
        assert decks_of(table, "round_voided" if void else "round_ended") == [(1, 1)]
        table.close()


def test_power_lost_while_the_second_deck_is_shuffled_leaves_the_first_round_to_be_settled():
    table = two().shuffle(1).deal(2).release()
    table.stage.act("load", {"cards": 52, "deck": 2})
    table.play(("", 300, "press", "green"), ("shuffle_started", 5000, "cut", 0), ("", 1000, "boot", 0))
    table.play(("power_lost", 500, "wait", 0))
    assert fields_of(table.stage, "power_lost") == [[ids.EV_SHUFFLE_STARTED, 0]]
    assert table.flow.tail and "round_voided" not in table.stage.names()
    assert table.flow.facts.turn() == 2


def test_the_round_can_be_ended_by_command_while_a_deck_lies_in_the_hopper():
    table = two().shuffle(1).deal(1).release()
    act(table.stage, 500, "load", cards=52, deck=2)
    assert table.command(ids.CMD_END_ROUND) == DONE
    assert table.flow.state == WAITING_FOR_DECK and not table.flow.tail
    assert table.command(ids.CMD_END_ROUND) == REFUSED
    assert table.command(ids.CMD_SHUFFLE) == DONE


def test_each_deck_is_inducted_by_itself():
    table = two(records=True).inducted()
    table.shuffle(1)
    assert table.record("inspected", 1) == REFUSED and table.reason() == ids.REASON_STATE  # it is inside
    assert table.command(ids.CMD_SET_POSITIONS, 1) == DONE
    assert table.command(ids.CMD_CLOSE_BETTING) == DONE
    assert table.record("progressive", 0, 0) == DONE
    assert table.command(ids.CMD_CONFIRM_LOCKOUT) == DONE
    table.play(("stack_offered", 500, "take", 0), ("stack_offered", 500, "take", 0)).release()
    table.insert("", 500, cards=52, deck=2)
    assert table.flow.need == ids.NEED_INDUCTION
    table.inducted(2)
    table.play(("", 300, "press", "green"), ("deck_verified", 500, "wait", 0))
    table.close()


def told_seq(table):
    """The shuffle whose seed an auditor would get; 0: none."""
    values = [0, 0, 0]
    table.stage.rig.app.drawing.seeds.tell(values)
    return values[1]


def disclosing(decks):
    config = board(inputs={"back": {"pin": 28}}, audit={"seeds": "disclose"})
    return Table("caribbean-stud", table={"decks": decks}, config=config)


def test_no_seed_is_told_of_a_deck_whose_hands_are_still_being_settled():
    for cut in (False, True):
        table = disclosing(1).shuffle().deal(2).release()
        if cut:
            table.play(("", 500, "cut", 0), ("", 1000, "boot", 0), ("empty_proved", 1500, "wait", 0))
        assert table.flow.tail and told_seq(table) == 0
        table.end()
        table.stage.run(500)
        assert (told_seq(table) == 0) == cut  # power took the seed along


def test_the_seed_of_a_round_that_goes_on_while_the_other_deck_is_shuffled_is_never_told():
    table = disclosing(2).shuffle(1).deal(2).release().shuffle(2)
    assert table.flow.tail and told_seq(table) == 0
    table.end()
    table.stage.run(500)
    assert told_seq(table) == 0  # the one that is held is of the deck inside
