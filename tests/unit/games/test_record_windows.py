"""Records: when each is taken, which numbers it takes, and by which rule it is judged."""

from array import array

from support import board

from firmware.deck.ledger import DEALT, DISCARDED, STORE, TRAY
from firmware.games import flow as flow_module
from firmware.games.flow import (
    DECK_READY,
    DECK_SPENT,
    DRAW_READY,
    DRAWING,
    SHUFFLING,
    STACK_OFFERED,
    WAITING_FOR_DECK,
    WAITING_FOR_GREEN,
    WAITING_FOR_LOCKOUT,
    WAITING_FOR_ROUND_END,
    Flow,
)
from firmware.games.hands import stub_fits
from firmware.games.procedure import procedure_resume
from firmware.games.profile import (
    CLAUSE_NONE,
    EXTRA_BURNS,
    EXTRA_READER,
    EXTRA_TENS_OUT,
    TAIL_HANDED,
    TAIL_HOUSE,
    TAIL_LOCKOUT,
    TAIL_SETTLING,
    TAIL_WAGERS,
)
from firmware.games.records import context, record_do, record_objection
from firmware.games.shoe_facts import BOXES
from firmware.games.table_facts import APPROVAL, APPROVED_NO_BURN, BY_HAND, COUNTED, FINAL, REST, ROUNDS, TAIL, U8_MAX
from firmware.image import Outputs
from firmware.journal.outbox import Outbox
from firmware.machines.spec import Spec
from firmware.protocol import ids
from rig.games import RULES, WINDOWS, load_profile

WINDOW_NAMES = list(WINDOWS)
WINDOW_NAMES += ["stopped", "house"]
TAIL_WINDOWS = {0: "", TAIL_SETTLING: "settling", TAIL_HANDED: "ready", TAIL_LOCKOUT: "closed", TAIL_WAGERS: "wagers"}
TAIL_WINDOWS[TAIL_HOUSE] = "house"
FOR_ALL = 60000  # no number that a record takes
NONE, STATE, ROLE, ARGUMENT = ids.REASON_NONE, ids.REASON_STATE, ids.REASON_ROLE, ids.REASON_ARGUMENT

STATE_WINDOWS = """
    starting -, proving_empty -, waiting_for_deck idle, preparing -, shuffling -, deck_ready ready,
    waiting_for_lockout closed, dispensing -, stack_offered dealing, waiting_for_green green, releasing -,
    remainder_offered rest, waiting_for_round_end -, warning stopped, removing -, removed_offered stopped,
    deck_held ready, draw_ready ready, drawing drawing, deck_spent spent, waiting_for_wagers wagers
"""
PLAY = "dealing wagers green rest settling drawing house"
EVERYWHERE = " ".join(WINDOW_NAMES)
RECORD_WINDOWS = {
    "inspected verified shown washed mixing_seen tens_removed dispute winner_hold reader_off": EVERYWHERE,
    "provenance deck_removed": "idle",
    "cut": "idle ready drawing",
    "no_activity approval": "idle ready spent",
    "out_of_service": "idle settling stopped house",
    "stub_counted": "idle ready settling",
    "progressive": "closed",
    "fold second_wager": "green rest settling",
    "final_deal": "rest settling",
    "hole_card_seen": "ready",  # as Caribbean Stud says
    "misdeal": PLAY,
    "face_up drawn_in_error": PLAY + " ready",
    "reshuffle": "ready",
    "burned": "ready drawing settling",
    "dealer_change": "idle ready spent drawing settling",
    "ten_found": "idle ready spent drawing settling house",
    "up_card insurance_closed dealer_card box_missed surrender let_out": "drawing settling",
    "short_shoe card_to delivered_wrongly": "drawing",
    "cut_offered": "idle ready spent",
    "house_decision": "house",
}


