"""Recover the figures of hopper, throat and rollers from edges: what is measured, how, and how far it can be wrong.

Card length is entered: every speed follows from it. Rollers slip, on each card or at each start, so a single passage
says little: the fastest of many is the roller's own speed, and a threshold is where the fastest of several tries
crosses it. Sums that no edge tells apart stay sums: the exit beam's place holds the arm's stroke, the tray's its rest.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fairshoe.boards.checks import HOME_STEPS
from fairshoe.calibrate.machine import (
    PICK,
    REVERSE,
    TRANSPORT,
    Change,
    Machine,
    NotCalibrated,
    Shot,
    Step,
)

CARDS = 50
BATCH = 5  # cards between two times that the tray is emptied
PILE = 25
TRIES = 6  # at one delay: with slip of up to 5 % one of them is fast
AGAIN = 0.85  # of a threshold: slip can hide no more
RETRIES_MAX = 40  # shots that a glitch spoilt
BEAMS = ("throat_a", "throat_b", "exit")
ALIKE = 0.12  # of the usual speed: more is no slip
SPEEDS = (100, 5000)  # um/ms, that a card roller can have
LATER = 40  # passages at the end, without the two fastest: those may be glitches
WARMER = 1.012  # of the speed before: no card is faster than its rollers were; a slower one may slip


@dataclass(frozen=True)
class Figure:
    """A measured figure of the config: `error` is stated, in its own unit; `part` is where to look if it is poor."""

    name: str
    value: float
    spread: float
    error: float
    count: int
    part: str


class Glitch(Exception):
    """Noise fired the stop order: the try counts for nothing."""


class Measurement:
    """One machine. `measure` runs everything and returns the figures by name."""

    def __init__(self, machine: Machine, mech: dict[str, Any], say: Callable[[str], None] = lambda _text: None) -> None:
        self.machine = machine
        self.mech = mech
        self.card_um = mech["card_um"]
        self.home_steps = mech.get("home_steps", HOME_STEPS)
        self.say = say
        self.figures: dict[str, Figure] = {}
        self.series: dict[str, list[float]] = {}

    def measure(self, cards: int = CARDS) -> dict[str, Figure]:
        raise NotImplementedError

    def prepare(self) -> None:
        """Before the first card."""

    def _note(self, name: str, value: float, values: list[float], error: float, part: str) -> None:
        middle = statistics.median(values)
        # By the median: a glitch beside an edge spoils single values, and something loose spoils most.
        spread = 1.4826 * statistics.median(abs(each - middle) for each in values)
        self.figures[name] = Figure(name, value, spread, error, len(values), part)
        self.series[name] = values

    def _note_bounce(self, changes: list[Change]) -> None:
        bounce = sorted(float(change.bounce_us) for change in changes if change.line in BEAMS)
        self._note("bounce_us", bounce[int(len(bounce) * 0.97)], bounce, max(30.0, bounce[-1] * 0.15), "beams")


class Throat(Measurement):
    """A machine whose rollers take cards from a hopper past two beams."""

    def __init__(self, machine: Machine, mech: dict[str, Any], say: Callable[[str], None] = lambda _text: None) -> None:
        super().__init__(machine, mech, say)
        self.gap = self.speed = self.usual = self.brake = self.start_us = self.throat_a = 0.0
        self.picks: list[tuple[int, float]] = []  # from roller on to beam A, and the card's own speed
        self.own_us = math.inf  # from A to B, by the fastest passage of the card that is in the throat
        self.passages: list[int] = []  # all of them
        self.gone = False  # the card was taken by the transport, and ejected

    def measure(self, cards: int = CARDS) -> dict[str, Figure]:
        self.prepare()
        self.say(f"{cards} cards: speed, beams, slip, and the way out")
        self._cards(cards)
        self.say("one card to and fro: brake, roller start")
        self._brake()
        self.say("the transport's nip")
        self._nip()
        self._still()
        self.say("throat A, pick latency")
        self._throat_a()
        self._latency()
        self.finish()
        return self.figures

    # What a kind of machine does besides.

    parts: tuple[tuple[str, str], ...] = ()  # figures of the way out, and where to look if one is poor

    def finish(self) -> None:
        """After the last."""

    def leave(self, shot: Shot, speed: float, out: dict[str, list[float]]) -> list[Change]:
        """A card was fed: take it to the tray, and note what its way out shows."""
        raise NotImplementedError

    def away(self) -> bool:
        """The transport took the card, or it was never fed: out with it. False if none came."""
        raise NotImplementedError

    # -- single cards --------------------------------------------------------------------------------------------------

    def _feed(self) -> Shot:
        return self.machine.shoot(
            Step(PICK | TRANSPORT, 300, "throat_b", 1),
            Step(PICK | TRANSPORT, 13),
            Step(TRANSPORT, 300, "throat_b", 0),
            Step(0, 30),
        )

    def _cards(self, cards: int) -> None:
        lengths: list[float] = []
        gaps: list[float] = []
        out: dict[str, list[float]] = {name: [] for name, _part in self.parts}
        bounces: list[Change] = []
        for number in range(cards):
            if number % PILE == 0:
                self.machine.hands.load(min(PILE, cards - number))
            shot = self._feed()
            a1, a0, b1 = shot.at("throat_a", 1), shot.at("throat_a", 0), shot.at("throat_b", 1)
            if not shot.done or a1 is None or a0 is None or b1 is None:
                raise NotCalibrated("a card did not pass both throat beams.", "Look at pick roller, throat and slot.")
            lengths.append(self.card_um / (a0 - a1) * 1000)
            gaps.append((b1 - a1) * lengths[-1] / 1000)
            self.picks.append((a1, lengths[-1]))
            bounces += shot.changes
            bounces += self.leave(shot, lengths[-1], out)
            if number % BATCH == BATCH - 1 or number == cards - 1:
                self.machine.hands.take()
        for name, part in self.parts:
            if not out[name]:
                raise NotCalibrated(f"the {part} sees no card.", f"Look at the {part}; was the tray empty?")
        usual = statistics.median(lengths)
        if not SPEEDS[0] < usual < SPEEDS[1]:
            raise NotCalibrated(f"cards pass at {usual:.0f} um/ms.", "Enter the length of a card, by caliper.")
        alike = [speed for speed in lengths if abs(speed / usual - 1) < ALIKE]
        if len(alike) < cards * 0.9:
            raise NotCalibrated(
                f"cards pass at {min(lengths):.0f} to {max(lengths):.0f} um/ms.", "Look at the transport rollers."
            )
        lengths = alike  # a glitch beside an edge spoils single ones
        self.picks = [pick for pick in self.picks if abs(pick[1] / usual - 1) < ALIKE]
        self.usual, self.speed = usual, sorted(lengths)[-max(1, cards // 25)]
        self.gap = statistics.median(gaps)
        self._note("transport_um_per_ms", self.speed, lengths, self.speed * 0.012, "transport rollers")
        self._note("throat_gap_um", self.gap, gaps, max(60.0, self.gap * 0.01), "throat beams")
        slip = 100 * (1 - min(lengths) / self.speed)
        self._note("slip_percent_max", slip, [100 * (1 - v / self.speed) for v in lengths], 1.0, "transport rollers")
        for name, part in self.parts:
            middle = statistics.median(out[name])
            self._note(name, middle, out[name], max(700.0, middle * 0.02), part)
        self._note_bounce(bounces)

    # -- one card to and fro -------------------------------------------------------------------------------------------

    def _probe(self, delay_us: float, also: int = 0) -> Shot:
        """Forward; the pick roller goes off by itself so long after A is blocked."""
        ms = 130 + self.mech["pick_latency_us_max"] // 500 + round(delay_us) // 1000
        stop = (PICK, "throat_a", max(round(delay_us), 0))
        shot = self.machine.shoot(Step(PICK | also, ms), Step(also, 40), stop=stop)
        raw = next((us for line, level, us in shot.raw if line == "throat_a" and level), None)
        if raw is None or raw != shot.at("throat_a", 1):
            raise Glitch
        reached = shot.at("throat_b", 1)
        if reached is not None:
            self.passages.append(reached - raw)
            # No card runs faster than the roller: less is a glitch beside the edge.
            self.own_us = max(min(self.own_us, reached - raw), self.gap / self.speed * 1000)
        return shot

    def _drive_us(self, um: float) -> float:
        """How long this card takes for so much, as the fastest of its passages has shown."""
        if self.own_us == math.inf:
            for _ in range(3):
                self._again(lambda delay_us: bool(self._probe(delay_us)), self.gap / self.speed * 1300)
                self._back()
        return um * self.own_us / self.gap

    def _back(self) -> Shot:
        """To a rest before A, still in the roller."""
        return self.machine.shoot(Step(PICK | REVERSE, 250, "throat_a", 0), Step(PICK | REVERSE, 6), Step(0, 30))

    def _again(self, test: Callable[[float], bool], value: float) -> bool:
        for _ in range(RETRIES_MAX):
            try:
                return test(value)
            except Glitch:
                if self.machine.level("throat_a"):
                    self._back()
        raise NotCalibrated("noise spoils every try.", "Find the noisy line with fairshoe bringup.")

    def _threshold(self, low: float, high: float, step: float, test: Callable[[float], bool]) -> float:
        """The least value at which the fastest of TRIES does it. If all of them slip, it comes out too high and never
        too low: so look a second time, below what was found."""
        found = self._bisect(low, high, step, test)
        return self._bisect(found * AGAIN, found, step, test)

    def _bisect(self, low: float, high: float, step: float, test: Callable[[float], bool]) -> float:
        while high - low > step:
            middle = (low + high) / 2
            if any(self._again(test, middle) for _ in range(TRIES)):
                high = middle
            else:
                low = middle
        return (low + high) / 2

    def _alone(self) -> None:
        """One card, in the hopper."""
        self.own_us = math.inf
        self.machine.hands.clear()
        self.machine.hands.load(1)

    def _brake(self) -> None:
        """A card that is stopped coasts: how late may the stop be without covering B."""
        self._alone()
        back: list[float] = []

        def reaches(um: float) -> bool:
            delay_us = self._drive_us(um)
            shot = self._probe(delay_us)
            returned = self._back().at("throat_a", 0, -1)
            if returned is not None:
                back.append(returned - delay_us)
            return bool(shot.level("throat_b"))

        self.brake = self.gap - self._threshold(0, self.gap * 1.1, 30, reaches)
        self._note("brake_um", self.brake, [self.brake], max(150.0, self.brake * 0.1), "pick roller's brake")
        rest = self.brake / self.usual * 1000
        self.start_us = statistics.median(back) - rest
        self._note("roller_start_us", self.start_us, [us - rest for us in back], 450.0, "pick motor's driver")

    def _nip(self) -> None:
        """With the transport running: how late must the stop be that it takes the card."""

        def taken(um: float) -> bool:
            if self.gone:
                self.machine.hands.load(1)
                self.gone, self.own_us = False, math.inf
            delay_us = self._drive_us(um)
            try:
                self._probe(delay_us, TRANSPORT)
            except Glitch:
                if not self.machine.level("throat_a"):
                    self._out()
                raise
            if self.machine.level("throat_a"):
                self._back()
                return False
            self._out()
            return True

        self._alone()
        self.gone = False
        nip = self._threshold(0, self.gap + 8000, 60, taken) + self.brake - self.gap
        self._note("nip_gap_um", nip, [nip], max(350.0, self.brake * 0.12), "transport rollers")

    def _still(self) -> None:
        """Rollers that warm up while they are measured give each figure at another speed."""
        faster = self.gap / sorted(self.passages[-LATER:])[2] * 1000 / self.speed
        if faster > WARMER:
            raise NotCalibrated(
                f"the rollers ran at {self.speed:.0f} um/ms at first, and at {self.speed * faster:.0f} later.",
                "Calibrate again at once, while they are warm; if it happens again, look at their supply.",
            )

    def _out(self) -> None:
        if self.away():
            self.gone = True
            self.machine.hands.take()

    def _throat_a(self) -> None:
        """How far back until the card lies on the pile: then it is fed again as late as a new one."""
        self._alone()

        def returned(um: float) -> bool:
            back_us = um / self.speed * 1000
            self._probe(0)
            self.machine.shoot(Step(PICK | REVERSE, round((self.start_us + back_us) / 1000)), Step(0, 60))
            came = self._probe(0).at("throat_a", 1)
            self.machine.shoot(Step(PICK | REVERSE, 250), Step(0, 60))  # on the pile: the next try slips as it likes
            return came is not None and came - self.start_us - back_us > 5000

        # It coasts as far back as it had coasted beyond A.
        self.throat_a = self._threshold(12000, 70000, 600, returned)
        self._note("throat_a_um", self.throat_a, [self.throat_a], max(1500.0, self.throat_a * 0.05), "throat A")

    def _latency(self) -> None:
        late = sorted(us - self.throat_a / speed * 1000 for us, speed in self.picks)
        margin = (late[-1] - late[0]) * 0.1
        slack = self.figures["throat_a_um"].error / self.speed * 1000
        self._note("pick_latency_us_min", late[0] - margin, late, margin * 1.5 + slack, "pick roller")
        self._note("pick_latency_us_max", late[-1] + margin, late, margin * 1.5 + slack, "pick roller")
