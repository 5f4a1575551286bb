"""Days and shifts of a house, in its time zone, as UTC seconds since 1970.

A night on which the clocks change has 23 or 25 hours, and a shift in it is longer or shorter than by its name. Shifts
that follow each other must still meet: no minute may count twice or not at all. So a time of the clock is always the
same moment, whether a shift begins or ends there: the first of the two when the clock shows it twice, and the moment of
the change when the clock skips it.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from fairshoe.errors import UsageError

_SHIFT = re.compile(r"([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-4]):([0-5]\d)")


def zone(name: str) -> ZoneInfo:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise UsageError(
            f"there is no time zone {name}.", "Write it as Europe/Berlin; on Windows pip install tzdata."
        ) from None


def moment(day: date, at: time, where: ZoneInfo) -> int:
    """When the clock of the house shows this time on this day."""
    local = datetime.combine(day, at, where)
    first = int(local.timestamp())
    if datetime.fromtimestamp(first, where).replace(tzinfo=None) == local.replace(tzinfo=None):
        return first
    before, after = int(local.replace(fold=1).timestamp()), first  # the change is between
    offset = datetime.fromtimestamp(before, where).utcoffset()
    while after - before > 1:
        middle = (before + after) // 2
        if datetime.fromtimestamp(middle, where).utcoffset() == offset:
            before = middle
        else:
            after = middle
    return after


def shift(day: date, words: str, where: ZoneInfo) -> tuple[int, int]:
    """From and to of a shift such as 22:00-06:00 that begins on this day. One that ends at or before its beginning
    ends on the next day."""
    found = _SHIFT.fullmatch(words)
    if found is None or (found[3] == "24" and found[4] != "00"):
        raise UsageError(f"{words} is no shift.", "Write it as 22:00-06:00, in the time of the house.")
    begin = time(int(found[1]), int(found[2]))
    end = time(int(found[3]) % 24, int(found[4]))
    last = day + timedelta(days=1) if end <= begin else day
    return moment(day, begin, where), moment(last, end, where)


def parse_day(words: str) -> date:
    try:
        return date.fromisoformat(words)
    except ValueError:
        raise UsageError(f"{words} is no day.", "Write it as 2026-11-03.") from None


def parse_time(words: str, where: ZoneInfo) -> float:
    """A time of the house, or with an offset or Z of its own."""
    try:
        said = datetime.fromisoformat(words.replace("Z", "+00:00"))
    except ValueError:
        raise UsageError(f"{words} is no time.", 'Write it as "2026-11-03 14:05".') from None
    return said.timestamp() if said.tzinfo else float(moment(said.date(), said.time().replace(microsecond=0), where))


def shown(at: float, where: ZoneInfo) -> str:
    """With its offset: on some nights a time of the clock comes twice."""
    return datetime.fromtimestamp(at, timezone.utc).astimezone(where).isoformat(" ", "seconds")