def flow_in(state, game="caribbean-stud", kind="carousel", round_open=False, **table):
    """A device in this state, without sensors: the procedure's own view of it."""
    config = board(kind, inputs={"back": 28})
    config["table"] = table
    profile = load_profile(game).at_table(config)
    spec = Spec(config)
    flow = Flow(spec, profile, Outbox(), array("H", [0] * max(spec.place_count, profile.deck_cards)))
    procedure_resume(flow, Outputs(), 0, False, 0, 0, 0)
    flow.state = flow.shown = state
    flow.outbox.deck = 1
    flow.round_open = round_open
    return flow


def settled(game, tail=TAIL_SETTLING, state=WAITING_FOR_ROUND_END, stacks=4, **table):
    """A round of three players whose cards are all out."""
    flow = flow_in(state, game, **table)
    profile = flow.profile
    dealt = 3 * profile.stack_cards + profile.last_cards
    flow.settle(tail, 1, stacks, dealt, profile.deck_cards - dealt)
    flow.facts.row[TAIL] = tail
    flow.facts.row[REST] = profile.deck_cards - dealt
    return flow


def number(record):
    return ids.RECORD_NAMES.split().index(record)


def objection(flow, record, a=0, b=0, role=ids.ROLE_SERVICE):
    return record_objection(flow, role, number(record), a, b)


def posted(flow):
    """Every event that waits to be recorded: message and values, round and deck."""
    found = []
    outbox = flow.outbox
    for i in range(outbox.count):
        entry = outbox.entries[(outbox.first + i) % len(outbox.entries)]
        found.append((entry.message, list(entry.values), entry.round, entry.deck, entry.text))
    return found


def judged(flow, record, a=0, b=0):
    """Rule and consequence of a record, as it is posted."""
    flow.outbox.count = 0
    record_do(flow, number(record), a, b, 0)
    recorded = [event for event in posted(flow) if event[0] == ids.EV_RECORDED]
    assert [event[1][:3] for event in recorded] == [[number(record), a, b]]
    clause = recorded[0][4]
    rules = [RULES[i] for i in range(len(RULES)) if flow.profile.clauses[i] == clause != CLAUSE_NONE]
    return rules, recorded[0][1][3]


def test_the_states_have_the_numbers_that_a_host_knows():
    names = ids.STATE_NAMES.split()
    assert len(names) == flow_module.STATE_COUNT == len(flow_module.SUCCESSORS)
    for i in range(len(names)):
        assert names[i].upper() in dir(flow_module) and getattr(flow_module, names[i].upper()) == i, names[i]


def test_every_state_and_every_round_that_is_settled_beside_it_is_a_window_for_records():
    names = ids.STATE_NAMES.split()
    flow = flow_in(WAITING_FOR_DECK)
    for line in STATE_WINDOWS.split(","):
        name, window = line.split()
        flow.state = names.index(name)
        for tail in TAIL_WINDOWS:
            flow.tail = tail
            wanted = [window] if window != "-" else []
            if TAIL_WINDOWS[tail] and (wanted or name in ("preparing", "shuffling", "waiting_for_round_end")):
                wanted.append(TAIL_WINDOWS[tail])
            found = context(flow)
            assert {WINDOW_NAMES[i] for i in range(16) if found >> i & 1} == set(wanted), (name, tail)


def test_players_may_decide_while_the_rest_is_asked_for_or_in_the_dealers_hand():
    flow = flow_in(STACK_OFFERED, "boston-5-stud")
    assert not context(flow) & 32
    flow.need = ids.NEED_DECISIONS
    assert context(flow) & 32
    flow.state = WAITING_FOR_LOCKOUT
    assert not context(flow) & 32
    for dealing, green in (("shoe", False), ("manual", True), ("hand", True)):
        flow = settled("boston-5-stud", dealing=dealing)
        assert bool(context(flow) & 32) == green
        for tail in (TAIL_HANDED, TAIL_LOCKOUT, TAIL_WAGERS):
            flow.tail = tail
            assert not context(flow) & 32
        flow.tail = TAIL_SETTLING
        flow.facts.row[FINAL] = 1
        assert not context(flow) & 32


