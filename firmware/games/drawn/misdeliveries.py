"""Cards that do not go where the plan wants them: delivered wrongly (DAB-15a), or burned; and boxes that are let out.

A card that was delivered wrongly lies open on the table and never goes back. Until each box has two cards no other
paragraph says what becomes of it: a person chooses, and the record says which. From then on 15(d) to (j) speak.
"""

from micropython import const

from firmware.deck import ledger as zones
from firmware.games.drawn.hole_card import box_plays
from firmware.games.flow import DRAW_READY, DRAWING
from firmware.games.shoe_facts import box_short
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow

# Why a card is burned: b of the record.
BURN_PAT_HAND = const(3)
BURN_REFUSED = const(4)

# What becomes of a card that was delivered wrongly: b of the record.
TO_BOX = const(1)  # it moves forward in the plan, to the box that the record names
TO_DEALER = const(2)  # it is the dealer's next card, which then lies open
TO_RACK = const(3)  # it is burned

# Records of an error of the dealer: after one the licensee may let boxes out.
ERRORS = (ids.REC_DRAWN_IN_ERROR, ids.REC_BOX_MISSED, ids.REC_DELIVERED_WRONGLY)


def burn_objection(flow: "Flow", cards: int, why: int) -> int:
    """The shoe sees burns that are due. Records report a burn on a pat hand, and a forgotten one."""
    play = flow.play
    if not cards:
        held = flow.state == DRAW_READY and (flow.hold or flow.need)  # no round may begin
        due = play.burns(flow) or (0 if held or flow.tail else play.burned)
        return ids.REASON_NONE if due and (not why or why == due or flow.tail) else ids.REASON_STATE
    # Cards that players may have asked for; of a pat hand the dealer's second card is one more that must be there.
    since = play.hits(flow) - play.burnt - (why == BURN_PAT_HAND and not (play.hole or play.no_call))
    if not flow.tail and (flow.state != DRAWING or cards > since):
        return ids.REASON_STATE  # so many have not come
    return ids.REASON_NONE if BURN_PAT_HAND <= why <= BURN_REFUSED else ids.REASON_ARGUMENT


def delivery_objection(flow: "Flow", what: int, box: int, number: int) -> int:
    """Why a wrong delivery, or a box that is let out, cannot be put on record now; 0 if it can."""
    if what == ids.REC_LET_OUT:
        return _let_out_objection(flow, box, number)
    play = flow.play
    if play.refill or not 0 < play.draws <= (play.deal(flow) or 1 + 2 * flow.profile.positions_max):
        return ids.REASON_STATE
    if not number or box > (flow.positions or flow.profile.positions_max):
        return ids.REASON_ARGUMENT
    if number == TO_BOX:
        return ids.REASON_NONE if box and box_plays(flow, box) else ids.REASON_ARGUMENT
    if number == TO_DEALER and box:
        return ids.REASON_ARGUMENT
    return ids.REASON_STATE if number == TO_DEALER and (play.ahead or play.draws < 2) else ids.REASON_NONE


def _let_out_objection(flow: "Flow", box: int, cards: int) -> int:
    play = flow.play
    if not (play.erred or flow.tail) or not box_plays(flow, box):
        return ids.REASON_STATE
    few = cards < 2 and play.served(flow, box) and not box_short(flow.facts.row, box)
    return ids.REASON_ARGUMENT if few or (not flow.tail and cards >= play.draws) else ids.REASON_NONE


def delivered(flow: "Flow", what: int, box: int, number: int) -> None:
    """Apply such a record to the plan and to the cards."""
    play = flow.play
    play.shifted = True
    if what == ids.REC_LET_OUT:
        _let_out(flow, box, number)
    elif number == TO_DEALER:
        play.ahead = 1
        play.no_call = False  # both cards of the dealer lie open: no reader is asked, and none is called
    elif number == TO_RACK:
        flow.ledger.move(zones.DEALT, zones.DISCARDED, 1)
        play.rejected(flow, 1)


def _let_out(flow: "Flow", box: int, cards: int) -> None:
    """Its cards go to the rack, and the deal passes it. The facts have it that the box is out."""
    play = flow.play
    if box_short(flow.facts.row, box) and not play.late >> box & 1:
        play.missed -= 1  # the card that it has not got is missed already
    play.missed += max(2 - cards, 0)
    flow.ledger.move(zones.DEALT, zones.DISCARDED, min(cards, flow.ledger.zone[zones.DEALT]))
