"""The carousel: brings a slot to the mouth, finds home, counts its cards by one continuous sweep, and finds out slot by
slot which ones are full where that is not known.

The mouth interlock lives here: the carousel never turns while a card is in the mouth or the ejector is out.
"""

from micropython import const

from firmware.fault import FAULT_AXIS, FAULT_NONE
from firmware.image import AXIS_IDLE, AXIS_LOST, IN_EJECTOR, IN_EXIT, IN_SLOT, IN_THROAT_B
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.image import Inputs, Outputs
    from firmware.machines.spec import Spec

STORE_REST = const(0)
STORE_WAITING = const(1)  # wants to turn, the mouth is not clear yet
STORE_TURNING = const(2)

GOAL_SLOT = const(0)
GOAL_HOME = const(1)
GOAL_SWEEP = const(2)
GOAL_SURVEY = const(3)


class Store:
    """Sole writer of slot, swept and the axis outputs."""

    def __init__(self, spec: "Spec") -> None:
        self.spec = spec
        self.state = STORE_REST
        self.goal = GOAL_SLOT
        self.entered_ms = 0
        self.slot = 0
        self.target = 0
        self.swept = 0
        self.sweep_base = 0
        self.full = bytearray(spec.slot_count)  # by survey: which slots hold a card
        self.survey_left = 0
        self.homed = False
        self.fault = FAULT_NONE

    def at_rest(self) -> bool:
        return self.state == STORE_REST


def store_goto(store: Store, slot: int, now_ms: int) -> None:
    store.target = slot
    _want(store, GOAL_SLOT, now_ms)


def store_home(store: Store, now_ms: int) -> None:
    store.target = 0
    store.homed = False
    _want(store, GOAL_HOME, now_ms)


def store_sweep(store: Store, now_ms: int) -> None:
    """One whole revolution past the slot beam; ends where it began."""
    store.target = store.slot
    _want(store, GOAL_SWEEP, now_ms)


def store_survey(store: Store, now_ms: int) -> None:
    """A whole revolution slot by slot: each step carries one slot past the beam and tells whether it is full."""
    store.survey_left = store.spec.slot_count
    store.swept = 0
    store.target = (store.slot + 1) % store.spec.slot_count
    _want(store, GOAL_SURVEY, now_ms)


def store_stop(store: Store, out: "Outputs") -> None:
    """Give up whatever was going on: position is unknown until homed again."""
    store.state = STORE_REST
    store.fault = FAULT_NONE
    store.homed = False
    out.axis_go = False
    _watch(out, False)


def store_scan(store: Store, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Take at most one transition. Returns when to come back."""
    state = store.state
    if state == STORE_REST:
        return FOREVER_MS
    if state == STORE_WAITING:
        if store.goal == GOAL_SLOT and store.slot == store.target:
            store.state = STORE_REST
            return 0
        level = inp.level
        if store.goal >= GOAL_SWEEP and level[IN_SLOT]:
            # At rest the beam looks between two slots: something is wrong with it, or with where we stand.
            return _fail(store, out)
        if not (level[IN_THROAT_B] or level[IN_EJECTOR] or level[IN_EXIT]):
            _turn(store, inp, out, now_ms)
            return store.spec.axis_ms_max
    elif inp.axis == AXIS_IDLE:
        return _arrive(store, inp, out, now_ms)
    elif inp.axis == AXIS_LOST:
        return _fail(store, out)
    left_ms = store.spec.axis_ms_max - ticks_diff(now_ms, store.entered_ms)
    return left_ms if left_ms > 0 else _fail(store, out)


def _want(store: Store, goal: int, now_ms: int) -> None:
    store.goal = goal
    store.state = STORE_WAITING
    store.entered_ms = now_ms


def _turn(store: Store, inp: "Inputs", out: "Outputs", now_ms: int) -> None:
    count = store.spec.slot_count
    out.axis_home = store.goal == GOAL_HOME
    _watch(out, store.goal >= GOAL_SWEEP)
    store.sweep_base = inp.enters[IN_SLOT]
    if store.goal == GOAL_SWEEP:
        out.axis_slots = count
    else:
        ahead = (store.target - store.slot) % count
        out.axis_slots = ahead if ahead * 2 <= count else ahead - count
    out.axis_go = True
    store.state = STORE_TURNING
    store.entered_ms = now_ms


def _arrive(store: Store, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    store.slot = store.target
    if store.goal == GOAL_HOME:
        store.homed = True
    elif store.goal == GOAL_SWEEP:
        store.swept = inp.enters[IN_SLOT] - store.sweep_base
    elif store.goal == GOAL_SURVEY:
        spec = store.spec
        seen = inp.enters[IN_SLOT] - store.sweep_base
        store.full[(store.slot + spec.slot_beam_slots) % spec.slot_count] = seen
        store.swept += seen
        store.survey_left -= 1
        if store.survey_left:
            store.target = (store.slot + 1) % spec.slot_count
            _want(store, GOAL_SURVEY, now_ms)
            return 0
    _watch(out, False)
    store.state = STORE_REST
    return 0


def _fail(store: Store, out: "Outputs") -> int:
    store_stop(store, out)
    store.fault = FAULT_AXIS
    return 0


def _watch(out: "Outputs", on: bool) -> None:
    if out.watch_slot != on:
        out.watch_slot = on
        out.dirty = True
