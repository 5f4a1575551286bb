"""Double Attack Blackjack: a card that lay face up leaves the deal as it was, whether the sensor saw it or a person."""

from dab_tables import Shoe
from game_tables import DONE, REFUSED
from support import all_fields_of

from firmware.games.flow import DECK_SPENT, DRAW_READY, DRAWING
from firmware.protocol import ids


def found(by_record, nth, boxes=2, cut_at=-1, **options):
    """A shoe whose nth card, counted from 0 with the burn, lies face up: seen by the sensor, or told of."""
    shoe = Shoe(face=not by_record, **options).load(cut_at=cut_at).boxes(boxes)
    if not by_record:
        shoe.stage.rig.plant.add_fault({"fault": "face_up", "card": nth})
    shoe.draw(nth + 1)
    if by_record:
        shoe.recorded("face_up", 1)
    return shoe


def test_a_face_up_card_is_no_draw_of_the_deal():
    """Proves: DAB-15b (in part), DAB-7d (in part)"""
    for nth in (1, 2, 4, 6):
        for by_record in (False, True):
            shoe = found(by_record, nth)
            assert shoe.flow.play.draws == nth - 1, (nth, by_record)
            shoe.draw(6 - nth)
            assert shoe.flow.play.draws == 5  # dealer, two boxes, two boxes
            shoe.green()
            assert all_fields_of(shoe.stage, "round_ended")[-1][1] == 5
            assert len(shoe.told("betting_closed")) == 1
            shoe.close()


def test_the_hole_card_is_asked_about_after_the_same_card():
    """Proves: DAB-15b (in part), DAB-7i (in part)"""
    for by_record in (False, True):
        shoe = found(by_record, 3, reader=True)
        shoe.draw(3)
        assert shoe.flow.play.need(shoe.flow) == ids.NEED_NONE, by_record  # the hole card is still to come
        shoe.draw()
        assert shoe.flow.play.need(shoe.flow) == ids.NEED_UP_CARD, by_record
        assert shoe.told("draw_flagged") == []
        assert shoe.record("up_card", 13) == DONE
        shoe.peek(9)
        assert shoe.told("hole_card_read")[-1][0] == ids.ANSWER_NO


def test_the_box_of_the_cut_card_is_the_same():
    """Proves: DAB-15b (in part), DAB-4d (manual, in part)"""
    boxes = []
    for by_record in (False, True):
        shoe = found(by_record, 2, cut_at=5).draw(4)
        boxes.append(shoe.told("cut_reached")[-1][2])
    assert boxes[0] == boxes[1] == 1


def test_whose_the_card_was_told_to_be_is_whose_the_next_one_is():
    """Proves: DAB-15b (in part), DAB-7h (manual, in part)"""
    for by_record in (False, True):
        shoe = Shoe(face=not by_record).load().boxes(2).draw(6)
        assert shoe.record("card_to", 2, 6) == DONE
        if not by_record:
            shoe.stage.rig.plant.add_fault({"fault": "face_up", "card": 6})
        shoe.draw()
        if by_record:
            assert shoe.record("face_up", 1) == DONE
        assert shoe.flow.play.seat(shoe.flow) == 2, by_record
        shoe.draw()
        assert shoe.record("card_to", 1, 7) == DONE, by_record


def test_a_burn_that_lay_face_up_is_told_between_rounds_and_another_card_is_burned():
    """Proves: DAB-15b (in part), DAB-7c (in part)"""
    for by_record in (False, True):
        shoe = found(by_record, 0)
        assert shoe.flow.state == DRAW_READY and shoe.flow.play.burns(shoe.flow) == 1, by_record
        shoe.draw()
        assert shoe.zones() == (0, 2, 18, 0) and shoe.flow.state == DRAW_READY
        shoe.draw()
        assert shoe.flow.state == DRAWING
        if by_record:
            assert shoe.record("face_up", 1) == DONE
            assert shoe.flow.state == DECK_SPENT  # the second of this shoe
    fresh = Shoe().load()
    assert fresh.record("face_up", 1) == REFUSED and fresh.reason() == ids.REASON_STATE  # no card has come


def test_an_up_card_that_is_rejected_is_on_record_no_more_and_is_told_again():
    """Proves: DAB-7i (in part)"""
    for void in (False, True):
        shoe = Shoe(reader=True, face=False).load().boxes(2).draw(2 if void else 1)
        if void:
            assert shoe.record("face_up", 1) == DONE  # the first of this shoe
        shoe.draw()
        assert shoe.record("up_card", 13) == DONE and shoe.record("face_up", 1) == DONE
        told = [tuple(fields) for fields in shoe.told("recorded") if fields[0] == ids.REC_UP_CARD]
        assert told[1:] == ([] if void else [(ids.REC_UP_CARD, 0, 0, 0, "DAB-7i")]), void
        if not void:
            shoe.draw(6)  # another one, two for each box, and the hole card
            assert shoe.flow.play.need(shoe.flow) == ids.NEED_UP_CARD
            assert shoe.record("up_card", 5) == DONE
