"""The seed of the deck in play, in one cell of storage, until that deck is out of play; then erased or disclosed.

    held   u8 magic, zero, u16 cards, u32 sequence number of the commitment's event, seed 32, zeros, u32 CRC
    told   the same, for the auditor to read

What the auditor is told comes from the second cell alone, and a seed gets there only when its deck has left play.
"""

from struct import pack_into, unpack_from

from micropython import const

from firmware.digest import wipe
from firmware.journal.cells import (
    CELL_SIZE,
    HELD_CELL,
    MAGIC_SEED,
    TOLD_CELL,
    cell_read,
    cell_whole,
    cell_write,
    cells_require,
)
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.journal.store import Journal
    from hal.api import Storage

SEED_AT = const(8)
SEED_END = const(40)


class Seeds:
    """`out` is set once the deck has left play, until its seed is dealt with."""

    def __init__(self, storage: "Storage", journal: "Journal", disclose: bool) -> None:
        self.storage = storage
        self.disclose = disclose
        self.buf = bytearray(CELL_SIZE)
        self.out = False
        if self._read(HELD_CELL) and journal.load(unpack_from("<I", self.buf, 4)[0]) != ids.EV_SHUFFLE_COMMITTED:
            cells_require(storage)  # or the commitment was there, and storage no longer is
            self._blank(HELD_CELL)  # power was lost before anybody was told of this shuffle: it never happened
        wipe(self.buf)

    def hold(self, seq: int, cards: int, seed: bytearray) -> bool:
        """Keep the seed of a new shuffle, durably; whatever was held before is out of play."""
        if not self.end():
            return False
        buf = self.buf
        pack_into("<HI", buf, 2, cards, seq)
        buf[SEED_AT:SEED_END] = seed
        done = self._write(HELD_CELL)
        wipe(buf)
        return done

    def note(self, message: int) -> None:
        """An event has been recorded."""
        if message in ids.DECK_OUT:
            self.out = True

    def end(self) -> bool:
        """Nobody plays with the deck any more: erase its seed, or disclose it. False: storage failed."""
        if self.disclose:
            # What cannot be read may be there all the same, and has to be told before it is erased.
            done = self.storage.nv_read(HELD_CELL * CELL_SIZE, self.buf)
            if done and cell_whole(MAGIC_SEED, self.buf):
                done = self._write(TOLD_CELL)
            if not done:
                wipe(self.buf)
                return False
        if not self._blank(HELD_CELL) or not (self.disclose or self._blank(TOLD_CELL)):
            return False
        self.out = False
        return True

    def drop(self) -> bool:
        """Another deck comes before the round of this one is over: its seed is never told. False: storage failed."""
        return self._blank(HELD_CELL)

    def tell(self, values: "list[int]") -> bytes:
        """What the auditor may know: the seed, with kept, seq and cards in values."""
        found = self.disclose and self._read(TOLD_CELL)
        if not found:
            wipe(self.buf)
        values[0] = 1 if self.disclose else 0
        values[2], values[1] = unpack_from("<HI", self.buf, 2)
        return bytes(self.buf[SEED_AT:SEED_END])

    def _read(self, cell: int) -> bool:
        return cell_read(self.storage, cell, MAGIC_SEED, self.buf)

    def _write(self, cell: int) -> bool:
        return cell_write(self.storage, cell, MAGIC_SEED, self.buf)

    def _blank(self, cell: int) -> bool:
        """Zeros over whatever is there, a torn cell too; no write if they are there already."""
        read = self.storage.nv_read(cell * CELL_SIZE, self.buf)
        blank = read and not any(self.buf)
        wipe(self.buf)
        return blank or (self.storage.nv_prog(cell * CELL_SIZE, self.buf) and self.storage.nv_sync())
