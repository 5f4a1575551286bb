"""Cells: storage is 96-byte pieces that are written whole, each with a magic byte in front and a CRC at its end.

     0  keys     two that take turns    keys.py
     2  marks    two that take turns    store.py
     4  meters   two that take turns    meter_cells.py
     6  signing  the key of signatures  firmware/signing
     7  seed     disclosed to auditors  seeds.py
     8  log      the journal's identity store.py
     9  halt     why the firmware stopped, if it did: halts.py
    10  facts    two that take turns    table_cells.py
    12  records  the ring of events     store.py

A cell that power was lost over fails its CRC. What must never be lost with it is kept in two cells that take turns.
A wrong bit on the way from the chip fails the CRC too, and a start that took such a cell for one never written would
put another over it. So every cell is read up to three times, and what nothing but damage explains is refused: a log
without an identity beside records, and a pair of which neither cell can be read.
Byte 3 of the log and of every cell of a pair is the version of this layout; 0 is version 1, from before it was written.
"""

from binascii import crc32
from struct import pack_into

from micropython import const

from firmware.digest import wipe
from firmware.protocol.frame import CRC_RESIDUE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Storage

CELL_SIZE = const(96)
CRC_AT = const(92)
KEY_CELL = const(0)
MARK_CELL = const(2)
METERS_CELL = const(4)
SIGNING_CELL = const(6)
TOLD_CELL = const(7)
LOG_CELL = const(8)
HALT_CELL = const(9)
BOOKS_CELL = const(10)
RECORD_CELL = const(12)

MAGIC_KEY = const(0xC3)
MAGIC_MARK = const(0xA5)
MAGIC_METERS = const(0x3C)
MAGIC_SIGNING = const(0xED)
MAGIC_SEED = const(0x5E)
MAGIC_LOG = const(0x96)
MAGIC_BOOKS = const(0xB0)
MAGIC_HALT = const(0x69)
MAGIC_RECORD = const(0xE5)

LAYOUT = const(1)  # of this table; docs/STORAGE.md says which changes need another
LAYOUT_AT = const(3)
_WITH_LAYOUT = b"\x00\x01\x02\x03\x04\x05\x08\x0a\x0b"  # cells that carry it
_NUMBER_AT = const(4)  # of a record, or the generation of a cell of a pair: both say where they lie
BODY_AT = const(8)  # in a cell of a pair: magic, two bytes of its own, layout, generation

CELL_SILENT = const(0)  # storage did not answer
CELL_BLANK = const(1)  # never written
CELL_TORN = const(2)  # power was lost over it, or it is damaged
CELL_WHOLE = const(3)
_READS_MAX = const(3)


def cell_read(storage: "Storage", cell: int, magic: int, buf: bytearray, first: int = 0, cycle: int = 1) -> int:
    """What is there, with its bytes in buf; magic 0: of any kind. It is read again while it is neither whole nor blank.
    No wrong bit makes one of the two of a written cell: the CRC covers all of it, and no magic is near 0x00 or 0xFF.
    Where `cycle` cells take turns from `first` on, one that lies elsewhere is what a wrong bit in an address gives."""
    for _ in range(_READS_MAX):
        if not storage.nv_read(cell * CELL_SIZE, buf):
            return CELL_SILENT
        if cell_whole(magic, buf) and (_number(buf) + first - cell) % cycle == 0:
            return CELL_WHOLE
        if not any(buf) or min(buf) == 0xFF:
            return CELL_BLANK
    return CELL_TORN


def cell_require(storage: "Storage", cell: int, magic: int, buf: bytearray, first: int = 0, cycle: int = 1) -> int:
    """Read as cell_read does, at a start: a read that fails is no empty cell, and puts the device out of service."""
    found = cell_read(storage, cell, magic, buf, first, cycle)
    if found == CELL_SILENT:
        raise OSError("no storage")
    return found


def cell_whole(magic: int, buf: bytearray) -> bool:
    """Whether buf holds a valid cell of this kind, or of any."""
    return (buf[0] == magic or not magic) and crc32(buf) == CRC_RESIDUE


