"""A dealer's hand at a draw shoe: pulls cards past both throat beams, hesitates, lets go, or takes two at once."""

from hal.sim.body import FAR, Body
from hal.sim.track import NIP, READ, SINK, Track

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config
    from hal.sim.chassis import Chassis
    from hal.sim.faults import Faults


class Hand(Track):
    """At most one body is in the throat; `drawn` is what has left the shoe, the cut card included."""

    def __init__(self, plant: "Chassis", faults: "Faults", mech: "Config") -> None:
        self.a_um = mech["throat_a_um"]
        self.b_um = mech["throat_b_um"]
        beams = [(plant.line_a, self.a_um), (plant.line_b, self.b_um)]
        Track.__init__(self, plant, faults, mech["card_um"], 1, beams)
        self.hopper = plant.hopper
        self.at_end = -1  # the front card, which a hand finds first, is the last of the list
        self.picked = 0
        self.passed = 0
        self.drawn: "list[int]" = []
        self.back_ms = 0  # after reaching the place it was pulled to, it goes back in so many ms
        self.held = False  # the fingers keep it where it is

    def specials(self, body: Body) -> "list[tuple[int, int]]":
        marks = self.reads(body)
        marks.append((self.b_um + body.length_um, SINK))
        return marks

    # -- what the hand does ----------------------------------------------------------------------------------------

    def draw(self, ms: int, count: int = 1, offset_um: int = 0) -> bool:
        """Pull the next card, or the held one, all the way out in so many ms. False: the hand is busy or nothing
        is there."""
        body = self._grasp(count, offset_um)
        if body is None:
            return False
        self._pull(body, FAR, self.b_um + body.length_um - body.x_um, ms)
        return True

    def draw_two(self, ms: int, offset_um: int = 0) -> bool:
        """Two at once, the second so far behind the first."""
        return self.draw(ms, 2, offset_um)

    def hold(self, um: int, ms: int) -> bool:
        """Pull it to `um` and keep it there."""
        body = self._grasp(1, 0)
        if body is None or um <= body.x_um:
            return False
        self._pull(body, um, um - body.x_um, ms)
        return True

    def draw_back(self, um: int, ms: int) -> bool:
        """Pull it to `um` in so many ms, then let it go back as fast."""
        self.back_ms = ms if self.hold(um, ms) else 0
        return self.back_ms > 0

    def let_go(self, ms: int) -> bool:
        """The held card slides back into the shoe."""
        if not self.held:
            return False
        self._slide(self.bodies[0], ms)
        return True

    def clear(self, now_us: int) -> "list[int]":
        cards = self.remove_all(now_us)
        self.held = False
        self.due_us = FAR
        return cards

    # -- motion ----------------------------------------------------------------------------------------------------

    def _grasp(self, count: int, offset_um: int) -> "Body | None":
        if self.bodies:
            return self.bodies[0] if self.held else None
        if not self.hopper:
            return None
        plant = self.plant
        cards = [self.hopper.pop(self.at_end) for _ in range(min(count, len(self.hopper)))]
        body = Body(cards, self.card_um, 1, plant.now_us)
        if self.faults.entries:
            self.faults.mark(self.picked, body.cards[0])
        self.shape(body, offset_um)
        self.mark_out(body)
        self.picked += 1
        self.bodies.append(body)
        if not self.hopper:
            plant.set_line(plant.line_hopper, 0, plant.now_us)
        return body

    def _pull(self, body: Body, to_um: int, distance_um: int, ms: int) -> None:
        self.held = False
        self.back_ms = 0
        body.speed = max(1, distance_um // max(1, ms))
        body.limit_um = to_um
        body.start(1, self.plant.now_us)
        self.due_us = self.next_due()

    def _slide(self, body: Body, ms: int) -> None:
        self.held = False
        self.back_ms = 0
        body.speed = max(1, body.x_um // max(1, ms))
        body.limit_um = FAR
        body.start(-1, self.plant.now_us)
        self.due_us = self.next_due()

    def fire(self, now_us: int) -> None:
        body = self.bodies[0]
        while body.due_us <= now_us:
            passed = body.arrive(now_us)
            if passed:
                mark = body.marks[body.mark - 1 if passed > 0 else body.mark]
                if mark < NIP:
                    self.pass_beam(mark, passed, now_us)
                elif mark == READ and passed > 0:
                    self.plant.read_card(body.cards[0])
                elif mark == SINK:
                    self._out(body, now_us)
            if not body.moving and self.bodies:
                self._rested(body, now_us)
        self.due_us = self.next_due()

    def _out(self, body: Body, now_us: int) -> None:
        self.bodies.remove(body)
        body.stop(now_us)
        self.passed += 1
        self.drawn += body.cards
        self.plant.hand_out(body.cards)

    def _rested(self, body: Body, now_us: int) -> None:
        if body.x_um <= 0:
            self.bodies.remove(body)
            self.picked -= 1
            self.put_back(body.cards, self.at_end, now_us)
        elif self.back_ms:
            self._slide(body, self.back_ms)
        else:
            self.held = True
