"""The facts of a table: each recorded event changes what it is about, and nothing else."""

from support import board

from firmware.fault import FAULT_COMPOSITION, FAULT_FACE_UP
from firmware.games import shoe_facts, table_facts
from firmware.games.profile import TAIL_HANDED, TAIL_HOUSE, TAIL_LOCKOUT, TAIL_SETTLING, TAIL_WAGERS
from firmware.games.table_facts import (
    ABORTED,
    ACCEPTED,
    APPROVAL,
    BOOKS_SIZE,
    BY_HAND,
    CLOSED_AGAIN,
    COLLECTED,
    COMMITTED,
    COUNTED,
    CUT_MADE,
    DEALT,
    DECIDED,
    DECK_CELLS,
    DECK_FIRST,
    DUE,
    EXTRA,
    FACE_UPS,
    FINAL,
    HELD,
    HELD_DISPUTE,
    HELD_LOOKED,
    HELD_NEW,
    HELD_OFF,
    HELD_WINNER,
    INDUCTED,
    MACHINE_COUNTED,
    NOT_IN,
    OPEN,
    PLAYED,
    POSITIONS,
    RACK,
    READER_OFF,
    REMOVED,
    REST,
    ROUND_END,
    ROUND_FIRST,
    ROUNDS,
    SECONDS,
    SERVICE,
    SHORT,
    SINCE,
    SOURCE,
    STACKS,
    STUB,
    TAIL,
    TAIL_DECK,
    TENS,
    TURN,
    WITHDRAWN,
    TableFacts,
)
from firmware.protocol import ids
from rig.games import load_profile

WASHED = 1 << ids.REC_WASHED
OF_A_DECK = (INDUCTED, SOURCE, CUT_MADE, MACHINE_COUNTED, HELD, SINCE)
NEW_ROUND = (ids.EV_ROUND_STARTED, 3)
LAYOUT = """
    ROUNDS TURN SERVICE PLAYED READER_OFF APPROVAL FACE_UPS TENS
    TAIL TAIL_DECK STACKS DEALT REST - EXTRA BY_HAND SECONDS - NOT_IN - FINAL COUNTED STUB - ACCEPTED COLLECTED
    DUE OPEN
    - - - - - - - - - - - -
    REMOVED RACK POSITIONS - COMMITTED ABORTED - - CLOSED_AGAIN DECIDED WITHDRAWN -
"""


def new(game="caribbean-stud", decks=1, dealing="shoe", once=True):
    config = board("draw" if game == "double-attack-blackjack" else "carousel")
    config["inputs"]["back"] = 28
    config["table"] = {"decks": decks, "dealing": dealing}
    facts = TableFacts(load_profile(game).at_table(config))
    facts.once = once
    return facts


def noted(facts, *events, deck=1, round_number=1):
    """The cells that events change, with their new values; each event is its message and its values."""
    before = bytes(facts.row)
    for message, *values in events:
        facts.note(message, values + [0] * 7, deck, round_number)
    return {i: facts.row[i] for i in range(BOOKS_SIZE) if facts.row[i] != before[i]}


def told(facts, what, a=0, b=0, consequence=0, deck=1):
    return noted(facts, (ids.EV_RECORDED, what, a, b, consequence), deck=deck)


def of(deck, cell):
    return DECK_FIRST + (deck - 1) * DECK_CELLS + cell


def filled(facts, value=1):
    for i in range(BOOKS_SIZE):
        facts.row[i] = value
    return facts


def settling(game="boston-5-stud", rest=40, decks=1):
    """A round of three positions, its rest taken out."""
    facts = new(game, decks)
    noted(facts, NEW_ROUND, (ids.EV_STACK_TAKEN, 1, 3), (ids.EV_STACK_TAKEN, 2, 3), (ids.EV_STACK_TAKEN, 3, 3))
    noted(facts, (ids.EV_STACK_TAKEN, 4, 3), (ids.EV_REMAINDER_TAKEN, rest))
    return facts


def test_cells_have_places_of_their_own():
    """A cell that moves makes nonsense of what an older firmware has stored."""
    layout = LAYOUT.split()
    assert len(layout) == BOOKS_SIZE
    names = dir(table_facts)
    for i in range(BOOKS_SIZE):
        assert layout[i] == "-" or (layout[i] in names and getattr(table_facts, layout[i]) == i), layout[i]
    assert (ROUND_FIRST, ROUND_END, DECK_FIRST, DECK_CELLS) == (8, 28, 28, 6)
    assert OF_A_DECK == (0, 1, 2, 3, 4, 5)
    assert (HELD_DISPUTE, HELD_WINNER, HELD_OFF, HELD_LOOKED, HELD_NEW) == (1, 2, 4, 8, 16)
    assert (table_facts.APPROVED_MARKER, table_facts.APPROVED_NO_BURN, table_facts.DEALER_DONE) == (1, 2, 16)


