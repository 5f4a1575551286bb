"""What the fake chips have in common: pads, timers, buses and a UART in virtual time, around them the plant.

Interrupts come at the instant of their cause and take no time. What chips really do beyond that (latencies, erratic
buses) is the emulator's business. Runs on both VMs: no module of either is needed.
"""

import sys

from usb_host import UsbHost

from firmware.main import make_port
from hal.sim.fram import FramChip
from hal.sim.lcd import LcdChip
from hal.sim.plant import OUTPUTS, Plant
from hal.sim.rng import mix
from hal.sim.stepper import FAR_US, StepAxis

MASK = 0x3FFFFFFF
ORIGIN_US = 0x40000000 - 3000000  # clocks wrap early in every test, and not both at once
ORIGIN_MS = 0x40000000 - 2000
UART_TX_BYTES = 32
UART_PLAIN_BYTES = 256  # what MicroPython takes if no buffer is asked for


class Module:
    """A module made of names; an import from it shows no difference."""

    def __init__(self, **names):
        for name in names:
            setattr(self, name, names[name])


class Pad:
    """What a pin shows; a broken wire and a pull-up read 1."""

    def __init__(self):
        self.level = 1
        self.out = False
        self.edges = 0
        self.edges_at_first = 0  # on which it interrupted as soon as it had a handler
        self.handler = None
        self.listener = None
        self.watcher = None  # what else of the chip sees its changes, PIO
        self.unheard = None  # what it changes to just before a listener is attached

    def hear(self, handler, edges):
        if self.unheard is not None:
            self.level = self.unheard
        self.handler = handler
        self.edges = self.edges_at_first = edges

    def drive(self, level):
        """From floating to driven: a listener hears it even if the level is the same."""
        if level == self.level and self.listener:
            self.listener(level)
        self.set(level)

    def set(self, level):
        if level != self.level:
            self.level = level
            if self.listener:
                self.listener(level)
            if self.watcher:
                self.watcher()
            if self.handler and self.edges & (Pin.IRQ_RISING if level else Pin.IRQ_FALLING):
                self.handler()


class Pin:
    """A pad. `world.pads` keeps one for each number or name."""

    IN, OUT, OPEN_DRAIN, PULL_UP, IRQ_FALLING, IRQ_RISING = 0, 1, 2, 1, 4, 8
    world = None

    def __init__(self, number, mode=0, pull=-1, value=None):
        assert number in self.world.known, "a pin that the board config does not name"
        self.pad = self.world.pad(number)
        if mode in (self.OUT, self.OPEN_DRAIN):
            self.pad.out = True
            self.pad.drive(1 if value is None else value)  # who does not say gets what the chip last held

    def value(self, level=None):
        if level is not None:
            assert self.pad.out, "an input is driven"
            self.pad.set(level)
        return self.pad.level

    def irq(self, handler, trigger, hard=False):
        assert hard
        self.pad.hear(handler and (lambda: handler(self)), trigger)
        return self

    def trigger(self, edges):
        self.pad.edges = edges


class Timer:
    """Once, in microseconds, in a hard interrupt."""

    ONE_SHOT = 0
    world = None

    def __init__(self, number):
        self.due_us = FAR_US
        self.callback = None
        self.world.parts.append(self)

    def init(self, mode, period, tick_hz, callback, hard):
        assert (mode, tick_hz, hard) == (self.ONE_SHOT, 1000000, True)
        self.due_us = self.world.now_us + period
        self.callback = callback

    def deinit(self):
        self.due_us = FAR_US

    def fire(self):
        self.due_us = FAR_US
        self.callback(self)


class Spi:
    """With the FRAM at its other end, or nothing: then it reads what the wire floats at."""

    world = None

    def __init__(self, number, baudrate, sck, mosi, miso):
        self.world.wire_fram()

    def write(self, buf):
        if self.world.fram_there:
            self.world.fram.shift(bytes(buf))

    def readinto(self, buf):
        world = self.world
        floating = bytes((world.fram_floats,)) * len(buf)
        buf[:] = world.fram.shift(bytes(len(buf))) if world.fram_there else floating


class I2c:
    """With the port expander at its other end, and a display; `world.panel_there` says whether the first answers."""

    world = None

    def __init__(self, number, sda, scl, freq=400000, timeout=50000):
        self.registers = self.world.expander

    def writeto(self, address, buf):
        display = self.world.config.get("display")
        if display and address == display["address"]:
            return self.world.lcd.write(buf)
        self._check(address)
        self.registers[buf[0]] = buf[1]
        self.registers[buf[0] + 1] = buf[2]

    def readfrom_mem_into(self, address, register, buf):
        self._check(address)
        if register == 0x00:
            buf[:] = self.registers[:2]
            return
        assert register == 0x12
        levels = ~self.world.contacts & 0xFFFF ^ (self.registers[2] | self.registers[3] << 8)
        buf[0] = levels & 0xFF
        buf[1] = levels >> 8

    def _check(self, address):
        if not self.world.pad(self.world.config["expander"]["sda"]).level:
            raise OSError(110)
        if not self.world.panel_there or address != self.world.config["expander"]["address"]:
            raise OSError(5)


