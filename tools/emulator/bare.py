"""What a bare Pico can show at the prompt of a bench image, with nothing wired to it: a line for each figure."""

import gc
import json
import sys
from array import array
from io import BytesIO
from time import sleep_ms, ticks_diff, ticks_ms, ticks_us

import micropython
from image_data import FILES, IDENTITY
from machine import Pin, freq

import hal.board.fram
from firmware.main import start
from firmware.version import VERSION_TEXT

FLASH = 0x10000000
LINE_BYTES = 8
FAR_BYTES = 128 * 1024  # eight times the cache: every line is a miss
NEAR_BYTES = 1024
SCANS = 300
EDGES = 200
NOISE_BYTES = 512


def say(word, *figures):
    print("@", word, *figures)


@micropython.viper
def read_lines(start: int, lines: int, times: int):
    word = 0
    while times:
        at = ptr32(start)  # noqa: F821
        left = lines
        while left:
            word += at[0]
            at = ptr32(uint(at) + 8)  # noqa: F821
            left -= 1
        times -= 1


def miss_cycles():
    """What a line costs that is not in the cache, beyond one that is. The loop itself lies in RAM."""
    lines, near = FAR_BYTES // LINE_BYTES, NEAR_BYTES // LINE_BYTES
    began_us = ticks_us()
    read_lines(FLASH, lines, 1)
    far_us = ticks_diff(ticks_us(), began_us)
    began_us = ticks_us()
    read_lines(FLASH, near, lines // near)
    near_us = ticks_diff(ticks_us(), began_us)
    return (far_us - near_us) * (freq() // 1000000) // lines


def interrupt_us(number):
    """From an edge that the pin itself makes to the first line of its handler: least, sum and worst."""
    stamp = array("i", [0])

    def seen(_pin):
        stamp[0] = ticks_us()

    pin = Pin(number, Pin.OUT, value=0)
    pin.irq(seen, Pin.IRQ_RISING, hard=True)
    least, total, worst = 1000000, 0, 0
    for _ in range(EDGES):
        began_us = ticks_us()
        pin.value(1)
        pin.value(0)
        took_us = ticks_diff(stamp[0], began_us)
        least, total, worst = min(least, took_us), total + took_us, max(worst, took_us)
    pin.irq(None)
    return least, total // EDGES, worst


class Cells:
    """Storage in RAM, for no chip is there."""

    def __init__(self, _spi, config):
        self.cells = bytearray(config["bytes"])

    def nv_read(self, address, buf):
        buf[:] = self.cells[address : address + len(buf)]
        return True

    def nv_prog(self, address, buf):
        self.cells[address : address + len(buf)] = buf
        return True

    def nv_erase(self, address, size):
        return True

    def nv_sync(self):
        return True


def scans(config):
    """Of a device at rest: how many, their mean and the worst in microseconds; then its heap, in use and free."""
    hal.board.fram.Fram = Cells
    for part in ("expander", "display"):
        config.pop(part, None)
    data = dict(FILES)
    data["board.json"] = json.dumps(config).encode()
    app = start(lambda name: BytesIO(data[name]))
    app.hal.watchdog_feed = lambda: None  # once started it would end the prompt
    total = worst = 0
    for _ in range(SCANS):
        began_us = ticks_us()
        app.scan(ticks_ms())
        took_us = ticks_diff(ticks_us(), began_us)
        total += took_us
        worst = max(worst, took_us)
        sleep_ms(2)
    app.hal.all_off()
    gc.collect()
    noise = bytearray(NOISE_BYTES)
    app.hal.entropy_into(noise)
    return (SCANS, total // SCANS, worst, gc.mem_alloc(), gc.mem_free()), noise


def main():
    config = json.loads(FILES["board.json"])
    say("identity", IDENTITY.decode().strip())
    say("version", VERSION_TEXT.decode(), sys.version, sys.implementation._machine)
    say("clock", freq())
    say("miss", miss_cycles())
    say("interrupt", *interrupt_us(config["outputs"]["dark"]))
    figures, noise = scans(config)
    say("scans", *figures)
    say("noise", noise.hex())


main()
