"""MicroPython's `machine` and `rp2` for tests: pins, PIO, DMA and buses in virtual time, around them the plant.

Interrupts come at the instant of their cause and take no time. What the chips really do beyond that (latencies, erratic
buses) is the emulator's business: `make hil-smoke`.
"""

import random
from array import array
from collections.abc import Callable
from types import ModuleType
from typing import Any

from emulator.step_axis import FAR_US, StepAxis
from fram_chip import FramChip

from hal.sim.nor import Nor
from hal.sim.plant import OUTPUTS, Plant

MASK = 0x3FFFFFFF
ORIGIN_US = 0x40000000 - 3000000  # clocks wrap early in every test
STEP_CYCLES = 9
UART_TX_BYTES = 32


class Pin:
    """A pad. `world.pins` keeps one for each number."""

    IN, OUT, PULL_UP, IRQ_FALLING, IRQ_RISING = 0, 1, 1, 4, 8
    world: "World"

    def __init__(self, number: int, mode: int = IN, pull: int = -1, value: int | None = None) -> None:
        self.pad = self.world.pad(number)
        if mode == self.OUT:
            self.pad.set(value or 0)

    def value(self, level: int | None = None) -> int:
        if level is not None:
            self.pad.set(level)
        return self.pad.level

    def irq(self, handler: Callable[["Pin"], None], trigger: int, hard: bool = False) -> "Pin":
        assert hard
        self.pad.handler = lambda: handler(self)
        self.pad.edges = trigger
        return self

    def trigger(self, edges: int) -> None:
        self.pad.edges = edges


class Pad:
    """What a pin shows; a broken wire and a pull-up read 1."""

    def __init__(self) -> None:
        self.level = 1
        self.edges = 0
        self.handler: Callable[[], None] | None = None
        self.listener: Callable[[int], None] | None = None

    def set(self, level: int) -> None:
        if level != self.level:
            self.level = level
            if self.listener:
                self.listener(level)
            if self.handler and self.edges & (Pin.IRQ_RISING if level else Pin.IRQ_FALLING):
                self.handler()


class Dma:
    """A channel that feeds the state machine as fast as there is room, and then starts the next in the chain."""

    world: "World"

    def __init__(self) -> None:
        self.channel = len(self.world.channels)
        self.world.channels.append(self)
        self.count = self.reload = self.read = 0
        self.ctrl: dict[str, Any] | None = None
        self.busy = False

    def pack_ctrl(self, **bits: Any) -> dict[str, Any]:
        assert bits["inc_write"] is False and bits["treq_sel"] == 0
        return bits

    def config(self, trigger: bool = False, **given: Any) -> None:
        self.read = given.get("read", self.read)
        self.reload = given.get("count", self.reload)
        if "ctrl" in given:
            self.ctrl = given["ctrl"] or None
        if trigger:
            self.active(1)

    def active(self, on: int) -> None:
        self.busy = on != 0 and self.ctrl is not None
        if self.busy:
            self.count = self.reload
            self.world.stepper.wake()

    def next_word(self) -> int:
        ctrl = self.ctrl
        assert ctrl is not None
        word = self.world.memory(self.read)
        self.read += 4 if ctrl.get("inc_read", True) else 0
        self.count -= 1
        if not self.count:
            self.busy = False
            if "chain_to" in ctrl:
                self.world.channels[int(ctrl["chain_to"])].active(1)
        return word


class StateMachine:
    """Runs the step program: a pulse for each word, and an interrupt for a word of zero."""

    world: "World"

    def __init__(self, number: int) -> None:
        self.world.stepper = self
        self.fifo: list[int] = []
        self.on = False
        self.due_us = FAR_US
        self.handler: Callable[[StateMachine], None] | None = None

    def init(self, program: Any, freq: int, set_base: Pin) -> None:
        assert freq == 1000000
        self.fifo = []
        self.due_us = FAR_US

    def irq(self, handler: Callable[["StateMachine"], None], hard: bool) -> None:
        assert hard
        self.handler = handler

    def active(self, on: int) -> None:
        self.on = bool(on)
        if not on:
            self.due_us = FAR_US

    def tx_fifo(self) -> int:
        return len(self.fifo)

    def wake(self) -> None:
        self._fill()
        if self.on and self.due_us == FAR_US:
            self.due_us = self.world.now_us

    def fire(self) -> None:
        self._fill()
        if not self.fifo:
            self.due_us = FAR_US
            return
        word = self.fifo.pop(0)
        self._fill()
        if word:
            self.due_us += word + STEP_CYCLES
            self.world.step()
        elif self.handler:
            self.handler(self)

    def _fill(self) -> None:
        for channel in self.world.channels:
            while channel.busy and len(self.fifo) < 4:
                self.fifo.append(channel.next_word())


