"""Ejector, outfeed, exit beam and tray: a card is pushed out of the slot at the mouth, passes a beam, and lands."""

from hal.sim.body import FAR, Body

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config
    from hal.sim.plant import Plant

_MARK_EXIT, _MARK_CLEAR, _MARK_TRAY = range(3)


class Outlet:
    """The arm is home, going out or coming back; cards in flight are bodies."""

    def __init__(self, plant: "Plant", mech: "Config") -> None:
        self.plant = plant
        self.speed = mech["transport_um_per_ms"]
        self.stroke_us = mech["ejector_us"]
        self.brake_um = mech["brake_um"]
        exit_um = mech["exit_um"]
        self.marks = (exit_um, exit_um + mech["card_um"], exit_um + mech["card_um"] + mech["tray_um"])
        self.bodies: "list[Body]" = []
        self.tray: "list[int]" = []
        self.ejected = 0  # cards since power-up, for faults that name one
        self.ejector_on = False
        self.outfeed_on = False
        self.push_us = FAR  # the arm reaches the card
        self.home_us = FAR  # the arm is back
        self.due_us = FAR

    def take(self, now_us: int) -> "list[int]":
        """The dealer's hand."""
        cards = self.tray
        self.tray = []
        self.plant.set_line(self.plant.line_tray, 0, now_us)
        return cards

    def clear(self, now_us: int) -> "list[int]":
        """A hand takes out what is stuck on the way to the tray, and the tray."""
        cards = [body.card for body in self.bodies] + self.take(now_us)
        self.bodies = []
        self.plant.set_line(self.plant.line_exit, 0, now_us)
        self._schedule()
        return cards

    def mouth_blocked(self) -> bool:
        if self.plant.level[self.plant.line_ejector]:
            return True
        for body in self.bodies:
            if body.mark <= _MARK_CLEAR:
                return True
        return False

    def drive(self, ejector: bool, outfeed: bool, now_us: int) -> None:
        if ejector != self.ejector_on:
            self.ejector_on = ejector
            if ejector:
                self.push_us = now_us + self.stroke_us // 2
                self.home_us = FAR
                self.plant.set_line(self.plant.line_ejector, 1, now_us)
            else:
                self.push_us = FAR
                self.home_us = now_us + self.stroke_us
        if outfeed != self.outfeed_on:
            self.outfeed_on = outfeed
            for body in self.bodies:
                if outfeed:
                    body.start(now_us)
                elif body.mark < _MARK_TRAY:
                    # In free flight nothing brakes it.
                    body.brake(now_us, self.brake_um)
        self._schedule()

    def fire(self, now_us: int) -> None:
        if self.push_us <= now_us:
            self.push_us = FAR
            self._push(now_us)
        if self.home_us <= now_us:
            self.home_us = FAR
            self.plant.set_line(self.plant.line_ejector, 0, now_us)
        for body in list(self.bodies):
            if body.due(self.marks[body.mark]) <= now_us and body.arrive(self.marks[body.mark], now_us):
                self._pass(body, now_us)
        self._schedule()

    def _push(self, now_us: int) -> None:
        card = self.plant.unstore()
        if card < 0:
            return
        body = Body(card, now_us, self.speed)
        body.jam_um = self.plant.jam_exit_um(self.ejected)
        self.ejected += 1
        if self.outfeed_on:
            body.start(now_us)
        self.bodies.append(body)

    def _pass(self, body: Body, now_us: int) -> None:
        plant = self.plant
        mark = body.mark
        body.mark += 1
        if mark == _MARK_EXIT:
            plant.set_line(plant.line_exit, 1, now_us)
        elif mark == _MARK_CLEAR:
            plant.set_line(plant.line_exit, 0, now_us)
        else:
            self.bodies.remove(body)
            self.tray.append(body.card)
            plant.set_line(plant.line_tray, 1, now_us)

    def _schedule(self) -> None:
        due = min(self.push_us, self.home_us)
        for body in self.bodies:
            due = min(due, body.due(self.marks[body.mark]))
        self.due_us = due
