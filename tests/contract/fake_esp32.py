"""MicroPython's `machine` of an ESP32-S3 for tests: handlers wait for the VM in a queue of eight, no timer is hard."""

import fake_chip
from fake_chip import Module, World

from hal.sim.stepper import FAR_US

QUEUE = 8  # MICROPY_SCHEDULER_DEPTH


class SoftPin(fake_chip.Pin):
    def irq(self, handler, trigger, wake=None):
        self.pad.hear(handler and (lambda: self.world.schedule(handler, self)), trigger)
        return self


class SoftTimer(fake_chip.Timer):
    def init(self, mode, period, tick_hz, callback, hard=False):
        if hard:
            raise ValueError("hard Timers are not implemented")
        assert period > 0
        fake_chip.Timer.init(self, mode, period, tick_hz, callback, True)

    def fire(self):
        self.due_us = FAR_US
        self.world.schedule(self.callback, self)


class WaitingUart(fake_chip.Uart):
    """A write that finds no room would wait for it; the only thing to ask is whether everything is gone."""

    def txdone(self):
        return not self.sent

    def write(self, buf, offset, size):
        self.sent.extend(buf[offset : offset + size])
        assert len(self.sent) <= 512, "this write would wait"
        return size


class Esp32World(World):
    port = "esp32"
    kinds = World.kinds + (SoftPin, SoftTimer, WaitingUart)

    def __init__(self, config, lines, seed):
        self.queue = []
        self.dropped = 0
        self.busy = False  # the VM is in some long call: nothing is handled
        self.handling = False
        World.__init__(self, config, lines, seed)
        self.usb.drops = True

    def schedule(self, handler, argument):
        if len(self.queue) == QUEUE:
            self.dropped += 1
            return
        self.queue.append((handler, argument))
        if not self.busy:
            self.handle()

    def handle(self):
        if self.handling:
            return
        self.handling = True
        while self.queue:
            handler, argument = self.queue.pop(0)
            handler(argument)
        self.handling = False

    def run_busy(self, us):
        """Time goes on while the VM is in one long call."""
        self.busy = True
        self.run(us)
        self.busy = False
        self.handle()

    def modules(self):
        modules = World.modules(self)
        machine = modules["machine"]
        machine.Pin = SoftPin
        machine.Timer = SoftTimer
        machine.UART = WaitingUart
        modules["os"] = Module(urandom=_urandom)
        modules["micropython"] = Module(const=lambda value: value, schedule=_schedule, kbd_intr=lambda char: None)
        return modules


def _schedule(handler, argument):
    world = fake_chip.Pin.world
    if len(world.queue) == QUEUE:
        raise RuntimeError("schedule queue full")
    world.schedule(handler, argument)


def _urandom(size):
    return bytes([fake_chip.Pin.world.noise() & 0xFF for _ in range(size)])
