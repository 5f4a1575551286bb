"""Hands: who plays, who has decided what, and how many cards a hand must have at this stage of the deal."""

from micropython import const

from firmware.games.flow import REMAINDER_OFFERED, flow_dealing, flow_players
from firmware.games.profile import CLAUSE_NONE, EXTRA_COMMUNITY, RULE_FOLD, TAIL_HOUSE
from firmware.games.table_facts import (
    BY_HAND,
    COUNTED,
    DEALER_DONE,
    DEALT,
    DECIDED,
    EXTRA,
    FINAL,
    NOT_IN,
    OPEN,
    POSITIONS,
    REST,
    SECONDS,
    SHORT,
    STACKS,
    U8_MAX,
    WITHDRAWN,
    signed,
)
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.games.profile import Profile

COMMUNITY = const(255)  # in place of a position


def hands_objection(flow: "Flow", what: int, a: int, b: int) -> int:
    """Why a record about players and their hands cannot be taken now; 0 if it can."""
    if what == ids.REC_MISDEAL:
        return _misdeal_objection(flow, a, b)
    if what == ids.REC_PROGRESSIVE:  # one wager a player
        return ids.REASON_ARGUMENT if a > (flow.positions or flow.profile.positions_max) else ids.REASON_NONE
    if what == ids.REC_HOLE_CARD_SEEN:
        late = flow.profile.final_each and (flow.facts.row[FINAL] or not undecided(flow))
        late = late or (flow.tail == TAIL_HOUSE and not due_cards(flow, 0))  # or too early: it was not dealt
        return ids.REASON_STATE if late else ids.REASON_NONE
    return _decision_objection(flow, what, a, b)


def _decision_objection(flow: "Flow", what: int, a: int, b: int) -> int:
    """Why a fold, second wager or final deal cannot be recorded now; 0 if it can."""
    profile = flow.profile
    facts = flow.facts
    if facts.row[FINAL] or not (profile.final_each or profile.clauses[RULE_FOLD] != CLAUSE_NONE):
        return ids.REASON_STATE
    seconds = facts.seconds()
    if not profile.final_each and (what != ids.REC_FOLD or (_has_community(profile) and not flow.tail)):
        return ids.REASON_STATE  # no such wagers; or players decide on community cards, which come out of the rest
    if what == ids.REC_FINAL_DEAL:
        if profile.recorded and facts.row[REST] != U8_MAX and undecided(flow):
            return ids.REASON_STATE  # each player decides first, and on this table that is on record
        fits = a == ones(seconds) if seconds else a <= players(flow) - ones(facts.word(NOT_IN))
        return ids.REASON_NONE if fits else ids.REASON_ARGUMENT
    if a > players(flow):
        return ids.REASON_ARGUMENT
    placed = seconds >> (a - 1) & 1
    if what == ids.REC_FOLD and (facts.word(WITHDRAWN) & ~facts.word(SECONDS)) >> (a - 1) & 1:
        return ids.REASON_NONE
    if facts.word(NOT_IN) >> (a - 1) & 1 or (what == ids.REC_SECOND_WAGER and b == placed):
        return ids.REASON_STATE  # out of the round, or placed or taken back before
    return ids.REASON_NONE


def undecided(flow: "Flow") -> int:
    """Bits of players who have neither folded nor placed a second wager, as far as reported. While the last stack lies
    in the tray and positions were not set, the last stack taken was the dealer's."""
    facts = flow.facts
    seats = players(flow)
    if flow_dealing(flow) and not flow.positions:
        seats -= 1
    return ((1 << seats) - 1) & ~(facts.word(NOT_IN) | facts.word(SECONDS))