def test_each_record_is_taken_in_its_windows_and_nowhere_else():
    flow = flow_in(WAITING_FOR_DECK)
    states = {"idle": WAITING_FOR_DECK, "ready": DECK_READY, "closed": WAITING_FOR_LOCKOUT, "dealing": STACK_OFFERED}
    names = ids.STATE_NAMES.split()
    states.update({"wagers": names.index("waiting_for_wagers"), "green": WAITING_FOR_GREEN})
    states.update({"rest": names.index("remainder_offered"), "settling": WAITING_FOR_ROUND_END, "drawing": DRAWING})
    states.update({"spent": DECK_SPENT, "stopped": names.index("warning"), "house": WAITING_FOR_ROUND_END})
    tails = {"settling": TAIL_SETTLING, "house": TAIL_HOUSE}
    seen = 0
    for records in RECORD_WINDOWS:
        for record in records.split():
            seen += 1
            for window in WINDOW_NAMES:
                flow.state = states[window]
                flow.tail = tails.get(window, 0)
                b = 0 if record == "stub_counted" and window != "settling" else FOR_ALL
                taken = record_objection(flow, ids.ROLE_SERVICE, number(record), FOR_ALL, b) != STATE
                if record == "stub_counted" and window != "settling":
                    continue  # between rounds only what is overdue is counted
                assert taken == (window in RECORD_WINDOWS[records].split()), (record, window)
    assert seen == ids.RECORD_COUNT - 1
    for what in (0, ids.RECORD_COUNT, 255):
        assert record_objection(flow, ids.ROLE_SERVICE, what, 0, 0) == ARGUMENT


def test_numbers_outside_of_their_range_are_refused():
    flow = flow_in(WAITING_FOR_DECK, decks=2)
    for record in ("dispute", "winner_hold"):
        for deck, flag, fits in ((1, 0, 1), (1, 1, 1), (2, 1, 1), (0, 1, 0), (3, 1, 0), (1, 2, 0)):
            assert (objection(flow, record, deck, flag) == NONE) == bool(fits), (record, deck, flag)
    for deck, follows, fits in ((1, 0, 1), (1, 1, 1), (2, 2, 1), (0, 1, 0), (3, 1, 0), (1, 3, 0)):
        assert (objection(flow, "deck_removed", deck, follows) == NONE) == bool(fits), (deck, follows)
    for source, fits in ((0, 0), (1, 1), (2, 1), (3, 1), (4, 0)):
        assert (objection(flow, "provenance", 1, source) == NONE) == bool(fits)
    flow = flow_in(WAITING_FOR_DECK, "boston-5-stud")
    assert [objection(flow, "provenance", 1, source) for source in (1, 2, 3)] == [NONE, NONE, ARGUMENT]
    flow = flow_in(WAITING_FOR_LOCKOUT, round_open=True)
    for value, fits in ((0, 1), (254, 1), (255, 0), (256, 0)):
        assert (objection(flow, "progressive", 0, value) == NONE) == bool(fits)
    for value, fits in ((0, 1), (9, 1), (10, 0), (254, 0), (255, 0)):  # one wager a player
        assert (objection(flow, "progressive", value, 0) == NONE) == bool(fits)
    flow.positions = 3
    assert (objection(flow, "progressive", 3), objection(flow, "progressive", 4)) == (NONE, ARGUMENT)
    flow = flow_in(STACK_OFFERED, round_open=True)
    assert objection(flow, "face_up", 1) == STATE  # no card has come
    flow.ledger.zone[DEALT], flow.ledger.zone[TRAY] = 47, 5
    for cards, fits in ((0, 0), (1, 1), (52, 1), (53, 0)):
        assert (objection(flow, "face_up", cards) == NONE) == bool(fits)
        assert (objection(flow, "drawn_in_error", cards) == NONE) == bool(fits)
    assert objection(flow, "face_up", 1, 1) == ARGUMENT
    assert objection(flow, "drawn_in_error", 1, 1) == ARGUMENT  # no rule for a card that was seen


