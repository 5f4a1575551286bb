"""Invariants of the firmware, checked after every scan against the true state of the plant.

A broken invariant raises Finding, whose text begins with one word for its kind. What no sensor of the machine can see
is no defect: each such limit is a condition of its own, with its reason beside it.
"""

from firmware.deck.ledger import DEALT, DISCARDED, REMOVED
from firmware.fault import Broken
from firmware.games import flow as states
from firmware.machines.machine import JOB_DONE, JOB_RUNNING
from firmware.protocol import ids
from hal.sim.chassis import CUT_CARD
from hal.sim.oracle import is_moving, stopped_us
from rig.card_locations import CardLocations, Finding
from rig.leaks import Leaks
from rig.powercut_invariants import PowercutInvariants

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.app import App
    from hal.api import Config
    from rig.story import Stage

DOOR_US = 20000  # a door that opens is noticed after a millisecond and a scan
SETTLE_US = 3000  # a beam's edge is believed after one
_DRAWS = (states.DRAW_READY, states.DRAWING, states.DECK_SPENT)
_ORDER = (states.PREPARING, states.SHUFFLING)


class Invariants:
    """Watches one stage. `scan` after every scan, `hand` before everything that a person does."""

    def __init__(self, stage: "Stage", config: "Config") -> None:
        self.stage = stage
        self.rig = stage.rig
        self.plant = stage.rig.plant
        self.locations = CardLocations(stage.rig, config)
        self.leaks = Leaks(stage)
        self.powercut = PowercutInvariants(stage)
        self.full = config["mechanism"]["count_assurance"] == "full"
        self.limit_us = _limits_us(config["mechanism"])
        self.app: "App | None" = None
        self.state = -1
        self.job = -1
        self.door_us = -1  # since when it is really open
        self.quiet_us = 0  # since when no hand has moved a card
        self.drawn = 0
        self.drawn_two = False
        self.drawn_base = -1
        self.prog = stage.rig.nv.prog
        stage.rig.nv.prog = self._prog
        self.erase = stage.rig.nv.erase
        stage.rig.nv.erase = self._erase

    # -- asked by the scenario -------------------------------------------------------------------------------------

    def scan(self) -> None:
        rig = self.rig
        plant = self.plant
        self.powercut.scan()
        if plant.crashes:
            if not self.locations.word_false:
                raise Finding("crash: the machine was broken in " + self._name())
            plant.crashes = 0  # of the hand that closed the door on a card that no beam sees
        if not rig.powered:
            self.app = None
            return
        if plant.now_us < rig.stuck_us:
            return  # no firmware runs that could keep an invariant; the watchdog ends this
        app = rig.app
        flow = app.flow
        if app is not self.app:
            self.app = app
            self.state = -1
            self.locations.forget()
            self.drawn_base = -1
        self._check_door()
        if plant.outputs[0] or plant.outputs[1] or plant.outputs[2] or plant.outputs[3]:
            self._check_motors()
        self.locations.watch(flow)
        if flow.state != self.state or flow.machine.state != self.job:
            before = self.state
            self.state = flow.state
            self.job = flow.machine.state
            self._check_ledger()
            self._check_order()
            self.leaks.look(app)
            if before != flow.state:
                self.locations.entered(flow, before)
        if flow.state in _DRAWS:
            self._check_draws()
        else:
            self.drawn_base = -1

    def hand(self, action: str, arguments: "dict[str, object]") -> None:
        self.locations.hand(action, arguments)
        self.powercut.hand(action, arguments)

    def fresh(self) -> None:
        """The machine is repaired and was emptied by hand: every invariant holds strictly again."""
        lied = self.plant.beams.lied
        for line in range(len(lied)):
            lied[line] = 0
        self.locations.fresh()

    def finish(self) -> None:
        """At the end, with a host that listens: every event there once and in order, rounds closed, no order or seed
        disclosed."""
        stage = self.stage
        journal = self.rig.app.journal
        if stage.peer.seq_last != journal.seq_last:
            raise Finding("delivery: event %d is the last that arrived of %d" % (stage.peer.seq_last, journal.seq_last))
        if stage.peer.altered:
            raise Finding("delivery: an event was sent twice with different contents")
        for i in range(1, len(stage.peer.events)):
            if stage.peer.events[i].seq != stage.peer.events[i - 1].seq + 1:
                raise Finding("delivery: event %d is missing" % (stage.peer.events[i - 1].seq + 1))
        self.powercut.finish()
        self._check_rounds()
        self.leaks.check()

    # -- the invariants --------------------------------------------------------------------------------------------

    def _name(self) -> str:
        return ids.STATE_NAMES.split()[self.rig.app.flow.state]

    def _prog(self, address: int, buf: bytearray) -> bool:
        # A firmware that halts writes its reason at once, although a card coasts: it cannot write it later.
        if self._is_moving() and not self.rig.crash_name:
            raise Finding("storage: written while a card moved in " + self._name())
        return self.prog(address, buf)

    def _erase(self, address: int, size: int) -> bool:
        if self._is_moving() or self.rig.app.flow.round_open:
            raise Finding("storage: got ready for more in the middle of a round")
        return self.erase(address, size)

    def _is_moving(self) -> bool:
        plant = self.plant
        if plant.kind != "draw":
            return is_moving(plant)
        # A hand is seen from throat A on, and only while the firmware watches; an edge counts when it has settled.
        lied = plant.beams.lied
        if self.rig.app.flow.machine.state != JOB_RUNNING or lied[plant.line_a] or lied[plant.line_b]:
            return False
        for body in plant.hand.bodies:
            seen_um = plant.hand.beams[0][1] + SETTLE_US * body.speed // 1000
            if body.moving and body.way > 0 and body.position(plant.now_us) >= seen_um:
                return True
        return False

    def _check_door(self) -> None:
        plant = self.plant
        if not plant.beams.truth[plant.line_door] or plant.beams.lied[plant.line_door]:
            self.door_us = -1
            return
        if self.door_us < 0:
            self.door_us = plant.now_us
        known = self.rig.app.flow.door.is_open or plant.now_us - self.door_us > DOOR_US
        if known and (any(plant.outputs) or plant.axis.moving):
            raise Finding("door: something turns with the door open in " + self._name())

    def _check_motors(self) -> None:
        if self.locations.word_false:
            return  # a card where no beam looks, left there while the door was open
        for output in range(4):
            us = stopped_us(self.plant, output)
            if us > self.limit_us[output]:
                facts = (output, us, self._name())
                raise Finding("motor: output %d worked against a stopped card for %d us in %s" % facts)

    def _check_ledger(self) -> None:
        try:
            self.rig.app.flow.ledger.check()
        except Broken as broken:
            facts = (self.rig.app.flow.ledger.zone, self._name())
            raise Finding("ledger: %s does not add up in %s" % facts) from broken

    def _check_order(self) -> None:
        app = self.rig.app
        flow = app.flow
        if flow.state in _ORDER and flow.machine.state != JOB_DONE:
            return
        spare = flow.machine.spare if self.plant.kind == "shelves" else ()
        if any(app.order) or any(spare) or (app.shuffler is not None and any(app.shuffler.seed)):
            raise Finding("order: left in memory in " + self._name())

    def _check_draws(self) -> None:
        """Every card that a hand has taken out is in the facts, as soon as no hand is at it."""
        plant = self.plant
        flow = self.rig.app.flow
        hand = plant.hand
        lied = plant.beams.lied
        drawn = len(hand.drawn) - hand.drawn.count(CUT_CARD)
        zone = flow.ledger.zone
        booked = zone[DEALT] + zone[DISCARDED] + zone[REMOVED]  # a ten that was recognised is taken out of the game
        if self.drawn_base < 0 or flow.machine.phase < len(flow.machine.phases) - 1:
            # The beams are being tried: a card drawn in those milliseconds shows as one that is missing.
            self.drawn_base = drawn - booked
            self.quiet_us = plant.now_us
            return
        if hand.bodies or drawn != self.drawn:
            self.quiet_us = plant.now_us
            self.drawn = drawn
            seen = self.full and not lied[plant.line_opacity]
            if hand.bodies and not seen and len(hand.bodies[0].cards) > 1:
                self.drawn_two = True  # without an opacity sensor two at once are one: that is what basic means
            return
        if plant.now_us - self.quiet_us < 2 * SETTLE_US or flow.machine.state != JOB_RUNNING:
            return
        if lied[plant.line_a] or lied[plant.line_b] or lied[plant.line_cut]:
            return
        if self.drawn_two:
            self.drawn_two = False
            self.drawn_base = drawn - booked
        if drawn - self.drawn_base != booked:
            raise Finding("draw: %d cards drawn, %d in the facts" % (drawn - self.drawn_base, booked))

    def _check_rounds(self) -> None:
        opened = 0
        for event in self.stage.peer.events:
            if event.name == "round_started":
                if opened:
                    raise Finding("round: %d began while %d was open" % (event.round, opened))
                opened = event.round
            elif event.name in ("round_ended", "round_voided"):
                opened = 0
        if opened:
            raise Finding("round: %d neither ended nor was voided" % opened)


def _limits_us(mech: "Config") -> "list[int]":
    """How long pick, transport, ejector and outfeed may work against a card that does not move: until a good card
    would have passed twice, with the worst pick latency and a scan on top."""
    if mech["kind"] == "draw":
        return [0, 0, 0, 0]
    speed = mech["transport_um_per_ms"]
    last_um = max(mech.get("exit_um", 0), mech.get("arrival_um", 0), mech["nip_um"])
    late_us = mech["pick_latency_us_max"] + mech["scan_ms_max"] * 1000 + SETTLE_US
    throat_us = 2 * (mech["card_um"] + last_um - mech["throat_b_um"]) * 1000 // speed + late_us
    speed = min(speed, mech.get("outfeed_um_per_ms", speed))
    eject_us = 2 * (mech.get("ejector_us", 0) + (mech["card_um"] + last_um) * 1000 // speed) + late_us
    return [throat_us, throat_us, eject_us, eject_us]
