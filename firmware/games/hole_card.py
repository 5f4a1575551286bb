"""The hole-card reader of a shoe that is drawn by hand: asked only as the rules want it, it says blackjack or not, and
nothing else to anybody; asked otherwise it says nothing, in the same time."""

from micropython import const

from firmware.games.books import READER_OFF
from firmware.games.profile import EXTRA_READER, RULE_HOLE_CARD, RULE_READER_FAULT, RULE_READER_WRONG
from firmware.image import IN_HOLE_CARD, IN_HOLE_MATCH
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs

ANSWER_MS = const(300)  # after the card lies there, whatever the answer is
_ACE = const(1)
_JACK = const(11)


def hole_card_scan(flow: "Flow", inp: "Inputs", now_ms: int) -> int:
    """Returns when to come back."""
    if not flow.profile.extras & EXTRA_READER or flow.books.row[READER_OFF]:
        return FOREVER_MS
    if not inp.level[IN_HOLE_CARD]:
        flow.hole_told = False
        left_ms = _waited(flow, inp.level[IN_HOLE_MATCH], now_ms)
        if left_ms:
            return left_ms
        # An answer about a card that is not there: nobody may believe this reader any more.
        _tell(flow, ids.ANSWER_FAULT, RULE_READER_FAULT)
        return FOREVER_MS
    if flow.hole_told:
        return FOREVER_MS
    left_ms = _waited(flow, 2, now_ms)
    if left_ms:
        return left_ms
    flow.hole_told = True
    if not _asked_well(flow):
        _tell(flow, ids.ANSWER_NONE, RULE_READER_WRONG)
    else:
        _tell(flow, ids.ANSWER_BLACKJACK if inp.level[IN_HOLE_MATCH] else ids.ANSWER_NO, RULE_HOLE_CARD)
    return FOREVER_MS


def _waited(flow: "Flow", what: int, now_ms: int) -> int:
    """How long to wait until what is so has been so for long enough; 0 when it has. Nothing is never enough."""
    if flow.hole_seen != what:
        flow.hole_seen = what
        flow.hole_ms = now_ms
    if not what:
        return FOREVER_MS
    return max(ANSWER_MS - ticks_diff(now_ms, flow.hole_ms), 0)


def _asked_well(flow: "Flow") -> bool:
    """An ace with insurance closed, or a king, queen or jack: of those the dealer may have a blackjack."""
    return flow.up_card >= _JACK or (flow.up_card == _ACE and flow.insured)


def _tell(flow: "Flow", answer: int, rule: int) -> None:
    clause = flow.profile.clauses[rule]
    if not flow.outbox.roomy():
        return
    if answer == ids.ANSWER_FAULT:
        flow.outbox.post(ids.EV_RECORDED, ids.REC_READER_OFF, 0, 0, flow.profile.consequences[rule], clause)
    flow.outbox.post(ids.EV_HOLE_CARD_READ, answer, text=clause)
    flow.answer = answer
    flow.page_due = True
