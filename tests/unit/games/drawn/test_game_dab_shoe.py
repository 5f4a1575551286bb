"""Double Attack Blackjack, the shoe: burns, the first card, the cut card, what is left and what is in the rack."""

from dab_tables import GAME, Shoe
from game_tables import DONE, REFUSED
from support import all_fields_of, fields_of

from firmware.fault import FAULT_MISMATCH
from firmware.games.flow import DECK_SPENT, DRAW_READY, DRAWING, WAITING_FOR_DECK
from firmware.image import OUT_LAMP_GREEN, OUT_LAMP_RED
from firmware.protocol import ids, table


def test_the_first_card_of_a_shoe_is_burned_and_the_next_one_closes_the_betting():
    """Proves: DAB-5d, DAB-7a, DAB-7c (in part)"""
    shoe = Shoe(locked=True).load()
    assert shoe.display[0] == "Burn a card"
    shoe.draw()
    assert shoe.told("recorded") == [(ids.REC_BURNED, 1, 1, ids.BURN_CARD, "DAB-7c")]
    assert shoe.flow.state == DRAW_READY and shoe.display[0] == "Shoe ready"
    assert "round_started" not in shoe.stage.names()
    shoe.boxes(2).draw()
    assert shoe.flow.state == DRAWING
    assert shoe.told("betting_closed") == [(1, "DAB-5d")]
    names = shoe.stage.names()
    assert names.index("round_started") < names.index("betting_closed")
    assert shoe.command(ids.CMD_SET_POSITIONS, 3) == REFUSED  # no box joins after the first card
    assert shoe.command(ids.CMD_CLOSE_BETTING) == REFUSED
    shoe.draw(5).green()
    assert fields_of(shoe.stage, "round_ended") == [[0, 6, 13]]
    assert shoe.zones() == (6, 1, 13, 0)
    shoe.draw().draw(2).green()  # the next round needs no button either
    assert fields_of(shoe.stage, "round_ended")[1] == [0, 3, 10]
    assert shoe.count("betting_closed") == 2
    shoe.close()


def test_each_new_dealer_burns_one_more_and_nobody_is_told_what_it_was():
    """Proves: DAB-7c"""
    shoe = Shoe().load().draw(3).green()
    assert shoe.noted("dealer_change") == (ids.REC_DEALER_CHANGE, 0, 0, ids.BURN_CARD, "DAB-7c")
    assert shoe.display[0] == "Burn a card"
    shoe.draw()
    assert shoe.flow.state == DRAW_READY
    assert shoe.last() == (ids.REC_BURNED, 1, 2, ids.BURN_CARD, "DAB-7c")
    assert shoe.zones() == (2, 2, 16, 0)
    shoe.draw()
    assert shoe.flow.state == DRAWING
    for _message, _kind, spec in table.MESSAGES:
        # A card has a number in its shoe or round; no message has a field for what it is.
        for word in spec.split()[1:]:
            assert word.split(":")[0] not in ("rank", "suit", "face", "card", "value"), spec
    shoe.close()


def test_a_forgotten_burn_is_told_and_stops_nothing():
    """Proves: DAB-15o"""
    shoe = Shoe(locked=True).load().play(("", 300, "press", "close"), ("round_started", 300, "wait", 0))
    assert shoe.told("recorded") == [(ids.REC_BURNED, 0, 1, ids.PLAY_ON, "DAB-15o")]
    shoe.draw(2).green()
    assert fields_of(shoe.stage, "round_ended") == [[0, 2, 18]]
    assert shoe.display[0] == "Shoe ready"  # and it is not asked for again
    shoe.close()
    shoe = Shoe().load()
    assert shoe.record("dealer_change") == DONE
    shoe.play(("", 300, "press", "close"), ("round_started", 300, "wait", 0))
    assert [told[:3] for told in shoe.told("recorded")[1:]] == [(ids.REC_BURNED, 0, 1), (ids.REC_BURNED, 0, 2)]


