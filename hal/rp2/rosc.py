"""Noise of an RP2040: the ring oscillator's raw bit, unconditioned."""

from machine import mem32

_RANDOMBIT = 0x4006001C


def noise_into(buf: bytearray) -> bool:
    """One raw bit per read, eight to a byte, the first highest. A source that never changes is no source."""
    ones = 0
    for i in range(len(buf)):
        byte = 0
        for _ in range(8):
            byte = byte << 1 | mem32[_RANDOMBIT] & 1
        buf[i] = byte
        ones |= 1 if byte else 0
        ones |= 2 if byte != 0xFF else 0
    return ones == 3
