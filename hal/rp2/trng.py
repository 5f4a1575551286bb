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

_BASE = 0x400F0000
# Offsets, added where they are used: as addresses they would be large integers, each shipped as text.
_ISR = const(0x104)
_ICR = const(0x108)
_DATA = const(0x114)  # six words; reading the last one starts the next collection
_ENABLE = const(0x12C)
_SAMPLE = const(0x130)
_DEBUG = const(0x138)
_RESET = const(0x140)
_VALID = const(1)
_OBJECTIONS = const(14)  # von Neumann, repetition, autocorrelation
_CLOCKS = const(200)  # between two samples of the oscillator: 192 balanced bits take about a millisecond
_TRIES = const(4)  # two equal words of 16 bits happen by chance, once in 5,000 collections
_WAIT_US = const(20000)
_WORDS = const(6)


def noise_into(buf: bytearray) -> bool:
    """Whole words, lowest byte first; some 24 bytes a millisecond."""
    at = tries = 0
    base = _BASE
    while at < len(buf):
        mem32[base + _DEBUG] = 0
        mem32[base + _SAMPLE] = _CLOCKS
        mem32[base + _ICR] = _VALID | _OBJECTIONS
        mem32[base + _ENABLE] = 1
        begin_us = ticks_us()
        state = 0
        while not state:
            if ticks_diff(ticks_us(), begin_us) > _WAIT_US:
                return False
            state = mem32[base + _ISR]
        if state & _OBJECTIONS:
            tries += 1
            if tries == _TRIES:
                return False
            mem32[base + _RESET] = 1
            continue
        tries = 0
        for i in range(_WORDS):
            word = mem32[base + _DATA + 4 * i]
            for _ in range(4):
                if at < len(buf):
                    buf[at] = word & 0xFF
                    at += 1
                word >>= 8
    return True
