"""MicroPython's `machine`, `pyb` and `stm` of an STM32H7 for tests: buses with fixed pins, timers and registers."""

import fake_chip
from fake_chip import Module, World

from hal.sim.stepper import FAR_US

USART2, USART6 = 0x40004400, 0x40011400
ISR, TDR = 0x1C, 0x28
RNG, SR = 0x48021800, 0x04
TIMER_HZ = 200000000


class StmPin(fake_chip.Pin):
    """Interrupts of one number share a line, whatever the bank; nothing comes back that could be switched off."""

    def irq(self, handler, trigger, hard=False):
        fake_chip.Pin.irq(self, handler, trigger, hard)


class FixedSpi(fake_chip.Spi):
    def __init__(self, number, baudrate):
        assert number == 3
        self.world.wire_fram()


class FixedI2c(fake_chip.I2c):
    def __init__(self, number, scl=None, sda=None, freq=400000, timeout=50000):
        if scl is not None or sda is not None:
            raise ValueError("explicit choice of scl/sda is not implemented")
        assert number == 1
        self.registers = self.world.expander


class Usart(fake_chip.Uart):
    """Sends through its registers; MicroPython's own write would wait for the last bit."""

    def __init__(self, number, baud, rxbuf):
        self.received = bytearray()
        self.sent = bytearray()
        self.base = {2: USART2, 6: USART6}[number]
        self.world.uart = self

    def write(self, *arguments):
        raise AssertionError("this write would wait")


class PybTimer:
    """Counts from 0 to its period, over and over. As MicroPython sets it up, a new period is buffered: it holds from
    the next turn on, and only `init` begins one."""

    world = None

    def __init__(self, number, freq):
        assert all(number != other.number for other in self.world.parts), "one timer, two users"
        self.number = number
        self.due_us = FAR_US
        self.period_us = self.next_us = 1000000 // freq
        self.zero_us = self.world.now_us  # when the counter was 0
        self.handler = None
        self.world.parts.append(self)

    def source_freq(self):
        return TIMER_HZ

    def init(self, prescaler, period):
        assert prescaler + 1 == TIMER_HZ // 1000000
        self.period_us = self.next_us = period
        self.zero_us = self.world.now_us

    def period(self, value):
        self.next_us = value

    def callback(self, handler):
        self.handler = handler
        now_us = self.world.now_us
        # It counts all the time, whether or not a handler is called; past its period it goes all the way round.
        left_us = self.zero_us + self.period_us - now_us
        self.due_us = FAR_US if handler is None else now_us + (left_us if left_us >= 0 else self.period_us)

    def fire(self):
        self.zero_us = self.world.now_us
        self.period_us = self.next_us
        self.due_us = self.world.now_us + self.period_us
        self.handler(self)


class Vcp:
    """What USB_VCP does with flow control on: with CTS it takes what fits and says so, with RTS the host waits with
    what does not."""

    RTS, CTS = 1, 2
    world = None

    def init(self, flow):
        self.flow = flow

    def any(self):
        return len(self.world.usb.received) > 0

    def readinto(self, buf):
        usb = self.world.usb
        size = min(len(buf), len(usb.received))
        got = bytearray(size)
        usb.readinto(got)
        buf[:size] = got
        return size or None

    def write(self, buf, start, size):
        usb = self.world.usb
        assert self.flow & self.CTS, "what does not fit would overwrite what is there"
        size = min(size, usb.room)
        usb.write(buf[start : start + size])
        return size or None


class Memory:
    world = None

    def __getitem__(self, address):
        world = self.world
        if address == RNG + SR:
            return world.rng_status
        assert address == world.uart.base + ISR
        return 0x80 if len(world.uart.sent) < world.uart_room else 0

    def __setitem__(self, address, value):
        assert address == self.world.uart.base + TDR
        assert len(self.world.uart.sent) < self.world.uart_room, "the queue is full: a byte is lost"
        self.world.uart.sent.append(value)


class Stm32World(World):
    port = "stm32"
    kinds = World.kinds + (StmPin, FixedSpi, FixedI2c, Usart, PybTimer, Vcp, Memory)

    def __init__(self, config, lines, seed):
        self.rng_status = 0
        World.__init__(self, config, lines, seed)

    def modules(self):
        modules = World.modules(self)
        machine = modules["machine"]
        machine.Pin = StmPin
        machine.SPI = FixedSpi
        machine.I2C = FixedI2c
        machine.UART = Usart
        modules["pyb"] = Module(Timer=PybTimer, USB_VCP=Vcp, rng=_rng)
        modules["stm"] = Module(
            mem32=Memory(), RNG=RNG, RNG_SR=SR, USART2=USART2, USART6=USART6, USART_ISR=ISR, USART_TDR=TDR
        )
        return modules


def _rng():
    world = fake_chip.Pin.world
    if world.noise_kind == "dead":
        raise OSError("RNG failed")
    return world.noise() >> 2
