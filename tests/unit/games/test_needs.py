"""Needs: what a rule wants before a deck, a round, a card and the end; hands, and who has yet to decide."""

from test_record_windows import flow_in, objection, settled

from firmware.deck.ledger import HOPPER, STORE
from firmware.fault import FAULT_JOURNAL, FAULT_STACK
from firmware.games import flow as states
from firmware.games import prerequisites, table_facts
from firmware.games.hands import due_cards, undecided
from firmware.games.next_need import need_for, need_next, positions_due, records_due
from firmware.games.pages import page_lines
from firmware.games.profile import TAIL_HANDED, TAIL_HOUSE, TAIL_LOCKOUT, TAIL_SETTLING, TAIL_WAGERS
from firmware.image import IN_EXIT, IN_HOPPER, IN_THROAT_A, Inputs
from firmware.protocol import ids

NONE, STATE, ARGUMENT = ids.REASON_NONE, ids.REASON_STATE, ids.REASON_ARGUMENT
ALL_STEPS = 0b11110  # inspected, verified, shown, washed
COUNT, NO_NEED = ids.NEED_COUNT, ids.NEED_NONE
AT_HAND = ("manual", "hand")


def of(deck, cell):
    return table_facts.DECK_FIRST + (deck - 1) * table_facts.DECK_CELLS + cell


def inputs(*lines):
    inp = Inputs()
    inp.settle()
    for line in lines:
        inp.level[line] = 1
    return inp


def test_a_deck_is_held_back_by_the_first_thing_that_is_missing():
    flow = flow_in(states.WAITING_FOR_DECK, "caribbean-stud", records=True, decks=2)
    row = flow.facts.row
    row[table_facts.SERVICE] = row[of(1, table_facts.HELD)] = 1
    for cell, value, need in (
        (table_facts.SERVICE, 0, ids.NEED_SERVICE),
        (of(1, table_facts.HELD), 0, ids.NEED_DISPUTE),
        (of(1, table_facts.INDUCTED), ALL_STEPS, ids.NEED_INDUCTION),
    ):
        assert prerequisites.need_for_deck(flow) == need_for(flow, ids.CMD_SHUFFLE) == need
        row[cell] = value
    assert prerequisites.need_for_deck(flow) == NO_NEED
    row[table_facts.TURN] = 2
    assert (flow.facts.turn(), prerequisites.need_for_deck(flow)) == (2, ids.NEED_INDUCTION)
    row[of(2, table_facts.INDUCTED)] = ALL_STEPS
    for held, need in (
        (table_facts.HELD_DISPUTE, ids.NEED_DISPUTE),
        (table_facts.HELD_WINNER, ids.NEED_DISPUTE),
        (table_facts.HELD_OFF, NO_NEED),
    ):
        row[of(2, table_facts.HELD)] = held
        assert prerequisites.need_for_deck(flow) == need
    plain = flow_in(states.WAITING_FOR_DECK)
    assert prerequisites.need_for_deck(plain) == NO_NEED
    plain.facts.row[of(1, table_facts.HELD)] = table_facts.HELD_OFF
    assert prerequisites.need_for_deck(plain) == ids.NEED_INDUCTION
    plain.facts.row[table_facts.RACK] = 1  # no rule of this game wants the rack counted
    plain.facts.row[of(1, table_facts.HELD)] = 0
    assert prerequisites.need_for_deck(plain) == NO_NEED


