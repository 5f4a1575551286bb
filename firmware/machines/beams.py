"""Phases that try the beams: with the light off every one of them must say blocked, with the light on the path clear.

A beam that always says clear (blinded by a lamp, or broken) would let cards pass uncounted or call a full tray empty;
one that always says blocked is dirty, or a card lies there.
"""

from micropython import const

from firmware.fault import FAULT_BEAM
from firmware.image import OUT_DARK, output_set
from firmware.ticks import ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.image import Inputs, Outputs
    from firmware.machines.job import Machine

DARK_MS = const(5)  # the light fades, the change lasts a millisecond, a scan is late
_NONE = const(-1)


def phase_dark(machine: "Machine", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    if not machine.spec.dark_lines:
        return machine.advance(now_ms)
    if machine.enter():
        watch(out, True)
        output_set(out, OUT_DARK, 1)
        return DARK_MS
    left_ms = DARK_MS - ticks_diff(now_ms, machine.entered_ms)
    if left_ms > 0:
        return left_ms
    output_set(out, OUT_DARK, 0)
    watch(out, False)
    line = _blind(machine, inp)
    if line >= 0:
        machine.meters.blind(line)
        return machine.fail(out, FAULT_BEAM)
    return machine.advance(now_ms)


def phase_light(machine: "Machine", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Light again: what is blocked now is really so, and says so before anything starts."""
    if not machine.spec.dark_lines:
        return machine.advance(now_ms)
    left_ms = DARK_MS - ticks_diff(now_ms, machine.entered_ms)
    return left_ms if left_ms > 0 else machine.advance(now_ms)


def _blind(machine: "Machine", inp: "Inputs") -> int:
    for line in machine.spec.dark_lines:
        if not inp.level[line]:
            return line
    return _NONE


def watch(out: "Outputs", on: bool) -> None:
    """Whether the slot beam's edges and level are wanted."""
    if out.watch_slot != on:
        out.watch_slot = on
        out.dirty = True
