"""The hole-card reader: it answers blackjack or not, only when the rules allow the question, and nothing else.

It is lit for the one question that the up-card leaves, and only while that may be asked; unlit it recognises no face.
Any other use gets no answer, after the same time, and an event asks for a supervisor.
"""

from micropython import const

from firmware.games.profile import EXTRA_READER, RULE_HOLE_CARD, RULE_INSURANCE, RULE_READER_FAULT, RULE_READER_WRONG
from firmware.games.shoe_facts import ANSWER, INSURED, READ, UP_CARD, box_surrendered
from firmware.games.table_facts import READER_OFF
from firmware.image import IN_HOLE_CARD, IN_HOLE_MATCH, OUT_READ_ACE, OUT_READ_COURT, output_set
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs, Outputs

ANSWER_MS = const(300)  # after the card lies there, whatever the answer is
ACE = const(1)
JACK = const(11)

_EMPTY = const(0)
_ASKED = const(1)  # a card lies there, and may be asked about
_WRONG = const(2)  # one that may not
_TOLD = const(3)
_LIES = const(4)  # an answer about a card that is not there


class Reader:
    """One of a table's, fitted or not. Sole writer of the two lights."""

    def __init__(self, fitted: bool) -> None:
        self.fitted = fitted
        self.broken = False
        self.lit = False
        self.state = _EMPTY
        self.since_ms = 0
        self.begin()

    def begin(self) -> None:
        """Start a round: its cards are unknown."""
        self.up_card = 0  # 1 ace to 13 king; 0: not reported
        self.insured = False  # insurance is closed
        self.answer = ids.ANSWER_NONE
        self.refused = False  # the last request was refused

    def resume(self, row: bytearray) -> None:
        """After a boot, from the facts."""
        self.up_card, self.answer, self.insured = row[UP_CARD], row[ANSWER] & READ, row[ANSWER] & INSURED != 0


def reader_used(flow: "Flow", reader: Reader) -> bool:
    fitted = reader.fitted and not reader.broken and flow.profile.extras & EXTRA_READER != 0
    return fitted and not flow.facts.row[READER_OFF] and not flow.play.ahead


def reader_decides(reader: Reader) -> bool:
    """Whether this up-card, if reported, makes a blackjack possible."""
    return reader.up_card <= ACE or reader.up_card >= JACK


def reader_objection(flow: "Flow", what: int, a: int) -> int:
    """Why a record about the dealer's cards, or a surrender, which depends on them, cannot be taken now; 0: it can."""
    play, reader = flow.play, flow.play.reader
    beside = flow.tail != 0  # it goes on by hand since the shoe stopped: its cards are not counted any more
    ok = beside or (play.draws > 0 and not play.refill)
    if what == ids.REC_UP_CARD:
        if not a or a == JACK - 1:
            return ids.REASON_ARGUMENT  # none, or a ten: the set has no tens
        ok = ok and reader.answer == ids.ANSWER_NONE
    elif what == ids.REC_DEALER_CARD:
        ok = ok and play.served(flow)
    elif what == ids.REC_INSURANCE_CLOSED:
        ok = reader.up_card == ACE and not reader.insured and (beside or play.since_deal(flow) == 0)
    else:  # a surrender
        ok = box_plays(flow, a) and play.served(flow, a) and not play.called
        ok = ok and (reader.answer == ids.ANSWER_NO or 1 < reader.up_card < JACK or play.ahead)
    return ids.REASON_NONE if ok else ids.REASON_STATE


def box_plays(flow: "Flow", box: int) -> bool:
    """Whether it has a hand that is neither dead nor surrendered: a box has as many as splitting pairs may give it."""
    return box_surrendered(flow.facts.row, box) < (4 if flow.profile.positions_max < 7 else 3)


def reader_dark(out: "Outputs") -> None:
    output_set(out, OUT_READ_ACE, 0)
    output_set(out, OUT_READ_COURT, 0)


def reader_scan(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Run in a round. Returns in how many ms to run again."""
    reader = flow.play.reader
    if not reader_used(flow, reader):
        reader_dark(out)
        return FOREVER_MS
    _light(flow, reader, out)
    left_ms = _waits_ms(reader, inp, now_ms)
    return left_ms if left_ms > 0 else _tell(flow, reader, inp.level[IN_HOLE_MATCH])


def _waits_ms(reader: Reader, inp: "Inputs", now_ms: int) -> int:
    """Milliseconds until its present reading must be posted."""
    state = _seen(reader, inp)
    if state != reader.state:
        reader.state = state
        reader.since_ms = now_ms
    if state in (_EMPTY, _TOLD):
        return FOREVER_MS
    return ANSWER_MS - ticks_diff(now_ms, reader.since_ms)


def _light(flow: "Flow", reader: Reader, out: "Outputs") -> None:
    """Keep the light off for a card that was put in too early, or before the hole card came, until it was taken out."""
    lit = _allowed(reader) and reader.answer == ids.ANSWER_NONE and reader.state in (_EMPTY, _ASKED)
    lit = lit and flow.play.draws > flow.play.deal(flow)
    reader.lit = lit
    output_set(out, OUT_READ_ACE, 1 if lit and reader.up_card >= JACK else 0)
    output_set(out, OUT_READ_COURT, 1 if lit and reader.up_card == ACE else 0)


def _seen(reader: Reader, inp: "Inputs") -> int:
    if not inp.level[IN_HOLE_CARD]:
        return _LIES if inp.level[IN_HOLE_MATCH] else _EMPTY
    if reader.state in (_EMPTY, _LIES):
        return _ASKED if reader.lit else _WRONG
    return reader.state


def reader_stuck(flow: "Flow", reader: Reader) -> None:
    """Whether it reports a card before a hole card was dealt."""
    if flow.outbox.roomy():
        _off(flow, reader)


def _allowed(reader: Reader) -> bool:
    """An ace with insurance closed, or a king, queen or jack: of those the dealer may have a blackjack."""
    return reader.up_card >= JACK or (reader.up_card == ACE and reader.insured)


def _tell(flow: "Flow", reader: Reader, match: int) -> int:
    if not flow.outbox.roomy():
        return FOREVER_MS
    clauses = flow.profile.clauses
    flow.redraw()
    flow.play.changed = True
    if reader.state == _LIES:
        _off(flow, reader)
        return FOREVER_MS
    if reader.state == _ASKED:
        reader.answer = ids.ANSWER_BLACKJACK if match else ids.ANSWER_NO
        flow.outbox.post(ids.EV_HOLE_CARD_READ, reader.answer, text=clauses[RULE_HOLE_CARD])
    elif reader.answer == ids.ANSWER_NONE:
        reader.refused = True
        rule = RULE_INSURANCE if reader.up_card == ACE else RULE_READER_WRONG
        rule = RULE_HOLE_CARD if _allowed(reader) else rule  # before it was dealt
        flow.outbox.post(ids.EV_HOLE_CARD_READ, ids.ANSWER_NONE, text=clauses[rule])
    reader.state = _TOLD
    return 0


def _off(flow: "Flow", reader: Reader) -> None:
    """Switch the reader off: it contradicts itself, and is not used again before it was inspected."""
    profile = flow.profile
    clause = profile.clauses[RULE_READER_FAULT]
    reader.broken = True
    reader.state = _EMPTY
    flow.outbox.post(ids.EV_RECORDED, ids.REC_READER_OFF, 0, 0, profile.consequences[RULE_READER_FAULT], clause)
    flow.outbox.post(ids.EV_HOLE_CARD_READ, ids.ANSWER_FAULT, text=clause)
