"""Eject: cards one by one out of the slots of a carousel, counted and measured at the exit beam, into the tray.

A stack has only cards that this machine put there. If the tray was not empty at the start, or a hand reaches into it
while cards still come, the stack is doubtful and is not offered.
"""

from micropython import const

from firmware.deck.ledger import STORE, TRAY
from firmware.fault import FAULT_DOUBLE_FEED, FAULT_EJECTOR, FAULT_JAM_EXIT, FAULT_NONE, FAULT_STACK
from firmware.image import IN_EJECTOR, IN_EXIT, OUT_EJECTOR, OUT_OUTFEED, output_set
from firmware.machines.axis import AXIS_REST, axis_goto
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.deck.ledger import Ledger
    from firmware.image import Inputs, Outputs
    from firmware.machines.axis import Axis
    from firmware.machines.spec import Spec

EJECT_IDLE = const(0)
EJECT_ALIGNING = const(1)
EJECT_PUSHING = const(2)
EJECT_LEAVING = const(3)
EJECT_HOMING = const(4)
EJECT_DONE = const(5)
EJECT_FAILED = const(6)


class Eject:
    """Sole writer of its state, counts and the ejector and outfeed outputs."""

    def __init__(self, spec: "Spec", axis: "Axis", ledger: "Ledger") -> None:
        self.spec = spec
        self.axis = axis
        self.ledger = ledger
        self.state = EJECT_IDLE
        self.entered_ms = 0
        self.slot_next = 0
        self.wanted = 0
        self.count = 0
        self.purging = False
        self.seen_exit = 0
        self.fault = FAULT_NONE


def eject_start(eject: Eject, out: "Outputs", wanted: int, now_ms: int) -> None:
    """Deal `wanted` cards, one or more, from the next slots, which must all be full."""
    _start(eject, out, wanted, False, now_ms)


def eject_purge(eject: Eject, out: "Outputs", now_ms: int) -> None:
    """Empty every slot that a survey found full: for a deck that is not to be dealt."""
    eject.slot_next = _full_slot(eject, 0)
    _start(eject, out, eject.axis.swept, True, now_ms)


def eject_stop(eject: Eject, out: "Outputs") -> None:
    output_set(out, OUT_EJECTOR, 0)
    output_set(out, OUT_OUTFEED, 0)
    eject.state = EJECT_IDLE


def eject_scan(eject: Eject, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Take at most one transition. Returns when to come back."""
    return _STATES[eject.state](eject, inp, out, now_ms)


def _idle(eject: Eject, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    return FOREVER_MS


def _aligning(eject: Eject, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if eject.axis.fault:
        return _fail(eject, out, eject.axis.fault)
    if eject.axis.state != AXIS_REST:
        return FOREVER_MS
    if inp.level[IN_EXIT]:
        return _fail(eject, out, FAULT_JAM_EXIT)
    eject.seen_exit = inp.leaves[IN_EXIT]
    output_set(out, OUT_EJECTOR, 1)
    return _enter(eject, EJECT_PUSHING, now_ms)


def _pushing(eject: Eject, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if inp.level[IN_EXIT] or inp.leaves[IN_EXIT] != eject.seen_exit:
        if not inp.level[IN_EJECTOR]:
            return _fail(eject, out, FAULT_EJECTOR)  # its switch says home: nothing would keep the axis still
        output_set(out, OUT_EJECTOR, 0)
        return _enter(eject, EJECT_LEAVING, now_ms)
    left_ms = eject.spec.eject_ms_max - ticks_diff(now_ms, eject.entered_ms)
    return left_ms if left_ms > 0 else _fail(eject, out, FAULT_JAM_EXIT)


def _leaving(eject: Eject, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if inp.leaves[IN_EXIT] != eject.seen_exit:
        fault = _measure(eject, inp)
        if fault:
            return _fail(eject, out, fault)
        if eject.purging:
            eject.ledger.find()
        else:
            eject.ledger.move(STORE, TRAY, 1)
        eject.count += 1
        return _enter(eject, EJECT_HOMING, now_ms)
    left_ms = eject.spec.leave_ms_max - ticks_diff(now_ms, eject.entered_ms)
    return left_ms if left_ms > 0 else _fail(eject, out, FAULT_JAM_EXIT)


def _homing(eject: Eject, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if inp.level[IN_EJECTOR]:
        left_ms = eject.spec.ejector_home_ms_max - ticks_diff(now_ms, eject.entered_ms)
        return left_ms if left_ms > 0 else _fail(eject, out, FAULT_EJECTOR)
    eject.slot_next += 1
    if eject.count >= eject.wanted:
        if eject.ledger.zone[STORE] and not eject.purging and eject.slot_next < eject.spec.place_count:
            # On to where the next stack begins while this one lands: it is offered a slot's move earlier.
            axis_goto(eject.axis, eject.slot_next, now_ms)
        return _enter(eject, EJECT_DONE, now_ms)
    if eject.purging:
        eject.slot_next = _full_slot(eject, eject.slot_next)
    if eject.slot_next >= eject.spec.place_count:
        return _fail(eject, out, FAULT_STACK)
    axis_goto(eject.axis, eject.slot_next, now_ms)
    return _enter(eject, EJECT_ALIGNING, now_ms)


_STATES = (_idle, _aligning, _pushing, _leaving, _homing, _idle, _idle)


def _start(eject: Eject, out: "Outputs", wanted: int, purging: bool, now_ms: int) -> None:
    eject.wanted = wanted
    eject.purging = purging
    eject.count = 0
    eject.fault = FAULT_NONE
    output_set(out, OUT_OUTFEED, 1)
    axis_goto(eject.axis, eject.slot_next, now_ms)
    _enter(eject, EJECT_ALIGNING, now_ms)


def _full_slot(eject: Eject, first: int) -> int:
    """The next slot from `first` on that holds a card; the number of slots if there is none."""
    full = eject.axis.full
    for slot in range(first, len(full)):
        if full[slot]:
            return slot
    return len(full)


def _measure(eject: Eject, inp: "Inputs") -> int:
    if inp.leaves[IN_EXIT] != eject.seen_exit + 1:
        return FAULT_DOUBLE_FEED
    return eject.spec.length_fault(inp, IN_EXIT)


def _enter(eject: Eject, state: int, now_ms: int) -> int:
    eject.state = state
    eject.entered_ms = now_ms
    return 0


def _fail(eject: Eject, out: "Outputs", fault: int) -> int:
    # Stop before reporting: a jammed roller must not go on bending cards.
    eject_stop(eject, out)
    eject.fault = fault
    eject.state = EJECT_FAILED
    return 0
