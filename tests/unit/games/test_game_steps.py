"""Single steps of the procedure, each tried where a story seldom stops: two presses at once, a wait to its last
millisecond, what is posted and what is not."""

from test_record_windows import flow_in, posted, settled

from firmware.deck.ledger import DEALT as ON_THE_TABLE
from firmware.deck.ledger import DISCARDED, HOPPER, STORE, TRAY
from firmware.fault import (
    FAULT_CARDS_INSIDE,
    FAULT_ENTROPY,
    FAULT_JAM_EXIT,
    FAULT_JOURNAL,
    FAULT_MISMATCH,
    FAULT_NONE,
    FAULT_POWER,
)
from firmware.games import flow as states
from firmware.games import profile, table_facts
from firmware.games.deck_steps import PHASE_RUNNING
from firmware.games.drawn.steps import step_drawing
from firmware.games.procedure import procedure_resume, procedure_scan
from firmware.games.profile import TAIL_HANDED, TAIL_HOUSE, TAIL_LOCKOUT, TAIL_SETTLING
from firmware.games.round_steps import _open_ended
from firmware.games.settling import tail_resume, tail_scan
from firmware.image import (
    IN_DOOR,
    IN_EXIT,
    IN_HOPPER,
    Inputs,
    Outputs,
)
from firmware.machines.machine import JOB_DONE
from firmware.machines.panel import PRESS_CLOSE, PRESS_END, PRESS_GREEN, PRESS_LOCK
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS
from rig.games import RULES

BLACKJACK = "double-attack-blackjack"


def inputs():
    inp = Inputs()
    inp.stale = False
    return inp


def messages(flow):
    return [event[0] for event in posted(flow)]


def drawing(positions=0, draws=0):
    flow = flow_in(states.DRAWING, BLACKJACK, "draw", round_open=True)
    flow.positions = positions
    flow.play.burn = 0
    flow.play.draws = draws
    return flow


def test_rules_have_the_numbers_that_game_files_are_made_with():
    for i in range(len(RULES)):
        name = "RULE_" + RULES[i].upper()
        assert name in dir(profile) and getattr(profile, name) == i, name


def test_nothing_moves_before_the_boot_is_on_record():
    for waiting, room, now_ms, state in (
        (0, 9, 0, states.PROVING_EMPTY),
        (1, 9, 9999, states.STARTING),  # a full journal waits for its host
        (1, -1, 1999, states.STARTING),
        (1, -1, 2000, states.WARNING),
    ):
        flow = flow_in(states.STARTING)
        flow.outbox.count, flow.room = waiting, room
        procedure_scan(flow, inputs(), Outputs(), now_ms)
        assert flow.state == state, (waiting, room, now_ms)


def test_a_machine_in_which_a_card_is_found_is_not_proved_empty():
    for second, line, warning, then in (
        (0, IN_DOOR, 0, 0),
        (0, IN_DOOR, FAULT_JOURNAL, 0),
        (0, IN_HOPPER, 0, 0),  # a deck that waits
        (1, IN_DOOR, 0, FAULT_CARDS_INSIDE),
        (1, IN_DOOR, FAULT_JOURNAL, FAULT_JOURNAL),
        (0, IN_EXIT, 0, FAULT_CARDS_INSIDE),
        (0, IN_HOPPER, FAULT_JOURNAL, FAULT_JOURNAL),
    ):
        flow = flow_in(states.PROVING_EMPTY)
        flow.set_phase(PHASE_RUNNING)
        flow.machine.state, flow.machine.second, flow.warning = JOB_DONE, second, warning
        flow.ledger.total = flow.ledger.zone[STORE] = 3  # of the deck that was inside
        inp = inputs()
        inp.level[line] = line != IN_DOOR
        procedure_scan(flow, inp, Outputs(), 0)
        assert (flow.state, flow.warning) == (states.WARNING if then else states.WAITING_FOR_DECK, then)
        assert flow.ledger.inside() == (3 if then else 0)


