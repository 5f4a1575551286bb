"""A uniform random order by Fisher-Yates with rejection sampling: no modulo bias, nothing redrawn for speed.

Exactly uniform, given uniform draws: below(n) takes each of its n values for the same number of 16-bit words, and the
n! ways to draw 0..n-1, 0..n-2, ... give the n! orders once each. The tests count both.
"""

from micropython import const

from firmware.digest import wipe

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array

    from firmware.deck.drbg import Drbg

DRAW_BYTES = const(128)  # 64 words: enough for 52 cards in all but one of 10**31 shuffles


class Draws:
    """16-bit numbers from a DRBG, a chunk at a time."""

    def __init__(self, drbg: "Drbg") -> None:
        self.drbg = drbg
        self.chunk = bytearray(0)
        self.at = 0

    def below(self, bound: int) -> int:
        """Uniform in 0 .. bound - 1. Values past the last whole multiple of bound are thrown away."""
        limit = 65536 - 65536 % bound
        while True:
            if self.at >= len(self.chunk):
                wipe(self.chunk)
                self.chunk = self.drbg.generate(DRAW_BYTES)
                self.at = 0
            value = self.chunk[self.at] | self.chunk[self.at + 1] << 8
            self.at += 2
            if value < limit:
                return value % bound


def permutation_fill(order: "array[int]", count: int, drbg: "Drbg") -> None:
    """Fill order[:count] with a uniform permutation of 0 .. count - 1."""
    draws = Draws(drbg)
    for i in range(count):
        order[i] = i
    for i in range(count - 1, 0, -1):
        j = draws.below(i + 1)
        order[i], order[j] = order[j], order[i]
    wipe(draws.chunk)