def _number(buf: bytearray) -> int:
    at = _NUMBER_AT
    return buf[at] | buf[at + 1] << 8 | buf[at + 2] << 16 | buf[at + 3] << 24


def cell_write(storage: "Storage", cell: int, magic: int, buf: bytearray) -> bool:
    """Durably, with magic and CRC filled in. False: storage failed."""
    buf[0] = magic
    pack_into("<I", buf, CRC_AT, crc32(memoryview(buf)[:CRC_AT]))
    return storage.nv_prog(cell * CELL_SIZE, buf) and storage.nv_sync()


def cells_require(storage: "Storage") -> None:
    """At a start, before anything is written: storage answers, and no cell is of a layout that this firmware does not
    know. A device that began a journal in either would overwrite the old one, so it goes out of service instead."""
    buf = bytearray(CELL_SIZE)
    for cell in _WITH_LAYOUT:
        if cell_require(storage, cell, 0, buf) == CELL_WHOLE and buf[LAYOUT_AT] > LAYOUT:
            refuse("storage layout %d, firmware knows %d" % (buf[LAYOUT_AT], LAYOUT))


def cells_clear(storage: "Storage") -> None:
    """On storage that has no log yet: zeros over what the chip came with, which would be damaged pairs later on."""
    buf = bytearray(CELL_SIZE)
    for cell in _WITH_LAYOUT:
        if cell_require(storage, cell, 0, buf) == CELL_TORN:
            wipe(buf)
            storage.nv_prog(cell * CELL_SIZE, buf)


def refuse(what: str, chapter: str = "another storage layout") -> None:
    """Go out of service (hal/boot_main.py) with the storage as it is."""
    raise RuntimeError("%s. Nothing was written: see docs/FIRMWARE.md, %s" % (what, chapter))


def refuse_unreadable(cell: int) -> None:
    refuse("storage cell %d unreadable" % cell, "unreadable storage")


def cells_require_room(storage: "Storage", size: int, cell: int, buf: bytearray) -> None:
    """At a start, refuse a chip with fewer bytes than its config says. Its addresses wrap at a power of two, so the
    cell in buf appears a second time there. (Flash gives whole cells only, and does not wrap.)"""
    middle = 1
    while middle * 2 < size:
        middle *= 2
    at = middle + cell * CELL_SIZE
    again = bytearray(CELL_SIZE)
    if at + CELL_SIZE <= size and storage.nv_read(at, again) and again == buf:
        raise OSError("fewer bytes than nv.bytes")


class Pair:
    """Two cells that take turns: a torn write costs the newest state, never all of it."""

    def __init__(self, storage: "Storage", first: int, magic: int, buf: bytearray) -> None:
        self.storage = storage
        self.first = first
        self.magic = magic
        self.buf = buf
        self.generation = 0
        self.torn = False  # power was lost over the older one, or over the first of all

    def load(self) -> bool:
        """At a start, the newest good one into buf; False if there is none, and buf is zeros. Power is lost over one
        of the two at most: if neither can be read, the device goes out of service."""
        torn = 0
        for turn in range(2):
            found = self._read(turn)
            if found == CELL_WHOLE:
                self.generation = max(self.generation, _number(self.buf))
            elif found == CELL_TORN:
                torn += 1
        if torn == 2:
            refuse_unreadable(self.first)
        self.torn = torn != 0
        if not self.generation:
            wipe(self.buf)
            return False
        if self._read(self.generation % 2) != CELL_WHOLE:
            refuse_unreadable(self.first + self.generation % 2)
        return True

    def _read(self, turn: int) -> int:
        return cell_require(self.storage, self.first + turn, self.magic, self.buf, self.first, 2)

    def save(self) -> bool:
        """What the caller put into buf, over the older one."""
        generation = self.generation + 1
        self.buf[LAYOUT_AT] = LAYOUT
        pack_into("<I", self.buf, 4, generation)
        done = cell_write(self.storage, self.first + generation % 2, self.magic, self.buf)
        if done:
            self.generation = generation
        return done
