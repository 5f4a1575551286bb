"""Records: what no sensor sees and the rules need, told by a command or a button. Each kind is a row of one table: when
it is taken, what its numbers mean, which rule it is about. What follows for the hands and the cards is in the profile.
"""

from micropython import const

from firmware.deck.ledger import DEALT, DISCARDED, TRAY
from firmware.fault import FAULT_NONE
from firmware.games.flow import (
    DECK_SPENT,
    DRAWING,
    PREPARING,
    REMAINDER_OFFERED,
    SHUFFLING,
    STACK_OFFERED,
    WAITING_FOR_DECK,
    WAITING_FOR_GREEN,
    WAITING_FOR_ROUND_END,
    flow_about_tail,
    flow_enter,
    flow_void,
)
from firmware.games.hands import COMMUNITY, deal_over, due_cards, hands_objection, stub_fits
from firmware.games.prerequisites import stub_overdue
from firmware.games.profile import (
    CLAUSE_NONE,
    EXTRA_BURNS,
    EXTRA_READER,
    EXTRA_TENS_OUT,
    RULE_APPROVAL,
    RULE_BOX_MISSED,
    RULE_BURN,
    RULE_CUT,
    RULE_CUT_CARD,
    RULE_DEALER_CARD,
    RULE_DEALER_SHORT,
    RULE_DELIVERED,
    RULE_DISPUTE,
    RULE_DRAWN_IN_ERROR,
    RULE_DRAWN_SEEN,
    RULE_EXPOSURE,
    RULE_FACE_UP,
    RULE_FACE_UPS,
    RULE_FINAL_DEAL,
    RULE_FOLD,
    RULE_HOLE_CARD,
    RULE_HOUSE,
    RULE_INDUCTION,
    RULE_INSURANCE,
    RULE_LET_OUT,
    RULE_LOCKOUT,
    RULE_MISDEAL,
    RULE_MISDEAL_DEALER,
    RULE_NO_ACTIVITY,
    RULE_NONE,
    RULE_NOT_WHOLE,
    RULE_PROVENANCE,
    RULE_READER_FAULT,
    RULE_REMOVAL,
    RULE_SHORT_SHOE,
    RULE_STUB_COUNT,
    RULE_STUB_MISDEALT,
    RULE_STUB_WRONG,
    RULE_SURRENDER,
    RULE_TEN,
    RULE_WINNER_HOLD,
    TAIL_HANDED,
    TAIL_SETTLING,
)
from firmware.games.table_facts import (
    APPROVAL,
    APPROVED_MARKER,
    CLOSED_AGAIN,
    COUNTED,
    DECIDED,
    FACE_UPS,
    FINAL,
    HELD,
    HELD_GONE,
    INDUCTED,
    POSITIONS,
    RACK,
    SOURCE,
    U8_MAX,
)
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow

# Where the game stands, as bits; profile.WINDOWS has the words.
CTX_IDLE = const(1)  # no deck inside
CTX_READY = const(2)  # one that waits for a round
CTX_CLOSED = const(4)  # betting closed, no card out
CTX_DEALING = const(8)
CTX_WAGERS = const(16)  # the deal is out, second closing to come
CTX_GREEN = const(32)  # the deal is out, the rest is not
CTX_REST = const(64)
CTX_SETTLING = const(128)
CTX_DRAWING = const(256)
CTX_SPENT = const(512)
CTX_STOPPED = const(1024)  # a warning is latched, or what it left inside lies in the tray
CTX_HOUSE = const(2048)  # the house has to decide about the round in which that happened
_CTX_PLAY = CTX_DEALING | CTX_WAGERS | CTX_GREEN | CTX_REST | CTX_SETTLING | CTX_DRAWING | CTX_HOUSE
_CTX_STILL = 4095
_CTX_EMPTY = CTX_IDLE | CTX_SETTLING | CTX_STOPPED | CTX_HOUSE  # no deck inside that could be dealt
_CTX_QUIET = CTX_IDLE | CTX_READY | CTX_SPENT
_CTX_FINAL = CTX_GREEN | CTX_REST | CTX_SETTLING
_CTX_HANDS = CTX_DRAWING | CTX_SETTLING  # drawn from the shoe, or by hand since it stopped