def test_a_new_table_knows_nothing_and_begins_with_deck_1():
    facts = TableFacts(load_profile("caribbean-stud"))
    assert bytes(facts.row) == bytes(BOOKS_SIZE) and not facts.dirty and facts.once
    assert facts.turn() == 1 and facts.stub() == ids.UNKNOWN_U16
    assert not facts.inducted(1) and not facts.cut_due(1)
    noted(facts, (ids.EV_GREEN_PRESSED,))
    assert facts.dirty


def test_dealer_and_boxes_of_a_blackjack_round_are_kept_until_the_next_begins():
    facts = new("double-attack-blackjack", once=False)
    noted(facts, NEW_ROUND)
    assert told(facts, ids.REC_UP_CARD, 12) == {shoe_facts.UP_CARD: 12}
    assert noted(facts, (ids.EV_HOLE_CARD_READ, ids.ANSWER_NO)) == {shoe_facts.ANSWER: 1}
    assert noted(facts, (ids.EV_HOLE_CARD_READ, ids.ANSWER_FAULT)) == {}
    assert told(facts, ids.REC_DEALER_CARD) == {shoe_facts.ANSWER: 1 | shoe_facts.CALLED}
    for box in range(1, 8):
        for hands in range(1, 4 if box % 2 else 5):
            told(facts, ids.REC_SURRENDER, box)
            assert shoe_facts.box_surrendered(facts.row, box) == hands
    assert [shoe_facts.box_surrendered(facts.row, box) for box in range(1, 8)] == [3, 4, 3, 4, 3, 4, 3]
    assert (shoe_facts.BOXES, shoe_facts.UP_CARD, shoe_facts.ANSWER, shoe_facts.CALLED) == (16, 24, 25, 4)
    noted(facts, NEW_ROUND)
    # A box that missed its second card, one without any and one that missed a hit.
    for box, has, hands, waits in ((3, 1, 0, [0, 0, 1]), (6, 0, 7, [0, 0, 0]), (5, 2, 0, [1, 1, 1])):
        told(facts, ids.REC_BOX_MISSED, box, has)
        assert shoe_facts.box_surrendered(facts.row, box) == hands
        assert [shoe_facts.box_waits(facts.row, box, cards) for cards in range(3)] == [bool(one) for one in waits]
    assert [facts.row[cell] for cell in range(16, 20)] == [0, shoe_facts.MISSED << 4, 0, shoe_facts.DEAD]
    noted(facts, NEW_ROUND)
    assert not any(facts.row[cell] for cell in range(16, 26))


def test_what_is_about_nothing_here_changes_nothing():
    events = (
        "POWER_LOST EMPTY_PROVED WARNING_LATCHED WARNING_CLEARED DOOR_CLOSED CLOCK_SET COMMAND_ACCEPTED COMMAND_ENDED"
        " RECORD_DAMAGED SEALED JOURNAL_BROKEN JOURNAL_FILLING KEY_CHANGED SERVICE DECK_REMOVED REMOVAL_FAILED"
        " SIGNING_KEY STACK_STARTED STACK_OFFERED GREEN_PRESSED RELEASE_STARTED REMAINDER_RELEASED CUT_REACHED"
        " RELEASE_FAILED HELD_BACK COVER_ALL DRAW_FLAGGED"
    )
    for name in events.split():
        for tail in (0, TAIL_SETTLING):
            facts = filled(new(decks=2), 3)
            facts.row[TAIL] = tail
            assert noted(facts, (getattr(ids, "EV_" + name), 9, 9, 9)) == {}, name
    records = "DRAWN_IN_ERROR SHORT_SHOE CUT_OFFERED BOX_MISSED CARD_TO"
    for name in records.split():
        for tail in (0, TAIL_SETTLING):
            facts = filled(new(decks=2), 3)
            facts.row[TAIL] = tail
            assert told(facts, getattr(ids, "REC_" + name), 9, 9) == {}, name


def test_events_about_no_deck_change_no_deck():
    for message in (ids.EV_DECK_VERIFIED, ids.EV_DECK_REFUSED, ids.EV_SHUFFLE_FAILED, ids.EV_ROUND_ENDED):
        facts = filled(new(decks=2), 3)
        changed = noted(facts, (message,), deck=0)
        assert [i for i in changed if i not in (TAIL, OPEN, ROUNDS, FACE_UPS)] == []


def test_a_round_begins_with_its_deck_and_positions_and_nothing_of_the_round_before():
    facts = filled(new(), 9)
    changed = noted(facts, NEW_ROUND, deck=2)
    expected = dict.fromkeys(range(ROUND_FIRST, ROUND_END), 0)
    expected.update({TAIL_DECK: 2, POSITIONS: 3, OPEN: 1, PLAYED: 1, TURN: 0})  # of one deck
    expected.update({CLOSED_AGAIN: 0, DECIDED: 0, WITHDRAWN: 0, WITHDRAWN + 1: 0})
    assert changed == expected


