"""The main.py of a device: motors off, check the files, start the firmware; if that fails, say why for ever.

Shipped as source under the name that MicroPython looks for, with a call of `boot` at its end; frozen into an image,
whose main.py calls `boot_image`. It needs nothing else of ours, so that it can report whatever is missing, broken or
cut short: every second, in a frame (message `halted` of docs/PROTOCOL.md) at the table port, in a line of text at the
console and on the display. Ctrl-C at the console ends that, so that the files can be replaced, except in a release
image: that has no prompt, ever. There is no prompt at the table port.
"""

import gc
import json
import os
from binascii import crc32
from io import BytesIO
from time import sleep_ms

import machine
from machine import I2C, UART, WDT, Pin
from micropython import const, kbd_intr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from hal.api import Config, OpenData

PROMPT_MS = const(2000)  # from power-on: a computer takes a second until it has found the USB port
CTRL_C = const(3)
WATCHDOG_MS = const(8388)  # the longest that an RP2 has; loading and starting take about a second
TRIES_MAX = const(3)
# Bits of the register that counts starts: a mark that no other program leaves there, and the count.
TRIES_MARK = const(0x0FA15E00)
TRIES_MASK = const(0xFF)
WDT_MAGIC = 0x6AB73121  # in scratch register 4 of an RP2 after a reset by machine.WDT, and after no other reset
# Version 1, class diagnostic; message 74; session 0, link sequence 0.
HEADER = b"\x18\x00\x4a\x00\x00\x00\x00\x00"
# While modules are loaded memory is collected after so much: what stays for ever lies close together then.
PACK_BYTES = const(16384)
FOLDER = const(0x4000)  # the type of an entry, as os.ilistdir gives it
TEXT_MAX = const(200)  # one block of stuffing, and one frame
# Where an RP2040 speaks whose config cannot be read: the pins of its reference boards. Other chips have their console.
LINK = {"uart": 0, "baud": 115200, "tx": 0, "rx": 1}


def open_file(name: str) -> "Any":
    """A data file of the file system, beside main.py: MicroPython starts there, whatever its place is called."""
    return open(name, "rb")


def boot_image() -> None:
    """The start of an image, which has its modules frozen in, and its data in the generated module image_data.

    A release image reads nothing from the file system. In a bench image a data file of the file system replaces the
    frozen one, and Ctrl-C works as on the stock path."""
    kbd_intr(-1)
    from image_data import FILES, RELEASE

    def frozen(name: str) -> "Any":
        return BytesIO(FILES[name])

    def file_first(name: str) -> "Any":
        try:
            return open_file(name)
        except OSError:
            return frozen(name)

    if RELEASE:
        boot(frozen, True, True)
    else:
        kbd_intr(CTRL_C)
        boot(file_first, True)


def boot(open_data: "OpenData" = open_file, image: bool = False, release: bool = False) -> None:
    """`image`: the modules are frozen in. `release`: the watchdog runs from here on, and there is no prompt."""
    feed = WDT(timeout=WATCHDOG_MS).feed if release else nothing
    step = "board"
    try:
        outputs_off(board(open_data))
        step = "start"
        count_start()
        step = "files"
        if not image:
            check_files()
        step = "import"
        gc.threshold(PACK_BYTES)
        from firmware.main import main

        gc.threshold(-1)
        step = "start"
        main(open_data, 0 if release else PROMPT_MS, started)
    except BaseException as error:
        if not release and not isinstance(error, Exception):
            raise  # Ctrl-C
        text = step + ": " + (str(error) if isinstance(error, RuntimeError) else repr(error))
        while True:
            try:
                halted(open_data, text, feed)
            except KeyboardInterrupt:
                if not release:
                    break
            except Exception:
                pass  # out of memory: try again
        raise  # the console shows where, and then its prompt


def board(open_data: "OpenData") -> "Config":
    with open_data("board.json") as file:
        return json.load(file)


def outputs_off(config: "Config") -> None:
    """First of all. Loading the firmware takes a second, in which a floating pin could turn a motor."""
    for pin in config["outputs"].values():
        if not isinstance(pin, dict):  # on the port expander: lamps
            Pin(pin, Pin.OUT, value=0)


