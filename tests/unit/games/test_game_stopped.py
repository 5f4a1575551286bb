"""A device that has stopped: taken out of service, or a dispute put on record, while its warning is latched."""

from game_tables import DONE, REFUSED, Table
from support import all_fields_of, board, clauses_of

from firmware.games.flow import WAITING_FOR_DECK, WAITING_FOR_ROUND_END, WARNING
from firmware.games.table_facts import HELD, SERVICE
from firmware.protocol import ids

POKER = ("boston-5-stud", "caribbean-stud", "double-cross-poker")
DISPUTES = (b"B5-10g", b"CS-10d", b"DCP-10h")
REMOVALS = (b"B5-12g", b"CS-13g", b"DCP-12f")


def jammed(game, **table):
    """A shuffler with a card stuck in its throat."""
    made = Table(game, table=table)
    made.stage.rig.plant.add_fault({"fault": "jam", "place": "throat", "card": 9, "at_um": 60000})
    made.insert("warning_latched", 500, cards=made.flow.profile.deck_cards)
    assert made.flow.state == WARNING
    return made


def repaired(table):
    table.stage.rig.plant.repair()
    table.play(("", 500, "open", 0), ("", 500, "clear", 0), ("", 500, "close", 0), ("", 500, "press", "ack"))
    return table.play(("warning_cleared", 1500, "wait", 0))


def refused_deck(table):
    """Another deck is tried, and held back."""
    table.insert("held_back", 500, cards=table.flow.profile.deck_cards)
    assert table.flow.state == WAITING_FOR_DECK
    return table


def test_a_jammed_device_is_taken_out_of_service_while_its_warning_is_latched():
    for game, clause in zip(POKER, REMOVALS):
        table = jammed(game)
        assert table.record("out_of_service", 1) == DONE, game
        assert clauses_of(table.stage, "recorded") == [clause]
        assert all_fields_of(table.stage, "recorded")[0][3] == ids.LEAVE_TABLE
        table.stage.run(300)
        assert table.display[1:] == ["Out of service", "Take it off the", "table, or call floor"]
        assert table.flow.state == WARNING  # the warning stays: nothing goes on by itself
        refused_deck(repaired(table))
        assert clauses_of(table.stage, "held_back") == [clause]


def test_out_of_service_outlives_power_that_fails_under_the_warning():
    table = jammed("caribbean-stud")
    assert table.record("out_of_service", 1) == DONE
    table.play(("", 10, "cut", 0), ("", 1000, "boot", 0), ("booted", 1000, "wait", 0))
    assert table.flow.state == WARNING and table.flow.facts.row[SERVICE] == 1


def test_the_shuffler_of_double_attack_is_taken_out_of_service_under_a_warning():
    """Proves: DAB-15l (in part)"""
    data = board("shelves")
    table = Table("double-attack-blackjack", "shelves", config=data)
    table.stage.rig.plant.add_fault({"fault": "jam", "place": "throat", "card": 3, "at_um": 60000})
    table.insert("warning_latched", 500, cards=384, tens=[])
    assert table.record("out_of_service", 1) == DONE
    assert clauses_of(table.stage, "recorded") == [b"DAB-15l"]


def test_an_empty_device_is_taken_out_of_service_while_the_last_round_is_settled():
    table = Table("caribbean-stud").shuffle().deal(2).release()
    assert table.flow.state == WAITING_FOR_ROUND_END
    assert table.record("out_of_service", 1) == DONE
    table.end()
    assert "round_ended" in table.stage.names()  # the hands count
    refused_deck(table)


def test_a_deck_inside_keeps_it_in_service_also_while_another_round_is_settled():
    config = board(inputs={"back": {"pin": 28}})
    table = Table("caribbean-stud", table={"decks": 2}, config=config).shuffle(1).deal(1).release().shuffle(2)
    assert table.record("out_of_service", 1) == REFUSED and table.reason() == ids.REASON_STATE


def test_a_dispute_is_put_on_record_while_a_warning_is_latched():
    for game, clause in zip(POKER, DISPUTES):
        table = Table(game).shuffle()
        table.stage.rig.plant.add_fault({"fault": "jam", "place": "exit", "card": 1, "at_um": 20000})
        table.play(("", 300, "press", "seat"), ("", 300, "press", "close"), ("round_started", 300, "press", "lock"))
        table.play(("warning_latched", 500, "wait", 0))
        assert table.record("dispute", 1, 1) == DONE, game
        assert clauses_of(table.stage, "recorded") == [clause]
        assert table.flow.facts.deck(1, HELD) == 1
        repaired(table)
        refused_deck(table)
        assert clauses_of(table.stage, "held_back") == [clause]
        assert table.record("dispute", 1, 0) == DONE
        table.play(("", 300, "press", "green"), ("deck_verified", 500, "wait", 0))


def test_nothing_else_is_put_on_record_under_a_warning():
    table = jammed("boston-5-stud")
    for what, a in (("misdeal", 1), ("face_up", 1), ("stub_counted", 30), ("no_activity", 0), ("deck_removed", 1)):
        assert table.record(what, a) == REFUSED and table.reason() == ids.REASON_STATE, what
