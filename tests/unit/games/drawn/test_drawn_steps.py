"""Single steps of a shoe that is drawn by hand, each tried where a story seldom stops."""

from test_game_steps import BLACKJACK, drawing, inputs, messages
from test_record_windows import flow_in, objection, posted

from firmware.deck.ledger import DEALT as ON_THE_TABLE
from firmware.fault import FAULT_MISMATCH
from firmware.games import flow as states
from firmware.games import profile, table_facts
from firmware.games.drawn.hole_card import ACE, JACK, reader_scan, reader_used
from firmware.games.drawn.pages import draw_page
from firmware.games.drawn.steps import _start_plan, step_drawing
from firmware.games.procedure import procedure_scan
from firmware.games.profile import TAIL_LOCKOUT, TAIL_SETTLING
from firmware.image import IN_HOLE_CARD, IN_HOLE_MATCH, OUT_READ_ACE, OUT_READ_COURT, Outputs
from firmware.machines.panel import PRESS_GREEN, PRESS_LOCK
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS

NONE, STATE = ids.REASON_NONE, ids.REASON_STATE


def test_a_card_face_up_between_rounds_of_a_shoe_is_on_record_at_once():
    flow = flow_in(states.DRAW_READY, BLACKJACK, "draw")
    for found, state in ((1, states.DRAW_READY), (2, states.DECK_SPENT)):
        flow.outbox.count, flow.machine.face_ups = 0, found
        procedure_scan(flow, inputs(), Outputs(), 0)
        assert messages(flow) == [ids.EV_CARDS_ODD] and flow.state == state


def first_lines(flow):
    return draw_page(flow, flow.play)[:2]


def test_the_display_follows_a_shoe_that_is_too_short():
    flow = drawing(2, 5)
    flow.play.rack = 17
    flow.play.refill = 1
    assert first_lines(flow) == ("Too few cards", "Shuffle and cut the")
    assert objection(flow, "cut", 8, 1) == NONE
    for refill in (2, 3):
        flow.play.refill = refill
        assert objection(flow, "cut", 8, 1) == STATE
        assert draw_page(flow, flow.play) == ("Too few cards", "Insert the rack:", "17 cards, then", "press GREEN")


def test_the_display_offers_dealers_card_once_the_deal_is_out():
    for positions, draws, call in ((0, 2, False), (0, 3, True), (2, 4, False), (2, 5, True)):
        flow = drawing(positions, draws)
        assert (first_lines(flow)[1] == "LOCK: Dealer's Card") == call, (positions, draws)
    flow.play.no_call = True
    assert first_lines(flow)[0] == "Deal the cards"
    flow.profile.clauses[profile.RULE_DEALER_CARD] = profile.CLAUSE_NONE
    flow.play.no_call = False
    assert first_lines(flow)[0] == "Deal the cards"
    reader = flow.play.reader
    reader.fitted = True
    for broken, off in ((True, 0), (False, 1)):
        reader.broken, flow.facts.row[table_facts.READER_OFF] = broken, off
        assert first_lines(flow)[0] == "Reader is off"


def test_the_reader_is_of_a_game_that_has_one_and_its_answer_is_the_need_in_a_round():
    for game, used in ((BLACKJACK, True), ("double-down-stud", False)):
        flow = flow_in(states.DRAWING, game, "draw")
        flow.play.reader.fitted = True
        assert reader_used(flow, flow.play.reader) == used
    for state, need in ((states.DRAWING, ids.NEED_UP_CARD), (states.DRAW_READY, ids.NEED_NONE)):
        flow = drawing(2, 6)
        flow.state, flow.play.no_call = state, True
        flow.play.reader.fitted, flow.play.reader.up_card = True, ACE
        assert flow.play.need_next(flow) == need


def test_what_is_told_of_dealer_and_reader_needs_a_card_on_the_table():
    for record, a, least in (("dealer_card", 0, 7), ("up_card", 5, 1)):
        for draws, refill, reason in ((least - 1, 0, STATE), (least, 0, NONE), (least, 1, STATE), (0, 1, STATE)):
            flow = drawing(3, draws)
            flow.play.refill = refill
            assert objection(flow, record, a) == reason, (record, draws, refill)
    flow = drawing(3, 7)
    for up_card, reason in ((0, STATE), (1, NONE), (2, STATE)):
        flow.play.reader.up_card = up_card
        assert objection(flow, "insurance_closed") == reason
    for up_card, answer, reason in ((1, 0, STATE), (2, 0, NONE), (10, 0, NONE), (11, 0, STATE)):
        flow.play.reader.up_card = up_card
        flow.play.reader.answer = answer
        assert objection(flow, "surrender", 1) == reason, up_card
    flow.play.reader.answer = ids.ANSWER_NO
    assert objection(flow, "surrender", 1) == NONE and objection(flow, "up_card", 5) == STATE