def test_stacks_that_are_taken_are_counted_and_a_card_that_was_due_is_no_longer_due():
    facts = new()
    assert noted(facts, (ids.EV_STACK_TAKEN, 1, 0)) == {STACKS: 1}
    facts = new()
    assert noted(facts, (ids.EV_STACK_TAKEN, 1, 5)) == {STACKS: 1, DEALT: 5}
    facts.row[EXTRA] = 2
    assert noted(facts, (ids.EV_STACK_TAKEN, 2, 4)) == {STACKS: 2, DEALT: 9}
    assert noted(facts, (ids.EV_STACK_TAKEN, 0, 1)) == {EXTRA: 1, DEALT: 10}
    assert noted(facts, (ids.EV_STACK_TAKEN, 2, 250)) == {EXTRA: 0, DEALT: 255}
    assert noted(facts, (ids.EV_STACK_TAKEN, 2, 0)) == {}
    assert noted(facts, (ids.EV_STUB_DUE, 5)) == {DUE: 1}


def test_lock_out_and_second_closing_move_only_a_round_that_is_dealt_by_hand():
    facts = new()
    assert noted(facts, (ids.EV_LOCKOUT_CONFIRMED,), (ids.EV_BETTING_CLOSED, 2)) == {CLOSED_AGAIN: 1}
    facts = new(dealing="manual")
    assert noted(facts, NEW_ROUND)[TAIL] == TAIL_LOCKOUT
    assert noted(facts, (ids.EV_LOCKOUT_CONFIRMED,)) == {TAIL: TAIL_SETTLING}
    facts.row[TAIL] = TAIL_LOCKOUT
    assert noted(facts, (ids.EV_BETTING_CLOSED, 2)) == {TAIL: TAIL_SETTLING, CLOSED_AGAIN: 1}


def test_of_a_round_dealt_by_hand_the_plan_tells_what_is_out_unless_positions_are_unknown():
    facts = new(dealing="manual")
    changed = noted(facts, NEW_ROUND)
    assert (changed[STACKS], changed[DEALT], changed[REST]) == (4, 20, 32) and BY_HAND not in changed
    facts = new("boston-5-stud", dealing="hand")
    noted(facts, NEW_ROUND)
    assert (facts.row[DEALT], facts.row[REST], facts.row[BY_HAND]) == (12, 40, 0)
    facts = new("double-cross-poker", dealing="hand")
    noted(facts, NEW_ROUND)
    profile = facts.profile
    assert facts.row[BY_HAND] == (0 if profile.final_each else profile.final_fixed)
    noted(facts, (ids.EV_ROUND_STARTED, 0))
    assert (facts.row[STACKS], facts.row[DEALT], facts.row[REST]) == (0, 0, 255)
    assert facts.stub() == ids.UNKNOWN_U16 and not facts.stub_reported_later()


def test_cards_face_up_and_tens_are_counted_apart():
    facts = new()
    assert noted(facts, (ids.EV_CARDS_ODD, FAULT_FACE_UP, 2), deck=0) == {FACE_UPS: 2, PLAYED: 1}  # of the only deck
    assert noted(facts, (ids.EV_CARDS_ODD, FAULT_COMPOSITION, 3)) == {TENS: 3, REMOVED: 1}
    assert noted(facts, (ids.EV_CARDS_ODD, FAULT_COMPOSITION, 4)) == {TENS: 4, REMOVED: 2}
    facts.row[TAIL] = facts.row[TAIL_DECK] = 1  # from a manual shoe: it left the rest by hand
    assert noted(facts, (ids.EV_CARDS_ODD, FAULT_FACE_UP, 5)) == {FACE_UPS: 5, BY_HAND: 3}


def test_a_round_that_is_over_counts_for_the_table_and_for_its_deck():
    for event in (ids.EV_ROUND_ENDED, ids.EV_ROUND_VOIDED):
        facts = new(decks=2)
        noted(facts, NEW_ROUND)
        for cell in OF_A_DECK:
            facts.row[of(1, cell)] = facts.row[of(2, cell)] = 7
        facts.row[ROUNDS] = 3
        facts.row[FACE_UPS] = facts.row[TENS] = facts.row[TAIL] = 1
        over = {OPEN: 0, TAIL: 0, FACE_UPS: 0, ROUNDS: 4, of(1, SINCE): 8}
        over.update({of(1, cell): 0 for cell in (SOURCE, CUT_MADE, MACHINE_COUNTED)})
        assert noted(facts, (event,)) == over
        assert noted(facts, (event,), deck=2)[of(2, SINCE)] == 8
        facts.row[COUNTED] = 1
        assert noted(facts, (event,)) == {ROUNDS: 0, of(1, SINCE): 0}
        facts.row[COUNTED] = 0
        facts.row[ROUNDS] = facts.row[of(1, SINCE)] = 255
        assert noted(facts, (event,)) == {}


def test_a_shoe_that_lasts_for_many_rounds_stays_shuffled():
    facts = filled(new("double-attack-blackjack", once=False))
    changed = noted(facts, (ids.EV_ROUND_ENDED,))
    assert changed == {TAIL: 0, OPEN: 0, ROUNDS: 0, of(1, SINCE): 0}
    facts = filled(new("caribbean-stud", once=False))  # a deck of one round does not
    assert noted(facts, (ids.EV_ROUND_ENDED,))[of(1, SOURCE)] == 0


