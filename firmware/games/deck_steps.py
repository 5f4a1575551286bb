"""Steps of the procedure that concern a whole deck: prove empty, take in, remove. Shuffling is in shuffle_steps.py."""

from micropython import const

from firmware.fault import (
    FAULT_CARDS_INSIDE,
    FAULT_ENTROPY,
    FAULT_NOISE,
)
from firmware.games.flow import (
    DECK_READY,
    DRAW_READY,
    ORDER_FAILED,
    ORDER_READY,
    ORDER_WANTED,
    PREPARING,
    PROVING_EMPTY,
    REMOVED_OFFERED,
    REMOVING,
    SHUFFLING,
    flow_await_commit,
    flow_committed,
    flow_enter,
    flow_idle,
    flow_proved,
    flow_warn,
)
from firmware.games.next_need import need_stopped, path_clear
from firmware.games.prerequisites import hold_for, need_for_cards, need_for_deck, need_for_end
from firmware.games.profile import TAIL_HANDED, TAIL_HOUSE, TAIL_LOCKOUT, TAIL_SETTLING
from firmware.games.records import record_do
from firmware.games.settling import count_pressed, tail_scan
from firmware.games.table_facts import HELD, HELD_LOOKED, SERVICE
from firmware.image import IN_ARRIVAL, IN_EXIT, IN_HOPPER, IN_THROAT_A, IN_THROAT_B, IN_TRAY, sensor_of
from firmware.machines.machine import JOB_DONE
from firmware.machines.panel import PRESS_ACK, PRESS_GREEN, PRESS_TEST, panel_lamps
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs, Outputs

_PATH_AND_TRAY = (IN_THROAT_A, IN_THROAT_B, IN_ARRIVAL, IN_EXIT, IN_TRAY)

PHASE_START = const(0)
PHASE_RUNNING = const(1)
PHASE_HOLDING = const(2)


