"""The simulated plant wired to the pins of an emulated board, in its time: rollers follow pins, pins follow beams.

Carousel or elevator is where the step pulses have put it. Everything else is hal.sim.plant, as in every simulation.
"""

from typing import Any

from emulator.chips import Fram, Mcp23017, replace_ring_oscillator
from emulator.pico import Pico
from hal.sim.plant import OUTPUTS, Plant
from rig.peer import Peer

FAR_US = 1 << 60
HOME_STEPS = 2  # how far before place 0 the mark begins, in the direction of homing
HOME_WIDTH_STEPS = 24
_PICK = 0
_STILL_US = 2000
_BEAT_US = 20  # while it turns, how closely the steps keep time
_TURNING_US = 20000  # longer than the longest pause between two steps of a move


class StepAxis:
    """Carousel or elevator under a stepper. Counts as moving until a moment after the last step."""

    def __init__(self, plant: Plant, mech: dict[str, Any], place: int) -> None:
        self.plant = plant
        self.wraps = mech["kind"] == "carousel"
        self.place_steps: int = mech["slot_steps"] if self.wraps else mech["shelf_steps"]
        self.count: int = mech["slot_count"] if self.wraps else mech["shelf_count"]
        self.beam_slots: int = mech.get("slot_beam_slots", 0)
        self.at = place * self.place_steps
        self.forward = True
        self.steps = 0
        self.step_us = -FAR_US
        self.due_us = FAR_US
        self.lost = False

    @property
    def slot(self) -> int:
        return (self.at + self.place_steps // 2) // self.place_steps % self.count

    @property
    def moving(self) -> bool:
        return self.plant.now_us - self.step_us < _STILL_US

    def home_seen(self) -> bool:
        if self.wraps:
            return (self.at + HOME_STEPS) % (self.count * self.place_steps) < HOME_WIDTH_STEPS
        return self.at <= HOME_STEPS

    def step(self) -> None:
        plant = self.plant
        if not self.moving and (plant.throat.mouth_blocked() or plant.unloader.mouth_blocked()):
            plant.crashes += 1
        self.at += 1 if self.forward else -1
        if not self.wraps and not -self.place_steps < self.at < self.count * self.place_steps:
            plant.crashes += 1
        self.steps += 1
        self.step_us = plant.now_us
        self.due_us = plant.now_us + _STILL_US
        plant.set_line(plant.line_slot, 1 if self.wraps and self._shaded() else 0, plant.now_us)

    def fire(self, now_us: int) -> None:
        """It has come to rest."""
        self.due_us = FAR_US
        self.plant.look()

    def fits(self) -> bool:
        """Whether a place is at the mouth, to a tenth of it."""
        return (self.at * 10 + self.place_steps) % (self.place_steps * 10) <= self.place_steps * 2

    def is_astray(self) -> bool:
        """Its place is what the steps say."""
        return False

    def under_beam(self) -> int:
        """At rest the beam looks between two slots."""
        return -1

    def halt(self, now_us: int) -> None:
        """Nothing drives it but steps."""

    def _shaded(self) -> bool:
        # The beam sits half a slot off the mouth's grid; a card shades three tenths to either side of its slot.
        slots, rest = divmod(self.at, self.place_steps)
        near = abs(rest * 10 - self.place_steps * 5) <= self.place_steps * 3
        return near and bool(self.plant.slots[(slots + self.beam_slots + 1) % self.count])


class Bench:
    """One board on a table, with a host on its link. `plant` is the machine, `peer` the host."""

    def __init__(self, pico: Pico, config: dict[str, Any], lines: tuple[str, ...], seed: int) -> None:
        self.pico = pico
        self.config = config
        self.plant = Plant(config, lines, seed)
        self.axis = self._step_axis() if "axis" in config else None
        self.peer = Peer()
        self.fram = Fram(pico, config["nv"])
        self.panel = Mcp23017(pico, config["expander"])
        replace_ring_oscillator(pico, seed)
        self.stop_us: list[int] = []  # from throat A seeing a card to the pick roller being off
        self._edge_us = -1
        self._outputs = bytearray(len(OUTPUTS))
        self._due = pico.alarm(self.catch_up)
        self._beat = pico.alarm(self._beating)
        self._from_device = bytearray()
        self._to_device = bytearray(self.peer.hello())
        self._feeding = pico.alarm(self._feed)
        self._wire()
        self._show_lines()
        self._schedule()

    def _step_axis(self) -> StepAxis:
        plant = self.plant
        axis: Any = StepAxis(plant, self.config["mechanism"], plant.axis.slot)
        plant.parts = tuple(axis if part is plant.axis else part for part in plant.parts)
        plant.axis = axis
        return axis

    def send(self, data: bytes) -> None:
        """Queue bytes for the device; they go at the link's rate."""
        idle = not self._to_device
        self._to_device += data
        if idle and data:
            self._feeding.schedule(self._byte_ns)

    def start_link(self) -> None:
        self._feeding.schedule(self._byte_ns)

    def press(self, button: str) -> None:
        self.catch_up()
        self.plant.press(self.plant.lines.index("button_" + button))
        self.catch_up()

    def load(self, cards: int) -> None:
        self.catch_up()
        self.plant.load(list(range(cards)))
        self.catch_up()

    def catch_up(self) -> None:
        """Bring the plant to the emulated present, and what its beams saw to the pins."""
        now_us = self.pico.now_us
        plant = self.plant
        while True:
            plant.advance(now_us)
            plant.changed = False
            if plant.now_us >= now_us:
                break
        self._show_lines()
        self._schedule()

    def _wire(self) -> None:
        for index, name in enumerate(OUTPUTS):
            number = self.config["outputs"].get(name)
            if number is not None:
                self.pico.listen(number, self._switch(index))
        # The port looks at the slot beam when it wants to; the plant shows it always.
        self.plant.drive(self._outputs, True)
        if self.axis is not None:
            self.pico.listen(self.config["axis"]["step"], self._step)
            self.pico.listen(self.config["axis"]["dir"], self._turn)
        link = self.config["link"]
        self._uart = self.pico.mcu.uart[link["uart"]]
        self._uart.on_byte = self._received
        self._byte_ns = 10e9 / link["baud"]

    def _switch(self, index: int) -> Any:
        def switched(level: bool) -> None:
            self.catch_up()
            if index == _PICK and not level and self._edge_us >= 0:
                self.stop_us.append(self.pico.now_us - self._edge_us)
                self._edge_us = -1
            self._outputs[index] = 1 if level else 0
            self.plant.drive(self._outputs, True)
            self.catch_up()

        return switched

    def _step(self, level: bool) -> None:
        if level and self.axis is not None:
            self.catch_up()
            self.axis.step()
            self.catch_up()
            self._beat.schedule(_BEAT_US * 1000)

    def _turn(self, level: bool) -> None:
        if self.axis is not None:
            self.axis.forward = level

    def _beating(self) -> None:
        self.pico.run_pio_ahead(_BEAT_US)
        if self.axis is not None and self.pico.now_us - self.axis.step_us < _TURNING_US:
            self._beat.schedule(_BEAT_US * 1000)

    def _show_lines(self) -> None:
        """Put every edge on its pin, bounces too, and every button on the expander."""
        plant = self.plant
        inputs = self.config["inputs"]
        for line, level, at_us in plant.edges:
            where = inputs.get(plant.lines[line])
            if isinstance(where, int):
                self.pico.drive(where, level != 0)
            if line == plant.line_a and level and self._outputs[_PICK] and self._edge_us < 0:
                self._edge_us = at_us
        plant.edges = []
        contacts = 0
        for line, name in enumerate(plant.lines):
            where = inputs.get(name)
            if isinstance(where, int):
                self.pico.drive(where, plant.level[line] != 0)
            elif where is not None and plant.level[line]:
                contacts |= 1 << where["expander"]
        self.panel.contacts = contacts
        if self.axis is not None:
            self.pico.drive(self.config["axis"]["home"], self.axis.home_seen())

    def _schedule(self) -> None:
        due_us = self.plant.next_us()
        self._due.cancel()
        if due_us < FAR_US:
            self._due.schedule(max(due_us * 1000 - self.pico.clock.nanos, 0))

    def _received(self, byte: int) -> None:
        self._from_device.append(byte)
        if byte == 0:
            answer = self.peer.feed(self._from_device)
            self._from_device = bytearray()
            self.send(answer)

    def _feed(self) -> None:
        if self._to_device:
            self._uart.feed_byte(self._to_device.pop(0))
            if self._to_device:
                self._feeding.schedule(self._byte_ns)