def test_the_rest_of_a_shoe_that_was_dealt_from_is_no_longer_shuffled_and_has_to_be_counted():
    for event in (ids.EV_REMAINDER_TAKEN, ids.EV_SHUFFLE_STARTED, ids.EV_SHUFFLE_FAILED, ids.EV_REMOVAL_STARTED):
        facts = new("double-attack-blackjack", once=False)
        facts.row[PLAYED] = facts.row[of(1, SOURCE)] = 1
        changed = noted(facts, (event, 9), round_number=0)
        assert (changed[PLAYED], changed[RACK], changed[of(1, SOURCE)]) == (0, 1, 0), event
        assert noted(facts, (event, 9), round_number=0).get(RACK) is None
    facts = new("double-attack-blackjack", once=False)
    facts.row[of(1, SOURCE)] = 1
    assert noted(facts, (ids.EV_REMAINDER_TAKEN, 9), round_number=0) == {REST: 9}


def test_the_rest_is_known_once_it_was_taken_and_the_other_deck_is_next():
    facts = new(decks=2)
    assert noted(facts, NEW_ROUND)[TURN] == 2
    assert noted(facts, (ids.EV_REMAINDER_TAKEN, 32)) == {REST: 32, TAIL: TAIL_SETTLING}
    assert noted(facts, (ids.EV_REMAINDER_TAKEN, 30)) == {}  # out of a manual shoe, in a round that is settled
    facts = new(decks=2)
    facts.row[of(1, SOURCE)] = 1  # to be dealt by other means
    assert noted(facts, (ids.EV_REMAINDER_TAKEN, 52), deck=1, round_number=0)[TURN] == 2
    assert noted(facts, NEW_ROUND, deck=2)[TURN] == 1
    facts = new()
    noted(facts, NEW_ROUND)
    assert noted(facts, (ids.EV_REMAINDER_TAKEN, 300)) == {REST: 255, TAIL: TAIL_SETTLING}
    assert TURN not in noted(new(decks=2), (ids.EV_REMAINDER_TAKEN, 32), deck=0)


def test_cards_that_follow_from_the_rest_by_hand_are_no_part_of_the_stub():
    facts = settling()
    assert facts.stub() == ids.UNKNOWN_U16 and facts.stub_reported_later()
    assert told(facts, ids.REC_FINAL_DEAL, 3) == {FINAL: 4, BY_HAND: 8}
    assert facts.stub() == 32 and not facts.stub_reported_later()
    facts = settling("double-cross-poker", 30)  # five cards of the community follow from the rest
    assert (facts.row[BY_HAND], facts.stub()) == (5, 25)
    facts = settling("caribbean-stud", 32)
    assert facts.stub() == 32
    facts = new()
    noted(facts, NEW_ROUND)
    facts.row[EXTRA] = 1  # due, and not dealt by the machine
    noted(facts, (ids.EV_REMAINDER_TAKEN, 32))
    assert (facts.row[EXTRA], facts.row[SHORT], facts.row[BY_HAND], facts.stub()) == (0, 1, 1, 31)
    facts = settling(rest=3)
    told(facts, ids.REC_FINAL_DEAL, 3)
    assert facts.stub() == 0
    facts.row[TAIL] = 0
    assert facts.stub() == ids.UNKNOWN_U16 and not facts.stub_reported_later()


def test_a_deck_handed_out_whole_waits_for_its_round_and_is_played_if_it_comes_back_untold():
    facts = new(dealing="manual")
    noted(facts, (ids.EV_DECK_VERIFIED, 52))
    assert facts.handed(1, 0) and facts.handed(0, 0) and not facts.handed(1, 5)
    facts.row[STACKS] = 4
    changed = noted(facts, (ids.EV_REMAINDER_TAKEN, 52), round_number=0)
    assert changed == {TAIL: TAIL_HANDED, TAIL_DECK: 1, STACKS: 0}
    assert not facts.stub_reported_later()
    for event in (ids.EV_SHUFFLE_STARTED, ids.EV_SHUFFLE_FAILED, ids.EV_REMOVAL_STARTED):
        again = new(dealing="manual")
        again.row[:] = facts.row
        changed = noted(again, (event,), round_number=0)
        assert (changed[TAIL], changed[ROUNDS], changed[of(1, SINCE)]) == (0, 1, 1)
    seen = new(dealing="manual")
    seen.row[:] = facts.row
    assert told(seen, ids.REC_HOLE_CARD_SEEN)[TAIL] == 0 and seen.row[ROUNDS] == 0  # no round begins of that deck
    facts.row[of(1, SOURCE)] = 1
    assert noted(facts, (ids.EV_REMAINDER_TAKEN, 52), round_number=0)[ROUNDS] == 1
    both = new(decks=2, dealing="manual")
    both.row[TAIL], both.row[TAIL_DECK] = TAIL_HANDED, 1
    assert TAIL not in noted(both, (ids.EV_SHUFFLE_STARTED,), deck=2)  # the other deck, while the first is played
    one = new(dealing="manual")
    one.row[TAIL], one.row[TAIL_DECK] = TAIL_LOCKOUT, 1
    assert TAIL not in noted(one, (ids.EV_SHUFFLE_STARTED,))  # its round is reported
    facts = new()
    facts.row[of(1, SOURCE)] = 1
    assert not facts.handed(1, 0)
    assert noted(facts, (ids.EV_REMAINDER_TAKEN, 52), round_number=0)[ROUNDS] == 1  # dealt by other means


