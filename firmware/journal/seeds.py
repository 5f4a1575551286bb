"""The seed of the deck in play, in RAM until that deck is out of play; then forgotten, or disclosed.

    told   u8 magic, zero, u16 cards, u32 sequence number of the commitment's event, seed 32, zeros, u32 CRC

Storage never holds the seed of a deck in play: the order follows from it, and a storage chip is easily read. A seed
that is to be disclosed is stored once its deck has left play. Power that is lost before takes it along.
"""

from struct import pack_into, unpack_from

from micropython import const

from firmware.digest import wipe
from firmware.journal.cells import CELL_SIZE, CELL_WHOLE, MAGIC_SEED, TOLD_CELL, cell_read, cell_write
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Storage

SEED_AT = const(8)
SEED_END = const(40)


class Seeds:
    """`out` is set once the deck has left play, until its seed is dealt with. `buf` is the cell to write then, zeros if
    there is nothing to disclose."""

    def __init__(self, storage: "Storage", disclose: bool) -> None:
        self.storage = storage
        self.disclose = disclose
        self.buf = bytearray(CELL_SIZE)
        self.out = False

    def hold(self, seq: int, cards: int, seed: bytearray) -> bool:
        """Keep the seed of a new shuffle; whatever was held before is out of play. False: storage failed."""
        if not self.end():
            return False
        if self.disclose:
            pack_into("<HI", self.buf, 2, cards, seq)
            self.buf[SEED_AT:SEED_END] = seed
        return True

    def note(self, message: int) -> None:
        """An event has been recorded."""
        if message in ids.DECK_OUT:
            self.out = True

    def end(self) -> bool:
        """The deck is out of play: disclose its seed, or erase what was disclosed before. False: storage failed."""
        if any(self.buf):
            if not cell_write(self.storage, TOLD_CELL, MAGIC_SEED, self.buf):
                return False
        elif not self.disclose and not self._blank():
            return False
        self.drop()
        self.out = False
        return True

    def drop(self) -> None:
        """Another deck comes before the round of this one is over: its seed is never disclosed."""
        wipe(self.buf)

    def tell(self, values: "list[int]") -> bytes:
        """The disclosed seed for the auditor, with kept, seq and cards in values."""
        buf = bytearray(CELL_SIZE)
        if not self.disclose or cell_read(self.storage, TOLD_CELL, MAGIC_SEED, buf) != CELL_WHOLE:
            wipe(buf)
        values[0] = 1 if self.disclose else 0
        values[2], values[1] = unpack_from("<HI", buf, 2)
        return bytes(buf[SEED_AT:SEED_END])

    def _blank(self) -> bool:
        """Zeros over whatever is there, a torn cell too; no write if they are there already."""
        storage = self.storage
        at = TOLD_CELL * CELL_SIZE
        blank = storage.nv_read(at, self.buf) and not any(self.buf)
        wipe(self.buf)
        return blank or (storage.nv_prog(at, self.buf) and storage.nv_sync())
