"""Recover the figures of a shelf machine from edges: its throat, the mouth of a shelf, the pusher and the lift.

Count and spacing of the shelves are not measured: no sensor sees more of the elevator than its home mark.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairshoe.calibrate.machine import (
    AXIS,
    EJECTOR,
    OUTFEED,
    PICK,
    TRANSPORT,
    Change,
    Machine,
    NotCalibrated,
    Shot,
    Step,
)
from fairshoe.calibrate.throat import Throat

HOMINGS = 5
LIFT = 3  # shelves above the home mark, for a homing
LOOK_STEPS = 20  # the mark is longer, and what is below it shorter than a shelf
LIFTS = 5
LOST_STEPS = 2  # as in a carousel


class ShelfMachine(Throat):
    """A card that the transport has taken lies on the shelf at the mouth, until the pusher sends it to the tray."""

    parts = (("arrival_gap_um", "beam at the shelf's mouth"), ("ejector_us", "pusher"))

    def __init__(self, machine: Machine, mech: dict[str, Any], say: Callable[[str], None] = lambda _text: None) -> None:
        super().__init__(machine, mech, say)
        self.homed = False

    def prepare(self) -> None:
        if not self.homed and not self.find_home():
            raise NotCalibrated("the axis turns the wrong way.", "Swap the wires of one coil of its motor.")

    def find_home(self) -> bool:
        """Several times; ends with a shelf at the mouth. False: the mark comes on the way up, and nothing was done."""
        self.say("the axis: home mark")
        shelf = self.mech["shelf_steps"]
        looks = range((self.mech["shelf_count"] + 1) * shelf // LOOK_STEPS)
        # Up first, as far as it can go from any shelf: it may stand on the mark, and then there is only the end below.
        on_it = self._steps(shelf // 2) and self._steps(-shelf // 2)
        if not on_it and not any(self._steps(-LOOK_STEPS) for _ in looks):
            if any(self._steps(LOOK_STEPS) for _ in looks):
                return False
            raise NotCalibrated("the home mark is not seen.", "Look at the sensor of the home mark, and axis.home.")
        found: list[int] = []
        for _ in range(HOMINGS):
            self._steps(LIFT * shelf)
            found.append(self._steps(-LIFT * shelf))
        if len({*found}) > 1 or not found[0]:
            raise NotCalibrated(
                f"{HOMINGS} homings from {LIFT} shelves above found the mark at other steps each time: {found}.",
                "The axis loses steps, or the mark is loose: look at driver, belt and mark.",
            )
        self._steps(LIFT * shelf - found[0] - self.home_steps)
        self.homed = True
        return True

    def follows(self, pace: int) -> bool:
        """Whether a way with both ramps in it, up and down at this pace, loses no step."""
        mech, shelf = self.mech, self.mech["shelf_steps"]
        ramp = mech["axis_mshelf_per_s"] ** 2 // (2000 * mech["axis_mshelf_per_s2"])
        way = min(2 * ramp + 2, mech["shelf_count"] - 1) * shelf
        near = 2 * LOOK_STEPS
        for up, down in ((pace, 0), (0, pace)):
            if not self._steps(way, up):
                self._steps(LIFT * shelf)  # it never left the mark
                self._come_down(way)
                return False
            if down:
                self._steps(near - way, down)
            if abs(self._come_down(way) - (near if down else way) + self.home_steps) > LOST_STEPS:
                return False
        return True

    def _come_down(self, way: int) -> int:
        """In short looks: it may be lower than it should, and hits its end below the mark. Steps until the mark passed;
        ends with the lowest shelf at the mouth."""
        for looks in range(way // LOOK_STEPS + 2):
            home = self._steps(-LOOK_STEPS)
            if home:
                self._steps(LOOK_STEPS - home - self.home_steps)
                return looks * LOOK_STEPS + home
        raise NotCalibrated("the home mark is not seen.", "Look at the sensor of the home mark, and axis.home.")

    def _steps(self, steps: int, pace: int = 0) -> int:
        """The step at which the mark passed; 0 if it did not."""
        paced = (Step(0, pace, "pace"),) if pace else ()
        shot = self.machine.shoot(*paced, Step(AXIS, 4900, "axis"), axis=steps)
        if not shot.done:
            raise NotCalibrated("the axis does not come to rest.", "Look at its driver and its supply.")
        return shot.home or 0

    def _feed(self) -> Shot:
        both = PICK | TRANSPORT
        return self.machine.shoot(
            *(Step(both, 300, "throat_b", 1), Step(both, 13)),
            *(Step(TRANSPORT, 300, "arrival", 1), Step(TRANSPORT, 300, "arrival", 0), Step(0, 30)),
        )

    def push(self) -> Shot:
        """What lies on the shelf goes to the tray."""
        ms = self.mech["ejector_us"] // 500
        shot = self.machine.shoot(Step(EJECTOR, ms), Step(0, 2 * ms, "ejector", 0), Step(0, 20))
        if not shot.done:
            raise NotCalibrated("the pusher does not come back.", "Look at its spring and its way.")
        return shot

    def leave(self, shot: Shot, speed: float, out: dict[str, list[float]]) -> list[Change]:
        b1, x1 = shot.at("throat_b", 1), shot.at("arrival", 1)
        push = self.push()
        home = push.at("ejector", 0, -1)
        if b1 is None or x1 is None or home is None:
            raise NotCalibrated("the shelf's mouth, or the pusher's switch, is silent.", "Look at both.")
        out["arrival_gap_um"].append((x1 - b1) * speed / 1000)
        out["ejector_us"].append(home - push.switches[1][1])
        return push.changes

    def away(self) -> bool:
        self.machine.shoot(Step(TRANSPORT, 200), Step(0, 30))
        self.push()
        return bool(self.machine.level("tray"))

    def finish(self) -> None:
        self.say("the lift")
        self.machine.hands.clear()
        self.machine.hands.load(1)
        lifts: list[float] = []
        for _ in range(LIFTS):
            if not self._feed().done:
                raise NotCalibrated("a card did not reach a shelf.", "Look at pick roller, throat and shelf.")
            self.push()
            shot = self.machine.shoot(Step(0, 300), Step(OUTFEED, 4500, "hopper", 1), Step(0, 20))
            up = shot.at("hopper", 1)
            if up is None:
                raise NotCalibrated("the lift brings no card to the hopper.", "Look at the lift, and outputs.outfeed.")
            lifts.append(up - shot.switches[1][1])
        self._note("lift_us", sorted(lifts)[LIFTS // 2], lifts, max(2000.0, lifts[0] * 0.02), "lift")
