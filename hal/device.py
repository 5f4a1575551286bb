"""The main.py of a device: motors off, the files whole, then the firmware. If that cannot start: why, for ever.

Shipped as source under the name that MicroPython looks for, with a call of `boot` at its end, and in need of nothing
else of ours: whatever is missing, broken or cut short, what is left can say so. It says it every second, in a frame
(message `halted` of docs/PROTOCOL.md) at the table port and in a line of text at the console. Ctrl-C at the console
ends that, for whoever has to replace the files; there is no prompt at the table port.
"""

import gc
import json
import os
from binascii import crc32
from time import sleep_ms

from machine import UART, Pin
from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config

# Version 1, class diagnostic; message 74; session 0, link sequence 0.
HEADER = b"\x18\x00\x4a\x00\x00\x00\x00\x00"
TEXT_MAX = const(200)  # one block of stuffing, and one frame
# Where an RP2040 speaks whose config cannot be read: the pins of its reference boards. Other chips have their console.
LINK = {"uart": 0, "baud": 115200, "tx": 0, "rx": 1}


def boot() -> None:
    link: "Config | None" = None
    step = "board"
    try:
        with open("board.json") as file:
            config = json.load(file)
        # First of all. Loading the firmware takes two seconds, in which a floating pin could turn a motor.
        for pin in config["outputs"].values():
            if not isinstance(pin, dict):  # on the port expander: lamps
                Pin(pin, Pin.OUT, value=0)
        link = config["link"]
        config = None
        step = "files"
        check_files()
        step = "import"
        from firmware.main import main

        step = "start"
        main()
    except Exception as error:
        try:
            halted(link, step + ": " + repr(error))
        except KeyboardInterrupt:
            pass
        raise  # the console shows where, and then its prompt


def check_files() -> None:
    """Every module as it was built: MicroPython runs a damaged one without looking, and may hang in it."""
    crc = 0
    for name in sorted(os.listdir()):
        if name.endswith(".mpy"):
            with open(name, "rb") as file:
                crc = crc32(file.read(), crc)
    with open("files.crc") as file:
        if int(file.read(), 16) != crc:
            raise ValueError("%08x" % crc)


def halted(link: "Config | None", text: str) -> None:
    gc.collect()
    data = HEADER + text.encode()[:TEXT_MAX]
    data += crc32(data).to_bytes(4, "little")
    frame = b"\0"
    for part in data.split(b"\0"):
        frame += bytes((len(part) + 1,)) + part
    frame += b"\0"
    while True:
        try:
            table_port(link).write(frame)
        except Exception:
            # Nothing is known, or what the config says is no port.
            link = LINK if os.uname()[0] == "rp2" else None
        print("fairshoe halted:", text)
        sleep_ms(1000)


def table_port(link: "Config | None") -> UART:
    if link is None:
        raise ValueError
    try:
        return UART(link["uart"], link["baud"], tx=Pin(link["tx"]), rx=Pin(link["rx"]))
    except TypeError:
        return UART(link["uart"], link["baud"])  # of a chip whose UARTs have their own pins