def test_boxes_seats_and_ranks_have_their_limits():
    flow = flow_in(DRAWING, "double-attack-blackjack", "draw", round_open=True)
    flow.play.draws = 20
    most = flow.profile.positions_max
    for boxes in (0, 3):
        flow.positions = boxes
        for box, fits in ((0, 0), (1, 1), (boxes or most, 1), ((boxes or most) + 1, 0)):
            assert (objection(flow, "box_missed", box, 1) == NONE) == bool(fits), (boxes, box)
    for rank, fits in ((0, 0), (1, 1), (13, 1), (14, 0)):
        assert (objection(flow, "up_card", rank) == NONE) == bool(fits), rank
    for seat, fits in ((0, 1), (3, 1), (4, 0)):
        assert (objection(flow, "card_to", seat, 21) == NONE) == bool(fits), seat
    flow.play.draws, flow.positions = 9, 3
    flow.play.reader.up_card = 5
    for positions, hands in ((6, 4), (7, 3)):  # as many as splitting pairs gives a box
        flow.profile.positions_max = positions
        for surrendered in range(5):
            flow.facts.row[BOXES + 1] = surrendered
            assert (objection(flow, "surrender", 2) == NONE) == (surrendered < hands), (positions, surrendered)
    flow = flow_in(DRAW_READY, "double-attack-blackjack", "draw")
    assert (objection(flow, "cut_offered", most, 1), objection(flow, "cut_offered", most + 1, 1)) == (NONE, ARGUMENT)
    flow = settled("double-cross-poker")
    for seat, fits in ((3, 1), (4, 0), (255, 1), (254, 0)):
        assert (objection(flow, "misdeal", seat, 9) == NONE) == bool(fits), seat


def test_a_card_drawn_in_error_is_judged_by_whether_it_was_seen():
    flow = flow_in(DRAWING, "double-attack-blackjack", "draw", round_open=True)
    flow.play.draws = 9
    flow.positions = 3
    assert "drawn_in_error" in judged(flow, "drawn_in_error", 1, 0)[0]
    assert "drawn_seen" in judged(flow, "drawn_in_error", 1, 1)[0]
    assert flow.play.changed


def test_an_approval_of_deals_without_burns_is_the_rule_of_a_new_dealer_alone():
    for record, a, b, rule in (("dealer_change", 0, 0, "approval"), ("box_missed", 2, 0, "box_missed")):
        flow = flow_in(DRAWING, "double-attack-blackjack", "draw", round_open=True)
        flow.play.draws, flow.play.approved, flow.positions = 9, APPROVED_NO_BURN, 3
        assert rule in judged(flow, record, a, b)[0], record


def test_a_cut_leaves_cards_at_both_ends_and_is_made_by_those_who_may():
    flow = flow_in(WAITING_FOR_DECK)
    for at, by, fits in ((10, 1, 1), (51, 3, 1), (9, 1, 0), (52, 1, 0), (20, 0, 0), (20, 2, 0), (20, 4, 0)):
        assert (objection(flow, "cut", at, by) == NONE) == bool(fits), (at, by)
    flow.facts.row[APPROVAL] = 1  # an approved alternative puts the cut card elsewhere
    assert objection(flow, "cut", 9, 1) == NONE and objection(flow, "cut", 9, 2) == ARGUMENT
    flow.facts.row[APPROVAL] = 2
    assert objection(flow, "cut", 9, 1) == ARGUMENT
    flow = flow_in(WAITING_FOR_DECK, records=True)
    assert objection(flow, "cut", 20, 1) == STATE  # who shuffled it is recorded first
    record_do(flow, ids.REC_PROVENANCE, 1, ids.FROM_HAND, 0)
    flow.facts.note(ids.EV_RECORDED, [ids.REC_PROVENANCE, 1, ids.FROM_HAND, 0], 1, 0)
    assert objection(flow, "cut", 20, 1) == NONE
    assert objection(flow_in(WAITING_FOR_DECK, "boston-5-stud"), "cut", 20, 1) == ARGUMENT  # the game knows of no cut