def test_a_shoe_wants_to_know_who_shuffled_and_the_cut_before_the_deck_goes_in():
    flow = flow_in(states.WAITING_FOR_DECK, "caribbean-stud", "draw", records=True)
    flow.facts.row[of(1, table_facts.INDUCTED)] = ALL_STEPS
    assert prerequisites.need_for_deck(flow) == ids.NEED_PROVENANCE
    flow.facts.row[of(1, table_facts.SOURCE)] = ids.FROM_HAND
    assert prerequisites.need_for_deck(flow) == ids.NEED_CUT
    flow.facts.row[of(1, table_facts.SOURCE)] = ids.FROM_MACHINE
    assert prerequisites.need_for_deck(flow) == NO_NEED
    motor = flow_in(states.WAITING_FOR_DECK, "caribbean-stud", "shoe", records=True)
    motor.facts.row[of(1, table_facts.INDUCTED)] = ALL_STEPS
    motor.facts.row[of(1, table_facts.SOURCE)] = ids.FROM_HAND
    assert prerequisites.need_for_deck(motor) == NO_NEED  # cut before the round
    motor.state = states.DECK_READY
    assert prerequisites.need_for_round(motor) == need_for(motor, ids.CMD_CLOSE_BETTING) == ids.NEED_CUT
    blackjack = flow_in(states.WAITING_FOR_DECK, "double-attack-blackjack", "draw", records=True)
    blackjack.facts.row[table_facts.RACK] = 1
    assert prerequisites.need_for_deck(blackjack) == ids.NEED_RACK


def test_a_deck_handed_out_keeps_the_next_one_back_on_a_table_with_one_deck_and_records():
    for decks, records, need in ((1, True, ids.NEED_ROUND_END), (2, True, NO_NEED), (1, False, NO_NEED)):
        flow = settled(
            "caribbean-stud", TAIL_HANDED, states.WAITING_FOR_DECK, dealing="hand", decks=decks, records=records
        )
        for deck in (1, 2):
            flow.facts.row[of(deck, table_facts.INDUCTED)] = ALL_STEPS
        assert prerequisites.need_for_deck(flow) == need, (decks, records)


def test_a_count_is_due_every_five_rounds_unless_the_machine_has_counted_the_deck():
    flow = flow_in(states.DECK_READY, "caribbean-stud", "shoe")
    row = flow.facts.row
    for cell in (table_facts.ROUNDS, of(1, table_facts.SINCE)):
        for rounds, due, overdue in ((3, False, False), (4, True, False), (5, True, True), (6, True, True)):
            row[cell] = rounds
            assert (prerequisites.stub_due(flow, 1), prerequisites.stub_overdue(flow, 1)) == (due, overdue), rounds
            assert prerequisites.stub_due(flow, 0) == due
            assert prerequisites.need_for_round(flow) == (COUNT if overdue else NO_NEED)
        row[cell] = 0
    row[table_facts.ROUNDS] = 5
    assert not prerequisites.stub_exempt(flow, 1)
    row[of(1, table_facts.MACHINE_COUNTED)] = 1
    flow.profile.counts_full = True
    assert (
        prerequisites.stub_exempt(flow, 1)
        and prerequisites.stub_exempt(flow, 0)
        and not prerequisites.stub_overdue(flow, 1)
        and not prerequisites.stub_due(flow, 1)
    )
    assert not prerequisites.stub_exempt(flow, 2)
    flow.profile.counts_full = False
    assert not prerequisites.stub_exempt(flow, 1)
    house = flow_in(states.DECK_READY, "house")
    house.facts.row[table_facts.ROUNDS] = 9
    assert not prerequisites.stub_due(house, 1) and not prerequisites.stub_overdue(house, 1)
    for dealing in AT_HAND:
        flow = flow_in(states.WAITING_FOR_DECK, "caribbean-stud", dealing=dealing)
        flow.profile.stub_exempt = 0
        flow.facts.row[table_facts.ROUNDS] = 4
        assert prerequisites.need_for_deck(flow) == NO_NEED
        flow.tail = TAIL_HANDED  # the deck that is out was played, by the next one
        assert prerequisites.need_for_deck(flow) == COUNT
        flow.tail = 0
        flow.facts.row[table_facts.ROUNDS] = 5
        assert prerequisites.need_for_deck(flow) == COUNT
        flow.profile.stub_exempt = 7
        flow.profile.counts_full = True
        assert prerequisites.need_for_deck(flow) == NO_NEED
    two = flow_in(states.WAITING_FOR_DECK, "caribbean-stud", dealing="hand", decks=2)
    two.profile.stub_exempt = 0
    two.facts.row[table_facts.ROUNDS], two.tail = 4, TAIL_HANDED
    assert prerequisites.need_for_deck(two) == NO_NEED
    two.facts.row[table_facts.ROUNDS] = 5
    for tail, need in ((TAIL_HANDED, COUNT), (TAIL_LOCKOUT, ids.NEED_ROUND_END), (TAIL_SETTLING, ids.NEED_ROUND_END)):
        two.tail = tail  # the whole deck is counted between two rounds
        assert prerequisites.need_for_deck(two) == need


