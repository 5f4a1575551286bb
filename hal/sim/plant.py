"""The plant: all parts of one machine on one clock, the lines they drive, and what hands can do to it.

Time is in whole microseconds and jumps from one event to the next. What would break a real machine (turning the
carousel with a card in the mouth, two cards in one slot) is counted in `crashes`; correct firmware never causes one.
"""

from hal.sim.axis import Axis, NoAxis
from hal.sim.beams import Beams
from hal.sim.body import FAR
from hal.sim.carousel import Carousel
from hal.sim.chassis import CUT_CARD, FOREIGN, Chassis
from hal.sim.fault_timer import FaultTimer
from hal.sim.faults import Faults
from hal.sim.hand import Hand
from hal.sim.outlet import Outlet
from hal.sim.reader import Reader
from hal.sim.shelves import Shelves
from hal.sim.throat import Throat
from hal.sim.tray import Tray

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hal.api import Config
    from hal.sim.faults import Spec
    from hal.sim.truth import Figures

PRESS_US = 80000  # how long a finger stays on a button

OUTPUTS = ("pick", "transport", "ejector", "outfeed", "reverse", "dark")
PICK, TRANSPORT, EJECTOR, OUTFEED, REVERSE, DARK = range(6)


class Plant(Chassis):
    """One simulated machine with its hands-on surface. `edges` collects what the lines showed since the last sample."""

    def __init__(self, config: "Config", lines: "tuple[str, ...]", seed: int, truth: "Figures | None" = None) -> None:
        Chassis.__init__(self, config, lines, seed, truth)
        self.releases: "list[tuple[int, int]]" = []  # buttons under a finger: (when it lifts, line)
        self.wired = [name in config["outputs"] for name in OUTPUTS]
        self.outputs = bytearray(len(OUTPUTS))
        self.on_us = [0] * len(OUTPUTS)
        self.stop_output = 0
        self.stop_delay_us = 0
        self.stop_due_us = FAR
        self.stop_held = -1  # switched off by the order, not yet by the firmware
        self.beams = Beams(self, config)
        self.set_line = self.beams.set
        self.faults = Faults(self)
        self.output_tray = Tray(self, self.faults)
        self.fault_timer = FaultTimer(self, self.faults, self.beams, self.output_tray)
        self.reader = Reader(self, config)
        self.axis = NoAxis(self)
        self._build(self.true.mech)

    def _build(self, mech: "Config") -> None:
        """The parts that this kind of machine has, in the order in which they act within one microsecond."""
        faults = self.faults
        parts: "list[Any]" = []
        self.tracks: "list[Any]" = []
        if self.kind == "carousel":
            carousel = Carousel(self, mech["slot_count"], mech["slot_beam_slots"])
            self.slots = carousel.slots
            self.axis = Axis(self, faults, mech["slot_beam_slots"])
            self.store = carousel
            self.throat = Throat(self, faults, mech, carousel)
            self.outlet = Outlet(self, faults, self.output_tray, mech, carousel)
            self.unloader = self.outlet
            parts = [self.throat, self.outlet, self.axis]
            self.tracks = [self.throat, self.outlet]
        elif self.kind == "shelves":
            shelves = Shelves(self, faults, self.output_tray, mech)
            self.slots = shelves.slots
            self.axis = Axis(self, faults, -1)
            self.store = shelves
            self.throat = Throat(self, faults, mech, shelves)
            self.unloader = shelves
            parts = [self.throat, shelves, self.axis]
            self.tracks = [self.throat]
        elif self.kind == "shoe":
            self.throat = Throat(self, faults, mech, self.output_tray)
            parts = [self.throat]
            self.tracks = [self.throat]
        elif self.kind == "draw":
            self.hand = Hand(self, faults, mech)
            parts = [self.hand]
            self.tracks = [self.hand]
        else:
            raise ValueError("no mechanism " + str(self.kind))
        self.source = self.hand if self.kind == "draw" else self.throat  # who takes cards from the hopper
        self.parts = tuple(parts + [self.output_tray, self.beams, self.fault_timer])

    # -- time ------------------------------------------------------------------------------------------------------

    def next_us(self) -> int:
        due = self.stop_due_us
        for part in self.parts:
            if part.due_us < due:
                due = part.due_us
        for lift_us, _line in self.releases:
            if lift_us < due:
                due = lift_us
        return due

    def advance(self, to_us: int) -> None:
        """Run to to_us, or only to the first instant at which something the firmware can see has changed."""
        while not self.changed:
            due = self.next_us()
            if due > to_us:
                self.now_us = to_us
                return
            self.now_us = due
            if self.stop_due_us <= due:
                self._stop_now()
            for part in self.parts:
                if part.due_us <= due:
                    part.fire(due)
            if self.releases:
                self._lift_fingers(due)

    # -- drives ----------------------------------------------------------------------------------------------------

    def drive(self, outputs: bytearray, watch_slot: bool) -> None:
        if self.stop_held >= 0 and not outputs[self.stop_held]:
            self.stop_held = -1
        for i in range(min(len(outputs), len(OUTPUTS))):
            level = outputs[i]
            if level != self.outputs[i] and i != self.stop_held and (self.wired[i] or not level):
                self.outputs[i] = level
                self.on_us[i] = self.now_us
        self.apply()
        self.reader.drive(outputs)
        if watch_slot != self.watch_slot:
            self.watch_slot = watch_slot
            self.look()
            self.beams.watch(watch_slot, self.now_us)

    def all_off(self) -> None:
        for i in range(len(OUTPUTS)):
            self.outputs[i] = 0
        self.stop_line = -1
        self.stop_due_us = FAR
        self.stop_held = -1
        self.apply()
        self.axis.halt(self.now_us)

    def power_off(self) -> None:
        """Power is off: no output is driven, no input is read."""
        self.all_off()
        self.drive(self.outputs, False)
        self.reader.light(0, 0)

    def stop_after(self, output: int, line: int, delay_us: int) -> None:
        self.stop_output = output
        self.stop_line = line
        self.stop_delay_us = delay_us
        self.stop_due_us = FAR
        self.stop_held = -1

    def move(self, places: int, home: bool) -> None:
        self._check_mouth()
        if home:
            self.axis.home(self.now_us)
        else:
            self.axis.move(places, self.now_us)

    def step(self, steps: int, pace: int) -> None:
        self._check_mouth()
        self.axis.step_by(steps, pace, self.now_us)

    def apply(self) -> None:
        """Give the parts what the outputs say, as far as the motors still work."""
        outputs = self.outputs
        now_us = self.now_us
        if self.kind != "draw":
            dead = self.faults.dead
            self.throat.drive(
                outputs[PICK] != 0 and not dead[0],
                outputs[TRANSPORT] != 0 and not dead[1],
                outputs[REVERSE] != 0,
                now_us,
            )
            if self.kind != "shoe":
                outfeed = outputs[OUTFEED] != 0 and self.true.outfeed_turns
                self.unloader.drive(outputs[EJECTOR] != 0, outfeed, now_us)
        if (outputs[DARK] != 0) != self.beams.dark:
            self.beams.switch_dark(outputs[DARK] != 0, now_us)

    def look(self) -> None:
        """Show the slot beam what it sees at rest."""
        if not self.axis.moving and self.slots:
            self.set_line(self.line_slot, self.store.slot_level(), self.now_us)

    def stop_blocked(self, now_us: int) -> None:
        """The line that the stop order names has become blocked."""
        self.stop_line = -1
        self.stop_due_us = now_us + self.stop_delay_us
        if not self.stop_delay_us:
            self._stop_now()

    def _stop_now(self) -> None:
        self.stop_due_us = FAR
        self.outputs[self.stop_output] = 0
        self.stop_held = self.stop_output
        self.apply()

    def _check_mouth(self) -> None:
        """Moving with a card in the mouth breaks it, unless the beam there was faulty."""
        lied = self.lied
        if self.slots:
            in_mouth = self.throat.mouth_blocked() and not (lied[self.line_b] or lied[self.line_arrival])
            if in_mouth or (self.unloader.mouth_blocked() and not (lied[self.line_exit] or lied[self.line_ejector])):
                self.crashes += 1

    # -- hands -----------------------------------------------------------------------------------------------------

    def load(self, cards: "list[int]", cut_at: int = -1) -> None:
        """Cards on top of the pile in the hopper; with the cut card so that cut_at of them come before it."""
        self.loads += 1
        self.put_in += len(cards)
        for card in cards:
            if card in self.traits and card < FOREIGN:
                del self.traits[card]  # another deck has another card of that number
        pile = list(cards)
        if cut_at >= 0:
            pile.insert(len(pile) - cut_at if self.source.at_end else cut_at, CUT_CARD)
        self.hopper.extend(pile)
        self.source.picked = 0
        self.set_line(self.line_hopper, 1 if self.hopper else 0, self.now_us)

    def lift(self) -> "list[int]":
        """A hand takes the pile out of the hopper, without what is already in the throat."""
        cards = [card for card in self.hopper if card != CUT_CARD]
        del self.hopper[:]
        self.set_line(self.line_hopper, 0, self.now_us)
        self.hand_out(cards)
        return cards

    def take(self, count: int = -1) -> "list[int]":
        """The dealer takes the stack in the tray, or so many from its top."""
        cards = self.output_tray.take(count, self.now_us)
        self.hand_out(cards)
        return cards

    def place(self) -> None:
        """A hand puts a foreign card into the slot, or onto the shelf, at the mouth."""
        if not self.slots:
            raise ValueError("no slots in a " + self.kind)
        self.put_in += 1
        self.slots[self.axis.slot].append(FOREIGN)
        self.look()

    def put_in_tray(self, cards: "list[int]") -> None:
        """A hand puts cards where only the machine should."""
        self.output_tray.put_in(cards, self.now_us)

    def litter(self, count: int) -> None:
        self.output_tray.litter(count, self.now_us)

    def press(self, line: int) -> None:
        if self.faults.panel_lost:
            return
        self.set_line(line, 1, self.now_us)
        self.releases.append((self.now_us + PRESS_US, line))

    def door(self, is_open: bool) -> None:
        self.set_line(self.line_door, 1 if is_open else 0, self.now_us)

    def clear(self) -> "list[int]":
        """With the door open: every card out, wherever it lies, also from under the rails."""
        cards = self.lift()
        found = self.lost
        self.lost = []
        for track in self.tracks:
            found += track.clear(self.now_us)
        found += self.output_tray.clear(self.now_us)
        for i in range(len(self.slots)):
            found += self.slots[i]
            self.slots[i] = []
        self.look()
        found = [card for card in found if card != CUT_CARD]
        self.hand_out(found)
        return cards + found

    def _lift_fingers(self, now_us: int) -> None:
        for release in list(self.releases):
            if release[0] <= now_us:
                self.releases.remove(release)
                self.set_line(release[1], 0, now_us)

    # -- faults ----------------------------------------------------------------------------------------------------

    def add_fault(self, spec: "Spec") -> None:
        """Raises ValueError for what no machine of this kind can have."""
        self.fault_timer.add(spec)

    def repair(self, line: str = "") -> None:
        """End all faults, or those of one line."""
        self.fault_timer.clear(line)

    def stop_card(self, way: int) -> None:
        """The foremost card on a way, 0 in and 1 out, is stuck where it is, for good. Raises ValueError if none is."""
        if self.kind == "draw" or not 0 <= way < len(self.tracks) or not self.tracks[way].stop_first():
            raise ValueError("no card moves there")

    def jam(self, place: str, nth: int, at_um: int) -> None:
        """The nth card (from 0) at `throat` (since its load) or `exit` (since power-up) stops at at_um, for good."""
        self.add_fault({"fault": "jam", "place": place, "card": nth, "at_um": at_um})