class Timer:
    ONE_SHOT = 0
    world: "World"

    def __init__(self, number: int) -> None:
        self.due_us = FAR_US
        self.callback: Callable[[Timer], None] | None = None
        self.world.timers.append(self)

    def init(self, mode: int, period: int, tick_hz: int, callback: Callable[["Timer"], None], hard: bool) -> None:
        assert (mode, tick_hz, hard) == (self.ONE_SHOT, 1000000, True)
        self.due_us = self.world.now_us + period
        self.callback = callback

    def deinit(self) -> None:
        self.due_us = FAR_US

    def fire(self) -> None:
        self.due_us = FAR_US
        assert self.callback
        self.callback(self)


class Spi:
    """With the FRAM at its other end, or nothing: then it reads what the wire floats at."""

    world: "World"

    def __init__(self, number: int, baudrate: int, sck: Pin, mosi: Pin, miso: Pin) -> None:
        self.world.pad(self.world.config["nv"]["cs"]).listener = self.world.fram.select

    def write(self, buf: bytes) -> None:
        if self.world.fram_there:
            self.world.fram.shift(bytes(buf))

    def readinto(self, buf: bytearray) -> None:
        floating = bytes((self.world.fram_floats,)) * len(buf)
        buf[:] = self.world.fram.shift(bytes(len(buf))) if self.world.fram_there else floating


class I2c:
    """With the port expander at its other end; `world.panel_there` says whether it answers."""

    world: "World"

    def __init__(self, number: int, sda: Pin, scl: Pin, freq: int, timeout: int) -> None:
        self.registers = self.world.expander

    def writeto(self, address: int, buf: bytearray) -> None:
        self._check(address)
        self.registers[buf[0] : buf[0] + 2] = buf[1:3]

    def readfrom_mem_into(self, address: int, register: int, buf: bytearray) -> None:
        self._check(address)
        assert register == 0x12
        levels = ~self.world.contacts & 0xFFFF ^ (self.registers[2] | self.registers[3] << 8)
        buf[:] = bytes((levels & 0xFF, levels >> 8))

    def _check(self, address: int) -> None:
        if not self.world.panel_there or address != self.world.config["expander"]["address"]:
            raise OSError(5)


class Uart:
    """Takes so many bytes until the host reads them."""

    world: "World"

    def __init__(self, number: int, baud: int, tx: Pin, rx: Pin, rxbuf: int = 256, txbuf: int = 0) -> None:
        self.received = bytearray()
        self.sent = bytearray()
        self.room = UART_TX_BYTES if txbuf else 256  # what MicroPython takes if nobody asks for a buffer
        self.world.uart = self

    def any(self) -> int:
        return len(self.received)

    def readinto(self, buf: bytearray, size: int) -> int | None:
        assert size <= len(self.received), "reading more than is there would wait"
        buf[:size] = self.received[:size]
        del self.received[:size]
        return size or None

    def write(self, buf: bytes, offset: int = 0, size: int | None = None) -> int | None:
        taken = min(len(buf) - offset if size is None else size, self.room - len(self.sent))
        self.sent += bytes(buf[offset : offset + taken])
        return taken or None


class Wdt:
    fed = 0

    def __init__(self, timeout: int) -> None:
        type(self).fed = 0

    def feed(self) -> None:
        type(self).fed += 1


