"""The state of a shoe that is drawn by hand and of its round, and what the records of its game mean.

A power cut ends the shoe and clears this state; what has to survive is in the facts. Cards of a round are numbered
from 1, and the deal plan says whose each is: the dealer's, one to each box, a second to each box; where a reader is
used, the dealer's hole card; then cards that players ask for.
"""

from micropython import const

from firmware.deck import ledger as zones
from firmware.games.drawn import misdeliveries
from firmware.games.drawn.hole_card import ACE, Reader, box_plays, reader_decides, reader_objection, reader_used
from firmware.games.drawn.pages import draw_page
from firmware.games.drawn.plan import plan_final, plan_known, plan_left, plan_objection, plan_undrawn
from firmware.games.flow import DECK_SPENT, DRAW_READY, DRAWING, WAITING_FOR_DECK, flow_enter
from firmware.games.profile import (
    EXTRA_BURNS,
    EXTRA_TENS_OUT,
    RULE_APPROVAL,
    RULE_BOX_MISSED,
    RULE_BURN_MISSED,
    RULE_DELIVERED_BURNED,
    RULE_HIT_MISSED,
    RULE_HOLE_CARD,
    RULE_PAT_HAND,
    RULE_PLAN,
    RULE_RACK,
    RULE_RACK_WRONG,
    RULE_REFUSED,
    RULE_TEN,
    RULE_TENS,
    TAIL_HOUSE,
)
from firmware.games.shoe_facts import ANSWER, BURN_DEALER, BURNS, CALLED, box_short, box_waits
from firmware.games.table_facts import (
    APPROVAL,
    APPROVED_NO_BURN,
    FACE_UPS,
    HELD,
    HELD_DISPUTE,
    HELD_WINNER,
    RACK,
    REMOVED,
    TENS,
)
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.games.profile import Page

# Why a card is burned: b of the record.
BURN_SHOE = const(1)

REFILL_CUT = const(1)  # the rack has to be shuffled and cut
REFILL_LOAD = const(2)  # and put in
REFILL_COMMIT = const(3)

NOTICE_FACE_UP = const(1)
NOTICE_TEN = const(2)

NOT_MINE = const(-1)
DEAL_LEAST = const(3)  # cards of the smallest deal, where the boxes were not reported: the dealer's and two for one box


