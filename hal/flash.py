"""Cells on raw NOR flash behind the four storage verbs: a log of pages that goes round and round its blocks.

A page holds one cell, and is programmed at most once after an erase:

    u8 kind, u8 cell size, u16 cell number, u32 gap, u32 place, the cell, u32 CRC of all this, 0xFF

Places are counted from the start of the log and never reused: place % pages is where the page lies, so whatever lies
there from an earlier lap does not fit and is void. The gap leads to the page written before; what lies between is void
too, however it reads: a page in which power was lost, or the rest of a block that fails.

Ahead of the newest page lies a run of blocks without live cells. When it gets short, live cells of the oldest blocks
are copied to the front (`_move`), a few at a time, so that no verb waits for more than one erase. Such copies are loose
until a page of another kind follows: a start takes loose ones at the end of the log for void, and until that page is
there nothing that they were copied from is erased. So a move that power ends costs no room, however often it happens.

After a start nothing is taken for erased, and nothing more is put into the block of the newest page: an erase or a
program that power ended may read like a finished one, today. For the same reason the newest cell is written once more.

A page that is neither good nor blank is read up to three times: with one wrong bit on the way from the chip the newest
page would be void, and its cell an older version of itself.
"""

from array import array
from binascii import crc32
from struct import pack_into, unpack_from

from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import BlockDevice

CELL = const(96)
BLOCKS_MAX = const(256)  # so that no place reaches 2**30 in the life of a chip: 100,000 erases of each block
PREPARED_MAX = const(128)  # cells that nv_erase can get ready: a round of nine players takes 89
_PAGE = const(256)
_PAGES = const(16)  # of a block
_ERASE_BLOCK = const(6)
_FIRM = const(0xF4)  # kinds of pages
_LOOSE = const(0xF5)
_CELL_AT = const(12)
_RESIDUE = const(0x2144DF1C)  # CRC-32 over anything with its CRC behind it
_NONE = const(0xFFFF)
_MOVES = const(13)  # with the newest cell twice and one of the caller they fill a block
_TRIES = const(3)  # to program a cell, and to read a page
_FAR = const(0x3FFFFFFF)


def blocks_min(cells: int) -> int:
    """Half of the pages are spare, so that moving cells costs less than writing them."""
    return cells // 8 + 16