def test_a_verified_deck_was_shuffled_and_counted_by_the_machine_until_power_or_a_fault_takes_that_away():
    facts = new(decks=2)
    assert noted(facts, (ids.EV_DECK_VERIFIED, 52), deck=2) == {of(2, SOURCE): 1, of(2, MACHINE_COUNTED): 1}
    facts.row[of(2, CUT_MADE)] = facts.row[of(1, SOURCE)] = 1
    lost = {of(2, cell): 0 for cell in (SOURCE, MACHINE_COUNTED, CUT_MADE)}
    for event in (ids.EV_SHUFFLE_STARTED, ids.EV_SHUFFLE_FAILED, ids.EV_REMOVAL_STARTED):
        again = new(decks=2)
        again.row[:] = facts.row
        assert noted(again, (event,), deck=2) == lost
    facts.row[PLAYED] = 1
    lost[of(1, SOURCE)] = 0
    assert noted(facts, (ids.EV_BOOTED,)) == lost
    assert noted(facts, (ids.EV_SHUFFLE_STARTED,)) == {}  # a deck that is played once leaves no rack to count


def test_a_deck_the_machine_refused_starts_anew_and_a_new_one_is_asked_for():
    facts = filled(new(decks=2))
    changed = noted(facts, (ids.EV_DECK_REFUSED,), deck=2)
    assert changed == {of(2, cell): HELD_NEW if cell == HELD else 0 for cell in OF_A_DECK}
    for event in ((ids.EV_SHUFFLE_STARTED,), (ids.EV_DECK_LOADED, 52, ids.LOADED_SHUFFLED)):
        facts.row[of(2, HELD)] = HELD_NEW | HELD_DISPUTE
        facts.row[47] = facts.row[TENS] = 1
        noted(facts, event, deck=2)
        assert (facts.deck(2, HELD), facts.deck(2, FACE_UPS), facts.row[TENS]) == (HELD_DISPUTE, 0, 0)


def test_a_shoe_loaded_as_a_whole_is_new_and_a_rack_only_completes_it():
    for loaded, kept in ((ids.LOADED_AGAIN, 0), (ids.LOADED_SHUFFLED, 0), (ids.LOADED_RACK, 1)):
        facts = new("double-attack-blackjack", once=False)
        facts.row[PLAYED] = facts.row[REMOVED] = 1
        noted(facts, (ids.EV_DECK_LOADED, 200, loaded))
        assert (facts.row[PLAYED], facts.row[REMOVED]) == (kept, kept)
    facts.row[PLAYED] = facts.row[REMOVED] = 1
    assert noted(facts, (ids.EV_GREEN_PRESSED,)) == {}


def test_an_opened_door_is_noted_for_decks_that_were_ordered_off_the_table():
    facts = new(decks=2)
    facts.row[of(1, HELD)], facts.row[of(2, HELD)] = HELD_OFF | HELD_DISPUTE, HELD_WINNER
    assert noted(facts, (ids.EV_DOOR_OPENED,)) == {of(1, HELD): HELD_OFF | HELD_DISPUTE | HELD_LOOKED}
    facts.row[of(2, HELD)] = HELD_OFF
    assert noted(facts, (ids.EV_DOOR_OPENED,)) == {of(2, HELD): HELD_OFF | HELD_LOOKED}


def test_commitments_wait_for_a_nonce_and_aborted_shuffles_are_counted_in_two_bytes():
    facts = new()
    assert noted(facts, (ids.EV_SHUFFLE_COMMITTED, 2)) == {COMMITTED: 1}
    assert noted(facts, (ids.EV_SHUFFLE_NONCE, 1, 0x12FF)) == {COMMITTED: 0, ABORTED: 0xFF, ABORTED + 1: 0x12}
    assert facts.word(ABORTED) == 0x12FF
    assert noted(facts, (ids.EV_SHUFFLE_COMMITTED, 0)) == {}


def test_steps_of_induction_are_bits_of_the_deck_they_name():
    facts = new(decks=2)
    facts.row[of(2, HELD)] = HELD_OFF | HELD_LOOKED | HELD_DISPUTE
    steps = (ids.REC_INSPECTED, ids.REC_VERIFIED, ids.REC_SHOWN, ids.REC_TENS_REMOVED)
    bits = 0
    for step in steps:
        bits |= 1 << step
        assert told(facts, step, 2) == {of(2, INDUCTED): bits}
    assert not facts.inducted(2)
    assert told(facts, ids.REC_WASHED, 2) == {of(2, INDUCTED): bits | WASHED, of(2, HELD): HELD_DISPUTE}
    assert facts.inducted(2) and not facts.inducted(1)
    assert told(facts, ids.REC_MIXING_SEEN, 2) == {of(2, INDUCTED): bits}
    assert not facts.inducted(2)


