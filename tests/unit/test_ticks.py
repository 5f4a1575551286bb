"""Time arithmetic across the wrap, without leaving small integers."""

from support import without_heap

from firmware.ticks import TICKS_MAX, ticks_add, ticks_diff


def test_differences_are_right_across_the_wrap():
    assert ticks_diff(5, TICKS_MAX - 4) == 10
    assert ticks_diff(TICKS_MAX - 4, 5) == -10
    assert ticks_diff(TICKS_MAX, 0) == -1
    assert ticks_diff(0, TICKS_MAX) == 1


def test_add_is_the_inverse_of_diff_everywhere_near_the_wrap():
    for start in (0, 1, TICKS_MAX - 1, TICKS_MAX, TICKS_MAX // 2, TICKS_MAX // 2 + 1):
        for delta in (0, 1, 1000, TICKS_MAX // 2 - 1):
            end = ticks_add(start, delta)
            assert 0 <= end <= TICKS_MAX
            assert ticks_diff(end, start) == delta


def test_no_time_arithmetic_allocates():
    for end, start in ((5, TICKS_MAX), (TICKS_MAX, 5), (TICKS_MAX, 0), (0, TICKS_MAX)):
        without_heap(ticks_diff, end, start)
        without_heap(ticks_add, end, start // 2)
