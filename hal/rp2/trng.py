"""Noise of an RP2350: its generator of true random numbers, with its own balancing and tests switched on.

The generator collects 192 bits and says what it thinks of them. Bits that it objects to are thrown away; a generator
that objects again and again, or gives nothing, is broken. MicroPython itself seeds its generators from here with
balancing and tests off, so both are switched on each time.
"""

from machine import mem32
from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.board.clock import ticks_diff, ticks_us
else:
    from time import ticks_diff, ticks_us

_ISR = 0x400F0104
_ICR = 0x400F0108
_DATA = 0x400F0114  # six words; reading the last one starts the next collection
_ENABLE = 0x400F012C
_SAMPLE = 0x400F0130
_DEBUG = 0x400F0138
_RESET = 0x400F0140
_VALID = const(1)
_OBJECTIONS = const(14)  # von Neumann, repetition, autocorrelation
_CLOCKS = const(200)  # between two samples of the oscillator: 192 balanced bits take about a millisecond
_TRIES = const(4)  # two equal words of 16 bits happen by chance, once in 5,000 collections
_WAIT_US = const(20000)
_WORDS = const(6)


def trng_into(buf: bytearray) -> bool:
    """Whole words, lowest byte first; some 24 bytes a millisecond."""
    at = 0
    while at < len(buf):
        if not _collect():
            return False
        for i in range(_WORDS):
            word = mem32[_DATA + 4 * i]
            for _ in range(4):
                if at < len(buf):
                    buf[at] = word & 0xFF
                    at += 1
                word >>= 8
    return True


def _collect() -> bool:
    """Until 192 bits are there that the generator itself has nothing against."""
    for _ in range(_TRIES):
        mem32[_DEBUG] = 0
        mem32[_SAMPLE] = _CLOCKS
        mem32[_ICR] = _VALID | _OBJECTIONS
        mem32[_ENABLE] = 1
        begin_us = ticks_us()
        state = 0
        while not state & (_VALID | _OBJECTIONS):
            if ticks_diff(ticks_us(), begin_us) > _WAIT_US:
                return False
            state = mem32[_ISR]
        if not state & _OBJECTIONS:
            return True
        mem32[_RESET] = 1
    return False