def test_what_needs_service_is_refused_to_others():
    flow = flow_in(WAITING_FOR_DECK, "double-attack-blackjack", "draw")
    for role, reason in ((ids.ROLE_TABLE, ROLE), (ids.ROLE_SERVICE, NONE)):
        assert objection(flow, "approval", 0, 1, role) == reason
        assert objection(flow, "reader_off", 1, 0, role) == reason
        assert objection(flow, "reader_off", 0, 0, role) == NONE


def test_a_deck_is_inspected_before_it_is_washed_and_tens_leave_before_that():
    flow = flow_in(WAITING_FOR_DECK, decks=2)
    facts = flow.facts
    assert objection(flow, "washed", 1) == STATE
    for step in ("inspected", "verified", "shown"):
        assert objection(flow, step, 1) == NONE
        facts.note(ids.EV_RECORDED, [number(step), 1, 0, 0], 1, 0)
    assert (objection(flow, "washed", 1), objection(flow, "washed", 2)) == (NONE, STATE)
    flow = flow_in(WAITING_FOR_DECK, "double-attack-blackjack", "draw")
    assert (objection(flow, "inspected", 1), objection(flow, "verified", 1)) == (STATE, NONE)
    flow.facts.note(ids.EV_RECORDED, [ids.REC_TENS_REMOVED, 1, 0, 0], 1, 0)
    assert objection(flow, "inspected", 1) == NONE


def test_of_a_deck_inside_or_on_the_table_nothing_is_told_that_belongs_before():
    for record in ("inspected", "verified", "shown", "mixing_seen"):
        flow = flow_in(DECK_READY, decks=2)
        assert (objection(flow, record, 1), objection(flow, record, 2)) == (STATE, NONE), record
        for state in (WAITING_FOR_DECK, WAITING_FOR_ROUND_END):
            flow = settled("caribbean-stud", state=state, decks=2)
            flow.outbox.deck = 2
            assert (objection(flow, record, 1), objection(flow, record, 2)) == (STATE, NONE), (record, state)
        flow = flow_in(WAITING_FOR_DECK, decks=2)
        assert objection(flow, record, 1) == NONE
    flow = flow_in(DECK_READY, decks=2)
    assert objection(flow, "dispute", 1, 1) == NONE


def test_records_of_a_game_that_is_drawn_are_refused_elsewhere():
    for record, a, b in (("dealer_change", 0, 0), ("burned", 1, 1), ("ten_found", 1, 0), ("reshuffle", 0, 0)):
        assert objection(flow_in(DECK_READY), record, a, b) == STATE, record
    assert objection(flow_in(WAITING_FOR_DECK), "cut_offered", 1, 1) == STATE
    assert objection(flow_in(WAITING_FOR_DECK), "reader_off") == STATE
    assert objection(flow_in(WAITING_FOR_DECK), "approval", 0, 1) == NONE
    assert objection(flow_in(DECK_READY, "double-down-stud"), "dealer_change") == STATE
    drawn = flow_in(DRAW_READY, "double-attack-blackjack", "draw")
    for extras in (EXTRA_BURNS, EXTRA_READER, EXTRA_TENS_OUT):
        drawn.profile.extras = extras
        assert objection(drawn, "dealer_change") == NONE
    assert objection(drawn, "dealer_change") == objection(drawn, "reshuffle", 1) == NONE