# By state: the number of its bit, plus one; 0: cards move, or no record is taken.
_CONTEXT = b"\0\0\1\0\0\2\3\0\4\6\0\7\0\x0b\0\x0b\2\2\x09\x0a\5"

# By TAIL of the facts.
_TAIL_CONTEXT = (0, CTX_SETTLING, CTX_READY, CTX_CLOSED, CTX_WAGERS, CTX_HOUSE)

_ANY = const(0)
_ZERO = const(1)
_DECK = const(2)
_POSITION = const(3)
_SEAT = const(4)  # a position, or 0 for the dealer
_CARDS = const(5)
_FLAG = const(6)
_UPTO_3 = const(7)
_RANK = const(8)
_TALLY = const(9)  # a number that fits into one cell of the facts, where two that do not would look equal

# By kind: when, what a is, what b is, the rule it is about.
_TABLE = (
    (0, _ZERO, _ZERO, RULE_HOUSE),
    (_CTX_STILL, _DECK, _ZERO, RULE_INDUCTION),
    (_CTX_STILL, _DECK, _ZERO, RULE_INDUCTION),
    (_CTX_STILL, _DECK, _ZERO, RULE_INDUCTION),
    (_CTX_STILL, _DECK, _ZERO, RULE_INDUCTION),
    (_CTX_STILL, _DECK, _ZERO, RULE_INDUCTION),
    (_CTX_STILL, _DECK, _ZERO, RULE_INDUCTION),
    (CTX_IDLE, _DECK, _UPTO_3, RULE_PROVENANCE),
    (CTX_IDLE | CTX_READY | CTX_DRAWING, _CARDS, _UPTO_3, RULE_CUT),
    (CTX_IDLE, _DECK, _UPTO_3, RULE_INDUCTION),
    (_CTX_QUIET, _ZERO, _ZERO, RULE_NO_ACTIVITY),
    (_CTX_EMPTY, _FLAG, _ZERO, RULE_REMOVAL),
    (_CTX_STILL, _DECK, _FLAG, RULE_DISPUTE),
    (_CTX_STILL, _DECK, _FLAG, RULE_WINNER_HOLD),
    (CTX_IDLE | CTX_READY | CTX_SETTLING, _ANY, _UPTO_3, RULE_STUB_COUNT),
    (CTX_CLOSED, _TALLY, _TALLY, RULE_LOCKOUT),
    (_CTX_FINAL, _POSITION, _ZERO, RULE_FOLD),
    (_CTX_FINAL, _POSITION, _FLAG, RULE_FOLD),
    (CTX_REST | CTX_SETTLING, _ANY, _ZERO, RULE_FINAL_DEAL),
    (0, _ZERO, _ZERO, RULE_EXPOSURE),
    (_CTX_PLAY, _SEAT, _CARDS, RULE_MISDEAL),
    (_CTX_PLAY | CTX_READY, _CARDS, _ZERO, RULE_FACE_UP),
    (_CTX_PLAY | CTX_READY, _CARDS, _FLAG, RULE_DRAWN_IN_ERROR),
    (_CTX_QUIET | _CTX_HANDS, _ZERO, _ZERO, RULE_BURN),
    (CTX_READY | _CTX_HANDS, _CARDS, _ANY, RULE_BURN),
    (_CTX_QUIET | _CTX_HANDS | CTX_HOUSE, _CARDS, _ZERO, RULE_TEN),
    (_CTX_HANDS, _RANK, _ZERO, RULE_HOLE_CARD),
    (_CTX_HANDS, _ZERO, _ZERO, RULE_INSURANCE),
    (_CTX_HANDS, _FLAG, _ZERO, RULE_DEALER_CARD),
    (CTX_DRAWING, _CARDS, _ZERO, RULE_SHORT_SHOE),
    (CTX_READY, _UPTO_3, _ZERO, RULE_CUT_CARD),
    (CTX_IDLE | CTX_READY | CTX_SPENT, _POSITION, _FLAG, RULE_CUT),
    (_CTX_HANDS, _POSITION, _CARDS, RULE_BOX_MISSED),
    (_CTX_STILL, _FLAG, _ZERO, RULE_READER_FAULT),
    (_CTX_QUIET, _ANY, _ANY, RULE_APPROVAL),
    (_CTX_HANDS, _POSITION, _ZERO, RULE_SURRENDER),
    (CTX_DRAWING, _SEAT, _ANY, RULE_HOUSE),
    (CTX_HOUSE, _UPTO_3, _ZERO, RULE_HOUSE),
    (CTX_DRAWING, _SEAT, _UPTO_3, RULE_DELIVERED),
    (_CTX_HANDS, _POSITION, _CARDS, RULE_LET_OUT),
)
_ENDS_HANDED = (ids.REC_STUB_COUNTED, ids.REC_NO_ACTIVITY, ids.REC_OUT_OF_SERVICE)
_HOLDS = (ids.REC_DISPUTE, ids.REC_WINNER_HOLD)  # made once: a press of a button allocates nothing
_EMPTY = (WAITING_FOR_DECK, REMAINDER_OFFERED, DECK_SPENT)  # nothing is left inside that would have to come out
_DRAW_ONLY = EXTRA_BURNS | EXTRA_READER | EXTRA_TENS_OUT


