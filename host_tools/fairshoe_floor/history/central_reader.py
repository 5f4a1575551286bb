"""The Reader of a whole floor, over PostgreSQL. It serves the same API and page as a gateway does for one pit.

Which shoes there are, at which table and under which profile, is said by the inventories of the gateways: give this
program copies of them. What is known of a shoe now is its newest published sample, at most SAMPLE_AGE_S old while its
gateway runs; events and warnings are those that are committed.
"""

from __future__ import annotations

import contextlib
import threading
from collections import deque
from collections.abc import Generator, Sequence
from typing import Any

import psycopg

from fairshoe import Fault, StoredEvent
from fairshoe_floor import database
from fairshoe_floor.history.schema import DatabaseError
from fairshoe_floor.inventory import Entry, Inventory, InventoryError
from fairshoe_floor.reader import PAGE_MAX, SEVERITIES, Alarm, Latched, Reading, Round, Sample, Shoe
from fairshoe_floor.rounds import KINDS, PAGE, RoundEvent, rounds_back
from fairshoe_floor.samples import NO_TOTALS, sample_from_json

SAMPLE_AGE_S = 120.0
STILL_S = 60.0  # the consumer and the desk write a sign of life every few seconds
STATEMENT_S = 10.0
# What the writer has noted in the row of the newest log (see schema.py). None of it asks the table of events. A sample
# cannot be newer than the time at which the database got it, whatever the clock of its gateway said.
_SHOES = """
SELECT given.device, sample.sample, sample.stored, log.log, upper(log.ranges) - 1, log.received,
    CASE WHEN log.started > log.over THEN log.started - 1 ELSE log.outside END,
    log.latched, log.latched_at, log.latched_round, log.warning, log.cleared
FROM unnest(%s::bigint[]) WITH ORDINALITY AS given (device, place)
LEFT JOIN LATERAL (SELECT sample::text, extract(epoch FROM stored)::float8 AS stored FROM samples
    WHERE device = given.device ORDER BY id DESC LIMIT 1) AS sample ON true
LEFT JOIN LATERAL (SELECT * FROM logs WHERE device = given.device AND ranges <> '{}'
    ORDER BY turn DESC, id DESC LIMIT 1) AS log ON true
ORDER BY given.place
"""