class World:
    """One board with its plant. Make it, install `modules()`, then import hal.rp2."""

    def __init__(self, config: dict[str, Any], lines: tuple[str, ...], seed: int) -> None:
        self.config = config
        self.plant = Plant(config, lines, seed)
        self.axis = StepAxis.install(self.plant, config["mechanism"]) if "axis" in config else None
        self.pads: dict[int, Pad] = {}
        self.channels: list[Dma] = []  # in the order in which they were made
        self.timers: list[Timer] = []
        self.stepper: Any = None
        self.uart: Any = None
        self.tables: list[tuple[int, array[int]]] = []
        self.fram = FramChip(config["nv"]["bytes"])
        self.nor = Nor(config["nv"].get("blocks", 1), seed)
        self.files_bytes = 0  # of flash, from the start of what rp2.Flash reaches
        self.expander = bytearray(0x16)
        self.contacts = 0
        self.panel_there = True
        self.fram_there = True
        self.fram_floats = 0xFF  # what a bus without a chip reads
        self.home_chatter = 0  # pulses at every edge of the home mark
        self.home_stuck = False
        self.noise = random.Random(seed)
        self.outputs = bytearray(len(OUTPUTS))
        self.switches = 0
        self._showing = False
        for kind in (Pin, Dma, StateMachine, Timer, Spi, I2c, Uart):
            kind.world = self
        self._wire()

    @property
    def now_us(self) -> int:
        return self.plant.now_us

    def pad(self, number: int) -> Pad:
        return self.pads.setdefault(number, Pad())

    def memory(self, address: int) -> int:
        for base, table in self.tables:
            if base <= address < base + 4 * len(table):
                return table[(address - base) // 4]
        raise AssertionError(f"DMA reads at {address:#x}, where nothing is")

    def run(self, us: int) -> None:
        """Time goes on; nobody scans."""
        self.show()
        until_us = self.now_us + us
        while True:
            parts = [self.stepper, *self.timers] if self.stepper else list(self.timers)
            due_us = min([part.due_us for part in parts] + [self.plant.next_us(), until_us])
            self.plant.advance(due_us)
            self.plant.changed = False
            self.show()
            if self.now_us < due_us:
                continue
            for part in parts:
                if part.due_us <= due_us:
                    part.fire()
                    self.show()
            if self.now_us >= until_us and not any(part.due_us <= until_us for part in parts):
                return

    def step(self) -> None:
        if self.axis:
            self.axis.forward = self.pad(self.config["axis"]["dir"]).level == 1
            self.axis.step()
            self.show()

    def show(self) -> None:
        """Every edge of the plant on its pin, in order; what an interrupt changes comes after."""
        if self._showing:
            return
        self._showing = True
        plant, inputs = self.plant, self.config["inputs"]
        while plant.edges:
            line, level, _ = plant.edges.pop(0)
            where = inputs.get(plant.lines[line])
            if isinstance(where, int):
                self.pad(where).set(level)
            elif where:
                bit = 1 << where["expander"]
                self.contacts = self.contacts | bit if level else self.contacts & ~bit
        if self.axis:
            home = self.pad(self.config["axis"]["home"])
            level = 1 if self.home_stuck or self.axis.home_seen() else 0
            for _ in range(self.home_chatter if level != home.level else 0):
                home.set(level)
                home.set(1 - level)
            home.set(level)
        self._showing = False

    def _wire(self) -> None:
        for index, name in enumerate(OUTPUTS):
            number = self.config["outputs"].get(name)
            if number is not None:
                self.pad(number).listener = self._switch(index)
        self.plant.drive(self.outputs, True)
        self.plant.edges = []
        for line, name in enumerate(self.plant.lines):
            where = self.config["inputs"].get(name)
            if isinstance(where, int):
                self.pad(where).level = self.plant.level[line]
        self.show()

    def _switch(self, index: int) -> Callable[[int], None]:
        def switched(level: int) -> None:
            self.switches += 1
            self.outputs[index] = level
            self.plant.drive(self.outputs, True)
            self.show()

        return switched

    # -- modules -----------------------------------------------------------------------------------------------------

    def modules(self) -> dict[str, ModuleType]:
        machine, rp2, uctypes = ModuleType("machine"), ModuleType("rp2"), ModuleType("uctypes")
        vars(machine).update(
            Pin=Pin, Timer=Timer, SPI=Spi, I2C=I2c, UART=Uart, WDT=Wdt, mem32=self,
            PWRON_RESET=1, WDT_RESET=3, reset_cause=lambda: 1, unique_id=lambda: b"\xe6\x61\x64\x08\x43\x21\x7f\x2c",
            disable_irq=lambda: 0, enable_irq=_ignore,
        )  # fmt: skip
        vars(rp2).update(DMA=Dma, StateMachine=StateMachine, PIO=Any, asm_pio=_asm_pio)
        vars(rp2)["PIO"] = type("PIO", (), {"OUT_LOW": 2})
        vars(rp2)["Flash"] = self._flash
        vars(uctypes)["addressof"] = self._addressof
        return {"machine": machine, "rp2": rp2, "uctypes": uctypes}

    def clocks(self) -> dict[str, Callable[..., Any]]:
        """What MicroPython's `time` has and CPython's lacks."""
        return {
            "ticks_us": lambda: (ORIGIN_US + self.now_us) & MASK,
            "ticks_ms": lambda: (ORIGIN_US + self.now_us) // 1000 & MASK,
            "ticks_add": _ticks_add,
            "ticks_diff": _ticks_diff,
            "sleep_us": _ignore,
            "sleep_ms": self._sleep_ms,
        }

    def statvfs(self, path: str) -> tuple[int, ...]:
        """What MicroPython's os says of the file system that is mounted."""
        assert path == "/"
        return (4096, 4096, self.files_bytes // 4096, 0, 0, 0, 0, 0, 0, 255)

    def _flash(self, start: int, len: int) -> Nor:
        assert start == self.config["nv"]["start"] and len == self.nor.blocks * 4096
        return self.nor

    def _sleep_ms(self, ms: int) -> None:
        self.run(ms * 1000)

    def __getitem__(self, address: int) -> int:
        assert address == 0x4006001C
        return self.noise.getrandbits(1)

    def _addressof(self, table: "array[int]") -> int:
        base = 0x20000000 + 0x10000 * len(self.tables)
        self.tables.append((base, table))
        return base


def _ticks_add(ticks: int, delta: int) -> int:
    return (ticks + delta) & MASK


def _ticks_diff(end: int, start: int) -> int:
    return ((end - start + 0x20000000) & MASK) - 0x20000000


def _ignore(value: int) -> None:
    return


def _asm_pio(**options: Any) -> Callable[[Any], Any]:
    return lambda program: program
