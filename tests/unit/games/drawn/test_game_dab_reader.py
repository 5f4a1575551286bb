"""Double Attack Blackjack, the hole-card reader: one bit, when the rules want it, and nothing otherwise."""

from dab_tables import Shoe
from game_tables import DONE, REFUSED
from support import act

from firmware.games.flow import DRAW_READY, DRAWING
from firmware.games.table_facts import READER_OFF
from firmware.image import OUT_READ_ACE, OUT_READ_COURT
from firmware.protocol import ids

ACE, KING = 1, 13
COURT = (11, 12, 13)
NONE, NO, YES = ids.ANSWER_NONE, ids.ANSWER_NO, ids.ANSWER_BLACKJACK
BOXES = 2


def hole_card_dealt(**options):
    """A round of two boxes with its deal and the dealer's hole card on the table."""
    return Shoe(cards=40, reader=True, **options).load().boxes(BOXES).draw(2 + 2 * BOXES + 1)


def answers(shoe):
    return shoe.told("hole_card_read")


def lights(shoe):
    level = shoe.stage.rig.app.out.level
    return level[OUT_READ_ACE], level[OUT_READ_COURT]


def test_the_reader_says_blackjack_or_not_for_an_ace_and_a_court_card_and_nothing_for_any_other():
    """Proves: DAB-7i (in part), DAB-11b (in part), DAB-15m (in part)"""
    for up_card in (1, 2, 5, 9, 11, 12, 13):
        for hole in (1, 2, 9, 11, 13):
            shoe = hole_card_dealt(locked=True)
            assert shoe.record("up_card", up_card) == DONE
            if up_card == ACE:
                assert shoe.record("insurance_closed") == DONE
            shoe.peek(hole)
            if up_card == ACE:
                expected = (YES if hole in COURT else NO, "DAB-7i")
            elif up_card in COURT:
                expected = (YES if hole == ACE else NO, "DAB-7i")
            else:
                expected = (NONE, "DAB-15m")
            assert answers(shoe) == [expected], (up_card, hole)
            shoe.peek(hole)
            assert len(answers(shoe)) == (2 if expected[0] == NONE else 1)  # one answer is final
            assert shoe.flow.state == DRAWING and lights(shoe) == (0, 0)
            shoe.close()


def test_with_an_ace_up_the_reader_stays_locked_until_insurance_is_closed():
    """Proves: DAB-11b, DAB-7i (in part)"""
    shoe = hole_card_dealt()
    assert shoe.record("insurance_closed") == REFUSED  # no ace is up yet
    assert shoe.record("up_card", ACE) == DONE
    assert lights(shoe) == (0, 0)
    shoe.peek(KING)
    assert answers(shoe) == [(NONE, "DAB-11b")]
    act(shoe.stage, 1000, "peek", rank=KING)
    assert shoe.record("insurance_closed") == DONE  # with the card inside: it has to come out first
    shoe.stage.run(2000)
    assert [answer for answer, _clause in answers(shoe)] == [NONE, NONE] and lights(shoe) == (0, 0)
    act(shoe.stage, 500, "peek_end")
    assert lights(shoe) == (0, 1)
    shoe.peek(KING)
    assert answers(shoe)[-1] == (YES, "DAB-7i")
    assert shoe.record("insurance_closed") == REFUSED  # once a round
    court = hole_card_dealt()
    assert court.record("up_card", KING) == DONE
    assert court.record("insurance_closed") == REFUSED
    court.peek(5)  # needs none
    assert answers(court) == [(NO, "DAB-7i")]
    early = Shoe(reader=True).load().draw().boxes(2).draw(5)
    assert early.record("up_card", KING) == DONE
    early.peek(ACE)  # a card of the deal: the hole card comes after it
    assert answers(early) == [(NONE, "DAB-7i")] and lights(early) == (0, 0)
    early.draw().peek(ACE)
    assert answers(early)[-1] == (YES, "DAB-7i")