def test_a_forgotten_burn_that_was_taken_for_one_is_put_right_by_a_record():
    """Proves: DAB-15o"""
    shoe = Shoe().load().draw(3)  # the dealer has dealt three cards; the shoe took the first for the burn
    assert shoe.zones() == (2, 1, 17, 0)
    assert shoe.noted("burned", 0) == (ids.REC_BURNED, 0, 0, ids.PLAY_ON, "DAB-15o")
    assert shoe.zones() == (3, 0, 17, 0)
    assert shoe.record("burned", 0) == REFUSED  # there is only one to be put right
    shoe.green()
    assert fields_of(shoe.stage, "round_ended") == [[0, 3, 17]]
    shoe.draw()
    assert shoe.flow.state == DRAWING
    assert shoe.record("burned", 0) == REFUSED  # no burn was due before this round
    shoe.close()


def test_the_cut_card_tells_draw_and_box_and_the_shoe_ends_after_its_round():
    """Proves: DAB-4h, DAB-4d (manual, in part)"""
    for cut_at, boxes, box in ((3, 3, 2), (4, 3, 3), (5, 3, 1), (7, 3, 3), (8, 3, 255), (2, 3, 0)):
        shoe = Shoe(cards=40, locked=True).load(cut_at=cut_at)
        shoe.draw()
        if cut_at == 2:
            shoe.draw().green()  # in the second round it comes before the dealer's first card
            assert shoe.flow.state == DRAW_READY
            shoe.draw()
            assert shoe.told("cut_reached") == [(2, 38, 0, 0, "DAB-4h")]
            assert shoe.flow.state == DECK_SPENT  # no round had begun
            continue
        shoe.boxes(boxes).draw(cut_at)
        assert shoe.told("cut_reached") == [(cut_at, 40 - cut_at, box, 0, "DAB-4h")], cut_at
        assert shoe.flow.state == DRAWING
        shoe.draw(2).green()
        assert shoe.flow.state == DECK_SPENT and shoe.display[0] == "Shoe is finished"
        shoe.play(("", 300, "press", "close"), ("", 300, "wait", 0))
        assert shoe.count("round_started") == 1
        shoe.close()


def test_the_house_may_end_a_shoe_between_rounds_and_only_there():
    """Proves: DAB-4h"""
    shoe = Shoe().load().draw(3)
    assert shoe.record("reshuffle", 2) == REFUSED and shoe.reason() == ids.REASON_STATE
    shoe.green()
    assert shoe.noted("reshuffle", 2) == (ids.REC_RESHUFFLE, 2, 0, ids.RESHUFFLE, "DAB-4h")
    assert shoe.flow.state == DECK_SPENT
    shoe.lift()
    assert shoe.flow.state == WAITING_FOR_DECK
    shoe.close()


def test_a_marker_too_near_to_the_end_is_told_and_refused_by_nobody():
    """Proves: DAB-4f (in part), DAB-4h (in part), DAB-4i (in part)"""
    for cut_at, deep in ((15, 0), (16, 1)):  # 20 cards: a quarter are 5
        shoe = Shoe().load(cut_at=cut_at).draw(cut_at + 1)
        clause = "DAB-4f" if deep else "DAB-4h"
        assert shoe.told("cut_reached") == [(cut_at, 20 - cut_at, 255, deep, clause)]
        assert shoe.flow.state == DRAWING and shoe.flow.warning == 0
        shoe.green()
        assert shoe.flow.state == DECK_SPENT
        assert (shoe.display[1] == "Cut card was too") == bool(deep)
    approved = Shoe(role=ids.ROLE_SERVICE)
    assert approved.record("approval", 4711, 1) == DONE
    approved.load(cut_at=16).draw(17)
    assert approved.told("cut_reached") == [(16, 4, 255, 0, "DAB-4h")]