def context(flow: "Flow", of_round: bool = False) -> int:
    """Where the game stands: of the machine, and of a round that is being settled beside it. For a record about a round
    the machine does not count then: what it does is about the deck of the next one, unless that round is drawn here."""
    place = _CONTEXT[flow.state]
    machine = place and not (of_round and flow.tail and flow.state != DRAWING)
    found = 1 << (place - 1) if machine else 0
    if flow.state == STACK_OFFERED and flow.need == ids.NEED_DECISIONS:
        found |= CTX_GREEN  # the dealer wants the rest: all have their cards, and decide
    if flow.tail and (place or flow.state in (WAITING_FOR_ROUND_END, PREPARING, SHUFFLING)):
        found |= _TAIL_CONTEXT[flow.tail]
        if flow.tail == TAIL_SETTLING and flow.profile.mode and not flow.facts.row[FINAL]:
            found |= CTX_GREEN  # the rest is in the dealer's hand, and players may decide
    return found


def record_objection(flow: "Flow", role: int, what: int, a: int, b: int) -> int:
    """Why this cannot be put on record now; 0 if it can."""
    if not 0 < what < ids.RECORD_COUNT:
        return ids.REASON_ARGUMENT
    if (what == ids.REC_APPROVAL or (what == ids.REC_READER_OFF and a)) and role != ids.ROLE_SERVICE:
        return ids.REASON_ROLE
    when, kind_a, kind_b, _rule = _TABLE[what]
    facts = flow.facts
    if what == ids.REC_HOLE_CARD_SEEN:
        when = flow.profile.exposure
        if flow.profile.final_each and facts.row[DECIDED]:
            when |= CTX_REST | CTX_SETTLING  # until each player has decided; without any decision GREEN stands for them
        if when & _TAIL_CONTEXT[flow.profile.phase_open(facts.row[CLOSED_AGAIN])]:
            when |= CTX_HOUSE  # as in the stage in which the machine stopped
        if when & CTX_GREEN and flow.stacks_taken > 1 and not flow.positions:
            when |= CTX_DEALING  # the last stack taken may be the dealer's: GREEN has not said so yet
    now = context(flow, ids.REC_PROGRESSIVE <= what <= ids.REC_DRAWN_IN_ERROR)
    loaded = not now & CTX_STOPPED and flow.ledger.inside() != 0
    if not when & now or (what == ids.REC_OUT_OF_SERVICE and loaded):
        return ids.REASON_STATE
    if not (_fits(flow, kind_a, a) and _fits(flow, kind_b, b)):
        return ids.REASON_ARGUMENT
    if what <= ids.REC_DECK_REMOVED and what != ids.REC_CUT and _in_play(flow, a):
        return ids.REASON_STATE  # of a deck that is inside, or on the table
    if what == ids.REC_TEN_FOUND and now & CTX_IDLE and not facts.row[RACK]:
        return ids.REASON_STATE  # out of a shoe, or out of its rack and rest while these are to be counted
    idle = flow.tail in (0, TAIL_HANDED) and _CTX_QUIET << 1 >> _CONTEXT[flow.state] & 1
    if what == ids.REC_NO_ACTIVITY and not idle:
        return ids.REASON_STATE  # a round is being settled; or a deck is shuffled or removed beside one that is out
    # Between rounds a burned card may lie face up, or the first card of a round was drawn too early.
    early = what == ids.REC_FACE_UP or (what == ids.REC_DRAWN_IN_ERROR and flow.profile.one_round)
    begun = flow.round_open or flow.tail not in (0, TAIL_HANDED) or (early and flow.play is not None)
    if ids.REC_PROGRESSIVE <= what <= ids.REC_DRAWN_IN_ERROR and not begun:
        # A void round takes no more records; a hole card may be seen before a round begins.
        return ids.REASON_NONE if what == ids.REC_HOLE_CARD_SEEN and now & CTX_READY else ids.REASON_STATE
    reason = -1 if flow.play is None else flow.play.objection(flow, what, a, b)
    return _odd_one(flow, what, a, b) if reason < 0 else reason


