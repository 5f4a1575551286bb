"""Words of the PIO program in changes.py into edges of the image. Shipped as machine code: ship/machine_code.py.

`memory` is the chip's address space in words of 32 bits: registers of DMA, PIO and timer, and the ring in RAM that DMA
writes. `s` is the state between two looks; beams.py fills it in.
"""

from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

RING = const(64)  # words; the image takes 32 edges
WINDOW_US = const(8000)  # in any of which a line may have so many edges
LINES_MAX = const(12)  # pins in a row; leaves 20 bits of microseconds
LATE_US = const(1000000)  # between two looks; those 20 bits wrap after 1,048,576
COUNT = const(0x0FFFFFFF)  # words that a DMA channel takes at most
COUNT_LOW = const(0x01000000)  # time to start it again

# What `fold` returns instead of a number of edges.
LOST = const(-1)  # words are gone, or edges do not fit, or their times are not known
NOISE = const(-2)  # line number s[S_LOUD] has more edges than it may
SPENT = const(-3)  # the DMA channel is about to end
BUSY = const(-4)  # no word is new, and beams.py has something else to do: s[S_UNTIL] or s[S_HELD]

TAKE = const(0)  # modes: edges into the image
PEEK = const(1)  # up to the first edge for the image, which is left
DROP = const(2)  # edges are counted only

S_LEFT = const(0)  # what DMA's count was at the last look
S_AT = const(1)  # where in the ring the next word comes
S_LEVELS = const(2)  # of all pins, as of the last word
S_LINES = const(3)  # a bit for each pin that is a line
S_WATCHED = const(4)  # a bit for each whose edges go into the image
S_SHIFT = const(5)  # of the levels in a word
S_ZERO = const(6)  # microseconds when the count below was 0
S_SEEN_US = const(7)  # when everything was looked at last
S_UNTIL = const(8)  # do not look further than where DMA's count was this; 0: to its end
S_MODE = const(9)
S_ROOM = const(10)  # edges that the image takes
S_LIMIT = const(11)  # edges of a line in a window
S_STAMPS = const(12)  # where in the state the rings of stamps are, one for each pin, of S_LIMIT words
S_LOUD = const(13)
S_DMA = const(14)  # from here on, where registers are in memory: DMA's count
S_RING = const(15)
S_TIMER = const(16)
S_FDEBUG = const(17)
S_START = const(18)  # the register that starts state machines
S_MACHINE = const(19)  # this one's bit in both
S_COUNTS = const(20)  # edges of each pin since `skip`; of `loudest` in the newest words
S_NAMES = const(32)  # line number of each pin
S_NOW_US = const(44)  # of this look
S_EDGES = const(45)  # how many the image has
S_WORDS = const(46)  # how many were new at this look
S_HELD = const(47)  # before the first sample, and while a line is noise
S_SIZE = const(48)

_TICKS = const(0xFFFFF)
_MASK = const(0x3FFFFFFF)
_AHEAD_US = const(64)  # a stamp may be a microsecond later than the clock said: far less than this
_LAST = const(63)
_HALF = const(32)


def start(memory: "array[int]", s: "array[int]") -> None:
    """Start the state machine and note the time. Call with interrupts off."""
    memory[s[S_START]] = s[S_MACHINE]
    # Its first turn counts down from all ones.
    s[S_ZERO] = (memory[s[S_TIMER]] + _TICKS - 1) & _MASK


def skip(memory: "array[int]", s: "array[int]") -> None:
    """Leave out all words but the newest, and take the levels from that."""
    left = memory[s[S_DMA]]
    s[S_SEEN_US] = memory[s[S_TIMER]] & _MASK
    at = s[S_AT] + s[S_LEFT] - left
    s[S_AT] = at & _LAST
    s[S_LEFT] = left
    s[S_LEVELS] = memory[s[S_RING] + ((at - 1) & _LAST)] >> s[S_SHIFT]
    s[S_UNTIL] = 0
    for bit in range(LINES_MAX):
        s[S_COUNTS + bit] = 0


def show(s: "array[int]", raw: bytearray) -> None:
    """Levels of all lines into the image, 0 for one that is not watched."""
    for bit in range(LINES_MAX):
        if (s[S_LINES] >> bit) & 1:
            raw[s[S_NAMES + bit]] = ((s[S_LEVELS] & s[S_WATCHED]) >> bit) & 1


