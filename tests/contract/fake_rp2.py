"""MicroPython's `machine` and `rp2` of an RP2040 or RP2350 for tests: PIO, DMA, flash, and both sources of noise."""

import struct

import fake_chip
from fake_chip import ORIGIN_US, Module, World

from hal.sim.nor import Nor
from hal.sim.stepper import FAR_US

STEP_CYCLES = 9
ROSC_RANDOMBIT = 0x4006001C
TRNG = 0x400F0000
SCRATCH4 = {"rp2040_rosc": 0x4005801C, "rp2350_trng": 0x400D801C}
DMA_COUNTS = 0x50000008
FDEBUG = 0x50300008
START = 0x50302000
TIMER = {"rp2040_rosc": 0x40054028, "rp2350_trng": 0x400B0028}
FIFO = 8  # words, of a state machine that only pushes
WDT_MAGIC = 0x6AB73121  # what MicroPython's WDT leaves in that register, and nothing else does


class Dma:
    """A channel. It feeds the axis's state machine as fast as there is room, and then starts the next in the chain; or
    it takes the words of the one that watches the beams, and writes them into a ring."""

    world = None

    def __init__(self):
        self.channel = len(self.world.channels)
        self.world.channels.append(self)
        self.count = self.reload = self.read = self.write = 0
        self.ctrl = None
        self.busy = False

    def pack_ctrl(self, **bits):
        if bits == {"enable": False}:
            return {"enable": False, "chain_to": self.channel}
        if bits["treq_sel"]:
            assert bits == {"treq_sel": 12, "inc_read": False, "ring_sel": True, "ring_size": 8}
        else:
            assert bits["inc_write"] is False
        return bits

    def config(self, trigger=False, **given):
        self.read = given.get("read", self.read)
        self.write = given.get("write", self.write)
        self.reload = given.get("count", self.reload)
        assert self.reload <= 0x0FFFFFFF
        if "ctrl" in given:
            self.ctrl = given["ctrl"] or {"enable": False, "chain_to": 0}
        if trigger:
            self.active(1)

    def active(self, on):
        if self.busy and not on and self.ctrl.get("chain_to", self.channel) != self.channel:
            # Erratum RP2350-E5: one that is broken off starts the next in its chain.
            self.world.channels[self.ctrl["chain_to"]].active(1)
        self.busy = on != 0 and self.ctrl is not None and self.ctrl.get("enable", True)
        if self.busy:
            self.count = self.reload
            (self.world.watching if self.takes() else self.world.stepper).wake()

    def takes(self):
        return self.ctrl["treq_sel"] == 12

    def next_word(self):
        ctrl = self.ctrl
        word = self.world.memory(self.read)
        self.read += 4 if ctrl.get("inc_read", True) else 0
        self.count -= 1
        if not self.count:
            self.busy = False
            if "chain_to" in ctrl:
                self.world.channels[ctrl["chain_to"]].active(1)
        return word

    def put(self, word):
        store, at = self.world.place(self.write)
        struct.pack_into("<I", store, at, word)
        self.write = self.write & ~0xFF | (self.write + 4) & 0xFF
        self.count -= 1
        self.busy = self.count > 0


def state_machine(number):
    return {0: StateMachine, 4: WatchMachine}[number](number)


class WatchMachine:
    """Runs the program of hal/rp2/changes.py: a word for each change, the levels above a count that falls with time."""

    world = None

    def __init__(self, number):
        self.world.watching = self
        self.fifo = []
        self.on = self.stalled = False

    def init(self, program, freq, in_base):
        assert freq == 10000000 and not self.on
        pins = [where for where in self.world.config["inputs"].values() if isinstance(where, int)]
        assert in_base.pad is self.world.pad(min(pins))
        self.pads = [self.world.pad(pin) for pin in range(min(pins), max(pins) + 1)]
        self.fifo = []

    def active(self, on):
        assert not on
        self.on = False

    def start(self):
        self.began_us = self.world.now_us
        self.on = True
        for pad in self.pads:
            pad.watcher = self.push
        self.push()

    def push(self):
        if not self.on:
            return
        if len(self.fifo) == FIFO:
            self.stalled = True  # and the count stands still: from here on no stamp would be right
            self.on = False
            return
        bits = 32 - len(self.pads)
        word = (-2 - (self.world.now_us - self.began_us)) & ((1 << bits) - 1)
        for i in range(len(self.pads)):
            word |= self.pads[i].level << (bits + i)
        self.fifo.append(word)
        self.wake()

    def wake(self):
        for channel in self.world.channels:
            while channel.busy and channel.takes() and self.fifo:
                channel.put(self.fifo.pop(0))


class StateMachine:
    """Runs the step program: a pulse for each word, and an interrupt for a word of zero."""

    world = None

    def __init__(self, number):
        self.world.stepper = self
        self.world.parts.append(self)
        self.fifo = []
        self.on = False
        self.due_us = FAR_US
        self.handler = None

    def init(self, program, freq, set_base):
        self.freq = freq
        self.fifo = []
        self.due_us = FAR_US

    def irq(self, handler, hard):
        assert hard
        self.handler = handler

    def active(self, on):
        self.on = bool(on)
        if not on:
            self.due_us = FAR_US

    def tx_fifo(self):
        return len(self.fifo)

    def wake(self):
        self._fill()
        if self.on and self.due_us == FAR_US:
            self.due_us = self.world.now_us

    def fire(self):
        self._fill()
        if not self.fifo:
            self.due_us = FAR_US
            return
        word = self.fifo.pop(0)
        self._fill()
        if word:
            self.due_us += (word + STEP_CYCLES) * 1000000 // self.freq
            self.world.step()
        elif self.handler:
            self.handler(self)

    def _fill(self):
        for channel in self.world.channels:
            while channel.busy and not channel.takes() and len(self.fifo) < 4:
                self.fifo.append(channel.next_word())


