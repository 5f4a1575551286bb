"""A simulated NOR flash chip behind the verbs of a block device. It refuses every misuse that a real chip might not
tolerate.

Bits only clear; a page is programmed once after an erase, and one whose program or erase was cut counts as programmed
whatever it reads, blank too. A cut in the middle of a program clears some of the bits; with `shaky` set the page reads
like that or like a finished one, differently at every power-on. A cut in the middle of an erase leaves some pages as
they were, some blank and some noise. What is called wrongly raises Misuse, which no firmware expects.
"""

from hal.sim.nv import PowerCut
from hal.sim.rng import mix

TYPE_CHECKING = False
if TYPE_CHECKING:
    Operation = tuple[int, int, bytes]  # block, page in it or -1 for an erase, bytes

BLOCK = 4096
PAGE = 256
PAGES = BLOCK // PAGE
PROGRAM_US = 700  # typical of a 16 Mbit part; at most 3,000
ERASE_US = 45000  # at most 400,000
BEFORE, MIDDLE, AFTER = range(3)
_ERASED = b"\xff" * PAGE


class Misuse(Exception):
    """What the driver did would ruin data on a real chip."""


class Nor:
    """`cut_at` names the operation (from 0, reads do not count) at which power fails, `cut_how` at which point."""

    def __init__(self, blocks: int, seed: int) -> None:
        self.blocks = blocks
        self.seed = seed
        self.data = bytearray(_ERASED * (blocks * PAGES))
        self.used = bytearray(blocks * PAGES)  # programmed, or not to be trusted, since the last whole erase
        self.erases = [0] * blocks
        self.worn = bytearray(blocks)  # 1: loses bits in programs, 2: in erases too, 3: is not erased at all
        self.program_us = PROGRAM_US
        self.erase_us = ERASE_US
        self.now_us = 0
        self.off_us = 0  # interrupts were off for so long in all
        self.operations = 0
        self.cut_at = -1
        self.cut_how = BEFORE
        self.shaky = False
        self.log: "list[Operation] | None" = None  # operations done, if a test asks for them
        self._other: "dict[int, bytes]" = {}  # page: how else it may read
        self._dead = False

    def copy(self) -> "Nor":
        """The same chip once more, to try something on."""
        other = Nor(self.blocks, self.seed)
        other.data[:] = self.data
        other.used[:] = self.used
        other.worn[:] = self.worn
        other.erases = list(self.erases)
        other.operations = self.operations
        other.shaky = self.shaky
        for page in self._other:
            other._other[page] = self._other[page]
        return other

    def power_on(self) -> None:
        self._dead = False
        self.cut_at = -1
        for page in sorted(self._other):
            at = page * PAGE
            if mix(self.seed, self.operations, page) >> 7 & 1:
                now = bytes(self.data[at : at + PAGE])
                self.data[at : at + PAGE] = self._other[page]
                self._other[page] = now

    # -- the block device ------------------------------------------------------------------------------------------

    def readblocks(self, block: int, buf: "bytearray | memoryview", offset: int) -> None:
        if self._dead:
            raise PowerCut()
        at = self._inside(block, offset, len(buf))
        buf[:] = self.data[at : at + len(buf)]

    def writeblocks(self, block: int, buf: "bytes | bytearray | memoryview", offset: int) -> None:
        at = self._inside(block, offset, len(buf))
        if offset % PAGE or len(buf) != PAGE:
            raise Misuse("a program of %d bytes at %d" % (len(buf), offset))
        if self.used[at // PAGE]:
            raise Misuse("page %d of block %d programmed again" % (offset // PAGE, block))
        how = self._begin(block, offset // PAGE, bytes(buf), self.program_us)
        if how == BEFORE:
            return self._die()
        self.used[at // PAGE] = 1
        if how == MIDDLE or self.worn[block]:
            whole = bytes(buf)
            buf = self._partly(buf)
            if how == MIDDLE and self.shaky and bytes(buf) != _ERASED:
                self._other[at // PAGE] = whole
        for i in range(PAGE):
            self.data[at + i] &= buf[i]
        if how != -1:
            self._die()

    def ioctl(self, operation: int, block: int) -> int:
        if operation != 6:
            raise Misuse("ioctl %d" % operation)
        at = self._inside(block, 0, BLOCK)
        how = self._begin(block, -1, b"", self.erase_us)
        if how == BEFORE:
            self._die()
        self.erases[block] += 1
        for page in range(PAGES):
            self._erase_page(at + page * PAGE, how, self.worn[block])
        if how != -1:
            self._die()
        return 0

    # -- what happens in there ---------------------------------------------------------------------------------------

    def _begin(self, block: int, page: int, data: bytes, us: int) -> int:
        """Count an operation; at which point of it power fails, or -1."""
        if self._dead:
            raise PowerCut()
        how = self.cut_how if self.operations == self.cut_at else -1
        self.operations += 1
        if how != BEFORE:
            self.now_us += us
            self.off_us += us
        if self.log is not None:
            self.log.append((block, page, data))
        return how

    def _erase_page(self, at: int, how: int, worn: int) -> None:
        page = at // PAGE
        if worn == 3:
            # A blank page looks the same after an erase that did nothing.
            self.used[page] = 0 if bytes(self.data[at : at + PAGE]) == _ERASED else 1
            return
        luck = mix(self.seed, self.operations, page)
        self._other.pop(page, None)
        if how == MIDDLE and luck % 3 == 0:
            self.used[page] = 1
            return
        self.data[at : at + PAGE] = _ERASED
        self.used[page] = 1 if how == MIDDLE else 0
        if worn == 2 or (how == MIDDLE and luck % 3 == 1):
            self.used[page] = 1
            for i in range(PAGE):
                self.data[at + i] = mix(luck, self.operations, i) >> 3 & 0xFF

    def _partly(self, buf: "bytes | bytearray | memoryview") -> bytearray:
        """Some of the bits that should have cleared, from all but a byte's to none, by how far it came."""
        depth = mix(self.seed, self.operations, 1) % 5
        some = bytearray(PAGE)
        for i in range(PAGE):
            noise = mix(self.seed, self.operations, i + 2)
            still = (0xFF if i == 20 else 0, noise & noise >> 8, noise, noise | noise >> 8, 0xFF)[depth]
            some[i] = buf[i] | still & 0xFF
        return some

    def _die(self) -> None:
        self._dead = True
        raise PowerCut()

    def _inside(self, block: int, offset: int, size: int) -> int:
        at = block * BLOCK + offset
        if block < 0 or offset < 0 or at + size > len(self.data):
            raise Misuse("%d bytes at %d of block %d" % (size, offset, block))
        return at
