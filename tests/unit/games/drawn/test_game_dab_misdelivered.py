"""A card delivered wrongly goes forward, to the dealer or to the rack, as a person says; boxes may be let out."""

from dab_tables import Shoe
from game_tables import DONE, REFUSED
from support import all_fields_of

from firmware.deck.ledger import DEALT, DISCARDED
from firmware.protocol import ids

FORWARD, DEALER, BURNED = 1, 2, 3


def shoe_of(boxes, draws, **others):
    """The burn, and so many cards of the deal."""
    return Shoe(30, **others).load().boxes(boxes).draw(1 + draws)


def test_a_card_that_goes_forward_is_one_of_the_deal_and_the_plan_says_no_more_whose_the_next_is():
    """Proves: DAB-15a (in part)"""
    shoe = shoe_of(3, 3)
    assert shoe.flow.play.seat(shoe.flow) == 3
    assert shoe.noted("delivered_wrongly", 3, FORWARD)[1:] == (3, 1, ids.NEXT_CARD, "DAB-15a")
    assert shoe.flow.play.seat(shoe.flow) == ids.UNKNOWN_U8
    assert shoe.flow.play.deal(shoe.flow) == 7
    assert shoe.draw(4).flow.play.served(shoe.flow)
    shoe.close()


def test_a_burned_one_goes_to_the_rack_and_the_next_card_takes_its_place():
    """Proves: DAB-15a (in part)"""
    shoe = shoe_of(2, 2)
    zone = shoe.flow.ledger.zone
    before = zone[DEALT], zone[DISCARDED]
    assert shoe.noted("delivered_wrongly", 1, BURNED)[1:] == (1, 3, ids.BURN_CARD, "DAB-15a")
    assert (zone[DEALT], zone[DISCARDED]) == (before[0] - 1, before[1] + 1)
    assert not shoe.draw(3).flow.play.served(shoe.flow)
    assert shoe.draw(1).flow.play.served(shoe.flow)
    shoe.green()
    assert all_fields_of(shoe.stage, "round_ended")[-1][1] == 5
    shoe.close()


def test_as_the_dealers_next_card_it_lies_open_and_no_reader_is_asked_and_no_card_called():
    """Proves: DAB-15a (in part), DAB-7g (in part), DAB-7i (in part)"""
    shoe = shoe_of(2, 2, reader=True)
    shoe.noted("up_card", 13)
    shoe.noted("delivered_wrongly", 0, DEALER)
    assert shoe.record("delivered_wrongly", 0, DEALER) == REFUSED  # he has two cards
    assert shoe.draw(3).flow.play.served(shoe.flow) is False
    assert shoe.draw(1).flow.play.served(shoe.flow)
    shoe.draw(1)  # a hit: no answer is waited for
    assert shoe.flow.need == ids.NEED_NONE and not shoe.flow.play.reader.lit
    assert shoe.record("surrender", 1) == DONE
    shoe.green()
    assert "draw_flagged" not in shoe.stage.names()
    shoe.close()


def test_which_it_is_has_to_fit_the_cards_and_later_other_paragraphs_speak():
    """Proves: DAB-15a (in part), DAB-15f (in part)"""
    shoe = shoe_of(2, 1)
    for box, becomes in ((1, 0), (0, FORWARD), (3, FORWARD), (1, DEALER), (3, BURNED), (255, FORWARD)):
        assert shoe.record("delivered_wrongly", box, becomes) == REFUSED, (box, becomes)
        assert shoe.reason() == ids.REASON_ARGUMENT, (box, becomes)
    assert shoe.record("delivered_wrongly", 0, DEALER) == REFUSED  # that is his first one
    assert shoe.record("drawn_in_error", 1, 1) == REFUSED
    shoe.draw(4)
    assert shoe.record("delivered_wrongly", 2, FORWARD) == DONE
    shoe.draw(1)
    assert shoe.record("delivered_wrongly", 2, FORWARD) == REFUSED and shoe.reason() == ids.REASON_STATE
    assert shoe.record("drawn_in_error", 1, 1) == DONE
    shoe.close()


def test_boxes_are_let_out_for_an_error_of_the_dealer_and_the_deal_passes_them():
    """Proves: DAB-15a (in part)"""
    shoe = shoe_of(3, 3)
    assert shoe.record("let_out", 2, 1) == REFUSED and shoe.reason() == ids.REASON_STATE  # no error is on record
    shoe.noted("delivered_wrongly", 3, FORWARD)
    zone = shoe.flow.ledger.zone
    before = zone[DEALT], zone[DISCARDED]
    assert shoe.noted("let_out", 2, 1)[1:] == (2, 1, ids.PLAY_ON, "DAB-15a")
    assert (zone[DEALT], zone[DISCARDED]) == (before[0] - 1, before[1] + 1)
    assert shoe.flow.play.deal(shoe.flow) == 6
    assert shoe.record("let_out", 2, 1) == REFUSED
    assert shoe.record("card_to", 2, 4) == REFUSED
    assert shoe.draw(3).flow.play.served(shoe.flow)
    assert shoe.record("let_out", 1, 1) == REFUSED and shoe.reason() == ids.REASON_ARGUMENT  # it has two
    assert shoe.record("let_out", 1, 2) == DONE
    shoe.green()
    assert all_fields_of(shoe.stage, "round_ended")[-1][1] == 3  # the dealer's card, and two of the box that has stayed
    shoe.close()


def test_a_box_that_is_out_stays_out_after_a_power_cut():
    """Proves: DAB-15a (in part)"""
    shoe = shoe_of(2, 5)
    shoe.noted("drawn_in_error", 1)
    shoe.noted("let_out", 1, 2)
    shoe.play(("", 300, "cut", 0), ("", 500, "boot", 0), ("", 3000, "wait", 0))
    for action in ("open", "clear", "close"):
        shoe.play(("", 500, action, 0))
    shoe.play(("", 500, "press", "ack"), ("", 12000, "wait", 0))
    assert shoe.record("house_decision", 1) == DONE
    shoe.stage.run(300)
    assert shoe.record("surrender", 1) == REFUSED and shoe.record("let_out", 1, 2) == REFUSED
    assert shoe.record("let_out", 2, 2) == DONE
    shoe.close()


def test_cards_drawn_from_a_shoe_that_has_ended_are_counted_and_flagged():
    """Proves: DAB-4h (in part), DAB-7j (in part)"""
    shoe = Shoe(30).load(cut_at=2).boxes(1).draw(5).green()
    assert "draw_flagged" not in shoe.stage.names()
    drawn = shoe.flow.ledger.zone[DISCARDED]
    shoe.draw(4)
    shoe.stage.run(300)
    assert shoe.flow.ledger.zone[DISCARDED] == drawn + 4
    assert shoe.told("draw_flagged") == [(1, "DAB-4h"), (3, "DAB-4h")]
    shoe.lift()
    shoe.close()
