"""Carousel or elevator as a body: trapezoidal moves in integers, with its commanded and its real position.

Positions count in thousandths of a place. A carousel wraps, an elevator does not; the home mark is at place 0. The
carousel's slot beam sits half a slot off the mouth grid, so that at rest it always looks between two slots and a whole
turn crosses each slot exactly once.

Orders are in places of the config, of so many steps each; the machine makes as many steps, over places of its own.
"""

from hal.sim.body import FAR
from hal.sim.rng import isqrt
from hal.sim.truth import HOME_STEPS, HOME_WIDTH_STEPS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.sim.chassis import Chassis
    from hal.sim.faults import Faults

_HALF_WIDTH = 300  # of a slot's thousandths: how long a card shades the beam
_FIT = 100  # how far off its place it may stand and still take a card
UNKNOWN = -1
NOWHERE = 0xFFFF
_QUARTER = 25  # percent of the speed, in the diagnostic mode

AXIS_REST, AXIS_MOVING, AXIS_LOST = range(3)


class Axis:
    """`slot` is the place at the mouth. Speeds in thousandths of a place and seconds."""

    def __init__(self, plant: "Chassis", faults: "Faults", beam_slots: int) -> None:
        self.plant = plant
        self.faults = faults
        self.beam_slots = beam_slots
        self.wraps = beam_slots >= 0
        place, unit = ("slot", "rev") if self.wraps else ("shelf", "shelf")
        true = plant.true
        self.count = true.mech[place + "_count"]
        self.place_steps = true.mech.get(place + "_steps", 1)
        self.reckoned_count = true.ordered[place + "_count"]
        self.told_steps = true.ordered.get(place + "_steps", 1)
        key = "axis_m" + unit + "_per_s"
        scale = (self.reckoned_count if self.wraps else 1) * self.told_steps
        self.key = key
        self.speed_max = true.ordered[key] * scale // self.place_steps
        self.accel_max = true.ordered[key + "2"] * scale // self.place_steps
        self._pace(100, 100)
        self.way = true.axis_way
        self.home_steps = true.ordered.get("home_steps", HOME_STEPS)
        self.mark = self._homed_at(true.number("home_steps") or HOME_STEPS)
        self.spare = 0  # what the last moves fell short of a thousandth, in steps by thousand
        self.slot = plant.seed % self.count  # its position at power-up is unknown
        self.real = self.slot * 1000
        self.reckoned = UNKNOWN  # place by dead reckoning from the home mark
        self.low, self.home_at = 0, NOWHERE  # the lowest that an elevator can be
        self.lost = False
        self.early = 0  # it is lost because the mark came so many steps too soon
        self.moving = False
        self.homing = False
        self.moves = 0  # since power-up, for faults that name one
        self.start_us = self.end_us = 0
        self.ordered = 0  # in places of the config, signed
        self.distance = 0  # the same in its own places
        self.reach = 0  # as it really goes
        self.step = 1
        self.crossing = 0
        self.shaded = False
        self.due_us = FAR

    def _homed_at(self, true_steps: int) -> int:
        """Where homing ends: so far from place 0 as the config is wrong about its mark."""
        off = self.home_steps - true_steps
        if self.way < 0 and self.wraps:
            # It comes onto the mark by its other edge.
            off += HOME_WIDTH_STEPS - 2 * self.home_steps
        return (off if self.wraps else -off) * 1000 // self.place_steps

    def state(self) -> int:
        return AXIS_MOVING if self.moving else AXIS_LOST if self.lost else AXIS_REST

    def fits(self) -> bool:
        """Whether a place is at the mouth, so that a card can pass."""
        return (self.real + _FIT) % 1000 <= 2 * _FIT

    def is_astray(self) -> bool:
        """Whether its real position differs from the commanded one, unnoticed."""
        return self.lost or (self.reckoned != UNKNOWN and self.real != self._place_at(self.reckoned))

    def under_beam(self) -> int:
        """The slot that the beam looks at, at rest; -1 if it looks between two."""
        off = self.real % 1000
        if not self.wraps or abs(off - 500) >= _HALF_WIDTH:
            return -1
        return (self.real // 1000 + self.beam_slots + 1) % self.count

    def move(self, places: int, now_us: int) -> None:
        if not self.wraps and self.reckoned != UNKNOWN and not 0 <= self.reckoned + places < self.reckoned_count:
            self.plant.crashes += 1
        self.homing = False
        self.low = 0
        self._pace(100, 100)
        self.ordered = places * 1000
        thousand_steps = self.ordered * self.told_steps * self.way + self.spare
        distance = thousand_steps // self.place_steps
        self.spare = thousand_steps - distance * self.place_steps
        self._begin(distance, now_us)

    def step_by(self, steps: int, pace: int, now_us: int) -> None:
        """So many steps, whatever places there are: at a quarter of the speed, or at `pace` percent of it, on another
        time scale. The mark of an elevator is below them."""
        self.homing = False
        self.reckoned = UNKNOWN
        self.low = -HOME_WIDTH_STEPS * 1000 // self.place_steps
        self.ordered = 0
        at = self.real * self.place_steps + self.spare  # in thousandths of a step
        thousand_steps = steps * 1000 * self.way + self.spare
        distance = thousand_steps // self.place_steps
        self.spare = thousand_steps - distance * self.place_steps
        self._pace(pace or _QUARTER, pace * pace // 100 or 100)
        self._begin(distance, now_us)
        before = -self.home_steps if self.wraps else self.home_steps  # in the direction of homing
        ahead = (self.mark * self.place_steps + before * 1000 - at) * self.step
        if self.wraps:
            ahead = ahead % (self.count * self.place_steps * 1000) or self.count * self.place_steps * 1000
        passed = -(-ahead // 1000)
        self.home_at = passed if 0 < passed <= self.reach * self.place_steps // 1000 else NOWHERE

    def home(self, now_us: int) -> None:
        """On to the home mark in one direction, a whole turn if it stands on it: the mark is seen on arrival."""
        self.homing = True
        self.low = 0
        self._pace(100, 100)
        self.reckoned = UNKNOWN
        self.spare = 0
        seen = not (self.faults.entries and self.faults.hides_home())
        if self.wraps:
            ahead = (self.mark - self.real) * self.way % (self.count * 1000) or self.count * 1000
            limit = (self.reckoned_count + 1) * 1000 * self.told_steps // self.place_steps
        else:
            ahead = self.real - self.mark or 1000
            limit = self.reckoned_count * 1000 * self.told_steps // self.place_steps
            self._hit_stop(self.way < 0)
        if not 0 < ahead <= limit or (self.way < 0 and not self.wraps):
            seen = False
        distance = ahead if seen else limit
        self._begin(distance * self.way if self.wraps else -distance * self.way, now_us)
        if not seen:
            self.lost = True

    def halt(self, now_us: int) -> None:
        """Power to the coils is gone: it falls into the next detent, and only a new homing knows which one that is."""
        if self.moving:
            self.real += self.step * min(self.travelled(now_us), self.reach) + 500
            self._settle(self.real - self.real % 1000)
            self.reckoned = UNKNOWN
            self._rest()

    def fire(self, now_us: int) -> None:
        if now_us < self.end_us:
            self._cross(now_us)
            return
        if self.homing:
            self._settle(self.real + self.step * self.reach if self.lost else self.mark)
            self.reckoned = UNKNOWN if self.lost else 0
        else:
            self._arrive()
        self._rest()
        self.plant.changed = True

    def _rest(self) -> None:
        self.moving = False
        self.due_us = FAR
        self.shaded = False
        self.plant.look()

    def _settle(self, real: int) -> None:
        """Be there, within what the mechanism allows."""
        if self.wraps:
            real %= self.count * 1000
        else:
            end = (self.count - 1) * 1000
            self._hit_stop(self.plant.true.differs and not -500 <= real <= end + 500)
            real = min(max(real, self.low), end)
        self.real = real
        self.slot = (real + 500) // 1000 % self.count

    def _hit_stop(self, hits: bool) -> None:
        if hits:
            self.plant.crashes += 1

    def _place_at(self, place: int) -> int:
        """Where a place of the config really is."""
        at = self.mark + self.way * place * 1000 * self.told_steps // self.place_steps
        return at % (self.count * 1000) if self.wraps else at

    def slot_of(self, place: int) -> int:
        """Which slot is at the mouth where the config has this place."""
        return (self._place_at(place) + 500) // 1000 % self.count

    def _arrive(self) -> None:
        """The end of a move: the mark must have passed where it was expected, if at all."""
        expected = UNKNOWN
        if self.reckoned != UNKNOWN:
            forward = self.ordered > 0
            expected = self._mark_at(self.reckoned * 1000, abs(self.ordered), forward, self.reckoned_count)
            self.reckoned = (self.reckoned + self.ordered // 1000) % self.reckoned_count
        forward = self.step > 0
        real = self.real - self.mark
        if self.wraps:
            # Turning the wrong way, it passes the mark as if it had turned the right way from the other side.
            real = real * self.way % (self.count * 1000)
            forward = self.step * self.way > 0
        found = self._mark_at(real, self.reach, forward, self.count)
        if found != UNKNOWN:
            found = found * self.place_steps // self.told_steps
        if self.faults.entries and self.faults.hides_home():
            found = UNKNOWN
        self._settle(self.real + self.step * self.reach)
        if self.reckoned != UNKNOWN and expected != found:
            off = abs(expected - found)
            if expected == UNKNOWN or found == UNKNOWN or off > _FIT:
                self.lost = True
                self.reckoned = UNKNOWN
                if found != UNKNOWN and expected > found:
                    self.early = (expected - found) * self.told_steps // 1000

    def _mark_at(self, start: int, distance: int, forward: bool, count: int) -> int:
        """After how much of a move from `start` the home mark passes; UNKNOWN if it does not."""
        if not forward:
            ahead = start
        elif self.wraps:
            ahead = count * 1000 - start
        else:
            return UNKNOWN
        if not ahead:
            ahead = count * 1000  # it stands on the mark, and may come round to it
        return ahead if ahead <= distance else UNKNOWN

    # -- the trapezoid ---------------------------------------------------------------------------------------------

    def _pace(self, percent: int, accel_percent: int) -> None:
        self.speed = self.speed_max * percent // 100
        self.accel = self.accel_max * accel_percent // 100
        self.ramp = self.speed * self.speed // (2 * self.accel)
        self.stalls_at = self.plant.true.stalls_at(self.ramp, self.key, percent, accel_percent)

    def _begin(self, distance: int, now_us: int) -> None:
        self.step = 1 if distance > 0 else -1
        self.distance = self.reach = abs(distance)
        self.lost = False
        self.early = 0
        if self.faults.entries:
            self.reach = self.faults.axis_reach(self.moves, self.distance)
            if self.homing:
                # What is lost on the way to the mark does no harm; but who stands still never sees it.
                self.lost = self.reach == 0
                self.reach = self.reach and self.distance
        if min(self.ramp, self.distance // 2) > self.stalls_at:
            self.reach = min(self.reach, self.stalls_at)
            self.lost = self.homing
        self.moves += 1
        self.start_us = now_us
        self.moving = True
        if not self.wraps or not self.plant.watch_slot:
            self.plant.set_line(self.plant.line_slot, 0, now_us)
        self.crossing = -1
        self.shaded = False
        self.end_us = now_us + self._duration()
        self._next_due(now_us)

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

    def travelled(self, now_us: int) -> int:
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

    # -- the slot beam ---------------------------------------------------------------------------------------------

    def _next_due(self, now_us: int) -> None:
        """The next edge of an occupied slot at the beam if the port watches it, else the end of the move."""
        self.due_us = self.end_us
        if not self.plant.watch_slot or not self.wraps:
            return
        slots = self.plant.slots
        off = self.real % 1000
        base = self.real // 1000 + self.beam_slots
        first = 500 - off if self.step > 0 else 500 + off
        while True:
            at = self.crossing * 1000 + first
            if at - _HALF_WIDTH >= self.reach:
                return
            slot = (base + (1 + self.crossing if self.step > 0 else -self.crossing)) % self.count
            if at + _HALF_WIDTH > 0 and slots[slot]:
                break
            self.crossing += 1
        edge = at + (_HALF_WIDTH if self.shaded else -_HALF_WIDTH)
        if edge <= self.reach:
            self.due_us = max(now_us, self._time_at(max(edge, 0)))

    def _cross(self, now_us: int) -> None:
        self.shaded = not self.shaded
        self.plant.set_line(self.plant.line_slot, 1 if self.shaded else 0, now_us)
        if not self.shaded:
            self.crossing += 1
        self._next_due(now_us)


class NoAxis:
    """The axis of shoes, which have none: a move counts as a crash."""

    def __init__(self, plant: "Chassis") -> None:
        self.plant = plant
        self.slot = 0
        self.moving = False
        self.lost = False
        self.home_at = NOWHERE
        self.early = 0
        self.due_us = FAR

    def state(self) -> int:
        return AXIS_REST

    def fits(self) -> bool:
        return True

    def is_astray(self) -> bool:
        return False

    def under_beam(self) -> int:
        return -1

    def slot_of(self, place: int) -> int:
        return place

    def move(self, places: int, now_us: int) -> None:
        self.plant.crashes += 1

    def home(self, now_us: int) -> None:
        self.plant.crashes += 1

    def step_by(self, steps: int, pace: int, now_us: int) -> None:
        self.plant.crashes += 1

    def halt(self, now_us: int) -> None:
        """Nothing turns."""

    def fire(self, now_us: int) -> None:
        """Never due."""
