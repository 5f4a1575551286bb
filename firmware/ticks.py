"""Time arithmetic on counters that wrap at 2**30; every comparison of times goes through here.

Nothing here leaves the small-integer range of a 32-bit MicroPython (-2**30 .. 2**30 - 1): 2**30 itself is a heap
object there, so the period only ever appears as two halves.
"""

from micropython import const

TICKS_HALF = const(0x20000000)
TICKS_MAX = const(0x3FFFFFFF)
FOREVER_MS = const(0x1FFFFFFF)


def ticks_add(ticks: int, delta: int) -> int:
    """The time `delta` (0 .. 2**29) after `ticks`."""
    later = ticks - TICKS_HALF - TICKS_HALF + delta
    return later + TICKS_HALF + TICKS_HALF if later < 0 else later


def ticks_diff(end: int, start: int) -> int:
    """How much later `end` is than `start`; right while they are less than 2**29 apart."""
    delta = end - start
    if delta >= TICKS_HALF:
        return delta - TICKS_HALF - TICKS_HALF
    if delta < -TICKS_HALF:
        return delta + TICKS_HALF + TICKS_HALF
    return delta
