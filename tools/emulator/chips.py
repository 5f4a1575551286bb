"""The chips beside the processor: FRAM on SPI, a port expander on I2C, and the noise bit of the ring oscillator."""

import random
from collections.abc import Callable
from typing import Any

from emulator.pico import Pico
from hal.sim.fram import FramChip

_ROSC_PAGE = 0x40060
_ROSC_RANDOMBIT = 0x1C


class FramBus:
    """The FRAM at its SPI; a byte takes eight of the programmed clock's cycles."""

    def __init__(self, pico: Pico, config: dict[str, Any], chip: FramChip) -> None:
        self._chip = chip
        self._spi = pico.mcu.spi[config["spi"]]
        self._answer = 0
        self._alarm = pico.alarm(self._shifted)
        self._spi.on_transmit = self._transmit
        pico.listen(config["cs"], chip.select)

    def _transmit(self, value: int) -> None:
        self._answer = self._chip.shift(bytes((value,)))[0]
        self._alarm.schedule(8e9 / max(self._spi.clock_frequency, 1))

    def _shifted(self) -> None:
        self._spi.complete_transmit(self._answer)


class Mcp23017:
    """The registers a panel needs: direction, polarity, pull-ups, levels and latches, sixteen bits each."""

    _IODIR, _IPOL, _GPIO, _OLAT = 0x00, 0x02, 0x12, 0x14

    def __init__(self, pico: Pico, config: dict[str, Any]) -> None:
        self.registers = bytearray(0x16)
        self.registers[0] = self.registers[1] = 0xFF
        self.contacts = 0  # a set bit is a button held down, its pin pulled to ground
        self.polls = 0
        self._address = config["address"]
        self._at = -1
        self._i2c = pico.mcu.i2c[config["i2c"]]
        self._next: Callable[[], None] = _nothing
        self._alarm = pico.alarm(lambda: self._next())
        self._i2c.on_start = self._start
        self._i2c.on_connect = self._connect
        self._i2c.on_write_byte = self._write
        self._i2c.on_read_byte = self._read
        self._i2c.on_stop = lambda: self._after(1, self._i2c.complete_stop)

    def lamps(self) -> int:
        return self._word(self._OLAT) & ~self._word(self._IODIR)

    def _after(self, bits: int, action: Callable[[], None]) -> None:
        self._next = action
        self._alarm.schedule(bits * 2500)  # 400 kHz

    def _start(self, repeated: bool) -> None:
        self._after(2, self._i2c.complete_start)

    def _connect(self, address: int, mode: int) -> None:
        known = address == self._address
        if known and int(mode) == 0:
            self._at = -1
        self._after(9, lambda: self._i2c.complete_connect(known))

    def _write(self, value: int) -> None:
        if self._at < 0:
            self._at = value
        else:
            self.registers[self._at % len(self.registers)] = value
            self._at += 1
        self._after(9, lambda: self._i2c.complete_write(True))

    def _read(self, ack: bool) -> None:
        at = self._at % len(self.registers)
        self._at += 1
        value = self.registers[at]
        if at in (self._GPIO, self._GPIO + 1):
            levels = ~self.contacts & 0xFFFF ^ self._word(self._IPOL)
            value = levels >> 8 * (at - self._GPIO) & 0xFF
            self.polls += 1
        self._after(9, lambda: self._i2c.complete_read(value))

    def _word(self, register: int) -> int:
        return self.registers[register] | self.registers[register + 1] << 8


class RingOscillator:
    """Gives the noise bit noise: the emulator's never changes, and the firmware refuses to shuffle with that."""

    def __init__(self, pico: Pico, seed: int) -> None:
        self.stuck = False
        self._noise = random.Random(seed)
        block = pico.mcu.peripherals[_ROSC_PAGE]
        self._read_other = block.read_uint32
        block.read_uint32 = self._read

    def _read(self, offset: int) -> int:
        if offset != _ROSC_RANDOMBIT:
            return self._read_other(offset)
        return 0 if self.stuck else self._noise.getrandbits(1)


def _nothing() -> None:
    return
