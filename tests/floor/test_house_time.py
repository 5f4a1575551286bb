"""Shifts of a house meet on every night of the year, also when the clocks change."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import pairwise

import pytest

from fairshoe.errors import UsageError
from fairshoe_floor.house_time import parse_time, shift, shown, zone

ZONES = ("Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago", "UTC")
DAYS = [date(2026, 1, 1) + timedelta(days=number) for number in range(365)]


@pytest.mark.parametrize("name", ZONES)
@pytest.mark.parametrize(
    "cuts", [("06:00", "14:00", "22:00"), ("02:30", "03:00"), ("00:00", "02:00", "02:15"), ("03:00",)]
)
def test_shifts_follow_each_other_without_a_gap_or_an_overlap(name: str, cuts: tuple[str, ...]) -> None:
    where = zone(name)
    words = [f"{begin}-{end}" for begin, end in zip(cuts, (*cuts[1:], cuts[0]), strict=True)]
    found = [shift(day, each, where) for day in DAYS for each in words]
    for (begin, end), (after, _) in pairwise(found):
        assert begin <= end == after
    hours = {(end - begin) / 3600 for begin, end in found}
    assert max(hours) <= 25 and sum(end - begin for begin, end in found) == found[-1][1] - found[0][0]


def test_a_night_in_which_the_clocks_change_is_shorter_or_longer() -> None:
    berlin = zone("Europe/Berlin")

    def hours(day: date, words: str) -> float:
        begin, end = shift(day, words, berlin)
        return (end - begin) / 3600

    assert hours(date(2026, 3, 28), "22:00-06:00") == 7 and hours(date(2026, 10, 24), "22:00-06:00") == 9
    assert hours(date(2026, 3, 29), "00:00-24:00") == 23 and hours(date(2026, 10, 25), "06:00-06:00") == 24
    assert hours(date(2026, 3, 29), "02:00-03:00") == 0  # the clock skips it
    assert shown(shift(date(2026, 10, 25), "02:30-03:00", berlin)[0], berlin) == "2026-10-25 02:30:00+02:00"
    assert parse_time("2026-11-03 14:05", berlin) == parse_time("2026-11-03T13:05Z", berlin)


@pytest.mark.parametrize("words", ["22-06", "22:00-25:00", "24:00-06:00", "06:00-24:30", "late"])
def test_what_is_no_shift_is_refused(words: str) -> None:
    with pytest.raises(UsageError, match="no shift"):
        shift(date(2026, 1, 1), words, zone("UTC"))
    with pytest.raises(UsageError, match="no time zone"):
        zone("Europe/Atlantis")