def _misdeal_objection(flow: "Flow", a: int, b: int) -> int:
    """A hand is judged by what it must have at this stage of the deal."""
    profile = flow.profile
    facts = flow.facts
    final = profile.final_each and facts.row[FINAL]
    if a == COMMUNITY and not _has_community(profile):
        return ids.REASON_ARGUMENT
    if 0 < a < COMMUNITY:
        open_ended = flow_dealing(flow) and not flow.positions
        seats = flow.positions if flow.round_open else facts.row[POSITIONS] if flow.tail == TAIL_HOUSE else 0
        if not open_ended and a > (seats or players(flow)):
            return ids.REASON_ARGUMENT  # it does not play
        if (facts.word(NOT_IN) & facts.word(SECONDS)) >> (a - 1) & 1:
            return ids.REASON_STATE  # it is void already
    due = due_cards(flow, a)
    if not due or (not a and facts.word(NOT_IN) >> (DEALER_DONE - 1) and b == due - 1):
        return ids.REASON_STATE  # it has no cards yet; or was completed, and is not completed twice
    if b == due or b - due > profile.deck_cards - facts.row[DEALT]:
        return ids.REASON_ARGUMENT  # that is right; or the other hands leave less
    # Once the rest is out a dealer's four may be four of three or four of five: the final deal is recorded first.
    # Not while a player is known to be undecided.
    waits = (profile.recorded or facts.row[DECIDED]) and undecided(flow)
    unsure = profile.final_each and not (final or waits or a) and flow.tail and b == profile.hand_cards - 1
    return ids.REASON_STATE if unsure else ids.REASON_NONE


def deal_over(flow: "Flow") -> bool:
    """Whether every card of the round is dealt: its stub was counted; or it was all in the stacks, and the rest is out,
    from which no card is due. A game with community cards judges a card face up whenever it is found."""
    facts, profile = flow.facts, flow.profile
    if facts.row[OPEN] and facts.row[COUNTED]:
        return True
    if not flow.tail and flow.state != REMAINDER_OFFERED:
        return False
    due = facts.row[SHORT if flow.tail else EXTRA]
    return not (profile.mode or profile.final_each or _has_community(profile) or due or flow.play)


def players(flow: "Flow") -> int:
    return flow_players(flow, flow.stacks_taken)


def _has_community(profile: "Profile") -> bool:
    return profile.extras & EXTRA_COMMUNITY != 0 or (profile.final_fixed != 0 and not profile.final_each)


def due_cards(flow: "Flow", seat: int) -> int:
    """Cards that a hand must have at this stage of the deal; 0: none yet. In a game with community cards and without a
    dealer's hand these are the dealer's."""
    profile = flow.profile
    if 0 < seat < COMMUNITY:
        if seat > players(flow):
            return 0
    elif flow_dealing(flow) or (flow.tail == TAIL_HOUSE and _last_to_come(flow)):
        return profile.last_cards if flow.machine.draws else 0  # the last stack
    elif profile.extras & EXTRA_COMMUNITY:
        return profile.last_cards
    elif seat == COMMUNITY:
        return profile.final_fixed if flow.tail else 0
    if profile.final_each and not flow.facts.in_final(seat):
        return profile.stack_cards if seat else profile.last_cards
    return profile.hand_cards


def _last_to_come(flow: "Flow") -> bool:
    """Whether the machine stopped before the last stack. Where positions were not set, the community's shows in the
    number of cards: it has more than a player's."""
    row, profile = flow.facts.row, flow.profile
    if profile.extras & EXTRA_COMMUNITY and not flow.machine.draws:
        return row[DEALT] < (row[STACKS] - 1) * profile.stack_cards + profile.last_cards
    return flow.settled.stacks <= row[POSITIONS]


def stub_fits(flow: "Flow", cards: int) -> bool:
    """Whether a stub of so many cards is right. Where the positions were not set: whether any number of players leaves
    it."""
    facts, profile = flow.facts, flow.profile
    if facts.row[REST] != U8_MAX:
        return cards == facts.stub()
    fixed = profile.last_cards + (0 if profile.final_each else profile.final_fixed)
    dealt = profile.deck_cards - cards - signed(facts.row[BY_HAND]) - fixed
    return 0 < dealt <= profile.positions_max * profile.stack_cards and dealt % profile.stack_cards == 0


def ones(mask: int) -> int:
    count = 0
    while mask:  # bound: 16 bits
        count += mask & 1
        mask >>= 1
    return count
