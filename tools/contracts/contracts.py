"""What holds for every input. The first assertions of a function say which inputs are meant, the others what holds.

CrossHair reads the functions of the firmware as they are, follows every path and lets a solver look for an input that
breaks an assertion. It confirms one when no path is left.
"""

from __future__ import annotations

import os

import fairshoe.boards.configs  # noqa: F401  # pyright: ignore[reportUnusedImport]  # makes the firmware importable
from contracts.planted import plant
from firmware import ticks
from firmware.journal.cells import RECORD_CELL
from firmware.journal.store import Journal
from firmware.protocol import cobs

plant(os.environ.get("PLANTED", ""))

TICKS = 1 << 30
CELLS_MAX = 2000
BYTES_MAX = 6


def sum_of_ticks(start: int, delta: int) -> None:
    """A time that was added is the difference afterwards, also where the clock wraps."""
    assert 0 <= start < TICKS and 0 <= delta < TICKS // 2
    later = ticks.ticks_add(start, delta)
    assert 0 <= later < TICKS
    assert ticks.ticks_diff(later, start) == delta


def difference_of_ticks(end: int, start: int) -> None:
    """A difference fits into a small integer, and is right but for whole turns of the clock."""
    assert 0 <= start < TICKS and 0 <= end < TICKS
    found = ticks.ticks_diff(end, start)
    assert -TICKS // 2 <= found < TICKS // 2
    assert (end - start - found) % TICKS == 0


def any_bytes(data: bytes) -> None:
    """Whatever arrives: no index error, and never more than arrived."""
    assert 0 < len(data) <= BYTES_MAX
    size = cobs.cobs_decode(bytearray(data), len(data))
    assert -1 <= size < len(data)


class _Cells:
    def __init__(self, capacity: int) -> None:
        self.capacity = capacity


def _settled(value: int, low: int, high: int) -> int:
    """The same, as a path for each value: the solver confirms a remainder by a known number in any case, and one by an
    unknown number only at times."""
    while low < high:
        middle = (low + high) // 2
        if value <= middle:
            high = middle
        else:
            low = middle + 1
    return low


def places_in_the_ring(capacity: int, one: int, other: int) -> None:
    """Two events that are in the ring at once have different cells, and none lies outside the storage."""
    assert 0 < capacity <= CELLS_MAX and 0 < one < other < one + capacity and other < TICKS
    journal = _Cells(_settled(capacity, 1, CELLS_MAX))
    first = Journal._cell(journal, one)  # pyright: ignore[reportPrivateUsage, reportArgumentType]
    second = Journal._cell(journal, other)  # pyright: ignore[reportPrivateUsage, reportArgumentType]
    assert first != second
    assert RECORD_CELL <= first < RECORD_CELL + capacity
    assert RECORD_CELL <= second < RECORD_CELL + capacity


CONTRACTS = (sum_of_ticks, difference_of_ticks, any_bytes, places_in_the_ring)
