"""Steps of the procedure that concern a whole deck: prove empty, take in and shuffle, verify, remove."""

from micropython import const

from firmware.fault import FAULT_CARDS_INSIDE, FAULT_ENTROPY, FAULT_JOURNAL, FAULT_MISMATCH, FAULT_NONE
from firmware.games.flow import (
    DECK_READY,
    ORDER_FAILED,
    ORDER_NONE,
    ORDER_READY,
    ORDER_WANTED,
    PREPARING,
    PROVING_EMPTY,
    REMOVED_OFFERED,
    REMOVING,
    ROUND_EVENTS_MAX,
    SHUFFLING,
    WAITING_FOR_DECK,
    WARNING,
    flow_await_commit,
    flow_committed,
    flow_enter,
    flow_path_clear,
    flow_warn,
)
from firmware.image import IN_EXIT, IN_HOPPER, IN_THROAT_A, IN_THROAT_B, IN_TRAY
from firmware.machines.dispense import DISPENSE_DONE, DISPENSE_FAILED, dispense_purge
from firmware.machines.intake import INTAKE_DONE, INTAKE_FAILED, intake_start
from firmware.machines.panel import PRESS_ACK, PRESS_GREEN, panel_lamps
from firmware.machines.store import store_home, store_survey, store_sweep
from firmware.protocol import ids
from firmware.shoe.permutation import permutation_wipe
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs, Outputs

_PATH = (IN_HOPPER, IN_THROAT_A, IN_THROAT_B, IN_EXIT)
_PATH_AND_TRAY = (IN_THROAT_A, IN_THROAT_B, IN_EXIT, IN_TRAY)

# Phases of a step that turns the carousel: home, then sweep, then look at the result.
PHASE_START = const(0)
PHASE_HOMING = const(1)
PHASE_SWEEPING = const(2)
PHASE_MOVING = const(3)
PHASE_HOLDING = const(4)