def test_a_round_that_is_void_or_has_not_begun_has_nothing_to_tell():
    for record, a, b in (("fold", 1, 0), ("misdeal", 1, 4), ("face_up", 1, 0), ("drawn_in_error", 1, 0)):
        flow = flow_in(WAITING_FOR_GREEN, "caribbean-stud")
        flow.positions = flow.stacks_taken = 3
        flow.ledger.zone[DEALT] = 15
        assert objection(flow, record, a, b) == STATE, record
        flow.round_open = True
        assert objection(flow, record, a, b) == NONE, record
    flow = flow_in(DECK_READY)
    assert objection(flow, "hole_card_seen") == NONE  # before a round begins, where the game says so
    flow.state = WAITING_FOR_DECK
    assert objection(flow, "hole_card_seen") == STATE


def test_a_table_is_idle_or_out_of_service_only_between_rounds_and_without_a_deck():
    flow = flow_in(WAITING_FOR_DECK)
    assert objection(flow, "no_activity") == objection(flow, "out_of_service", 1) == NONE
    for tail in (TAIL_SETTLING, TAIL_LOCKOUT, TAIL_WAGERS):
        assert objection(settled("caribbean-stud", tail, WAITING_FOR_DECK), "no_activity") == STATE
    assert objection(settled("caribbean-stud", TAIL_HANDED, WAITING_FOR_DECK), "no_activity") == NONE
    flow.ledger.zone[STORE] = 1
    assert objection(flow, "out_of_service", 1) == STATE
    flow.state = flow_module.WARNING
    assert objection(flow, "out_of_service", 1) == NONE  # a machine that stopped may leave with what is in it
    assert objection(flow, "out_of_service", 2) == ARGUMENT
    recorded = flow_in(WAITING_FOR_DECK, records=True)
    assert objection(recorded, "deck_removed", 1, 0) == NONE
    assert objection(recorded, "deck_removed", 1, 1) == STATE  # its induction confirms a new deck


def test_a_stub_is_counted_once_when_what_it_must_have_is_known():
    flow = settled("caribbean-stud")
    assert objection(flow, "stub_counted", 32) == NONE
    assert objection(flow, "stub_counted", 30) == objection(flow, "stub_counted", 30, 2) == NONE
    assert objection(flow, "stub_counted", 32, 1) == ARGUMENT  # right, and misdealt as well
    assert objection(flow, "stub_counted", 30, 3) == objection(flow, "stub_counted", ids.UNKNOWN_U16) == ARGUMENT
    flow.facts.row[COUNTED] = 1
    assert objection(flow, "stub_counted", 32) == STATE
    assert objection(settled("boston-5-stud"), "stub_counted", 40) == STATE  # the final deal is recorded first
    assert objection(settled("house"), "stub_counted", 32) == STATE  # never counted
    flow = flow_in(DECK_READY, "boston-5-stud", "shoe")
    assert objection(flow, "stub_counted", 52) == STATE
    flow.facts.row[ROUNDS] = 5  # overdue
    assert objection(flow, "stub_counted", 52) == NONE
    assert objection(flow, "stub_counted", 52, 1) == ARGUMENT  # no hands are out
    handed = settled("caribbean-stud", TAIL_HANDED, WAITING_FOR_DECK, dealing="hand")
    assert objection(handed, "stub_counted", 52) == STATE
    handed.facts.row[ROUNDS] = 4
    handed.profile.stub_exempt = 0
    assert objection(handed, "stub_counted", 52) == objection(handed, "stub_counted", 50, 1) == NONE


