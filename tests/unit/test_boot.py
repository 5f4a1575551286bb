"""The main.py of a device: motors off first, then what it finds wrong, said at the table port until somebody comes."""

import json
import sys
from binascii import crc32

from support import raises

from firmware.protocol import ids
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE, FrameReader, frame_message, frame_session

BOARD = {
    "outputs": {"pick": 11, "dark": 28, "lamp_red": {"expander": 10}},
    "link": {"uart": 1, "baud": 9600, "tx": 4, "rx": 5},
}
MODULES = {"b.mpy": b"second", "a.mpy": b"first"}


class Enough(BaseException):
    """It has said it often enough. Not an Exception, or it would be one more thing that went wrong."""


class Machine:
    """MicroPython's `machine` and `time`, and what was done with them, in order."""

    def __init__(self):
        self.done = []
        self.rounds = 3
        self.ports_bad = 0
        self.own_pins = False
        self.display_there = True
        self.interrupted = False
        self.interrupts = []  # what Ctrl-C was set to
        self.memory_errors = 0  # how often there is no memory to say anything

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
                if world.own_pins and tx is not None:
                    raise TypeError("extra keyword arguments given")
                self.where = (number, baud, tx and tx.number, rx and rx.number)

            def write(self, frame):
                world.done.append(("sent", self.where, frame))

        class I2C:
            def __init__(self, number, sda=None, scl=None):
                if world.own_pins and sda is not None:
                    raise ValueError("explicit choice of scl/sda is not implemented")
                self.where = (number, sda and sda.number, scl and scl.number)

            def writeto(self, address, data):
                if not world.display_there:
                    raise OSError(5)
                world.done.append(("shown", self.where + (address,), data))

        self.Pin = Pin
        self.UART = UART
        self.I2C = I2C

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

    def listdir(self):
        return list(self.files)

    def uname(self):
        return (self.chip, "node", "1.28.0")

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

    def __init__(self, error=None):
        self.error = error
        self.started = 0
        self.memory = Memory()
        self.loaded_with = 0

    def __getattr__(self, name):
        if name != "main":
            raise AttributeError(name)
        self.loaded_with = self.memory.limit
        return self.begin

    def begin(self, open_data, prompt_ms):
        self.started += 1
        self.open_data = open_data
        self.prompt_ms = prompt_ms
        if self.error is not None:
            raise self.error


def whole():
    files = dict(MODULES)
    files["board.json"] = json.dumps(BOARD).encode()
    files["files.crc"] = b"%08x" % crc32(b"firstsecond")
    return files


def load(machine):
    """hal/device.py on this machine, whatever VM runs it; modules go back to what they were."""
    kept = sys.modules.get("machine"), sys.modules.get("time")
    sys.modules["machine"] = machine
    sys.modules["time"] = machine
    sys.modules.pop("hal.device", None)
    try:
        import hal.device as device
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


def test_a_device_that_is_whole_switches_its_outputs_off_and_starts():
    firmware = Firmware()
    machine = boot(whole(), firmware)
    assert sorted(machine.done[:2]) == [("off", 11, 0), ("off", 28, 0)]
    assert machine.done[2:] == [("over",)] and firmware.started == 1
    assert firmware.prompt_ms == 2000 and machine.interrupts == []
    assert firmware.open_data("a.mpy").read() == b"first", "data comes from the file system"


def test_memory_is_packed_while_modules_are_loaded_and_never_collected_by_itself_later():
    firmware = Firmware()
    boot(whole(), firmware)
    assert 4096 <= firmware.loaded_with <= 32768
    assert firmware.memory.limit == -1, "a collection takes 20 ms, whatever moves"


def test_a_missing_config_is_told_at_the_port_of_the_reference_boards():
    files = whole()
    del files["board.json"]
    machine = boot(files, Firmware())
    assert told(machine).startswith("board: OSError(2")
    assert [entry[1] for entry in machine.sent()] == [(0, 115200, 0, 1)] * 2, "from the second time on"


def test_a_chip_without_reference_pins_has_its_console_left():
    files = whole()
    del files["board.json"]
    machine = boot(files, Firmware(), chip="esp32")
    assert not machine.sent()
    assert [entry[1][:30] for entry in machine.done] == ["fairshoe halted: board: OSErro"] * 3