class Play:
    """Of one device. Sole writers: the steps of steps.py, and records."""

    def __init__(self, flow: "Flow") -> None:
        profile, machine, row = flow.profile, flow.machine, flow.facts.row
        machine.tens_out = profile.extras & EXTRA_TENS_OUT != 0 and flow.spec.recognises
        self.reader = Reader(flow.spec.reads_holes)
        self.approved = row[APPROVAL]
        self.recut = False  # the next cards are the same ones, cut again
        self.burn = BURN_DEALER if row[ANSWER] & BURNS else 0  # why cards are due to be burned, a bit for each
        self.dealt_before = 0  # cards of this shoe that were dealt before this round
        self.cut_reported = False  # the cut card of this shoe was posted
        # A shoe that went out with its round counts on: what lay face up before a power cut is in the facts.
        machine.face_ups, machine.tens = flow.facts.deck(1, FACE_UPS), row[TENS]
        self.load()
        self.begin()
        # Of the round that a power cut has left to the house. Any other one has none of these.
        self.reader.resume(row)
        self.called = row[ANSWER] & CALLED != 0

    def load(self) -> None:
        """A shoe is in; or the rack, which completes one."""
        self.counted = 0  # cards the machine has counted, as last looked at
        self.early = 0  # and those drawn since, before betting was closed
        self.face_ups = 0  # of this shoe, as reported
        self.tens = 0
        self.burn |= BURN_SHOE
        self.burned = 0  # why a card was burned since the last round; 0: none was
        self.notice = 0
        self.spent = False  # it ends with this round, cut card or not
        self.deep = False  # the cut card came too near to the end
        self.refill = 0
        self.after = 0  # cards drawn since it has ended

    def begin(self) -> None:
        """Another round."""
        self.draws = 0
        self.checked = 0  # of them, as last held against the plan
        self.completes = 0  # the one that completes the dealer's hand, by its number
        self.early = 0
        self.short = True  # the plan has cards to come, as last looked at
        self.burnt = 0  # of the draws, those that were burned: on a pat hand, or refused
        self.changed = False  # a card, a record or an answer: the need may have changed
        self.closed = False  # the first card has closed the betting
        self.box = ids.UNKNOWN_U8  # who gets the next card, as reported
        self.box_before = ids.UNKNOWN_U8  # and who got the last one
        self.missed = 0  # cards that boxes did not get in the deal
        self.late = 0  # a bit for each box that got its second one after all others
        self.erred = False  # an error of the dealer is on record
        self.shifted = False  # and since then the plan does not say whose the next card is
        self.ahead = 0  # 1: the dealer's second card came in the deal, and lies open
        self.called = False  # Dealer's Card
        self.none = 0  # cards that had come when it was recorded that he needs none
        self.hole = 0  # 1: without a reader, the card after the deal was reported as the dealer's, face down
        self.rack = 0
        self.no_call = False  # the hole card is dealt before the hits: Dealer's Card is not called
        self.reader.begin()

    def loads(self) -> int:
        """What goes in now: `shuffled` of deck_loaded."""
        self.load()
        self.cut_reported = False
        recut = self.recut
        self.recut = False
        return ids.LOADED_AGAIN if recut else ids.LOADED_SHUFFLED

    # -- the plan --------------------------------------------------------------------------------------------------

    def deal(self, flow: "Flow") -> int:
        """Cards of the deal, the dealer's first one included; 0 if the number of boxes is unknown. A game of one
        deck deals by its plan: so many to each position, then the last."""
        profile = flow.profile
        if profile.one_round:
            fixed = 0 if profile.final_each else profile.final_fixed
            return flow.positions * profile.stack_cards + profile.last_cards + fixed if flow.positions else 0
        return 1 + 2 * flow.positions - self.missed + self.ahead if flow.positions else 0

    def dealt(self, flow: "Flow") -> bool:
        """Whether every card of the plan that is known by now was drawn; of unknown positions the smallest deal."""
        return plan_left(flow) <= 0

    def beyond(self, flow: "Flow") -> bool:
        """Whether more cards of a deck that is played once have left the shoe than its plan has by now. The card that a
        rule orders for the dealer's hand is none: the one missing there is in a hand that was not found yet."""
        self.checked = self.draws
        return self.draws != self.completes and plan_known(flow) and plan_left(flow) + plan_final(flow) < 0

    def undrawn(self, flow: "Flow") -> bool:
        """Whether cards of the plan are to come, or were when the stub was taken out."""
        if flow.state == DRAWING:
            self.short = plan_undrawn(flow)
        return self.short

    def ends(self, flow: "Flow") -> None:
        """The round ends, or the stub is taken out: flag a plan that has cards to come."""
        if flow.state == DRAWING and self.undrawn(flow):
            self.flag(flow, RULE_PLAN)

    def flag(self, flow: "Flow", rule: int) -> None:
        if flow.outbox.roomy():
            flow.outbox.post(ids.EV_DRAW_FLAGGED, min(self.draws, 255), text=flow.profile.clauses[rule])

    def seat(self, flow: "Flow") -> int:
        """Whose the next card is: a box, 0 the dealer; 255 where the plan does not say."""
        boxes = flow.positions
        if self.box != ids.UNKNOWN_U8 or not self.draws:
            return self.box if self.draws else 0
        if not boxes or self.missed or self.late or self.shifted or self.draws > 2 * boxes:
            return 0 if self.called else ids.UNKNOWN_U8
        return (self.draws - 1) % boxes + 1

    def burns(self, flow: "Flow") -> int:
        """Why a card has to be burned next; 0: no card has. A new dealer burns one besides the first card of a shoe."""
        wanted = flow.profile.extras & EXTRA_BURNS and not self.approved & APPROVED_NO_BURN
        return self.burn & -self.burn if wanted else 0

    def need(self, flow: "Flow") -> int:
        """In a round: the answer of the reader, once it could matter; and that nothing holds a rack to be shuffled."""
        reader = self.reader
        if self.refill and flow.facts.deck(1, HELD) & (HELD_DISPUTE | HELD_WINNER):
            return ids.NEED_DISPUTE
        deal = self.deal(flow)
        waits = self.no_call and reader.answer == ids.ANSWER_NONE and reader_used(flow, reader)
        return ids.NEED_UP_CARD if waits and deal and self.draws > deal and reader_decides(reader) else ids.NEED_NONE

    def need_next(self, flow: "Flow") -> int:
        """What must happen next, where the state alone does not decide it. No command does it."""
        if flow.state == DRAWING and self.refill and flow.need != ids.NEED_DISPUTE:
            return ids.NEED_CUT if self.refill == REFILL_CUT else ids.NEED_DECK
        if flow.state in (DRAW_READY, DRAWING) and self.burns(flow):
            return ids.NEED_BURN
        return self.need(flow) if flow.state == DRAWING else ids.NEED_NONE

    def uninsured(self, flow: "Flow") -> bool:
        """Whether the card just drawn came after the deal with an ace up and insurance still open. With a reader the
        hole card follows the deal, and the answer of the reader is due before any other card."""
        reader = self.reader
        return reader.up_card == ACE and not reader.insured and self.deal(flow) > 0 and self.since_deal(flow) > 0

    def out_of_turn(self, flow: "Flow") -> bool:
        """Whether the card just drawn should not have been: before the reader was asked, or after a blackjack."""
        if self.reader.answer == ids.ANSWER_BLACKJACK:
            return True
        return self.need(flow) != ids.NEED_NONE and self.draws > self.deal(flow) + 1

    def uncalled(self, flow: "Flow") -> bool:
        """Whether cards came after the deal, or after the dealer needed none, and Dealer's Card was not called."""
        called = (self.called and not self.none) or self.no_call or self.hole or self.ahead
        return not called and self.draws - self.burnt > (self.none or self.deal(flow) or 1)

    def page(self, flow: "Flow") -> "Page | None":
        return draw_page(flow, self)

    # -- records ---------------------------------------------------------------------------------------------------

    def objection(self, flow: "Flow", what: int, a: int, b: int) -> int:
        """Why this cannot be put on record now; 0 if it can, NOT_MINE if another module decides."""
        # A shoe that stopped has let out what it had, as long as that is known and nothing was dealt by hand.
        drawing = flow.state == DRAWING or (flow.tail == TAIL_HOUSE and self.draws > 0)
        if what == ids.REC_CUT:
            return self._cut_objection(flow, a, b)
        if (drawing or not flow.tail) and a > self._out(flow, what, drawing):
            return ids.REASON_STATE  # so many cards have not come
        if flow.profile.one_round:
            return ids.REASON_STATE if flow.state == DRAWING and plan_objection(flow, what, a, b) else NOT_MINE
        if what == ids.REC_STUB_COUNTED:
            due = flow.state == WAITING_FOR_DECK and flow.facts.row[RACK]
            # Between rounds no hands are out that could have been misdealt.
            return ids.REASON_STATE if not due else ids.REASON_ARGUMENT if b else ids.REASON_NONE
        if what == ids.REC_MISDEAL:
            if a or b:
                return ids.REASON_ARGUMENT  # a box with too few cards is no misdeal here
            dealt = (flow.tail and not drawing) or self.draws + 1 >= (self.deal(flow) or DEAL_LEAST)
            return ids.REASON_NONE if dealt and not self.reader.up_card else ids.REASON_STATE
        if what == ids.REC_BURNED:
            return misdeliveries.burn_objection(flow, a, b)
        if what == ids.REC_SHORT_SHOE:
            return self._short_objection(flow, a)
        if what == ids.REC_DRAWN_IN_ERROR and b and drawing and self.draws <= (self.deal(flow) or DEAL_LEAST):
            return ids.REASON_STATE  # before that the rules do not cover a card that was seen
        if what == ids.REC_BOX_MISSED:
            missed = (flow.tail or self._passed(flow, a, b)) and box_waits(flow.facts.row, a, b) and box_plays(flow, a)
            return ids.REASON_NONE if missed and not self.called else ids.REASON_STATE
        if what == ids.REC_CARD_TO:  # both count the same cards, or one of them is wrong
            if self.reader.answer == ids.ANSWER_BLACKJACK:
                return ids.REASON_STATE  # no card comes any more
            fits = a <= (flow.positions or flow.profile.positions_max) and b == self.draws + 1
            return ids.REASON_NONE if fits and box_plays(flow, a) else ids.REASON_ARGUMENT
        if what >= ids.REC_DELIVERED_WRONGLY:
            return misdeliveries.delivery_objection(flow, what, a, b)
        if ids.REC_UP_CARD <= what <= ids.REC_DEALER_CARD or what == ids.REC_SURRENDER:
            return reader_objection(flow, what, a)
        return NOT_MINE

    def _out(self, flow: "Flow", what: int, drawing: bool) -> int:
        """Cards that this record may be about."""
        if what == ids.REC_TEN_FOUND:  # on the table, in the rack or, when that is taken out, in the rest
            if flow.state in (DECK_SPENT, WAITING_FOR_DECK):
                return flow.profile.deck_cards
            return flow.ledger.zone[zones.DEALT] + flow.ledger.zone[zones.DISCARDED]
        if what != ids.REC_FACE_UP and what != ids.REC_DRAWN_IN_ERROR:
            return ids.UNKNOWN_U16
        if drawing:
            return self.draws - (self.burnt if what == ids.REC_FACE_UP else 0)
        return self.early if flow.profile.one_round else min(self.burned, 1)

    def served(self, flow: "Flow", box: int = 0) -> bool:
        """Whether each box has two cards, as far as is known, and this one did not get one card alone."""
        waits = box_short(flow.facts.row, box) and not self.late >> box & 1
        return flow.tail != 0 or (self.since_deal(flow) >= 0 and not waits)

    def since_deal(self, flow: "Flow") -> int:
        """Cards since each box has two and the dealer a hole card, if dealt then; less than 0: they have not. Where the
        boxes were not reported, 0 from the smallest deal on."""
        deal = self.deal(flow)
        if not deal or self.draws <= deal:
            return min(self.draws - (deal or DEAL_LEAST), 0)
        return self.hits(flow)

    def hits(self, flow: "Flow") -> int:
        """Cards that players or the dealer may have drawn since the deal and the hole card."""
        return self.draws - (self.deal(flow) or DEAL_LEAST) - (1 if self.no_call or self.hole else 0)

    def _passed(self, flow: "Flow", box: int, has: int) -> bool:
        """Whether the deal has passed the card that this box did not get, or the deal is over, for a hit."""
        others = (flow.positions or box) - 1
        if has < 2:
            return self.draws + self.missed > box + has * others
        return self.served(flow) and has - 2 <= max(self.hits(flow), 0)

    def _cut_objection(self, flow: "Flow", a: int, b: int) -> int:
        if flow.state == DRAWING and self.refill == REFILL_CUT:
            least = flow.profile.cut_top if self.rack >= 2 * flow.profile.cut_top else 1
            return ids.REASON_NONE if least <= a <= self.rack - least and b else ids.REASON_ARGUMENT
        if flow.state == DRAWING or (flow.state == DRAW_READY and flow.ledger.total):
            return ids.REASON_STATE  # a card has left the shoe
        return NOT_MINE

    def _short_objection(self, flow: "Flow", a: int) -> int:
        """What is in the shoe is dealt first. In the rack is all that was drawn and does not lie on the table."""
        if flow.ledger.zone[zones.HOPPER] or flow.machine.busy or self.refill:
            return ids.REASON_STATE
        fits = 0 < a == flow.ledger.zone[zones.DISCARDED] + self.dealt_before
        return ids.REASON_NONE if fits else ids.REASON_ARGUMENT

    def rule_of(self, flow: "Flow", what: int, a: int, b: int) -> int:
        machine = flow.machine
        if flow.profile.one_round:
            return NOT_MINE
        if what == ids.REC_STUB_COUNTED:
            whole = a == flow.profile.deck_cards - flow.facts.row[REMOVED]
            return RULE_RACK if whole else RULE_RACK_WRONG
        if what == ids.REC_TEN_FOUND:
            return RULE_TENS if machine.tens + a > 1 else RULE_TEN
        if what == ids.REC_DEALER_CHANGE and self.approved & APPROVED_NO_BURN:
            return RULE_APPROVAL
        if what == ids.REC_BOX_MISSED:
            return RULE_BOX_MISSED if b < 2 else RULE_HIT_MISSED
        if what == ids.REC_BURNED:
            if not a:
                return RULE_BURN_MISSED
            return RULE_PAT_HAND if b == misdeliveries.BURN_PAT_HAND else RULE_REFUSED
        return RULE_DELIVERED_BURNED if what == ids.REC_DELIVERED_WRONGLY and b == misdeliveries.TO_RACK else NOT_MINE

    def recorded(self, flow: "Flow", what: int, a: int, b: int, now_ms: int) -> None:
        """Apply the consequences of a record."""
        machine = flow.machine
        self.changed = True
        self.erred = self.erred or what in misdeliveries.ERRORS
        self.recut = self.recut and (what > ids.REC_OUT_OF_SERVICE or what == ids.REC_CUT)  # else they are mixed again
        if what == ids.REC_FACE_UP:
            machine.face_ups += a
            self.face_ups += a
            self.rejected(flow, a)
        elif what == ids.REC_TEN_FOUND:
            machine.tens += a
            self.tens += a
            self._take_out(flow, a)
        elif what == ids.REC_BURNED:
            self._burned(flow, a)
        elif what == ids.REC_DEALER_CHANGE:
            if not flow.tail:  # by hand this shoe does not see it
                self.burn |= BURN_DEALER
            if flow.state == DRAWING and self.burns(flow):
                machine.zone = zones.DISCARDED  # before the new dealer deals any card
        elif what == ids.REC_READER_OFF:
            self.reader.broken = not a
            self.no_call = self.no_call and self.draws > self.deal(flow)  # without a reader the dealer's card is called
        elif what == ids.REC_APPROVAL:
            self.approved = b
        elif what == ids.REC_SHORT_SHOE:
            self.refill, self.rack = REFILL_CUT, a
        elif what == ids.REC_CUT and flow.state == DRAWING:
            self.refill = REFILL_LOAD
        elif flow.state == DRAW_READY and what in (ids.REC_RESHUFFLE, ids.REC_NO_ACTIVITY, ids.REC_CUT):
            self.recut = what == ids.REC_CUT
            flow_enter(flow, DECK_SPENT, now_ms)
        else:
            self._follow_record(flow, what, a, b)

    def _follow_record(self, flow: "Flow", what: int, a: int, b: int) -> None:
        """What is reported of the hands and cards of the round."""
        reader = self.reader
        if what == ids.REC_MISDEAL and not a:
            self.completes = self.draws + 1
        elif what == ids.REC_UP_CARD:
            reader.up_card, reader.insured = a, reader.insured and reader.up_card == a
        elif what == ids.REC_INSURANCE_CLOSED:
            reader.insured = True
        elif what == ids.REC_DEALER_CARD:
            self.called, self.none = True, (self.draws - self.burnt) * a
        elif what == ids.REC_CARD_TO:
            self.box = a
            if not a and not self.no_call and 0 < self.deal(flow) == self.draws:
                self.hole = 1
        elif what == ids.REC_BOX_MISSED and b < 2:
            self.missed += 2 - b
        elif what >= ids.REC_DELIVERED_WRONGLY:
            misdeliveries.delivered(flow, what, a, b)

    def rejected(self, flow: "Flow", cards: int) -> None:
        """Cards that lay face up were never dealt, as if the sensor had seen them: the next card takes their place."""
        flow.redraw()
        if flow.state == DRAWING:
            self.draws -= cards
            self.box = self.box_before
            if not self.draws and self.reader.up_card and self.face_ups < 2:  # the dealer's, and the round is not void
                self.reader.up_card = 0
                flow.outbox.post(ids.EV_RECORDED, ids.REC_UP_CARD, text=flow.profile.clauses[RULE_HOLE_CARD])
        elif self.early:  # drawn before betting was closed
            flow.ledger.move(zones.DEALT, zones.DISCARDED, cards)
            self.early -= cards
            self.counted += cards
        else:
            self._unburned(flow)

    def _unburned(self, flow: "Flow") -> None:
        """The card that was burned last is none of the game: another one is burned, if no round has begun."""
        self.burn |= self.burned if flow.state == DRAW_READY else 0
        self.burned = 0

    def _take_out(self, flow: "Flow", cards: int) -> None:
        """Tens, out of this round, the rounds before it or the rack: of a rack that is shuffled, out of that."""
        ledger = flow.ledger
        here = 0 if self.refill else min(self.draws - self.burnt, cards)
        dealt = min(self.dealt_before if self.refill else ledger.zone[zones.DEALT], cards)
        ledger.move(zones.DEALT, zones.REMOVED, dealt)
        if cards > dealt and ledger.zone[zones.DISCARDED]:
            ledger.move(zones.DISCARDED, zones.REMOVED, min(ledger.zone[zones.DISCARDED], cards - dealt))
            self._unburned(flow)
        self.draws -= here
        self.dealt_before -= dealt - here
        self.rack -= cards
        self.box = self.box_before

    def _burned(self, flow: "Flow", cards: int) -> None:
        if cards:
            flow.ledger.move(zones.DEALT, zones.DISCARDED, min(cards, flow.ledger.zone[zones.DEALT]))
            self.burnt += cards
        elif flow.state in (DRAW_READY, DRAWING) and not self.burns(flow):
            # The card counted as the burn was the first card of the round, which begins with it.
            flow.ledger.move(zones.DISCARDED, zones.DEALT, 1)
            self.burned = 0
            if flow.state == DRAW_READY:
                flow.machine.zone, self.counted = zones.DEALT, self.counted - 1
            self.draws += 1
        else:  # none was burned
            self.burn &= self.burn - 1
            if not self.burn:
                flow.machine.zone = zones.DEALT

    def voided(self, flow: "Flow", shoe_stays: bool, now_ms: int) -> None:
        """The round is void. The shoe continues unless the rule ends it, or a deck is shuffled after each round."""
        stays = shoe_stays and flow.state == DRAWING and not (self.spent or self.cut_reported or flow.profile.one_round)
        flow.machine.zone = zones.DISCARDED
        flow.seat(0)
        self.burned = 0
        flow.set_tail(0)
        flow.outbox.round = 0
        flow_enter(flow, DRAW_READY if stays else DECK_SPENT, now_ms)
