"""Intake: cards one by one from the hopper, past both throat beams, into their slots.

The next card is picked and staged at beam A while the carousel turns; it passes the mouth only when the slot is there.
Every card is seen by two beams and measured: too long or too opaque is a double feed, too short is not a card.
"""

from micropython import const

from firmware.fault import (
    FAULT_CARD_LENGTH,
    FAULT_DOUBLE_FEED,
    FAULT_JAM_THROAT,
    FAULT_MISFEED,
    FAULT_MISMATCH,
    FAULT_NONE,
)
from firmware.image import (
    IN_HOPPER,
    IN_OPACITY,
    IN_THROAT_A,
    IN_THROAT_B,
    OUT_PICK,
    OUT_TRANSPORT,
    output_arm_stop,
    output_set,
)
from firmware.machines.store import store_goto
from firmware.shoe.ledger import PATH, STORE
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from firmware.image import Inputs, Outputs
    from firmware.machines.spec import Spec
    from firmware.machines.store import Store
    from firmware.shoe.ledger import Ledger

INTAKE_IDLE = const(0)
INTAKE_PICKING = const(1)
INTAKE_PAUSING = const(2)  # after a misfeed, before the next try
INTAKE_STAGED = const(3)
INTAKE_PASSING = const(4)
INTAKE_ENTERING = const(5)
INTAKE_DONE = const(6)
INTAKE_FAILED = const(7)


class Intake:
    """Sole writer of its state, count and the pick and transport outputs."""

    def __init__(self, spec: "Spec", store: "Store", ledger: "Ledger", order: "array[int]") -> None:
        self.spec = spec
        self.store = store
        self.ledger = ledger
        self.order = order
        self.state = INTAKE_IDLE
        self.entered_ms = 0
        self.expected = 0
        self.count = 0
        self.tries = 0
        self.misfeeds = 0
        self.seen_a = 0
        self.seen_b = 0
        self.seen_opacity = 0
        self.fault = FAULT_NONE


def intake_start(intake: Intake, inp: "Inputs", out: "Outputs", expected: int, now_ms: int) -> None:
    """Take in everything the hopper holds; order[:expected] says which slot each card goes to."""
    intake.expected = expected
    intake.count = 0
    intake.misfeeds = 0
    intake.fault = FAULT_NONE
    intake.seen_b = inp.leaves[IN_THROAT_B]
    output_set(out, OUT_TRANSPORT, 1)
    _next_card(intake, inp, out, now_ms)


def intake_stop(intake: Intake, out: "Outputs") -> None:
    output_set(out, OUT_PICK, 0)
    output_set(out, OUT_TRANSPORT, 0)
    intake.state = INTAKE_IDLE