def test_a_uart_that_has_its_own_pins_is_opened_without_them():
    machine = Machine()
    machine.own_pins = True
    boot(whole(), Firmware(ValueError("x")), machine, "stm32")
    assert [entry[1] for entry in machine.sent()] == [(1, 9600, None, None)] * 3


def test_the_line_driver_is_enabled_before_the_first_frame():
    files = whole()
    files["board.json"] = json.dumps({"outputs": {}, "link": dict(BOARD["link"], de=6)}).encode()
    machine = boot(files, Firmware(ValueError("x")))
    assert [entry[0] for entry in machine.done[:3]] == ["on", "sent", "said"] and machine.done[0][1] == 6


def test_pins_with_names_are_switched_off_too():
    files = whole()
    files["board.json"] = json.dumps({"outputs": {"pick": "D53", "lamp_red": {"expander": 1}}, "link": {}}).encode()
    assert boot(files, Firmware()).done == [("off", "D53", 0), ("over",)]


def test_a_config_that_is_no_json_or_no_config_is_told():
    for text in (b"{", b"[]", b"{}", b""):
        files = whole()
        files["board.json"] = text
        assert told(boot(files, Firmware())).startswith("board: ")


def test_a_damaged_missing_added_or_swapped_module_is_told_before_any_is_run():
    for change in ({"a.mpy": b"firsT"}, {"a.mpy": None}, {"c.mpy": b"x"}, {"a.mpy": b"second", "b.mpy": b"first"}):
        files = whole()
        for name, data in change.items():
            files[name] = data
            if data is None:
                del files[name]
        firmware = Firmware()
        machine = boot(files, firmware)
        assert told(machine).startswith("files: ValueError("), change
        assert not firmware.started
        assert machine.sent()[0][1] == (1, 9600, 4, 5), "the board's own port"


def test_files_that_are_no_modules_do_not_count():
    files = whole()
    files["notes.txt"] = b"x"
    firmware = Firmware()
    boot(files, firmware)
    assert firmware.started == 1


def test_a_device_without_its_check_sum_does_not_start():
    files = whole()
    del files["files.crc"]
    assert told(boot(files, Firmware())).startswith("files: OSError(2")


def test_a_firmware_that_cannot_be_imported_is_told():
    assert told(boot(whole(), object())).startswith("import: ")


def test_a_firmware_that_cannot_start_is_told_with_its_own_words():
    machine = boot(whole(), Firmware(KeyError("nv")))
    assert told(machine).startswith("start: KeyError('nv'")
    offs = [at for at, entry in enumerate(machine.done) if entry[0] == "off"]
    assert offs == [0, 1], "and the outputs are off before all else"


def test_a_long_reason_is_cut_to_one_frame():
    text = told(boot(whole(), Firmware(ValueError("x" * 500))))
    assert len(text) == 200 and text.startswith("start: ValueError('xxx")


def test_a_reason_with_zero_bytes_is_stuffed_like_any_frame():
    machine = Machine()
    device = load(machine)
    device.print = lambda *words: machine.done.append(("said", " ".join(words)))
    device.open = Files(whole(), "rp2").open
    device.json = Json
    assert raises(Enough, device.halted, device.open_file, "start: \0\0x\0")
    assert b"\0" not in machine.sent()[0][2][1:-1]
    assert told(machine) == "start: \0\0x\0"


def test_a_port_that_the_board_does_not_have_ends_at_the_reference_port():
    machine = Machine()
    machine.ports_bad = 1
    boot(whole(), Firmware(ValueError("x")), machine)
    assert [entry[1] for entry in machine.sent()] == [(0, 115200, 0, 1)] * 2, "from the second time on"


DISPLAY = {"expander": {"i2c": 1, "sda": 2, "scl": 3, "address": 32}, "display": {"kind": "lcd2004", "address": 39}}
PAGE = "%-20s" * 4 % ("OUT OF SERVICE", "start: ValueError('n", "o noise " + "x" * 12, "CALL A TECHNICIAN")


def with_display(**other):
    files = whole()
    config = dict(BOARD)
    config.update(DISPLAY)
    config.update(other)
    files["board.json"] = json.dumps(config).encode()
    return files


