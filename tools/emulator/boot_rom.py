"""What the boot ROM of an RP2040 does with UF2 blocks, and which flash it starts; without the drive around it.

After virtual_disk.c, async_task.c and bootrom_main.c of raspberrypi/pico-bootrom-rp2040. A block counts once, by its
number. The first of each 16 numbers erases the sector of its address: by number, not by address. The device restarts
when as many blocks were written as the file says that it has. At a start the ROM loads the first 256 bytes, and runs
them if their last word is the CRC of the others; if not, it stays in BOOTSEL.
"""

from __future__ import annotations

import struct

PAGE, SECTOR = 256, 4096
_BASE = 0x10000000
_FAMILY = 0xE48BFF56
_POLYNOMIAL = 0x04C11DB7


def boot_crc(data: bytes) -> int:
    """The ROM's CRC32: most significant bit first, nothing inverted at the end."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte << 24
        for _ in range(8):
            crc = (crc << 1 ^ (_POLYNOMIAL if crc >> 31 else 0)) & 0xFFFFFFFF
    return crc


class BootRom:
    """A flash, and the drive that writes into it."""

    def __init__(self, flash: bytes) -> None:
        self.flash = bytearray(flash)
        self.restarts = False
        self._seen: set[int] = set()
        self._erased: set[int] = set()

    def write(self, block: bytes) -> None:
        """One block of 512 bytes, as the operating system hands it over."""
        _, _, _, address, size, number, count, family = struct.unpack_from("<8I", block)
        if family != _FAMILY or size != PAGE or number >= count or number in self._seen:
            return
        self._seen.add(number)
        at = address - _BASE
        if number * PAGE // SECTOR not in self._erased:
            self._erased.add(number * PAGE // SECTOR)
            sector = at - at % SECTOR
            self.flash[sector : sector + SECTOR] = b"\xff" * SECTOR
        # Programming only clears bits.
        old, new = self.flash[at : at + PAGE], block[32 : 32 + PAGE]
        self.flash[at : at + PAGE] = bytes(a & b for a, b in zip(old, new, strict=True))
        self.restarts = len(self._seen) == count

    def starts(self) -> bool:
        return boot_crc(bytes(self.flash[: PAGE - 4])) == int.from_bytes(self.flash[PAGE - 4 : PAGE], "little")