def test_the_answer_comes_before_any_further_card_and_a_card_before_it_is_flagged():
    """Proves: DAB-7i (in part)"""
    shoe = hole_card_dealt(locked=True)
    assert shoe.flow.need == ids.NEED_UP_CARD and shoe.display[0] == "Hole card"
    assert shoe.count("held_back") == 0  # it is shown, and was not asked for
    shoe.draw()  # a hit before the reader was asked
    assert shoe.told("draw_flagged") == [(7, "DAB-7i")]
    assert shoe.record("up_card", KING) == DONE
    shoe.draw()
    assert shoe.told("draw_flagged") == [(7, "DAB-7i"), (8, "DAB-7i")]
    shoe.peek(7)
    assert answers(shoe) == [(NO, "DAB-7i")] and shoe.flow.need == 0
    assert shoe.display[0] == "No blackjack"
    shoe.draw(3).green()
    assert shoe.count("draw_flagged") == 2 and shoe.flow.state == DRAW_READY
    free = hole_card_dealt()
    assert free.record("up_card", 6) == DONE
    assert free.flow.need == 0
    free.draw(3).green()
    assert free.told("draw_flagged") == []  # nothing to ask; and with a hole card there is nothing to call
    free.close()


def test_after_a_blackjack_no_more_cards_come():
    """Proves: DAB-7i"""
    shoe = hole_card_dealt()
    assert shoe.record("up_card", 12) == DONE
    shoe.peek(ACE)
    assert answers(shoe) == [(YES, "DAB-7i")]
    assert shoe.display[:2] == ["Blackjack", "No more cards"]
    shoe.draw()
    assert shoe.told("draw_flagged") == [(7, "DAB-7i")]
    shoe.green()
    assert shoe.flow.state == DRAW_READY
    shoe.draw()
    assert shoe.flow.play.reader.answer == NONE  # another round, another question
    shoe.close()


def watched(shoe):
    """Every byte the device sends with its instant, every change of display and outputs with its own."""
    seen = []
    rig = shoe.stage.rig
    deliver = rig.deliver
    drive = rig.hal.drive
    show = rig.hal.show

    def sent():
        seen.append((rig.plant.now_us, bytes(rig.hal.sent)))
        deliver()

    def driven(level, watch_slot):
        seen.append((rig.plant.now_us, bytes(level)))
        drive(level, watch_slot)

    def shown(lines):
        seen.append((rig.plant.now_us, tuple(lines)))
        show(lines)

    rig.deliver = sent
    rig.hal.drive = driven
    rig.hal.show = shown
    return seen


def what_is_seen(hole, up_card, insured, seed=7):
    shoe = hole_card_dealt(seed=seed)
    seen = watched(shoe)
    if up_card:
        assert shoe.record("up_card", up_card) == DONE
    if insured:
        assert shoe.record("insurance_closed") == DONE
    shoe.peek(hole)
    shoe.peek(hole, 5000)
    shoe.draw(3).green()
    shoe.stage.run(3000)
    shoe.close()
    return seen


def test_without_a_question_that_may_be_asked_nothing_depends_on_the_hole_card():
    """No byte, no instant, no lamp and no line of the display.

    Proves: DAB-15m, DAB-7b (in part)"""
    for up_card, insured in ((7, False), (2, False), (9, False), (ACE, False), (0, False)):
        first = what_is_seen(1, up_card, insured)
        assert len(first) > 10
        for hole in (2, 7, 10, 11, 13):
            assert what_is_seen(hole, up_card, insured) == first, (up_card, hole)


def test_where_it_may_be_asked_all_cards_with_the_same_answer_look_the_same():
    """Proves: DAB-7b, DAB-7i"""
    for up_card, insured in ((KING, False), (ACE, True)):
        by_answer = {}
        for hole in (1, 2, 6, 9, 11, 12, 13):
            match = hole == ACE if up_card == KING else hole in COURT
            seen = what_is_seen(hole, up_card, insured)
            assert by_answer.setdefault(match, seen) == seen, (up_card, hole)
        # And the two answers come at the same instant.
        yes, no = by_answer[True], by_answer[False]
        differs = [i for i in range(min(len(yes), len(no))) if yes[i] != no[i]]
        assert yes[differs[0]][0] == no[differs[0]][0]


def test_a_reader_that_answers_about_no_card_is_switched_off_and_play_goes_on_with_the_call():
    """Proves: DAB-15n"""
    shoe = hole_card_dealt(locked=True)
    act(shoe.stage, 1000, "fault", fault="beam_stuck", line="hole_match", level=1)
    assert answers(shoe) == [(ids.ANSWER_FAULT, "DAB-15n")]
    assert shoe.last() == (ids.REC_READER_OFF, 0, 0, ids.PLAY_ON, "DAB-15n")
    assert shoe.display[0] == "Reader is off"
    shoe.stage.act("repair", {})
    assert shoe.record("up_card", KING) == DONE
    shoe.peek(ACE)
    assert len(answers(shoe)) == 1 and lights(shoe) == (0, 0)  # not asked any more
    shoe.draw(2).green()
    assert shoe.told("draw_flagged") == []  # the hole card was dealt: nothing to call, nothing to ask
    shoe.boxes(BOXES).draw(1 + 2 * BOXES + 1).green()
    assert shoe.told("draw_flagged") == [(6, "DAB-7g")]  # from the next round on Dealer's Card is called again
    shoe.close()


