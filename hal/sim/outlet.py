"""Ejector, outfeed and exit beam of a carousel: a card is pushed out of the slot at the mouth and flies to the tray."""

from hal.sim.body import FAR, Body
from hal.sim.track import SINK, Track

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config
    from hal.sim.carousel import Carousel
    from hal.sim.chassis import Chassis
    from hal.sim.faults import Faults
    from hal.sim.tray import Tray


class Outlet(Track):
    """The arm is home, going out or coming back; cards on their way are bodies."""

    def __init__(self, plant: "Chassis", faults: "Faults", tray: "Tray", mech: "Config", store: "Carousel") -> None:
        self.store = store
        self.tray = tray
        self.stroke_us = mech["ejector_us"]
        self.brake_um = mech["brake_um"]
        self.tray_um = mech["tray_um"]
        self.exit_um = mech["exit_um"]
        speed = plant.true.number("outfeed_um_per_ms") or mech["transport_um_per_ms"]
        Track.__init__(self, plant, faults, mech["card_um"], speed, [(plant.line_exit, self.exit_um)])
        self.exit_off = plant.line_exit * 2
        self.ejected = 0  # cards since power-up, for faults that name one
        self.ejector_on = False
        self.outfeed_on = False
        self.push_us = FAR  # the arm reaches the card
        self.home_us = FAR  # the arm is back
        self.wall_us = FAR  # since when the arm pushes against something that gives no way
        self.prepare()

    def specials(self, body: Body) -> "list[tuple[int, int]]":
        return [(self.exit_um + body.length_um + self.tray_um, SINK)]

    def beams_of(self, body: Body) -> "list[tuple[int, int]]":
        return self.beams  # backs and faces are looked at in the throat only

    def clear(self, now_us: int) -> "list[int]":
        """A hand takes out what is stuck on the way to the tray."""
        cards = self.remove_all(now_us)
        self._schedule()
        return cards

    def mouth_blocked(self) -> bool:
        if self.plant.truth[self.plant.line_ejector]:
            return True
        for body in self.bodies:
            if body.held:
                return True
        return False

    def drive(self, ejector: bool, outfeed: bool, now_us: int) -> None:
        if ejector != self.ejector_on and not self.faults.blocks_ejector():
            self.ejector_on = ejector
            self.wall_us = FAR
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
                if not body.held:
                    continue  # in free flight nothing brakes it
                if outfeed:
                    body.shake()
                    body.start(1, now_us)
                else:
                    body.brake(now_us, self.brake_um)
        self._schedule()

    def fire(self, now_us: int) -> None:
        if self.push_us <= now_us:
            self.push_us = FAR
            self._push(now_us)
        if self.home_us <= now_us:
            if self.faults.blocks_ejector():
                self.home_us = now_us + self.stroke_us  # the spring keeps pulling
            else:
                self.home_us = FAR
                self.plant.set_line(self.plant.line_ejector, 0, now_us)
        for body in list(self.bodies):
            while body.due_us <= now_us:
                if body.arrive(now_us):
                    self._pass(body, body.marks[body.mark - 1], now_us)
        self._schedule()

    def _push(self, now_us: int) -> None:
        plant = self.plant
        if not plant.axis.fits():
            self.wall_us = now_us
            return
        cards = self.store.unstore()
        if not cards:
            return
        body = Body(cards, self.card_um, self.speed, now_us)
        if self.faults.entries or plant.traits:
            self.shape(body)
            self._spoil(body)
            self.mark_out(body)
        else:
            body.marks_um = self.plain_um
            body.marks = self.plain
        self.ejected += 1
        if body.lost:
            plant.lost.extend(cards)
            return
        self.bodies.append(body)
        if self.outfeed_on:
            body.start(1, now_us)

    def _spoil(self, body: Body) -> None:
        """What happens to a card that has just left its slot."""
        if self.faults.entries:
            attempt = self.plant.loads * 32
            body.lost = self.faults.strikes("card_lost", "exit", self.ejected, body.cards[0], attempt) is not None
            self.faults.stop(body, "exit", self.ejected, attempt, 0)

    def _pass(self, body: Body, mark: int, now_us: int) -> None:
        if mark != SINK:
            self.pass_beam(mark, 1, now_us)
            if mark == self.exit_off:
                body.let_go(now_us)
        else:
            self.bodies.remove(body)
            body.stop(now_us)
            self.tray.store(body.cards, now_us)

    def _schedule(self) -> None:
        due = self.next_due()
        self.due_us = min(due, self.push_us, self.home_us)

    def stopped_us(self, output: int, since_us: int) -> int:
        """For how long ejector (2) or outfeed (3) have been working against a card that does not move."""
        now_us = self.plant.now_us
        longest = now_us - self.wall_us if output == 2 and self.wall_us < now_us else 0
        for body in self.bodies:
            holds = output == 3 or (output == 2 and body.x_um < body.length_um)
            if holds and body.held and not body.moving:
                longest = max(longest, now_us - max(since_us, body.t_us))
        return longest
