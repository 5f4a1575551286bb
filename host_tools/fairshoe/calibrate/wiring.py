"""Faults of wiring, found from an empty machine and then one with three cards; each has a cure."""

from __future__ import annotations

from collections.abc import Callable, Container
from dataclasses import dataclass

from fairshoe.calibrate.machine import DARK, LINE, PICK, REVERSE, TRANSPORT, Machine, Step

# What the dark test of the firmware looks at, but for the slot beam, which is read only while the carousel turns.
BEAMS = ("hopper", "throat_a", "throat_b", "opacity", "exit", "tray")


@dataclass(frozen=True)
class Finding:
    """`key` for programs; what is wrong, and what to do about it."""

    key: str
    what: str
    cure: str


def find_faults(machine: Machine, wired: Container[str], home: Callable[[], None]) -> Finding | None:
    """The first fault that explains what is seen; None if the wiring is right. `home` brings a slot to the mouth, or a
    card could not leave the throat."""
    found = _find_beams(machine, [line for line in BEAMS if line in wired])
    if found is None:
        home()
        found = _find_motors(machine)
    return found


def _find_beams(machine: Machine, lines: list[str]) -> Finding | None:
    lit = machine.read().level
    dark = machine.shoot(Step(DARK, 8), Step(0, 8))
    for line in lines:
        before = lit >> LINE[line] & 1
        levels = (before, next((change.level for change in dark.changes if change.line == line), before))
        if levels == (1, 0):
            return Finding(
                f"inverted {line}",
                f"{line} is inverted: it shows a card when there is none, and none in the dark.",
                f"Use a sensor of the other kind at inputs.{line}, or invert its output stage.",
            )
        if levels != (0, 1):
            return Finding(
                f"dead {line}",
                f"{line} does not notice the light: {'always blocked' if before else 'always clear'}.",
                f"Clear the path, then check lamp, sensor and the wire of inputs.{line}.",
            )
    return None


def _find_motors(machine: Machine) -> Finding | None:
    machine.hands.load(3)
    shot = machine.shoot(Step(PICK, 300), Step(0, 50))
    found = _motors(machine, [change.line for change in shot.changes if change.level])
    machine.hands.clear()
    return found


def _motors(machine: Machine, seen: list[str]) -> Finding | None:
    order = [line for line in seen if line in ("throat_a", "throat_b")]
    if not order:
        shot = machine.shoot(Step(PICK | REVERSE, 300), Step(0, 50))
        if [change for change in shot.changes if change.line in ("throat_a", "throat_b")]:
            return _turned("pick")
        return Finding("no feed", "no card comes when the pick roller runs.", "Check the motor and outputs.pick.")
    if order[0] == "throat_b":
        return Finding(
            "swapped",
            "throat A and B are swapped: a card reaches B first.",
            "Swap inputs.throat_a and inputs.throat_b in the config, or the plugs.",
        )
    machine.hands.clear()
    machine.hands.load(1)
    machine.shoot(Step(PICK, 250, "throat_b", 1), Step(PICK, 9), Step(0, 40))  # past the nip, under the pick roller
    shot = machine.shoot(Step(TRANSPORT, 200), Step(0, 30))
    clears = [change.line for change in shot.changes if not change.level and change.line in ("throat_a", "throat_b")]
    if not clears:
        shot = machine.shoot(Step(TRANSPORT | REVERSE, 200), Step(0, 30))
        if shot.at("throat_b", 0) is not None:
            return Finding(
                "no slot",
                "the transport turns, but no slot is at the mouth where the home mark says.",
                "Turn the mark until a slot is there; if the axis turns the wrong way, swap the wires of one coil.",
            )
        return Finding("no transport", "the transport moves no card.", "Check the motor and outputs.transport.")
    return _turned("transport") if clears[0] == "throat_b" else None


def _turned(motor: str) -> Finding:
    return Finding(
        f"backwards {motor}",
        f"the motor {motor} turns the wrong way: the card moves only with `reverse`.",
        f"Swap the two wires of the motor {motor}.",
    )