def test_a_shuffle_ends_with_its_order_and_counts_what_a_byte_can_hold():
    for misfeeds, stalls in ((3, 2), (300, 2), (3, 300)):
        flow = flow_in(states.SHUFFLING)
        flow.set_order(states.ORDER_READY)
        flow.ledger.total = flow.ledger.zone[STORE] = flow.machine.second = 52
        flow.machine.state = JOB_DONE
        feed = flow.machine.feed
        feed.misfeeds, feed.stalls = misfeeds, stalls
        left_ms = procedure_scan(flow, inputs(), Outputs(), 0)
        assert (flow.state, flow.order_state) == (states.SHUFFLING, states.ORDER_NONE)
        spec = flow.spec  # each of them makes the result late by the most that it can cost
        late_ms = misfeeds * spec.misfeed_ms + stalls * spec.stall_ms * spec.jog_max
        assert left_ms == flow.machine.report_ms(52) + late_ms
        procedure_scan(flow, inputs(), Outputs(), left_ms)
        assert flow.state == states.DECK_READY
        assert posted(flow)[0][1][:4] == [52, 52, min(misfeeds, 255), min(stalls, 255)]
    flow = flow_in(states.SHUFFLING)
    flow.ledger.total = flow.ledger.zone[STORE] = flow.machine.second = 53
    flow.machine.state = JOB_DONE
    assert procedure_scan(flow, inputs(), Outputs(), procedure_scan(flow, inputs(), Outputs(), 0)) == 0
    assert (flow.state, flow.warning) == (states.WARNING, FAULT_MISMATCH)  # though both counts agree


def test_a_deal_goes_on_as_far_as_cards_and_positions_go_and_green_ends_one_without_positions():
    for positions, cards, state in (
        (0, 30, states.RELEASING),
        (3, 30, states.DISPENSING),
        (3, 5, states.DISPENSING),
        (3, 4, states.WAITING_FOR_GREEN),
    ):
        flow = flow_in(states.STACK_OFFERED, round_open=True)
        flow.ledger.zone[STORE], flow.ledger.zone[TRAY], flow.stack = cards, 5, 1
        flow.positions, flow.tray.empty = positions, True
        flow.panel.pressed[PRESS_GREEN] = 1
        procedure_scan(flow, inputs(), Outputs(), 0)
        assert flow.state == state, (positions, cards)


def test_a_card_face_up_in_a_stack_goes_to_the_rack_with_it_and_is_on_record():
    flow = flow_in(states.DISPENSING, kind="shoe", round_open=True)
    flow.set_phase(PHASE_RUNNING)
    flow.machine.state, flow.machine.count, flow.machine.feed.face_ups = JOB_DONE, 6, 1
    flow.asked = flow.wanted = 5
    flow.ledger.zone[TRAY] = 6
    procedure_scan(flow, inputs(), Outputs(), 0)
    assert flow.state == states.STACK_OFFERED and messages(flow) == [ids.EV_STACK_OFFERED, ids.EV_CARDS_ODD]
    flow.tray.empty = True
    procedure_scan(flow, inputs(), Outputs(), 0)
    assert (flow.ledger.zone[DISCARDED], flow.ledger.zone[ON_THE_TABLE]) == (1, 5)
    void = flow_in(states.WAITING_FOR_GREEN)
    void.ledger.zone[TRAY], void.tray.empty = 5, True  # the stack that lay there when the round became void
    procedure_scan(void, inputs(), Outputs(), 0)
    assert messages(void) == [ids.EV_STACK_TAKEN] and void.ledger.zone[ON_THE_TABLE] == 5


def test_an_opened_door_stops_a_machine_with_cards_of_a_round_in_the_same_scan():
    for state, cards, stops in (
        (states.DECK_READY, 52, True),
        (states.WAITING_FOR_DECK, 0, False),
        (states.WAITING_FOR_ROUND_END, 0, False),
        (states.WAITING_FOR_ROUND_END, 1, True),
    ):
        flow = flow_in(state)
        flow.ledger.zone[STORE] = cards
        inp = inputs()
        inp.level[IN_DOOR] = 1
        procedure_scan(flow, inp, Outputs(), 0)
        assert (flow.state == states.WARNING) == stops, (state, cards)