class Flash:
    """`size` bytes of cells on the first `blocks` blocks of a device; existing content is used; blank flash starts
    empty."""

    def __init__(self, device: "BlockDevice", blocks: int, size: int, cell: int = CELL) -> None:
        cells = size // cell
        if not blocks_min(cells) <= blocks <= BLOCKS_MAX:
            raise ValueError("flash: %d cells need %d to %d blocks" % (cells, blocks_min(cells), BLOCKS_MAX))
        self._device = device
        self._blocks = blocks
        self._pages = blocks * _PAGES
        self._cell = cell
        self._keep = 6 + cells // 64  # moving 13 cells costs three more pages; after all cells six blocks are left
        self._where = array("H", [_NONE] * cells)  # cell: page
        self._live = bytearray(blocks)  # block: cells that live there
        self._blank = bytearray(b"\xff" * _PAGE)
        self._page = bytearray(self._blank)
        self._check = bytearray(_PAGE)
        self._body = memoryview(self._page)[: _CELL_AT + cell]
        self._signed = memoryview(self._page)[: _CELL_AT + cell + 4]
        self._blank_signed = memoryview(self._blank)[: len(self._signed)]
        self._newest = -1  # its place
        self._top = -1  # the last place where anything was found
        self._ready = 0  # blocks that were erased in this run, from the next one on
        self._limit = _FAR  # the first block that loose copies still depend on
        self.lost = 0  # live cells that could be read no more when they were to be moved
        self._find()
        self._settled = self._newest < 0
        if self._settled:
            self._newest = self._pages - 1
        self._next = (self._newest // _PAGES + 1) * _PAGES

    # -- the verbs -------------------------------------------------------------------------------------------------

    def nv_read(self, address: int, buf: bytearray) -> bool:
        """Read straight into buf; the caller checks whether the bytes are good."""
        cell = self._cell
        if address < 0 or address % cell or len(buf) % cell or (address + len(buf)) // cell > len(self._where):
            return False
        if len(buf) == cell:
            self._read(address // cell, buf)
            return True
        view = memoryview(buf)
        for i in range(0, len(buf), cell):
            self._read((address + i) // cell, view[i : i + cell])
        return True

    def nv_prog(self, address: int, buf: bytearray) -> bool:
        cell = self._cell
        number = address // cell
        if address % cell or len(buf) != cell or not 0 <= number < len(self._where) or not self._settle():
            return False
        if self._next % _PAGES <= 1 and self._free() < self._keep:
            self._move()
        if self._next % _PAGES == 0 and self._free() < 2:
            return False  # what is left is needed to move cells
        self._page[_CELL_AT : _CELL_AT + cell] = buf
        return self._put(number, _FIRM)

    def nv_erase(self, address: int, size: int) -> bool:
        """At most one erase and 14 programs a call. False: ask again; for more than PREPARED_MAX cells never True."""
        wanted = self._wanted(size)
        if not self._settled:
            self._settle()
        elif self._limit != _FAR:
            self._hold(_FIRM)
        elif self._free() < self._keep + wanted:
            self._move()
        elif self._ready < wanted:
            self._erase()
        wanted = self._wanted(size)
        return self._settled and self._ready >= wanted and self._free() >= self._keep + wanted

    def nv_sync(self) -> bool:
        """Every program was read back."""
        return True

    # -- the front of the log --------------------------------------------------------------------------------------

    def _settle(self) -> bool:
        """First of all in a run. Where room is short the newest cell is loose: starts alone must not use room up."""
        if not self._settled:
            # Also after interrupted starts: their pages must not appear later as newer than new ones.
            block = self._first()
            while block <= self._top // _PAGES or self._cut(block) or self._cut(block + 1):
                if not self._erase():
                    return False
                block += 1
            self._settled = self._hold(_FIRM if self._free() > self._keep else _LOOSE)
        return self._settled

    def _cut(self, block: int) -> bool:
        """Whether the first page of a block is neither blank nor a good one, of whatever lap."""
        at = block % self._blocks * _PAGES
        if self._load(at) >= 0:
            return False
        self._device.readblocks(at // _PAGES, self._check, 0)
        return self._check != self._blank

    def _hold(self, kind: int) -> bool:
        """Write the newest cell once more, and lead from there to the page before it: it may be one that was cut."""
        newest = self._newest
        if self._load(newest % self._pages) < 0:
            return True
        self._newest -= unpack_from("<I", self._page, 4)[0]
        if self._put(self._number(), kind):
            return True
        self._newest = newest
        return False

    def _put(self, number: int, kind: int) -> bool:
        """Program the cell in the page buffer. A block that fails gets nothing more; three of them are enough."""
        page, check = self._page, self._check
        for _ in range(_TRIES):
            place = self._next
            if place % _PAGES == 0:
                if not self._ready and not self._erase():
                    return False
                self._ready -= 1
            self._next = place + 1
            at = place % self._pages
            block, offset = at // _PAGES, at % _PAGES * _PAGE
            pack_into("<BBHII", page, 0, kind, self._cell, number, place - self._newest, place)
            pack_into("<I", page, _CELL_AT + self._cell, crc32(self._body))
            self._device.readblocks(block, check, offset)
            if check == self._blank:
                self._device.writeblocks(block, page, offset)
                self._device.readblocks(block, check, offset)
                if check == page:
                    self._newest = place
                    if kind == _FIRM:
                        self._limit = _FAR
                    self._adopt(number, at)
                    return True
            self._next = (place // _PAGES + 1) * _PAGES
        return False

    def _adopt(self, number: int, at: int) -> None:
        old = self._where[number]
        if old != _NONE:
            self._live[old // _PAGES] -= 1
        self._where[number] = at
        self._live[at // _PAGES] += 1

    # -- room ------------------------------------------------------------------------------------------------------

    def _first(self) -> int:
        """The next block to be opened, counted like places."""
        return (self._next + _PAGES - 1) // _PAGES

    def _free(self) -> int:
        """How many blocks from there on have no live cell."""
        first, blocks, live = self._first(), self._blocks, self._live
        count = 0
        while count < blocks - 1 and not live[(first + count) % blocks]:
            count += 1
        return count

    def _wanted(self, size: int) -> int:
        """Blocks to be opened for so many bytes of cells."""
        cells = (size + self._cell - 1) // self._cell
        return self._blocks if cells > PREPARED_MAX else (cells - -self._next % _PAGES + _PAGES - 1) // _PAGES

    def _erase(self) -> bool:
        """Get one more block ready. Whether it is blank is seen when a page is used."""
        block = self._first() + self._ready
        if self._ready >= self._free() or block >= self._limit:
            return False
        if self._device.ioctl(_ERASE_BLOCK, block % self._blocks):
            return False
        self._ready += 1
        return True

    def _move(self) -> None:
        """Copy up to so many live cells from the oldest blocks to the front; bounded by three blocks looked at."""
        free = self._free()
        self._limit = self._first() + free
        start = self._limit % self._blocks * _PAGES
        moved = 0
        for i in range(min(3, self._blocks - free - 1) * _PAGES):
            at = (start + i) % self._pages
            block = at // _PAGES
            if self._live[block] and self._load(at) >= 0 and self._where[self._number()] == at:
                if moved == _MOVES:
                    break
                if not self._put(self._number(), _LOOSE):
                    return
                moved += 1
            if at % _PAGES == _PAGES - 1 and self._live[block]:
                self._drop(block)
        self._hold(_FIRM)

    def _drop(self, block: int) -> None:
        """Give up unreadable cells of a block: otherwise it could never be used again."""
        for number in range(len(self._where)):
            if self._where[number] // _PAGES == block:
                self._where[number] = _NONE
                self._live[block] -= 1
                self.lost += 1

    # -- pages -----------------------------------------------------------------------------------------------------

    def _read(self, number: int, buf: "bytearray | memoryview") -> None:
        at = self._where[number]
        if at == _NONE:
            buf[:] = self._blank[: self._cell]
        else:
            self._device.readblocks(at // _PAGES, buf, at % _PAGES * _PAGE + _CELL_AT)

    def _load(self, at: int) -> int:
        """The place of the page that lies here, the page then in the buffer; -1 if it is void."""
        page = self._page
        for _ in range(_TRIES):
            self._device.readblocks(at // _PAGES, self._signed, at % _PAGES * _PAGE)
            if page[0] | 1 == _LOOSE and page[1] == self._cell and crc32(self._signed) == _RESIDUE:
                place = unpack_from("<I", page, 8)[0]
                if place % self._pages == at and self._number() < len(self._where):
                    return place
            if self._signed == self._blank_signed:
                break
        return -1

    def _number(self) -> int:
        return self._page[2] | self._page[3] << 8

    def _find(self) -> None:
        """The newest firm page, then back from page to page: the first of each cell is the one that counts."""
        for at in range(self._pages):
            self._top = max(self._top, self._load(at))
        place = self._top
        while place > self._top - self._pages and place >= 0:
            gap = 1
            if self._load(place % self._pages) == place and (self._newest >= 0 or self._page[0] == _FIRM):
                self._newest = max(self._newest, place)
                gap = unpack_from("<I", self._page, 4)[0]
                if self._where[self._number()] == _NONE:
                    self._adopt(self._number(), place % self._pages)
            place -= gap
