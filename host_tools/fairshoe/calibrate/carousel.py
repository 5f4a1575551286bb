"""Recover the figures of a carousel from edges: its throat, its way out, and its axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fairshoe.calibrate.machine import AXIS, EJECTOR, OUTFEED, PICK, REVERSE, Change, Machine, NotCalibrated, Shot, Step
from fairshoe.calibrate.throat import Throat

LOOK_STEPS = 1500  # of a move that looks for the mark: less than a turn, since a move tells of one passage only
LOOKS_MAX = 20
SLOTS = range(36, 73)
PITCHES = range(40, 92)
SLOW_MREV_PER_S = 950  # below this a turn at a quarter of the speed takes longer than a shot may
HALF = 50  # percent: then it turns at that pace
SHADE = 0.6  # of a slot's pitch
PACED = 2  # times
LOST_STEPS = 2  # the mark may be seen so late; a motor loses four or more at once
EJECT = (
    Step(EJECTOR | OUTFEED, 400, "exit", 1),
    Step(EJECTOR | OUTFEED, 400, "exit", 0),
    Step(OUTFEED, 40),
    Step(0, 400, "ejector", 0),
    Step(0, 20),
)


class Carousel(Throat):
    """One machine. `measure` runs everything and returns the figures by name."""

    parts = (("ejector_us", "ejector"), ("exit_us", "exit beam"), ("outfeed_us", "outfeed"), ("tray_us", "tray beam"))

    def __init__(self, machine: Machine, mech: dict[str, Any], say: Callable[[str], None] = lambda _text: None) -> None:
        super().__init__(machine, mech, say)
        self.turn = 0
        self.slow = HALF if mech["axis_mrev_per_s"] < SLOW_MREV_PER_S else 0

    def prepare(self) -> None:
        if not self.turn:
            self.find_home()

    def finish(self) -> None:
        self.say("slots and slot beam")
        self._slots()

    def leave(self, shot: Shot, speed: float, out: dict[str, list[float]]) -> list[Change]:
        shot = self.machine.shoot(*EJECT)
        if not shot.done:
            raise NotCalibrated("a card does not come out of its slot.", "Look at ejector, outfeed and exit beam.")
        off = next(us for outputs, us in shot.switches if not outputs & EJECTOR)
        home, x1, x0 = shot.at("ejector", 0, -1), shot.at("exit", 1), shot.at("exit", 0)
        if home is None or x1 is None or x0 is None:
            raise NotCalibrated("the ejector's home switch or the exit beam is silent.", "Look at both.")
        tray = shot.at("tray", 1)
        out["ejector_us"].append(home - off)
        out["exit_us"].append(x1)
        out["outfeed_us"].append(x0 - x1)
        if tray is not None:
            out["tray_us"].append(tray - x0)
        return shot.changes

    def away(self) -> bool:
        return self.machine.shoot(*EJECT).done

    # -- the axis ------------------------------------------------------------------------------------------------------

    def _steps(self, steps: int, watch: bool = False, pace: int = 0) -> Shot:
        pace = pace or self.slow
        paced = (Step(0, pace, "pace"),) if pace else ()
        shot = self.machine.shoot(*paced, Step(AXIS, 4800, "axis"), Step(0, 20), axis=steps, watch=watch)
        if not shot.done:
            raise NotCalibrated("the axis does not come to rest.", "Look at the driver of the axis and its supply.")
        return shot

    def find_home(self, count: int = 3) -> None:
        """Steps from edge to edge of the home mark, several times; ends with a slot at the mouth."""
        self.say("the axis: steps of a turn")
        turns: list[int] = []
        since: int | None = None  # steps since the last edge
        for look in range(LOOKS_MAX * count):
            shot = self._steps(LOOK_STEPS)
            if shot.home is not None:
                if since is not None:
                    turns.append(since + shot.home)
                since = LOOK_STEPS - shot.home
            elif since is not None:
                since += LOOK_STEPS
            if len(turns) == count or (since is None and look == LOOKS_MAX):
                break
        if len(turns) < count or since is None:
            raise NotCalibrated("the home mark is not seen.", "Look at the sensor of the home mark, and axis.home.")
        if len(set(turns)) > 1:
            raise NotCalibrated(
                f"{count} turns have {sorted(set(turns))} steps.", "The axis loses steps: look at its driver."
            )
        self.turn = turns[0]
        self._note("turn_steps", self.turn, [float(turn) for turn in turns], 0.0, "axis")
        self._steps((self.turn - since + self.home_steps) % self.turn or self.turn)

    def follows(self, pace: int) -> bool:
        """Whether half a turn at this pace loses no step, forward and back: slowly on to where it began, the mark must
        pass where it did. Half a turn, because an axis that stood still for a whole one would be where it should."""
        half = self.turn // 2
        for way in (1, -1) * PACED:
            self._steps(way * half, pace=pace)
            rest = half if way < 0 else self.turn - half
            home = self._steps(rest).home
            if home is None or abs(home - rest + self.home_steps) > LOST_STEPS:
                self.find_home(1)
                return False
        return True

    def _slots(self) -> None:
        """A card in a slot shades the slot beam once in a turn; where a second one fits tells the pitch."""
        self.machine.hands.clear()
        self.machine.hands.load(8)
        if not self._feed().done:
            raise NotCalibrated("the home mark is not at a slot.", "Turn the home mark until a slot is at the mouth.")
        on, off = self.find_shade()
        middle = (on + off) / 2 % self.turn
        pairs = [(n, self.turn // n) for n in SLOTS if self.turn % n == 0 and self.turn // n in PITCHES]
        pairs.sort(key=lambda pair: abs(pair[1] * SHADE - (off - on)))
        count, pitch = self._fitting(pairs)
        beam = (self.turn - middle) / pitch - 0.5
        if abs(beam - round(beam)) > 0.3:
            raise NotCalibrated(f"the slot beam is {beam:.2f} slots from the mouth.", "Move it half a slot off a slot.")
        self._note("slot_count", count, [float(count)], 0.0, "carousel")
        self._note("slot_steps", pitch, [float(pitch)], 0.0, "carousel")
        self._note("slot_beam_slots", round(beam) % count, [beam], 0.0, "slot beam")

    def find_shade(self) -> tuple[float, float]:
        """Steps of a turn at which the slot beam is covered and clear again."""
        shot = self._steps(self.turn, True)
        start = shot.switches[0][1]
        on, off = shot.at("slot", 1), shot.at("slot", 0)
        if on is None or off is None:
            raise NotCalibrated("the slot beam does not see a card.", "Look at the slot beam.")
        first, last = self._step_at(on - start), self._step_at(off - start)
        return first, last if last > first else last + self.turn

    def _step_at(self, us: float) -> float:
        """The step of a whole turn that was made then: a ramp, an even pace, a ramp."""
        steps = self.mech["slot_count"] * self.mech["slot_steps"]
        part = self.slow / 100 or 0.25
        pace = self.mech["axis_mrev_per_s"] * steps / 1000 * part
        accel = self.mech["axis_mrev_per_s2"] * steps / 1000 * (part * part if self.slow else 1)
        return self.turn / 2 + pace * (us / 1e6 - (self.turn / pace + pace / accel) / 2)

    def _fitting(self, pairs: list[tuple[int, int]]) -> tuple[int, int]:
        """The pitch by which a second card fits; without a choice the only one there is."""
        if not pairs:
            raise NotCalibrated(
                f"{self.turn} steps a turn are no whole number of slots.", "Look at the gear of the axis, and its mark."
            )
        at = 0
        for count, pitch in pairs if len(pairs) > 1 else []:
            others = [other for _count, other in pairs if other != pitch]

            def apart(slots: int, pitch: int = pitch, others: list[int] = others) -> float:
                rests = [slots * pitch % other / other for other in others]
                return min(min(rest, 1 - rest) for rest in rests)

            slots = max(range(2, count - 1), key=apart)
            self._steps((slots * pitch - at) % self.turn or self.turn)
            at = slots * pitch
            if self._feed().done:
                return count, pitch
            self.machine.shoot(Step(PICK | REVERSE, 250), Step(0, 50))  # off the wall, back on the pile
        if len(pairs) == 1:
            return pairs[0]
        raise NotCalibrated("no pitch of slots fits this carousel.", "Look at the slots beside the home mark.")