def test_a_round_waits_for_service_and_for_the_round_before():
    flow = flow_in(states.DECK_READY, decks=2)
    assert prerequisites.need_for_round(flow) == NO_NEED
    flow.tail = TAIL_SETTLING
    assert prerequisites.need_for_round(flow) == ids.NEED_ROUND_END
    flow.facts.row[table_facts.SERVICE] = 1
    assert prerequisites.need_for_round(flow) == ids.NEED_SERVICE


def test_cards_wait_for_as_many_chips_as_wagers_were_accepted():
    for records in (False, True):
        flow = flow_in(states.WAITING_FOR_LOCKOUT, records=records)
        row = flow.facts.row
        assert (prerequisites.need_for_cards(flow) == ids.NEED_PROGRESSIVE) == records
        row[table_facts.ACCEPTED] = 3
        assert prerequisites.need_for_cards(flow) == need_for(flow, ids.CMD_CONFIRM_LOCKOUT) == ids.NEED_PROGRESSIVE
        for collected in (2, 4):
            row[table_facts.COLLECTED] = collected
            assert prerequisites.need_for_cards(flow) == ids.NEED_PROGRESSIVE
        row[table_facts.COLLECTED] = 3
        assert prerequisites.need_for_cards(flow) == NO_NEED


def test_the_rest_waits_for_a_card_that_is_due_and_for_every_decision():
    for zone in (STORE, HOPPER):
        flow = flow_in(states.WAITING_FOR_GREEN, "boston-5-stud", records=True)
        flow.stacks_taken = flow.positions = 3
        flow.stacks_taken = 4
        assert prerequisites.need_for_release(flow) == NO_NEED  # no round
        flow.round_open = True
        assert prerequisites.need_for_release(flow) == NO_NEED  # no cards
        flow.ledger.zone[zone] = 40
        for command in (ids.CMD_RELEASE, ids.CMD_CLOSE_BETTING):
            assert need_for(flow, command) == ids.NEED_DECISIONS
        assert need_for(flow, ids.CMD_GIVE_CARD) == NO_NEED
        assert positions_due(flow, ids.NEED_DECISIONS) == 7
        assert positions_due(flow, NO_NEED) == positions_due(flow, ids.NEED_RELEASE) == 0
        flow.facts.row[table_facts.EXTRA] = 1
        assert prerequisites.need_for_release(flow) == ids.NEED_CARD
        flow.state = states.STACK_OFFERED
        assert prerequisites.need_for_release(flow) == ids.NEED_DECISIONS
        flow.facts.row[table_facts.NOT_IN], flow.facts.row[table_facts.SECONDS] = 5, 2
        assert prerequisites.need_for_release(flow) == NO_NEED
    for game, records in (("boston-5-stud", False), ("caribbean-stud", True)):
        flow = flow_in(states.WAITING_FOR_GREEN, game, records=records)
        flow.stacks_taken, flow.round_open = 4, True
        flow.ledger.zone[STORE] = 40
        assert prerequisites.need_for_release(flow) == NO_NEED


def test_a_round_does_not_end_before_a_count_that_is_due():
    flow = settled("caribbean-stud")
    row = flow.facts.row
    assert prerequisites.need_for_end(flow) == NO_NEED
    row[table_facts.DUE] = 1
    assert prerequisites.need_for_end(flow) == need_for(flow, ids.CMD_END_ROUND) == COUNT
    flow.tail = TAIL_WAGERS
    assert need_for(flow, ids.CMD_END_ROUND) == NO_NEED
    row[table_facts.COUNTED] = 1
    assert prerequisites.need_for_end(flow) == NO_NEED


