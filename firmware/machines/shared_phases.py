"""Phases that several mechanisms share: find home, let the parts work, wait until the last card lies in the tray."""

from firmware.image import OUT_OUTFEED, output_set
from firmware.machines.axis import AXIS_REST, axis_goto, axis_home
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from firmware.image import Inputs, Outputs


def phase_home(machine: "Any", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if machine.enter():
        axis_home(machine.axis, now_ms)
    return until_at_rest(machine, out, now_ms)


def phase_park(machine: "Any", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Back to the first place: the time of the first card from here must not reveal where the last one went."""
    if machine.enter():
        axis_goto(machine.axis, 0, now_ms)
    return until_at_rest(machine, out, now_ms)


def phase_land(machine: "Any", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """The tray beam may have been blocked by the first card long ago: wait out the last card's flight."""
    fault = machine.tray.trouble(inp, machine.count) if machine.guards else 0
    if fault:
        return machine.fail(out, fault)
    left_ms = machine.spec.land_ms_max - ticks_diff(now_ms, machine.entered_ms)
    if left_ms > 0:
        return left_ms
    fault = machine.tray.landed(inp, machine.count)
    if fault:
        return machine.fail(out, fault)
    output_set(out, OUT_OUTFEED, 0)
    machine.busy = False
    return machine.advance(now_ms)


def until_at_rest(machine: "Any", out: "Outputs", now_ms: int) -> int:
    axis = machine.axis
    if axis.fault:
        return machine.fail(out, axis.fault)
    return machine.advance(now_ms) if axis.state == AXIS_REST else FOREVER_MS
