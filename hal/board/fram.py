"""SPI FRAM behind the four storage verbs. Writes are durable when the chip is deselected; nothing needs erasing.

A chip that is missing, worn or write-protected says nothing by itself, and a bus without one reads as all 0 or all 1,
which may be just what was to be written. So the write enable latch has to be seen set before a write and clear after
it, and what was written is read back. A chip that did not answer once while a device starts, which is until its first
write, is not read again: a start with half of its content would overwrite the rest. Any size may be written,
not only whole cells.
"""

from machine import Pin
from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from machine import SPI

    from hal.api import Config

_WRITE = const(0x02)
_READ = const(0x03)
_WRDI = b"\x04"
_RDSR = b"\x05"
_WREN = b"\x06"
_WEL = const(0x02)  # the latch, in the status


class Fram:
    """One chip on its own bus."""

    def __init__(self, spi: "SPI", config: "Config") -> None:
        self._size = config["bytes"]
        self._cs = Pin(config["cs"], Pin.OUT, value=1)
        self._spi = spi
        self._head = bytearray(3 if self._size <= 0x10000 else 4)
        self._status = bytearray(1)
        self._check = bytearray(0)  # what was read back of the last write; empty before the first
        self._there = self._answers()

    def nv_read(self, address: int, buf: bytearray) -> bool:
        if not self._there and self._check:
            self._there = self._answers()
        if not self._there or address < 0 or address + len(buf) > self._size:
            return False
        self._get(address, buf)
        if buf[0] + 1 & 0xFF < 2:
            # 0x00 or 0xFF, as a cell that was never written begins, and as a chip reads whose contact is loose.
            self._there = self._answers()
            self._get(address, buf)
        return self._there

    def nv_prog(self, address: int, buf: bytearray) -> bool:
        if address < 0 or address + len(buf) > self._size:
            return False
        self._there = self._latch(_WREN)
        if not self._there:
            return False
        self._select(_WRITE, address)
        self._spi.write(buf)
        self._cs.value(1)
        self._there = not self._latch(_RDSR)
        if len(self._check) != len(buf):
            self._check = bytearray(len(buf))
        return self.nv_read(address, self._check) and self._check == buf

    def nv_erase(self, address: int, size: int) -> bool:
        return True

    def nv_sync(self) -> bool:
        return True

    def _answers(self) -> bool:
        """Without this an empty bus would read as storage that was never written."""
        return self._latch(_WREN) and not self._latch(_WRDI)

    def _get(self, address: int, buf: bytearray) -> None:
        self._select(_READ, address)
        self._spi.readinto(buf)
        self._cs.value(1)

    def _latch(self, order: bytes) -> bool:
        """Give an order of one byte; whether writes are enabled then."""
        self._cs.value(0)
        self._spi.write(order)
        if order != _RDSR:
            self._cs.value(1)
            self._cs.value(0)
            self._spi.write(_RDSR)
        self._spi.readinto(self._status)
        self._cs.value(1)
        return self._status[0] & _WEL != 0

    def _select(self, opcode: int, address: int) -> None:
        head = self._head
        head[0] = opcode
        for i in range(len(head) - 1, 0, -1):
            head[i] = address & 0xFF
            address >>= 8
        self._cs.value(0)
        self._spi.write(head)
