"""Where a table's facts live: two cells that take turns, each with the number of the last event it contains.

    facts  u8 magic, 2 zeros, layout, u32 generation, u32 last event, row 47, zeros, u32 CRC

A torn write costs nothing: events that are newer than the other cell are noted again at boot.
"""

from struct import pack_into, unpack_from

from micropython import const

from firmware.digest import wipe
from firmware.journal.cells import BOOKS_CELL, CELL_SIZE, MAGIC_BOOKS, Pair
from firmware.journal.store import PAYLOAD_AT
from firmware.protocol.codec import VALUES_MAX, unpack

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from firmware.journal.store import Journal
    from hal.api import Storage

    class TableFacts(Protocol):
        """What is kept: one row of bytes, and its one writer."""

        row: bytearray

        def note(self, message: int, values: "list[int]", deck: int, round_number: int) -> None: ...


LATE_EVENTS = const(16)  # the row is stored after so many: long before the journal has recycled what is newer
_SEQ_AT = const(8)
_ROW_AT = const(12)


class FactStore:
    """Loads the newest good row, and overwrites the other one."""

    def __init__(self, storage: "Storage") -> None:
        self._pair = Pair(storage, BOOKS_CELL, MAGIC_BOOKS, bytearray(CELL_SIZE))
        self.seq = 0  # the last event that the stored row contains

    def load(self, row: bytearray) -> None:
        if self._pair.load():
            self.seq = unpack_from("<I", self._pair.buf, _SEQ_AT)[0]
            row[:] = self._pair.buf[_ROW_AT : _ROW_AT + len(row)]

    def save(self, row: bytearray, seq: int) -> bool:
        buf = self._pair.buf
        wipe(buf)
        pack_into("<I", buf, _SEQ_AT, seq)
        buf[_ROW_AT : _ROW_AT + len(row)] = row
        if not self._pair.save():
            return False
        self.seq = seq
        return True


def facts_open(storage: "Storage", journal: "Journal", facts: "TableFacts") -> FactStore:
    """Load the row, and note what was recorded after it was stored. Bound: what the journal holds."""
    store = FactStore(storage)
    store.load(facts.row)
    values = [0] * VALUES_MAX
    for seq in range(max(store.seq, journal.seq_last - journal.capacity) + 1, journal.seq_last + 1):
        message = journal.load(seq)
        if message:
            at = unpack(journal.buf, PAYLOAD_AT, journal.prefix, values)
            round_number = values[5]
            deck = values[6]
            unpack(journal.buf, at, journal.codes[message], values)
            facts.note(message, values, deck, round_number)
    return store