def step_starting(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Wait until the boot is recorded before any motor turns: an unexpected reset must leave a trace first."""
    if not flow_committed(flow):
        # Storage that is full waits for a host to collect; storage that takes no record waits for a technician.
        return flow_await_commit(flow, out, now_ms) if flow.room < 0 else FOREVER_MS
    if flow.door.is_open:
        return FOREVER_MS
    return flow_enter(flow, PROVING_EMPTY, now_ms)


def step_proving_empty(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Run the self-test: beams, axis, home. A latched warning ends only when the machine is proved empty here."""
    clear = path_clear(inp, _PATH_AND_TRAY)
    if flow.phase == PHASE_START:
        if not clear:
            return flow_warn(flow, out, flow.warning or FAULT_CARDS_INSIDE, now_ms, flow.sensor)
        flow.machine.prove(now_ms)
        flow.set_phase(PHASE_RUNNING)
    if flow.machine.state != JOB_DONE:
        return FOREVER_MS
    if flow.machine.second or not clear or (flow.warning and inp.level[IN_HOPPER]):
        return flow_warn(flow, out, flow.warning or FAULT_CARDS_INSIDE, now_ms, flow.sensor)
    flow.ledger.remove_all()
    flow_proved(flow)
    flow.outbox.deck = flow.outbox.round = 0
    panel_lamps(out, 0, 0, 0)
    return flow_idle(flow, now_ms)


def step_waiting_for_deck(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if flow.door.is_open or (flow.door.prove_due and not flow_committed(flow)):
        return FOREVER_MS  # a door that swings while nothing can be recorded must not fill the outbox with proofs
    if flow.door.prove_due or flow.panel.take(PRESS_TEST):
        return flow_enter(flow, PROVING_EMPTY, now_ms)
    flow.hold_without_room()
    need = need_for_deck(flow)
    # GREEN is for the deck in the hopper, unless that waits for the end of the round.
    if flow.tail and tail_scan(flow, out, need == ids.NEED_ROUND_END or not inp.level[IN_HOPPER], now_ms):
        return 0
    if _uncounted(flow, need) and count_pressed(flow, now_ms):
        return 0
    if need == ids.NEED_INDUCTION:
        _new_deck(flow, now_ms)
    if (flow.tail == TAIL_SETTLING or flow.tail == TAIL_HOUSE) and (
        need == ids.NEED_ROUND_END or flow.hold or not inp.level[IN_HOPPER]
    ):
        need = _shown_end(flow) or need  # shown while no deck can be taken in
    if not inp.level[IN_HOPPER] or flow.hold:
        if flow.tail == TAIL_LOCKOUT and flow.need == ids.NEED_PROGRESSIVE:
            need = need_for_cards(flow) or need  # LOCK was pressed and has no effect before this
        hold_for(flow, need, 0)
        flow.panel.clear()
        return FOREVER_MS
    asked = flow.panel.take(PRESS_GREEN)
    if hold_for(flow, need, asked) or not asked:
        return FOREVER_MS
    return _take_in(flow, now_ms)


def _uncounted(flow: "Flow", need: int) -> bool:
    return (need == ids.NEED_COUNT or need == ids.NEED_RACK) and (not flow.tail or flow.tail == TAIL_HANDED)


def _shown_end(flow: "Flow") -> int:
    """What keeps the round from its end. What players decide is shown once the end was asked for."""
    need = need_for_end(flow)
    return need if need != ids.NEED_DECISIONS or flow.need == need else ids.NEED_NONE


def _new_deck(flow: "Flow", now_ms: int) -> None:
    """Take ACK as confirmation that a new deck is in place of one ordered off the table, if the door was opened since:
    the press for the wrong count may bounce, and opening the door takes its key."""
    deck = flow.facts.turn()
    looked = flow.facts.deck(deck, HELD) & HELD_LOOKED
    if looked and not flow.profile.recorded and flow_committed(flow) and flow.panel.take(PRESS_ACK):
        record_do(flow, ids.REC_DECK_REMOVED, deck, 1, now_ms)


def _take_in(flow: "Flow", now_ms: int) -> int:
    outbox = flow.outbox
    cards = flow.profile.deck_cards
    if flow.facts.alone(flow.facts.turn()):
        flow.set_tail(0)  # the deck handed out before was put in again without a round
    flow.ledger.begin(cards)
    outbox.deck = flow.facts.turn()
    outbox.round = 0
    if flow.profile.decks > 1:
        reader = flow.machine if flow.machine.draws else flow.machine.feed
        reader.other_back = outbox.deck == 2
    if flow.machine.shuffles:
        flow.report_ms = flow.machine.report_ms(cards)
        outbox.post(ids.EV_SHUFFLE_STARTED, cards, flow.report_ms // 100)
        flow.set_order(ORDER_WANTED)
    else:
        outbox.post(ids.EV_DECK_LOADED, cards, ids.LOADED_SHUFFLED if flow.play is None else flow.play.loads())
    return flow_enter(flow, PREPARING, now_ms)


def step_preparing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """The order is drawn and the intent durable before the first card moves."""
    if flow.order_state == ORDER_FAILED:
        return flow_warn(flow, out, FAULT_ENTROPY, now_ms)
    machine = flow.machine
    if (machine.shuffles and flow.order_state != ORDER_READY) or not flow_committed(flow):
        return flow_await_commit(flow, out, now_ms)
    cards = flow.profile.deck_cards
    if machine.shuffles:
        machine.shuffle(cards, now_ms)
        panel_lamps(out, 0, 1, 0)
        return flow_enter(flow, SHUFFLING, now_ms)
    machine.load(cards, now_ms)
    flow.seat(0)
    panel_lamps(out, 1, 0, 0)
    return flow_enter(flow, DRAW_READY if machine.draws else DECK_READY, now_ms)


def step_warning(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Latched. The operator clears the path, closes the door and acknowledges; then what is inside is removed.

    Not before the warning is recorded: presses on a machine without storage must not pile up what waits for it. While a
    line is noisy no level can be trusted: ACK latches a warning that names the line that is noisy now."""
    hold_for(flow, flow.facts.row[SERVICE], 0)  # NEED_SERVICE
    if inp.stale and flow_committed(flow) and flow.panel.take(PRESS_ACK):
        return flow_warn(flow, out, FAULT_NOISE, now_ms, sensor_of(inp.suspect))
    if need_stopped(flow, inp) != ids.NEED_ACKNOWLEDGE:
        flow.panel.clear()
        return FOREVER_MS
    if not flow.panel.take(PRESS_ACK):
        return FOREVER_MS
    flow.outbox.post(ids.EV_REMOVAL_STARTED)
    return flow_enter(flow, REMOVING, now_ms)


def step_removing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Find out what is left in the store, and put all of it into the tray."""
    if flow.phase == PHASE_START:
        if not flow_committed(flow):
            return flow_await_commit(flow, out, now_ms)
        flow.machine.purge(now_ms)
        flow.set_phase(PHASE_RUNNING)
    if flow.machine.state != JOB_DONE:
        return FOREVER_MS
    _removed(flow)
    return flow_enter(flow, REMOVED_OFFERED, now_ms)


def _removed(flow: "Flow") -> None:
    counted = flow.machine.count if flow.machine.counts_out else ids.UNKNOWN_U16
    profile = flow.profile
    flow.outbox.post(ids.EV_DECK_REMOVED, counted, profile.consequences[flow.rule], text=profile.clauses[flow.rule])


def step_removed_offered(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if flow.door.is_open or not flow.tray.empty:
        return FOREVER_MS
    return flow_enter(flow, PROVING_EMPTY, now_ms)
