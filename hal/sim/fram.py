"""An SPI FRAM, byte by byte: what MB85RS and FM25 parts do with the orders that the driver gives."""

WRDI, RDSR, WREN = 0x04, 0x05, 0x06
READ, WRITE = 0x03, 0x02
WEL = 0x02
BP_ALL = 0x0C  # status bits that protect the whole array


class FramChip:
    """Two address bytes up to 64 KB, three above. A write without the latch, or to a protected chip, is ignored."""

    def __init__(self, size: int) -> None:
        self.data = bytearray(size)
        self.status = 0
        self.cut_after = -1  # so many bytes are written before power fails; the chip just does no more
        self.writes = 0
        self._head = 3 if size <= 0x10000 else 4
        self._got = bytearray()
        self._selected = False

    def select(self, level: int) -> None:
        """The chip select line, low when selected. Orders act when it rises; a write clears the latch then."""
        if level and self._selected and self._got:
            if self._got[0] == WREN and len(self._got) == 1:
                self.status |= WEL
            elif self._got[0] in (WRDI, WRITE):
                self.status &= ~WEL
        self._selected = not level
        self._got = bytearray()

    def power_off(self) -> None:
        """The latch goes; content and protection stay."""
        self.status &= BP_ALL
        self._selected = False
        self._got = bytearray()

    def shift(self, data: bytes) -> bytes:
        """Bytes in, bytes out; nothing unless selected."""
        return bytes([self._byte(value) if self._selected else 0xFF for value in data])

    def _byte(self, value: int) -> int:
        got = self._got
        got.append(value)
        if got[0] == RDSR and len(got) > 1:
            return self.status
        if got[0] not in (READ, WRITE) or len(got) <= self._head:
            return 0
        at = (int.from_bytes(got[1 : self._head], "big") + len(got) - self._head - 1) % len(self.data)
        if got[0] == READ:
            return self.data[at]
        self._write(at, value)
        return 0

    def _write(self, at: int, value: int) -> None:
        if not self.status & WEL or self.status & BP_ALL or self.cut_after == 0:
            return
        self.cut_after -= 1
        self.writes += 1
        self.data[at] = value
