"""The alarms on file, in PostgreSQL: raised, acknowledged by a person, cleared, sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from fairshoe import FairshoeError
from fairshoe_floor.alarms.engine import Change

_COLUMNS = (
    "id, rule, severity, device, text, raised_at, cleared_at, acknowledged_at, acknowledged_by, note, part, place, pit"
)


class AlarmError(FairshoeError):
    """An alarm that cannot be acknowledged."""


@dataclass(frozen=True)
class Alarm:
    """One alarm on file. Times are UTC seconds since 1970. `place` is the table where the device was when it was
    raised."""

    id: int
    rule: str
    severity: str
    device: int
    text: str
    raised_at: float
    cleared_at: float | None
    acknowledged_at: float | None
    acknowledged_by: str | None
    note: str | None
    part: str = ""
    place: str = ""
    pit: str = ""


def alarms(db: psycopg.Connection[Any], open_only: bool = True, limit: int | None = 1000) -> list[Alarm]:
    """The newest first."""
    where = "WHERE cleared_at IS NULL" if open_only else ""
    rows = db.execute(f"SELECT {_COLUMNS} FROM alarms {where} ORDER BY raised_at DESC LIMIT %s".encode(), (limit,))
    return [Alarm(*row) for row in rows.fetchall()]


def note_changes(db: psycopg.Connection[Any], changes: Sequence[Change]) -> list[Change]:
    """Write what has changed, in one transaction. Those that were news: an alarm that is open stays one alarm."""
    news: list[Change] = []
    with db.transaction():
        for change in changes:
            if change.raised:
                done = db.execute(
                    "INSERT INTO alarms (rule, severity, device, text, raised_at, part, place, pit)"
                    " SELECT given.*, COALESCE(place, ''), COALESCE(pit, '') FROM (VALUES (%s, %s, %s::bigint, %s,"
                    " %s::double precision, %s)) AS given (rule, severity, device, text, at, part)"
                    " LEFT JOIN assignments AS it ON it.device = given.device AND ended IS NULL ON CONFLICT DO NOTHING",
                    (change.rule.name, change.rule.severity, change.device, change.text, change.at, change.part),
                )
            else:
                done = db.execute(
                    "UPDATE alarms SET cleared_at = %s WHERE rule = %s AND device = %s AND part = %s"
                    " AND cleared_at IS NULL",
                    (change.at, change.rule.name, change.device, change.part),
                )
            if done.rowcount:
                news.append(change)
    return news


def end(db: psycopg.Connection[Any], numbers: Sequence[int], now: float) -> None:
    """No rule keeps these any more."""
    db.execute("UPDATE alarms SET cleared_at = %s WHERE id = ANY(%s)", (now, list(numbers)))


def acknowledge(db: psycopg.Connection[Any], number: int, by: str, note: str, now: float) -> Alarm:
    """A person has seen it. An alarm can be acknowledged once; who did is kept."""
    with db.transaction():
        found = db.execute(f"SELECT {_COLUMNS} FROM alarms WHERE id = %s FOR UPDATE".encode(), (number,)).fetchone()
        if found is None:
            raise AlarmError(f"there is no alarm {number}.", "`fairshoe floor alarms` lists them.")
        alarm = Alarm(*found)
        if alarm.acknowledged_at is not None:
            raise AlarmError(f"{alarm.acknowledged_by} has acknowledged alarm {number} already.", "Nothing to do.")
        db.execute(
            "UPDATE alarms SET acknowledged_at = %s, acknowledged_by = %s, note = %s WHERE id = %s",
            (now, by, note, number),
        )
    return alarm


def to_send(db: psycopg.Connection[Any], ended_since: float, oldest: float) -> list[Alarm]:
    """All that hold, oldest first, and those that ended since a time, or since an older one and were not sent yet."""
    rows = db.execute(
        f"SELECT {_COLUMNS} FROM alarms WHERE cleared_at IS NULL OR cleared_at > %s"
        " OR (cleared_at > %s AND NOT ended_sent) ORDER BY id".encode(),
        (ended_since, oldest),
    )
    return [Alarm(*row) for row in rows.fetchall()]


def note_sent(db: psycopg.Connection[Any], ended: Sequence[int]) -> None:
    """Every receiver has taken the end of these."""
    db.execute("UPDATE alarms SET ended_sent = true WHERE id = ANY(%s) AND NOT ended_sent", (list(ended),))
