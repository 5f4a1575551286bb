"""Hopper, pick roller, throat beams and transport rollers: cards go in one by one and end in the slot at the mouth."""

from hal.sim.body import FAR, Body
from hal.sim.rng import mix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config
    from hal.sim.plant import Plant

_MARK_A, _MARK_B, _MARK_NIP, _MARK_FREE, _MARK_A_CLEAR, _MARK_STORED = range(6)


class Throat:
    """Bodies are ordered by position, the furthest first. At most two are under way."""

    def __init__(self, plant: "Plant", mech: "Config") -> None:
        self.plant = plant
        self.speed = mech["transport_um_per_ms"]
        self.card_um = mech["card_um"]
        self.nip_um = mech["nip_um"]
        self.brake_um = mech["brake_um"]
        self.start_us = mech["roller_start_us"]
        self.latency_us = mech["pick_latency_us_min"]
        self.spread_us = mech["pick_latency_us_max"] - mech["pick_latency_us_min"] + 1
        a_um = mech["throat_a_um"]
        b_um = mech["throat_b_um"]
        # In the order in which a leading edge passes; geometry that breaks this order is refused with the config.
        self.marks = (a_um, b_um, self.nip_um, self.card_um, a_um + self.card_um, b_um + self.card_um)
        self.hopper: "list[int]" = []  # the last one is picked first
        self.bodies: "list[Body]" = []
        self.picked = 0  # cards since the last load, for faults that name one
        self.attempt = 0
        self.pick_on = False
        self.transport_on = False
        self.grip_us = FAR  # when the roller gets hold of the next card, or of the staged one again
        self.due_us = FAR

    def load(self, cards: "list[int]", now_us: int) -> None:
        self.hopper = cards + self.hopper
        self.picked = 0
        self.plant.set_line(self.plant.line_hopper, 1 if self.hopper else 0, now_us)

    def clear(self, now_us: int) -> "list[int]":
        """A hand takes every card out of hopper and throat."""
        cards = self.hopper + [body.card for body in self.bodies]
        self.hopper = []
        self.bodies = []
        plant = self.plant
        for line in (plant.line_hopper, plant.line_a, plant.line_b, plant.line_opacity):
            plant.set_line(line, 0, now_us)
        self._schedule()
        return cards

    def mouth_blocked(self) -> bool:
        for body in self.bodies:
            if body.mark > _MARK_B:
                return True
        return False

    def drive(self, pick: bool, transport: bool, now_us: int) -> None:
        if pick != self.pick_on:
            self.pick_on = pick
            self.grip_us = FAR
            if pick:
                self._grip(now_us)
            else:
                for body in self.bodies:
                    if body.mark <= _MARK_NIP:
                        body.brake(now_us, self.brake_um)
        if transport != self.transport_on:
            self.transport_on = transport
            for body in self.bodies:
                if body.mark > _MARK_NIP:
                    if transport:
                        body.start(now_us)
                    else:
                        body.brake(now_us, self.brake_um)
        self._schedule()

    def fire(self, now_us: int) -> None:
        if self.grip_us <= now_us:
            self.grip_us = FAR
            self._take_hold(now_us)
        for body in list(self.bodies):
            if body.due(self.marks[body.mark]) <= now_us and body.arrive(self.marks[body.mark], now_us):
                self._pass(body, now_us)
        self._schedule()

    def _grip(self, now_us: int) -> None:
        """The pick roller starts: soon it holds the staged card again, or after the pick latency a new one."""
        if self._in_roller():
            self.grip_us = now_us + self.start_us
        elif self.hopper:
            card = self.hopper[-1]
            self.attempt += 1
            if not self.plant.misfeeds(self.picked, self.attempt):
                self.grip_us = now_us + self.latency_us + mix(self.plant.seed, card, self.attempt) % self.spread_us

    def _take_hold(self, now_us: int) -> None:
        if self._in_roller():
            for body in self.bodies:
                if body.mark <= _MARK_NIP:
                    body.start(now_us)
            return
        body = Body(self.hopper.pop(), now_us, self.speed)
        body.jam_um = self.plant.jam_throat_um(self.picked)
        self.picked += 1
        self.attempt = 0
        body.start(now_us)
        self.bodies.append(body)
        if not self.hopper:
            self.plant.set_line(self.plant.line_hopper, 0, now_us)

    def _in_roller(self) -> bool:
        """Whether a card lies under the pick roller."""
        for body in self.bodies:
            if body.mark <= _MARK_FREE:
                return True
        return False

    def _pass(self, body: Body, now_us: int) -> None:
        plant = self.plant
        mark = body.mark
        body.mark += 1
        if mark == _MARK_A:
            plant.set_line(plant.line_a, 1, now_us)
        elif mark == _MARK_B:
            plant.set_line(plant.line_b, 1, now_us)
        elif mark == _MARK_NIP:
            # The transport rollers take over from the pick roller.
            if self.transport_on:
                body.start(now_us)
            elif not self.pick_on:
                body.brake(now_us, self.brake_um)
        elif mark == _MARK_FREE:
            if self.pick_on:
                self._grip(now_us)
        elif mark == _MARK_A_CLEAR:
            plant.set_line(plant.line_a, 0, now_us)
        else:
            self.bodies.remove(body)
            plant.set_line(plant.line_b, 0, now_us)
            plant.store(body.card)

    def _schedule(self) -> None:
        due = self.grip_us
        for body in self.bodies:
            due = min(due, body.due(self.marks[body.mark]))
        self.due_us = due
