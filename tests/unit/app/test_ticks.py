"""Time arithmetic across the wrap, without leaving small integers."""

import sys

from support import raises, without_heap

from firmware.ticks import FOREVER_MS, TICKS_HALF, TICKS_MAX, ticks_add, ticks_diff


def test_differences_are_right_across_the_wrap():
    assert ticks_diff(5, TICKS_MAX - 4) == 10
    assert ticks_diff(TICKS_MAX - 4, 5) == -10
    assert ticks_diff(TICKS_MAX, 0) == -1
    assert ticks_diff(0, TICKS_MAX) == 1
    assert ticks_diff(TICKS_HALF, 0) == ticks_diff(0, TICKS_HALF) == -TICKS_HALF, "half a turn is a small integer"


def test_add_is_the_inverse_of_diff_everywhere_near_the_wrap():
    for start in (0, 1, TICKS_MAX - 1, TICKS_MAX, TICKS_MAX // 2, TICKS_MAX // 2 + 1):
        for delta in (0, 1, 1000, TICKS_MAX // 2 - 1, FOREVER_MS):
            end = ticks_add(start, delta)
            assert 0 <= end <= TICKS_MAX
            assert ticks_diff(end, start) == delta


def test_no_time_arithmetic_allocates():
    for end, start in ((5, TICKS_MAX), (TICKS_MAX, 5), (TICKS_MAX, 0), (0, TICKS_MAX)):
        assert without_heap(ticks_diff, end, start) == -ticks_diff(start, end)
        assert 0 <= without_heap(ticks_add, end, start // 2) <= TICKS_MAX


def test_the_heap_lock_of_these_tests_notices_an_allocation():
    """On MicroPython; on CPython the lock is a stand-in, and those tests check results only."""
    if sys.implementation.name == "micropython":
        assert raises(MemoryError, without_heap, bytearray, 100)
        assert raises(MemoryError, without_heap, _big_integer, TICKS_MAX)
    assert _big_integer(TICKS_MAX) == TICKS_MAX + 1


def _big_integer(value):
    return value + 1