def loudest(memory: "array[int]", s: "array[int]") -> None:
    """Which pin changed most often in the newest half of the ring, into s[S_LOUD]."""
    at = s[S_AT] + s[S_LEFT] - memory[s[S_DMA]] - _HALF
    for bit in range(LINES_MAX):
        s[S_COUNTS + bit] = 0
    was = memory[s[S_RING] + ((at - 1) & _LAST)] >> s[S_SHIFT]
    for i in range(_HALF):
        levels = memory[s[S_RING] + ((at + i) & _LAST)] >> s[S_SHIFT]
        changed = (levels ^ was) & s[S_LINES]
        was = levels
        bit = 0
        while changed:
            s[S_COUNTS + bit] = s[S_COUNTS + bit] + (changed & 1)
            changed >>= 1
            bit += 1
    s[S_LOUD] = 0
    for bit in range(LINES_MAX):
        if s[S_COUNTS + bit] > s[S_COUNTS + s[S_LOUD]]:
            s[S_LOUD] = bit


def look(memory: "array[int]", s: "array[int]") -> int:
    """How many words are new, or what is wrong."""
    left = memory[s[S_DMA]]
    # After the count: every word that was counted is older than this.
    now_us = memory[s[S_TIMER]] & _MASK
    s[S_NOW_US] = now_us
    if s[S_UNTIL] > left:
        left = s[S_UNTIL]
    todo = s[S_LEFT] - left
    s[S_WORDS] = todo
    if todo == 0:
        s[S_SEEN_US] = now_us
        if s[S_UNTIL] or s[S_HELD]:
            todo = BUSY
    elif left < COUNT_LOW:
        todo = SPENT
    elif todo > RING or memory[s[S_FDEBUG]] & s[S_MACHINE] or (now_us - s[S_SEEN_US]) & _MASK > LATE_US:
        todo = LOST
    return todo


def fold(memory: "array[int]", s: "array[int]", edge: bytearray, edge_us: "array[int]", raw: bytearray) -> int:
    """The words of the last look into edges, behind the s[S_EDGES] that are there. Returns 0, or words left by PEEK, or
    what is wrong: then edges so far are worth nothing. Words that DMA has overwritten by the end were not read in time.

    How many words is in s, and no argument: one more would put the caller's frame on the heap."""
    todo = s[S_WORDS]
    first = s[S_LEFT]
    while todo:
        word = memory[s[S_RING] + s[S_AT]]
        changed = ((word >> s[S_SHIFT]) ^ s[S_LEVELS]) & s[S_LINES]
        if s[S_MODE] == PEEK and changed & s[S_WATCHED]:
            break
        s[S_LEVELS] = s[S_LEVELS] ^ changed
        us = (s[S_NOW_US] + _AHEAD_US - ((word + s[S_NOW_US] + _AHEAD_US - s[S_ZERO]) & _TICKS)) & _MASK
        bit = 0
        while changed:
            if changed & 1:
                # As many edges ago as the line may have in a window: less than a window ago is noise.
                count = s[S_COUNTS + bit]
                stamp = s[S_STAMPS] + bit * s[S_LIMIT] + (count if count < s[S_LIMIT] else count - s[S_LIMIT])
                gone_us = (us - s[stamp]) & _MASK
                s[stamp] = us
                s[S_COUNTS + bit] = count + 1 if count < 2 * s[S_LIMIT] - 1 else s[S_LIMIT]
                if count >= s[S_LIMIT] and gone_us < WINDOW_US:
                    s[S_LOUD] = bit
                    return NOISE
                if s[S_MODE] == TAKE and (s[S_WATCHED] >> bit) & 1:
                    if s[S_EDGES] == s[S_ROOM]:
                        return LOST
                    raw[s[S_NAMES + bit]] = (s[S_LEVELS] >> bit) & 1
                    edge[s[S_EDGES]] = s[S_NAMES + bit] << 1 | (s[S_LEVELS] >> bit) & 1
                    edge_us[s[S_EDGES]] = us
                    s[S_EDGES] = s[S_EDGES] + 1
            changed >>= 1
            bit += 1
        s[S_AT] = (s[S_AT] + 1) & _LAST
        s[S_LEFT] = s[S_LEFT] - 1
        todo -= 1
    s[S_SEEN_US] = s[S_NOW_US] if todo == 0 else s[S_SEEN_US]
    return LOST if first - memory[s[S_DMA]] > RING else todo