def test_a_need_is_shown_when_it_changes_and_told_once_when_somebody_asks():
    flow = flow_in(states.WAITING_FOR_DECK)
    flow.page_due = False
    assert not prerequisites.hold_for(flow, NO_NEED, 0) and not flow.page_due
    assert prerequisites.hold_for(flow, ids.NEED_DISPUTE, 0) and flow.page_due and flow.need == ids.NEED_DISPUTE
    flow.page_due = False
    assert flow.outbox.count == 0
    for _ in range(2):
        assert prerequisites.hold_for(flow, ids.NEED_DISPUTE, 1) and not flow.page_due
        assert flow.outbox.count == 1
    entry = flow.outbox.entries[0]
    assert (entry.message, entry.values[0], entry.text) == (ids.EV_HELD_BACK, ids.NEED_DISPUTE, b"CS-10d")
    assert prerequisites.hold_for(flow, ids.NEED_SERVICE, 1) and flow.outbox.count == 2
    assert not prerequisites.hold_for(flow, NO_NEED, 1)


def test_a_need_is_told_again_when_another_rule_holds_the_table_back():
    held, short, decided = of(1, table_facts.HELD), table_facts.SHORT, table_facts.SECONDS
    for game, need, tail, cell, values, clauses in (
        ("boston-5-stud", ids.NEED_DECISIONS, TAIL_SETTLING, decided, (0, 7), (b"B5-10b", b"B5-10c")),
        ("caribbean-stud", ids.NEED_DISPUTE, 0, held, (2, 1, 2), (b"CS-10c", b"CS-10d", b"CS-10c")),
        ("caribbean-stud", ids.NEED_CARD, 0, short, (1, 0), (b"CS-13b", b"CS-13d")),
    ):
        flow = settled(game, tail or TAIL_SETTLING, records=True)
        flow.tail = tail
        for value in values:
            flow.facts.row[cell] = value
            for _ in range(2):
                assert prerequisites.hold_for(flow, need, 1)
        told = [(entry.message, entry.values[0], entry.text) for entry in flow.outbox.entries[: flow.outbox.count]]
        assert told == [(ids.EV_HELD_BACK, need, clause) for clause in clauses], game


NEXT = {
    states.STARTING: NO_NEED,
    states.WAITING_FOR_DECK: ids.NEED_DECK,
    states.SHUFFLING: NO_NEED,
    states.DECK_READY: ids.NEED_CLOSE_BETTING,
    states.WAITING_FOR_LOCKOUT: ids.NEED_LOCKOUT,
    states.DISPENSING: NO_NEED,
    states.STACK_OFFERED: ids.NEED_TAKE,
    states.WAITING_FOR_GREEN: ids.NEED_RELEASE,
    states.REMAINDER_OFFERED: ids.NEED_TAKE,
    states.WAITING_FOR_ROUND_END: ids.NEED_ROUND_END,
    states.WARNING: ids.NEED_ACKNOWLEDGE,
    states.REMOVED_OFFERED: ids.NEED_TAKE,
    states.DECK_HELD: ids.NEED_RELEASE,
    states.WAITING_FOR_WAGERS: ids.NEED_CLOSE_BETTING,
}


