"""What code in flash costs on an RP2040: the figures of its cache, and where each comes from.

RP2040 data sheet, section 2.6.3: 16 KB, two ways, lines of 8 bytes; a hit takes no time. Which way goes is not said:
the one that was used last stays.

A miss is a read of the Pico's flash as the second stage of pico-sdk 2.2.0 sets it up (boot2_w25q080.S, half of the
system's clock): address and mode 8 clocks, 4 of waiting, 8 for each word of four bits at a time. A word is 20 clocks,
or 40 cycles, a whole line 28, or 56. Silicon lies between them (not measured), so budgets hold with 40 and the worst
scan with 56. 25 is what a driver with twice the clock would give.
"""

import os

CACHE_BYTES = 16 * 1024
CACHE_WAYS = 2
LINE_BYTES = 8
SET_COUNT = CACHE_BYTES // CACHE_WAYS // LINE_BYTES
MISS_CYCLES = 40
MISS_CYCLES_TRIED = (0, 25, 40, 56)
MISS = "MISS"  # in the environment: other cycles


def miss_cycles() -> int:
    """What a miss costs in this process."""
    return int(os.environ.get(MISS) or MISS_CYCLES)
