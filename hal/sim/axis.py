"""The carousel as a body: trapezoidal moves in integers, and the slot beam that occupied slots cross while it turns.

Positions count in thousandths of a slot. The slot beam sits half a slot off the mouth grid, so that at rest it always
looks between two slots and a whole turn crosses each slot exactly once.
"""

from hal.sim.rng import isqrt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config
    from hal.sim.plant import Plant

FAR = 1 << 60
_HALF_WIDTH = 300  # of a slot's thousandths: how long a card shades the beam


class Axis:
    """Slot at the mouth, and the move under way."""

    def __init__(self, plant: "Plant", mech: "Config") -> None:
        self.plant = plant
        self.count = mech["slot_count"]
        self.speed = mech["axis_mrev_per_s"] * self.count  # thousandths of a slot per second
        self.accel = mech["axis_mrev_per_s2"] * self.count
        self.beam_slots = mech["slot_beam_slots"]
        self.ramp = self.speed * self.speed // (2 * self.accel)
        self.slot = plant.seed % self.count  # nobody knows where it stands at power-up
        self.target = self.slot
        self.moving = False
        self.start_us = 0
        self.end_us = 0
        self.distance = 0
        self.step = 1
        self.crossing = 0
        self.shaded = False
        self.due_us = FAR

    def move(self, slots: int, now_us: int) -> None:
        self._begin(slots, now_us)

    def home(self, now_us: int) -> None:
        """On to the home mark in one direction, a whole turn if it stands on it: the mark is seen on arrival."""
        self._begin(self.count - self.slot, now_us)

    def halt(self, now_us: int) -> None:
        """Power to the coils is gone: it falls into the next detent, and only a new homing knows which one that is."""
        if self.moving:
            done = (self._travelled(now_us) + 500) // 1000
            self.slot = (self.slot + self.step * done) % self.count
            self._rest(now_us)

    def _rest(self, now_us: int) -> None:
        self.moving = False
        self.due_us = FAR
        self.shaded = False
        self.plant.set_line(self.plant.line_slot, 0, now_us)

    def fire(self, now_us: int) -> None:
        if now_us >= self.end_us:
            self._rest(now_us)
            self.slot = self.target
            self.plant.changed = True
            return
        self._cross(now_us)

    def _begin(self, slots: int, now_us: int) -> None:
        self.step = 1 if slots > 0 else -1
        self.distance = abs(slots) * 1000
        self.start_us = now_us
        self.target = (self.slot + slots) % self.count
        self.moving = True
        self.crossing = 0
        self.shaded = False
        self.end_us = now_us + self._duration()
        self._next_due()

    def _duration(self) -> int:
        if self.distance >= 2 * self.ramp:
            return self.distance * 1000000 // self.speed + self.speed * 1000000 // self.accel
        return 2 * isqrt(self.distance * 1000000000000 // self.accel)

    def _time_at(self, travelled: int) -> int:
        """When so much of the move is done."""
        ramp = min(self.ramp, self.distance // 2)
        if travelled <= ramp:
            return self.start_us + isqrt(2 * travelled * 1000000000000 // self.accel)
        if travelled >= self.distance - ramp:
            return self.end_us - isqrt(2 * (self.distance - travelled) * 1000000000000 // self.accel)
        return self.start_us + self.speed * 1000000 // self.accel + (travelled - ramp) * 1000000 // self.speed

    def _travelled(self, now_us: int) -> int:
        """How much of the move is done by now."""
        ramp = min(self.ramp, self.distance // 2)
        gone_us = now_us - self.start_us
        left_us = self.end_us - now_us
        ramp_us = isqrt(2 * ramp * 1000000000000 // self.accel)
        if gone_us <= ramp_us:
            return self.accel * gone_us * gone_us // 2000000000000
        if left_us <= ramp_us:
            return self.distance - self.accel * left_us * left_us // 2000000000000
        return ramp + (gone_us - ramp_us) * self.speed // 1000000

    def _next_due(self) -> None:
        """The next edge of an occupied slot at the beam if anybody watches, else the end of the move."""
        self.due_us = self.end_us
        if not self.plant.watch_slot:
            return
        while self.crossing * 1000 + 500 - _HALF_WIDTH < self.distance:
            offset = self.beam_slots + 1 + self.crossing if self.step > 0 else self.beam_slots - self.crossing
            slot = (self.slot + offset) % self.count
            if self.plant.slots[slot] >= 0:
                edge = _HALF_WIDTH if self.shaded else -_HALF_WIDTH
                self.due_us = self._time_at(self.crossing * 1000 + 500 + edge)
                return
            self.crossing += 1

    def _cross(self, now_us: int) -> None:
        self.shaded = not self.shaded
        self.plant.set_line(self.plant.line_slot, 1 if self.shaded else 0, now_us)
        if not self.shaded:
            self.crossing += 1
        self._next_due()