class Memory:
    """`mem32`: the ring oscillator's bit, and the registers of the generator and of the watchdog."""

    world = None

    def __init__(self):
        self.written = {}

    def __getitem__(self, address):
        world = self.world
        if address == ROSC_RANDOMBIT:
            return world.noise() & 1
        if address == TRNG + 0x104:
            return world.trng_state()
        if address == SCRATCH4[world.config["entropy"]["source"]]:
            return WDT_MAGIC if world.cause == 3 else world.scratch
        if address == SCRATCH4[world.config["entropy"]["source"]] - 16:
            return world.scratch0
        if address == FDEBUG:
            return 1 if world.watching.stalled else 0
        assert TRNG + 0x114 <= address <= TRNG + 0x128
        return world.noise()

    def __setitem__(self, address, value):
        if address == SCRATCH4[self.world.config["entropy"]["source"]] - 16:
            self.world.scratch0 = value
            return
        if address == FDEBUG:
            self.world.watching.stalled = self.world.watching.stalled and not value & 1
            return
        assert TRNG + 0x104 < address <= TRNG + 0x140
        self.world.registers[address - TRNG] = value


class AddressSpace:
    """What machine code reads and writes by address, in words: hal/rp2/fold.py."""

    world = None

    def __getitem__(self, index):
        world = self.world
        address = index << 2
        if 0x20000000 <= address < 0x21000000:
            return struct.unpack_from("<I", *world.place(address))[0]
        if address == TIMER[world.config["entropy"]["source"]]:
            return (0xC0000000 + ORIGIN_US + world.now_us) & 0xFFFFFFFF
        if address == FDEBUG:
            return 1 if world.watching.stalled else 0
        return world.channels[(address - DMA_COUNTS) // 64].count

    def __setitem__(self, index, value):
        assert (index << 2, value) == (START, 1)
        self.world.watching.start()


class Rp2World(World):
    port = "rp2"
    kinds = World.kinds + (Dma, StateMachine, WatchMachine, Memory, AddressSpace)

    def __init__(self, config, lines, seed):
        self.channels = []  # in the order in which they were made
        self.stepper = None
        self.watching = None
        self.clock_hz = 125000000
        self.tables = []
        self.nor = Nor(config["nv"].get("blocks", 1), seed)
        self.files_bytes = 0  # of flash, from the start of what rp2.Flash reaches
        self.registers = {}
        self.scratch0 = 0x5A5A5A5A  # of the watchdog: kept over its resets, anything at power-on
        self.scratch = 0  # what a requested reset leaves in the watchdog's scratch register 4
        self.trng_objects = 0  # so many collections that the generator finds fault with
        World.__init__(self, config, lines, seed)

    def reset(self):
        World.reset(self)
        self.channels = []
        self.tables = []
        with self:
            import hal.rp2.beams

            hal.rp2.beams.MEMORY = AddressSpace()

    def memory(self, address):
        table, at = self.place(address)
        return table[at // 4]

    def place(self, address):
        """Whose memory this is, and which byte of it."""
        for base, table in self.tables:
            if base <= address < base + 0x10000:
                return table, address - base
        raise AssertionError("DMA at %x, where nothing is" % address)

    def step(self):
        self.axis.forward = self.pad(self.config["axis"]["dir"]).level == 1
        self.axis.step()
        self.show()

    def trng_state(self):
        """1: there are 192 bits. With balancing and tests switched off, or the source, they must not be used."""
        assert self.registers.get(0x138) == 0 and self.registers.get(0x12C) == 1
        if self.noise_kind == "dead":
            self.plant.advance(self.now_us + 1000)
            return 0
        if self.trng_objects:
            self.trng_objects -= 1
            return 4
        return 1

    def modules(self):
        modules = World.modules(self)
        modules["machine"].mem32 = Memory()
        modules["machine"].freq = lambda: _world().clock_hz
        # MicroPython takes every reset by that block for one of the watchdog.
        modules["machine"].reset_cause = lambda: 1 if _world().cause == 1 else 3
        modules["rp2"] = Module(
            DMA=Dma,
            StateMachine=state_machine,
            PIO=Module(OUT_LOW=2, SHIFT_LEFT=0, JOIN_RX=2),
            Flash=_flash,
            asm_pio=_asm_pio,
        )
        modules["uctypes"] = Module(addressof=_addressof)
        chip = "RP2040" if self.config["entropy"]["source"] == "rp2040_rosc" else "RP2350"
        modules["os"] = Module(statvfs=_statvfs, uname=lambda: ("rp2", "", "", "", "a board with " + chip))
        return modules


def _world():
    return fake_chip.Pin.world


def _statvfs(path):
    """What MicroPython's os says of the file system that is mounted."""
    assert path == "/"
    return (4096, 4096, _world().files_bytes // 4096, 0, 0, 0, 0, 0, 0, 255)


def _flash(start, len):
    world = _world()
    assert start == world.config["nv"]["start"] and len == world.nor.blocks * 4096
    return world.nor


def _addressof(table):
    tables = _world().tables
    base = 0x20000010 + 0x10000 * len(tables)  # in a heap everything begins at a multiple of 16
    tables.append((base, table))
    return base


def _asm_pio(**options):
    return lambda program: program
