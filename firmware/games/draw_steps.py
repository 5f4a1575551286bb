"""Steps of the procedure where a dealer draws by hand: wait for a round, count what is drawn, take out what is left.

A shoe lasts for many rounds. Cards drawn outside of one are burned. The cut card ends the shoe after the round it shows
in.
"""

from firmware.fault import FAULT_JOURNAL, FAULT_MISMATCH, FAULT_NONE
from firmware.games.flow import (
    DECK_SPENT,
    DRAW_READY,
    DRAWING,
    WAITING_FOR_DECK,
    flow_enter,
    flow_warn,
)
from firmware.games.round_steps import round_end, round_start
from firmware.image import IN_HOPPER
from firmware.machines.panel import PRESS_CLOSE, PRESS_END, PRESS_GREEN, PRESS_SEAT, panel_lamps
from firmware.protocol import ids
from firmware.shoe.ledger import DEALT, DISCARDED, HOPPER
from firmware.ticks import FOREVER_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs, Outputs


def step_draw_ready(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Between rounds. Closing the betting starts one."""
    if _wrong(flow):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    _tell_cut(flow)
    if flow.cut_told or flow.machine.drained:
        return flow_enter(flow, DECK_SPENT, now_ms)
    seats = flow.panel.take(PRESS_SEAT)
    if seats:
        flow.positions = min(flow.positions + seats, flow.profile.positions_max)
    flow.hold = FAULT_NONE if flow.room >= flow.profile.round_events else FAULT_JOURNAL
    if not flow.panel.take(PRESS_CLOSE) or flow.hold or flow.machine.busy or not inp.level[IN_HOPPER]:
        return FOREVER_MS
    round_start(flow)
    flow.machine.zone = DEALT
    return flow_enter(flow, DRAWING, now_ms)


def step_drawing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if _wrong(flow):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    _tell_cut(flow)
    if not (flow.panel.take(PRESS_GREEN) + flow.panel.take(PRESS_END)) or flow.machine.busy:
        return FOREVER_MS
    round_end(flow, flow.ledger.zone[HOPPER])
    flow.machine.zone = DISCARDED
    flow.outbox.round = 0
    return flow_enter(flow, DECK_SPENT if flow.cut_told else DRAW_READY, now_ms)


def step_deck_spent(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Somebody takes out what is left: counted by nobody here unless every card was drawn."""
    if flow.ledger.total > flow.profile.deck_cards:
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    if not flow.machine.drained:
        return FOREVER_MS
    left = flow.ledger.zone[HOPPER]
    flow.machine.stop(out)
    flow.ledger.settle()
    flow.outbox.post(ids.EV_REMAINDER_TAKEN, ids.UNKNOWN_U16 if left else 0)
    panel_lamps(out, 0, 0, 0)
    return flow_enter(flow, WAITING_FOR_DECK, now_ms)


def _wrong(flow: "Flow") -> bool:
    """More cards than a whole shoe has, or none left where some should be."""
    ledger = flow.ledger
    return ledger.total > flow.profile.deck_cards or (flow.machine.drained and ledger.zone[HOPPER] != 0)


def _tell_cut(flow: "Flow") -> None:
    if flow.machine.cut_seen and not flow.cut_told and flow.outbox.roomy():
        flow.cut_told = True
        flow.outbox.post(ids.EV_CUT_REACHED, flow.ledger.total)