def step_starting(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Nothing turns before the boot has been recorded: an unexpected reset must leave a trace first."""
    if not flow_committed(flow) or flow.door_open:
        return FOREVER_MS
    return flow_enter(flow, PROVING_EMPTY, now_ms)


def step_proving_empty(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Empty is proved by a sweep and clear beams, never assumed; a latched warning ends only here."""
    if flow.phase == PHASE_START and not flow_path_clear(inp, _PATH_AND_TRAY):
        return flow_warn(flow, out, flow.warning or FAULT_CARDS_INSIDE, now_ms)
    if not _home_and_sweep(flow, now_ms):
        return FOREVER_MS
    if flow.store.fault:
        return flow_warn(flow, out, flow.store.fault, now_ms)
    if flow.store.swept or not flow_path_clear(inp, _PATH_AND_TRAY) or (flow.warning and inp.level[IN_HOPPER]):
        return flow_warn(flow, out, flow.warning or FAULT_CARDS_INSIDE, now_ms)
    flow.prove_due = flow.door_open
    flow.ledger.remove_all()
    flow.outbox.post(ids.EV_EMPTY_PROVED, flow.spec.slot_count)
    if flow.warning:
        flow.outbox.post(ids.EV_WARNING_CLEARED, flow.warning)
        flow.warning = FAULT_NONE
    flow.outbox.deck = 0
    flow.outbox.round = 0
    panel_lamps(out, 0, 0, 0)
    return flow_enter(flow, WAITING_FOR_DECK, now_ms)


def step_waiting_for_deck(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if flow.door_open:
        return FOREVER_MS
    if flow.prove_due:
        return flow_enter(flow, PROVING_EMPTY, now_ms)
    flow.hold = FAULT_NONE if flow.room >= ROUND_EVENTS_MAX else FAULT_JOURNAL
    if not inp.level[IN_HOPPER] or flow.hold:
        flow.panel.clear()
        return FOREVER_MS
    if not flow.panel.take(PRESS_GREEN):
        return FOREVER_MS
    flow.ledger.begin(flow.profile.deck_cards)
    flow.outbox.deck = 1
    flow.outbox.round = 0
    flow.report_ms = flow.spec.shuffle_report_ms
    flow.outbox.post(ids.EV_SHUFFLE_STARTED, flow.profile.deck_cards, flow.report_ms // 100)
    flow.order_state = ORDER_WANTED
    return flow_enter(flow, PREPARING, now_ms)


def step_preparing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """The order is drawn and the intent durable before the first card moves."""
    if flow.order_state == ORDER_FAILED:
        return flow_warn(flow, out, FAULT_ENTROPY, now_ms)
    if flow.order_state != ORDER_READY or not flow_committed(flow):
        return flow_await_commit(flow, out, now_ms)
    intake_start(flow.intake, inp, out, flow.profile.deck_cards, now_ms)
    panel_lamps(out, 0, 1, 0)
    return flow_enter(flow, SHUFFLING, now_ms)


def step_shuffling(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Intake, wipe the order, sweep for the second count, then keep the result to the report instant.

    The raw duration depends on the order and would tell about ten bits of it: what a host sees happens at an instant
    that depends on nothing but the number of misfeeds.
    """
    if flow.intake.state == INTAKE_FAILED:
        return flow_warn(flow, out, flow.intake.fault, now_ms)
    if flow.store.fault:
        return flow_warn(flow, out, flow.store.fault, now_ms)
    if flow.phase == PHASE_START:
        if flow.intake.state != INTAKE_DONE:
            return FOREVER_MS
        permutation_wipe(flow.order)
        flow.order_state = ORDER_NONE
        store_sweep(flow.store, now_ms)
        flow.phase = PHASE_SWEEPING
    elif flow.phase == PHASE_SWEEPING and flow.store.at_rest():
        flow.phase = PHASE_HOLDING
        flow.report_ms = _report_ms(flow, ticks_diff(now_ms, flow.entered_ms))
    if flow.phase != PHASE_HOLDING:
        return FOREVER_MS
    left_ms = flow.report_ms - ticks_diff(now_ms, flow.entered_ms)
    return left_ms if left_ms > 0 else _verify(flow, out, now_ms)


def step_warning(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Latched. The operator clears the path, closes the door and acknowledges; then what is inside is removed."""
    if flow.door_open or flow.door_due or not flow_path_clear(inp, _PATH):
        flow.panel.clear()
        return FOREVER_MS
    if not flow.panel.take(PRESS_ACK):
        return FOREVER_MS
    flow.outbox.post(ids.EV_REMOVAL_STARTED)
    return flow_enter(flow, REMOVING, now_ms)


def step_removing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Find out slot by slot what is left in the store, and put all of it into the tray, counted."""
    if flow.phase == PHASE_START and not flow_committed(flow):
        return flow_await_commit(flow, out, now_ms)
    if not _home_and_sweep(flow, now_ms):
        return FOREVER_MS
    fault = flow.store.fault or (flow.dispense.fault if flow.dispense.state == DISPENSE_FAILED else FAULT_NONE)
    if fault:
        return flow_warn(flow, out, fault, now_ms)
    if flow.phase == PHASE_SWEEPING:
        flow.dispense.count = 0
        if flow.store.swept:
            dispense_purge(flow.dispense, inp, out, now_ms)
            flow.phase = PHASE_MOVING
            return FOREVER_MS
    elif flow.dispense.state != DISPENSE_DONE:
        return FOREVER_MS
    flow.outbox.post(ids.EV_DECK_REMOVED, flow.dispense.count)
    return flow_enter(flow, REMOVED_OFFERED, now_ms)


def step_removed_offered(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if flow.door_open or not flow.tray.empty:
        return FOREVER_MS
    return flow_enter(flow, PROVING_EMPTY, now_ms)


def _verify(flow: "Flow", out: "Outputs", now_ms: int) -> int:
    expected = flow.profile.deck_cards
    counted = flow.ledger.settle()
    swept = flow.store.swept
    if counted == expected and swept == counted:
        flow.dispense.slot_next = 0
        flow.positions = 0
        flow.outbox.post(ids.EV_DECK_VERIFIED, counted, swept, flow.intake.misfeeds)
        panel_lamps(out, 1, 0, 0)
        return flow_enter(flow, DECK_READY, now_ms)
    # The cycle itself was complete, so this is not a failed shuffle: leave that state before latching.
    flow.state = WARNING
    flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    flow.outbox.post(ids.EV_DECK_REFUSED, expected, counted, swept, text=flow.profile.clause_count)
    return 0


def _report_ms(flow: "Flow", elapsed_ms: int) -> int:
    """When to tell the result. A misfeed adds a fixed time, more than it can cost, whatever the order is; past that
    (which takes a machine out of its specification) it is told at the next multiple."""
    report_ms = flow.spec.shuffle_report_ms + flow.intake.misfeeds * flow.spec.misfeed_ms
    return (elapsed_ms // report_ms + 1) * report_ms


def _home_and_sweep(flow: "Flow", now_ms: int) -> bool:
    """Drive the phases up to the end of a sweep, or a survey if cards are to be removed; True once it is over."""
    store = flow.store
    if flow.phase == PHASE_START:
        store_home(store, now_ms)
        flow.phase = PHASE_HOMING
    elif flow.phase == PHASE_HOMING and store.homed and store.at_rest():
        if flow.state == REMOVING:
            store_survey(store, now_ms)
        else:
            store_sweep(store, now_ms)
        flow.phase = PHASE_SWEEPING
    elif flow.phase >= PHASE_SWEEPING:
        return store.at_rest() or flow.phase > PHASE_SWEEPING
    return store.fault != FAULT_NONE


