"""The seed of the deck in play, in one record of storage, until that deck is out of play; then erased or disclosed.

    320  held   u8 magic, zero, u16 cards, u32 sequence number of the commitment's event, seed 32, zeros, u32 CRC
    384  told   the same, for the auditor to read

What the auditor is told comes from the second record alone, and a seed gets there only when its deck has left play.
"""

from binascii import crc32
from struct import pack_into, unpack_from

from micropython import const

from firmware.digest import wipe
from firmware.protocol import ids
from firmware.protocol.frame import CRC_RESIDUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.journal.store import Journal
    from hal.api import Storage

HELD_AT = const(320)
TOLD_AT = const(384)
SEED_AT = const(8)
SEED_END = const(40)
_SIZE = const(64)
_MAGIC = const(0x5E)
_CRC_AT = const(60)


class Seeds:
    """`out` is set once the deck has left play, until its seed is dealt with."""

    def __init__(self, storage: "Storage", journal: "Journal", disclose: bool) -> None:
        self.storage = storage
        self.disclose = disclose
        self.buf = bytearray(_SIZE)
        self.out = False
        if self._read(HELD_AT) and journal.load(unpack_from("<I", self.buf, 4)[0]) != ids.EV_SHUFFLE_COMMITTED:
            self._blank(HELD_AT)  # power was lost before anybody was told of this shuffle: it never happened
        wipe(self.buf)

    def hold(self, seq: int, cards: int, seed: bytearray) -> bool:
        """Keep the seed of a new shuffle, durably; whatever was held before is out of play."""
        if not self.end():
            return False
        buf = self.buf
        pack_into("<BBHI", buf, 0, _MAGIC, 0, cards, seq)
        buf[SEED_AT:SEED_END] = seed
        pack_into("<I", buf, _CRC_AT, crc32(memoryview(buf)[:_CRC_AT]))
        done = self._write(HELD_AT)
        wipe(buf)
        return done

    def note(self, message: int) -> None:
        """An event has been recorded."""
        if message in ids.DECK_OUT:
            self.out = True

    def end(self) -> bool:
        """Nobody plays with the deck any more: erase its seed, or disclose it. False: storage failed."""
        if self._read(HELD_AT) and self.disclose and not self._write(TOLD_AT):
            wipe(self.buf)
            return False
        if not self._blank(HELD_AT) or not (self.disclose or self._blank(TOLD_AT)):
            return False
        self.out = False
        return True

    def tell(self, values: "list[int]") -> bytes:
        """What the auditor may know: the seed, with kept, seq and cards in values."""
        found = self.disclose and self._read(TOLD_AT)
        if not found:
            wipe(self.buf)
        values[0] = 1 if self.disclose else 0
        values[2], values[1] = unpack_from("<HI", self.buf, 2)
        return bytes(self.buf[SEED_AT:SEED_END])

    def _read(self, address: int) -> bool:
        return self.storage.nv_read(address, self.buf) and self.buf[0] == _MAGIC and crc32(self.buf) == CRC_RESIDUE

    def _write(self, address: int) -> bool:
        return self.storage.nv_prog(address, self.buf) and self.storage.nv_sync()

    def _blank(self, address: int) -> bool:
        """Zeros over whatever is there, a torn record too; no write if they are there already."""
        read = self.storage.nv_read(address, self.buf)
        blank = read and not any(self.buf)
        wipe(self.buf)
        return blank or self._write(address)
