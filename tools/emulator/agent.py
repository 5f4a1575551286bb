"""Runs on the device instead of main.py: makes the port and calls its verbs as the test writes into its memory.

An order is put into `box` from outside, and so is its answer taken out. No port of the device has a part in that, so
that every one of them can be tried.
"""

import gc
import json
import struct
import sys
from time import sleep_ms

import machine
import micropython
from uctypes import addressof

from firmware.image import INPUTS, OUTPUTS, Inputs
from hal.rp2.port import make_hal

ORDER, DONE, FAILED = 1, 2, 3
HEAD = "<BBHiii"  # state, length of the verb's name, length of what follows it, and three numbers
HEAD_BYTES = struct.calcsize(HEAD)
box = bytearray(6144)
inp = Inputs()
hals = []  # the one there is
answer = bytearray(0)


def say(data):
    global answer
    answer = data
    return len(data)


def start(a, b, c, data):
    hals.append(make_hal(json.loads(data), INPUTS, OUTPUTS))


def sample(a, b, c, data):
    """Into an image that holds so many edges already."""
    inp.edge_count = a
    inp.edge_lost = False
    news = hals[0].sample(inp)
    found = bytearray((inp.axis, 1 if inp.edge_lost else 0, inp.noisy)) + inp.raw
    for i in range(a, inp.edge_count):
        found += struct.pack("<BI", inp.edge[i], inp.edge_us[i])
    say(found)
    return news


def read(a, b, c, data):
    buf = bytearray(a)
    got = hals[0].link_readinto(buf)
    say(buf[:got])
    return got


def noise(a, b, c, data):
    buf = bytearray(a)
    good = hals[0].entropy_into(buf)
    say(buf)
    return good


def cells(a, b, c, data):
    buf = bytearray(b)
    good = hals[0].nv_read(a, buf)
    say(buf)
    return good


def hang(a, b, c, data):
    while True:
        sleep_ms(100)


VERBS = {
    "start": start,
    "sample": sample,
    "link_readinto": read,
    "entropy_into": noise,
    "nv_read": cells,
    "hang": hang,
    "reset": lambda a, b, c, data: machine.reset(),
    "collect": lambda a, b, c, data: gc.collect(),
    "ticks_ms": lambda a, b, c, data: hals[0].ticks_ms(),
    "ticks_us": lambda a, b, c, data: hals[0].ticks_us(),
    "idle": lambda a, b, c, data: hals[0].idle(a),
    "drive": lambda a, b, c, data: hals[0].drive(bytearray(data), a != 0),
    "all_off": lambda a, b, c, data: hals[0].all_off(),
    "move": lambda a, b, c, data: hals[0].move(a, b != 0),
    "stop_after": lambda a, b, c, data: hals[0].stop_after(a, b, c),
    "show": lambda a, b, c, data: hals[0].show(tuple(str(data, "utf-8").split("\n"))),
    "lines": lambda a, b, c, data: say("\n".join(hals[0].lines).encode()),
    "link_write": lambda a, b, c, data: hals[0].link_write(memoryview(bytes(data)), a, b),
    "link_service": lambda a, b, c, data: hals[0].link_service(a != 0),
    "watchdog_feed": lambda a, b, c, data: hals[0].watchdog_feed(),
    "reset_cause": lambda a, b, c, data: hals[0].reset_cause(),
    "unique_id": lambda a, b, c, data: hals[0].unique_id(),
    "nv_prog": lambda a, b, c, data: hals[0].nv_prog(a, bytearray(data)),
    "nv_erase": lambda a, b, c, data: hals[0].nv_erase(a, b),
    "nv_sync": lambda a, b, c, data: hals[0].nv_sync(),
}


def obey():
    _, size, more, a, b, c = struct.unpack_from(HEAD, box)
    at = HEAD_BYTES + size
    verb = VERBS[bytes(box[HEAD_BYTES:at]).decode()]
    say(b"")
    state = DONE
    result = 0
    try:
        result = int(verb(a, b, c, memoryview(box)[at : at + more]) or 0)
    except Exception as error:
        say(repr(error).encode())
        state = FAILED
    box[HEAD_BYTES : HEAD_BYTES + len(answer)] = answer
    struct.pack_into(HEAD, box, 0, ORDER, 0, len(answer), result, 0, 0)
    box[0] = state  # last: it is looked at at any time


def serve():
    micropython.kbd_intr(-1)
    print("@ box", addressof(box))
    while True:
        while box[0] != ORDER:
            sleep_ms(1)
        obey()


try:
    serve()
except BaseException as error:
    print("@ error")
    sys.print_exception(error)
    raise