def test_records_change_what_the_shoe_expects():
    flow = drawing(3, 7)
    play = flow.play
    for a, broken in ((0, True), (1, False)):
        play.recorded(flow, ids.REC_READER_OFF, a, 0, 0)
        assert play.reader.broken == broken
    play.recorded(flow, ids.REC_UP_CARD, ACE, 0, 0)
    assert (play.reader.up_card, play.reader.insured) == (ACE, False)
    assert not play.uninsured(flow)  # 7 cards are the deal
    play.draws = 8
    assert play.uninsured(flow)
    flow.positions = 0
    assert not play.uninsured(flow)  # how many cards the deal has is not known
    flow.positions, play.missed = 1, 2
    assert play.uninsured(flow)  # the dealer's card alone is a deal
    flow.positions, play.missed = 0, 0
    play.recorded(flow, ids.REC_INSURANCE_CLOSED, 0, 0, 0)
    assert play.reader.insured
    play.recorded(flow, ids.REC_APPROVAL, 0, 2, 0)
    assert play.approved == 2
    play.recorded(flow, ids.REC_CARD_TO, 2, 8, 0)
    assert play.box == 2
    for b, missed in ((0, 2), (1, 3), (2, 3)):
        play.recorded(flow, ids.REC_BOX_MISSED, 1, b, 0)
        assert play.missed == missed
    play.recorded(flow, ids.REC_DEALER_CARD, 0, 0, 0)
    assert play.called
    for burn, after in ((0, 2), (1, 3), (2, 2)):  # besides the first card of the shoe
        play.burn = burn
        play.recorded(flow, ids.REC_DEALER_CHANGE, 0, 0, 0)
        assert play.burn == after
    play.recorded(flow, ids.REC_FACE_UP, 2, 0, 0)
    assert (play.face_ups, flow.machine.face_ups) == (2, 2)
    play.recorded(flow, ids.REC_SHORT_SHOE, 9, 0, 0)
    assert (play.refill, play.rack) == (1, 9)
    play.recorded(flow, ids.REC_CUT, 4, 1, 0)
    assert play.refill == 2
    for what, recut in ((ids.REC_RESHUFFLE, False), (ids.REC_CUT, True)):
        flow = flow_in(states.DRAW_READY, BLACKJACK, "draw")
        flow.play.recorded(flow, what, 0, 0, 0)
        assert (flow.state, flow.play.recut) == (states.DECK_SPENT, recut)


def test_the_plan_says_whose_card_is_next():
    flow = drawing(2)
    found = []
    for draws in range(7):
        flow.play.draws = draws
        found.append(flow.play.seat(flow))
    assert found == [0, 1, 2, 1, 2, 255, 255]
    flow.play.called = True
    assert flow.play.seat(flow) == 0
    flow.play.box = 2
    assert flow.play.seat(flow) == 2
    assert flow.play.deal(flow) == 5
    flow.play.missed = 1
    assert flow.play.deal(flow) == 4


def test_the_reader_answers_after_300_ms_and_is_lit_only_for_what_may_be_asked():
    for up_card, insured, ace, court in ((ACE, True, 0, 1), (ACE, False, 0, 0), (JACK, False, 1, 0), (10, True, 0, 0)):
        flow = drawing(2, 6)
        reader = flow.play.reader
        reader.fitted = True
        reader.up_card, reader.insured = up_card, insured
        inp, out = inputs(), Outputs()
        assert reader_scan(flow, inp, out, 0) == FOREVER_MS
        assert (out.level[OUT_READ_ACE], out.level[OUT_READ_COURT]) == (ace, court), up_card
        inp.level[IN_HOLE_CARD] = 1
        assert reader_scan(flow, inp, out, 100) == 300
        inp.level[IN_HOLE_MATCH] = ace | court
        assert reader_scan(flow, inp, out, 399) == 1 and messages(flow) == []
        assert reader_scan(flow, inp, out, 400) == 0
        answer = ids.ANSWER_BLACKJACK if ace | court else ids.ANSWER_NONE
        assert posted(flow)[0][:2] == (ids.EV_HOLE_CARD_READ, [answer, 0, 0, 0, 0, 0, 0])
        assert reader.refused == (answer == ids.ANSWER_NONE)
        assert reader_scan(flow, inp, out, 800) == FOREVER_MS and flow.outbox.count == 1
    flow = drawing(2, 6)
    flow.play.reader.fitted = True
    inp = inputs()
    inp.level[IN_HOLE_MATCH] = 1  # an answer about no card
    reader_scan(flow, inp, Outputs(), 0)
    reader_scan(flow, inp, Outputs(), 300)
    assert flow.play.reader.broken and messages(flow) == [ids.EV_RECORDED, ids.EV_HOLE_CARD_READ]


