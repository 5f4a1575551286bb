"""Questions to the central record: events, the firmware that each shoe reports, the age of its keys, its journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import psycopg


@dataclass(frozen=True)
class HistoryEvent:
    """One event on file. `received` is when its gateway stored it, in UTC seconds since 1970."""

    device: int
    log: bytes
    seq: int
    name: str
    received: float
    utc_s: int
    round: int
    fields: Mapping[str, Any]
    gateway: str


@dataclass(frozen=True)
class Version:
    """What a device says of itself in its newest `booted`. `fairshoe firmware verify` proves a version."""

    device: int
    firmware: str
    board_crc: int
    booted_at: float


@dataclass(frozen=True)
class KeyAge:
    """The newest `key_changed` of a device. With no generation none is on record, and `since` is when the record of the
    device began: its key is that old at least."""

    device: int
    generation: int | None
    since: float


@dataclass(frozen=True)
class ExportRow:
    """One pull of a journal. `problem` is empty if the export is whole and continues the one before."""

    device: int
    kept_at: float
    first: int
    last: int
    problem: str
    gateway: str


@dataclass(frozen=True)
class GapRow:
    """Events of a log that were lost, recorded by the device between two times of its gateway. `outcome` says how the
    gap was closed: the events turned up, or a person has closed it."""

    id: int
    device: int
    log: bytes
    first: int
    last: int
    gateway: str
    after: float
    before: float
    outcome: str


GAP_ADVICE = (
    "the device's journal may have them: `fairshoe journal pull` at its port, then"
    " `fairshoe floor fill EXPORT --store STORE` at gateway {gap.gateway}"
)


def gaps(db: psycopg.Connection[Any], every: bool = False) -> list[GapRow]:
    """Those that are open, oldest first; or all."""
    where = "" if every else "WHERE closed IS NULL"
    columns = "id, device, log, first, last, gateway, after, before, outcome"
    return [GapRow(*row) for row in db.execute(f"SELECT {columns} FROM gaps {where} ORDER BY id".encode())]


def events(
    db: psycopg.Connection[Any],
    device: int | None,
    kind: str | None,
    since: float,
    limit: int,
    until: float | None = None,
    place: str | None = None,
) -> list[HistoryEvent]:
    """The newest `limit` events of a time, oldest first; of a table, those of the shoes that were there then. Events of
    one device are in the order in which they happened, also where the clock of its gateway was set back. Only the
    conditions that are asked for are in the query, so that one of the indexes by time answers each."""
    wanted = ["received >= %(since)s"]
    wanted += ["received < %(until)s"] if until is not None else []
    wanted += ["events.device = %(device)s"] if device is not None else []
    wanted += ["name = %(kind)s"] if kind is not None else []
    if place is not None:
        wanted += ["place = %(place)s", "received >= began", "received < COALESCE(ended, 'Infinity')"]
    join = "JOIN assignments AS it ON it.device = events.device" if place is not None else ""
    rows = db.execute(
        "SELECT newest.* FROM (SELECT events.device, log, seq, name, received, utc_s, round, fields, events.gateway"
        f" FROM events {join} WHERE {' AND '.join(wanted)}"
        " ORDER BY received DESC, events.device, seq DESC LIMIT %(limit)s)"
        " AS newest JOIN logs USING (device, log) ORDER BY device, turn, logs.id, seq".encode(),
        {"since": since, "until": until, "device": device, "kind": kind, "place": place, "limit": limit},
    ).fetchall()
    latest: dict[int, float] = {}
    placed: list[tuple[float, HistoryEvent]] = []
    for it in (HistoryEvent(*row) for row in rows):
        latest[it.device] = max(it.received, latest.get(it.device, 0.0))
        placed.append((latest[it.device], it))
    return [it for _at, it in sorted(placed, key=lambda pair: pair[0])]


# The newest event of one kind of each device, by the index of device, name and time: the record has millions of others.
# Which one is the newest, the order of logs and numbers says: a clock may be wrong.
_NEWEST = (
    " FROM (SELECT device, MIN(began) AS began FROM logs GROUP BY device) AS devices {join} JOIN LATERAL"
    " (SELECT fields, events.received FROM events JOIN logs USING (device, log) WHERE device = devices.device"
    " AND name = %s ORDER BY turn DESC, logs.id DESC, seq DESC LIMIT 1) AS newest ON true ORDER BY device"
)


def versions(db: psycopg.Connection[Any]) -> list[Version]:
    columns = "SELECT device, fields->>'firmware', (fields->>'board_crc')::bigint, received"
    return [Version(*row) for row in db.execute((columns + _NEWEST.format(join="")).encode(), ("booted",))]


def keys(db: psycopg.Connection[Any]) -> list[KeyAge]:
    """Of every device that is on file."""
    columns = "SELECT device, (fields->>'generation')::integer, COALESCE(received, began)"
    return [KeyAge(*row) for row in db.execute((columns + _NEWEST.format(join="LEFT")).encode(), ("key_changed",))]


def journals(db: psycopg.Connection[Any], device: int | None, since: float) -> list[ExportRow]:
    """The newest pull of each device; of one device all since a time."""
    newest = "DISTINCT ON (device)" if device is None else ""
    rows = db.execute(
        f"SELECT {newest} device, kept_at, first, last, problem, gateway FROM journals WHERE kept_at >= %(since)s"
        " AND (%(device)s::bigint IS NULL OR device = %(device)s) ORDER BY device, id DESC".encode(),
        {"since": since, "device": device},
    ).fetchall()
    return [ExportRow(*row) for row in rows]


def export(db: psycopg.Connection[Any], device: int, kept_at: float) -> bytes:
    """The export of one pull, as `fairshoe journal verify` reads it; empty if the pull has none."""
    row = db.execute("SELECT content FROM journals WHERE device = %s AND kept_at = %s", (device, kept_at)).fetchone()
    return bytes(row[0]) if row else b""
