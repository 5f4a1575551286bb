"""Writes events into PostgreSQL: one transaction for a batch of messages, with the place in the stream in it.

An event that is there already is left alone. One with the same name and other bytes is kept in `conflicts`: two devices
with one number, or a device that was restored from a copy.
"""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import psycopg

from fairshoe_floor.history import dead_letters
from fairshoe_floor.history.dead_letters import Letter
from fairshoe_floor.history.lease import Lease
from fairshoe_floor.journals import Kept
from fairshoe_floor.stream.event_lines import SQL_TYPES, EventRow, Gap, to_lines
from fairshoe_floor.stream.export_message import name_of

REFUSALS = ("22", "23", "54", "0A")  # classes of SQLSTATE by which PostgreSQL refuses data: another try changes nothing
_COLUMNS = ", ".join(SQL_TYPES)
_ARRAYS = ", ".join(f"%s::{kind}[]" for kind in SQL_TYPES.values())
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

_GAP = (
    "INSERT INTO gaps (device, log, first, last, gateway, after, before) VALUES (%s, %s, %s, %s, %s, %s, %s)"
    " ON CONFLICT DO NOTHING"
)
_GAPS_FILLED = (
    "UPDATE gaps SET closed = now(), outcome = 'the events turned up' FROM logs WHERE gaps.closed IS NULL"
    " AND logs.device = gaps.device AND logs.log = gaps.log"
    " AND int8range(gaps.first, gaps.last, '[]') <@ logs.ranges"
)
_PART = (
    "INSERT INTO parts (name, value) VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET heard = now(),"
    " moved = CASE WHEN parts.value = excluded.value THEN parts.moved ELSE now() END, value = excluded.value"
)


def refuses(error: psycopg.Error) -> bool:
    """Whether PostgreSQL refuses the data, and does not only fail to take it now."""
    return (error.sqlstate or "")[:2] in REFUSALS


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
    refused: int = 0  # by PostgreSQL: they are dead letters now


class Writer:
    """Over one connection. One writer at a time has a database: see lease.py."""

    def __init__(self, connection: psycopg.AsyncConnection[Any], lease: Lease | None = None) -> None:
        self._db = connection
        self._lease = lease  # none: a person's command, whose writes may come at any time

    @contextlib.asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[None]:
        async with self._db.transaction():
            if self._lease is not None:
                await self._lease.renew(self._db)
            yield

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

    async def store(
        self,
        rows: Sequence[EventRow],
        stream: str,
        place: StreamPlace | None,
        gaps: Sequence[Gap] = (),
        letters: Sequence[Letter] = (),
    ) -> Written:
        """All of it or nothing; on disk when it returns. Without a place it is not from the stream's order."""
        async with self._transaction():
            done = await self._put(rows, stream, place.seq if place else 0)
            await self._db.cursor().executemany(_GAP, [tuple(vars(gap).values()) for gap in gaps])
            if gaps or done.new:
                await self._db.execute(_GAPS_FILLED)
            if letters:
                await dead_letters.put(self._db, letters)
            if place is not None:
                await self._note_place(stream, place)
        return done

    async def _put(self, rows: Sequence[EventRow], stream: str, seq: int) -> Written:
        """Rows that PostgreSQL refuses although the check took them become dead letters: found by halves."""
        if not rows:
            return Written(0, 0, 0)
        try:
            async with self._db.transaction():
                return await self._insert(rows)
        except psycopg.Error as error:
            if not refuses(error):
                raise
            reason = f"PostgreSQL: {str(error).strip()}"
        if len(rows) == 1:
            it = rows[0]
            subject = f"{stream}.events.{it.device:08x}.{it.log.hex()}"
            await dead_letters.put(self._db, [Letter(stream, subject, seq, reason, to_lines(rows))])
            return Written(0, 0, 0, 1)
        half = len(rows) // 2
        parts = [await self._put(part, stream, seq) for part in (rows[:half], rows[half:])]
        return Written(*(sum(values) for values in zip(*(vars(part).values() for part in parts), strict=True)))

    async def _insert(self, rows: Sequence[EventRow]) -> Written:
        conflicts = 0
        arrays = [[getattr(row, name) for row in rows] for name in SQL_TYPES]
        new = (await self._db.execute(_INSERT.encode(), arrays)).rowcount
        if new < len(rows):
            names = ("device", "log", "seq", "body", "gateway")
            same = [[getattr(row, name) for row in rows] for name in names]
            conflicts = (await self._db.execute(_CONFLICTS, same)).rowcount
        await self._note_ranges(rows)
        return Written(new, len(rows) - new, conflicts)

    async def close_letter(self, number: int, outcome: str) -> None:
        await self._db.execute("UPDATE dead_letters SET closed = now(), outcome = %s WHERE id = %s", (outcome, number))

    async def store_journal(self, found: tuple[str, Kept] | Letter, stream: str, place: StreamPlace | None) -> bool:
        """What a gateway has pulled, checked again here, or what was refused. Whether something is wrong with it. One
        that is there already is left alone."""
        async with self._transaction():
            if place is not None:
                await self._note_place(stream, place)
            if isinstance(found, Letter):
                await dead_letters.put(self._db, [found])
                return True
            gateway, kept = found
            problem = kept.problem or await self._problem_of(kept, gateway)
            name = name_of(kept, gateway)
            await self._db.execute(
                "INSERT INTO journals (device, log, kept_at, first, last, sha256, content, problem, gateway, number)"
                " VALUES (%s, %s, %s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                (
                    *(kept.device, kept.log, kept.kept_at, kept.first, kept.last, name, kept.content, problem),
                    *(gateway, kept.number),
                ),
            )
            return bool(problem)

    async def _problem_of(self, kept: Kept, gateway: str) -> str:
        """What is wrong with an export by the events and exports that are here. Which of two is earlier, the file of
        their gateway says; no clock."""
        found = await (
            await self._db.execute(
                "SELECT COALESCE(MAX(last), 0) FROM journals WHERE device = %s AND log = %s AND gateway = %s"
                " AND number < %s",
                (kept.device, kept.log, gateway, kept.number),
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

    async def clock(self) -> float:
        """The database's, in UTC seconds since 1970."""
        found = await (await self._db.execute("SELECT extract(epoch FROM clock_timestamp())::float8")).fetchone()
        return float(found[0]) if found else 0.0

    async def prune_samples(self, days: float) -> int:
        """Delete samples that came so many days ago by the database's clock, at most a day's worth; of each device keep
        the newest. How many."""
        async with self._transaction():
            done = await self._db.execute(
                "WITH old AS (SELECT id, stored FROM samples WHERE stored < now() - %s * interval '1 day'"
                " AND id < (SELECT MAX(id) FROM samples AS newer WHERE newer.device = samples.device))"
                " DELETE FROM samples WHERE id IN"
                " (SELECT id FROM old WHERE stored <= (SELECT MIN(stored) FROM old) + interval '1 day')",
                (days,),
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
        async with self._transaction():
            await self._db.cursor().executemany(
                "INSERT INTO samples (device, at, gateway, sample) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
                samples,
            )

    async def note_parts(self, parts: Mapping[str, str]) -> None:
        """Signs of life: a part has moved if its value is another one than before."""
        async with self._transaction():
            await self._db.cursor().executemany(_PART, list(parts.items()))

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
