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
    from firmware.machines.machine import Machine

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
    line = _with_level(inp, machine.spec.dark_lines, 0)
    if line >= 0:
        machine.meters.uneasy(line)
        return machine.fail(out, FAULT_BEAM)
    return machine.advance(now_ms)


def phase_light(machine: "Machine", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Light on again: no card is under way, so a beam that is still blocked is stuck and would show no card."""
    left_ms = DARK_MS - ticks_diff(now_ms, machine.entered_ms) if machine.spec.dark_lines else 0
    if left_ms > 0:
        return left_ms
    line = _with_level(inp, machine.spec.path_lines, 1)
    if line >= 0:
        machine.meters.uneasy(line)
        return machine.fail(out, FAULT_BEAM)
    return machine.advance(now_ms)


def _with_level(inp: "Inputs", lines: bytes, level: int) -> int:
    """The first of these lines that has this level."""
    for line in lines:
        if inp.level[line] == level:
            return line
    return _NONE


def watch(out: "Outputs", on: bool) -> None:
    """Whether the slot beam's edges and level are wanted."""
    if out.watch_slot != on:
        out.watch_slot = on
        out.dirty = True
