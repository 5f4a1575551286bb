"""Steps of the procedure that make up a round: close betting, deal stack by stack, release the remainder, end."""

from micropython import const

from firmware.deck.ledger import DEALT, DISCARDED, HOPPER, RELEASED, STORE, TRAY
from firmware.fault import FAULT_FACE_UP, FAULT_MISMATCH, FAULT_NONE, FAULT_STACK
from firmware.games.flow import (
    DISPENSING,
    RELEASING,
    REMAINDER_OFFERED,
    STACK_OFFERED,
    WAITING_FOR_GREEN,
    WAITING_FOR_LOCKOUT,
    WAITING_FOR_ROUND_END,
    WAITING_FOR_WAGERS,
    flow_await_commit,
    flow_committed,
    flow_enter,
    flow_idle,
    flow_refuse,
    flow_void,
    flow_warn,
)
from firmware.games.prerequisites import hold_for, need_for_cards, need_for_release, need_for_round, stub_due
from firmware.games.profile import (
    EXTRA_COMMUNITY,
    RULE_CLOSING_AGAIN,
    RULE_FACE_UP,
    RULE_FACE_UPS,
    RULE_LOCKOUT,
    RULE_STUB_COUNT,
)
from firmware.games.settling import count_pressed, tail_begin, tail_scan
from firmware.games.table_facts import ACCEPTED, COLLECTED, EXTRA, FACE_UPS, ROUNDS
from firmware.image import IN_HOPPER
from firmware.machines.machine import JOB_DONE
from firmware.machines.panel import PRESS_CLOSE, PRESS_GREEN, PRESS_LOCK, PRESS_SEAT, panel_lamps
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs, Outputs

PHASE_COMMITTING = const(0)
PHASE_MOVING = const(1)

_ALL = const(-1)


