"""Steps of the procedure that make up a round: close betting, deal stack by stack, release the remainder, end."""

from micropython import const

from firmware.fault import FAULT_JOURNAL, FAULT_NONE, FAULT_STACK
from firmware.games.flow import (
    DISPENSING,
    RELEASING,
    REMAINDER_OFFERED,
    ROUND_EVENTS_MAX,
    STACK_OFFERED,
    WAITING_FOR_DECK,
    WAITING_FOR_GREEN,
    WAITING_FOR_LOCKOUT,
    WAITING_FOR_ROUND_END,
    flow_await_commit,
    flow_committed,
    flow_enter,
    flow_warn,
)
from firmware.machines.dispense import DISPENSE_DONE, DISPENSE_FAILED, dispense_start
from firmware.machines.panel import PRESS_CLOSE, PRESS_GREEN, PRESS_LOCK, PRESS_SEAT, panel_lamps
from firmware.protocol import ids
from firmware.shoe.ledger import DEALT, RELEASED, STORE, TRAY
from firmware.ticks import FOREVER_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs, Outputs

PHASE_COMMITTING = const(0)
PHASE_MOVING = const(1)


def step_deck_ready(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """A verified deck waits. Positions may be set; closing the betting starts the round."""
    seats = flow.panel.take(PRESS_SEAT)
    if seats:
        flow.positions = min(flow.positions + seats, flow.profile.positions_max)
    flow.hold = FAULT_NONE if flow.room >= ROUND_EVENTS_MAX else FAULT_JOURNAL
    # Taken first: a press that came too early must not count when the obstacle is gone.
    closed = flow.panel.take(PRESS_CLOSE)
    if not closed or flow.hold or not flow.tray.empty:
        return FOREVER_MS
    flow.round_last += 1
    flow.round_open = True
    flow.stack = 0
    flow.stacks_taken = 0
    flow.outbox.round = flow.round_last
    flow.outbox.post(ids.EV_ROUND_STARTED, flow.positions, text=flow.profile.code)
    if flow.profile.lockout:
        return flow_enter(flow, WAITING_FOR_LOCKOUT, now_ms)
    return _next_stack(flow, now_ms)


def step_waiting_for_lockout(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """No card before the progressive wagers are locked out."""
    if not flow.panel.take(PRESS_LOCK):
        return FOREVER_MS
    flow.outbox.post(ids.EV_LOCKOUT_CONFIRMED)
    return _next_stack(flow, now_ms)


def step_dispensing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    done = _dispense(flow, inp, out, flow.profile.stack_cards, now_ms)
    if done >= 0:
        return done
    flow.outbox.post(ids.EV_STACK_OFFERED, flow.stack, flow.dispense.count)
    return flow_enter(flow, STACK_OFFERED, now_ms)


def step_stack_offered(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """The next stack comes only after this one was taken; without set positions green ends the dealing."""
    if flow.tray.empty:
        cards = flow.ledger.zone[TRAY]
        flow.ledger.move(TRAY, DEALT, cards)
        flow.stacks_taken += 1
        flow.outbox.post(ids.EV_STACK_TAKEN, flow.stack, cards)
        if flow.stacks_taken == flow.positions + 1 and flow.positions:
            return flow_enter(flow, WAITING_FOR_GREEN, now_ms)
        if flow.ledger.zone[STORE] < flow.profile.stack_cards:
            return flow_enter(flow, WAITING_FOR_GREEN, now_ms)
        return _next_stack(flow, now_ms)
    if not flow.positions and flow.stacks_taken and flow.panel.take(PRESS_GREEN):
        return _release(flow, now_ms)
    return FOREVER_MS


def step_waiting_for_green(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    return _release(flow, now_ms) if flow.panel.take(PRESS_GREEN) else FOREVER_MS


def step_releasing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    held = flow.ledger.zone[STORE] if flow.phase == PHASE_COMMITTING else 0
    done = _dispense(flow, inp, out, held, now_ms)
    if done >= 0:
        return done
    counted = flow.ledger.zone[TRAY]
    flow.outbox.post(ids.EV_REMAINDER_RELEASED, flow.ledger.total - flow.ledger.zone[DEALT], counted)
    return flow_enter(flow, REMAINDER_OFFERED, now_ms)


def step_remainder_offered(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if not flow.tray.empty:
        return FOREVER_MS
    cards = flow.ledger.zone[TRAY]
    flow.ledger.move(TRAY, RELEASED, cards)
    flow.outbox.post(ids.EV_REMAINDER_TAKEN, cards)
    return flow_enter(flow, WAITING_FOR_ROUND_END, now_ms)


def step_waiting_for_round_end(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """The dealer ends the round; it is never inferred from the cards."""
    if not flow.panel.take(PRESS_GREEN):
        return FOREVER_MS
    zone = flow.ledger.zone
    flow.outbox.post(ids.EV_ROUND_ENDED, flow.stacks_taken, zone[DEALT], zone[RELEASED])
    flow.round_open = False
    panel_lamps(out, 0, 0, 0)
    return flow_enter(flow, WAITING_FOR_DECK, now_ms)


def _next_stack(flow: "Flow", now_ms: int) -> int:
    flow.stack = flow.stacks_taken + 1
    flow.outbox.post(ids.EV_STACK_STARTED, flow.stack, flow.profile.stack_cards)
    return flow_enter(flow, DISPENSING, now_ms)


def _release(flow: "Flow", now_ms: int) -> int:
    flow.outbox.post(ids.EV_GREEN_PRESSED)
    flow.outbox.post(ids.EV_RELEASE_STARTED, flow.ledger.zone[STORE] + flow.ledger.zone[TRAY])
    return flow_enter(flow, RELEASING, now_ms)


def _dispense(flow: "Flow", inp: "Inputs", out: "Outputs", wanted: int, now_ms: int) -> int:
    """Run one motion to its end: -1 when it ended well, else when to come back."""
    dispense = flow.dispense
    if flow.phase == PHASE_COMMITTING:
        if not flow_committed(flow):
            return flow_await_commit(flow, out, now_ms)
        if not flow.tray.empty and flow.ledger.zone[TRAY] == 0:
            return FOREVER_MS  # somebody's hand or card: a stack begins in an empty tray
        dispense_start(dispense, inp, out, wanted, now_ms)
        panel_lamps(out, 0, 1, 0)
        flow.phase = PHASE_MOVING
        return FOREVER_MS
    if dispense.state == DISPENSE_FAILED:
        return flow_warn(flow, out, dispense.fault, now_ms)
    if dispense.state != DISPENSE_DONE:
        return FOREVER_MS
    panel_lamps(out, 1, 0, 0)
    return -1 if dispense.count == dispense.wanted else flow_warn(flow, out, FAULT_STACK, now_ms)
