"""The moving store: brings a slot or shelf to the mouth, finds home; a carousel also counts its cards by one continuous
sweep, and finds out slot by slot which ones are full where that is not known.

The mouth interlock lives here: nothing moves while a card is in the mouth or the ejector is out.
"""

from micropython import const

from firmware.fault import FAULT_AXIS, FAULT_NONE
from firmware.image import AXIS_IDLE, AXIS_LOST, IN_ARRIVAL, IN_EJECTOR, IN_EXIT, IN_SLOT, IN_THROAT_B
from firmware.machines.beam_test import watch
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from firmware.image import Inputs, Outputs
    from firmware.machines.spec import Spec

AXIS_REST = const(0)
AXIS_WAITING = const(1)  # wants to move, the mouth is not clear yet
AXIS_TURNING = const(2)

ANSWER_MS = const(2000)  # between two instants of answers.py: what moves without an axis adds its time

GOAL_PLACE = const(0)
GOAL_HOME = const(1)
GOAL_SWEEP = const(2)
GOAL_SURVEY = const(3)


class Axis:
    """Sole writer of place, swept and the axis outputs. A carousel wraps, an elevator does not."""

    def __init__(self, spec: "Spec", wraps: bool) -> None:
        self.spec = spec
        self.wraps = wraps
        self.state = AXIS_REST
        self.goal = GOAL_PLACE
        self.entered_ms = 0
        self.place = 0
        self.target = 0
        self.swept = 0
        self.sweep_base = 0
        self.beam_slots = 0  # where the slot beam is, as a sweep of a deck has shown it
        self.full = bytearray(spec.place_count if wraps else 0)  # by survey: which slots hold a card
        self.survey_left = 0
        self.homed = False
        self.fault = FAULT_NONE
        self.hold = False  # the machine has to come to rest, and to wait: firmware/answers.py
        self.held = False  # and it does


def axis_goto(axis: Axis, place: int, now_ms: int) -> None:
    axis.target = place
    _want(axis, GOAL_PLACE, now_ms)


def axis_home(axis: Axis, now_ms: int) -> None:
    axis.target = 0
    axis.homed = False
    _want(axis, GOAL_HOME, now_ms)


def axis_sweep(axis: Axis, now_ms: int) -> None:
    """One whole revolution past the slot beam; ends where it began."""
    axis.target = axis.place
    _want(axis, GOAL_SWEEP, now_ms)


def axis_survey(axis: Axis, now_ms: int) -> None:
    """A whole revolution slot by slot: each step carries one slot past the beam and shows whether it is full."""
    axis.survey_left = axis.spec.place_count
    axis.swept = 0
    axis.target = (axis.place + 1) % axis.spec.place_count
    _want(axis, GOAL_SURVEY, now_ms)


def axis_stop(axis: Axis, out: "Outputs") -> None:
    """Give up whatever was going on: position is unknown until homed again."""
    axis.state = AXIS_REST
    axis.fault = FAULT_NONE
    axis.homed = axis.hold = False
    out.axis_go = False
    watch(out, False)


def axis_ready(axis: Axis) -> bool:
    """Whether it is where it was wanted, for what only waits for that; and nothing has to wait for more."""
    if axis.state != AXIS_REST:
        return False
    axis.held = axis.hold
    return not axis.held


def axis_scan(axis: Axis, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Take at most one transition. Returns when to come back."""
    if axis.state == AXIS_REST:
        return FOREVER_MS
    if axis.state == AXIS_WAITING:
        if axis.goal == GOAL_PLACE and axis.place == axis.target:
            axis.state = AXIS_REST
            return 0
        level = inp.level
        if axis.goal >= GOAL_SWEEP and level[IN_SLOT]:
            # At rest the beam looks between two slots: something is wrong with it, or with where we stand.
            return _fail(axis, out)
        if not (level[IN_THROAT_B] or level[IN_EJECTOR] or level[IN_EXIT] or level[IN_ARRIVAL]):
            _turn(axis, inp, out, now_ms)
            return axis.spec.axis_ms_max
    elif inp.axis == AXIS_IDLE:
        # The last card's edge must have settled before the sweep is over.
        return _arrive(axis, inp, out, now_ms) if not inp.unsettled() else 1
    elif inp.axis == AXIS_LOST:
        return _fail(axis, out)
    left_ms = axis.spec.axis_ms_max - ticks_diff(now_ms, axis.entered_ms)
    return left_ms if left_ms > 0 else _fail(axis, out)


def _want(axis: Axis, goal: int, now_ms: int) -> None:
    axis.goal = goal
    axis.state = AXIS_WAITING
    axis.entered_ms = now_ms


def _turn(axis: Axis, inp: "Inputs", out: "Outputs", now_ms: int) -> None:
    count = axis.spec.place_count
    out.axis_home = axis.goal == GOAL_HOME
    watch(out, axis.goal >= GOAL_SWEEP)
    axis.sweep_base = inp.enters[IN_SLOT]
    ahead = axis.target - axis.place
    if axis.goal == GOAL_SWEEP:
        ahead = count
    elif axis.wraps:
        ahead %= count
        if ahead * 2 > count:
            ahead -= count
    out.axis_slots = ahead
    out.axis_go = True
    axis.state = AXIS_TURNING
    axis.entered_ms = now_ms


def _arrive(axis: Axis, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    axis.place = axis.target
    if axis.goal == GOAL_HOME:
        axis.homed = True
    elif axis.goal == GOAL_SWEEP:
        axis.swept = inp.enters[IN_SLOT] - axis.sweep_base
    elif axis.goal == GOAL_SURVEY:
        spec = axis.spec
        seen = inp.enters[IN_SLOT] - axis.sweep_base
        axis.full[(axis.place + spec.beam_slots) % spec.place_count] = seen
        axis.swept += seen
        axis.survey_left -= 1
        if axis.survey_left:
            axis.target = (axis.place + 1) % spec.place_count
            _want(axis, GOAL_SURVEY, now_ms)
            return 0
    watch(out, False)
    axis.state = AXIS_REST
    return 0


def _fail(axis: Axis, out: "Outputs") -> int:
    axis_stop(axis, out)
    axis.fault = FAULT_AXIS
    return 0


def phase_home(machine: "Any", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if machine.enter():
        axis_home(machine.axis, now_ms)
    return until_at_rest(machine, out, now_ms)


def phase_park(machine: "Any", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Back to the first place: the time of the first card from here must not reveal where the last one went."""
    if machine.enter():
        axis_goto(machine.axis, 0, now_ms)
    return until_at_rest(machine, out, now_ms)


def until_at_rest(machine: "Any", out: "Outputs", now_ms: int) -> int:
    axis = machine.axis
    if axis.fault:
        return machine.fail(out, axis.fault)
    return machine.advance(now_ms) if axis_ready(axis) else FOREVER_MS