def test_a_round_that_power_cut_short_is_void_by_the_warning_that_stopped_it_before():
    for warning, fault in ((0, FAULT_POWER), (FAULT_JAM_EXIT, FAULT_JAM_EXIT)):
        flow = flow_in(states.STARTING)
        flow.facts.row[table_facts.OPEN] = 1
        procedure_resume(flow, Outputs(), 0, True, warning, FAULT_POWER, 0)
        assert [event[1][0] for event in posted(flow) if event[0] == ids.EV_ROUND_VOIDED] == [fault]


def test_a_deck_that_is_taken_in_announces_when_its_result_comes():
    flow = flow_in(states.WAITING_FOR_DECK)
    flow.room = 99
    flow.panel.pressed[PRESS_GREEN] = 1
    inp = inputs()
    inp.level[IN_HOPPER] = 1
    procedure_scan(flow, inp, Outputs(), 0)
    assert flow.state == states.PREPARING and flow.report_ms == flow.machine.report_ms(52)
    assert posted(flow)[0][1][:2] == [52, flow.report_ms // 100]
    flow.outbox.count = 0
    for order_state, state in (
        (states.ORDER_OFFERED, states.PREPARING),
        (states.ORDER_WANTED, states.PREPARING),
        (states.ORDER_FAILED, states.WARNING),
    ):
        flow.set_order(order_state)
        procedure_scan(flow, inp, Outputs(), 0)
        assert flow.state == state
    assert flow.warning == FAULT_ENTROPY


def test_storage_has_two_seconds_and_a_nonce_too():
    flow = flow_in(states.PREPARING)
    out = Outputs()
    flow.entered_ms = 100
    assert states.flow_await_commit(flow, out, 2099) == 1 and flow.state == states.PREPARING
    flow.order_state = states.ORDER_OFFERED
    assert states.flow_await_commit(flow, out, 2100) == 0
    assert (flow.state, flow.order_state, flow.entered_ms) == (states.PREPARING, states.ORDER_WANTED, 2100)
    flow.order[3] = 9
    states.flow_await_commit(flow, out, 4100)
    assert (flow.state, flow.warning) == (states.WARNING, FAULT_JOURNAL)
    assert not any(flow.order)  # of a shuffle that does not come nothing is kept


def test_an_empty_machine_waits_for_the_end_of_the_round_only_on_a_table_with_one_deck():
    for decks, tail, state in (
        (1, TAIL_SETTLING, states.WAITING_FOR_ROUND_END),
        (1, TAIL_LOCKOUT, states.WAITING_FOR_ROUND_END),
        (1, TAIL_HANDED, states.WAITING_FOR_DECK),
        (1, 0, states.WAITING_FOR_DECK),
        (2, TAIL_SETTLING, states.WAITING_FOR_DECK),
    ):
        flow = settled("caribbean-stud", tail, states.REMAINDER_OFFERED, decks=decks)
        states.flow_idle(flow, 0)
        assert flow.state == state, (decks, tail)


def test_a_remainder_is_taken_when_the_tray_is_empty_and_not_before():
    flow = flow_in(states.REMAINDER_OFFERED, round_open=True)
    flow.ledger.zone[TRAY] = 32
    flow.tray.empty = False
    assert procedure_scan(flow, inputs(), Outputs(), 0) == FOREVER_MS
    assert flow.state == states.REMAINDER_OFFERED and messages(flow) == []
    flow.tray.empty = True
    procedure_scan(flow, inputs(), Outputs(), 0)
    assert (flow.state, flow.round_open) == (states.WAITING_FOR_ROUND_END, False) and posted(flow)[0][1][0] == 32


def test_a_round_ends_by_green_by_a_command_and_by_both_at_once():
    for green, end in ((1, 0), (0, 1), (1, 1), (2, 1)):
        flow = settled("caribbean-stud")
        flow.panel.pressed[PRESS_GREEN], flow.panel.pressed[PRESS_END] = green, end
        assert tail_scan(flow, Outputs(), True, 0)
        assert messages(flow) == [ids.EV_ROUND_ENDED] and flow.tail == 0
        flow = drawing(3, 9)
        flow.panel.pressed[PRESS_GREEN], flow.panel.pressed[PRESS_END] = green, end
        step_drawing(flow, inputs(), Outputs(), 0)
        assert ids.EV_ROUND_ENDED in messages(flow)
        flow = drawing(3, 9)
        flow.machine.busy = True  # with a card in the throat a press does not count
        flow.panel.pressed[PRESS_GREEN], flow.panel.pressed[PRESS_END] = green, end
        step_drawing(flow, inputs(), Outputs(), 0)
        assert ids.EV_ROUND_ENDED not in messages(flow) and flow.panel.pressed[PRESS_GREEN] == 0


def test_a_need_that_a_person_meets_is_shown_once_it_was_asked_for_and_a_count_at_once():
    idle, decisions = states.WAITING_FOR_DECK, ids.NEED_DECISIONS
    for game, tail, state, decks, dealing, button, need in (
        ("boston-5-stud", TAIL_SETTLING, states.WAITING_FOR_ROUND_END, 1, "shoe", PRESS_END, decisions),
        ("boston-5-stud", TAIL_SETTLING, idle, 2, "shoe", PRESS_END, decisions),
        ("caribbean-stud", TAIL_LOCKOUT, idle, 2, "hand", PRESS_LOCK, ids.NEED_PROGRESSIVE),
    ):
        flow = settled(game, tail, state, records=True, decks=decks, dealing=dealing)
        for deck in range(2):
            flow.facts.row[table_facts.DECK_FIRST + table_facts.DECK_CELLS * deck] = 0b11110  # INDUCTED
        for pressed in (0, 1, 0):
            shown = need if pressed or flow.need else ids.NEED_NONE
            flow.panel.pressed[button] = flow.panel.pressed[PRESS_LOCK] = (
                pressed  # before the final deal LOCK is nothing
            )
            procedure_scan(flow, inputs(), Outputs(), 0)
            assert flow.need == shown, (game, state, pressed)
        if need == decisions:
            flow.facts.row[table_facts.FINAL] = flow.facts.row[table_facts.DUE] = 1
            flow.set_need(ids.NEED_NONE, profile.RULE_NONE)
            procedure_scan(flow, inputs(), Outputs(), 0)
            assert flow.need == ids.NEED_COUNT, state


def test_what_the_house_decides_at_the_panel_leaves_nothing_to_ask_for():
    for button, over in ((PRESS_LOCK, False), (PRESS_CLOSE, True)):
        flow = settled("double-down-stud", TAIL_HOUSE)
        flow.panel.pressed[button] = 1
        assert tail_scan(flow, Outputs(), True, 0) == over
        assert flow.need == ids.NEED_NONE and (flow.tail == 0) == over


def test_the_end_says_what_was_counted_and_only_if_it_was():
    for counted in (0, 1):
        flow = settled("caribbean-stud")
        flow.facts.row[table_facts.COUNTED] = counted
        flow.facts.row[22] = 31  # STUB
        flow.panel.pressed[PRESS_END] = 1
        tail_scan(flow, Outputs(), True, 0)
        assert posted(flow)[0][1][:5] == [4, 20, 32, 32, 31 if counted else ids.UNKNOWN_U16]
    flow = settled("caribbean-stud", stacks=0)
    flow.panel.pressed[PRESS_END] = 1
    tail_scan(flow, Outputs(), True, 0)
    assert posted(flow)[0][1][:3] == [ids.UNKNOWN_U8, ids.UNKNOWN_U16, ids.UNKNOWN_U16]


def test_a_round_that_is_settled_goes_on_after_a_boot():
    for stacks, rest, dealt, left in ((4, 32, 20, 32), (0, 32, 20, 0), (0, 255, ids.UNKNOWN_U16, 0)):
        flow = flow_in(states.WAITING_FOR_DECK)
        row = flow.facts.row
        (
            row[table_facts.TAIL],
            row[table_facts.TAIL_DECK],
            row[table_facts.STACKS],
            row[table_facts.DEALT],
            row[table_facts.REST],
        ) = TAIL_SETTLING, 2, stacks, 20, rest
        tail_resume(flow)
        told = flow.settled
        assert (flow.tail, told.deck, told.stacks, told.dealt, told.rest) == (TAIL_SETTLING, 2, stacks, dealt, left)
        assert not flow.round_open


def test_presses_of_a_round_dealt_by_hand_wait_until_the_last_one_is_on_record():
    flow = settled("caribbean-stud", TAIL_HANDED, states.WAITING_FOR_DECK, dealing="hand")
    flow.outbox.post(ids.EV_GREEN_PRESSED)
    flow.panel.pressed[PRESS_CLOSE] = 1
    flow.by_hand.scan(flow, 0)
    assert messages(flow) == [ids.EV_GREEN_PRESSED] and flow.panel.pressed[PRESS_CLOSE] == 1
    flow.outbox.count = 0
    flow.by_hand.scan(flow, 0)
    assert messages(flow) == [ids.EV_ROUND_STARTED] and flow.tail == TAIL_LOCKOUT


def test_a_stopped_machine_that_is_out_of_service_shows_it_and_posts_nothing():
    flow = flow_in(states.WARNING)
    flow.facts.row[table_facts.SERVICE] = 1
    procedure_scan(flow, inputs(), Outputs(), 0)
    assert flow.need == ids.NEED_SERVICE and messages(flow) == []


def test_an_overdue_count_is_told_by_a_button_before_the_next_deck():
    flow = flow_in(states.WAITING_FOR_DECK, dealing="hand")
    flow.profile.stub_exempt = 0
    flow.facts.row[table_facts.ROUNDS] = 5
    flow.panel.pressed[PRESS_LOCK] = 1
    assert procedure_scan(flow, inputs(), Outputs(), 0) == 0
    assert posted(flow)[0][:2] == (ids.EV_RECORDED, [ids.REC_STUB_COUNTED, 52, 0, 0, 0, 0, 0])


def test_a_deck_ready_starts_no_round_while_a_stack_lies_in_the_tray_or_the_journal_has_no_room_for_its_events():
    for state, game, kind in (
        (states.DECK_READY, "caribbean-stud", "carousel"),
        (states.DRAW_READY, BLACKJACK, "draw"),
    ):
        for empty, spare in ((False, 0), (True, -1), (True, 0)):
            flow = flow_in(state, game, kind)
            flow.room = flow.profile.round_events + spare
            flow.tray.empty = empty
            flow.panel.pressed[PRESS_CLOSE] = 1
            inp = inputs()
            inp.level[IN_HOPPER] = 1
            procedure_scan(flow, inp, Outputs(), 0)
            begins = spare >= 0 and (empty or flow.machine.draws)  # a draw shoe has no tray
            assert flow.round_open == begins and flow.round_last == (1 if begins else 0), (game, empty, spare)
            assert flow.hold == (FAULT_NONE if spare >= 0 else FAULT_JOURNAL)


def test_a_deck_that_is_lifted_out_stops_a_shoe_that_waits_for_the_dealer():
    waits = (states.DECK_READY, states.WAITING_FOR_LOCKOUT, states.WAITING_FOR_WAGERS, states.WAITING_FOR_GREEN)
    for state in waits:
        for hopper in (1, 0):
            flow = flow_in(state, kind="shoe")
            flow.ledger.begin(52)
            flow.ledger.counting = True
            flow.ledger.zone[HOPPER] = 52
            flow.machine.state = JOB_DONE
            inp = inputs()
            inp.level[IN_HOPPER] = hopper
            procedure_scan(flow, inp, Outputs(), 0)
            wanted = (state, 0) if hopper else (states.WARNING, FAULT_MISMATCH)
            assert (flow.state, flow.warning) == wanted, state


def test_a_card_that_a_rule_makes_due_is_a_stack_without_a_number():
    flow = flow_in(states.WAITING_FOR_GREEN, round_open=True)
    flow.facts.row[table_facts.EXTRA] = 1
    flow.ledger.zone[STORE] = 30
    flow.panel.pressed[PRESS_LOCK] = 1
    procedure_scan(flow, inputs(), Outputs(), 0)
    assert posted(flow)[-1][:2] == (ids.EV_STACK_STARTED, [0, 1, 0, 0, 0, 0, 0])
    found = flow.state, flow.extra, flow.stack, flow.wanted
    assert found == (states.DISPENSING, states.WAITING_FOR_GREEN, 0, 1)
    flow.state, flow.tray.empty, flow.stacks_taken = states.STACK_OFFERED, True, 3
    procedure_scan(flow, inputs(), Outputs(), 0)
    assert (flow.state, flow.stack) == (states.WAITING_FOR_GREEN, 3)


def test_green_ends_the_players_cards_only_if_nothing_else_does():
    flow = flow_in(states.STACK_OFFERED)
    assert _open_ended(flow)
    for holder, name in ((flow, "positions"), (flow, "last"), (flow, "extra"), (flow.machine.feed, "face_ups")):
        kept = getattr(holder, name)
        setattr(holder, name, 1)
        assert not _open_ended(flow), name
        setattr(holder, name, kept)


def test_a_deck_is_not_handed_out_before_the_round_of_the_other_is_over():
    for tail, state in ((TAIL_LOCKOUT, states.DECK_HELD), (0, states.RELEASING)):
        flow = settled("caribbean-stud", tail, states.DECK_HELD, kind="shelves", dealing="hand")
        flow.tail = tail
        flow.tray.empty = True
        flow.panel.pressed[PRESS_GREEN] = 1
        procedure_scan(flow, inputs(), Outputs(), 0)
        assert flow.state == state, tail
        assert messages(flow) == ([] if tail else [ids.EV_GREEN_PRESSED, ids.EV_RELEASE_STARTED])


def test_a_fault_between_rounds_is_left_to_the_house_and_says_which_job_it_ended():
    shuffle = profile.RULE_SHUFFLE_FAULT
    for kind, state, failed, rule in (
        ("carousel", states.DECK_READY, [], profile.RULE_HOUSE),
        ("carousel", states.PREPARING, [ids.EV_SHUFFLE_FAILED], shuffle),
        ("carousel", states.SHUFFLING, [ids.EV_SHUFFLE_FAILED], shuffle),
        ("carousel", states.REMOVING, [ids.EV_REMOVAL_FAILED], profile.RULE_HOUSE),
        ("carousel", states.RELEASING, [ids.EV_RELEASE_FAILED], profile.RULE_HOUSE),
        ("carousel", states.DECK_HELD, [], profile.RULE_HOUSE),
        ("shoe", states.PREPARING, [], profile.RULE_HOUSE),  # it takes a deck in, and shuffles none
        ("draw", states.PREPARING, [], profile.RULE_HOUSE),
    ):
        flow = flow_in(state, kind=kind)
        flow.rule = profile.RULE_COUNT
        states.flow_warn(flow, Outputs(), FAULT_MISMATCH, 0)
        assert messages(flow) == [ids.EV_WARNING_LATCHED] + failed, (kind, state)
        assert flow.rule == rule
    for state in (states.STARTING, states.WAITING_FOR_DECK, states.DECK_READY, states.WAITING_FOR_ROUND_END):
        for tail in (0, TAIL_SETTLING):  # at rest: no rule is about this stop, and none is named
            flow = settled("caribbean-stud", TAIL_SETTLING, state)
            flow.tail = tail
            states.flow_warn(flow, Outputs(), FAULT_CARDS_INSIDE, 0)
            assert messages(flow) == [ids.EV_WARNING_LATCHED] and flow.rule == profile.RULE_HOUSE, state
    assert states.flow_enter(flow_in(states.STARTING), states.PROVING_EMPTY, 0) == 0  # the next scan comes at once


def test_only_a_set_without_tens_is_verified_without_them():
    for game, kind, tens_out in ((BLACKJACK, "shelves", True), ("caribbean-stud", "carousel", False)):
        assert flow_in(states.STARTING, game, kind).machine.feed.faces.tens_out == tens_out