def step_deck_ready(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """A verified deck waits. Positions may be set; closing the betting starts the round."""
    if _lifted(flow, inp):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    seat_pressed(flow)
    flow.hold_without_room()
    if flow.tail and tail_scan(flow, out, True, now_ms):
        return 0
    # Taken first: a press that came too early must not count when the obstacle is gone.
    closed = flow.panel.take(PRESS_CLOSE)
    need = need_for_round(flow)
    if need == ids.NEED_COUNT and count_pressed(flow, now_ms):
        return 0
    if hold_for(flow, need, closed) or not closed or flow.hold or not flow.tray.empty:
        return FOREVER_MS
    round_start(flow)
    if flow.profile.lockout:
        return flow_enter(flow, WAITING_FOR_LOCKOUT, now_ms)
    return _next_stack(flow, False, now_ms)


def seat_pressed(flow: "Flow") -> int:
    """Add a position for each press of SEAT. Returns the presses."""
    presses = flow.panel.take(PRESS_SEAT)
    if presses:
        flow.seat(flow.positions + presses)
    return presses


def round_start(flow: "Flow") -> None:
    """Open a round in the machine."""
    flow.set_round(flow.round_last + 1, True)
    flow.extra = 0
    flow.stack = 0
    flow.stacks_taken = 0
    flow.outbox.round = flow.round_last
    round_begin(flow, flow.outbox.deck)


def round_begin(flow: "Flow", deck: int) -> None:
    flow.outbox.post(ids.EV_ROUND_STARTED, flow.positions, text=flow.profile.code)
    if stub_due(flow, deck):
        rounds = flow.facts.row[ROUNDS] + 1
        flow.outbox.post(ids.EV_STUB_DUE, rounds, text=flow.profile.clauses[RULE_STUB_COUNT])


def step_waiting_for_lockout(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """No card before the progressive wagers are locked out."""
    if _lifted(flow, inp):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    pressed = flow.panel.take(PRESS_LOCK)
    if hold_for(flow, need_for_cards(flow), pressed) or not pressed:
        return FOREVER_MS
    locked_out(flow)
    return _next_stack(flow, False, now_ms)


def locked_out(flow: "Flow") -> None:
    row = flow.facts.row
    counted = row[ACCEPTED] != 0
    accepted = row[ACCEPTED] - 1 if counted else ids.UNKNOWN_U16
    collected = row[COLLECTED] - 1 if counted else ids.UNKNOWN_U16
    flow.outbox.post(ids.EV_LOCKOUT_CONFIRMED, accepted, collected, text=flow.profile.clauses[RULE_LOCKOUT])


def step_dispensing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if flow.phase == PHASE_COMMITTING:
        return _begin_motion(flow, out, flow.wanted, now_ms)
    if flow.machine.state != JOB_DONE:
        return FOREVER_MS
    panel_lamps(out, 1, 0, 0)
    found = flow.machine.feed.face_ups
    if flow.machine.count - found != flow.asked:
        return flow_warn(flow, out, FAULT_STACK, now_ms)
    _post_stack(flow, flow.wanted)
    if found:
        face_ups(flow, flow.facts.deck(flow.outbox.deck or 1, FACE_UPS) + found)
    return flow_enter(flow, STACK_OFFERED, now_ms)


def face_ups(flow: "Flow", found: int) -> bool:
    """So many cards of this deck lay face up. The first goes to the rack, and the next card takes its place; more void
    the round: True."""
    rule = RULE_FACE_UPS if found > 1 else RULE_FACE_UP
    tell_odd(flow, FAULT_FACE_UP, found, rule)
    if found > 1 and (flow.round_open or flow.tail):
        flow_void(flow, FAULT_NONE, rule)
    return found > 1


def tell_odd(flow: "Flow", fault: int, found: int, rule: int) -> None:
    order = flow.profile.consequences[rule]
    flow.outbox.post(ids.EV_CARDS_ODD, fault, found, order, text=flow.profile.clauses[rule])


def _post_stack(flow: "Flow", cards: int) -> None:
    feed = flow.machine.feed
    misfeeds = 0 if flow.machine.shuffles else min(feed.misfeeds, 255)
    stalls = 0 if flow.machine.shuffles else min(feed.stalls, 255)
    flow.outbox.post(ids.EV_STACK_OFFERED, flow.stack, cards, misfeeds, stalls)


def step_stack_offered(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """The next stack comes only after this one was taken; without set positions green ends the dealing."""
    if _lifted(flow, inp):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    if flow.tray.empty:
        return _taken(flow, now_ms)
    # A stack that may have been taken a moment ago does not join the remainder: wait until the tray is sure.
    if flow.tray.blocked and flow.panel.take(PRESS_GREEN) and flow.stacks_taken and _open_ended(flow):
        flow.panel.pressed[PRESS_GREEN] = 1
        return _green(flow, now_ms) if _granted(flow, PRESS_GREEN) else FOREVER_MS
    return FOREVER_MS


def _open_ended(flow: "Flow") -> bool:
    """Whether green ends the players' cards: their number was not set. A stack with a card in it that lies face up is
    taken first."""
    return not (flow.positions or flow.last or flow.extra or flow.machine.feed.face_ups)


def _taken(flow: "Flow", now_ms: int) -> int:
    _post_taken(flow)
    if not flow.round_open:
        return flow_enter(flow, WAITING_FOR_GREEN, now_ms)  # void by what lay face up
    if flow.extra:
        flow.stack = flow.stacks_taken
        return flow_enter(flow, flow.extra, now_ms)
    flow.stacks_taken += 1
    if flow.last:
        return _all_dealt(flow, now_ms)
    if not flow.positions and flow.panel.take(PRESS_GREEN):
        return _green(flow, now_ms)  # pressed by the other hand, while the tray beam had not yet settled
    flow.stack += 1
    if not 0 < _stack_size(flow) <= _held(flow):
        return _all_dealt(flow, now_ms)
    return _next_stack(flow, False, now_ms)


def _post_taken(flow: "Flow") -> None:
    ledger = flow.ledger
    ledger.move(TRAY, DISCARDED, flow.machine.feed.face_ups)
    cards = ledger.zone[TRAY]
    ledger.move(TRAY, DEALT, cards)
    flow.outbox.post(ids.EV_STACK_TAKEN, flow.stack, cards)


def _green(flow: "Flow", now_ms: int) -> int:
    """The players have their cards: the community's come now, or what is left of the deck."""
    if flow.profile.extras & EXTRA_COMMUNITY:
        return _next_stack(flow, True, now_ms)
    return _release(flow, now_ms)


def _all_dealt(flow: "Flow", now_ms: int) -> int:
    return flow_enter(flow, WAITING_FOR_WAGERS if flow.profile.closings > 1 else WAITING_FOR_GREEN, now_ms)


def step_waiting_for_wagers(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Wagers that the players decide on after their cards; nothing moves until betting is closed again."""
    if _lifted(flow, inp):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    if _extra(flow, now_ms):
        return 0
    if not _granted(flow, PRESS_CLOSE):
        return FOREVER_MS
    flow.outbox.post(ids.EV_BETTING_CLOSED, 2, text=flow.profile.clauses[RULE_CLOSING_AGAIN])
    return flow_enter(flow, WAITING_FOR_GREEN, now_ms)


def step_waiting_for_green(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if _lifted(flow, inp):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    if _extra(flow, now_ms):
        return 0
    if flow.ledger.zone[TRAY] and flow.tray.empty:
        _post_taken(flow)  # the stack that lay there when the round became void
    return _release(flow, now_ms) if _granted(flow, PRESS_GREEN) else FOREVER_MS


def _granted(flow: "Flow", button: int) -> bool:
    """Whether the dealer asks for what follows the deal, and nothing keeps it back."""
    if not flow_committed(flow):
        return False  # the last record is not in the facts yet
    asked = flow.panel.take(button)
    return not hold_for(flow, need_for_release(flow), asked) and asked != 0


def _extra(flow: "Flow", now_ms: int) -> bool:
    """Lock gives the card that is due; wagers that wait for it are not closed by that."""
    if not flow.panel.take(PRESS_LOCK) or not extra_due(flow):
        return False
    flow.extra = flow.state
    flow.stack = 0
    flow.wanted = 1
    flow.outbox.post(ids.EV_STACK_STARTED, 0, 1)
    flow_enter(flow, DISPENSING, now_ms)
    return True


def extra_due(flow: "Flow") -> bool:
    """Whether a rule makes one more card due, and there is one."""
    return flow.round_open and flow.facts.row[EXTRA] != 0 and flow_committed(flow) and _held(flow) != 0


def step_releasing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if flow.phase == PHASE_COMMITTING:
        return _begin_motion(flow, out, _ALL, now_ms)
    if flow.machine.state != JOB_DONE:
        return FOREVER_MS
    panel_lamps(out, 1, 0, 0)
    return _released(flow, out, now_ms)


def _released(flow: "Flow", out: "Outputs", now_ms: int) -> int:
    ledger = flow.ledger
    if ledger.counting and ledger.settle() != flow.profile.deck_cards:
        # A shoe counts its deck by dealing it: only now is it known that it was not a whole one.
        return flow_refuse(flow, out, ledger.total, ledger.total, now_ms)
    expected = ledger.total - ledger.zone[DEALT] - ledger.zone[DISCARDED]
    flow.outbox.post(ids.EV_REMAINDER_RELEASED, expected, ledger.zone[TRAY])
    return flow_enter(flow, REMAINDER_OFFERED, now_ms)


def step_remainder_offered(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if not flow.tray.empty:
        return FOREVER_MS
    cards = flow.ledger.zone[TRAY]
    flow.ledger.move(TRAY, RELEASED, cards)
    flow.outbox.post(ids.EV_REMAINDER_TAKEN, cards)
    if flow.round_open:
        tail_begin(flow)
    elif flow.facts.handed(flow.outbox.deck, flow.outbox.round):
        flow.by_hand.begin(flow)
    return flow_idle(flow, now_ms)


def step_waiting_for_round_end(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if not tail_scan(flow, out, True, now_ms):
        return FOREVER_MS
    # A count that voids the round has left this state already.
    return flow_idle(flow, now_ms) if flow.state == WAITING_FOR_ROUND_END else 0


def _lifted(flow: "Flow", inp: "Inputs") -> bool:
    """The deck was taken out of the hopper of a shoe: the one that comes back may be another."""
    if not flow.ledger.counting or inp.level[IN_HOPPER]:
        return False
    return flow.ledger.zone[HOPPER] != 0 and flow.machine.state == JOB_DONE


def _stack_size(flow: "Flow") -> int:
    return flow.profile.stack_size(flow.stack, flow.positions)


def _held(flow: "Flow") -> int:
    """Cards still to be dealt, in the store or, for a shoe, in the hopper."""
    return flow.ledger.zone[STORE] + flow.ledger.zone[HOPPER]


def _next_stack(flow: "Flow", last: bool, now_ms: int) -> int:
    """A stack that was not taken when green came is the first part of the last one: the cards keep their sequence."""
    flow.stack = flow.stacks_taken + 1
    flow.last = last
    flow.wanted = flow.profile.last_cards if last else _stack_size(flow)
    flow.outbox.post(ids.EV_STACK_STARTED, flow.stack, flow.wanted)
    return flow_enter(flow, DISPENSING, now_ms)


def _release(flow: "Flow", now_ms: int) -> int:
    flow.outbox.post(ids.EV_GREEN_PRESSED)
    if flow.profile.cover_all and flow.round_open:
        flow.cover.begin(flow)
    flow.outbox.post(ids.EV_RELEASE_STARTED, _held(flow) + flow.ledger.zone[TRAY])
    return flow_enter(flow, RELEASING, now_ms)


def _begin_motion(flow: "Flow", out: "Outputs", wanted: int, now_ms: int) -> int:
    """Start the motion once its intent is durable and nothing is in its way. Returns in how many ms to run again."""
    if not flow_committed(flow):
        return flow_await_commit(flow, out, now_ms)
    if not flow.tray.empty and flow.ledger.zone[TRAY] == 0:
        flow.set_hold(FAULT_STACK)  # a hand or a foreign card: a stack begins in an empty tray
        return FOREVER_MS
    flow.set_hold(FAULT_NONE)
    if wanted == _ALL:
        flow.machine.release(now_ms)
    else:
        flow.asked = wanted - flow.ledger.zone[TRAY]
        flow.machine.deal(flow.asked, now_ms)
    panel_lamps(out, 0, 1, 0)
    flow.set_phase(PHASE_MOVING)
    return FOREVER_MS