def test_each_state_says_what_must_happen_next():
    flow = flow_in(states.STARTING)
    flow.tray.empty = True
    inp = inputs()
    for state in NEXT:
        flow.state = state
        assert need_next(flow, inp) == NEXT[state], state
    flow.state = states.WAITING_FOR_DECK
    assert need_next(flow, inputs(IN_HOPPER)) == ids.NEED_SHUFFLE
    flow.door.is_open = True
    for state in NEXT:
        flow.state = state
        shut = state in (states.STARTING, states.WAITING_FOR_DECK, states.REMOVED_OFFERED, states.WARNING)
        assert need_next(flow, inp) == (ids.NEED_CLOSE_DOOR if shut else NEXT[state]), state
    flow.door.is_open = False
    for hold, need in ((FAULT_STACK, ids.NEED_TAKE), (FAULT_JOURNAL, ids.NEED_STORE_EVENTS)):
        flow.hold = hold
        for state in (states.DECK_READY, states.WAITING_FOR_DECK, states.DISPENSING):
            flow.state = state
            assert need_next(flow, inp) == need
    flow.hold = 0
    flow.state = states.DECK_READY
    flow.tray.empty = False
    assert need_next(flow, inp) == ids.NEED_TAKE
    flow.facts.row[table_facts.SERVICE] = 1
    assert need_next(flow, inp) == ids.NEED_SERVICE
    drawn = flow_in(states.DRAW_READY, "double-attack-blackjack", "draw")
    drawn.tray.empty = True
    assert need_next(drawn, inp) == ids.NEED_BURN
    drawn.play.burn = 0
    assert need_next(drawn, inp) == ids.NEED_CLOSE_BETTING
    drawn.state = states.DRAWING
    assert need_next(drawn, inp) == ids.NEED_DRAW
    for refill, need in ((1, ids.NEED_CUT), (2, ids.NEED_DECK), (3, ids.NEED_DECK)):
        drawn.play.refill = refill
        assert need_next(drawn, inp) == need
    drawn.state = flow_in(0).state + 19  # DECK_SPENT
    assert need_next(drawn, inp) == ids.NEED_EMPTY_SHOE


def test_rules_come_before_what_the_state_alone_asks_for():
    inp = inputs()
    flow = flow_in(states.WAITING_FOR_LOCKOUT, records=True)
    assert need_next(flow, inp) == ids.NEED_PROGRESSIVE
    flow = flow_in(states.WAITING_FOR_GREEN, "boston-5-stud", records=True)
    flow.stacks_taken, flow.round_open = 4, True
    flow.ledger.zone[STORE] = 40
    for state in (states.WAITING_FOR_GREEN, states.WAITING_FOR_WAGERS):
        flow.state = state
        assert need_next(flow, inp) == ids.NEED_DECISIONS


def test_a_stopped_machine_asks_for_one_thing_after_the_other():
    flow = flow_in(states.WARNING)
    for line in (IN_HOPPER, IN_THROAT_A, IN_EXIT):
        assert need_next(flow, inputs(line)) == ids.NEED_CLEAR_PATH
    noisy = inputs()
    noisy.stale = True
    assert need_next(flow, noisy) == ids.NEED_CLEAR_PATH
    flow.outbox.post(ids.EV_GREEN_PRESSED)
    for room, need in ((1, NO_NEED), (0, ids.NEED_STORE_EVENTS)):
        flow.room = room
        assert need_next(flow, inputs()) == need
    flow.door.due = True
    assert need_next(flow, inputs()) == ids.NEED_OPEN_DOOR
    flow.door.is_open = True
    assert need_next(flow, inputs()) == ids.NEED_CLOSE_DOOR


def test_a_round_that_is_settled_beside_the_machine_comes_first_unless_a_deck_lies_ready():
    for tail, need in (
        (TAIL_SETTLING, ids.NEED_ROUND_END),
        (TAIL_HANDED, ids.NEED_CLOSE_BETTING),
        (TAIL_LOCKOUT, ids.NEED_LOCKOUT),
        (TAIL_WAGERS, ids.NEED_CLOSE_BETTING),
    ):
        flow = settled("caribbean-stud", tail, states.WAITING_FOR_DECK, decks=2)
        flow.tray.empty = True
        assert need_next(flow, inputs()) == need
        assert need_next(flow, inputs(IN_HOPPER)) == ids.NEED_SHUFFLE
        for state in (states.SHUFFLING, states.DECK_READY, states.WAITING_FOR_ROUND_END, states.DECK_HELD):
            flow.state = state
            assert need_next(flow, inputs(IN_HOPPER)) == need
    flow.tail = TAIL_LOCKOUT
    flow.state = states.DECK_READY
    flow.facts.row[table_facts.ACCEPTED] = 2
    assert need_next(flow, inputs()) == ids.NEED_PROGRESSIVE
    flow = settled("caribbean-stud")
    flow.facts.row[table_facts.DUE] = 1
    assert need_next(flow, inputs()) == COUNT
    told = settled("caribbean-stud", TAIL_HANDED, states.WAITING_FOR_DECK, dealing="hand", records=True)
    told.facts.row[of(1, table_facts.INDUCTED)] = ALL_STEPS
    assert need_next(told, inputs(IN_HOPPER)) == ids.NEED_CLOSE_BETTING