def test_who_shuffled_a_deck_decides_whether_it_has_to_be_cut():
    facts = new(decks=2)
    facts.row[of(1, CUT_MADE)] = facts.row[of(1, MACHINE_COUNTED)] = 1
    changed = told(facts, ids.REC_PROVENANCE, 1, ids.FROM_HAND)
    assert changed == {of(1, SOURCE): ids.FROM_HAND, of(1, CUT_MADE): 0, of(1, MACHINE_COUNTED): 0}
    assert facts.cut_due(1) and not facts.cut_due(2)
    assert told(facts, ids.REC_CUT, 20, 1, deck=0) == {of(1, CUT_MADE): 1}
    assert not facts.cut_due(1)
    assert told(facts, ids.REC_CUT, 20, 1, deck=2) == {of(2, CUT_MADE): 1}
    facts.row[of(1, CUT_MADE)] = 0
    facts.row[of(1, SOURCE)] = ids.FROM_MACHINE
    assert not facts.cut_due(1)


def test_a_deck_that_is_removed_is_forgotten_and_a_confirmed_new_one_is_free():
    facts = filled(new(decks=2), 31)
    changed = told(facts, ids.REC_DECK_REMOVED, 1, 0)
    gone = {of(1, cell): 0 for cell in OF_A_DECK}
    gone.update({of(1, HELD): 31 & ~HELD_NEW, RACK: 0, REMOVED: 0})
    assert changed == gone
    assert told(facts, ids.REC_DECK_REMOVED, 1, 1) == {of(1, HELD): 0}


def test_holds_of_a_deck_begin_and_end_one_by_one():
    facts = new(decks=2)
    assert told(facts, ids.REC_DISPUTE, 2, 1) == {of(2, HELD): HELD_DISPUTE}
    assert told(facts, ids.REC_WINNER_HOLD, 2, 1) == {of(2, HELD): HELD_DISPUTE | HELD_WINNER}
    assert told(facts, ids.REC_DISPUTE, 2, 0) == {of(2, HELD): HELD_WINNER}
    assert told(facts, ids.REC_WINNER_HOLD, 2, 0) == {of(2, HELD): 0}


def test_idle_tables_lose_the_shuffle_and_the_mixing_and_out_of_service_the_whole_induction():
    for what, a, consequence, kept in (
        (ids.REC_NO_ACTIVITY, 0, 0, 6),
        (ids.REC_NO_ACTIVITY, 0, ids.INDUCT_AGAIN + 1, 6),
        (ids.REC_NO_ACTIVITY, 0, ids.INDUCT_AGAIN, 0),
        (ids.REC_OUT_OF_SERVICE, 1, 0, 0),
    ):
        facts = new(decks=2)
        for deck in (1, 2):
            facts.row[of(deck, INDUCTED)] = 6 | WASHED
            facts.row[of(deck, SOURCE)] = facts.row[of(deck, CUT_MADE)] = facts.row[of(deck, MACHINE_COUNTED)] = 1
        facts.row[TAIL] = TAIL_HANDED
        told(facts, what, a, 0, consequence)
        for deck in (1, 2):
            assert [facts.deck(deck, cell) for cell in OF_A_DECK] == [kept, 0, 0, 0, 0, 0]
        assert (facts.row[TAIL], facts.row[SERVICE]) == (0, a)
    for tail in (TAIL_SETTLING, TAIL_LOCKOUT):
        facts.row[TAIL] = tail
        facts.row[SERVICE] = 1
        assert told(facts, ids.REC_NO_ACTIVITY) == {}
        assert told(facts, ids.REC_OUT_OF_SERVICE, 0) == {SERVICE: 0}


def test_a_count_of_the_stub_ends_what_was_overdue():
    facts = settling("caribbean-stud", 32)
    facts.row[ROUNDS] = facts.row[of(1, SINCE)] = 5
    assert told(facts, ids.REC_STUB_COUNTED, 0x1FF) == {COUNTED: 1, STUB: 0xFF, STUB + 1: 1}
    facts = new(decks=2)  # between two rounds, of the whole deck
    facts.row[ROUNDS] = facts.row[of(1, SINCE)] = facts.row[of(2, SINCE)] = facts.row[RACK] = 5
    changed = told(facts, ids.REC_STUB_COUNTED, 52, deck=2)
    assert changed == {COUNTED: 1, STUB: 52, ROUNDS: 0, RACK: 0, of(2, SINCE): 0}
    facts.row[RACK] = facts.row[of(1, SINCE)] = 1
    assert told(facts, ids.REC_STUB_COUNTED, 52, 0, ids.ALL_VOID_RESHUFFLE, deck=0) == {of(1, SINCE): 0}
    facts = new(dealing="manual")  # of a deck that was handed out: its round is over
    facts.row[TAIL], facts.row[TAIL_DECK], facts.row[ROUNDS] = TAIL_HANDED, 1, 4
    assert told(facts, ids.REC_STUB_COUNTED, 52) == {COUNTED: 1, STUB: 52, TAIL: 0, ROUNDS: 0}


