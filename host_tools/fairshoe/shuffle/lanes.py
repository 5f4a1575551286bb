"""One number of each of many decks in a lane of a single integer, so that one operation compares or adds all of them.

A Python loop over the cards of one deck costs more than drawing it. The lanes need nothing beyond the language, and an
operation on an integer of a few hundred bytes costs little more than one on a small number.
"""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence

_LITTLE = sys.byteorder == "little"


class Lanes:
    """Lanes for `decks` numbers of 0 .. `largest`. The highest bit of each lane is free: it stops a borrow or carry."""

    def __init__(self, decks: int, largest: int) -> None:
        self.code, self.double = ("B", "H") if largest < 1 << 7 else ("H", "I")
        self.size = decks * array(self.code).itemsize
        self.top = 8 * array(self.code).itemsize - 1
        self.one = self.pack(array(self.code, [1]) * decks)
        self.high = self.one << self.top

    def pack(self, values: array[int]) -> int:
        return int.from_bytes(values.tobytes(), sys.byteorder)

    def unpack(self, lanes: int) -> array[int]:
        return array(self.code, lanes.to_bytes(self.size, sys.byteorder))

    def ring(self, decks: Sequence[Sequence[int]]) -> array[int]:
        """All decks, with the number of cards before and behind each as the mark of its ends."""
        end = len(decks[0])
        values = [end]
        for deck in decks:
            values += deck
            values.append(end)
        return array(self.code, values)

    def pairs(self, ring: array[int]) -> Iterator[tuple[int, int, int]]:
        """How often each number is followed by each: neighbours are counted as one number of twice the size."""
        words: array[int] = array(self.double)
        for shifted in (ring, ring[1:]):
            words.frombytes(shifted[: len(shifted) & ~1].tobytes())
        base = 1 << self.top + 1
        for pair, times in Counter(words).items():
            if _LITTLE:
                yield pair % base, pair // base, times
            else:
                yield pair // base, pair % base, times

    def not_below(self, left: int, right: int) -> int:
        """1 in each lane whose left number is at least the right one."""
        return (left | self.high) - right >> self.top & self.one

    def equal(self, left: int, right: int) -> int:
        """1 in each lane whose numbers are the same."""
        return ((self.high | left ^ right) - self.one >> self.top & self.one) ^ self.one

    def where(self, chosen: int, lanes: int) -> int:
        """The numbers of the lanes that have a 1 in `chosen`, and 0 elsewhere."""
        return lanes & (chosen << self.top) - chosen