def test_a_need_names_the_records_that_meet_it():
    flow = flow_in(states.WAITING_FOR_DECK, records=True)
    row = flow.facts.row
    bit = 1
    for need, record in (
        (ids.NEED_SERVICE, ids.REC_OUT_OF_SERVICE),
        (ids.NEED_PROVENANCE, ids.REC_PROVENANCE),
        (ids.NEED_CUT, ids.REC_CUT),
        (COUNT, ids.REC_STUB_COUNTED),
        (ids.NEED_PROGRESSIVE, ids.REC_PROGRESSIVE),
        (ids.NEED_UP_CARD, ids.REC_UP_CARD),
        (ids.NEED_RACK, ids.REC_STUB_COUNTED),
    ):
        assert records_due(flow, need) == bit << record, need
    for need in range(ids.NEED_STORE_EVENTS + 1):
        if 0 < need < ids.NEED_CARD and need not in (ids.NEED_ROUND_END, ids.NEED_BURN):
            continue
        wanted = bit << ids.REC_FINAL_DEAL if need == ids.NEED_DECISIONS else 0  # all players have decided
        assert records_due(flow, need) == wanted, need
    assert records_due(flow, ids.NEED_INDUCTION) == ALL_STEPS
    row[of(1, table_facts.INDUCTED)] = 2
    assert records_due(flow, ids.NEED_INDUCTION) == ALL_STEPS & ~2
    for held, records in (
        (1, [ids.REC_DISPUTE]),
        (2, [ids.REC_WINNER_HOLD]),
        (3, [ids.REC_DISPUTE, ids.REC_WINNER_HOLD]),
    ):
        row[of(1, table_facts.HELD)] = held | table_facts.HELD_OFF
        assert records_due(flow, ids.NEED_DISPUTE) == sum(bit << record for record in records)
        assert records_due(flow, ids.NEED_INDUCTION) == ALL_STEPS & ~2
    plain = flow_in(states.WAITING_FOR_DECK)
    plain.facts.row[of(1, table_facts.HELD)] = table_facts.HELD_OFF
    assert records_due(plain, ids.NEED_INDUCTION) == bit << ids.REC_DECK_REMOVED
    later = settled("boston-5-stud", records=True)
    assert records_due(later, COUNT) == bit << ids.REC_FINAL_DEAL
    later.facts.row[table_facts.FINAL] = 1
    assert records_due(later, COUNT) == bit << ids.REC_STUB_COUNTED
    assert records_due(settled("boston-5-stud"), COUNT) == bit << ids.REC_STUB_COUNTED


def test_players_are_those_who_have_their_cards():
    flow = flow_in(states.STACK_OFFERED, "boston-5-stud")
    for positions, taken, players in ((0, 0, 0), (0, 1, 1), (0, 3, 3), (3, 2, 2), (3, 4, 3)):
        flow.positions, flow.stacks_taken = positions, taken
        assert states.flow_players(flow, flow.stacks_taken) == players
    flow.state = states.WAITING_FOR_GREEN  # the last stack was the dealer's
    for positions, taken, players in ((0, 1, 1), (0, 2, 1), (0, 4, 3), (3, 4, 3)):
        flow.positions, flow.stacks_taken = positions, taken
        assert states.flow_players(flow, flow.stacks_taken) == players
    for stacks, players in ((0, 9), (1, 1), (2, 1), (5, 4)):
        assert states.flow_players(settled("boston-5-stud", stacks=stacks), 0) == players
    flow = settled("double-down-stud", TAIL_HOUSE, stacks=3)  # the machine has stopped: as far as stacks were taken
    for positions, players in ((0, 3), (2, 2), (5, 3)):
        flow.facts.row[table_facts.POSITIONS] = positions
        assert states.flow_players(flow, 0) == players


