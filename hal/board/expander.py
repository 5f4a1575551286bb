"""An MCP23017 port expander: buttons in, lamps out. Bits 0-7 are port A, 8-15 port B.

Buttons close to ground against the chip's pull-ups and read 1 when pressed. A change counts when two polls agree, so
that a bouncing contact is one press. Without the chip, buttons read 0 and lamps stay dark; every second the bus is
mended (hal/board/bus.py) and the chip is set up again. After four tries without an answer, 3 s, the panel is lost. A
chip that a dip of its supply has reset answers as before, with every button pressed and the key turned: so a change
counts only after the chip was asked whether it is still set up.
"""

from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.board.bus import Bus
    from hal.board.clock import ticks_add, ticks_diff, ticks_ms
else:
    from time import ticks_add, ticks_diff, ticks_ms

_POLL_MS = const(10)
_RETRY_MS = const(1000)
_TRIES_MAX = const(4)
_LOOK = const(63)  # a mask: in one poll of 64 it is asked anyway, since open pins may read like buttons at rest

_IODIR = const(0x00)
_IPOL = const(0x02)
_GPPU = const(0x0C)
_GPIO = const(0x12)
_OLAT = const(0x14)


class Expander:
    """One chip. The masks and values of its sixteen bits are the board config's."""

    def __init__(self, i2c: "Bus", address: int, input_mask: int) -> None:
        self._inputs = 0
        self.present = False
        self.lost = False  # without an answer for 3 s
        self._tries = 0  # without an answer, in a row
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
                self._i2c.mend()
                self._configure()
            raw = self._get(_GPIO) & self._mask
            self._polls = self._polls + 1 & _LOOK
            if (raw != self._raw or not self._polls) and self._get(_IODIR) != self._mask:
                self._configure()
                return
        except OSError:
            self._absent()
            return
        self._tries = 0
        self.lost = False
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
        self._tries += 1
        self.lost = self._tries >= _TRIES_MAX
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
