"""Runs on the second Pico as main.py: the plant of hal/sim at the pins of the board under test (docs/TESTING.md).

Outputs of the board are stamped by an interrupt. Edges go to a PIO program as words, a pause and a pattern of pins, so
that a late interpreter does not make a late edge. Lines on USB are orders; every answer is a line that begins with @.
"""

import gc
import json
import select
import sys
from array import array
from time import sleep_ms, ticks_diff, ticks_us

from machine import Pin, mem32
from rp2 import PIO, StateMachine, asm_pio

sys.path.insert(0, "/")  # an image of ours has a package hal frozen in, without hal.sim

from hal.sim.wired import WiredPlant

GPIO_IN = 0xD0000004
HZ = 1000000
TURN_US = 4  # from one change of pins to the next for a word whose pause is 0
STAMPS = 64
QUIET_US = 6000  # longer than a collection takes
POLL_US = 1000
# Edges until memory is collected, at rest and while motors run. To ask for the free memory would take 4 ms.
EDGES_REST, EDGES_MAX = 20, 400
TURNS_REST = 1000  # the same for turns of the loop at rest
BEGIN_AGAIN_US = 1 << 28
PAUSE_BITS = 20


def edges_program(pins_count):
    """A word is a pause in microseconds, below, and the pins, above."""

    @asm_pio(out_init=(PIO.OUT_LOW,) * pins_count, out_shiftdir=PIO.SHIFT_RIGHT, fifo_join=PIO.JOIN_TX)
    def edges():
        pull(block)
        out(x, 20)
        label("wait")
        jmp(x_dec, "wait")
        out(pins, 12)

    return edges


class Clock:
    """Microseconds since it was made, through every wrap of the chip's ticks."""

    def __init__(self):
        self.begin_again()

    def at(self, ticks):
        """An instant of the last minutes, or now."""
        return self.us + ticks_diff(ticks, self.ticks)

    def begin_again(self):
        self.ticks = ticks_us()
        self.us = 0

    def now(self):
        ticks = ticks_us()
        self.us = self.at(ticks)
        self.ticks = ticks
        return self.us


class Stamps:
    """The outputs of the board under test: all pins and the time, at every change."""

    def __init__(self, masks):
        self.ticks = array("i", [0] * STAMPS)
        self.levels = array("i", [0] * STAMPS)
        self.put = 0
        self.got = 0
        self.mask = 0
        for mask in masks:
            self.mask |= mask
        for number in range(30):
            if self.mask >> number & 1:
                pin = Pin(number, Pin.IN, Pin.PULL_DOWN)
                pin.irq(self.changed, Pin.IRQ_RISING | Pin.IRQ_FALLING, hard=True)

    def changed(self, _pin):
        at = self.put % STAMPS
        self.ticks[at] = ticks_us()
        self.levels[at] = mem32[GPIO_IN] & self.mask
        self.put += 1


class Edges:
    """Gives words to PIO. `late` counts those that came after their time, `late_us` is the worst, at `late_at_ms`."""

    def __init__(self, wired, clock):
        self.wired = wired
        self.lag_us = wired.lag_us
        self.clock = clock
        self.last_us = 0  # when the pins will have changed for the last time
        self.late = self.late_us = self.late_at_ms = 0
        program = edges_program(wired.pin_count)
        self.machine = StateMachine(0, program, freq=HZ, out_base=Pin(wired.first_pin))
        self.machine.active(1)

    def darken(self, levels):
        pattern = self.wired.darken(levels)
        if pattern >= 0:
            self.machine.put(pattern << PAUSE_BITS)

    def play(self, counts=True):
        """What a hand does has no time to keep and does not count as late."""
        words = self.wired.take()
        if not words:
            return
        now_us = self.clock.now()
        last_us = self.last_us if self.last_us > now_us else now_us
        for at_us, pattern in words:
            pause_us = at_us + self.lag_us - last_us - TURN_US
            if pause_us < 0:
                if counts and pause_us < -TURN_US:
                    self.late += 1
                    if -pause_us > self.late_us:
                        self.late_us = -pause_us
                        self.late_at_ms = now_us // 1000
                pause_us = 0
            self.machine.put(pattern << PAUSE_BITS | pause_us)
            last_us += pause_us + TURN_US
        self.last_us = last_us


class Orders:
    """Lines from USB, without waiting for them."""

    def __init__(self):
        self.poll = select.poll()
        self.poll.register(sys.stdin, select.POLLIN)
        self.text = ""

    def next(self):
        """A whole line, or nothing yet."""
        while any(self.poll.ipoll(0)):
            char = sys.stdin.read(1)
            if char in "\r\n":
                line, self.text = self.text, ""
                if line:
                    return line
            else:
                self.text += char
        return ""


def run(wired, stamps, edges, clock):
    orders = Orders()
    collected = turns = 0  # edges at the last collection, turns since
    while True:
        now_us = clock.now()
        while stamps.got != stamps.put:
            if stamps.put - stamps.got > STAMPS:
                print("@ lost", stamps.put - stamps.got)
                stamps.got = stamps.put - 1
            at = stamps.got % STAMPS
            edges.darken(stamps.levels[at])
            wired.switch(stamps.levels[at], clock.at(stamps.ticks[at]))
            stamps.got += 1
            edges.play()
        wired.advance(now_us)
        edges.play()
        quiet_us = wired.quiet_us()
        if quiet_us < POLL_US:
            continue
        turns += 1
        rests = quiet_us > QUIET_US and wired.rests()
        if rests and now_us > BEGIN_AGAIN_US and wired.begin_again():
            clock.begin_again()
            edges.last_us = 0
        if (rests and turns > TURNS_REST) or (
            quiet_us > QUIET_US and wired.shown - collected > (EDGES_REST if rests else EDGES_MAX)
        ):
            collected = wired.shown
            turns = 0
            gc.collect()
            continue
        line = orders.next()
        if line == "status":
            state = wired.state()
            state.update({"ms": now_us // 1000})
            state.update({"late": edges.late, "late_us": edges.late_us, "late_at_ms": edges.late_at_ms})
            print("@", json.dumps(state))
        elif line:
            print("@", wired.order(line))
            edges.play(False)
        elif quiet_us > QUIET_US:
            sleep_ms(1)


def start():
    with open("twin.json") as file:
        given = json.load(file)
    wired = WiredPlant(given["board"], tuple(given["lines"]), given["seed"])
    stamps = Stamps(wired.masks)
    clock = Clock()
    edges = Edges(wired, clock)
    wired.switch(mem32[GPIO_IN] & stamps.mask, clock.now())
    gc.collect()
    gc.threshold(-1)
    print("@ ready", given["board"]["name"], "lag", wired.lag_us, "us, free", gc.mem_free())
    run(wired, stamps, edges, clock)


start()
