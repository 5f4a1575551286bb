"""Writes events into PostgreSQL: one transaction for a batch of messages, with the place in the stream in it.

An event that is there already is left alone. One with the same name and other bytes is kept in `conflicts`: two devices
with one number, or a device that was restored from a copy. What is there is what `logs.ranges` says: the row of a log
is locked before its events are added, and changed with them. So an event is stored once, in whatever month it is
redelivered, and also after retention has dropped it. A unique key cannot say that: it would contain the month (0072).
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import psycopg

from fairshoe.journal.export import Export, parse_export
from fairshoe.journal.signatures import PublicKey
from fairshoe_floor.assignments import MOVE
from fairshoe_floor.history import dead_letters
from fairshoe_floor.history.dead_letters import Letter
from fairshoe_floor.history.lease import Lease
from fairshoe_floor.journals import JournalPull, difference_between
from fairshoe_floor.stream.event_lines import SQL_TYPES, EventRow, Gap, to_lines
from fairshoe_floor.stream.export_message import name_of

REFUSALS = ("22", "23", "54", "0A")  # classes of SQLSTATE by which PostgreSQL refuses data: another try changes nothing
_COLUMNS = ", ".join(SQL_TYPES)
_ARRAYS = ", ".join(f"%s::{kind}[]" for kind in SQL_TYPES.values())
# Creates or locks the rows of these logs (DO NOTHING would lock none), in one order, so that no two programs wait for
# each other.
_LOCK_LOGS = (
    "INSERT INTO logs (device, log, began, gateway) SELECT * FROM unnest(%s::bigint[], %s::bytea[],"
    " %s::double precision[], %s::text[]) ORDER BY 1, 2 ON CONFLICT (device, log)"
    " DO UPDATE SET gateway = excluded.gateway"
)
_INSERT = (
    f"INSERT INTO events ({_COLUMNS}) SELECT {_COLUMNS} FROM (SELECT given.* FROM unnest({_ARRAYS}) WITH ORDINALITY AS"
    f" given ({_COLUMNS}, place) JOIN logs USING (device, log) WHERE NOT logs.ranges @> given.seq) AS new"
    " ORDER BY place RETURNING device, log, seq, position"
)
_CONFLICTS = (
    "INSERT INTO conflicts (device, log, seq, body, gateway) SELECT given.* FROM"
    " unnest(%s::bigint[], %s::bytea[], %s::bigint[], %s::bytea[], %s::text[])"
    " AS given (device, log, seq, body, gateway)"
    " JOIN events USING (device, log, seq) WHERE events.body <> given.body ON CONFLICT DO NOTHING"
)
_RANGES = (
    "UPDATE logs SET ranges = logs.ranges + given.ranges FROM (SELECT device, log, range_agg(int8range(first, last,"
    " '[]')) AS ranges FROM unnest(%s::bigint[], %s::bytea[], %s::bigint[], %s::bigint[]) AS part (device, log, first,"
    " last) GROUP BY device, log) AS given WHERE logs.device = given.device AND logs.log = given.log"
)
# Executed before _RANGES: it compares with the highest number so far, so that older events of a refill change neither
# the time nor which log is the newest.
_AHEAD = "given.seq > COALESCE(upper(logs.ranges) - 1, 0)"
_FACTS = (
    f"UPDATE logs SET received = CASE WHEN {_AHEAD} THEN given.received ELSE logs.received END,"
    f" turn = CASE WHEN {_AHEAD} THEN GREATEST(logs.turn, given.turn) ELSE logs.turn END,"
    " started = GREATEST(logs.started, given.started), over = GREATEST(logs.over, given.over),"
    " outside = GREATEST(logs.outside, given.outside), cleared = GREATEST(logs.cleared, given.cleared),"
    " (latched, latched_at, latched_round, warning) = (SELECT it.* FROM (VALUES"
    " (logs.latched, logs.latched_at, logs.latched_round, logs.warning),"
    " (given.latched, given.latched_at, given.latched_round, given.warning)) AS it ORDER BY 1 DESC LIMIT 1)"
    " FROM unnest(%s::bigint[], %s::bytea[], %s::bigint[], %s::double precision[], %s::bigint[], %s::bigint[],"
    " %s::bigint[], %s::bigint[], %s::bigint[], %s::double precision[], %s::bigint[], %s::text[], %s::bigint[])"
    " AS given (device, log, seq, received, started, over, outside, cleared, latched, latched_at, latched_round,"
    " warning, turn) WHERE logs.device = given.device AND logs.log = given.log"
)
_OVER = ("round_ended", "round_voided")

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


@dataclass(frozen=True)
class SampleRow:
    """A sample as JSON, and what the record notes of it. No place: of an older version, or of a dead letter."""

    device: int
    at: float
    gateway: str
    sample: str
    place: str = ""
    pit: str = ""
    since: float | None = None
    is_open: bool = False


@dataclass
class Newest:
    """The newest facts of one log in a batch of events: the columns of `logs` with these names."""

    seq: int = 0
    received: float = 0.0
    started: int = 0
    over: int = 0
    outside: int = 0
    cleared: int = 0
    latched: int = 0
    latched_at: float = 0.0
    latched_round: int = 0
    warning: str = ""
    turn: int = 0

    def take(self, row: EventRow, position: int) -> None:
        """Events come in any order: the largest number counts."""
        if row.seq > self.seq:
            self.seq, self.received = row.seq, row.received
        if not row.left:
            self.turn = max(self.turn, position)
        if row.name == "round_started":
            self.started = max(self.started, row.seq)
        if row.name in _OVER:
            self.over = max(self.over, row.seq)
        if not row.round or row.name in _OVER:
            self.outside = max(self.outside, row.seq)
        if row.name == "warning_cleared":
            self.cleared = max(self.cleared, row.seq)
        if row.name == "warning_latched" and row.seq > self.latched:
            self.latched, self.latched_at, self.latched_round = row.seq, row.received, row.round
            self.warning = str(json.loads(row.fields).get("warning", ""))


class Writer:
    """Over one connection. One writer at a time has a database: see lease.py."""

    def __init__(
        self,
        connection: psycopg.AsyncConnection[Any],
        lease: Lease | None = None,
        keys: Mapping[int, Sequence[PublicKey]] | None = None,
    ) -> None:
        self._keys = keys or {}  # by device: exports of these must be signed
        self._db = connection
        self._lease = lease  # none: a person's command, whose writes may come at any time
        self._places: dict[int, tuple[str, ...]] | None = None  # by device, its open assignment
        self._month: tuple[int, int] | None = None  # that has a table for its events, as has the next one

    @contextlib.asynccontextmanager
    async def _transaction(self) -> AsyncGenerator[None]:
        async with self._db.transaction():
            if self._lease is not None:
                await self._prepare_month(await self._lease.renew(self._db))
            yield
        if self._lease is not None:
            self._lease.keep()  # only now: an end that was rolled back is not on file

    async def _prepare_month(self, today: date) -> None:
        """The tables of this month and, so that no month's end waits for a lock, of the next one."""
        if self._month != (today.year, today.month):
            await self._db.execute(
                "SELECT events_month(%s), events_month((%s + interval '1 month')::date)",
                (today, today.replace(day=1)),
            )
            self._month = (today.year, today.month)

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
        """Rows that PostgreSQL refuses although the check took them become dead letters: found by halves, since one bad
        event must not stop those of all other pits (0069)."""
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
        once = {(row.device, row.log, row.seq): row for row in reversed(rows)}  # in one batch the first counts
        unique = [row for row in rows if once[row.device, row.log, row.seq] is row]
        logs = {(row.device, row.log): row for row in reversed(rows)}
        firsts = [(*log, row.received, row.gateway) for log, row in sorted(logs.items())]
        await self._db.execute(_LOCK_LOGS, [list(column) for column in zip(*firsts, strict=True)])
        arrays = [[getattr(row, name) for row in unique] for name in SQL_TYPES]
        added = await (await self._db.execute(_INSERT.encode(), arrays)).fetchall()
        conflicts = 0
        if len(added) < len(rows):
            names = ("device", "log", "seq", "body", "gateway")
            same = [[getattr(row, name) for row in rows] for name in names]
            conflicts = (await self._db.execute(_CONFLICTS, same)).rowcount
        if added:
            await self._note_added([(once[device, bytes(log), seq], position) for device, log, seq, position in added])
        return Written(len(added), len(rows) - len(added), conflicts)

    async def _note_added(self, rows: Sequence[tuple[EventRow, int]]) -> None:
        newest: dict[tuple[int, bytes], Newest] = {}
        parts: list[list[Any]] = []
        for row, position in rows:
            newest.setdefault((row.device, row.log), Newest()).take(row, position)
            if parts and parts[-1][:2] == [row.device, row.log] and parts[-1][3] + 1 == row.seq:
                parts[-1][3] = row.seq
            else:
                parts.append([row.device, row.log, row.seq, row.seq])
        facts = [(*log, *vars(it).values()) for log, it in newest.items()]
        await self._db.execute(_FACTS, [list(column) for column in zip(*facts, strict=True)])
        await self._db.execute(_RANGES, [list(column) for column in zip(*parts, strict=True)])

    async def close_letter(self, number: int, outcome: str) -> None:
        await self._db.execute("UPDATE dead_letters SET closed = now(), outcome = %s WHERE id = %s", (outcome, number))

    async def store_journal(
        self, found: tuple[str, JournalPull] | Letter, stream: str, place: StreamPlace | None
    ) -> bool:
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

    async def _problem_of(self, kept: JournalPull, gateway: str) -> str:
        """What is wrong with an export by the events and exports that are here. Which of two is earlier, their
        numbers in the gateway's file say: a clock may be wrong (0070)."""
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
        trusted = self._keys.get(kept.device, ())
        before = await self._export_before(kept, gateway) if trusted else None
        first = before.first if before is not None else kept.first
        rows = await (
            await self._db.execute(
                "SELECT seq, message, body FROM events WHERE device = %s AND log = %s AND seq BETWEEN %s AND %s",
                (kept.device, kept.log, min(first, kept.first), kept.last),
            )
        ).fetchall()
        stored = {seq: (message, bytes(body)) for seq, message, body in rows}
        problem = kept.problem_with(stored, trusted)
        # Events of the one before may have come after it was checked; the device has overwritten those between.
        return problem or (difference_between(before, stored, parse_export(kept.content)) if before else "")

    async def _export_before(self, kept: JournalPull, gateway: str) -> Export | None:
        """The newest one of this log that was whole."""
        found = await (
            await self._db.execute(
                "SELECT content FROM journals WHERE device = %s AND log = %s AND gateway = %s AND number < %s"
                " AND problem = '' AND content <> '' ORDER BY number DESC LIMIT 1",
                (kept.device, kept.log, gateway, kept.number),
            )
        ).fetchone()
        return parse_export(bytes(found[0])) if found else None

    async def clock(self) -> float:
        """The database's, in UTC seconds since 1970."""
        found = await (await self._db.execute("SELECT extract(epoch FROM clock_timestamp())::float8")).fetchone()
        return float(found[0]) if found else 0.0

    async def prune_samples(self) -> int:
        """Delete samples that are older than their policy by the database's clock, at most a day's worth; of each
        device keep the newest. How many."""
        async with self._transaction():
            done = await self._db.execute(
                "WITH old AS (SELECT id, stored FROM samples WHERE stored < now() - (SELECT days * interval '1 day'"
                " FROM policies WHERE what = 'samples')"
                " AND id < (SELECT MAX(id) FROM samples AS newer WHERE newer.device = samples.device))"
                " DELETE FROM samples WHERE id IN"
                " (SELECT id FROM old WHERE stored <= (SELECT MIN(stored) FROM old) + interval '1 day')"
            )
        return done.rowcount

    async def drop_old_events(self) -> str | None:
        """Drop the oldest month of events if it is older than their policy. Its table; None if none is."""
        async with self._transaction():
            found = await (await self._db.execute("SELECT drop_old_events()")).fetchone()
        return found[0] if found else None

    async def _note_place(self, stream: str, place: StreamPlace) -> None:
        await self._db.execute(
            "INSERT INTO stream_places VALUES (%s, %s, %s) ON CONFLICT (stream)"
            " DO UPDATE SET seq = excluded.seq, stored_at = excluded.stored_at",
            (stream, place.seq, place.stored_at),
        )

    async def store_samples(self, samples: Sequence[SampleRow]) -> None:
        """One that is there already is left alone. A shoe that is at another table now gets another assignment."""
        async with self._transaction():
            await self._db.execute(
                "INSERT INTO samples (device, at, gateway, sample) SELECT * FROM unnest(%s::bigint[],"
                " %s::double precision[], %s::text[], %s::jsonb[]) ON CONFLICT DO NOTHING",
                [[getattr(it, name) for it in samples] for name in ("device", "at", "gateway", "sample")],
            )
            if self._places is None:
                rows = await self._db.execute("SELECT device, place, pit, gateway FROM assignments WHERE ended IS NULL")
                self._places = {row[0]: tuple(row[1:]) for row in await rows.fetchall()}
            for it in samples:
                known, here = self._places.get(it.device), (it.place, it.pit, it.gateway)
                # Two inventories may name a shoe: the gateway that has its port counts.
                if it.place and known != here and (known is None or it.is_open or known[2] == it.gateway):
                    values = {"device": it.device, "place": it.place, "pit": it.pit, "gateway": it.gateway}
                    await self._db.execute(MOVE, {**values, "at": it.since or it.at})
                    self._places[it.device] = here

    async def note_parts(self, parts: Mapping[str, str]) -> None:
        """Signs of life: a part has moved if its value is another one than before."""
        async with self._transaction():
            await self._db.cursor().executemany(_PART, list(parts.items()))
