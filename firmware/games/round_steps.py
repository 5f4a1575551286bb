"""Steps of the procedure that make up a round: close betting, deal stack by stack, release the remainder, end."""

from micropython import const

from firmware.fault import FAULT_JOURNAL, FAULT_MISMATCH, FAULT_NONE, FAULT_STACK
from firmware.games.flow import (
    DISPENSING,
    RELEASING,
    REMAINDER_OFFERED,
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
from firmware.image import IN_HOPPER
from firmware.machines.job import JOB_DONE
from firmware.machines.panel import PRESS_CLOSE, PRESS_GREEN, PRESS_LOCK, PRESS_SEAT, panel_lamps
from firmware.protocol import ids
from firmware.shoe.ledger import DEALT, HOPPER, RELEASED, STORE, TRAY
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
    seats = flow.panel.take(PRESS_SEAT)
    if seats:
        flow.positions = min(flow.positions + seats, flow.profile.positions_max)
    flow.hold = FAULT_NONE if flow.room >= flow.profile.round_events else FAULT_JOURNAL
    # Taken first: a press that came too early must not count when the obstacle is gone.
    closed = flow.panel.take(PRESS_CLOSE)
    if not closed or flow.hold or not flow.tray.empty:
        return FOREVER_MS
    round_start(flow)
    if flow.profile.lockout:
        return flow_enter(flow, WAITING_FOR_LOCKOUT, now_ms)
    return _next_stack(flow, now_ms)


def round_start(flow: "Flow") -> None:
    flow.round_last += 1
    flow.round_open = True
    flow.stack = 0
    flow.stacks_taken = 0
    flow.dealt_before = flow.ledger.zone[DEALT]
    flow.outbox.round = flow.round_last
    flow.outbox.post(ids.EV_ROUND_STARTED, flow.positions, text=flow.profile.code)


def step_waiting_for_lockout(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """No card before the progressive wagers are locked out."""
    if _lifted(flow, inp):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    if not flow.panel.take(PRESS_LOCK):
        return FOREVER_MS
    flow.outbox.post(ids.EV_LOCKOUT_CONFIRMED)
    return _next_stack(flow, now_ms)


def step_dispensing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    wanted = _stack_size(flow)
    done = _dispense(flow, out, wanted, now_ms)
    if done >= 0:
        return done
    if flow.machine.count != wanted:
        return flow_warn(flow, out, FAULT_STACK, now_ms)
    _post_stack(flow, wanted)
    return flow_enter(flow, STACK_OFFERED, now_ms)


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
        cards = flow.ledger.zone[TRAY]
        flow.ledger.move(TRAY, DEALT, cards)
        flow.stacks_taken += 1
        flow.outbox.post(ids.EV_STACK_TAKEN, flow.stack, cards)
        if not flow.positions and flow.panel.take(PRESS_GREEN):
            return _release(flow, now_ms)  # pressed by the other hand, while the tray beam had not yet settled
        flow.stack += 1
        if not 0 < _stack_size(flow) <= _held(flow):
            return flow_enter(flow, WAITING_FOR_GREEN, now_ms)
        return _next_stack(flow, now_ms)
    # A stack that may have been taken a moment ago does not join the remainder: wait until the tray is sure.
    if flow.tray.blocked and flow.panel.take(PRESS_GREEN) and not flow.positions and flow.stacks_taken:
        return _release(flow, now_ms)
    return FOREVER_MS


def step_waiting_for_green(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if _lifted(flow, inp):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    return _release(flow, now_ms) if flow.panel.take(PRESS_GREEN) else FOREVER_MS


def step_releasing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    done = _dispense(flow, out, _ALL, now_ms)
    return done if done >= 0 else _released(flow, out, now_ms)


def _released(flow: "Flow", out: "Outputs", now_ms: int) -> int:
    ledger = flow.ledger
    if ledger.counting and ledger.settle() != flow.profile.deck_cards:
        # A shoe counts its deck by dealing it: only now is it known that it was not a whole one.
        total = ledger.total
        flow_warn(flow, out, FAULT_MISMATCH, now_ms)
        flow.outbox.post(
            ids.EV_DECK_REFUSED, flow.profile.deck_cards, total, total, text=flow.profile.clause_count
        )
        return 0
    flow.outbox.post(ids.EV_REMAINDER_RELEASED, ledger.total - ledger.zone[DEALT], ledger.zone[TRAY])
    return flow_enter(flow, REMAINDER_OFFERED, now_ms)


def step_remainder_offered(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if not flow.tray.empty:
        return FOREVER_MS
    cards = flow.ledger.zone[TRAY]
    flow.ledger.move(TRAY, RELEASED, cards)
    flow.outbox.post(ids.EV_REMAINDER_TAKEN, cards)
    return flow_enter(flow, WAITING_FOR_ROUND_END if flow.round_open else WAITING_FOR_DECK, now_ms)


def step_waiting_for_round_end(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """The dealer ends the round; it is never inferred from the cards."""
    if not flow.panel.take(PRESS_GREEN):
        return FOREVER_MS
    round_end(flow, flow.ledger.zone[RELEASED])
    panel_lamps(out, 0, 0, 0)
    return flow_enter(flow, WAITING_FOR_DECK, now_ms)


def round_end(flow: "Flow", remainder: int) -> None:
    dealt = flow.ledger.zone[DEALT] - flow.dealt_before
    flow.outbox.post(ids.EV_ROUND_ENDED, flow.stacks_taken, dealt, remainder)
    flow.round_open = False


def _lifted(flow: "Flow", inp: "Inputs") -> bool:
    """Somebody took the deck of a shoe out of its hopper: what comes back need not be what was loaded."""
    if not flow.ledger.counting or inp.level[IN_HOPPER]:
        return False
    return flow.ledger.zone[HOPPER] != 0 and flow.machine.state == JOB_DONE


def _stack_size(flow: "Flow") -> int:
    return flow.profile.stack_size(flow.stack, flow.positions)


def _held(flow: "Flow") -> int:
    """Cards still to be dealt, in the store or, for a shoe, in the hopper."""
    return flow.ledger.zone[STORE] + flow.ledger.zone[HOPPER]


def _next_stack(flow: "Flow", now_ms: int) -> int:
    flow.stack = flow.stacks_taken + 1
    flow.outbox.post(ids.EV_STACK_STARTED, flow.stack, _stack_size(flow))
    return flow_enter(flow, DISPENSING, now_ms)


def _release(flow: "Flow", now_ms: int) -> int:
    flow.outbox.post(ids.EV_GREEN_PRESSED)
    flow.outbox.post(ids.EV_RELEASE_STARTED, _held(flow) + flow.ledger.zone[TRAY])
    return flow_enter(flow, RELEASING, now_ms)


def _dispense(flow: "Flow", out: "Outputs", wanted: int, now_ms: int) -> int:
    """Run one motion to its end: -1 when it ended well, else when to come back."""
    machine = flow.machine
    if flow.phase == PHASE_COMMITTING:
        if not flow_committed(flow):
            return flow_await_commit(flow, out, now_ms)
        if not flow.tray.empty and flow.ledger.zone[TRAY] == 0:
            flow.hold = FAULT_STACK  # somebody's hand or card: a stack begins in an empty tray
            return FOREVER_MS
        flow.hold = FAULT_NONE
        if wanted == _ALL:
            machine.release(now_ms)
        else:
            machine.deal(wanted, now_ms)
        panel_lamps(out, 0, 1, 0)
        flow.phase = PHASE_MOVING
        return FOREVER_MS
    if machine.state != JOB_DONE:
        return FOREVER_MS
    panel_lamps(out, 1, 0, 0)
    return -1