def test_whoever_stands_before_it_reads_why_whatever_is_broken():
    machine = boot(with_display(), Firmware(ValueError("no noise " + "x" * 50)))
    places, text = machine.shown()
    assert places == {(1, 2, 3, 39)} and text == PAGE * 3
    files = with_display()
    del files["a.mpy"]
    text = boot(files, Firmware()).shown()[1]
    assert text.startswith("OUT OF SERVICE      files: ValueError('")
    text = boot(with_display(outputs=7), Firmware()).shown()[1]
    assert text.startswith("OUT OF SERVICE      board: AttributeErro")


def test_a_display_on_a_bus_that_has_its_own_pins_is_written_too():
    machine = Machine()
    machine.own_pins = True
    files = with_display(expander={"i2c": 1, "sda": "D14", "scl": "D15"})
    boot(files, Firmware(ValueError("no noise " + "x" * 50)), machine, "stm32")
    assert machine.shown() == ({(1, None, None, 39)}, PAGE * 3)


def test_without_a_display_or_one_that_answers_the_rest_is_told():
    machine = Machine()
    machine.display_there = False
    for files in (whole(), with_display(), with_display(display=None), with_display(expander=[])):
        machine.rounds, machine.done = 3, []
        assert told(boot(files, Firmware(ValueError("x")), machine)).startswith("start: ValueError")
        assert len(machine.sent()) == 3


def test_ctrl_c_at_the_console_ends_it_with_what_was_wrong():
    machine = Machine()
    machine.interrupted = True
    assert raises(KeyError, boot, whole(), Firmware(KeyError("nv")), machine)


def test_ctrl_c_while_it_starts_is_no_fault():
    machine = Machine()
    assert raises(KeyboardInterrupt, boot, whole(), Firmware(KeyboardInterrupt()), machine)
    assert not machine.sent()


# -- images ------------------------------------------------------------------------------------------------------------


def frozen():
    return {"board.json": json.dumps(BOARD).encode(), "words.txt": b"frozen"}


def test_a_release_image_reads_no_file_and_never_listens_for_ctrl_c():
    firmware = Firmware()
    files = {"board.json": b"{", "words.txt": b"planted", "x.mpy": b"planted"}
    machine = boot(files, firmware, image=Image(frozen(), True))
    assert sorted(machine.done) == [("off", 11, 0), ("off", 28, 0), ("over",)]
    assert machine.interrupts == [-1] and machine.system.opened == []
    assert firmware.prompt_ms == 0
    with firmware.open_data("words.txt") as file:
        assert file.read() == b"frozen"


def test_a_bench_image_takes_files_first_and_keeps_the_prompt():
    firmware = Firmware()
    machine = boot({"words.txt": b"of a file"}, firmware, image=Image(frozen(), False))
    assert firmware.started == 1 and firmware.prompt_ms == 2000
    assert machine.interrupts == [-1, 3]
    assert firmware.open_data("words.txt").read() == b"of a file"
    assert json.loads(firmware.open_data("board.json").read()) == BOARD
    machine = Machine()
    machine.interrupted = True
    assert raises(KeyError, boot, {}, Firmware(KeyError("nv")), machine, "rp2", Image(frozen(), False))


def test_a_release_image_that_cannot_start_says_so_for_ever():
    for error in (KeyError("nv"), MemoryError(), KeyboardInterrupt(), SystemExit()):
        machine = Machine()
        machine.interrupted = True
        boot({}, Firmware(error), machine, image=Image(frozen(), True))
        assert told(machine).startswith("start: " + repr(error)[:8])
        assert len(machine.sent()) == 3 and machine.sent()[0][1] == (1, 9600, 4, 5)
        assert machine.interrupts == [-1] and machine.system.opened == []


def test_the_memory_error_of_a_release_image_that_says_why_is_no_end_either():
    machine = Machine()
    machine.memory_errors = 2
    boot({}, Firmware(KeyError("nv")), machine, image=Image(frozen(), True))
    assert told(machine).startswith("start: KeyError('nv'") and machine.memory_errors == 0


def test_an_image_without_a_config_is_told():
    machine = boot({}, Firmware(), image=Image({}, True))
    assert told(machine) == "board: KeyError('board.json'" + ("," if ",)" in repr(KeyError(1)) else "") + ")"
