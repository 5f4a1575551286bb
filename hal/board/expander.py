"""An MCP23017 port expander for what a finger or an eye uses: buttons in, lamps out. Bits 0-7 are port A, 8-15 port B.

Buttons close to ground against the chip's pull-ups and read 1 when pressed. A change counts when two polls agree, so
that a bouncing contact is one press. Without the chip, buttons read 0 and lamps stay dark; it is looked for again
every second. A chip that a dip of its supply has reset answers as before, with every button pressed and the key turned:
so no change is believed before it has said that it is still set up.
"""

from machine import Pin
from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from machine import I2C

    from hal.board.clock import sleep_us, ticks_add, ticks_diff, ticks_ms
else:
    from time import sleep_us, ticks_add, ticks_diff, ticks_ms

_CLOCKS = const(10)  # a byte, its acknowledgement, and one
_CLOCK_US = const(5)
_POLL_MS = const(10)
_RETRY_MS = const(1000)
_LOOK = const(63)  # a mask: in one poll of 64 it is asked anyway, since open pins may read like buttons at rest

_IODIR = const(0x00)
_IPOL = const(0x02)
_GPPU = const(0x0C)
_GPIO = const(0x12)
_OLAT = const(0x14)


def free_bus(sda: "int | str", scl: "int | str") -> None:
    """A chip that a reset left in the middle of its answer holds the bus until it has had the clocks for the rest."""
    data = Pin(sda, Pin.IN, Pin.PULL_UP)
    clock = Pin(scl, Pin.OPEN_DRAIN, value=1)
    for _ in range(_CLOCKS):
        if data.value():
            break
        clock.value(0)
        sleep_us(_CLOCK_US)
        clock.value(1)
        sleep_us(_CLOCK_US)


class Expander:
    """One chip. The masks and values of its sixteen bits are the board config's."""

    def __init__(self, i2c: "I2C", address: int, input_mask: int) -> None:
        self._inputs = 0
        self.present = False
        self._mask = input_mask & 0xFFFF
        self._outputs = 0
        self._raw = 0
        self._address = address
        self._poll_ms = ticks_ms()
        self._polls = 0
        self._two = bytearray(2)
        self._three = bytearray(3)
        self._i2c = i2c
        self.poll()

    def poll(self) -> int:
        """What the buttons read, settled: a set bit is a pressed one. Asks the chip if it is time to. Never raises."""
        now_ms = ticks_ms()
        if ticks_diff(now_ms, self._poll_ms) >= 0:
            self._poll_ms = ticks_add(now_ms, _POLL_MS)
            self._ask()
        return self._inputs

    def _ask(self) -> None:
        try:
            if not self.present:
                self._configure()
            raw = self._get(_GPIO) & self._mask
            self._polls = self._polls + 1 & _LOOK
            if (raw != self._raw or not self._polls) and self._get(_IODIR) != self._mask:
                self._configure()
                return
        except OSError:
            self._absent()
            return
        if raw == self._raw:
            self._inputs = raw
        self._raw = raw

    def write(self, outputs: int) -> None:
        """Set the lamps. Never raises."""
        self._outputs = outputs
        if self.present:
            try:
                self._put(_OLAT, outputs)
            except OSError:
                self._absent()

    def _configure(self) -> None:
        self._put(_OLAT, self._outputs)
        self._put(_IPOL, self._mask)
        self._put(_GPPU, self._mask)
        self._put(_IODIR, self._mask)
        self.present = True

    def _absent(self) -> None:
        self.present = False
        self._inputs = 0
        self._raw = 0
        self._poll_ms = ticks_add(ticks_ms(), _RETRY_MS)

    def _get(self, register: int) -> int:
        two = self._two
        self._i2c.readfrom_mem_into(self._address, register, two)
        return two[0] | two[1] << 8

    def _put(self, register: int, value: int) -> None:
        buf = self._three
        buf[0] = register
        buf[1] = value & 0xFF
        buf[2] = value >> 8 & 0xFF
        # Not writeto_mem: that joins register and data in a new buffer.
        self._i2c.writeto(self._address, buf)