def test_progressive_wagers_are_kept_with_one_added_and_none_told_is_zero():
    facts = new()
    assert told(facts, ids.REC_PROGRESSIVE, 0, 7) == {ACCEPTED: 1, COLLECTED: 8}
    assert told(facts, ids.REC_PROGRESSIVE, 300, 254) == {ACCEPTED: 255, COLLECTED: 255}
    assert told(facts, ids.REC_PROGRESSIVE, 254, 300) == {}


def test_a_fold_takes_the_second_wager_with_it():
    facts = settling()
    for position in (1, 9):
        told(facts, ids.REC_SECOND_WAGER, position, 1)
    assert facts.word(SECONDS) == 0x101
    assert told(facts, ids.REC_SECOND_WAGER, 1, 0) == {SECONDS: 0, NOT_IN: 1, WITHDRAWN: 1}  # a fold
    told(facts, ids.REC_SECOND_WAGER, 3, 1)
    assert told(facts, ids.REC_SECOND_WAGER, 3, 0) == {SECONDS: 0, NOT_IN: 5, WITHDRAWN: 5}
    assert told(facts, ids.REC_FOLD, 3) == {WITHDRAWN: 1}
    assert told(facts, ids.REC_FOLD, 9) == {SECONDS + 1: 0, NOT_IN + 1: 1}
    assert told(facts, ids.REC_FOLD, 2) == {NOT_IN: 7}
    assert facts.row[DECIDED] == 1 and noted(facts, NEW_ROUND)[DECIDED] == 0


def test_counts_of_a_shoe_add_up_and_do_not_run_over():
    facts = new("double-attack-blackjack", once=False)
    assert told(facts, ids.REC_FACE_UP, 2) == {FACE_UPS: 2, PLAYED: 1}
    assert told(facts, ids.REC_FACE_UP, 255) == {FACE_UPS: 255}
    assert told(facts, ids.REC_TEN_FOUND, 3) == {TENS: 3, REMOVED: 3}
    facts.row[PLAYED] = 0
    assert told(facts, ids.REC_BURNED, 0, 3) == {} and told(facts, ids.REC_BURNED, 1, 3) == {PLAYED: 1}
    facts.row[TAIL], facts.row[of(1, SOURCE)] = TAIL_SETTLING, 3
    assert told(facts, ids.REC_DEALER_CHANGE) == {} and told(facts, ids.REC_RESHUFFLE) == {of(1, SOURCE): 0}
    assert told(facts, ids.REC_READER_OFF, 0) == {READER_OFF: 1}
    assert told(facts, ids.REC_READER_OFF, 1) == {READER_OFF: 0}
    assert told(facts, ids.REC_APPROVAL, 0, 0x103) == {APPROVAL: 3}


def test_a_card_that_a_rule_makes_due_comes_from_the_machine_or_from_the_released_rest():
    for consequence in (ids.COMPLETE_HAND, ids.REJECT_CARD):
        facts = new()
        assert told(facts, ids.REC_DRAWN_IN_ERROR, 1, 0, consequence) == {EXTRA: 1}
        facts = settling("caribbean-stud", 32)
        assert told(facts, ids.REC_DRAWN_IN_ERROR, 1, 0, consequence) == {BY_HAND: 1, SHORT: 1}
    assert told(facts, ids.REC_DRAWN_IN_ERROR, 1, 0, ids.ONE_VOID) == {}


def test_a_deck_that_a_rule_orders_off_is_held_and_inducted_anew():
    facts = new(decks=2)
    for deck, named in ((1, 0), (2, 2)):
        facts.row[of(deck, INDUCTED)], facts.row[of(deck, HELD)] = 30, HELD_LOOKED | HELD_DISPUTE
        changed = told(facts, ids.REC_HOLE_CARD_SEEN, 0, 0, ids.ALL_VOID_REMOVE_DECK, deck=named)
        assert changed == {of(deck, INDUCTED): 0, of(deck, HELD): HELD_OFF | HELD_DISPUTE}