def test_a_count_is_judged_by_what_the_stub_must_have():
    for a, b, rule, order in (
        (32, 0, "stub_count", ids.CONSEQUENCE_NONE),
        (30, 0, "stub_wrong", ids.ALL_VOID_REMOVE_DECK),
        (30, 1, "stub_misdealt", ids.ALL_VOID_RESHUFFLE),
    ):
        flow = settled("caribbean-stud")
        rules, consequence = judged(flow, "stub_counted", a, b)
        assert rule in rules and consequence == order, (a, b)
        assert flow.state == (WAITING_FOR_ROUND_END if rule == "stub_count" else WAITING_FOR_DECK)
    assert judged(settled("caribbean-stud"), "stub_counted", 30, 2) == ([], ids.ALL_VOID_REMOVE_DECK)
    flow = settled("caribbean-stud")  # dealt by hand: the positions were not set, and one card followed from the rest
    flow.facts.row[REST], flow.facts.row[BY_HAND] = U8_MAX, 1
    assert [cards for cards in range(28, 38) if stub_fits(flow, cards)] == [31, 36]
    flow = settled("double-down-stud")  # a card for each of seven players at most, and the four of the table
    flow.facts.row[REST], flow.facts.row[BY_HAND] = U8_MAX, 0
    assert [cards for cards in range(53) if stub_fits(flow, cards)] == list(range(41, 48))
    flow = flow_in(WAITING_FOR_DECK, "boston-5-stud")
    assert "stub_count" in judged(flow, "stub_counted", 52)[0]
    for cards in (51, 53):
        assert "stub_wrong" in judged(flow, "stub_counted", cards)[0]


def test_a_misdealt_dealer_is_judged_by_the_finished_hand():
    flow = settled("caribbean-stud")
    assert "dealer_short" in judged(flow, "misdeal", 0, 4)[0]
    for seat, cards, rule in ((0, 3, "misdeal_dealer"), (0, 6, "misdeal_dealer"), (1, 4, "misdeal")):
        rules, consequence = judged(settled("caribbean-stud"), "misdeal", seat, cards)
        assert rule in rules and (consequence == ids.ONE_VOID) == (rule == "misdeal"), (seat, cards)
    flow = settled("boston-5-stud")
    assert judged(flow, "misdeal", 0, 2)[1] == ids.ALL_VOID_RESHUFFLE  # before the final deal two of three
    flow = settled("boston-5-stud")
    flow.facts.row[FINAL] = 3
    assert judged(flow, "misdeal", 0, 4)[1] == ids.COMPLETE_HAND


def test_the_first_card_face_up_is_rejected_and_the_second_voids_the_round():
    flow = flow_in(STACK_OFFERED, round_open=True)
    flow.ledger.zone[DEALT] = 5
    assert judged(flow, "face_up", 1)[1] == ids.REJECT_CARD
    assert (flow.ledger.zone[DEALT], flow.ledger.zone[DISCARDED], flow.state) == (4, 1, STACK_OFFERED)
    flow.ledger.zone[DEALT] = 1
    assert judged(flow, "face_up", 1)[1] == ids.REJECT_CARD and flow.ledger.zone[DISCARDED] == 2  # all that came
    flow.facts.row[6] = 1  # FACE_UPS
    assert judged(flow, "face_up", 1)[1] == ids.ALL_VOID_RESHUFFLE
    assert (flow.state, flow.round_open) == (WAITING_FOR_GREEN, False)
    flow = flow_in(STACK_OFFERED, round_open=True)
    assert judged(flow, "face_up", 2)[1] == ids.ALL_VOID_RESHUFFLE
    flow = flow_in(STACK_OFFERED, round_open=True)
    judged(flow, "face_up", 1)
    assert flow.ledger.zone[DISCARDED] == 0  # of no card that was dealt
    flow.ledger.zone[DEALT] = 5
    assert judged(flow, "dispute", 1, 1)[1] > ids.REJECT_CARD
    assert (flow.ledger.zone[DEALT], flow.ledger.zone[DISCARDED]) == (5, 0)


def test_what_ends_a_hold_or_a_pause_orders_nothing():
    for record, a, b, begins in (
        ("dispute", 1, 1, True),
        ("dispute", 1, 0, False),
        ("winner_hold", 1, 1, True),
        ("winner_hold", 1, 0, False),
        ("out_of_service", 1, 0, True),
        ("out_of_service", 0, 0, False),
    ):
        consequence = judged(flow_in(WAITING_FOR_DECK), record, a, b)[1]
        assert (consequence != ids.CONSEQUENCE_NONE) == begins, (record, a, b)