class Uart:
    """Takes so many bytes until the host reads them."""

    world = None

    def __init__(self, number, baud, tx, rx, rxbuf=256, txbuf=0):
        self.received = bytearray()
        self.sent = bytearray()
        self.buffered = txbuf > 0
        self.world.uart = self

    def any(self):
        return len(self.received)

    def readinto(self, buf, size):
        assert size <= len(self.received), "reading more than is there would wait"
        buf[:size] = self.received[:size]
        self.received = self.received[size:]
        return size or None

    def write(self, buf, offset=0, size=None):
        room = self.world.uart_room if self.buffered else UART_PLAIN_BYTES
        taken = min(len(buf) - offset if size is None else size, room - len(self.sent))
        self.sent.extend(bytes(buf[offset : offset + taken]))
        return taken or None


class Wdt:
    world = None

    def __init__(self, timeout):
        assert not self.world.watchdog_ms or timeout < self.world.watchdog_ms, "made twice"
        self.world.watchdog_ms = timeout

    def feed(self):
        self.world.fed += 1


class World:
    """One board with its plant. Make it, then boot() the port in it as often as you like."""

    port = ""
    kinds = (Pin, Timer, Spi, I2c, Uart, Wdt)

    def __init__(self, config, lines, seed):
        self.config = config
        self.plant = Plant(config, lines, seed)
        self.axis = StepAxis.install(self.plant, config["mechanism"]) if "axis" in config else None
        self.pads = {}
        self.known = set(pins_of(config))
        self.parts = []  # of the chip, whatever is due at some time
        self.storms = []  # and what disturbs its lines
        self.uart = None
        self.uart_room = UART_TX_BYTES
        self.usb = UsbHost()
        self.fram = FramChip(config["nv"]["bytes"])
        self.expander = bytearray(b"\xff\xff" + bytes(0x15))
        self.lcd = LcdChip()
        self.contacts = 0
        self.panel_there = True
        self.conditions = []  # on a bus that was held: what the port's pins have made of it
        self.fram_there = True
        self.fram_floats = 0xFF  # what a bus without a chip reads
        self.home_chatter = 0  # pulses at every edge of the home mark
        self.home_stuck = False
        self.noises = 0
        self.noise_kind = ""  # stuck: the source gives the same again and again; dead: nothing
        self.watchdog_ms = 0
        self.fed = 0
        self.cause = 1
        self.slept_us = 0
        self.outputs = bytearray(len(OUTPUTS))
        self.switches = 0
        self._showing = False
        self._wire()

    @property
    def now_us(self):
        return self.plant.now_us

    def pad(self, number):
        if number not in self.pads:
            self.pads[number] = Pad()
        return self.pads[number]

    def reset_panel(self):
        """What a dip of its supply does to the expander: all pins inputs, no pull-ups, nothing turned round."""
        self.expander[:] = b"\xff\xff" + bytes(0x15)

    def hold_bus(self, clocks):
        """As a reset in the middle of an answer leaves it: a chip holds SDA down until it has had so many clocks."""
        sda, scl = self.pad(self.config["expander"]["sda"]), self.pad(self.config["expander"]["scl"])
        left = [clocks]
        before = [1]

        def clocked(level):
            left[0] -= level > before[0]  # a pin that begins to drive a line that is high makes no clock
            if left[0] == 0 and level > before[0]:
                sda.level = 1
            before[0] = level

        def moved(level):
            if scl.level:
                self.conditions.append("STOP" if level else "START")

        sda.level = 0
        scl.listener = clocked
        sda.listener = moved

    def noise(self):
        """32 bits of what the chip calls noise."""
        self.noises += 1
        return 0 if self.noise_kind == "stuck" else mix(self.plant.seed, 0x401, self.noises)

    def run(self, us):
        """Time goes on without a scan."""
        self.show()
        plant = self.plant
        parts = self.parts + self.storms
        until_us = plant.now_us + us
        while True:
            due_us = min(plant.next_us(), until_us)
            for part in parts:
                if part.due_us < due_us:
                    due_us = part.due_us
            plant.advance(due_us)
            plant.changed = False
            if plant.edges:
                self.show()
            if plant.now_us < due_us:
                continue
            later = True
            for part in parts:
                if part.due_us <= due_us:
                    part.fire()
                    if plant.edges:
                        self.show()
                later = later and part.due_us > until_us
            if later and plant.now_us >= until_us:
                return

    def show(self):
        """Every edge of the plant on its pin, in order; what an interrupt changes comes after."""
        if self._showing:
            return
        self._showing = True
        plant, inputs = self.plant, self.config["inputs"]
        while plant.edges:
            line, level, _ = plant.edges.pop(0)
            where = inputs.get(plant.lines[line])
            if isinstance(where, dict):
                bit = 1 << where["expander"]
                self.contacts = self.contacts | bit if level else self.contacts & ~bit
            elif where is not None:
                self.pad(where).set(level)
        if self.axis:
            home = self.pad(self.config["axis"]["home"])
            level = 1 if self.home_stuck or self.axis.home_seen() else 0
            for _ in range(self.home_chatter if level != home.level else 0):
                home.set(level)
                home.set(1 - level)
            home.set(level)
        self._showing = False

    def wire_fram(self):
        self.pad(self.config["nv"]["cs"]).listener = self.fram.select

    def _wire(self):
        for index in range(len(OUTPUTS)):
            number = self.config["outputs"].get(OUTPUTS[index])
            if number is not None:
                self.pad(number).listener = self._switch(index)
        self.plant.drive(self.outputs, True)
        self.plant.edges = []
        for line in range(len(self.plant.lines)):
            where = self.config["inputs"].get(self.plant.lines[line])
            if isinstance(where, (int, str)):
                self.pad(where).level = self.plant.level[line]
        self.show()

    def _switch(self, index):
        def switched(level):
            self.switches += 1
            self.outputs[index] = level
            self.plant.drive(self.outputs, True)
            self.show()

        return switched

    # -- the chip as the port finds it -------------------------------------------------------------------------------

    def boot(self):
        """The port that the board names, made by the device's own entry, after a reset of everything in the chip."""
        self.reset()
        with self:
            return make_port(self.config)

    def reset(self):
        del self.parts[:]
        self.watchdog_ms = 0
        for pad in self.pads.values():
            pad.handler = pad.watcher = None
            pad.edges = 0
        for kind in self.kinds:
            kind.world = self

    def __enter__(self):
        """Imports find the modules of the chip from here on."""
        global _loaded
        if _loaded != self.port:
            before = _loaded
            _loaded = self.port
            for name in list(sys.modules):
                if name.startswith("hal.") and name.split(".")[1] in ("board", before):
                    del sys.modules[name]
        modules = self.modules()
        self._kept = {}
        for name in modules:
            self._kept[name] = sys.modules.get(name)
            sys.modules[name] = modules[name]
        return self

    def __exit__(self, *problem):
        for name in self._kept:
            if self._kept[name] is None:
                del sys.modules[name]
            else:
                sys.modules[name] = self._kept[name]

    def modules(self):
        """By name what the port imports; a chip adds its own."""
        machine = Module(
            Pin=Pin,
            Timer=Timer,
            SPI=Spi,
            I2C=I2c,
            UART=Uart,
            WDT=Wdt,
            PWRON_RESET=1,
            WDT_RESET=3,
            reset_cause=_now(lambda world: world.cause),
            unique_id=lambda: b"\xe6\x61\x64\x08\x43\x21\x7f\x2c",
            disable_irq=lambda: 0,
            enable_irq=lambda state: None,
        )
        clock = Module(
            ticks_us=_now(lambda world: (ORIGIN_US + world.now_us) & MASK),
            ticks_ms=_now(lambda world: (ORIGIN_MS + world.now_us // 1000) & MASK),
            ticks_add=lambda ticks, delta: (ticks + delta) & MASK,
            ticks_diff=lambda end, start: ((end - start + 0x20000000) & MASK) - 0x20000000,
            sleep_us=lambda us: None,
            sleep_ms=_sleep_ms,
        )
        usb = Module(
            poll=lambda: Pin.world.usb.poll(),
            POLLIN=UsbHost.POLLIN,
            POLLOUT=UsbHost.POLLOUT,
            stdin=Module(buffer=Module(readinto=lambda buf: Pin.world.usb.readinto(buf))),
            stdout=Module(buffer=Module(write=lambda data: Pin.world.usb.write(data))),
        )
        return {"machine": machine, "time": clock, "select": usb, "sys": usb}


_loaded = ""  # the chip whose modules the port has been imported with


def _now(question):
    """Modules are imported once for all worlds of a chip: ask the one that lives now."""
    return lambda: question(Pin.world)


def _sleep_ms(ms):
    Pin.world.slept_us += ms * 1000
    Pin.world.run(ms * 1000)


def pins_of(config):
    """Every pin that a config names."""
    for group in ("inputs", "outputs", "axis", "link", "nv", "expander"):
        section = config.get(group, {})
        for name in section:
            if isinstance(section[name], (int, str)):
                yield section[name]
