"""Steps of the procedure where a dealer draws by hand: wait for a round, count what is drawn, take out what is left.

A shoe lasts for many rounds. Cards drawn outside of one are burned. The cut card ends the shoe after the round it shows
in. Where a game says that the first card closes the betting, that card is the first of the round.
"""

from firmware.fault import FAULT_FACE_UP, FAULT_JOURNAL, FAULT_MISMATCH, FAULT_NONE
from firmware.games.books import BURN_DUE, FACE_UPS
from firmware.games.flow import (
    DECK_SPENT,
    DRAW_READY,
    DRAWING,
    WAITING_FOR_DECK,
    flow_enter,
    flow_void,
    flow_warn,
)
from firmware.games.hole_card import hole_card_scan
from firmware.games.needs import hold_for, need_for_round
from firmware.games.profile import (
    EXTRA_BURNS,
    EXTRA_FIRST_CLOSES,
    RULE_BURN,
    RULE_BURN_MISSED,
    RULE_FACE_UP,
    RULE_FACE_UPS,
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
    """Between rounds. Closing the betting starts one, or its first card does."""
    if _wrong(flow):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    _tell_cut(flow)
    if flow.cut_told or flow.machine.drained:
        return flow_enter(flow, DECK_SPENT, now_ms)
    if flow.machine.face_ups != flow.face_ups and _face_up(flow, now_ms):
        return 0
    seats = flow.panel.take(PRESS_SEAT)
    if seats:
        flow.positions = min(flow.positions + seats, flow.profile.positions_max)
    flow.hold = FAULT_NONE if flow.room >= flow.profile.round_events else FAULT_JOURNAL
    return _between(flow, inp, now_ms)


def _between(flow: "Flow", inp: "Inputs", now_ms: int) -> int:
    machine = flow.machine
    if machine.count:
        # Counted since the last look: the first card of a round, or one that was burned.
        if machine.zone == DEALT:
            return _start(flow, machine.count, now_ms)
        _burned(flow, machine.count)
        machine.count = 0
        return 0
    closed = flow.panel.take(PRESS_CLOSE)
    held = _held(flow, closed)
    first = flow.profile.extras & EXTRA_FIRST_CLOSES and not flow.need and not flow.hold
    machine.zone = DEALT if first else DISCARDED
    if not closed or held or flow.hold or machine.busy or not inp.level[IN_HOPPER]:
        return FOREVER_MS
    if flow.need:
        _forgotten(flow)
    return _start(flow, 0, now_ms)


def _held(flow: "Flow", closed: int) -> bool:
    """What a rule wants first keeps the round from beginning; a card that has to be burned is only asked for."""
    need = need_for_round(flow)
    if not need and flow.profile.extras & EXTRA_BURNS and flow.books.row[BURN_DUE]:
        hold_for(flow, ids.NEED_BURN, 0)
        return False
    return hold_for(flow, need, closed)


def _forgotten(flow: "Flow") -> None:
    clause = flow.profile.clauses[RULE_BURN_MISSED]
    flow.outbox.post(ids.EV_RECORDED, ids.REC_BURNED, 0, 0, flow.profile.consequences[RULE_BURN_MISSED], clause)


def _burned(flow: "Flow", cards: int) -> None:
    """In a game that knows burns they are told of; in any other they are in the ledger."""
    profile = flow.profile
    if profile.extras & EXTRA_BURNS and flow.outbox.roomy():
        burn = profile.consequences[RULE_BURN]
        flow.outbox.post(ids.EV_RECORDED, ids.REC_BURNED, cards, 1, burn, profile.clauses[RULE_BURN])


def _start(flow: "Flow", drawn: int, now_ms: int) -> int:
    round_start(flow)
    flow.dealt_before -= drawn
    flow.machine.zone = DEALT
    flow.machine.count = 0
    flow.up_card = 0
    flow.insured = False
    return flow_enter(flow, DRAWING, now_ms)


def step_drawing(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if _wrong(flow):
        return flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    _tell_cut(flow)
    if flow.machine.face_ups != flow.face_ups and _face_up(flow, now_ms):
        return 0
    wake_ms = hole_card_scan(flow, inp, now_ms)
    if not (flow.panel.take(PRESS_GREEN) + flow.panel.take(PRESS_END)) or flow.machine.busy:
        return wake_ms
    round_end(flow, flow.ledger.zone[HOPPER])
    flow.machine.zone = DISCARDED
    flow.machine.count = 0
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
    flow.outbox.round = 0
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


def _face_up(flow: "Flow", now_ms: int) -> bool:
    """A card drawn face up went to the rack. The second of a shoe voids the round and ends the shoe; True then."""
    profile = flow.profile
    seen = flow.machine.face_ups
    if not flow.outbox.roomy():
        return False
    if seen < flow.face_ups:
        flow.face_ups = 0  # another shoe
    found = flow.books.row[FACE_UPS] + seen - flow.face_ups
    flow.face_ups = seen
    rule = RULE_FACE_UPS if found > 1 else RULE_FACE_UP
    flow.outbox.post(ids.EV_CARDS_ODD, FAULT_FACE_UP, found, profile.consequences[rule], text=profile.clauses[rule])
    if rule == RULE_FACE_UP:
        return False
    if flow.round_open:
        flow_void(flow, FAULT_NONE, rule)
    flow_enter(flow, DECK_SPENT, now_ms)
    return True
