"""Runs on the device instead of main.py: the same start and the same loop, with a clock around every scan.

Reports on the console. What it measures with costs memory and time of its own: a little more than the product needs.
"""

import gc
import json
import sys
from io import BytesIO
from time import ticks_diff, ticks_ms, ticks_us

import micropython
from machine import Pin, mem32

gc.collect()
free_before = gc.mem_free()
gc.threshold(16384)  # as hal/boot_main.py does

from firmware.games.deck_steps import PHASE_HOLDING  # noqa: E402
from firmware.games.flow import DRAW_READY, DRAWING, SHUFFLING, WAITING_FOR_DECK, WARNING  # noqa: E402
from firmware.image import IN_THROAT_A, IN_THROAT_B, NO_LINE, motors_running  # noqa: E402
from firmware.main import collect, run  # noqa: E402
from firmware.main import start as make  # noqa: E402
from firmware.version import VERSION_TEXT  # noqa: E402

gc.threshold(-1)


def open_data(name):
    """A file beside main.py; on a bench image that has none, the frozen one."""
    try:
        return open(name, "rb")
    except OSError:
        from image_data import FILES

        return BytesIO(FILES[name])


def say(word, *figures):
    print("@", word, *figures)


# The C stack lies behind the heap. The SDK's guard has its first bytes; the upper half is in use while this is painted.
STACK = 0x20080000 if "RP2350" in sys.implementation._machine else 0x20040000
STACK_BYTES, GUARD_BYTES, PAINT = 8192, 64, 0x5AFE57AC


def paint_stack():
    for at in range(STACK + GUARD_BYTES, STACK + STACK_BYTES // 2, 4):
        mem32[at] = PAINT


def stack_used():
    at = STACK + GUARD_BYTES
    while mem32[at] == PAINT:
        at += 4
    return STACK + STACK_BYTES - at


def locked(decide):
    """From here on an allocation in decide is a MemoryError, which ends the run."""

    def decide_locked(now_ms):
        micropython.heap_lock()
        try:
            return decide(now_ms)
        finally:
            micropython.heap_unlock()

    return decide_locked


def count(figures, took_us):
    figures[0] += 1
    figures[1] += took_us
    figures[2] = max(figures[2], took_us)


class Timed:
    """What run() needs of an app, with figures: scans, microseconds, the worst; apart while cards move."""

    def __init__(self, app, throat):
        self.app = app
        self.throat = throat  # pins of its beams
        self.hal = app.hal
        self.inp = app.inp
        self.out = app.out
        self.scan_ms_max = app.scan_ms_max
        self.draws = app.flow.machine.draws
        self.state = -1
        self.phase = -1
        self.heap = 0
        self.jobs = 0
        self.good = 0  # frames in and out before a scan
        self.sent = 0
        self.moving = [0, 0, 0]
        self.quiet = [0, 0, 0]
        self.noisy = [0, 0, 0]  # while a line is noise, besides
        self.worst = [0, 0]  # the longest of the moving: frames in, frames out

    def resting(self):
        return self.app.resting()

    def overran(self, took_ms):
        self.app.overran(took_ms)

    def scan(self, now_ms):
        link = self.app.link
        self.good = link.reader.good
        self.sent = link.session.sent
        drawn = self.draws and self.in_throat()
        began_us = ticks_us()
        wake_ms = self.app.scan(now_ms)
        self.scanned(ticks_diff(ticks_us(), began_us), drawn)
        return wake_ms

    def scanned(self, took_us, drawn):
        """Apart from `scan`: together they had a frame on the heap, and MicroPython looked for room from there on
        whenever the scan made something."""
        drawn = drawn or (self.draws and self.in_throat())
        figures = self.moving if drawn or motors_running(self.inp, self.out) else self.quiet
        if figures is self.moving and took_us > figures[2]:
            link = self.app.link
            self.worst[0] = link.reader.good - self.good
            self.worst[1] = link.session.sent - self.sent
        count(figures, took_us)
        if self.inp.noisy != NO_LINE:
            count(self.noisy, took_us)
        elif self.noisy[0]:
            say("noisy", *self.noisy)
            self.noisy[0] = self.noisy[1] = self.noisy[2] = 0
        flow = self.app.flow
        if flow.state != self.state or flow.phase != self.phase:
            self.changed(flow)

    def in_throat(self):
        """Whether a hand moves a card: a throat beam is blocked, or the firmware does not know yet that it is clear.
        Asked before a scan and after it, so that one counts that begins or ends a card's passage, and one during which
        a card comes. Before a deck is in, no hand draws: beams are dark in the self-test, and may be noise at rest."""
        if self.app.flow.state not in (DRAW_READY, DRAWING):
            return False
        for pin in self.throat:
            if pin.value():
                return True
        inp = self.inp
        return bool(inp.raw[IN_THROAT_A] or inp.raw[IN_THROAT_B] or inp.level[IN_THROAT_A] or inp.level[IN_THROAT_B])

    def changed(self, flow):
        state = flow.state
        if state == WAITING_FOR_DECK and self.state != WAITING_FOR_DECK:
            self.waiting()
        if self.state == DRAWING and state == DRAW_READY:  # the deck of a draw shoe stays: its rounds end here
            self.waiting()
        if state == DRAWING and self.state != DRAWING:  # what blocked a beam before was the dark of a beam test
            self.figures("loading")
            self.clear()
        if state == SHUFFLING and self.state != SHUFFLING:
            self.figures("preparing")
            self.clear()
            say("shuffling")
            self.heap = gc.mem_alloc()
        if state == SHUFFLING and flow.phase == PHASE_HOLDING:
            heap = gc.mem_alloc()
            self.figures("intake")
            self.clear()
            say("heap_grown", heap - self.heap)
            say("heap_least", gc.mem_free())
            say("counted", flow.machine.count, flow.machine.second, flow.machine.feed.misfeeds)
            say("done")
        if state == WARNING and self.state != WARNING:
            say("warning", flow.warning)
            self.figures("stopped")
            self.clear()
        if self.state == WARNING and state != WARNING:
            self.figures("warned")
            self.clear()
        self.state = state
        self.phase = flow.phase

    def waiting(self):
        """Between two jobs. The first is timed as the product runs; from the second on decide may not allocate, which
        takes time of its own to watch."""
        self.figures("job")
        gc.collect()
        say("heap_rest", self.jobs, gc.mem_alloc(), gc.mem_free())
        micropython.mem_info()  # the largest free block, which no function returns
        say("stack", stack_used(), STACK_BYTES)
        collect()  # what it leaves behind is part of the product's pace
        say("ready", ticks_ms())
        self.jobs += 1
        if self.jobs == 3:
            self.app.decide = locked(self.app.decide)
            say("locked")
        self.clear()

    def figures(self, name):
        say(name, *self.moving)
        say(name + "_worst", *self.worst)
        say(name + "_quiet", *self.quiet)

    def clear(self):
        for i in range(3):
            self.moving[i] = self.quiet[i] = 0
        self.worst[0] = self.worst[1] = 0


def start():
    paint_stack()
    app = make(open_data)
    gc.collect()
    say("version", VERSION_TEXT.decode(), sys.version)
    say("heap", gc.mem_alloc(), gc.mem_free(), free_before)
    say("booted", ticks_ms())
    with open_data("board.json") as file:
        inputs = json.load(file)["inputs"]
    run(Timed(app, [Pin(inputs[name]) for name in ("throat_a", "throat_b")]), lambda: None)


try:
    start()
except BaseException as error:
    say("error")
    sys.print_exception(error)
    raise