def _in_play(flow: "Flow", deck: int) -> bool:
    inside = flow.state != WAITING_FOR_DECK and flow.state != WAITING_FOR_ROUND_END and flow.outbox.deck == deck
    return inside or (flow.tail != 0 and flow.settled.deck == deck)


def _fits(flow: "Flow", kind: int, value: int) -> bool:
    profile = flow.profile
    if kind == _ANY:
        return True
    if kind == _ZERO:
        return value == 0
    if kind == _DECK:
        return 0 < value <= profile.decks
    if kind == _POSITION:
        boxes = flow.positions if flow.state == DRAWING else flow.facts.row[POSITIONS] if flow.tail else 0
        return 0 < value <= (boxes or profile.positions_max)
    if kind == _SEAT:
        return value <= profile.positions_max or value == COMMUNITY
    if kind == _CARDS:
        return value <= profile.deck_cards
    if kind == _TALLY:
        return value < U8_MAX
    return value <= (1 if kind == _FLAG else 3 if kind == _UPTO_3 else 13)


def _odd_one(flow: "Flow", what: int, a: int, b: int) -> int:
    """Why a record of this kind cannot be taken, beyond the table of kinds; 0 if it can."""
    profile = flow.profile
    facts = flow.facts
    if what == ids.REC_PROVENANCE:
        allowed = b != 0 and profile.sources >> b & 1
        return ids.REASON_NONE if allowed else ids.REASON_ARGUMENT
    if what == ids.REC_CUT:
        deck = flow.settled.deck if flow.tail == TAIL_HANDED else _deck(flow)
        if profile.recorded and not facts.deck(deck, SOURCE):
            return ids.REASON_STATE  # who shuffled it is recorded first
        unknown = profile.clauses[RULE_CUT] == CLAUSE_NONE != profile.code  # a game that knows of no cut
        fits = profile.cut_top <= a <= profile.deck_cards - profile.cut_bottom or facts.row[APPROVAL] & APPROVED_MARKER
        fits = fits and b != 0 and profile.cut_by >> b & 1 and not unknown
        return ids.REASON_NONE if fits else ids.REASON_ARGUMENT
    if what == ids.REC_STUB_COUNTED:
        return _count_objection(flow, a, b)
    if what == ids.REC_DECK_REMOVED and b:
        return _removed_objection(flow, a, b)
    if ids.REC_PROGRESSIVE <= what <= ids.REC_MISDEAL:
        return hands_objection(flow, what, a, b)
    if what in (ids.REC_FACE_UP, ids.REC_DRAWN_IN_ERROR, ids.REC_TEN_FOUND) and not a:
        return ids.REASON_ARGUMENT
    if (what == ids.REC_FACE_UP or what == ids.REC_DRAWN_IN_ERROR) and _too_many(flow, a):
        return ids.REASON_STATE
    if what == ids.REC_FACE_UP and deal_over(flow):
        return ids.REASON_STATE  # only what is found while the cards are dealt is judged
    if what == ids.REC_DRAWN_IN_ERROR and b and not profile.consequences[RULE_DRAWN_SEEN]:
        return ids.REASON_ARGUMENT  # these games have no rule for a card that was seen
    if what == ids.REC_WASHED and ~(facts.deck(a, INDUCTED) | 1 << what) & profile.induction:
        return ids.REASON_STATE  # mixed before it was inspected
    if what == ids.REC_INSPECTED and profile.induction & ~facts.deck(a, INDUCTED) & 1 << ids.REC_TENS_REMOVED:
        return ids.REASON_STATE  # the tens go first
    if what == ids.REC_TENS_REMOVED and not profile.extras & EXTRA_TENS_OUT:
        return ids.REASON_STATE
    if what == ids.REC_HOUSE_DECISION:
        return ids.REASON_NONE if ids.HOUSE_GOES_ON <= a <= ids.HOUSE_VOID else ids.REASON_ARGUMENT
    if ids.REC_DEALER_CHANGE <= what != ids.REC_APPROVAL and not profile.extras & _DRAW_ONLY:
        return ids.REASON_STATE
    return ids.REASON_NONE if what != ids.REC_RESHUFFLE or 0 < a <= 2 else ids.REASON_ARGUMENT


