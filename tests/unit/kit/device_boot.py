"""A chip, a file system and a firmware for the tests of hal/boot_main.py, on both VMs."""

import json
import sys
from binascii import crc32

from firmware.protocol import ids
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE, FrameReader, frame_message, frame_session

BOARD = {
    "outputs": {"pick": 11, "dark": 28, "lamp_red": {"expander": 10}},
    "link": {"uart": 1, "baud": 9600, "tx": 4, "rx": 5},
}
MODULES = {"hal/c.mpy": b"first", "hal/rp2/b.mpy": b"second", "firmware/x.mpy": b"", "firmware/a.mpy": b"zeroth"}


class Enough(BaseException):
    """It has said it often enough. Not an Exception, or it would be one more thing that went wrong."""


class Machine:
    """MicroPython's `machine` and `time`, and what was done with them, in order."""

    def __init__(self):
        self.done = []
        self.rounds = 3
        self.dogs = []  # time-outs of the watchdogs that were started
        self.fed = 0
        self.WDT_RESET = 3
        self.cause = 1
        self.mem32 = {}
        self.ports_bad = 0
        self.display_there = True
        self.interrupted = False
        self.interrupts = []  # what Ctrl-C was set to
        self.memory_errors = 0  # how often there is no memory to say anything
        self._make_parts()
        self._make_chip()

    def _make_parts(self):
        world = self

        class Pin:
            OUT = 1

            def __init__(self, number, mode=-1, value=None):
                self.number = number
                if mode == Pin.OUT:
                    world.done.append(("on" if value else "off", number, value))

        class UART:
            def __init__(self, number, baud, tx=None, rx=None):
                if world.ports_bad and number != 0:
                    raise ValueError("no such port")
                self.where = (number, baud, tx and tx.number, rx and rx.number)

            def write(self, frame):
                world.done.append(("sent", self.where, frame))

        class I2C:
            def __init__(self, number, sda=None, scl=None):
                self.where = (number, sda and sda.number, scl and scl.number)

            def writeto(self, address, data):
                if not world.display_there:
                    raise OSError(5)
                world.done.append(("shown", self.where + (address,), data))

        self.Pin = Pin
        self.UART = UART
        self.I2C = I2C

    def _make_chip(self):
        world = self

        class WDT:
            def __init__(self, timeout):
                world.dogs.append((len(world.done), timeout))

            def feed(self):
                world.fed += 1

        self.WDT = WDT

    def reset_cause(self):
        return self.cause

    def sleep_ms(self, ms):
        assert ms == 1000
        self.rounds -= 1
        if not self.rounds:
            raise Enough()
        if self.interrupted:
            raise KeyboardInterrupt()

    def shown(self):
        """Where, and what a display makes of the nibbles that come while its E is up."""
        places = {entry[1] for entry in self.done if entry[0] == "shown"}
        nibbles = [entry[2][1] for entry in self.done if entry[0] == "shown"]
        assert 0 not in [nibble & 4 for nibble in nibbles]
        text = ""
        for i in range(0, len(nibbles), 2):
            if nibbles[i] & 1:
                text += chr(nibbles[i] & 0xF0 | nibbles[i + 1] >> 4)
        return places, text

    def sent(self):
        return [entry for entry in self.done if entry[0] == "sent"]


class File:
    def __init__(self, data):
        self.data = data

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def read(self):
        return self.data


class Files:
    """A file system in a dict, in no order."""

    def __init__(self, files, chip):
        self.files = files
        self.chip = chip
        self.opened = []

    def ilistdir(self, folder):
        found = {}
        for path in self.files:
            if path.startswith(folder + "/"):
                name, _, inside = path[len(folder) + 1 :].partition("/")
                found[name] = 0x4000 if inside else 0x8000
        if not found:
            raise OSError(2)
        return [(name, found[name], 0) for name in found]

    def uname(self):
        chip, _, board = self.chip.partition(" ")
        return (chip, "node", "1.28.0", "v1.28.0", board)

    def open(self, name, mode="r"):
        self.opened.append(name)
        if name not in self.files:
            raise OSError(2)
        data = self.files[name]
        return File(data if mode == "rb" else data.decode())


