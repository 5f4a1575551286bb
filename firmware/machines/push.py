"""Push: shelf after shelf to the mouth, and what lies on it into the tray. Whether a shelf holds cards is seen, before
and after; how many is not."""

from micropython import const

from firmware.deck.ledger import STORE, TRAY
from firmware.fault import FAULT_EJECTOR, FAULT_JAM_EXIT, FAULT_MISMATCH, FAULT_NONE
from firmware.image import IN_EJECTOR, IN_SLOT, IN_TRAY, OUT_EJECTOR, output_set
from firmware.machines.axis import axis_goto, axis_ready
from firmware.machines.beam_test import watch
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from firmware.deck.ledger import Ledger
    from firmware.image import Inputs, Outputs
    from firmware.machines.axis import Axis
    from firmware.machines.spec import Spec

PUSH_IDLE = const(0)
PUSH_ALIGNING = const(1)
PUSH_LOOKING = const(2)
PUSH_PUSHING = const(3)
PUSH_HOMING = const(4)
PUSH_DONE = const(5)
PUSH_FAILED = const(6)

PUSH_KNOWN = const(0)  # shelves that hold cards, by the ledger
PUSH_FOUND = const(1)  # every shelf on which the beam sees cards, whatever the ledger says
PUSH_LOOK = const(2)  # nothing moves but the elevator

LOOK_MS = const(5)  # the beam wakes, its level lasts a millisecond, a scan is late


class Push:
    """Sole writer of its state, found and the ejector output."""

    def __init__(self, spec: "Spec", axis: "Axis", ledger: "Ledger", load: "array[int]") -> None:
        self.spec = spec
        self.axis = axis
        self.ledger = ledger
        self.load = load  # cards by shelf, by the ledger
        self.state = PUSH_IDLE
        self.entered_ms = 0
        self.mode = PUSH_KNOWN
        self.shelf = 0
        self.found = 0  # shelves seen to hold cards
        self.fault = FAULT_NONE


def push_start(push: Push, mode: int, now_ms: int) -> None:
    push.mode = mode
    push.found = 0
    push.fault = FAULT_NONE
    push.shelf = -1
    _next_shelf(push, now_ms)


def push_stop(push: Push, out: "Outputs") -> None:
    output_set(out, OUT_EJECTOR, 0)
    push.state = PUSH_IDLE


def push_scan(push: Push, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Take at most one transition. Returns when to come back."""
    return _STATES[push.state](push, inp, out, now_ms)


def _idle(push: Push, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    return FOREVER_MS


def _aligning(push: Push, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if push.axis.fault:
        return _fail(push, out, push.axis.fault)
    if not axis_ready(push.axis):
        return FOREVER_MS
    watch(out, True)
    return _enter(push, PUSH_LOOKING, now_ms)


def _looking(push: Push, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    left_ms = LOOK_MS - ticks_diff(now_ms, push.entered_ms)
    if left_ms > 0:
        return left_ms
    if inp.level[IN_SLOT]:
        push.found += 1
        if push.mode != PUSH_LOOK:
            output_set(out, OUT_EJECTOR, 1)
            return _enter(push, PUSH_PUSHING, now_ms)
    elif push.mode == PUSH_KNOWN:
        return _fail(push, out, FAULT_MISMATCH)
    watch(out, False)
    return _next_shelf(push, now_ms)


def _pushing(push: Push, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if not inp.level[IN_SLOT]:
        left_ms = LOOK_MS - ticks_diff(inp.now_us, inp.leave_us[IN_SLOT]) // 1000
        if left_ms > 0:
            return left_ms  # a pulse on the line must not leave cards behind
        if not inp.level[IN_EJECTOR]:
            return _fail(push, out, FAULT_EJECTOR)  # its switch says home: nothing would keep the elevator still
        output_set(out, OUT_EJECTOR, 0)
        return _enter(push, PUSH_HOMING, now_ms)
    left_ms = push.spec.ejector_home_ms_max - ticks_diff(now_ms, push.entered_ms)
    return left_ms if left_ms > 0 else _fail(push, out, FAULT_JAM_EXIT)


def _homing(push: Push, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if inp.level[IN_EJECTOR]:
        left_ms = push.spec.ejector_home_ms_max - ticks_diff(now_ms, push.entered_ms)
        return left_ms if left_ms > 0 else _fail(push, out, FAULT_EJECTOR)
    if inp.level[IN_SLOT] or not inp.level[IN_TRAY]:
        return _fail(push, out, FAULT_JAM_EXIT)
    watch(out, False)
    if push.mode == PUSH_KNOWN:
        push.ledger.move(STORE, TRAY, push.load[push.shelf])
    push.load[push.shelf] = 0
    return _next_shelf(push, now_ms)


_STATES = (_idle, _aligning, _looking, _pushing, _homing, _idle, _idle)


def _next_shelf(push: Push, now_ms: int) -> int:
    push.shelf += 1
    if push.mode == PUSH_KNOWN:
        while push.shelf < len(push.load) and not push.load[push.shelf]:
            push.shelf += 1
    if push.shelf == len(push.load):
        return _enter(push, PUSH_DONE, now_ms)
    axis_goto(push.axis, push.shelf, now_ms)
    return _enter(push, PUSH_ALIGNING, now_ms)


def _enter(push: Push, state: int, now_ms: int) -> int:
    push.state = state
    push.entered_ms = now_ms
    return 0


def _fail(push: Push, out: "Outputs", fault: int) -> int:
    push_stop(push, out)
    watch(out, False)
    push.fault = fault
    push.state = PUSH_FAILED
    return 0