def test_a_shoe_of_a_machine_is_asked_for_its_marker_and_an_approval_may_do_without():
    """Proves: DAB-4f, DAB-4i"""
    shoe = Shoe(role=ids.ROLE_SERVICE)
    assert shoe.display == ["Ready for a shoe", "Cut card a quarter", "from the back, then", "insert, press GREEN"]
    assert shoe.record("approval", 4711, 3) == DONE  # no marker, and no burns
    assert shoe.last() == (ids.REC_APPROVAL, 4711, 3, 0, "DAB-4i")
    shoe.stage.run(500)
    assert "Cut card" not in shoe.display[1]
    shoe.load()
    assert shoe.display[0] == "Shoe ready"
    shoe.draw()
    assert shoe.flow.state == DRAWING  # and no burn
    assert shoe.green().noted("dealer_change")[-2:] == (ids.CONSEQUENCE_NONE, "DAB-4i")  # nor for a new dealer
    shoe.draw().green()
    assert shoe.record("approval", 4711, 0) == DONE  # it has ended
    assert shoe.display[0] == "Shoe ready" and shoe.record("dealer_change") == DONE
    assert shoe.display[0] == "Burn a card"
    assert shoe.draw(2).zones() == (3, 1, 16, 0)  # the first card of this shoe is out long since
    shoe.close()


def test_only_the_service_role_tells_of_an_approval_and_not_in_a_round():
    """Proves: DAB-4i"""
    table = Shoe()
    assert table.record("approval", 4711, 3) == REFUSED and table.reason() == ids.REASON_ROLE
    service = Shoe(role=ids.ROLE_SERVICE).load().draw(2)
    assert service.record("approval", 4711, 3) == REFUSED and service.reason() == ids.REASON_STATE


def test_an_approval_outlives_power():
    """Proves: DAB-4i"""
    shoe = Shoe(role=ids.ROLE_SERVICE)
    assert shoe.record("approval", 17, 2) == DONE
    shoe.play(("", 500, "cut", 0), ("", 500, "boot", 0), ("empty_proved", 1000, "wait", 0))
    shoe.load().draw()
    assert shoe.flow.state == DRAWING


def test_a_shoe_lasts_for_many_rounds_and_then_nothing_goes_before_the_set_was_shuffled():
    """Proves: DAB-4a (in part), DAB-5h (in part)"""
    shoe = Shoe(cards=40, table={"records": True}).induct().load(cut_at=18).draw()
    for _ in range(5):
        shoe.draw(3).green()
    assert shoe.count("round_ended") == 5 and shoe.count("deck_loaded") == 1
    assert shoe.flow.state == DRAW_READY
    shoe.draw(4).green().lift()
    shoe.insert("", 800, cards=40)
    assert shoe.flow.state == WAITING_FOR_DECK
    assert shoe.last("held_back") == (ids.NEED_RACK, "DAB-7j")
    assert shoe.record("stub_counted", 40) == DONE
    shoe.play(("", 300, "press", "green"), ("", 800, "wait", 0))
    assert shoe.last("held_back") == (ids.NEED_PROVENANCE, "DAB-4b")
    assert shoe.count("deck_loaded") == 1
    assert shoe.record("provenance", 1, 1) == DONE
    shoe.play(("", 300, "press", "green"), ("deck_loaded", 800, "wait", 0))
    assert all_fields_of(shoe.stage, "deck_loaded") == [[40, ids.LOADED_SHUFFLED]] * 2
    shoe.close()


def test_rack_and_rest_must_be_the_set_without_what_was_removed():
    """Proves: DAB-7j"""
    shoe = Shoe(table={"records": True}).induct().load(cut_at=8).draw(4)
    assert shoe.record("ten_found", 1) == DONE
    assert shoe.record("stub_counted", 19) == REFUSED  # not in a round
    shoe.draw(5)
    assert "cut_reached" in shoe.stage.names() and shoe.flow.state == DRAWING  # the round is finished first
    shoe.green().lift()
    for count, right in ((20, False), (18, False), (19, True)):
        shoe.stage.run(300)
        assert shoe.record("stub_counted", count) == DONE
        order = ids.CONSEQUENCE_NONE if right else ids.HOLD_DECK
        assert shoe.last() == (ids.REC_STUB_COUNTED, count, 0, order, "DAB-7j")
        shoe.insert("", 500, cards=20)
        assert shoe.flow.need == (ids.NEED_PROVENANCE if right else ids.NEED_RACK)
        shoe.stage.rig.plant.lift()
    assert shoe.record("stub_counted", 19) == REFUSED  # it is over
    shoe.close()
    panel = Shoe(table={"records": True}).induct().load(cut_at=8).draw(4)
    assert panel.record("ten_found", 1) == DONE
    panel.draw(5).green().lift()
    for button, count, order in (("ack", ids.UNKNOWN_U16, ids.HOLD_DECK), ("lock", 19, ids.CONSEQUENCE_NONE)):
        panel.play(("", 300, "press", button), ("", 300, "wait", 0))
        assert panel.last() == (ids.REC_STUB_COUNTED, count, 0, order, "DAB-7j")