class CentralReader:
    """See fairshoe_floor.reader. Connections are made as threads need them, and cannot write."""

    lasting_s = 1.0

    def __init__(self, url: str, inventories: Sequence[Inventory]) -> None:
        self._database = url
        self._idle: deque[psycopg.Connection[Any]] = deque()
        self._closed = False
        self._lock = threading.Lock()
        self._version = 0
        self._made: dict[int, tuple[Any, Shoe]] = {}  # by device: the same object while its row is the same
        self._entries: dict[int, tuple[Entry, str]] = {}
        for inventory in inventories:
            for entry in inventory.shoes:
                if entry.device in self._entries:
                    raise InventoryError(
                        f"device {entry.name} is in the inventories {self._entries[entry.device][1]} and"
                        f" {inventory.name}.",
                        "One gateway records a shoe: remove it from the other.",
                    )
                self._entries[entry.device] = (entry, inventory.name)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            while self._idle:
                self._idle.pop().close()

    def version(self) -> int:
        """As before while the database does not answer: live clients wait."""
        with contextlib.suppress(DatabaseError):
            rows = self._rows(
                "SELECT COALESCE((SELECT MAX(position) FROM events), 0), COALESCE((SELECT MAX(id) FROM samples), 0)", ()
            )
            self._version = int(rows[0][0]) + int(rows[0][1])
        return self._version

    def shoes(self) -> Sequence[Shoe]:
        return self._shoes(list(self._entries))

    def shoe(self, device: int) -> Shoe | None:
        return self._shoes([device])[0] if device in self._entries else None

    def alarms(self) -> Sequence[Alarm]:
        rows = self._rows(
            "SELECT device, rule, severity, text, raised_at, acknowledged_by, id, part FROM alarms"
            " WHERE cleared_at IS NULL AND (device = 0 OR device = ANY(%s))"
            " ORDER BY array_position(%s::text[], severity), raised_at",
            (list(self._entries), list(SEVERITIES)),
        )
        return [*self.standing_still(), *(Alarm(*row) for row in rows)]

    def standing_still(self) -> list[Alarm]:
        """The consumer and the desk cannot raise an alarm about themselves: this process does."""
        rows = self._rows(
            "SELECT name, extract(epoch FROM moved)::float8, extract(epoch FROM now() - moved)::float8 FROM parts"
            " WHERE name IN ('consumer', 'desk') AND moved < now() - %s * interval '1 second' ORDER BY name",
            (STILL_S,),
        )
        return [
            Alarm(
                0,
                "standing-still",
                "critical",
                f"the {name} of `fairshoe floor run` has not moved for {s:.0f} s",
                at,
                part=name,
            )
            for name, at, s in rows
        ]

    def logs(self, device: int) -> Sequence[bytes]:
        rows = self._rows("SELECT log FROM logs WHERE device = %s ORDER BY turn, id", (device,))
        return [bytes(row[0]) for row in rows]

    def events(self, device: int, log: bytes | None, after: int, limit: int = PAGE_MAX) -> Sequence[StoredEvent]:
        if log is None:
            logs = self.logs(device)
            log = logs[-1] if logs else b""
        rows = self._rows(
            "SELECT seq, name, received, message, body FROM events WHERE device = %s AND log = %s AND seq > %s"
            " ORDER BY seq LIMIT %s",
            (device, log, after, min(limit, PAGE_MAX)),
        )
        return [
            StoredEvent.of_body(device, log, seq, name, received, message, bytes(body))
            for seq, name, received, message, body in rows
        ]

    def meters(self, device: int, since: float = 0.0, limit: int = PAGE_MAX) -> Sequence[Reading]:
        where = (device, since)
        count = self._rows("SELECT COUNT(*) FROM samples WHERE device = %s AND at > %s", where)[0][0]
        step = max(1, -(-count // min(limit, PAGE_MAX)))
        rows = self._rows(
            "SELECT sample::text FROM (SELECT sample, id, ROW_NUMBER() OVER (ORDER BY id DESC) - 1 AS place"
            " FROM samples WHERE device = %s AND at > %s) AS each WHERE place %% %s = 0 ORDER BY id",
            (*where, step),
        )
        return Reading.of_samples(sample_from_json(row[0]) for row in rows)

    def rounds(self, device: int, before: tuple[bytes, int] | None = None, limit: int = 100) -> Sequence[Round]:
        found: list[Round] = []
        logs, seq = list(reversed(self.logs(device))), 1 << 32
        if before is not None:
            logs, seq = (logs[logs.index(before[0]) :], before[1]) if before[0] in logs else ([], 0)
        for log in logs:
            found += self._rounds_of(device, log, seq, min(limit, PAGE_MAX) - len(found))
            seq = 1 << 32
        return found

    def _rounds_of(self, device: int, log: bytes, before: int, limit: int) -> list[Round]:
        def page(before: int) -> list[RoundEvent]:
            rows = self._rows(
                "SELECT seq, name, round, fields, received FROM events WHERE device = %s AND log = %s AND seq < %s"
                " AND name = ANY(%s) ORDER BY seq DESC LIMIT %s",
                (device, log, before, list(KINDS), PAGE),
            )
            return [RoundEvent(*row) for row in rows]

        def last_seq() -> int:
            query = "SELECT COALESCE(MAX(seq), 0) FROM events WHERE device = %s AND log = %s"
            return int(self._rows(query, (device, log))[0][0])

        return rounds_back(device, log, before, limit, page, last_seq)

    def _shoes(self, devices: list[int]) -> list[Shoe]:
        found: list[Shoe] = []
        for row in self._rows(_SHOES, (devices,)):
            known = self._made.get(row[0])
            if known is None or known[0] != row:
                same = known is not None and known[0][1] == row[1]  # its sample, which is the most work to read
                known = self._made[row[0]] = (row, self._shoe(known[1].sample if known and same else None, *row))
            found.append(known[1])
        return found

    def _shoe(
        self,
        sample: Sample | None,
        device: int,
        text: str | None,
        got_at: float,
        log: bytes | None,
        seq: int | None,
        stored_at: float | None,
        quiet_seq: int | None,
        *rest: Any,
    ) -> Shoe:
        entry, gateway = self._entries[device]
        if sample is None and text:
            sample = sample_from_json(text).not_after(got_at)
        return Shoe(
            entry,
            gateway,
            sample,
            bytes(log or b""),
            seq or 0,
            stored_at,
            sample.totals if sample else NO_TOTALS,
            _latched(device, bytes(log or b""), *rest),
            SAMPLE_AGE_S,
            quiet_seq or 0,
        )

    def _rows(self, query: str, values: Sequence[Any]) -> list[Any]:
        with self._connection() as db:
            return db.execute(query.encode(), values).fetchall()

    @contextlib.contextmanager
    def _connection(self) -> Generator[psycopg.Connection[Any]]:
        """An idle connection, or a new one. One that fails is not used again."""
        db: psycopg.Connection[Any] | None = None
        try:
            with contextlib.suppress(IndexError):
                db = self._idle.popleft()
            if db is None:
                db = psycopg.connect(self._database, **database.settings(STATEMENT_S, read_only=True))
            yield db
        except psycopg.Error as error:
            if db is not None:
                db.close()
            raise DatabaseError(
                f"the database does not answer: {str(error).strip()}.", "Check it; the next request tries again."
            ) from error
        with self._lock:
            if self._closed:
                db.close()
            else:
                self._idle.append(db)


def _latched(
    device: int, log: bytes, seq: int | None, since: float, number: int, warning: str, cleared: int | None
) -> Latched | None:
    """The newest warning, unless it was cleared after that."""
    if not seq or (cleared or 0) > seq:
        return None
    fault = Fault.__members__.get(warning.upper(), Fault.UNRECOGNISED)
    return Latched(device, log, seq, fault, since, number)
