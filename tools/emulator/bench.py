"""The simulated plant wired to the pins of an emulated board, in its time: rollers follow pins, pins follow beams.

Carousel or elevator is where the step pulses have put it. Everything else is hal.sim.plant, as in every simulation.
"""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

from emulator.chips import FramBus, I2cBus, LcdBus, Mcp23017, RingOscillator
from emulator.masked import MaskedTime
from emulator.pico import Pico
from emulator.storm import Storm
from hal.sim.fram import FramChip
from hal.sim.lcd import LcdChip
from hal.sim.plant import OUTPUTS, Plant
from hal.sim.stepper import FAR_US, StepAxis
from rig.actions import do, typed

_PICK = 0
_BEAT_US = 20  # how closely steps keep time
_STEPS_PIO = 0  # the block that makes them


class Bench:
    """One machine on a table, and the board in it while there is power. `plant` and `fram` outlive cuts."""

    def __init__(
        self,
        uf2: Path,
        image: bytes,
        config: dict[str, Any],
        lines: tuple[str, ...],
        seed: int,
        pico: Pico | None = None,
    ) -> None:
        """With a processor that has power already, and has not looked around yet, if there is one."""
        self.uf2 = uf2
        self.image = image
        self.config = config
        self.seed = seed
        self.plant = Plant(config, lines, seed)
        self.axis = StepAxis.install(self.plant, config["mechanism"]) if "axis" in config else None
        self.fram = FramChip(config["nv"]["bytes"])
        self.arrived = bytearray()  # sent by the device and not read yet
        self.stop_us: list[int] = []  # from throat A seeing a card to the pick roller being off
        self.boots = 0
        self.origin_us = 0  # when the board got its power
        self._stormy: tuple[tuple[str, ...], int] = ((), 0)  # lines and frequency, also while there is no power
        self.storm: Storm | None = None
        self.power_on(pico)

    def power_on(self, started: Pico | None = None) -> None:
        """A board that knows nothing but its files and its FRAM."""
        self.boots += 1
        pico = self.pico = started or Pico(self.uf2, self.image)
        self.masked = MaskedTime(pico)
        self.fram_bus = FramBus(pico, self.config["nv"], self.fram)
        self.panel = Mcp23017()
        self.lcd = LcdChip()
        bus: dict[int, Mcp23017 | LcdBus] = {self.config["expander"]["address"]: self.panel}
        if "display" in self.config:
            bus[self.config["display"]["address"]] = LcdBus(self.lcd)
        self.bus = I2cBus(pico, self.config["expander"], bus)
        self.noise = RingOscillator(pico, self.seed + self.boots)
        self._edge_us = -1
        self._outputs = bytearray(len(OUTPUTS))
        self._due = pico.alarm(self.catch_up)
        self._beat = pico.alarm(self._beating)
        self._beats = False
        self._to_device = bytearray()
        self._rx_low = False
        self._feeding = pico.alarm(self._feed)
        self._wire()
        self.storm_on(*self._stormy)
        self._show_lines()
        self._schedule()

    def power_off(self, dark_ms: int) -> None:
        """The plug is pulled for so long: motors run out, cards come to rest."""
        self.catch_up()
        self.plant.power_off()
        self.fram.power_off()
        self.origin_us = self.now_us + dark_ms * 1000
        self._advance(self.origin_us)
        self.plant.edges = []

    @property
    def now_us(self) -> int:
        return self.origin_us + self.pico.now_us

    def send(self, data: bytes) -> None:
        """Queue bytes for the device; they go at the link's rate."""
        idle = not self._to_device
        self._to_device += data
        if idle and data:
            self._feeding.schedule(self._byte_ns)

    def to_send(self) -> int:
        """How many of them are still on their way."""
        return len(self._to_device)

    def hand(self, action: str, argument: str = "") -> None:
        """What people do to it from outside, in the words of rig/actions.py."""
        self.catch_up()
        name, arguments = typed(action, argument)
        rig: Any = SimpleNamespace(plant=self.plant)
        do(rig, name, arguments)
        self.catch_up()

    def rx_low(self, low: bool) -> None:
        """Hold the device's receive line low: one break, and what is sent meanwhile is lost."""
        if low and not self._rx_low:
            self.uart.feed_break()
        self._rx_low = low

    def storm_on(self, lines: tuple[str, ...], hz: int) -> None:
        """Toggle these lines from now on, also on a board that gets its power later; none ends it."""
        if self.storm is not None:
            self.storm.end()
        self._stormy = lines, hz
        pins = self.config["inputs"] | self.config.get("axis", {})
        self.storm = Storm(self.pico, {name: pins[name] for name in lines}, hz) if lines else None

    def catch_up(self) -> None:
        """Bring the plant to the emulated present, and what its beams saw to the pins."""
        self._advance(self.now_us)
        self._show_lines()
        self._schedule()

    def _advance(self, until_us: int) -> None:
        plant = self.plant
        while True:
            plant.advance(until_us)
            plant.changed = False
            if plant.now_us >= until_us:
                break

    def _wire(self) -> None:
        for index, name in enumerate(OUTPUTS):
            number = self.config["outputs"].get(name)
            if number is not None:
                self.pico.listen(number, self._switch(index))
        # The port looks at the slot beam when it wants to; the plant shows it always.
        self.plant.drive(self._outputs, True)
        if self.axis is not None:
            self.axis.forward = False  # a new board's pin is low, whatever the one before had there
            self.pico.listen(self.config["axis"]["step"], self._step)
            self.pico.listen(self.config["axis"]["dir"], self._turn)
            self.pico.pio.on_write(_STEPS_PIO, self._start_beating)
        link = self.config["link"]
        self.uart = self.pico.mcu.uart[link["uart"]]
        self.uart.on_byte = self._received
        self._byte_ns = 10e9 / link["baud"]

    def _switch(self, index: int) -> Any:
        def switched(level: bool) -> None:
            self.catch_up()
            if index == _PICK and not level and self._edge_us >= 0:
                self.stop_us.append(self.now_us - self._edge_us)
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

    def _turn(self, level: bool) -> None:
        if self.axis is not None:
            self.axis.forward = level

    def _start_beating(self) -> None:
        """As long as steps are made: an alarm every 20 us costs more than all else while there are none."""
        if not self._beats and self.pico.pio.works(_STEPS_PIO):
            self._beats = True
            self._beat.schedule(_BEAT_US * 1000)

    def _beating(self) -> None:
        self.pico.pio.sync()
        self._beats = False
        self._start_beating()

    def _show_lines(self) -> None:
        """Put every edge on its pin, bounces too, and every button on the expander."""
        plant = self.plant
        inputs = self.config["inputs"]
        stormy = self.storm.pins if self.storm is not None else ()
        for line, level, at_us in plant.edges:
            where = inputs.get(plant.lines[line])
            if isinstance(where, int) and where not in stormy:
                self.pico.drive(where, level != 0)
            if line == plant.line_a and level and self._outputs[_PICK] and self._edge_us < 0:
                self._edge_us = at_us
        plant.edges = []
        for line, name in enumerate(plant.lines):
            where = inputs.get(name)
            if isinstance(where, int) and where not in stormy:
                self.pico.drive(where, plant.level[line] != 0)
        self._show_panel()
        if self.axis is not None and self.config["axis"]["home"] not in stormy:
            self.pico.drive(self.config["axis"]["home"], self.axis.home_seen())

    def _show_panel(self) -> None:
        contacts = 0
        for line, name in enumerate(self.plant.lines):
            where = self.config["inputs"].get(name)
            if isinstance(where, dict) and self.plant.level[line]:
                contacts |= 1 << int(where["expander"])  # pyright: ignore[reportUnknownArgumentType]
        self.panel.contacts = contacts

    def _schedule(self) -> None:
        due_us = self.plant.next_us()
        self._due.cancel()
        if due_us < FAR_US:
            self._due.schedule(max((due_us - self.origin_us) * 1000 - self.pico.clock.nanos, 0))

    def _received(self, byte: int) -> None:
        self.arrived.append(byte)

    def _feed(self) -> None:
        if self._to_device:
            byte = self._to_device.pop(0)
            if not self._rx_low:
                self.uart.feed_byte(byte)
            if self._to_device:
                self._feeding.schedule(self._byte_ns)