def test_what_is_due_of_the_rack_outlives_power_and_ends_with_another_set():
    """Proves: DAB-7j"""
    shoe = Shoe(table={"records": True}).induct().load(cut_at=3).draw(6).green().lift()
    shoe.play(("", 500, "cut", 0), ("", 500, "boot", 0), ("empty_proved", 1000, "wait", 0))
    assert shoe.flow.need == ids.NEED_RACK
    assert shoe.display[:2] == ["Count the rack, with", "the rest: 20 cards"]
    assert shoe.record("deck_removed", 1) == DONE
    shoe.stage.run(500)
    assert shoe.flow.need == ids.NEED_INDUCTION  # a set that was not inspected yet
    shoe.close()


def test_cards_of_a_shoe_only_go_forward():
    """What was drawn never gets back to the shoe, whatever is recorded about it.

    Proves: DAB-15a (in part), DAB-15d, DAB-15f (in part), DAB-15g"""
    shoe = Shoe(cards=40).load().boxes(2).draw(7)
    before = shoe.zones()[2]
    assert before == 33
    for what, a, b, order, clause in (
        ("drawn_in_error", 1, 0, ids.NEXT_CARD, "DAB-15d"),
        ("drawn_in_error", 1, 1, ids.NEXT_CARD, "DAB-15f"),
        ("burned", 1, 3, ids.BURN_CARD, "DAB-15g"),
        ("burned", 1, 4, ids.BURN_CARD, "DAB-15f"),
    ):
        assert shoe.record(what, a, b) == DONE, what
        assert shoe.last()[3:] == (order, clause)
        assert shoe.zones()[2] == before
        shoe.draw()
        before -= 1
        assert shoe.zones()[2] == before
    assert shoe.zones() == (8, 3, 29, 0)
    shoe.close()


def test_a_shoe_with_a_card_too_few_or_too_many_is_found():
    """Proves: DAB-2a (in part)"""
    for put_in, fault in ((19, FAULT_MISMATCH), (21, FAULT_MISMATCH)):
        shoe = Shoe().load(cards=put_in).draw(put_in)
        shoe.play(("warning_latched", 500, "wait", 0))
        assert shoe.flow.warning == fault
    shoe = Shoe().load().draw(20).green().play(("remainder_taken", 300, "wait", 0))
    assert fields_of(shoe.stage, "remainder_taken") == [[0]] and shoe.flow.state == WAITING_FOR_DECK
    assert not any(shoe.stage.rig.app.out.level[OUT_LAMP_GREEN : OUT_LAMP_RED + 1])


def test_the_real_set_of_six_or_eight_packs_with_its_cut_card():
    """Proves: DAB-2a (in part)"""
    for packs, cards in ((6, 288), (8, 384)):
        shoe = Shoe(cards=384, table={"packs": packs})
        assert shoe.flow.profile.deck_cards == cards
        shoe.cards = cards
        shoe.load(cut_at=4).draw(8)
        assert shoe.flow.ledger.total == 7  # the cut card is none
        assert shoe.zones() == (6, 1, cards - 7, 0)
        assert shoe.told("cut_reached") == [(4, cards - 4, 255, 0, "DAB-4h")]
        shoe.close()
    try:
        Shoe(cards=384, table={"packs": 7})
        refused = False
    except ValueError:
        refused = True
    assert refused, GAME
