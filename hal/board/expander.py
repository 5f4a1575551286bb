"""An MCP23017 port expander: buttons in, lamps out. Bits 0-7 are port A, 8-15 port B.

Buttons close to ground against the chip's pull-ups and read 1 when pressed. A change counts when all polls of 30 ms,
and at least two, have shown it, so that a bouncing contact is one press. Meanwhile polls come closer together. An input
that changes eight times without such a rest is noise: it counts again after a rest of 500 ms, and the others go on.
Polls ten milliseconds apart alone cannot tell noise from a press of 80 ms: four in a row agree by chance too often.

Without the chip, buttons read 0 and lamps stay dark; every second the bus is mended (hal/board/bus.py) and the chip is
set up again. After four tries without an answer, 3 s, the panel is lost. A chip that a dip of its supply has reset
answers as before, with every button pressed and the key turned: so a change counts only after the chip was asked
whether it is still set up.
"""

from array import array

from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.board.bus import Bus
    from hal.board.clock import ticks_add, ticks_diff, ticks_ms
else:
    from time import ticks_add, ticks_diff, ticks_ms

_POLL_MS = const(10)
_SETTLING_POLL_MS = const(2)
_SETTLE_MS = const(30)  # a contact bounces for up to 20, a finger stays for 80
_NOISE_CHANGES = const(8)  # more than a bounce of 20 ms shows to polls 2 ms apart, as a rule
_NOISE_MS = const(500)
_BITS = const(16)
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
        self.settling = False  # a change waits for its 30 ms: poll as often as you can
        self._unsettled = 0  # inputs that have changed and had no rest since, noise or not
        self._changes = bytearray(_BITS)  # how often, up to _NOISE_CHANGES
        self._changed_ms = array("i", [0] * _BITS)
        self._address = address
        self._poll_ms = self._now_ms = ticks_ms()
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
            self._now_ms = now_ms
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
        if raw != self._raw or self._unsettled:
            self._settle(raw)

    def _settle(self, raw: int) -> None:
        changed = raw ^ self._raw
        self._raw = raw
        self.settling = False
        left = self._unsettled | changed
        bit = 0
        while left:  # bound: 16
            if left & 1:
                self._settle_one(bit, changed >> bit & 1)
            left >>= 1
            bit += 1
        if self._unsettled:
            self._poll_ms = ticks_add(self._now_ms, _SETTLING_POLL_MS)

    def _settle_one(self, bit: int, changed: int) -> None:
        mask = 1 << bit
        changes = self._changes
        now_ms = self._now_ms
        if changed:
            if not self._unsettled & mask:
                self._unsettled |= mask
                changes[bit] = 0
            if changes[bit] < _NOISE_CHANGES:
                changes[bit] += 1
            self._changed_ms[bit] = now_ms
        noise = changes[bit] == _NOISE_CHANGES
        if ticks_diff(now_ms, self._changed_ms[bit]) >= (_NOISE_MS if noise else _SETTLE_MS):
            self._unsettled ^= mask
            self._inputs = self._inputs & ~mask | self._raw & mask
        elif not noise:
            self.settling = True

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
        self.settling = False
        self._inputs = self._raw = self._unsettled = 0
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
