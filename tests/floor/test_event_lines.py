"""Events as they travel, and what a publisher computes from committed ranges."""

from __future__ import annotations

import pytest

from fairshoe_floor.stream.event_lines import EventRow, from_lines, to_lines
from fairshoe_floor.stream.publisher import covered, holes

ROW = EventRow(
    0x510001, b"\1" * 16, 7, 261, "door_opened", 1, 100.005, 0, 3, 1, '{"clause": "CS-13\\"f"}', b"\0\xff", 5.5, 'p"1'
)


def test_lines_give_back_the_event() -> None:
    assert from_lines(to_lines([ROW, ROW])) == [ROW, ROW]


@pytest.mark.parametrize("data", [b"[]", b"{}", b'{"device": 1}', b"\xff", b"null"])
def test_other_data_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError):
        from_lines(data)


def test_covered_is_the_end_of_the_range() -> None:
    assert [covered([[1, 3], [7, 9]], seq) for seq in (1, 3, 4, 7, 9, 10)] == [3, 3, 0, 9, 9, 0]


def test_holes_begin_at_the_oldest_event_on_file_and_end_at_what_was_committed_before() -> None:
    assert holes([[1, 3], [7, 9]], 1, 0) == [(4, 6)]
    assert holes([[1, 3], [7, 9]], 5, 0) == [(5, 6)]
    assert holes([[1, 3], [5, 9]], 1, 10) == [(4, 4), (10, 10)]  # of one event
    assert holes([[1, 3]], 1, 8) == [(4, 8)]  # a restored database: it had committed up to 8
    assert holes([[5, 9]], 5, 9) == []
