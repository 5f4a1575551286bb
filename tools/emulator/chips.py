"""The chips beside the processor: FRAM on SPI, port expander and display on I2C, noise of the ring oscillator."""

import random
from collections.abc import Callable
from typing import Any

from emulator.pico import Pico
from hal.sim.fram import FramChip
from hal.sim.lcd import LcdChip

_ROSC_PAGE = 0x40060
_ROSC_RANDOMBIT = 0x1C
_RESET_I2C0 = 1 << 3  # in the register that resets parts of the chip; the next bit is the other controller's


class FramBus:
    """The FRAM at its SPI; a byte takes eight of the programmed clock's cycles."""

    def __init__(self, pico: Pico, config: dict[str, Any], chip: FramChip) -> None:
        self._chip = chip
        self.bytes_a_flip = 0  # a bad contact: of so many bytes that are read, one has a wrong bit
        self._draw = random.Random(chip.writes)
        self._spi = pico.mcu.spi[config["spi"]]
        self._answer = 0
        self._alarm = pico.alarm(self._shifted)
        self._spi.on_transmit = self._transmit
        pico.listen(config["cs"], chip.select)

    def _transmit(self, value: int) -> None:
        self._answer = self._chip.shift(bytes((value,)))[0]
        if self.bytes_a_flip and not self._draw.randrange(self.bytes_a_flip):
            self._answer ^= 1 << self._draw.randrange(8)
        self._alarm.schedule(8e9 / max(self._spi.clock_frequency, 1))

    def _shifted(self) -> None:
        self._spi.complete_transmit(self._answer)


class I2cBus:
    """What is on a bus, by address; at 400 kHz, whatever was programmed.

    A chip that lost a clock can hold the data line low: then no transfer ends until it has had the clocks that it
    misses, or lets go."""

    def __init__(self, pico: Pico, wires: dict[str, Any], chips: "dict[int, Mcp23017 | LcdBus]") -> None:
        self._pico = pico
        self._sda: int = wires["sda"]
        self.held = False
        self._clocks = 0  # that the chip which holds the line still misses
        pico.mcu.gpio[wires["scl"]].add_listener(self._clocked)
        number = wires["i2c"]
        self._chips = chips
        self._chip: Mcp23017 | LcdBus | None = None
        self._i2c = pico.mcu.i2c[number]
        self._next: Callable[[], None] = _nothing
        self._alarm = pico.alarm(lambda: self._next())
        self._i2c.on_start = self._start
        self._i2c.on_connect = self._connect
        self._i2c.on_write_byte = self._write
        self._i2c.on_read_byte = self._read
        self._i2c.on_stop = self._stop
        self._obey_resets(_RESET_I2C0 << number)

    def _obey_resets(self, bit: int) -> None:
        """The emulator keeps the state of a controller that the firmware resets, and finishes its transfer later."""
        resets = self._pico.mcu.resets
        write = resets.write_uint32

        def written(offset: int, value: int) -> None:
            write(offset, value)
            if offset == 0 and value & bit:
                self._reset()

        resets.write_uint32 = written

    def _reset(self) -> None:
        """A transfer that hangs has ended, whatever becomes of the bus."""
        self._i2c.reset()
        self._next = _nothing
        self._alarm.cancel()
        chip, self._chip = self._chip, None
        if chip is not None:
            chip.cut()

    def hold(self, clocks: int) -> None:
        """Hold the data line until the clock has fallen so many times; 0: until `release`."""
        self.held = True
        self._clocks = clocks
        self._pico.drive(self._sda, False)

    def release(self) -> None:
        if self.held:
            self.held = False
            self._pico.drive(self._sda, True)
            self._alarm.schedule(0)

    def _clocked(self, new: Any, old: Any) -> None:
        if new == old or new.name != "LOW" or not self.held:
            return  # the pin of an open-drain output is low or an input
        if self._clocks:
            self._clocks -= 1
            if not self._clocks:
                self.release()

    def _after(self, bits: int, action: Callable[[], None]) -> None:
        self._next = action
        if not self.held:
            self._alarm.schedule(bits * 2500)

    def _start(self, repeated: bool) -> None:
        self._after(2, self._i2c.complete_start)

    def _connect(self, address: int, mode: int) -> None:
        self._end()
        chip = self._chip = self._chips.get(address)
        if chip is not None and int(mode) == 0:
            chip.begin()
        self._after(9, lambda: self._i2c.complete_connect(chip is not None))

    def _write(self, value: int) -> None:
        chip = self._chip
        if chip is not None:
            chip.write(value)
        self._after(9, lambda: self._i2c.complete_write(chip is not None))

    def _read(self, ack: bool) -> None:
        value = 0xFF if self._chip is None else self._chip.read()
        self._after(9, lambda: self._i2c.complete_read(value))

    def _stop(self) -> None:
        self._end()
        self._after(1, self._i2c.complete_stop)

    def _end(self) -> None:
        chip, self._chip = self._chip, None
        if chip is not None:
            chip.end()


class Mcp23017:
    """The registers a panel needs: direction, polarity, pull-ups, levels and latches, sixteen bits each."""

    _IODIR, _IPOL, _GPIO, _OLAT = 0x00, 0x02, 0x12, 0x14

    def __init__(self) -> None:
        self.registers = bytearray(0x16)
        self.registers[0] = self.registers[1] = 0xFF
        self.contacts = 0  # a set bit is a button held down, its pin pulled to ground
        self._at = -1

    def lamps(self) -> int:
        return self._word(self._OLAT) & ~self._word(self._IODIR)

    def begin(self) -> None:
        self._at = -1

    def end(self) -> None:
        """The address of a register stays for a read that follows."""

    def cut(self) -> None:
        """Registers that were written are written."""

    def write(self, value: int) -> None:
        if self._at < 0:
            self._at = value
        else:
            self.registers[self._at % len(self.registers)] = value
            self._at += 1

    def read(self) -> int:
        at = self._at % len(self.registers)
        self._at += 1
        if at not in (self._GPIO, self._GPIO + 1):
            return self.registers[at]
        levels = ~self.contacts & 0xFFFF ^ self._word(self._IPOL)
        return levels >> 8 * (at - self._GPIO) & 0xFF

    def _word(self, register: int) -> int:
        return self.registers[register] | self.registers[register + 1] << 8


class LcdBus:
    """The display behind its port expander: it gets a transfer whole."""

    def __init__(self, chip: LcdChip) -> None:
        self._chip = chip
        self._got = bytearray()

    def begin(self) -> None:
        self._got = bytearray()

    def write(self, value: int) -> None:
        self._got.append(value)

    def read(self) -> int:
        return 0xFF

    def end(self) -> None:
        if self._got:
            self._chip.write(bytes(self._got))
            self._got = bytearray()

    def cut(self) -> None:
        self.end()
        self._chip.cut()


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
