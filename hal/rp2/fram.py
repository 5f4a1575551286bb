"""SPI FRAM behind the four storage verbs. Writes are durable when the chip is deselected; nothing needs erasing.

Every write is read back: a chip that is missing, worn or write-protected says nothing by itself.
"""

from machine import SPI, Pin
from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config

_WRITE = const(0x02)
_READ = const(0x03)
_WREN = const(0x06)
_HZ = const(8000000)  # assumed safe for the part and the board's wires
_CHECK_BYTES = const(64)  # one journal record


class Fram:
    """One chip on its own bus."""

    def __init__(self, config: "Config") -> None:
        self._size = config["bytes"]
        self._cs = Pin(config["cs"], Pin.OUT, value=1)
        self._spi = SPI(
            config["spi"],
            baudrate=_HZ,
            sck=Pin(config["sck"]),
            mosi=Pin(config["mosi"]),
            miso=Pin(config["miso"]),
        )
        self._head = bytearray(3 if self._size <= 0x10000 else 4)
        self._enable = bytes((_WREN,))
        self._check = bytearray(_CHECK_BYTES)

    def read(self, address: int, buf: bytearray) -> bool:
        if not self._inside(address, len(buf)):
            return False
        self._select(_READ, address)
        self._spi.readinto(buf)
        self._cs.value(1)
        return True

    def write(self, address: int, buf: bytearray) -> bool:
        if not self._inside(address, len(buf)):
            return False
        self._cs.value(0)
        self._spi.write(self._enable)
        self._cs.value(1)
        self._select(_WRITE, address)
        self._spi.write(buf)
        self._cs.value(1)
        check = self._check if len(buf) == _CHECK_BYTES else bytearray(len(buf))
        return self.read(address, check) and check == buf

    def _inside(self, address: int, size: int) -> bool:
        return address >= 0 and address + size <= self._size

    def _select(self, opcode: int, address: int) -> None:
        head = self._head
        head[0] = opcode
        for i in range(len(head) - 1, 0, -1):
            head[i] = address & 0xFF
            address >>= 8
        self._cs.value(0)
        self._spi.write(head)
