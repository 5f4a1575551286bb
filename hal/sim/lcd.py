"""A display: what an HD44780 makes of the nibbles that a PCF8574 gives it, with its memory of two rows of 40.

It begins in 8-bit mode, ignores text before its set-up, and is blank without power.
"""

RS, E, LIGHT = 1, 4, 8


class Misuse(Exception):
    """The driver did something with an undefined result on a real display."""


class LcdChip:
    """`screen()` is what a dealer reads. `writes` has the size of every transfer, `orders` what was understood."""

    def __init__(self) -> None:
        self.there = True
        self.writes: "list[int]" = []
        self.orders: "list[int | str]" = []
        self.power_on()

    def power_on(self) -> None:
        self.memory = bytearray(b"\xff" * 0x80)  # what was in it is gone, and what is there is no text
        self.at = 0
        self.wide = True
        self.half = -1
        self.two_rows = self.lit = self.on = False
        self.busy = False
        self.last = 0
        self.upset = False

    def cut(self) -> None:
        """A transfer ended in the middle: a nibble may be lost or taken twice. Until the driver sets it up again,
        nothing that it does is a misuse."""
        self.upset = True
        self.last &= ~E

    def _must(self, right: bool, what: str) -> None:
        if not (right or self.upset):
            raise Misuse(what)

    def unplug(self) -> None:
        self.there = False
        self.power_on()

    def write(self, buf: bytes) -> None:
        if not self.there:
            raise OSError(5)
        self.writes.append(len(buf))
        self.busy = False
        for byte in buf:
            self._must(byte & 2 == 0, "it is never read")
            self.lit = byte & LIGHT != 0
            if byte & E and not self.last & E:
                self._must(byte & RS == self.last & RS, "RS changes with E")
            if self.last & E and not byte & E:
                self._must(byte & 0xF9 == self.last & 0xF9, "a nibble changes as it is taken")
                self._nibble(byte >> 4, byte & RS)
            self.last = byte

    def _nibble(self, value: int, rs: int) -> None:
        if self.busy:
            return
        if self.wide:
            self._do(value << 4 | 0x0F, rs)  # the other four wires are open
        elif self.half < 0:
            self.half = value
        else:
            self._do(self.half << 4 | value, rs)
            self.half = -1

    def _do(self, value: int, rs: int) -> None:
        if rs:
            self._must(not self.wide, "text before its set-up")
            self.orders.append(chr(value))
            self.memory[self.at] = value
            self.at += 1
            return
        self.orders.append(value)
        if value & 0x80:
            self.at = value & 0x7F
        elif value & 0x60 == 0x20:
            self.wide = value & 0x10 != 0
            self.upset = self.upset and self.wide
            self.half = -1
            self.two_rows = value & 0x0C == 0x08
        elif value & 0x50:
            pass  # its own letters, and the cursor: of no consequence
        elif value & 0x08:
            self.on = value & 0x07 == 0x04
        elif value & 0x04:
            self._must(value == 0x06, "text would run backwards")
        else:
            self.busy = True  # home: longer than a slice takes

    def screen(self) -> "tuple[str, ...] | None":
        """Four lines, or nothing to read."""
        if not (self.there and self.lit and self.on and self.two_rows) or self.wide:
            return None
        return tuple("".join(chr(byte) for byte in self.memory[at : at + 20]) for at in (0x00, 0x40, 0x14, 0x54))

    def texts(self) -> str:
        """The characters since the last question, in the order in which they came."""
        text = "".join(order for order in self.orders if isinstance(order, str))
        self.orders = []
        return text