def test_who_neither_folded_nor_raised_has_yet_to_decide():
    for state, positions, bits in (
        (states.WAITING_FOR_GREEN, 0, 0b111),
        (states.WAITING_FOR_GREEN, 3, 0b111),
        (states.STACK_OFFERED, 0, 0b111),
        (states.STACK_OFFERED, 3, 0b111),
        (states.DISPENSING, 0, 0b111),
    ):
        flow = flow_in(state, "boston-5-stud")
        flow.positions, flow.stacks_taken = positions, 4
        assert undecided(flow) == bits, (state, positions)
        flow.facts.row[table_facts.NOT_IN], flow.facts.row[table_facts.SECONDS] = 1, 4
        assert undecided(flow) == bits & ~5


def test_a_hand_must_have_the_cards_of_its_stage():
    flow = flow_in(states.STACK_OFFERED, "boston-5-stud")
    flow.positions, flow.stacks_taken = 3, 2
    assert [due_cards(flow, seat) for seat in (0, 1, 2, 3, 255)] == [0, 3, 3, 0, 0]
    flow.state = states.WAITING_FOR_GREEN
    flow.stacks_taken = 4
    assert [due_cards(flow, seat) for seat in (0, 1, 3, 4)] == [3, 3, 3, 0]
    flow = settled("boston-5-stud")
    flow.facts.row[table_facts.FINAL] = 2
    assert [due_cards(flow, seat) for seat in (0, 1, 4)] == [5, 5, 0]
    flow = settled("double-cross-poker")
    assert [due_cards(flow, seat) for seat in (0, 1, 255)] == [2, 2, 5]
    flow = flow_in(states.WAITING_FOR_GREEN, "double-cross-poker")
    assert due_cards(flow, 255) == 0
    flow = settled("double-down-stud")
    assert [due_cards(flow, seat) for seat in (0, 1, 255)] == [4, flow.profile.hand_cards, 4]
    flow = settled("caribbean-stud", TAIL_HOUSE)
    flow.facts.row[table_facts.POSITIONS] = 3
    for stacks, cards in ((3, 0), (4, 5)):  # the machine stopped before the dealer's stack, or after it
        flow.settled.stacks = stacks
        assert due_cards(flow, 0) == cards


def test_a_hand_is_misdealt_only_if_it_plays_and_has_another_number_of_cards():
    flow = settled("caribbean-stud")
    for seat, cards, reason in (
        (1, 4, NONE),
        (3, 6, NONE),
        (1, 5, ARGUMENT),
        (4, 4, ARGUMENT),
        (0, 4, NONE),
        (0, 5, ARGUMENT),
        (255, 4, ARGUMENT),
    ):
        assert objection(flow, "misdeal", seat, cards) == reason, (seat, cards)
    for out, void, reasons in ((6, 2, [NONE, STATE, NONE]), (1, 1, [STATE, NONE, NONE])):  # the others have folded
        flow.facts.row[table_facts.NOT_IN], flow.facts.row[table_facts.SECONDS] = out, void
        assert [objection(flow, "misdeal", seat, 4) for seat in (1, 2, 3)] == reasons
    flow.facts.row[table_facts.NOT_IN + 1] = 0x80  # the dealer's hand was completed, which happens once
    assert (objection(flow, "misdeal", 0, 4), objection(flow, "misdeal", 0, 3)) == (STATE, NONE)
    flow = settled("boston-5-stud")
    assert [objection(flow, "misdeal", 0, cards) for cards in (2, 3, 4, 5, 6)] == [NONE, ARGUMENT, STATE, NONE, NONE]
    flow.facts.row[table_facts.FINAL] = 3
    flow.facts.row[table_facts.SECONDS] = 2
    assert [objection(flow, "misdeal", 0, cards) for cards in (2, 4, 5)] == [NONE, NONE, ARGUMENT]
    assert [objection(flow, "misdeal", 2, cards) for cards in (3, 4, 5)] == [NONE, NONE, ARGUMENT]
    assert [objection(flow, "misdeal", 1, cards) for cards in (3, 4, 5)] == [ARGUMENT, NONE, NONE]
    flow.facts.row[table_facts.SECONDS] = 0
    assert [objection(flow, "misdeal", 1, cards) for cards in (3, 4, 5)] == [NONE, NONE, ARGUMENT]
    flow.facts.row[table_facts.FINAL] = 1  # no position took part
    assert [objection(flow, "misdeal", 1, cards) for cards in (3, 4, 5)] == [ARGUMENT, NONE, NONE]
    dealing = flow_in(states.STACK_OFFERED, "caribbean-stud")
    dealing.round_open = True
    dealing.stacks_taken = 2
    assert [objection(dealing, "misdeal", seat, 4) for seat in (1, 2, 3, 0)] == [NONE, NONE, STATE, STATE]
    dealing.positions = 4
    assert [objection(dealing, "misdeal", seat, 4) for seat in (2, 4, 5)] == [NONE, STATE, ARGUMENT]