def test_hands_as_they_were_found_and_the_stub_are_the_whole_deck():
    """What a hand has less than it should is in the stub, and what it has more came from there."""
    facts = settling("caribbean-stud", 32)
    assert told(facts, ids.REC_MISDEAL, 2, 4, ids.ONE_VOID) == {NOT_IN: 2, SECONDS: 2, BY_HAND: 255}
    assert facts.stub() == 33
    assert told(facts, ids.REC_MISDEAL, 0, 4, ids.COMPLETE_HAND) == {NOT_IN + 1: 0x80, SHORT: 1}
    assert facts.stub() == 33
    facts = settling("caribbean-stud", 32)
    assert told(facts, ids.REC_MISDEAL, 1, 6, ids.ALL_VOID_RESHUFFLE) == {BY_HAND: 1}
    assert facts.stub() == 31
    facts = settling()  # a hand of Boston 5 Stud: three by the machine, two by hand
    told(facts, ids.REC_FINAL_DEAL, 2)
    assert told(facts, ids.REC_MISDEAL, 1, 4, ids.ONE_VOID) == {NOT_IN: 1, SECONDS: 1, FINAL: 2, BY_HAND: 5}
    assert told(facts, ids.REC_MISDEAL, 2, 2, ids.ONE_VOID) == {NOT_IN: 3, SECONDS: 3, FINAL: 1, BY_HAND: 2}
    assert told(facts, ids.REC_MISDEAL, 3, 6, ids.ONE_VOID) == {NOT_IN: 7, SECONDS: 7, BY_HAND: 5}  # six of three
    assert told(facts, ids.REC_MISDEAL, 0, 6, ids.ALL_VOID_RESHUFFLE) == {BY_HAND: 6}
    for seat, consequence in ((0, ids.ONE_VOID), (16, ids.ONE_VOID), (255, ids.ONE_VOID), (9, ids.RESHUFFLE), (9, 11)):
        told(facts, ids.REC_MISDEAL, seat, 6, consequence)
        assert facts.word(NOT_IN) == 7, seat
    facts = settling()
    facts.profile.final_fixed = 4  # and a game that deals the dealer more by hand than a player
    told(facts, ids.REC_FINAL_DEAL, 2)
    assert told(facts, ids.REC_MISDEAL, 0, 6, ids.ALL_VOID_RESHUFFLE) == {BY_HAND: 7}
    assert told(facts, ids.REC_MISDEAL, 1, 6, ids.ALL_VOID_RESHUFFLE) == {BY_HAND: 8}
    facts = settling("double-down-stud", 45)  # one card to each player, four for the community
    before = facts.row[BY_HAND]
    told(facts, ids.REC_MISDEAL, 1, 0, ids.ONE_VOID)
    told(facts, ids.REC_MISDEAL, 0, 2, ids.ALL_VOID_RESHUFFLE)
    assert facts.row[BY_HAND] == (before - 3) & 255
    facts = settling()  # before the final deal only the machine's cards are judged
    assert told(facts, ids.REC_MISDEAL, 1, 2, ids.ONE_VOID) == {NOT_IN: 1, SECONDS: 1, BY_HAND: 255}


def test_each_deck_has_its_own_tally_of_cards_that_lay_face_up():
    facts = new("boston-5-stud", decks=2)
    noted(facts, NEW_ROUND, deck=1)
    assert told(facts, ids.REC_FACE_UP, 1) == {FACE_UPS: 1}
    assert noted(facts, (ids.EV_SHUFFLE_STARTED, 52), deck=2) == {}
    assert noted(facts, (ids.EV_CARDS_ODD, FAULT_FACE_UP, 1), deck=2) == {47: 1}
    assert (facts.deck(1, FACE_UPS), facts.deck(2, FACE_UPS)) == (1, 1)
    assert noted(facts, (ids.EV_SHUFFLE_STARTED, 52), deck=2) == {47: 0}
    assert noted(facts, (ids.EV_ROUND_ENDED,), deck=1)[FACE_UPS] == 0
    facts = settling(decks=2)  # and what is found in another deck is not taken from the rest of the round
    assert noted(facts, (ids.EV_CARDS_ODD, FAULT_FACE_UP, 1), deck=2) == {47: 1}
    assert noted(facts, (ids.EV_CARDS_ODD, FAULT_FACE_UP, 1), deck=1) == {FACE_UPS: 1, BY_HAND: 1}


def test_a_round_that_no_rule_covers_waits_for_the_house():
    held = (ids.EV_HELD_BACK, ids.NEED_HOUSE_DECISION)
    for game, closed, tail in (("double-down-stud", 0, TAIL_WAGERS), ("double-down-stud", 1, TAIL_SETTLING)):
        facts = new(game)
        assert noted(facts, held) == {}  # of no round
        noted(facts, NEW_ROUND)
        if closed:
            assert noted(facts, (ids.EV_BETTING_CLOSED, 2)) == {CLOSED_AGAIN: 1}
        assert noted(facts, (ids.EV_HELD_BACK, ids.NEED_CUT)) == {}
        assert noted(facts, held) == {TAIL: TAIL_HOUSE, REST: 255}
        assert noted(facts, (ids.EV_BOOTED,), deck=0) == {}
        changed = told(facts, ids.REC_HOUSE_DECISION, ids.HOUSE_GOES_ON, 0, ids.PLAY_ON)
        assert changed == {TAIL: tail, STACKS: 4}
        assert facts.stub() == ids.UNKNOWN_U16
        assert noted(facts, NEW_ROUND).get(CLOSED_AGAIN, 0) == 0
        noted(facts, held)
        assert told(facts, ids.REC_HOUSE_DECISION, ids.HOUSE_VOID, 0, ids.ALL_VOID_RESHUFFLE) == {}
