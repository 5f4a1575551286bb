"""Steps of the procedure where a dealer draws by hand: wait for a round, count what is drawn, take out what is left.

A shoe lasts for many rounds. Cards drawn outside of one are burned; where the first card closes the betting, it is the
first of the round. The cut card ends the shoe after the round it shows in."""

from firmware.deck.ledger import DEALT, DISCARDED, HOPPER, REMOVED
from firmware.fault import FAULT_COMPOSITION, FAULT_MISMATCH, FAULT_NONE
from firmware.games.drawn.hole_card import reader_dark, reader_scan, reader_stuck, reader_used
from firmware.games.drawn.plan import plan_late
from firmware.games.drawn.round import (
    DEAL_LEAST,
    NOTICE_FACE_UP,
    NOTICE_TEN,
    REFILL_COMMIT,
    REFILL_CUT,
    REFILL_LOAD,
)
from firmware.games.flow import (
    DECK_SPENT,
    DRAW_READY,
    DRAWING,
    WAITING_FOR_DECK,
    WAITING_FOR_ROUND_END,
    flow_await_commit,
    flow_committed,
    flow_enter,
    flow_void,
    flow_warn,
)
from firmware.games.prerequisites import hold_for, need_for_round, need_tell
from firmware.games.profile import (
    CLAUSE_NONE,
    EXTRA_BURNS,
    EXTRA_FIRST_CLOSES,
    RULE_BURN,
    RULE_BURN_MISSED,
    RULE_CLOSING,
    RULE_CUT,
    RULE_CUT_CARD,
    RULE_DEALER_CARD,
    RULE_HOLE_CARD,
    RULE_INSURANCE,
    RULE_LOCKOUT,
    RULE_PLAN,
    RULE_SHORT_SHOE,
    RULE_TEN,
    RULE_TENS,
    TAIL_HANDED,
    TAIL_LOCKOUT,
    TAIL_SETTLING,
)
from firmware.games.round_steps import face_ups, round_start, seat_pressed, tell_odd
from firmware.games.settling import tail_scan
from firmware.games.shoe_facts import BURN_DEALER
from firmware.games.table_facts import APPROVED_MARKER
from firmware.image import IN_HOLE_CARD, IN_HOPPER
from firmware.machines.panel import PRESS_ACK, PRESS_CLOSE, PRESS_END, PRESS_GREEN, PRESS_LOCK, panel_lamps
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs, Outputs

# A card that cuts a set off a quarter from its back, at least: as near as a hand puts it.
MARKER_PART = 4


