"""Named cursors and retention: which events the readers of a store have passed, and which may be deleted.

A cursor remembers a place in every log. Retention deletes the oldest events of each log, but none that a cursor, or the
program that follows the shoe, has not passed, and never the newest one, from which the device goes on.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping

PRUNED = 500  # events deleted in one transaction at most, so that no commit waits long


def make_cursor(db: sqlite3.Connection, name: str) -> None:
    db.execute("INSERT OR IGNORE INTO cursors VALUES (?, ?)", (name, time.time()))


def drop_cursor(db: sqlite3.Connection, name: str) -> None:
    db.execute("DELETE FROM cursor_places WHERE name = ?", (name,))
    db.execute("DELETE FROM cursors WHERE name = ?", (name,))


def pass_cursor(db: sqlite3.Connection, name: str, device: int, identity: bytes, seq: int, log: int = 0) -> None:
    """Only forward: a second reader under the same name does not turn it back. Without `log`: the newest."""
    db.execute(
        "INSERT INTO cursor_places SELECT ?, MAX(id), ? FROM logs WHERE device = ? AND identity = ? AND ? IN (0, id)"
        " HAVING MAX(id) > 0"
        " ON CONFLICT (name, log) DO UPDATE SET seq = MAX(seq, excluded.seq)",
        (name, seq, device, identity, log),
    )


def turn_back(db: sqlite3.Connection, device: int, identity: bytes, first: int) -> None:
    """No reader has passed events that were added late, from this one on."""
    db.execute(
        "UPDATE cursor_places SET seq = MIN(seq, ?)"
        " WHERE log IN (SELECT id FROM logs WHERE device = ? AND identity = ?)",
        (first - 1, device, identity),
    )


def prune(
    db: sqlite3.Connection, before: float | None, rows: int | None, up_to: Mapping[int, int] | None = None
) -> int:
    """Delete up to PRUNED events that were received before a time, or are more than `rows` in their log, or have
    numbers up to that of their log in `up_to`."""
    deleted = 0
    logs = db.execute(
        "SELECT id, MIN(handled, COALESCE((SELECT MIN(COALESCE(seq, 0)) FROM cursors"
        " LEFT JOIN cursor_places ON cursor_places.name = cursors.name AND log = id), handled)) FROM logs"
    ).fetchall()
    for log, passed in logs:
        last = db.execute("SELECT COALESCE(MAX(seq), 0) FROM events WHERE log = ?", (log,)).fetchone()[0]
        oldest = db.execute(
            "SELECT seq, received FROM events WHERE log = ? AND seq <= ? AND seq < ? ORDER BY seq LIMIT ?",
            (log, passed, last, PRUNED - deleted),
        ).fetchall()
        end = 0
        for seq, received in oldest:
            old = (before is not None and received < before) or (rows is not None and seq <= last - rows)
            if not old and (up_to is None or seq > up_to.get(log, 0)):
                break
            end = seq
        deleted += db.execute("DELETE FROM events WHERE log = ? AND seq <= ?", (log, end)).rowcount
        if deleted >= PRUNED:
            break
    return deleted
