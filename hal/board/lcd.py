"""The dealer's display: an HD44780 of 20x4 characters, in nibbles through a PCA8574 on the panel's bus.

The chip's bits are those of the usual backpack: RS, RW, E, light, D4-D7. `show` only notes what is new. `send` puts out
one slice of that: four characters of one line. Slices follow each other at a fixed pace from the moment of `show`,
whatever moves: when a machine pauses in a shuffle depends on the order, and a display that waited for that would tell.

Nothing is read back. A display that does not answer is tried again every second; one that answers is asked as often
whether it still does, and sets it up again after it was unplugged. The panel's driver repairs the bus for both.
"""

from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.board.bus import Bus
    from hal.board.clock import sleep_ms, ticks_add, ticks_diff, ticks_ms
else:
    from time import sleep_ms, ticks_add, ticks_diff, ticks_ms

_RS = const(1)
_E = const(4)
_LIGHT = const(8)
_ASK = b"\x08"  # the light alone: without E the display ignores the bits
_ASK_MS = const(1000)
_BEGIN_MS = const(50)  # from power to the first order: 40
_BOOT_MS = const(5)  # it has had power for as long as we have; after the first order: 4.1
# 0x3 three times sets 8-bit mode from any state; then nibbles, four lines, no cursor, left to right.
_BEGIN = b"\x33\x33\x33\x33\x33\x33\x33\x33\x33\x33\x32\x28\x0c\x06\x06"
_ORDERS = const(5)  # for a slice: where, and four characters
_SLICE_MS = const(20)  # a page in 0.4 s, with a twentieth of the processor
_SIZE = const(80)
_SLICE = const(4)


class Lcd:
    """One display."""

    def __init__(self, i2c: "Bus", address: int) -> None:
        self._i2c = i2c
        self._address = address
        self._text = b" " * _SIZE
        self._shown = bytearray(_SIZE)  # on the display; 0 where that is not known
        self._at = 0  # where the next slice may be that is not
        self._begun = 0  # how much of the beginning is out
        self._wire = bytearray(_ORDERS * 6)
        for _ in range(3):
            self._due_ms = ticks_ms()
            self.send()
            sleep_ms(_BOOT_MS)

    def show(self, lines: "tuple[str, str, str, str]") -> None:
        """In a scan, so that what has changed is looked for later, slice by slice."""
        self._text = ("%-20.20s" * 4 % lines).encode()
        self._at = 0
        if self._begun == len(_BEGIN):
            self._due_ms = ticks_ms()

    def send(self) -> None:
        """A slice if there is one and its time has come: 31 bytes, 0.7 ms of the bus. Never raises."""
        if ticks_diff(ticks_ms(), self._due_ms) >= 0:
            try:
                self._send()
            except OSError:
                self._begun = 0
                self._wait(_ASK_MS)

    def _send(self) -> None:
        if self._begun < len(_BEGIN):
            for i in range(_ORDERS):
                self._order(i, _BEGIN[self._begun + i], _LIGHT)
            self._i2c.writeto(self._address, self._wire)
            self._begun += _ORDERS
            self._wait(_BEGIN_MS)
            self._forget()
        elif self._find():
            self._put(self._at)
            self._at += _SLICE
            # Not from now: a late slice must not delay the next one.
            self._due_ms = ticks_add(self._due_ms, _SLICE_MS)
        else:
            self._i2c.writeto(self._address, _ASK)
            self._wait(_ASK_MS)

    def _forget(self) -> None:
        self._at = 0
        for i in range(_SIZE):
            self._shown[i] = 0

    def _find(self) -> bool:
        """The next slice that is not on the display."""
        text = self._text
        shown = self._shown
        for i in range(self._at, _SIZE):
            if text[i] != shown[i]:
                self._at = i // _SLICE * _SLICE
                return True
        self._at = _SIZE
        return False

    def _wait(self, ms: int) -> None:
        self._due_ms = ticks_add(ticks_ms(), ms)

    def _put(self, at: int) -> None:
        """Line 2 is the far end of line 0 to the display, and 3 that of 1."""
        i = at // 20
        self._order(0, 0x80 | (i & 1) << 6 | at - 20 * (i + 1 >> 1), _LIGHT)
        for i in range(_SLICE):
            self._shown[at + i] = self._text[at + i]
            self._order(i + 1, self._text[at + i], _LIGHT | _RS)
        self._i2c.writeto(self._address, self._wire)

    def _order(self, at: int, value: int, how: int) -> None:
        """Six bytes for two nibbles. RS stands before E rises, and 67 us pass between two of its falls: an order takes
        53 in the slowest of displays."""
        self._nibble(at * 6, value & 0xF0 | how)
        self._nibble(at * 6 + 3, value << 4 & 0xF0 | how)

    def _nibble(self, at: int, value: int) -> None:
        self._wire[at] = self._wire[at + 2] = value
        self._wire[at + 1] = value | _E