def _removed_objection(flow: "Flow", deck: int, follows: int) -> int:
    """Why a deck cannot have left the table so; 0 if it can."""
    if follows == ids.REMOVED_REPLACED:  # with records the steps of its induction confirm a new deck
        return ids.REASON_STATE if flow.profile.recorded else ids.REASON_NONE
    if follows != ids.REMOVED_ALONE or flow.profile.decks == 1:
        return ids.REASON_ARGUMENT
    return ids.REASON_STATE if flow.facts.deck(3 - deck, HELD) & HELD_GONE else ids.REASON_NONE


def _too_many(flow: "Flow", cards: int) -> bool:
    """Whether so many cards have not come out of a machine that deals."""
    zone = flow.ledger.zone
    return not flow.tail and cards > zone[DEALT] + zone[TRAY] and flow.play is None


def _count_objection(flow: "Flow", a: int, b: int) -> int:
    if a == ids.UNKNOWN_U16 or b > 2:
        return ids.REASON_ARGUMENT  # no count
    row, profile = flow.facts.row, flow.profile
    if flow.tail and flow.tail != TAIL_HANDED:
        later = profile.final_each and not row[FINAL]
        if flow.tail != TAIL_SETTLING or row[COUNTED] or not profile.stub_rounds or later:
            return ids.REASON_STATE  # not dealt, counted already, never counted, or the final deal is recorded first
        odd = a >= profile.deck_cards or (b and a == flow.facts.stub())  # a stub is never the whole deck
        return ids.REASON_ARGUMENT if odd else ids.REASON_NONE
    if b and (not flow.tail or flow.profile.overlaps):
        return ids.REASON_ARGUMENT  # no hands are out that could have been misdealt
    # Between rounds the whole deck is counted, and only to make up for what is overdue.
    if not stub_overdue(flow, _deck(flow)):
        return ids.REASON_STATE
    # What the smallest round leaves, or less, is the stub of one that is void, reported late.
    a += profile.stack_cards + profile.last_cards + (0 if profile.final_each else profile.final_fixed)
    return ids.REASON_ARGUMENT if a <= profile.deck_cards else ids.REASON_NONE


def _deck(flow: "Flow") -> int:
    """The deck that a record without a number is about, unless it is of a round: the one inside, or the one that comes
    next."""
    return flow.facts.turn() if flow.state == WAITING_FOR_DECK else flow.outbox.deck or 1


