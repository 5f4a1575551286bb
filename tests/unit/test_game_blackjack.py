"""Double Attack Blackjack: a shoe drawn by hand. Burns, first card, face-up cards and tens, the hole-card reader."""

from game_tables import DONE, REFUSED, Table, short_deck
from support import all_fields_of, board, clauses_of, fields_of

from firmware.fault import FAULT_FACE_UP
from firmware.games.books import BURN_DUE
from firmware.games.flow import DECK_SPENT, DRAW_READY, DRAWING
from firmware.protocol import ids
from firmware.shoe.ledger import DEALT, DISCARDED

CARDS = 20


def shoe(table=None):
    """A loaded shoe of the game, with a small set."""
    config = board("draw")
    config["inputs"]["face"] = 20
    config["inputs"].update({"hole_card": 21, "hole_match": 22})
    made = Table(short_deck("double-attack-blackjack", deck_cards=CARDS), "draw", table, config=config)
    made.stage.act("load", {"cards": CARDS})
    return made.play(("", 300, "press", "green"), ("deck_loaded", 1500, "wait", 0))


def draw(table, times=1):
    for _ in range(times):
        table.play(("", 500, "draw", 200), ("", 400, "wait", 0))
    return table


def records(table):
    return [fields[:3] for fields in all_fields_of(table.stage, "recorded")]


def test_the_first_card_of_a_shoe_is_burned_and_the_next_one_closes_the_betting():
    """Proves: DAB-5d, DAB-7a, DAB-7c"""
    table = shoe()
    assert table.display[0] == "Burn a card"
    draw(table)
    assert records(table) == [[ids.REC_BURNED, 1, 1]] and clauses_of(table.stage, "recorded") == [b"DAB-7c"]
    assert table.flow.state == DRAW_READY and table.display[0] == "Shoe ready"
    draw(table)
    assert table.flow.state == DRAWING
    draw(table, 3)
    table.play(("", 300, "press", "green"), ("", 300, "wait", 0))
    assert fields_of(table.stage, "round_ended") == [[0, 4, CARDS - 5]]
    zone = table.flow.ledger.zone
    assert (zone[DISCARDED], zone[DEALT]) == (1, 4)
    table.close()


def test_each_new_dealer_burns_one_more():
    """Proves: DAB-7c"""
    table = draw(shoe(), 2).play(("", 300, "press", "green"), ("", 500, "wait", 0))
    assert table.record("dealer_change") == DONE
    table.stage.run(300)
    assert table.flow.books.row[BURN_DUE] == 1
    draw(table)
    assert table.flow.state == DRAW_READY and table.flow.ledger.zone[DISCARDED] == 2
    draw(table)
    assert table.flow.state == DRAWING
    assert table.record("dealer_change") == REFUSED  # not in a round


def test_a_forgotten_burn_is_told_and_stops_nothing():
    """Proves: DAB-15o"""
    table = shoe().play(("", 300, "press", "close"), ("round_started", 300, "wait", 0))
    assert clauses_of(table.stage, "recorded") == [b"DAB-15o"]
    assert all_fields_of(table.stage, "recorded") == [[ids.REC_BURNED, 0, 0, ids.PLAY_ON]]
    draw(table, 2).play(("", 300, "press", "green"), ("", 300, "wait", 0))
    assert fields_of(table.stage, "round_ended") == [[0, 2, CARDS - 2]]
    assert table.display[0] == "Shoe ready"  # and is not asked for again


def test_the_second_face_up_card_of_a_shoe_voids_its_round_whichever_round_the_first_was_in():
    """Proves: DAB-15b"""
    table = shoe()
    for nth in (3, 5):
        table.stage.rig.plant.luck.add({"fault": "face_up", "card": nth})
    draw(table, 4)
    assert all_fields_of(table.stage, "cards_odd") == [[FAULT_FACE_UP, 1, ids.REJECT_CARD]]
    assert table.flow.state == DRAWING
    table.play(("", 300, "press", "green"), ("", 300, "wait", 0))
    assert fields_of(table.stage, "round_ended") == [[0, 2, CARDS - 4]]  # burned, two dealt, one rejected
    draw(table, 2)
    assert all_fields_of(table.stage, "cards_odd")[1] == [FAULT_FACE_UP, 2, ids.ALL_VOID_RESHUFFLE]
    assert clauses_of(table.stage, "cards_odd") == [b"DAB-15b"] * 2
    assert clauses_of(table.stage, "round_voided") == [b"DAB-15b"]
    assert table.flow.state == DECK_SPENT
    table.close()


