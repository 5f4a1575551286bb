"""Edges on their way from interrupts to a sample: a ring, without locks."""

from array import array

from micropython import const

RING = const(32)  # one stays free: 31 edges between two samples, where a scan every 4 ms sees one or two
_LAST = const(31)


class Edges:
    """A ring with one reader (sample) and one writer: the interrupt of the pin bank, or code that disables it."""

    def __init__(self) -> None:
        self.edge = bytearray(RING)  # twice the line, and its new level
        self.us = array("i", [0] * RING)
        self.head = 0
        self.tail = 0
        self.lost = False
        self.stale = True  # the levels in the image are not what the edges add up to: at the start, and after a loss

    def push(self, line: int, level: int, now_us: int) -> None:
        """Interrupt side, or with interrupts off."""
        at = self.head
        after = (at + 1) & _LAST
        if after == self.tail:
            self.lost = True
            self.stale = True
            return
        self.edge[at] = line << 1 | level
        self.us[at] = now_us
        # Last: the reader takes nothing before it is whole.
        self.head = after


def copy_edges(
    edge: bytearray, edge_us: "array[int]", to: bytearray, to_us: "array[int]", raw: bytearray, span: int
) -> int:
    """Edges of a ring, and the levels that they leave. Span has the first one and the end, in five bits each, and
    before them how many are there already. Returns how many are there then.

    Shipped as machine code: fairshoe/ship/machine_code.py."""
    at = span & _LAST
    end = span >> 5 & _LAST
    count = span >> 10
    while at != end:
        to[count] = edge[at]
        to_us[count] = edge_us[at]
        raw[edge[at] >> 1] = edge[at] & 1
        count += 1
        at = at + 1 & _LAST
    return count
