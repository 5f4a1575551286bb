"""The store of a gateway as an outbox: which logs it has, events after a number, and the cursor that holds retention.

Reads on a connection of its own, which never holds up a commit of the gateway. The cursor `floor` moves when the
central record has committed, so `Store.prune` deletes nothing that exists only here.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairshoe import Store, StoreError
from fairshoe_floor.schema_check import cleaned
from fairshoe_floor.stream.event_lines import STORE_COLUMNS, EventRow

CURSOR = "floor"
BUSY_S = 60.0  # beside a gateway that writes all the time
_COLUMNS = ", ".join(STORE_COLUMNS)
_FIELDS = STORE_COLUMNS.index("fields")


@dataclass(frozen=True)
class Head:
    """One log on file. `first` and `last` are the numbers of the oldest and the newest event, `passed` is the number up
    to which the central record has committed, `next` the first event on file after that (0: none): a store that was
    restored from a copy lacks some. `left`: the device goes on with another log."""

    id: int
    device: int
    log: bytes
    first: int
    last: int
    passed: int
    left: bool = False
    next: int = 0


class Outbox:
    """A gateway's store, opened for reading; `pass_to` writes the cursor and nothing else."""

    def __init__(self, path: Path, gateway: str) -> None:
        self.gateway = gateway
        self._store = Store(path, busy_s=BUSY_S)
        self._store.pass_cursor(CURSOR, {})  # makes it: from now on retention waits for the central record
        self._db = sqlite3.connect(f"{self._store.path.absolute().as_uri()}?mode=ro", uri=True, isolation_level=None)

    def close(self) -> None:
        self._db.close()
        self._store.close()

    def version(self) -> int:
        """Another number after another program has committed to the file: only then there can be events to send."""
        with self._explained():
            return int(self._db.execute("PRAGMA data_version").fetchone()[0])

    def heads(self) -> list[Head]:
        """Logs with events, oldest log first. A log without identity is left out: its events have no name of their own
        until the device has said which log it keeps."""
        with self._explained():
            rows: list[Any] = self._db.execute(
                "SELECT id, device, identity,"
                " (SELECT seq FROM events WHERE log = id ORDER BY seq LIMIT 1),"
                " (SELECT seq FROM events WHERE log = id ORDER BY seq DESC LIMIT 1),"
                " COALESCE((SELECT seq FROM cursor_places WHERE name = ? AND log = id), 0),"
                " EXISTS (SELECT 1 FROM logs AS other WHERE other.device = logs.device"
                " AND (other.began, other.id) > (logs.began, logs.id)) FROM logs WHERE identity <> x'' ORDER BY id",
                (CURSOR,),
            ).fetchall()
            found: list[Any] = [(*row, self._next(row[0], row[5])) for row in rows if row[3] is not None]
        return [Head(*each) for each in found]

    def _next(self, log: int, passed: int) -> int:
        found = self._db.execute("SELECT MIN(seq) FROM events WHERE log = ? AND seq > ?", (log, passed)).fetchone()
        return int(found[0] or 0)

    def unnamed(self) -> int:
        """How many logs wait for their identity."""
        with self._explained():
            return int(self._db.execute("SELECT COUNT(*) FROM logs WHERE identity = x''").fetchone()[0])

    def events(self, head: Head, after: int, limit: int) -> list[EventRow]:
        """Consecutive events after this number: the first that is on file, and those that follow without a gap."""
        with self._explained():
            rows: list[tuple[Any, ...]] = self._db.execute(
                f"SELECT {_COLUMNS} FROM events WHERE log = ? AND seq > ? ORDER BY seq LIMIT ?", (head.id, after, limit)
            ).fetchall()
        first = rows[0][0] if rows else 0
        whole: list[Any] = [row for at, row in enumerate(rows) if row[0] == first + at]
        for at, row in enumerate(whole):
            clean = cleaned(row[_FIELDS])  # an older version stored texts as the device sent them
            whole[at] = (head.device, head.log, *row[:_FIELDS], clean, *row[_FIELDS + 1 :], self.gateway)
        return [EventRow(*row) for row in whole]

    def has(self, head: Head, lacking: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Those of these ranges of which the store has an event."""
        with self._explained():
            query = "SELECT EXISTS (SELECT 1 FROM events WHERE log = ? AND seq BETWEEN ? AND ?)"
            return [each for each in lacking if self._db.execute(query, (head.id, *each)).fetchone()[0]]

    def pass_to(self, places: dict[tuple[int, bytes], int]) -> None:
        """The central record has all events of these logs up to these numbers."""
        if places:
            self._store.pass_cursor(CURSOR, places)

    @contextlib.contextmanager
    def _explained(self) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self._store.path}: {error}.", "Check the disk; the publisher tries again.") from error
