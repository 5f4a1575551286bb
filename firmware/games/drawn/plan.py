"""The plan of a deck that is played once, by number: the cards still to come from the shoe, and so which hands are out.

A person reports about cards on the table. What the shoe has not let out yet is on no table, so a record about it is
refused: it is a slip, and would void a good round. The account is that of the stub: what was recorded of hands and of
rejected cards shifts the plan, and the record that is judged shifts it once more.
"""

from firmware.deck import ledger as zones
from firmware.games.hands import COMMUNITY, due_cards, ones, undecided
from firmware.games.profile import EXTRA_COMMUNITY, EXTRA_PASSES
from firmware.games.shoe_facts import box_short
from firmware.games.table_facts import BY_HAND, FINAL, NOT_IN, REST, U8_MAX, signed
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow


def plan_known(flow: "Flow") -> bool:
    return flow.positions != 0 and flow.facts.row[REST] != U8_MAX


def plan_left(flow: "Flow", seats: int = 1) -> int:
    """Cards of the plan that are still to come: for each hand, in place of rejected ones, for a hand that is completed
    and, once it is on record, in the final deal. Less than none: so many came beyond it. `seats`: where the positions
    were not set."""
    row, profile, zone = flow.facts.row, flow.profile, flow.ledger.zone
    plan = profile.deck_cards - row[REST]
    if not plan_known(flow):
        plan = seats * profile.stack_cards + profile.last_cards + _fixed(flow)
    return plan + signed(row[BY_HAND]) - zone[zones.DEALT] - zone[zones.DISCARDED]


def plan_final(flow: "Flow") -> int:
    """Cards of a final deal that is not on record, once each player has decided. Where no host can report what they
    decide, all of them may be in it from the start."""
    facts, profile = flow.facts, flow.profile
    if not profile.final_each or facts.row[FINAL] or (profile.host_records and undecided(flow)):
        return 0
    standing = facts.seconds() if profile.host_records else ~facts.word(NOT_IN) & (1 << flow.positions) - 1
    return profile.final_each * ones(standing) + profile.final_fixed


def plan_undrawn(flow: "Flow") -> bool:
    """Whether cards of the plan are missing at the end of the round, those of standing second wagers included."""
    facts, profile = flow.facts, flow.profile
    left = plan_left(flow)
    if profile.final_each and not facts.row[FINAL] and facts.seconds():
        left += profile.final_each * ones(facts.seconds()) + profile.final_fixed
    return plan_known(flow) and left > 0


def plan_objection(flow: "Flow", what: int, a: int, b: int) -> bool:
    """Whether this record is about cards that were not drawn yet: a hand that the plan has not reached, a card of the
    dealer before his first, a decision of players before the dealer has cards, or a stub that is still dealt from."""
    if what == ids.REC_STUB_COUNTED:
        return plan_left(flow) > 0 and flow.need != ids.NEED_COUNT  # the dealer has asked for the end: no card comes
    if not ids.REC_FOLD <= what <= ids.REC_MISDEAL or (0 < flow.positions < a and a != COMMUNITY):
        return False
    if what != ids.REC_MISDEAL:
        # The deal ends with one card to each in turn, with the community's, or with the dealer's.
        if flow.profile.extras & EXTRA_PASSES:
            return plan_left(flow) > (flow.positions or 1)
        return plan_left(flow) >= (_fixed(flow) or flow.profile.last_cards)
    if _to_come(flow, a) <= 0:
        return False  # none is to come: one that this hand has too many another has too few
    more = b - due_cards(flow, a)
    return more != 0 and _to_come(flow, a) + more > _later(flow, a, b, more)


def plan_late(flow: "Flow") -> None:
    """The second card of a box that was passed over has come after those of all others: the deal is longer by it."""
    play = flow.play
    box = play.box_before
    if box != ids.UNKNOWN_U8 and box_short(flow.facts.row, box) and not play.late >> box & 1:
        play.late |= 1 << box
        play.missed -= 1


def _to_come(flow: "Flow", seat: int) -> int:
    return plan_left(flow, seat if 0 < seat < COMMUNITY else 1)


def _later(flow: "Flow", seat: int, cards: int, more: int) -> int:
    """Cards that may be to come after this hand. That it is short shows when the next hand gets a card."""
    later = _after(flow, seat)
    return later - 1 if more < 0 and (later or not cards) else later


def _after(flow: "Flow", seat: int) -> int:
    """Cards of the plan after the last one of this hand."""
    profile, final = flow.profile, flow.facts.row[FINAL]
    if not 0 < seat < COMMUNITY:
        return 0 if seat or profile.extras & EXTRA_COMMUNITY else _fixed(flow)
    if profile.final_each and final:
        if not flow.facts.in_final(seat):
            return U8_MAX  # its cards came before the final deal
        seconds = flow.facts.seconds()  # none on record: it may be the first of those in the final deal
        return profile.final_each * (ones(seconds >> seat) if seconds else final - 2) + profile.final_fixed
    others = (flow.positions or seat) - seat
    if profile.extras & EXTRA_PASSES:
        return others + 1
    return others * profile.stack_cards + profile.last_cards + _fixed(flow)


def _fixed(flow: "Flow") -> int:
    """Cards of the community that follow the dealer's in the deal."""
    return 0 if flow.profile.final_each else flow.profile.final_fixed
