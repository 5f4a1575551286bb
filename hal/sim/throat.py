"""Hopper, pick roller, throat beams and transport rollers: cards go in one by one and end in the sink behind.

The sink is the slot at the mouth of a carousel, a shelf, or the tray of a shoe. The pick roller holds what is not yet
wholly out of the hopper, the transport rollers what has reached their nip; both turn back while `reverse` is on.
"""

from hal.sim.body import FAR, JAM_WALL, Body
from hal.sim.rng import mix
from hal.sim.track import FREE, NIP, READ, SINK, Track

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from hal.api import Config
    from hal.sim.chassis import Chassis
    from hal.sim.faults import Faults

    class Sink(Protocol):
        """What takes a card at the end of the way."""

        def admits(self, body: Body) -> bool:
            """Whether a body may enter now; if not, it stops at the nip, before the mouth."""
            ...

        def store(self, cards: "list[int]", now_us: int) -> None: ...


class Throat(Track):
    """At most two bodies are under way, the front one first."""

    def __init__(self, plant: "Chassis", faults: "Faults", mech: "Config", sink: "Sink") -> None:
        self.sink = sink
        self.a_um = mech["throat_a_um"]
        self.b_um = mech["throat_b_um"]
        self.nip_um = mech["nip_um"]
        self.brake_um = mech["brake_um"]
        self.start_us = mech["roller_start_us"]
        self.latency_us = mech["pick_latency_us_min"]
        self.spread_us = mech["pick_latency_us_max"] - mech["pick_latency_us_min"] + 1
        self.slip_percent = mech["slip_percent_max"]
        self.true = plant.true
        self.slips_at_start = self.true.number("slip_at_start")
        self.starts = 0  # of rollers on cards, for slip that is drawn at each
        beams = [(plant.line_a, self.a_um), (plant.line_b, self.b_um)]
        self.far_um = self.b_um  # the last beam
        self.fall_um = 0  # from the last beam to rest
        if mech["kind"] == "shelves":
            self.far_um = mech["arrival_um"]
            beams.append((plant.line_arrival, self.far_um))
        elif mech["kind"] == "shoe":
            self.far_um = mech["exit_um"]
            self.fall_um = mech["tray_um"]
            beams.append((plant.line_exit, self.far_um))
        self.fall_mark = plant.line_exit * 2 if self.fall_um else -1  # from here on it falls freely
        Track.__init__(self, plant, faults, mech["card_um"], mech["transport_um_per_ms"], beams)
        self.hopper = plant.hopper
        self.at_end = -1 if mech["feed"] == "top" else 0  # where the next card lies in the list
        self.picked = 0  # cards since the last load, for faults that name one
        self.passed = 0  # cards ever, for wear
        self.attempt = 0
        self.pick_on = False
        self.transport_on = False
        self.gripping = False  # the pick roller has started and holds what lies under it
        self.way = 1
        self.grip_us = FAR  # when the roller gets hold of the next card, or of the staged one again
        self.prepare()

    def specials(self, body: Body) -> "list[tuple[int, int]]":
        marks = self.reads(body)
        marks.append((self.nip_um, NIP))
        marks.append((body.length_um, FREE))
        end_um = self.b_um if body.lost else self.far_um + self.fall_um
        marks.append((end_um + body.length_um, SINK))
        return marks

    # -- hands -----------------------------------------------------------------------------------------------------

    def clear(self, now_us: int) -> "list[int]":
        """A hand takes every card out of the throat."""
        cards = self.remove_all(now_us)
        self.grip_us = FAR
        self.due_us = FAR
        return cards

    def stop_first(self) -> bool:
        stopped = Track.stop_first(self)
        self._haul(self.plant.now_us)  # the one behind has less room now
        self._schedule()
        return stopped

    def mouth_blocked(self) -> bool:
        for body in self.bodies:
            if body.position(self.plant.now_us) >= self.b_um:
                return True
        return False

    # -- rollers ---------------------------------------------------------------------------------------------------

    def drive(self, pick: bool, transport: bool, reverse: bool, now_us: int) -> None:
        way = -1 if reverse else 1
        if pick == self.pick_on and transport == self.transport_on and way == self.way:
            return
        if pick != self.pick_on or way != self.way:
            self.pick_on = pick
            self.gripping = False
            self.grip_us = FAR
            self.way = way
            if pick:
                self._grip(now_us)
        self.transport_on = transport
        for body in self.bodies:
            if body.x_um == body.jam_um and body.jogs == JAM_WALL and self.sink.admits(body):
                body.jam_um = FAR
        self._haul(now_us)
        self._schedule()

    def fire(self, now_us: int) -> None:
        if self.grip_us <= now_us:
            self.grip_us = FAR
            self._take_hold(now_us)
        for body in list(self.bodies):
            # Several marks may lie at one place: what happens there happens at once.
            while body.due_us <= now_us:
                passed = body.arrive(now_us)
                if passed:
                    mark = body.marks[body.mark - 1 if passed > 0 else body.mark]
                    if mark < NIP:
                        self.pass_beam(mark, passed, now_us)
                        if mark == self.fall_mark and passed > 0:
                            body.let_go(now_us)
                    else:
                        self._special(body, mark, passed, now_us)
                if not body.moving:
                    self._rested(body, now_us)
        self._schedule()

    def _grip(self, now_us: int) -> None:
        """The pick roller starts: soon it holds the staged card again, or after the pick latency a new one."""
        if self._in_roller():
            self.grip_us = now_us + self.start_us
        elif self.hopper and self.way * self.true.pick_way > 0:
            plant = self.plant
            card = self.hopper[self.at_end]
            self.attempt += 1
            late_us = self.true.number("worn_us_per_thousand_cards") * self.passed // 1000
            if self.faults.entries:
                if self.faults.misfeeds(self.picked, card, self.attempt):
                    return
                late_us += self.faults.wear_us(self.passed)
            spread = mix(plant.seed, card, self.attempt) % self.spread_us
            self.grip_us = now_us + self.latency_us + spread + late_us

    def _take_hold(self, now_us: int) -> None:
        self.gripping = True
        if self.hopper and self.way * self.true.pick_way > 0 and not self._in_roller():
            self._pick(now_us)
        self._haul(now_us)

    def _pick(self, now_us: int) -> None:
        plant = self.plant
        card = self.hopper.pop(self.at_end)
        body = Body([card], self.card_um, self._slipped(card, plant.loads * 32 + self.attempt), now_us)
        body.attempt = self.attempt
        self.attempt = 0
        if self.faults.entries or plant.traits:
            self._spoil(body)
            self.mark_out(body)
        else:
            body.marks_um = self.plain_um
            body.marks = self.plain
        self.picked += 1
        self.passed += 1
        self.bodies.append(body)
        if not self.hopper:
            plant.set_line(plant.line_hopper, 0, now_us)

    def _slipped(self, card: int, draw: int) -> int:
        """The speed of a card that the rollers have got hold of."""
        speed = self.true.speed(self.plant.now_us, self.passed)
        if self.slip_percent:
            slip = mix(self.plant.seed ^ 0x51, card, draw) % (self.slip_percent + 1)
            speed = speed * (100 - slip) // 100
        return self.faults.slowed(speed) if self.faults.entries else speed

    def _spoil(self, body: Body) -> None:
        """What is wrong with a card that has just left the hopper, and what will happen to it."""
        faults = self.faults
        nth = self.picked
        card = body.cards[0]
        attempt = self.plant.loads * 32 + body.attempt
        offset_um = 0
        if faults.entries:
            fault = faults.strikes("double_feed", "", nth, card, attempt)
            if fault and self.hopper:
                body.cards.append(self.hopper.pop(self.at_end))
                offset_um = fault.number_of("offset_um")
            faults.mark(nth, card)
        self.shape(body, offset_um)
        if not faults.entries:
            return
        body.lost = faults.strikes("card_lost", "rail", nth, card, attempt) is not None
        faults.stop(body, "throat", nth, attempt, 0)
        faults.stop(body, "mouth", nth, attempt, self.b_um)
        if self.fall_um:
            faults.stop(body, "exit", self.passed, attempt, 0)

    def _in_roller(self) -> bool:
        """Whether a card lies under the pick roller."""
        for body in self.bodies:
            if body.position(self.plant.now_us) < body.length_um:
                return True
        return False

    def _haul(self, now_us: int) -> None:
        """Give every body the motion that the rollers holding it ask for. None can pass one that stands ahead."""
        way = self.way
        ahead: "Body | None" = None
        for body in self.bodies if way > 0 else reversed(self.bodies):
            self._limit(body, ahead)
            ahead = body
            if not body.held:
                continue
            x_um = body.position(now_us)
            if self.gripping and x_um < body.length_um:
                self._start(body, way * self.true.pick_way, now_us)
            elif self.transport_on and x_um >= self.nip_um:
                self._start(body, way * self.true.transport_way, now_us)
            elif body.moving:
                body.brake(now_us, self.brake_um)

    def _start(self, body: Body, way: int, now_us: int) -> None:
        if self.slips_at_start and not body.moving:
            self.starts += 1
            body.speed = self._slipped(body.cards[0], self.starts)
        body.start(way, now_us)

    def _limit(self, body: Body, ahead: "Body | None") -> None:
        limit_um = FAR
        if ahead is not None and not ahead.moving:
            limit_um = ahead.x_um - ahead.length_um if self.way > 0 else ahead.x_um + body.length_um
        if limit_um != body.limit_um:
            body.limit_um = limit_um
            if body.moving:
                body.plan()

    def _special(self, body: Body, mark: int, passed: int, now_us: int) -> None:
        if mark == SINK:
            self._sink(body, now_us)
        elif mark == READ:
            if passed > 0:
                self.plant.read_card(body.cards[0])
        elif mark == NIP:
            if passed > 0 and not self.sink.admits(body):
                body.jam_um = body.x_um
                body.jogs = JAM_WALL
                body.stop(now_us)
            else:
                self._haul(now_us)
        elif passed > 0:
            if self.pick_on and self.way * self.true.pick_way > 0:
                self._grip(now_us)
            self._haul(now_us)
        else:
            # The tail is under the pick roller again.
            if self.pick_on and not self.gripping:
                self.grip_us = now_us + self.start_us
            self._haul(now_us)

    def _sink(self, body: Body, now_us: int) -> None:
        self.bodies.remove(body)
        body.stop(now_us)
        if body.lost:
            self.plant.lost.extend(body.cards)
        else:
            self.sink.store(body.cards, now_us)

    def _rested(self, body: Body, now_us: int) -> None:
        if body.x_um <= 0 and body.way < 0:
            self._return(body, now_us)
        if self.bodies:
            self._haul(now_us)

    def _return(self, body: Body, now_us: int) -> None:
        """It lies on the pile again, where the roller will find it first."""
        self.bodies.remove(body)
        self.attempt = body.attempt
        self.picked -= 1
        self.passed -= 1
        self.put_back(body.cards, self.at_end, now_us)

    def _schedule(self) -> None:
        due = self.next_due()
        self.due_us = self.grip_us if self.grip_us < due else due

    def stopped_us(self, output: int, since_us: int) -> int:
        """For how long pick (0) or transport (1) have been turning on a card that does not move."""
        longest = 0
        for body in self.bodies:
            holds = body.x_um < body.length_um if output == 0 else output == 1 and body.x_um >= self.nip_um
            if holds and body.held and not body.moving:
                longest = max(longest, self.plant.now_us - max(since_us, body.t_us))
        return longest
