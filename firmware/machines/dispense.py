"""Dispense: cards one by one out of the slots, counted and measured at the exit beam, into the tray.

A stack is only what this machine put there: a tray that was not empty at the start, or that somebody reaches into while
cards still come, makes the stack doubtful, and a doubtful stack is never offered.
"""

from micropython import const

from firmware.fault import FAULT_CARD_LENGTH, FAULT_DOUBLE_FEED, FAULT_EJECTOR, FAULT_JAM_EXIT, FAULT_NONE, FAULT_STACK
from firmware.image import IN_EJECTOR, IN_EXIT, IN_TRAY, OUT_EJECTOR, OUT_OUTFEED, output_set
from firmware.machines.store import store_goto
from firmware.shoe.ledger import STORE, TRAY
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.image import Inputs, Outputs
    from firmware.machines.spec import Spec
    from firmware.machines.store import Store
    from firmware.shoe.ledger import Ledger

DISPENSE_IDLE = const(0)
DISPENSE_ALIGNING = const(1)
DISPENSE_EJECTING = const(2)
DISPENSE_LEAVING = const(3)
DISPENSE_HOMING = const(4)
DISPENSE_LANDING = const(5)
DISPENSE_DONE = const(6)
DISPENSE_FAILED = const(7)


class Dispense:
    """Sole writer of its state, counts and the ejector and outfeed outputs."""

    def __init__(self, spec: "Spec", store: "Store", ledger: "Ledger") -> None:
        self.spec = spec
        self.store = store
        self.ledger = ledger
        self.state = DISPENSE_IDLE
        self.entered_ms = 0
        self.slot_next = 0
        self.wanted = 0
        self.count = 0
        self.purging = False
        self.seen_exit = 0
        self.seen_tray = 0
        self.tray_free = True  # nothing of ours lies in the tray yet
        self.fault = FAULT_NONE


def dispense_start(dispense: Dispense, inp: "Inputs", out: "Outputs", wanted: int, now_ms: int) -> None:
    """Deal `wanted` cards from the next slots, which must all be full."""
    _start(dispense, inp, out, False, now_ms)
    dispense.wanted = wanted
    if not wanted:
        dispense_stop(dispense, out)
        dispense.state = DISPENSE_DONE


def dispense_purge(dispense: Dispense, inp: "Inputs", out: "Outputs", now_ms: int) -> None:
    """Empty every slot that a survey found full: for a deck that is not to be dealt."""
    dispense.slot_next = _full_slot(dispense, 0)
    dispense.wanted = dispense.store.swept
    _start(dispense, inp, out, True, now_ms)


def dispense_stop(dispense: Dispense, out: "Outputs") -> None:
    output_set(out, OUT_EJECTOR, 0)
    output_set(out, OUT_OUTFEED, 0)
    dispense.state = DISPENSE_IDLE