def record_do(flow: "Flow", what: int, a: int, b: int, now_ms: int, rule: int = -1) -> None:
    """Put it on record, with the rule and what it orders; and let that happen. The rule is that of the numbers, unless
    a person has judged: right and wrong are buttons, whether or not the right number is known."""
    whole = what == ids.REC_STUB_COUNTED and flow.state == WAITING_FOR_DECK and flow.tail in (0, TAIL_HANDED)
    if flow.tail == TAIL_HANDED and what in _ENDS_HANDED and not (whole and flow.profile.overlaps):
        flow.set_tail(0)  # that deck was played and counted, or is not dealt
        flow.redraw()
    when = flow.profile.exposure | CTX_HOUSE if what == ids.REC_HOLE_CARD_SEEN else _TABLE[what][0]
    tail = flow.tail and not whole and when & (_TAIL_CONTEXT[flow.tail] | CTX_GREEN) != 0
    if tail:
        flow_about_tail(flow, True)
    elif what == ids.REC_CUT or what == ids.REC_STUB_COUNTED:
        flow.outbox.deck = _deck(flow)
    if rule < 0:
        rule = _rule_of(flow, what, a, b)
    consequence = flow.profile.consequences[rule]
    clause = flow.profile.clauses[rule]
    over = (what in _HOLDS and not b) or (what == ids.REC_OUT_OF_SERVICE and not a)
    if rule == RULE_STUB_COUNT or over:
        consequence = ids.CONSEQUENCE_NONE
    elif what == ids.REC_HOUSE_DECISION:
        consequence = _house(flow, a)
    flow.outbox.post(ids.EV_RECORDED, what, a, b, consequence, clause)
    if consequence == ids.REJECT_CARD and flow.ledger.zone[DEALT] >= a and (flow.round_open or flow.state == DRAWING):
        flow.ledger.move(DEALT, DISCARDED, a)
    if flow.play is not None:
        flow.play.recorded(flow, what, a, b, now_ms)
        if what == ids.REC_FINAL_DEAL and flow.state == DRAWING:
            flow.set_need(ids.NEED_NONE, RULE_NONE)  # its cards come next, whatever was asked for
            flow.redraw()
    if ids.ALL_VOID_RESHUFFLE <= consequence <= ids.ALL_VOID and not whole:
        _void(flow, rule, now_ms)
    elif what == ids.REC_NO_ACTIVITY and flow.state not in (WAITING_FOR_DECK, DECK_SPENT):
        # The deck inside must not be dealt any more, and comes out.
        flow_enter(flow, DECK_SPENT if flow.machine.draws else WAITING_FOR_GREEN, now_ms)
    if tail:
        flow_about_tail(flow, False)


def _rule_of(flow: "Flow", what: int, a: int, b: int) -> int:
    row = flow.facts.row
    rule = -1 if flow.play is None else flow.play.rule_of(flow, what, a, b)
    if rule >= 0:
        return rule
    if what == ids.REC_STUB_COUNTED:
        between = flow.tail in (0, TAIL_HANDED)
        if a == flow.profile.deck_cards if between else not b and stub_fits(flow, a):
            return RULE_STUB_COUNT
        return RULE_NOT_WHOLE if b == 2 else RULE_STUB_MISDEALT if b else RULE_STUB_WRONG
    if what == ids.REC_MISDEAL and not a:
        # One card short is judged on the finished hand.
        finished = not flow.profile.final_each or row[FINAL]
        return RULE_DEALER_SHORT if finished and b == due_cards(flow, 0) - 1 else RULE_MISDEAL_DEALER
    if what == ids.REC_FACE_UP:
        tally = flow.facts.deck(flow.outbox.deck or 1, FACE_UPS)
        return RULE_FACE_UPS if tally + a > 1 else RULE_FACE_UP
    if what == ids.REC_DRAWN_IN_ERROR and b:
        return RULE_DRAWN_SEEN
    return _TABLE[what][3]


def _house(flow: "Flow", decision: int) -> int:
    """What the house orders. A round that goes on is dealt by hand from what came out of the machine."""
    flow.set_need(ids.NEED_NONE, RULE_NONE)
    flow.panel.clear()  # a press made before is about nothing that comes after
    flow.redraw()
    if decision == ids.HOUSE_VOID:
        return ids.ALL_VOID_RESHUFFLE
    row = flow.facts.row
    stacks = row[POSITIONS] + 1 if row[POSITIONS] else 0
    flow.settle(flow.profile.phase_open(row[CLOSED_AGAIN]), flow.settled.deck, stacks, ids.UNKNOWN_U16, 0)
    return ids.PLAY_ON


def _void(flow: "Flow", rule: int, now_ms: int) -> None:
    """A rule voids the round, and no fault of the machine: what is inside comes out when the dealer asks for it."""
    if flow.round_open or flow.tail not in (0, TAIL_HANDED):  # before a round has begun there is none to void
        flow_void(flow, FAULT_NONE, rule)
    if flow.tail and flow.state != DRAWING:
        flow.set_tail(0)
        if flow.state == WAITING_FOR_ROUND_END:
            flow_enter(flow, WAITING_FOR_DECK, now_ms)
    elif flow.state in _EMPTY:
        return
    elif flow.play is not None:
        flow.play.voided(flow, flow.profile.consequences[rule] == ids.ALL_VOID, now_ms)
    else:
        flow_enter(flow, WAITING_FOR_GREEN, now_ms)