def check_files() -> None:
    """Every module as it was built: MicroPython runs a damaged one without a check, and may hang in it. A file that is
    not ours counts too: MicroPython would run app.py in place of app.mpy."""
    crc = 0
    for path in sorted(files_in("firmware") + files_in("hal")):
        with open(path, "rb") as file:
            crc = crc32(file.read(), crc)
    with open("files.crc") as file:
        if int(file.read(), 16) != crc:
            raise ValueError("%08x" % crc)


def files_in(folder: str) -> "list[str]":
    found: "list[str]" = []
    for entry in os.ilistdir(folder):
        path = folder + "/" + entry[0]
        if entry[1] == FOLDER:
            found += files_in(path)
        else:
            found.append(path)
    return found


def nothing() -> None:
    """Feed no watchdog: on the stock path and in a bench image it starts when the prompt is no longer offered."""
    return


def count_start() -> None:
    """Refuse to start after TRIES_MAX resets by the watchdog in a row, with no five seconds of scans between them."""
    count = tries(-1) if machine.reset_cause() == machine.WDT_RESET else 0
    if count >= TRIES_MAX:
        raise RuntimeError("reset %d times while starting" % count)
    tries(count + 1)


def started() -> None:
    tries(0)


def tries(count: int) -> int:
    """Write how often the device was started since it last ran well; -1: read it. Where the chip has a register that
    a reset by the watchdog leaves alone; elsewhere 0."""
    chip = os.uname()
    if chip[0] == "rp2":
        at = 0x400D800C if "RP2350" in chip[4] else 0x4005800C  # scratch register 0 of the watchdog
        mem32 = machine.mem32
        if count >= 0:
            mem32[at] = TRIES_MARK | count
        elif mem32[at + 16] == WDT_MAGIC and mem32[at] & ~TRIES_MASK == TRIES_MARK:
            return mem32[at] & TRIES_MASK
    return 0


def halted(open_data: "OpenData", text: str, feed: "Callable[[], None]") -> None:
    gc.collect()
    data = HEADER + text.encode()[:TEXT_MAX]
    data += crc32(data).to_bytes(4, "little")
    frame = b"\0"
    for part in data.split(b"\0"):
        frame += bytes((len(part) + 1,)) + part
    frame += b"\0"
    config: "Config" = {}
    link: "Config | None" = None
    try:
        config = board(open_data)
    except Exception:
        pass
    while True:
        feed()
        try:
            table_port(link or config["link"]).write(frame)
        except Exception:
            # Nothing is known, or what the config says is no port.
            link = LINK if os.uname()[0] == "rp2" else None
        print("fairshoe halted:", text)
        try:
            display(config, "%-20s%-20.20s%-20.20s%-20s" % ("OUT OF SERVICE", text, text[20:], "CALL A TECHNICIAN"))
        except Exception:
            pass  # there is none, or it is not there
        sleep_ms(1000)


def table_port(link: "Config") -> UART:
    """Open the table port and switch its line driver on, if the config has a pin for that."""
    uart = UART(link["uart"], link["baud"], tx=Pin(link["tx"]), rx=Pin(link["rx"]))
    if "de" in link:
        Pin(link["de"], Pin.OUT, value=1)
    return uart


def display(config: "Config", text: str) -> None:
    """Nibbles, four lines, no cursor, and the text, whatever was there. It is said again: nothing here waits for a
    display that has just got its power."""
    bus, address = config["expander"], config["display"]["address"]
    i2c = I2C(bus["i2c"], sda=Pin(bus["sda"]), scl=Pin(bus["scl"]))
    for value in b"\x33\x33\x32\x28\x0c\x06":
        order(i2c, address, value, 8)
    for line in range(4):
        order(i2c, address, b"\x80\xc0\x94\xd4"[line], 8)
        for value in text[line * 20 :][:20].encode():
            order(i2c, address, value, 9)


def order(i2c: I2C, address: int, value: int, how: int) -> None:
    for nibble in (value & 0xF0 | how, value << 4 & 0xF0 | how):
        i2c.writeto(address, bytes((nibble, nibble | 4, nibble)))