def dispense_scan(dispense: Dispense, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Take at most one transition. Returns when to come back."""
    if DISPENSE_IDLE < dispense.state < DISPENSE_DONE and _tray_disturbed(dispense, inp):
        return _fail(dispense, out, FAULT_STACK)
    return _STATES[dispense.state](dispense, inp, out, now_ms)


def _idle(dispense: Dispense, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    return FOREVER_MS


def _aligning(dispense: Dispense, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if dispense.store.fault:
        return _fail(dispense, out, dispense.store.fault)
    if not dispense.store.at_rest():
        return FOREVER_MS
    if inp.level[IN_EXIT]:
        return _fail(dispense, out, FAULT_JAM_EXIT)
    dispense.seen_exit = inp.leaves[IN_EXIT]
    output_set(out, OUT_EJECTOR, 1)
    return _enter(dispense, DISPENSE_EJECTING, now_ms)


def _ejecting(dispense: Dispense, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if inp.level[IN_EXIT] or inp.leaves[IN_EXIT] != dispense.seen_exit:
        output_set(out, OUT_EJECTOR, 0)
        return _enter(dispense, DISPENSE_LEAVING, now_ms)
    left_ms = dispense.spec.eject_ms_max - ticks_diff(now_ms, dispense.entered_ms)
    return left_ms if left_ms > 0 else _fail(dispense, out, FAULT_JAM_EXIT)


def _leaving(dispense: Dispense, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if inp.leaves[IN_EXIT] != dispense.seen_exit:
        fault = _measure(dispense, inp)
        if fault:
            return _fail(dispense, out, fault)
        if dispense.purging:
            dispense.ledger.find()
        else:
            dispense.ledger.move(STORE, TRAY, 1)
        dispense.count += 1
        return _enter(dispense, DISPENSE_HOMING, now_ms)
    left_ms = dispense.spec.enter_ms_max - ticks_diff(now_ms, dispense.entered_ms)
    return left_ms if left_ms > 0 else _fail(dispense, out, FAULT_JAM_EXIT)


def _homing(dispense: Dispense, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if not inp.level[IN_EJECTOR]:
        dispense.slot_next += 1
        if dispense.count >= dispense.wanted:
            return _enter(dispense, DISPENSE_LANDING, now_ms)
        if dispense.purging:
            dispense.slot_next = _full_slot(dispense, dispense.slot_next)
        if dispense.slot_next >= dispense.spec.slot_count:
            return _fail(dispense, out, FAULT_STACK)
        store_goto(dispense.store, dispense.slot_next, now_ms)
        return _enter(dispense, DISPENSE_ALIGNING, now_ms)
    left_ms = dispense.spec.ejector_home_ms_max - ticks_diff(now_ms, dispense.entered_ms)
    return left_ms if left_ms > 0 else _fail(dispense, out, FAULT_EJECTOR)


def _landing(dispense: Dispense, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    # The tray beam may have been blocked by the first card long ago: wait out the last card's flight.
    left_ms = dispense.spec.land_ms_max - ticks_diff(now_ms, dispense.entered_ms)
    if left_ms > 0:
        return left_ms
    if dispense.count and not inp.level[IN_TRAY]:
        return _fail(dispense, out, FAULT_JAM_EXIT)
    output_set(out, OUT_OUTFEED, 0)
    return _enter(dispense, DISPENSE_DONE, now_ms)


_STATES = (_idle, _aligning, _ejecting, _leaving, _homing, _landing, _idle, _idle)


def _start(dispense: Dispense, inp: "Inputs", out: "Outputs", purging: bool, now_ms: int) -> None:
    dispense.purging = purging
    dispense.count = 0
    dispense.fault = FAULT_NONE
    dispense.seen_tray = inp.leaves[IN_TRAY]
    dispense.tray_free = dispense.ledger.zone[TRAY] == 0
    output_set(out, OUT_OUTFEED, 1)
    store_goto(dispense.store, dispense.slot_next, now_ms)
    _enter(dispense, DISPENSE_ALIGNING, now_ms)


def _tray_disturbed(dispense: Dispense, inp: "Inputs") -> bool:
    """Somebody took something out, or something lies there that did not come through the exit."""
    if dispense.purging:
        return False  # nothing of this is offered as good
    if inp.leaves[IN_TRAY] != dispense.seen_tray:
        return True
    return dispense.tray_free and dispense.count == 0 and inp.level[IN_TRAY] != 0


def _full_slot(dispense: Dispense, first: int) -> int:
    """The next slot from `first` on that holds a card; the number of slots if there is none."""
    full = dispense.store.full
    for slot in range(first, len(full)):
        if full[slot]:
            return slot
    return len(full)


def _measure(dispense: Dispense, inp: "Inputs") -> int:
    length_us = ticks_diff(inp.leave_us[IN_EXIT], inp.enter_us[IN_EXIT])
    if length_us > dispense.spec.length_us_max or inp.leaves[IN_EXIT] != dispense.seen_exit + 1:
        return FAULT_DOUBLE_FEED
    if length_us < dispense.spec.length_us_min:
        return FAULT_CARD_LENGTH
    return FAULT_NONE


def _enter(dispense: Dispense, state: int, now_ms: int) -> int:
    dispense.state = state
    dispense.entered_ms = now_ms
    return 0


def _fail(dispense: Dispense, out: "Outputs", fault: int) -> int:
    # Stop before reporting: a jammed roller must not go on bending cards.
    dispense_stop(dispense, out)
    dispense.fault = fault
    dispense.state = DISPENSE_FAILED
    return 0