def test_a_reader_stays_off_over_power_until_the_service_role_brings_it_back():
    """Proves: DAB-15n"""
    shoe = hole_card_dealt(role=ids.ROLE_SERVICE)
    assert shoe.record("reader_off") == DONE  # by a person who saw that it does not answer
    assert shoe.display[0] == "Reader is off"
    shoe.green()
    assert shoe.record("reshuffle", 2) == DONE
    shoe.lift()
    shoe.play(("", 500, "cut", 0), ("", 500, "boot", 0), ("empty_proved", 1000, "wait", 0))
    assert shoe.flow.facts.row[READER_OFF] == 1
    shoe.load().boxes(BOXES).draw(7)
    assert shoe.record("up_card", KING) == DONE
    shoe.peek(ACE)
    assert answers(shoe) == []
    shoe.green()
    assert shoe.record("reader_off", 1) == DONE
    shoe.boxes(BOXES).draw(6)
    assert shoe.record("up_card", KING) == DONE
    shoe.peek(ACE)
    assert answers(shoe) == [(YES, "DAB-7i")]
    table = hole_card_dealt()
    assert table.record("reader_off", 1) == REFUSED and table.reason() == ids.REASON_ROLE


def test_a_reader_that_sees_a_card_before_one_was_dealt_is_switched_off():
    """Proves: DAB-15n"""
    shoe = Shoe(cards=40, reader=True).load().draw()
    act(shoe.stage, 500, "fault", fault="beam_stuck", line="hole_card", level=1)
    shoe.boxes(BOXES).draw()
    assert answers(shoe) == [(ids.ANSWER_FAULT, "DAB-15n")]
    assert shoe.flow.state == DRAWING
    shoe.close()


def test_the_up_card_may_be_put_right_until_the_reader_has_answered():
    """Proves: DAB-15m"""
    shoe = Shoe(cards=40, reader=True).load()
    assert shoe.record("up_card", KING) == REFUSED  # no card is out
    shoe.boxes(BOXES).draw(7)
    assert shoe.record("up_card", 0) == REFUSED and shoe.record("up_card", 14) == REFUSED
    assert shoe.record("up_card", 8) == DONE
    shoe.peek(ACE)
    assert answers(shoe) == [(NONE, "DAB-15m")] and shoe.display[0] == "Reader gives no"
    assert shoe.record("up_card", KING) == DONE  # a slip of the hand
    shoe.peek(ACE)
    assert answers(shoe)[-1] == (YES, "DAB-7i")
    assert shoe.record("up_card", 8) == REFUSED
    shoe.close()


def test_an_immediate_surrender_needs_no_blackjack_of_this_round():
    """Proves: DAB-8a3"""
    shoe = hole_card_dealt()
    assert shoe.record("surrender", 1) == REFUSED and shoe.reason() == ids.REASON_STATE
    assert shoe.record("up_card", KING) == DONE
    assert shoe.record("surrender", 1) == REFUSED
    shoe.peek(9)
    assert shoe.noted("surrender", 1) == (ids.REC_SURRENDER, 1, 0, 0, "DAB-8a3")
    shoe.green().boxes(BOXES).draw(6)
    assert shoe.record("up_card", ACE) == DONE
    assert shoe.record("surrender", 1) == REFUSED  # the answer of the last round does not count
    assert shoe.record("insurance_closed") == DONE
    shoe.peek(KING)
    assert shoe.record("surrender", 1) == REFUSED  # blackjack
    shoe.green().boxes(BOXES).draw(6)
    assert shoe.record("up_card", 5) == DONE
    assert shoe.record("surrender", 2) == DONE  # no blackjack is possible
    shoe.close()


def test_a_table_without_a_reader_has_none_to_ask():
    shoe = Shoe(cards=40).load().boxes(BOXES).draw(7)
    assert shoe.record("up_card", KING) == DONE
    act(shoe.stage, 2000, "peek", rank=ACE)
    assert answers(shoe) == [] and shoe.flow.need == 0
    shoe.close()
