"""Steps of a machine that shuffles: wait for the result, verify the deck, hold one that is handed out as a whole.

A machine that does not shuffle does not carry this module.
"""

from firmware.deck.ledger import STORE
from firmware.games.deck_steps import PHASE_HOLDING
from firmware.games.flow import (
    DECK_HELD,
    DECK_READY,
    ORDER_NONE,
    RELEASING,
    WARNING,
    flow_enter,
    flow_refuse,
)
from firmware.games.profile import TAIL_HANDED
from firmware.games.settling import tail_scan
from firmware.machines.machine import JOB_DONE
from firmware.machines.panel import PRESS_GREEN, panel_lamps
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs, Outputs


def step_shuffling(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Wait while the machine takes in, counts and parks; then keep the result back until the report instant.

    The true duration depends on the order and would reveal about ten bits of it. The report instant depends on the
    number of misfeeds and stalls alone.
    """
    if flow.machine.state != JOB_DONE:
        return FOREVER_MS
    if flow.phase != PHASE_HOLDING:
        flow.set_phase(PHASE_HOLDING)
        flow.set_order(ORDER_NONE)
        flow.due_ms = _due_ms(flow, ticks_diff(now_ms, flow.entered_ms))
    left_ms = flow.due_ms - ticks_diff(now_ms, flow.entered_ms)
    return left_ms if left_ms > 0 else _verify(flow, out, now_ms)


def step_deck_held(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """A verified deck waits to be handed out as a whole, once the round of the other one is over."""
    # GREEN is for the round at the table while there is one. A deck that was only handed out, in a game without
    # records, is none: the next may follow it.
    occupied = flow.tail and (flow.tail != TAIL_HANDED or flow.profile.recorded)
    if flow.tail and (tail_scan(flow, out, True, now_ms) or occupied):
        return FOREVER_MS
    if not flow.panel.take(PRESS_GREEN) or not flow.tray.empty:
        return FOREVER_MS
    flow.outbox.post(ids.EV_GREEN_PRESSED)
    flow.outbox.post(ids.EV_RELEASE_STARTED, flow.ledger.zone[STORE])
    return flow_enter(flow, RELEASING, now_ms)


def _verify(flow: "Flow", out: "Outputs", now_ms: int) -> int:
    """Two counts, by different sensors, must be the deck's: a beam that went blind in the job shows here (0010)."""
    expected = flow.profile.deck_cards
    machine = flow.machine
    counted = flow.ledger.settle()
    second = machine.second
    if counted == expected and second == counted:
        machine.verified()
        if not flow.profile.mode:
            flow.seat(0)
        feed = machine.feed
        flow.outbox.post(ids.EV_DECK_VERIFIED, counted, second, min(feed.misfeeds, 255), min(feed.stalls, 255))
        panel_lamps(out, 1, 0, 0)
        return flow_enter(flow, DECK_READY if machine.deals and not flow.profile.mode else DECK_HELD, now_ms)
    # The shuffle is complete and has not failed: in its state flow_warn would post shuffle_failed, so leave it first.
    flow_enter(flow, WARNING, now_ms)
    return flow_refuse(flow, out, counted, second, now_ms)


def _due_ms(flow: "Flow", elapsed_ms: int) -> int:
    """When to post the result. Each misfeed or stall adds a fixed time, more than it can cost with any order. A machine
    out of its specification may take longer still. Then the result waits for the next multiple: posted at once it would
    show the true duration."""
    feed = flow.machine.feed
    spec = flow.spec
    report_ms = flow.machine.report_ms(flow.profile.deck_cards)
    report_ms += feed.misfeeds * spec.misfeed_ms + feed.stalls * spec.stall_ms * spec.jog_max
    return (elapsed_ms // report_ms + 1) * report_ms
