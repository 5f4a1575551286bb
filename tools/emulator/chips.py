"""The chips beside the processor: FRAM on SPI, a port expander on I2C, and the noise bit of the ring oscillator."""

import random
from collections.abc import Callable
from typing import Any

from emulator.pico import Pico

_SPI_READ, _SPI_WRITE, _SPI_WRDI, _SPI_RDSR, _SPI_WREN = 0x03, 0x02, 0x04, 0x05, 0x06
_ROSC_PAGE = 0x40060
_ROSC_RANDOMBIT = 0x1C


class Fram:
    """SPI FRAM with two-byte addresses; a byte takes eight of the programmed clock's cycles."""

    def __init__(self, pico: Pico, config: dict[str, Any], data: bytearray) -> None:
        self.data = data  # it keeps it without power
        self.writes = 0
        self._spi = pico.mcu.spi[config["spi"]]
        self._selected = False
        self._got = bytearray()
        self._at = 0
        self._enabled = False
        self._answer = 0
        self._alarm = pico.alarm(self._shifted)
        self._spi.on_transmit = self._transmit
        pico.listen(config["cs"], self._select)

    def _select(self, level: bool) -> None:
        self._selected = not level
        if level:
            opcode = self._got[0] if self._got else 0
            if opcode == _SPI_WREN:
                self._enabled = True
            elif opcode in (_SPI_WRITE, _SPI_WRDI):
                self._enabled = False
                self.writes += opcode == _SPI_WRITE
        self._got = bytearray()

    def _transmit(self, value: int) -> None:
        self._answer = self._exchange(value) if self._selected else 0xFF
        self._alarm.schedule(8e9 / max(self._spi.clock_frequency, 1))

    def _shifted(self) -> None:
        self._spi.complete_transmit(self._answer)

    def _exchange(self, value: int) -> int:
        if self._got and self._got[0] == _SPI_RDSR:
            return 2 if self._enabled else 0
        if len(self._got) < 3:
            self._got.append(value)
            if len(self._got) == 3:
                self._at = self._got[1] << 8 | self._got[2]
            return 0
        at = self._at % len(self.data)
        self._at += 1
        if self._got[0] == _SPI_WRITE and self._enabled:
            self.data[at] = value
        return self.data[at] if self._got[0] == _SPI_READ else 0


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


def replace_ring_oscillator(pico: Pico, seed: int) -> None:
    """Give the noise bit noise: the emulator's never changes, and the firmware refuses to shuffle with that."""
    block = pico.mcu.peripherals[_ROSC_PAGE]
    noise = random.Random(seed)
    read = block.read_uint32

    def read_noise(offset: int) -> int:
        return noise.getrandbits(1) if offset == _ROSC_RANDOMBIT else read(offset)

    block.read_uint32 = read_noise


def _nothing() -> None:
    return
