"""Randomness of the simulated machine: a hash of seed, subject and try, so that a seed gives one trace everywhere."""

_MASK = 0xFFFFFFFF


def mix(seed: int, what: int, attempt: int) -> int:
    """32 well-mixed bits; the same on every VM. The order of questions does not change the answers."""
    h = (seed * 0x9E3779B1 + what * 0x85EBCA77 + attempt * 0xC2B2AE3D + 0x27D4EB2F) & _MASK
    h ^= h >> 15
    h = h * 0x2C1B3C6D & _MASK
    h ^= h >> 12
    h = h * 0x297A2D39 & _MASK
    return h ^ h >> 15


def isqrt(n: int) -> int:
    """Integer square root by Newton's method, from above; MicroPython's math has none."""
    if n < 2:
        return n
    x = 1
    while x * x < n:
        x <<= 1
    while True:
        y = (x + n // x) >> 1
        if y >= x:
            return x
        x = y
