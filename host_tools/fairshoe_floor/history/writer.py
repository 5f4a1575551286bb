"""Writes events into PostgreSQL: one transaction for a batch of messages, with the place in the stream in it.

An event that is there already is left alone. One with the same name and other bytes is kept in `conflicts`: two devices
with one number, or a device that was restored from a copy.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg

from fairshoe_floor.journals import Kept
from fairshoe_floor.stream.event_lines import EventRow
from fairshoe_floor.stream.export_message import to_message

_TYPES = {
    "device": "bigint[]",
    "log": "bytea[]",
    "seq": "bigint[]",
    "message": "integer[]",
    "name": "text[]",
    "boot": "integer[]",
    "uptime_s": "double precision[]",
    "utc_s": "bigint[]",
    "round": "bigint[]",
    "deck": "integer[]",
    "fields": "jsonb[]",
    "body": "bytea[]",
    "received": "double precision[]",
    "gateway": "text[]",
}
_COLUMNS = ", ".join(_TYPES)
_ARRAYS = ", ".join(f"%s::{kind}" for kind in _TYPES.values())
_INSERT = (
    f"INSERT INTO events ({_COLUMNS}) SELECT * FROM unnest({_ARRAYS}) WITH ORDINALITY AS"
    f" given ({_COLUMNS}, place) ORDER BY place ON CONFLICT (device, log, seq) DO NOTHING"
).replace("SELECT *", f"SELECT {_COLUMNS}")
_CONFLICTS = (
    "INSERT INTO conflicts (device, log, seq, body, gateway) SELECT given.* FROM"
    " unnest(%s::bigint[], %s::bytea[], %s::bigint[], %s::bytea[], %s::text[])"
    " AS given (device, log, seq, body, gateway)"
    " JOIN events USING (device, log, seq) WHERE events.body <> given.body ON CONFLICT DO NOTHING"
)
_RANGES = (
    "INSERT INTO logs (device, log, ranges, began, gateway)"
    " VALUES (%s, %s, int8multirange(int8range(%s, %s, '[]')), %s, %s) ON CONFLICT (device, log)"
    " DO UPDATE SET ranges = logs.ranges + excluded.ranges, gateway = excluded.gateway"
)


@dataclass(frozen=True)
class StreamPlace:
    """A message that was read: its sequence, and when the broker stored it. A restored stream that has grown again has
    another time there."""

    seq: int
    stored_at: datetime


@dataclass(frozen=True)
class Written:
    """What a transaction has done."""

    new: int
    repeated: int
    conflicts: int


class Writer:
    """Over one connection. One writer at a time has a database: see consumer.py."""

    def __init__(self, connection: psycopg.AsyncConnection[Any]) -> None:
        self._db = connection

    async def place(self, stream: str) -> StreamPlace | None:
        found = await (
            await self._db.execute("SELECT seq, stored_at FROM stream_places WHERE stream = %s", (stream,))
        ).fetchone()
        return StreamPlace(*found) if found else None

    async def logs(self) -> set[tuple[int, bytes]]:
        rows = await (await self._db.execute("SELECT device, log FROM logs")).fetchall()
        return {(device, log) for device, log in rows}

    async def ranges(self, logs: Sequence[tuple[int, bytes]]) -> dict[tuple[int, bytes], list[list[int]]]:
        """The numbers that are on file, by device and log, as first and last of each range."""
        rows = await (
            await self._db.execute(
                "SELECT device, log, lower(part), upper(part) - 1 FROM logs, unnest(ranges) AS part"
                " WHERE (device, log) IN (SELECT * FROM unnest(%s::bigint[], %s::bytea[])) ORDER BY 1, 2, 3",
                ([device for device, _ in logs], [log for _, log in logs]),
            )
        ).fetchall()
        found: dict[tuple[int, bytes], list[list[int]]] = {}
        for device, log, first, last in rows:
            found.setdefault((device, log), []).append([first, last])
        return found

    async def store(self, rows: Sequence[EventRow], stream: str, place: StreamPlace) -> Written:
        """All of it or nothing; on disk when it returns."""
        async with self._db.transaction():
            new = conflicts = 0
            if rows:
                arrays = [[getattr(row, name) for row in rows] for name in _TYPES]
                new = (await self._db.execute(_INSERT.encode(), arrays)).rowcount
                if new < len(rows):
                    names = ("device", "log", "seq", "body", "gateway")
                    same = [[getattr(row, name) for row in rows] for name in names]
                    conflicts = (await self._db.execute(_CONFLICTS, same)).rowcount
                await self._note_ranges(rows)
            await self._note_place(stream, place)
        return Written(new, len(rows) - new, conflicts)

    async def store_journal(self, found: tuple[str, Kept] | None, stream: str, place: StreamPlace) -> bool:
        """What a gateway has pulled, checked again here; None if the message was none. Whether something is wrong with
        it. One that is there already is left alone."""
        async with self._db.transaction():
            await self._note_place(stream, place)
            if found is None:
                return False
            gateway, kept = found
            problem = kept.problem or await self._problem_of(kept)
            name = hashlib.sha256(to_message(kept, gateway)).digest()
            await self._db.execute(
                "INSERT INTO journals (device, log, kept_at, first, last, sha256, content, problem, gateway)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                (kept.device, kept.log, kept.kept_at, kept.first, kept.last, name, kept.content, problem, gateway),
            )
            return bool(problem)

    async def _problem_of(self, kept: Kept) -> str:
        """What is wrong with an export by the events and exports that are here."""
        found = await (
            await self._db.execute(
                "SELECT COALESCE(MAX(last), 0) FROM journals WHERE device = %s AND log = %s AND kept_at < %s",
                (kept.device, kept.log, kept.kept_at),
            )
        ).fetchone()
        last = int(found[0]) if found else 0
        if kept.last < last:
            return f"it ends with record {kept.last}, and an earlier export reached {last}"
        rows = await (
            await self._db.execute(
                "SELECT seq, message, body FROM events WHERE device = %s AND log = %s AND seq BETWEEN %s AND %s",
                (kept.device, kept.log, kept.first, kept.last),
            )
        ).fetchall()
        return kept.problem_with({seq: (message, bytes(body)) for seq, message, body in rows})

    async def prune_samples(self, before: float) -> int:
        """Delete older samples, but of each device keep the newest. How many."""
        done = await self._db.execute(
            "DELETE FROM samples WHERE at < %s AND at < (SELECT MAX(at) FROM samples AS newer"
            " WHERE newer.device = samples.device)",
            (before,),
        )
        return done.rowcount

    async def _note_place(self, stream: str, place: StreamPlace) -> None:
        await self._db.execute(
            "INSERT INTO stream_places VALUES (%s, %s, %s) ON CONFLICT (stream)"
            " DO UPDATE SET seq = excluded.seq, stored_at = excluded.stored_at",
            (stream, place.seq, place.stored_at),
        )

    async def store_samples(self, samples: Sequence[tuple[int, float, str, str]]) -> None:
        """Device, time, gateway and sample as JSON; one that is there already is left alone."""
        await self._db.cursor().executemany(
            "INSERT INTO samples (device, at, gateway, sample) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING", samples
        )

    async def _note_ranges(self, rows: Sequence[EventRow]) -> None:
        parts: list[tuple[EventRow, EventRow]] = []
        open_at: dict[tuple[int, bytes], int] = {}
        for row in rows:
            at = open_at.get((row.device, row.log))
            if at is not None and parts[at][1].seq + 1 == row.seq:
                parts[at] = (parts[at][0], row)
            else:
                open_at[row.device, row.log] = len(parts)
                parts.append((row, row))
        values = [
            (first.device, first.log, first.seq, last.seq, first.received, first.gateway) for first, last in parts
        ]
        await self._db.cursor().executemany(_RANGES, values)