def test_a_ten_is_removed_and_a_second_one_in_the_shoe_voids_the_round():
    """Proves: DAB-15c"""
    table = draw(shoe(), 2)
    assert table.record("ten_found", 1) == DONE
    assert all_fields_of(table.stage, "recorded")[-1] == [ids.REC_TEN_FOUND, 1, 0, ids.REMOVE_CARD]
    table.play(("", 300, "press", "green"), ("", 300, "wait", 0))
    draw(table, 2)
    assert table.record("ten_found", 1) == DONE
    table.stage.run(300)
    assert clauses_of(table.stage, "round_voided") == [b"DAB-15c"]
    assert table.flow.state == DECK_SPENT


def test_the_reader_answers_for_court_cards_and_aces_with_insurance_closed_and_for_nothing_else():
    """Proves: DAB-7i, DAB-11b, DAB-15m"""
    for up_card, insured, match, answer, clause in (
        (13, False, True, ids.ANSWER_BLACKJACK, b"DAB-7i"),
        (11, False, False, ids.ANSWER_NO, b"DAB-7i"),
        (1, True, True, ids.ANSWER_BLACKJACK, b"DAB-7i"),
        (1, False, True, ids.ANSWER_NONE, b"DAB-15m"),
        (7, False, True, ids.ANSWER_NONE, b"DAB-15m"),
        (7, False, False, ids.ANSWER_NONE, b"DAB-15m"),
        (0, False, True, ids.ANSWER_NONE, b"DAB-15m"),
    ):
        table = draw(shoe(), 2)
        if up_card:
            assert table.record("up_card", up_card) == DONE
        if insured:
            assert table.record("insurance_closed") == DONE
        table.stage.act("peek", {"match": match})
        table.stage.run(250)
        assert "hole_card_read" not in table.stage.names()  # at a fixed time, whatever the answer
        table.stage.run(750)
        assert all_fields_of(table.stage, "hole_card_read") == [[answer]], (up_card, insured, match)
        assert clauses_of(table.stage, "hole_card_read") == [clause]
        table.stage.act("peek_end", {})
        table.stage.run(500)
        assert len(fields_of(table.stage, "hole_card_read")) == 1


def test_without_an_answer_due_nothing_that_is_sent_depends_on_the_hole_card():
    """Proves: DAB-15m"""
    sent = []
    for match in (False, True):
        table = draw(shoe(), 2)
        assert table.record("up_card", 7) == DONE
        table.stage.act("peek", {"match": match})
        table.stage.run(2000)
        sent.append(bytes(table.stage.transcript))
    assert sent[0] == sent[1]


def test_a_reader_that_answers_without_a_card_is_switched_off():
    """Proves: DAB-15n"""
    table = draw(shoe(), 2)
    plant = table.stage.rig.plant
    plant.set_line(plant.line_hole_match, 1, plant.now_us)
    table.stage.run(1000)
    assert all_fields_of(table.stage, "hole_card_read") == [[ids.ANSWER_FAULT]]
    assert clauses_of(table.stage, "hole_card_read") == [b"DAB-15n"]
    plant.set_line(plant.line_hole_match, 0, plant.now_us)
    assert table.record("up_card", 13) == DONE
    table.stage.act("peek", {"match": True})
    table.stage.run(1000)
    assert len(fields_of(table.stage, "hole_card_read")) == 1


def test_the_house_may_end_a_shoe_between_rounds_and_only_there():
    """Proves: DAB-4h"""
    table = draw(shoe(), 2)
    assert table.record("reshuffle", 2) == REFUSED
    table.play(("", 300, "press", "green"), ("", 300, "wait", 0))
    assert table.record("reshuffle", 2) == DONE
    table.stage.run(300)
    assert table.flow.state == DECK_SPENT