def step_draw_ready(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Between rounds. Closing the betting starts one, or its first card does."""
    if _wrong(flow):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    if flow.machine.cut_seen and not flow.play.cut_reported:
        _tell_cut(flow)
    if flow.play.cut_reported or flow.machine.drained:
        return flow_enter(flow, DECK_SPENT, now_ms)
    if _odd_cards(flow, now_ms):
        return 0
    if seat_pressed(flow):
        flow.redraw()
    flow.hold_without_room()
    return _between(flow, inp, now_ms)


def _between(flow: "Flow", inp: "Inputs", now_ms: int) -> int:
    if flow.machine.count != flow.play.counted + flow.play.early:
        if flow.profile.one_round:
            flow.play.early = flow.machine.count - flow.play.counted
            flow.play.flag(flow, RULE_CLOSING)  # drawn in error: it is the first card of the round
        elif flow.machine.zone == DEALT:
            return _start(flow, inp, now_ms)
        else:
            _burned(flow)
        return 0
    closed = flow.panel.take(PRESS_CLOSE)
    held = _held(flow, closed) or flow.hold
    _aim(flow, held)
    if not closed or held or flow.machine.busy or not inp.level[IN_HOPPER]:
        return FOREVER_MS
    while flow.play.burns(flow):  # bound: two
        _forgotten(flow)
    return _start(flow, inp, now_ms)


def _aim(flow: "Flow", held: int) -> None:
    """Where the next card goes: it is the first of a round, or burned."""
    first = flow.profile.extras & EXTRA_FIRST_CLOSES and not flow.need and not held
    flow.machine.zone = DEALT if first or flow.profile.one_round else DISCARDED


def _held(flow: "Flow", closed: int) -> bool:
    """A rule's need keeps the round from beginning; a due burn is only shown."""
    need = need_for_round(flow)
    if not need and flow.play.burns(flow):
        hold_for(flow, ids.NEED_BURN, 0)
        return False
    return hold_for(flow, need, closed)


def _forgotten(flow: "Flow") -> None:
    order = flow.profile.consequences[RULE_BURN_MISSED]
    clause = flow.profile.clauses[RULE_BURN_MISSED]
    flow.outbox.post(ids.EV_RECORDED, ids.REC_BURNED, 0, flow.play.burns(flow), order, clause)
    flow.play.burn &= flow.play.burn - 1


def _burned(flow: "Flow") -> None:
    """Post burned cards in a game that has burns; in any other they are in the ledger only."""
    play = flow.play
    profile = flow.profile
    cards = flow.machine.count - play.counted
    play.counted = flow.machine.count
    if profile.extras & EXTRA_BURNS and flow.outbox.roomy():
        burn = profile.consequences[RULE_BURN]
        flow.outbox.post(ids.EV_RECORDED, ids.REC_BURNED, cards, play.burns(flow), burn, profile.clauses[RULE_BURN])
    play.burned = play.burns(flow) or BURN_DEALER
    play.burn &= play.burn - 1
    play.notice = 0
    flow.redraw()


def _start(flow: "Flow", inp: "Inputs", now_ms: int) -> int:
    """By its first card, or before."""
    play = flow.play
    if flow.profile.one_round:
        return _start_plan(flow, now_ms)
    round_start(flow)
    play.dealt_before = flow.ledger.zone[DEALT] - flow.machine.count + play.counted
    play.begin()
    play.burn = 0  # where an approval asks for none
    play.no_call = reader_used(flow, play.reader)
    if play.no_call and inp.level[IN_HOLE_CARD]:
        reader_stuck(flow, play.reader)
    flow.machine.zone = DEALT
    return flow_enter(flow, DRAWING, now_ms)


def _start_plan(flow: "Flow", now_ms: int) -> int:
    """Of a deck that is played once: a round as one that is dealt by hand, and the shoe counts what is drawn."""
    flow.settle(TAIL_HANDED, flow.outbox.deck, 0, 0, 0)
    flow.by_hand.close_betting(flow)
    flow.outbox.round = flow.round_last
    flow.play.begin()
    flow.play.changed = True
    flow.machine.zone = DEALT
    return flow_enter(flow, DRAWING, now_ms)


def step_drawing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Runs with every card that a hand moves. Rare conditions are tested inline, to save calls."""
    play = flow.play
    if play.refill:
        return _refill(flow, inp, out, now_ms)
    if flow.tail:
        return _follow_plan(flow, out, now_ms)
    if _wrong(flow):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    if flow.machine.cut_seen and not play.cut_reported:
        _tell_cut(flow)
    odd = flow.machine.face_ups != play.face_ups or flow.machine.tens != play.tens
    if odd and _odd_cards(flow, now_ms):
        return 0
    if flow.machine.count != play.counted:
        _drawn(flow)
    if play.changed:
        play.changed = False
        hold_for(flow, play.need(flow), 0)
    if flow.panel.pressed[PRESS_LOCK] and flow.panel.take(PRESS_LOCK) and play.served(flow) and not play.called:
        _call(flow)
    if flow.panel.pressed[PRESS_GREEN] + flow.panel.pressed[PRESS_END] and _asked(flow):
        reader_dark(out)
        return _round_over(flow, now_ms)
    return reader_scan(flow, inp, out, now_ms) if play.reader.fitted else FOREVER_MS


def _follow_plan(flow: "Flow", out: "Outputs", now_ms: int) -> int:
    """In a round of a deck that is played once: closings, lock-out, records and end are as in dealing by hand."""
    play = flow.play
    machine = flow.machine
    if _too_many(flow):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    if machine.face_ups != play.face_ups and _odd_cards(flow, now_ms):
        return 0
    if machine.count != play.counted:
        _drawn(flow)
        if flow.need == ids.NEED_COUNT and not play.dealt(flow):
            hold_for(flow, ids.NEED_NONE, 0)  # the end was asked for too early: the deal goes on
    if machine.drained:
        play.ends(flow)
        _emptied(flow, out)
        return flow_enter(flow, WAITING_FOR_ROUND_END, now_ms)
    if machine.busy or not flow_committed(flow) or not (play.changed or max(flow.panel.pressed)):
        return FOREVER_MS
    play.changed = False
    return _settle(flow, out, now_ms)


def _settle(flow: "Flow", out: "Outputs", now_ms: int) -> int:
    """Ask for a due count once the cards of a known plan are out, or once the end is asked for."""
    panel, play = flow.panel, flow.play
    if play.draws != play.checked and play.beyond(flow):
        play.flag(flow, RULE_PLAN)
    if flow.tail == TAIL_SETTLING and flow.need != ids.NEED_COUNT:
        panel.take(PRESS_LOCK)
        panel.take(PRESS_ACK)
    ends = panel.pressed[PRESS_GREEN] + flow.need != 0 or (flow.positions != 0 and play.dealt(flow))
    if not tail_scan(flow, out, ends, now_ms) or flow.state != DRAWING:
        play.changed = not flow_committed(flow)  # what is due follows from the record of a count
        return FOREVER_MS
    flow.outbox.round = 0
    return flow_enter(flow, DECK_SPENT, now_ms)


def _asked(flow: "Flow") -> bool:
    """Whether the dealer or a command ends the round. With a card in the throat that does not count."""
    return flow.panel.take(PRESS_GREEN) + flow.panel.take(PRESS_END) != 0 and not flow.machine.busy


def _drawn(flow: "Flow") -> None:
    play = flow.play
    profile = flow.profile
    if flow.machine.zone == DISCARDED:
        _burned(flow)  # of a new dealer, or the first card of a rack that completes the shoe
        flow.machine.zone = DISCARDED if play.burns(flow) else DEALT
        return
    play.changed = True
    play.box_before = play.box
    play.box = ids.UNKNOWN_U8
    play.draws += flow.machine.count - play.counted
    play.counted = flow.machine.count
    if play.missed:
        plan_late(flow)
    if not play.closed and profile.extras & EXTRA_FIRST_CLOSES:
        play.closed = True
        flow.outbox.post(ids.EV_BETTING_CLOSED, 1, text=profile.clauses[RULE_CLOSING])
    if flow.tail:
        _tally(flow)
    if flow.tail == TAIL_LOCKOUT:
        play.flag(flow, RULE_LOCKOUT)
    elif play.out_of_turn(flow):
        play.flag(flow, RULE_HOLE_CARD)
    elif play.uninsured(flow):
        play.flag(flow, RULE_INSURANCE)
    # The display follows the deal where it changes, not every card.
    if play.notice or play.draws <= 2 or 0 <= play.draws - play.deal(flow) <= 1:
        play.notice = 0
        flow.redraw()


def _tally(flow: "Flow") -> None:
    """Of a deck that is played once: what is out, and what is left in the shoe."""
    settled = flow.settled
    zone = flow.ledger.zone
    flow.settle(flow.tail, settled.deck, settled.stacks, zone[DEALT], zone[HOPPER])


def _call(flow: "Flow") -> None:
    """Dealer's Card, by the button: as if it had been put on record."""
    profile = flow.profile
    flow.play.called = True
    order = profile.consequences[RULE_DEALER_CARD]
    flow.outbox.post(ids.EV_RECORDED, ids.REC_DEALER_CARD, 0, 0, order, profile.clauses[RULE_DEALER_CARD])


def _round_over(flow: "Flow", now_ms: int) -> int:
    play = flow.play
    if flow.profile.clauses[RULE_DEALER_CARD] != CLAUSE_NONE and play.uncalled(flow):
        play.flag(flow, RULE_DEALER_CARD)
    _post_end(flow)
    flow.set_round(flow.round_last, False)
    flow.machine.zone = DISCARDED
    flow.seat(0)
    play.burned = 0
    flow.outbox.round = 0
    return flow_enter(flow, DECK_SPENT if play.cut_reported or play.spent else DRAW_READY, now_ms)


def _post_end(flow: "Flow") -> None:
    zone = flow.ledger.zone
    unknown = ids.UNKNOWN_U16
    dealt = zone[DEALT] - flow.play.dealt_before
    flow.outbox.post(ids.EV_ROUND_ENDED, flow.stacks_taken, dealt, zone[HOPPER], unknown, e=unknown)


def _refill(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """The shoe was too short for this round: the rack, shuffled and cut, completes it."""
    play = flow.play
    if _too_many(flow):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)  # drawn before the rack was said to be in
    asked = flow.panel.take(PRESS_GREEN)
    flow.panel.clear()  # until the cards are in nothing is called, and the round does not end
    if play.refill == REFILL_COMMIT:
        if not flow_committed(flow):
            return flow_await_commit(flow, out, now_ms)
        play.dealt_before -= play.rack - min(flow.ledger.zone[DISCARDED], play.rack)
        flow.ledger.refill(play.rack)
        flow.machine.load(play.rack, now_ms)
        play.load()
        if not play.burns(flow):
            flow.machine.zone = DEALT
        play.spent = True
        flow.redraw()
        return 0
    need = play.need(flow)
    held = need == ids.NEED_DISPUTE
    if hold_for(flow, need, asked if held else 0) and held:
        return FOREVER_MS
    if play.refill == REFILL_CUT:
        if asked:
            need_tell(flow, ids.NEED_CUT, RULE_SHORT_SHOE)
    elif play.refill == REFILL_LOAD and asked and inp.level[IN_HOPPER] and not flow.machine.busy:
        play.refill = REFILL_COMMIT
        flow.set_entered(now_ms)  # the wait for storage begins
        flow.outbox.post(ids.EV_DECK_LOADED, play.rack, ids.LOADED_RACK)
        return 0
    return FOREVER_MS


def step_deck_spent(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Wait until the rest was taken out by hand. It is not counted, unless every card was drawn."""
    if _too_many(flow):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    if flow.machine.count != flow.play.counted and flow.outbox.roomy():
        _after_the_end(flow)
    if not flow.machine.drained:
        return FOREVER_MS
    _emptied(flow, out)
    return flow_enter(flow, WAITING_FOR_DECK, now_ms)


def _after_the_end(flow: "Flow") -> None:
    """Cards drawn from a shoe that has ended are counted. The first one is flagged, and the one with which a whole
    round was dealt."""
    profile = flow.profile
    whole = profile.stack_cards + profile.last_cards if profile.one_round else DEAL_LEAST
    _flag_after(flow, 1)
    _flag_after(flow, whole)
    flow.play.after = flow.machine.count - flow.play.counted - flow.play.early


def _flag_after(flow: "Flow", card: int) -> None:
    play = flow.play
    if play.after < card <= flow.machine.count - play.counted - play.early:
        rule = RULE_PLAN if flow.profile.one_round else RULE_CUT_CARD
        flow.outbox.post(ids.EV_DRAW_FLAGGED, card, text=flow.profile.clauses[rule])


def _emptied(flow: "Flow", out: "Outputs") -> None:
    left = flow.ledger.zone[HOPPER]
    flow.machine.stop(out)
    flow.ledger.settle()
    flow.outbox.post(ids.EV_REMAINDER_TAKEN, ids.UNKNOWN_U16 if left else 0)
    panel_lamps(out, 0, 0, 0)


def _too_many(flow: "Flow") -> bool:
    return flow.ledger.total - flow.ledger.zone[REMOVED] > flow.profile.deck_cards


def _wrong(flow: "Flow") -> bool:
    """More cards than a whole shoe has, or none left where some should be."""
    return _too_many(flow) or (flow.machine.drained and flow.ledger.zone[HOPPER] != 0)


def _tell_cut(flow: "Flow") -> None:
    if not flow.outbox.roomy():
        return
    left = flow.ledger.zone[HOPPER]
    profile = flow.profile
    play = flow.play
    play.cut_reported = True
    judged = profile.clauses[RULE_CUT_CARD] != CLAUSE_NONE and not play.approved & APPROVED_MARKER
    play.deep = judged and left * MARKER_PART < profile.deck_cards
    box = play.seat(flow) if flow.round_open else 0
    clause = profile.clauses[RULE_CUT if play.deep else RULE_CUT_CARD]
    flow.outbox.post(ids.EV_CUT_REACHED, flow.ledger.total, left, box, 1 if play.deep else 0, clause)


def _odd_cards(flow: "Flow", now_ms: int) -> bool:
    """Cards that lay face up went to the rack, tens are out. The second of a shoe voids the round; True then."""
    play = flow.play
    machine = flow.machine
    if (machine.face_ups == play.face_ups and machine.tens == play.tens) or not flow.outbox.roomy():
        return False
    flow.redraw()
    if machine.face_ups != play.face_ups:
        play.face_ups = machine.face_ups
        play.notice = NOTICE_FACE_UP
        last = face_ups(flow, play.face_ups)
    else:
        play.tens = machine.tens
        play.notice = NOTICE_TEN
        rule = RULE_TENS if play.tens > 1 else RULE_TEN
        tell_odd(flow, FAULT_COMPOSITION, play.tens, rule)
        last = rule == RULE_TENS
        if last and flow.round_open:
            flow_void(flow, FAULT_NONE, rule)
    if last:
        play.voided(flow, False, now_ms)
    return last
