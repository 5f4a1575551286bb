"""A port, its plant, and what can be done to both from outside: all that the promises know of a port.

Runs on both VMs. To hold another port to the promises, derive from Driver and give it to promises.hold().
"""

import json

from fake_rp2 import Rp2World

from firmware.image import INPUTS, OUTPUTS, Inputs
from hal.disk import Disk
from hal.sim import beams
from hal.sim.fram import BP_ALL
from hal.sim.nv import Nv
from hal.sim.plant import Plant
from hal.sim.port import LINK_BUFFER, SimHal

LINE = {}
for _name in INPUTS:
    LINE[_name] = INPUTS.index(_name)
OUTPUT = {}
for _name in OUTPUTS:
    OUTPUT[_name] = OUTPUTS.index(_name)
KINDS = ("carousel", "shelves", "shoe", "draw")


def read_board(name):
    """A shipped board on an ideal day: a bounce is tested where it matters."""
    with open("board_configs/%s.json" % name) as file:
        config = json.load(file)
    config["mechanism"]["bounce_us"] = 0
    return config


class Driver:
    """`hal` is the port, `plant` the machine, `inp` an image to sample into."""

    name = ""
    family = ""  # of board configs: family-kind
    kinds = KINDS
    sent_max = 0  # bytes that the table port takes while its host does not read
    service_max = 0  # and the service port; 0: it takes all, and what finds no room is gone
    verb_us = 0  # how long a verb may take that does not wait
    late_us = 0  # how long an interrupt may take
    noise_tells = True  # the source of noise reports that it is dead

    def __init__(self, config, seed=7):
        self.config = config
        self.inp = Inputs()
        self.level = bytearray(len(OUTPUTS))
        self.storms = []
        self.build(config, seed)
        self.restart()

    @classmethod
    def make(cls, kind, seed=7, **mechanism):
        config = read_board(cls.family + "-" + kind)
        config["mechanism"].update(mechanism)
        return cls.started(config, seed)

    @classmethod
    def started(cls, config, seed=7):
        """At rest, and what it finds has been looked at."""
        driver = cls(config, seed)
        driver.run(5000)
        driver.sample()
        return driver

    @classmethod
    def with_cells(cls, kind, size):
        """With so many bytes of storage."""
        config = read_board(cls.family + "-" + kind)
        config["nv"]["bytes"] = size
        return cls.started(config)

    def drive(self, watch_slot=False, **outputs):
        """Switch these, leave the others."""
        for name in outputs:
            self.level[OUTPUT[name]] = outputs[name]
        self.hal.drive(self.level, watch_slot)

    def at_once(self, before_us, verbs=1):
        """Whether no more time has passed since then than so many verbs need that wait for nothing."""
        return self.plant.now_us - before_us <= verbs * self.verb_us

    def rest(self):
        """Let a port tidy up outside of measured time."""

    def soon(self):
        """Let what interrupts do be done."""
        self.run(10 + self.late_us)

    def sample(self, after_us=0):
        """New edges: line, level, microsecond."""
        if after_us:
            self.run(after_us)
        self.show()
        inp = self.inp
        inp.edge_count = 0
        self.hal.sample(inp)
        return [(INPUTS[inp.edge[i] >> 1], inp.edge[i] & 1, inp.edge_us[i]) for i in range(inp.edge_count)]

    def show(self):
        """Let the pins of a chip follow the plant."""

    def set_line(self, name, level, then_us=0):
        self.plant.set_line(LINE[name], level, self.plant.now_us)
        if then_us:
            self.run(then_us)

    def storm(self, names, hz):
        """Square waves on these lines while time runs, evenly out of phase; to be ended by its `stop`."""
        storm = Storm(self, names, hz)
        self.storms.append(storm)
        return storm

    def raw(self, name):
        return self.inp.raw[LINE[name]]

    def outputs(self):
        """What the machine is driven with: pick, transport, ejector, outfeed, reverse, dark."""
        return list(self.plant.outputs)

    def settle_axis(self, limit_ms=5000):
        """Sample until the axis does not move; its state then."""
        for _ in range(limit_ms // 2):
            self.sample()
            if self.inp.axis != 1:
                return self.inp.axis
            self.run(2000)
        raise AssertionError("the axis moves and moves")

    def move(self, places):
        """Move, and what became of it."""
        self.hal.move(places, False)
        return self.settle_axis()

    def home(self):
        self.hal.move(0, True)
        return self.settle_axis()

    def link_service(self, on):
        self.hal.link_service(on)

    # What each does its own way: build, restart (the same board again, with the same storage), run, hide_mark,
    # slip_next (the next move ends so many thousandths of a place short), receive, sent, service_receive, service_sent,
    # fail_storage (nothing can be written any more), fail_noise (stuck or dead), resets (why it started), fed.


class Storm:
    """Changes of lines at their microsecond: a part of the world that is due again and again."""

    def __init__(self, board, names, hz):
        self.board = board
        self.names = names
        self.level = [board.plant.level[LINE[name]] for name in names]
        self.half_us = 500000 // hz
        self.due = [board.plant.now_us + self.half_us * (i + 1) // len(names) for i in range(len(names))]
        self.due_us = min(self.due)
        self.edges = 0

    def fire(self):
        for i in range(len(self.names)):
            if self.due[i] <= self.due_us:
                self.level[i] ^= 1
                self.edges += 1
                self.board.set_line(self.names[i], self.level[i])
                self.due[i] += self.half_us
        self.due_us = min(self.due)

    def stop(self):
        """The lines stay as they are."""
        self.board.storms.remove(self)


class SimStorm:
    """The plant's own storms, which the port's `idle` runs through as well."""

    def __init__(self, board, names, hz):
        self.beams = board.plant.beams
        self.plant = board.plant
        self.storms = [beams.Storm(LINE[name], 2 * hz, board.plant.now_us) for name in names]
        self.edges = 0
        for storm in self.storms:
            self.beams.add_storm(storm)

    def stop(self):
        """The lines go back to what they were before, which may be one edge more."""
        for storm in self.storms:
            level = self.plant.level[storm.line]
            self.beams.drop_storm(storm, self.plant.now_us)
            self.edges += storm.edges + (self.plant.level[storm.line] != level)


class SimDriver(Driver):
    """The simulated port."""

    name = "sim"
    family = "pico"
    sent_max = LINK_BUFFER
    service_max = LINK_BUFFER

    def build(self, config, seed):
        self.plant = Plant(config, INPUTS, seed)
        self.nv = Nv(config["nv"]["bytes"])
        self.cause = 0

    def restart(self):
        # What is to come out of a boot: everything was off before it.
        self.plant.power_off()
        self.hal = SimHal(self.plant, self.nv)
        self.hal.cause = self.cause

    def run(self, us):
        until_us = self.plant.now_us + us
        changed = False
        while self.plant.now_us < until_us:
            changed = changed or self.plant.changed
            self.plant.changed = False
            self.plant.advance(until_us)
        self.plant.changed = self.plant.changed or changed

    def storm(self, names, hz):
        return SimStorm(self, names, hz)

    def hide_mark(self):
        self.plant.add_fault({"fault": "home_lost"})

    def slip_next(self, thousandths):
        self.plant.add_fault({"fault": "axis_slip", "move": self.plant.axis.moves, "thousandths": thousandths})

    def receive(self, data):
        self.hal.received.extend(data)

    def sent(self):
        data = bytes(self.hal.sent)
        self.hal.sent = bytearray()
        return data

    def service_receive(self, data):
        self.hal.service_received.extend(data)

    def service_sent(self):
        data = bytes(self.hal.service_sent)
        self.hal.service_sent = bytearray()
        return data

    def fail_storage(self):
        self.nv.broken = True

    def fail_noise(self, kind):
        self.plant.add_fault({"fault": "entropy", "kind": kind})

    def resets(self, cause):
        self.cause = cause
        self.restart()

    def fed(self):
        return self.hal.fed


class BoardDriver(Driver):
    """A port to a chip, on a fake of it."""

    sent_max = 32
    service_max = 64
    world_kind = None
    # What MicroPython calls power-on, watchdog, and anything else.
    causes = (1, 3, 5)

    def build(self, config, seed):
        self.world = self.world_kind(config, INPUTS, seed)
        self.world.storms = self.storms
        self.plant = self.world.plant

    def restart(self):
        self.hal = self.world.boot()

    def run(self, us):
        self.world.run(us)

    def show(self):
        self.world.show()

    def link_service(self, on):
        with self.world:
            self.hal.link_service(on)

    def hide_mark(self):
        self.world.axis.mark_hidden = True
        self.world.show()

    def slip_next(self, thousandths):
        self.world.axis.slip_steps = thousandths * self.world.axis.place_steps // 1000

    def receive(self, data):
        self.world.uart.received.extend(data)

    def sent(self):
        """The host reads; a chip that sends by itself gets the time to."""
        uart = self.world.uart
        data = bytes(uart.sent)
        uart.sent = bytearray()
        return data

    def service_receive(self, data):
        self.world.usb.received.extend(data)

    def service_sent(self):
        return self.world.usb.take()

    def fail_storage(self):
        self.world.fram.status |= BP_ALL

    def fail_noise(self, kind):
        self.world.noise_kind = kind

    def resets(self, cause):
        self.world.cause = self.causes[cause]
        self.restart()

    def fed(self):
        return self.world.fed


class Rp2Driver(BoardDriver):
    name = "rp2"
    family = "pico"
    noise_tells = False
    world_kind = Rp2World


class FlashDriver(Rp2Driver):
    """With cells in the chip's own flash."""

    @classmethod
    def with_cells(cls, kind, size):
        config = read_board(cls.family + "-" + kind)
        config["nv"] = {"kind": "flash", "start": 1 << 20, "blocks": 21, "bytes": size}
        return cls.started(config)

    def fail_storage(self):
        chip = self.world.nor
        for block in range(chip.blocks):
            chip.worn[block] = 1


class Pico2Driver(Rp2Driver):
    """The same port with another source of noise; an axis is an axis."""

    name = "pico2"
    family = "pico2"
    noise_tells = True
    kinds = ("shoe",)


class DiskDriver:
    """Storage in a file, for hosts: nothing else of a port."""

    name = "disk"
    kinds = ("shoe",)
    made = []  # files to be removed

    def __init__(self, size):
        self.size = size
        self.path = _new_file()
        self.made.append(self)
        self.hal = None
        self.restart()

    @classmethod
    def with_cells(cls, kind, size):
        return cls(size)

    def restart(self):
        self.close()
        self.hal = Disk(self.path, self.size)

    def fail_storage(self):
        self.hal._file = _FullFile(self.hal._file)

    def close(self):
        if self.hal is not None:
            self.hal.close()


class _FullFile:
    """A file on a disk that has no room left."""

    def __init__(self, file):
        self.file = file
        self.seek = file.seek
        self.close = file.close

    def write(self, data):
        raise OSError(28)


def _new_file():
    try:
        from tempfile import mkdtemp
    except ImportError:
        return "storage-%d" % len(DiskDriver.made)  # in the VM's own file system
    return mkdtemp() + "/storage"