def test_decisions_are_taken_from_those_who_play_and_only_until_the_final_deal():
    flow = settled("boston-5-stud", state=states.REMAINDER_OFFERED)
    flow.tail = 0
    flow.round_open = True
    flow.stacks_taken = 4
    for record in ("fold", "second_wager"):
        assert [objection(flow, record, at, record != "fold") for at in (1, 3, 4)] == [NONE, NONE, ARGUMENT]
    assert objection(flow, "second_wager", 1, 0) == STATE  # none stands
    flow.facts.row[table_facts.SECONDS] = 1
    assert (objection(flow, "second_wager", 1, 0), objection(flow, "second_wager", 1, 1)) == (NONE, STATE)
    assert [objection(flow, "final_deal", count) for count in (0, 1, 2)] == [ARGUMENT, NONE, ARGUMENT]
    flow.facts.row[table_facts.SECONDS] = 0
    assert [objection(flow, "final_deal", count) for count in (0, 3, 4)] == [NONE, NONE, ARGUMENT]
    flow.facts.row[table_facts.NOT_IN] = 2
    assert [objection(flow, "final_deal", count) for count in (2, 3)] == [NONE, ARGUMENT]
    assert (objection(flow, "fold", 2), objection(flow, "second_wager", 2, 1)) == (STATE, STATE)
    flow.facts.row[table_facts.WITHDRAWN] = 2  # a second wager that was taken back may be reported as the fold it is
    assert (objection(flow, "fold", 2), objection(flow, "second_wager", 2, 1)) == (NONE, STATE)
    flow.facts.row[table_facts.FINAL] = 1
    assert objection(flow, "fold", 1) == objection(flow, "final_deal", 0) == STATE
    stud = settled("caribbean-stud")
    assert (objection(stud, "fold", 1), objection(stud, "second_wager", 1, 1)) == (NONE, STATE)
    assert objection(settled("house"), "fold", 1) == STATE  # no rule of a fold


def test_pages_name_what_is_needed_and_the_deck_that_is_next():
    for records in (True, False):
        flow = flow_in(states.WAITING_FOR_DECK, records=records)
        flow.need = ids.NEED_INDUCTION
        induct = page_lines(flow)[:]
        flow.facts.row[of(1, table_facts.HELD)] = table_facts.HELD_OFF
        assert page_lines(flow) != induct  # a deck that was ordered off is replaced first
        flow.need = ids.NEED_DISPUTE
        dispute = page_lines(flow)[:]
        flow.facts.row[of(1, table_facts.HELD)] = 0
        assert page_lines(flow) == dispute
    flow = settled("boston-5-stud", records=True)
    for need, first in ((COUNT, "Final deal is not"), (ids.NEED_DISPUTE, "Deck is on hold")):
        flow.need = need
        assert page_lines(flow)[0] == first
    one, two = flow_in(states.WAITING_FOR_DECK), flow_in(states.WAITING_FOR_DECK, decks=2)
    for flow in (one, two):
        flow.facts.row[of(2, table_facts.HELD)] = table_facts.HELD_OFF
    assert page_lines(two)[:2] == ("Take deck 2 off the", "table. Deck 1 next:") != page_lines(one)[:2]