def intake_scan(intake: Intake, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Take at most one transition. Returns when to come back."""
    return _STATES[intake.state](intake, inp, out, now_ms)


def _idle(intake: Intake, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    return FOREVER_MS


def _picking(intake: Intake, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if inp.enters[IN_THROAT_A] != intake.seen_a:
        # The HAL stopped the roller at the edge itself; this makes the image say so too.
        output_set(out, OUT_PICK, 0)
        intake.ledger.arrive()
        return _enter(intake, INTAKE_STAGED, now_ms)
    left_ms = intake.spec.pick_ms_max - ticks_diff(now_ms, intake.entered_ms)
    if left_ms > 0:
        return left_ms
    output_set(out, OUT_PICK, 0)
    intake.misfeeds += 1
    intake.tries += 1
    if intake.tries > intake.spec.pick_retry_max:
        return _fail(intake, out, FAULT_MISFEED)
    return _enter(intake, INTAKE_PAUSING, now_ms)


def _pausing(intake: Intake, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    left_ms = intake.spec.pick_pause_ms - ticks_diff(now_ms, intake.entered_ms)
    if left_ms > 0:
        return left_ms
    _pick(intake, out, now_ms)
    return 0


def _staged(intake: Intake, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if inp.enters[IN_OPACITY] != intake.seen_opacity:
        return _fail(intake, out, FAULT_DOUBLE_FEED)
    if intake.store.fault:
        return _fail(intake, out, intake.store.fault)
    if not intake.store.at_rest():
        return FOREVER_MS
    output_arm_stop(out, OUT_PICK, IN_THROAT_B, intake.spec.nip_us)
    output_set(out, OUT_PICK, 1)
    return _enter(intake, INTAKE_PASSING, now_ms)


def _passing(intake: Intake, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if inp.level[IN_THROAT_B] or inp.leaves[IN_THROAT_B] != intake.seen_b:
        return _enter(intake, INTAKE_ENTERING, now_ms)
    left_ms = intake.spec.pass_ms_max - ticks_diff(now_ms, intake.entered_ms)
    return left_ms if left_ms > 0 else _fail(intake, out, FAULT_JAM_THROAT)


def _entering(intake: Intake, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if inp.leaves[IN_THROAT_B] != intake.seen_b:
        output_set(out, OUT_PICK, 0)
        fault = _measure(intake, inp)
        if fault:
            return _fail(intake, out, fault)
        intake.ledger.move(PATH, STORE, 1)
        intake.count += 1
        intake.seen_b = inp.leaves[IN_THROAT_B]
        return _next_card(intake, inp, out, now_ms)
    left_ms = intake.spec.enter_ms_max - ticks_diff(now_ms, intake.entered_ms)
    return left_ms if left_ms > 0 else _fail(intake, out, FAULT_JAM_THROAT)


_STATES = (_idle, _picking, _pausing, _staged, _passing, _entering, _idle, _idle)


def _next_card(intake: Intake, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if not inp.level[IN_HOPPER]:
        output_set(out, OUT_TRANSPORT, 0)
        return _enter(intake, INTAKE_DONE, now_ms)
    if intake.count >= intake.spec.slot_count:
        return _fail(intake, out, FAULT_MISMATCH)
    # Cards past the expected number are still counted, in the slots kept for them.
    slot = intake.order[intake.count] if intake.count < intake.expected else intake.count
    store_goto(intake.store, slot, now_ms)
    intake.tries = 0
    intake.seen_opacity = inp.enters[IN_OPACITY]
    intake.seen_a = inp.enters[IN_THROAT_A]
    _pick(intake, out, now_ms)
    return 0


def _pick(intake: Intake, out: "Outputs", now_ms: int) -> None:
    # The edge stops the roller in the HAL: 2 ms late would put the card 2.4 mm further into the mouth.
    output_arm_stop(out, OUT_PICK, IN_THROAT_A, 0)
    output_set(out, OUT_PICK, 1)
    _enter(intake, INTAKE_PICKING, now_ms)


def _measure(intake: Intake, inp: "Inputs") -> int:
    """One passage of both beams, of a card's length and thickness; or the fault that it shows."""
    spec = intake.spec
    length_us = ticks_diff(inp.leave_us[IN_THROAT_B], inp.enter_us[IN_THROAT_B])
    if length_us > spec.length_us_max or inp.enters[IN_OPACITY] != intake.seen_opacity:
        return FAULT_DOUBLE_FEED
    if length_us < spec.length_us_min:
        return FAULT_CARD_LENGTH
    if inp.leaves[IN_THROAT_B] != intake.seen_b + 1 or inp.enters[IN_THROAT_A] != intake.seen_a + 1:
        return FAULT_DOUBLE_FEED
    if inp.level[IN_THROAT_A]:
        return FAULT_JAM_THROAT
    return FAULT_NONE


def _enter(intake: Intake, state: int, now_ms: int) -> int:
    intake.state = state
    intake.entered_ms = now_ms
    return 0


def _fail(intake: Intake, out: "Outputs", fault: int) -> int:
    # Stop before reporting: a jammed roller must not go on bending cards.
    intake_stop(intake, out)
    intake.fault = fault
    intake.state = INTAKE_FAILED
    return 0