def test_a_plan_without_positions_knows_neither_players_nor_cards():
    flow = flow_in(states.DRAW_READY, "caribbean-stud", "draw")
    _start_plan(flow, 0)
    told = flow.settled
    assert (told.deck, told.stacks, told.dealt, told.rest) == (1, 0, ids.UNKNOWN_U16, 0)
    assert flow.state == states.DRAWING and flow.tail == TAIL_LOCKOUT
    flow = flow_in(states.DRAW_READY, "caribbean-stud", "draw")
    flow.positions = 3
    _start_plan(flow, 0)
    assert (flow.settled.stacks, flow.settled.dealt, flow.settled.rest) == (4, 20, 32)


def test_a_plan_is_followed_when_the_throat_is_clear_and_all_is_on_record():
    for busy, waiting, pressed in ((True, 0, 1), (False, 1, 1), (False, 0, 0), (False, 0, 1)):
        flow = flow_in(states.DRAW_READY, "caribbean-stud", "draw")
        flow.positions = 3
        _start_plan(flow, 0)
        flow.outbox.count = waiting
        flow.play.changed = False
        flow.machine.busy = bool(busy)
        flow.ledger.begin(52)
        flow.panel.pressed[PRESS_LOCK] = pressed
        before = flow.outbox.count
        step_drawing(flow, inputs(), Outputs(), 0)
        goes = pressed and not busy and not waiting
        assert (flow.outbox.count > before) == bool(goes), (busy, waiting, pressed)
    assert flow.tail == TAIL_SETTLING
    flow.ledger.total = 53
    step_drawing(flow, inputs(), Outputs(), 0)
    assert (flow.state, flow.warning) == (states.WARNING, FAULT_MISMATCH)  # a card more than the deck has


def test_a_shoe_that_is_too_short_asks_for_the_cut_when_green_is_pressed_and_not_before():
    for pressed in (0, 1):
        flow = drawing(2, 5)
        flow.play.refill = 1
        flow.panel.pressed[PRESS_GREEN] = pressed
        step_drawing(flow, inputs(), Outputs(), 0)
        assert (ids.EV_HELD_BACK in messages(flow)) == bool(pressed)


def test_a_cut_card_is_told_when_there_is_room_for_it():
    flow = drawing(2, 5)
    flow.machine.cut_seen = True
    roomy = flow.outbox.roomy
    flow.outbox.roomy = lambda: False
    step_drawing(flow, inputs(), Outputs(), 0)
    assert not flow.play.cut_reported and messages(flow) == []
    flow.outbox.roomy = roomy
    step_drawing(flow, inputs(), Outputs(), 0)
    assert flow.play.cut_reported and messages(flow) == [ids.EV_CUT_REACHED]


def test_a_card_belongs_to_the_box_that_was_named_for_it_and_the_next_one_to_none():
    flow = drawing(2, 6)
    flow.play.box = 2
    flow.machine.zone = ON_THE_TABLE
    flow.machine.count = flow.play.counted + 1
    step_drawing(flow, inputs(), Outputs(), 0)
    assert (flow.play.box_before, flow.play.box) == (2, ids.UNKNOWN_U8)


def test_a_rack_is_counted_only_while_the_shoe_waits_for_its_deck():
    for state, reason in (
        (states.WAITING_FOR_DECK, NONE),
        (states.DRAW_READY, STATE),
        (states.DRAWING, STATE),
        (states.DECK_SPENT, STATE),
    ):
        flow = flow_in(state, BLACKJACK, "draw")
        flow.facts.row[table_facts.RACK] = 1
        assert flow.play.objection(flow, ids.REC_STUB_COUNTED, 1, 0) == reason, state


def test_the_rest_of_a_deck_played_once_belongs_to_no_round():
    flow = flow_in(states.DRAW_READY, "caribbean-stud", "draw")
    flow.positions = 3
    _start_plan(flow, 0)
    flow.settle(TAIL_SETTLING, 1, 4, 20, 32)
    flow.facts.row[table_facts.REST] = 32
    flow.ledger.zone[ON_THE_TABLE] = 20
    flow.outbox.count = 0
    flow.panel.pressed[PRESS_GREEN] = 1
    step_drawing(flow, inputs(), Outputs(), 0)
    assert (flow.state, flow.outbox.round) == (states.DECK_SPENT, 0) and messages(flow) == [ids.EV_ROUND_ENDED]