class Json:
    """json.load() of either VM wants more of a file than ours has."""

    @staticmethod
    def load(file):
        return json.loads(file.read())


class Memory:
    """MicroPython's `gc`: after how much it collects by itself."""

    def __init__(self):
        self.limit = -1

    def collect(self):
        pass

    def threshold(self, limit):
        self.limit = limit


class Firmware:
    """What firmware.main is to the device's main.py."""

    def __init__(self, error=None, scans=1):
        self.error = error
        self.scans = scans  # whether the first scan gets to its end
        self.started = 0
        self.memory = Memory()
        self.loaded_with = 0

    def __getattr__(self, name):
        if name != "main":
            raise AttributeError(name)
        self.loaded_with = self.memory.limit
        return self.begin

    def begin(self, open_data, prompt_ms, started):
        self.started += 1
        if self.scans:
            started()
        self.open_data = open_data
        self.prompt_ms = prompt_ms
        if self.error is not None:
            raise self.error


def whole():
    files = dict(MODULES)
    files["board.json"] = json.dumps(BOARD).encode()
    files["files.crc"] = b"%08x" % crc32(b"zerothfirstsecond")
    return files


def load(machine):
    """hal/boot_main.py on this machine, whatever VM runs it; modules go back to what they were."""
    kept = sys.modules.get("machine"), sys.modules.get("time")
    sys.modules["machine"] = machine
    sys.modules["time"] = machine
    sys.modules.pop("hal.boot_main", None)
    try:
        import hal.boot_main as device
    finally:
        for name, module in zip(("machine", "time"), kept):
            if module is None:
                sys.modules.pop(name, None)
            else:
                sys.modules[name] = module
    return device


class Image:
    """The module image_data of an image."""

    IDENTITY = b"fairshoe-image test"

    def __init__(self, files, release):
        self.FILES = files
        self.RELEASE = release


def boot(files, firmware, machine=None, chip="rp2", image=None):
    """Until it has said it three times, or ended by itself; what the machine went through."""
    machine = machine or Machine()
    device = load(machine)
    system = machine.system = Files(files, chip)
    device.kbd_intr = machine.interrupts.append
    device.open = system.open
    device.os = system
    device.json = Json
    device.gc = firmware.memory if isinstance(firmware, Firmware) else Memory()

    def say(*words):
        if machine.memory_errors:
            machine.memory_errors -= 1
            machine.done.clear()
            raise MemoryError()
        machine.done.append(("said", " ".join(words)))

    device.print = say
    kept = sys.modules.get("firmware.main")
    if firmware is not None:
        sys.modules["firmware.main"] = firmware
    sys.modules["image_data"] = image
    try:
        if image:
            device.boot_image()
        else:
            device.boot()
        machine.done.append(("over",))
    except Enough:
        pass
    finally:
        del sys.modules["image_data"]
        if kept is None:
            sys.modules.pop("firmware.main", None)
        else:
            sys.modules["firmware.main"] = kept
    return machine


def told(machine):
    """The text of its frames, which are all the same, as our own reader finds it."""
    frames = [entry[2] for entry in machine.sent()]
    assert len(set(frames)) == 1
    reader = FrameReader()
    data = bytearray(frames[0])
    at = reader.push(data, 0, len(data))
    while not reader.size and at < len(data):
        at = reader.push(data, at, len(data))
    assert frame_message(reader.buf) == ids.HALTED
    assert reader.buf[0] == ids.VERSION << 4 | ids.CLASS_DIAGNOSTIC
    assert frame_session(reader.buf) == 0 and not reader.buf[1]
    text = bytes(reader.buf[HEADER_SIZE : reader.size - CRC_SIZE]).decode()
    assert ("said", "fairshoe halted: " + text) in machine.done or len(text) == 200
    return text


def frozen():
    return {"board.json": json.dumps(BOARD).encode(), "words.txt": b"frozen"}
