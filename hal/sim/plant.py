"""The plant: all parts on one clock, the lines they drive, and what hands and bad luck can do to it.

Time is in whole microseconds and jumps from one event to the next. What would break a real machine (turning the
carousel with a card in the mouth, two cards in one slot) is counted in `crashes`; correct firmware never causes one.
"""

from hal.sim.axis import FAR, Axis
from hal.sim.outlet import Outlet
from hal.sim.throat import Throat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config

PRESS_US = 80000  # how long a finger stays on a button


class Plant:
    """One simulated carousel with its hands-on surface. `edges` collects what the beams saw since the last sample."""

    def __init__(self, config: "Config", lines: "tuple[str, ...]", seed: int) -> None:
        mech = config["mechanism"]
        self.seed = seed
        self.now_us = 0
        self.level = bytearray(len(lines))
        self.lines = lines
        self.line_hopper = lines.index("hopper")
        self.line_a = lines.index("throat_a")
        self.line_b = lines.index("throat_b")
        self.line_opacity = lines.index("opacity")
        self.line_slot = lines.index("slot")
        self.line_exit = lines.index("exit")
        self.line_tray = lines.index("tray")
        self.line_ejector = lines.index("ejector")
        self.line_door = lines.index("door")
        self.watch_slot = False
        self.changed = False
        self.edges: "list[tuple[int, int, int]]" = []
        self.slots = [-1] * mech["slot_count"]
        self.crashes = 0
        self.jams: "dict[tuple[str, int], int]" = {}
        self.misfeed_cards: "dict[int, int]" = {}
        self.axis = Axis(self, mech)
        self.throat = Throat(self, mech)
        self.outlet = Outlet(self, mech)
        self.releases: "list[tuple[int, int]]" = []  # buttons under a finger: (when it lifts, line)
        self.stop_line = -1
        self.stop_output = 0
        self.stop_delay_us = 0
        self.stop_due_us = FAR
        self.outputs = bytearray(4)

    # -- time ------------------------------------------------------------------------------------------------------

    def next_us(self) -> int:
        due = min(self.axis.due_us, self.throat.due_us, self.outlet.due_us, self.stop_due_us)
        for lift_us, _line in self.releases:
            due = min(due, lift_us)
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
            if self.throat.due_us <= due:
                self.throat.fire(due)
            if self.outlet.due_us <= due:
                self.outlet.fire(due)
            if self.axis.due_us <= due:
                self.axis.fire(due)
            if self.releases:
                self._lift(due)

    # -- lines and drives ------------------------------------------------------------------------------------------

    def set_line(self, line: int, level: int, now_us: int) -> None:
        if self.level[line] == level:
            return
        self.level[line] = level
        self.changed = True
        self.edges.append((line, level, now_us))
        if level and line == self.stop_line:
            self.stop_line = -1
            self.stop_due_us = now_us + self.stop_delay_us
            if not self.stop_delay_us:
                self._stop_now()

    def drive(self, outputs: bytearray, watch_slot: bool) -> None:
        for i in range(4):
            self.outputs[i] = outputs[i]
        self.watch_slot = watch_slot
        self._apply()

    def all_off(self) -> None:
        for i in range(4):
            self.outputs[i] = 0
        self._apply()
        self.axis.halt(self.now_us)

    def stop_after(self, output: int, line: int, delay_us: int) -> None:
        self.stop_output = output
        self.stop_line = line
        self.stop_delay_us = delay_us
        self.stop_due_us = FAR

    def move(self, slots: int, home: bool) -> None:
        if self.throat.mouth_blocked() or self.outlet.mouth_blocked():
            self.crashes += 1
        if home:
            self.axis.home(self.now_us)
        else:
            self.axis.move(slots, self.now_us)

    def _apply(self) -> None:
        outputs = self.outputs
        self.throat.drive(outputs[0] != 0, outputs[1] != 0, self.now_us)
        self.outlet.drive(outputs[2] != 0, outputs[3] != 0, self.now_us)

    def _stop_now(self) -> None:
        self.stop_due_us = FAR
        self.outputs[self.stop_output] = 0
        self._apply()

    # -- cards in slots --------------------------------------------------------------------------------------------

    def store(self, card: int) -> None:
        if self.axis.moving or self.slots[self.axis.slot] >= 0:
            self.crashes += 1
        self.slots[self.axis.slot] = card

    def unstore(self) -> int:
        """Take the card out of the slot at the mouth; -1 if there is none."""
        if self.axis.moving:
            self.crashes += 1
        card = self.slots[self.axis.slot]
        self.slots[self.axis.slot] = -1
        return card

    # -- hands -----------------------------------------------------------------------------------------------------

    def load(self, cards: "list[int]") -> None:
        """A deck into the hopper; the last card of the list is picked first."""
        self.throat.load(cards, self.now_us)

    def take(self) -> "list[int]":
        return self.outlet.take(self.now_us)

    def press(self, line: int) -> None:
        self.set_line(line, 1, self.now_us)
        self.releases.append((self.now_us + PRESS_US, line))

    def door(self, is_open: bool) -> None:
        self.set_line(self.line_door, 1 if is_open else 0, self.now_us)

    def clear(self) -> "list[int]":
        """With the door open: every card out of hopper, throat, slots, exit and tray."""
        cards = self.throat.clear(self.now_us) + self.outlet.clear(self.now_us)
        for i in range(len(self.slots)):
            if self.slots[i] >= 0:
                cards.append(self.slots[i])
                self.slots[i] = -1
        return cards

    def _lift(self, now_us: int) -> None:
        for release in list(self.releases):
            if release[0] <= now_us:
                self.releases.remove(release)
                self.set_line(release[1], 0, now_us)

    # -- bad luck --------------------------------------------------------------------------------------------------

    def jam(self, place: str, nth: int, at_um: int) -> None:
        """The nth card (from 0) at `throat` (since its load) or `exit` (since power-up) stops at at_um, for good."""
        if place not in ("throat", "exit"):
            raise ValueError("no place " + place + " to jam")
        if place == "exit" and at_um >= self.outlet.marks[1]:
            raise ValueError("past the exit beam a card falls freely into the tray")
        self.jams[(place, nth)] = at_um

    def misfeed(self, nth: int, times: int) -> None:
        """The nth card of the load does not come at the first `times` tries."""
        self.misfeed_cards[nth] = times

    def jam_throat_um(self, nth: int) -> int:
        return self.jams.pop(("throat", nth), FAR)

    def jam_exit_um(self, nth: int) -> int:
        return self.jams.pop(("exit", nth), FAR)

    def misfeeds(self, nth: int, attempt: int) -> bool:
        return attempt <= self.misfeed_cards.get(nth, 0)