def test_records_of_a_round_that_is_settled_are_about_it_and_not_about_the_machine():
    flow = settled("caribbean-stud", decks=2, state=WAITING_FOR_DECK)
    flow.round_last = 7
    flow.outbox.round, flow.outbox.deck = 0, 2
    record_do(flow, ids.REC_FOLD, 1, 0, 0)
    record_do(flow, ids.REC_PROVENANCE, 2, 1, 0)
    assert [event[2:4] for event in posted(flow)] == [(7, 1), (0, 2)]
    assert (flow.outbox.round, flow.outbox.deck) == (0, 2)
    flow = settled("caribbean-stud", TAIL_HANDED, WAITING_FOR_DECK, dealing="hand")
    flow.round_last = 7
    record_do(flow, ids.REC_HOLE_CARD_SEEN, 0, 0, 0)
    assert posted(flow)[0][2:4] == (0, 1)  # betting is open: no round of that deck has begun


def test_idle_tables_give_their_deck_back_and_a_deck_handed_out_is_no_longer_waited_for():
    for state, then in ((DECK_READY, WAITING_FOR_GREEN), (WAITING_FOR_DECK, WAITING_FOR_DECK)):
        flow = flow_in(state)
        record_do(flow, ids.REC_NO_ACTIVITY, 0, 0, 0)
        assert flow.state == then
    flow = flow_in(DRAW_READY, "double-attack-blackjack", "draw")
    record_do(flow, ids.REC_NO_ACTIVITY, 0, 0, 0)
    assert flow.state == DECK_SPENT
    for record, a, ended in (
        ("stub_counted", 52, 1),
        ("no_activity", 0, 1),
        ("out_of_service", 1, 1),
        ("dispute", 1, 0),
    ):
        flow = settled("caribbean-stud", TAIL_HANDED, WAITING_FOR_DECK, dealing="hand")
        flow.page_due = False
        record_do(flow, number(record), a, 0, 0)
        assert (flow.tail == 0) == bool(ended) == flow.page_due, record
    flow = settled("caribbean-stud", TAIL_LOCKOUT, WAITING_FOR_DECK, dealing="hand")
    record_do(flow, ids.REC_OUT_OF_SERVICE, 1, 0, 0)
    assert flow.tail == TAIL_LOCKOUT  # betting is closed: the round goes on


def test_a_void_round_leaves_what_is_inside_for_the_dealer_to_ask_for():
    flow = settled("caribbean-stud", state=SHUFFLING, decks=2)
    record_do(flow, ids.REC_MISDEAL, 0, 6, 0)  # the other deck is being shuffled meanwhile
    assert (flow.state, flow.tail) == (SHUFFLING, 0)
    voided = [event[1] for event in posted(flow) if event[0] == ids.EV_ROUND_VOIDED]
    assert [values[:4] for values in voided] == [[0, 4, 52, 0]]
    flow = flow_in(flow_module.REMAINDER_OFFERED, round_open=True)
    record_do(flow, ids.REC_MISDEAL, 0, 6, 0)
    assert (flow.state, flow.round_open) == (flow_module.REMAINDER_OFFERED, False)
    for spent, then in ((False, DRAW_READY), (True, DECK_SPENT)):
        flow = flow_in(DRAWING, "double-attack-blackjack", "draw", round_open=True)
        flow.play.spent = spent
        flow.play.burned = 2
        flow.positions = 3
        record_do(flow, ids.REC_MISDEAL, 0, 0, 0)
        assert flow.state == then
        assert (flow.positions, flow.play.burned, flow.outbox.round, flow.tail) == (0, 0, 0, 0)
        assert flow.machine.zone == DISCARDED
