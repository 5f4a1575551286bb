"""Named cursors and retention: which events the readers of a store have passed, and which may be deleted.

A cursor remembers a place in every log. Retention deletes the oldest events of each log, but none that a cursor, or the
program that follows the shoe, has not passed, and never the newest one, from which the device goes on.

No date says how old an event is: after a clock that was ten years behind, or ahead, what had just come would look old.
Each call of `prune` adds the time since the call before, but no more than a part of what is kept, so that one jump of
the clock deletes nothing, and marks the newest event of each log: what stands before a mark is as old as the mark.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Mapping

MARKS = 10  # in the time that events are kept
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


def old_events(db: sqlite3.Connection, age_s: float) -> dict[int, int]:
    """Let the time since the last call pass; up to which number the events of each log are that old."""
    now, part_s = time.time(), max(0.0, age_s) / MARKS
    total, at = db.execute("SELECT age_s, at FROM passed").fetchone() or (0.0, now)
    total += min(max(0.0, now - at), part_s)
    db.execute("INSERT OR REPLACE INTO passed VALUES (1, ?, ?)", (total, now))
    db.execute(
        "INSERT OR REPLACE INTO marks SELECT log, ?, MAX(seq) FROM events WHERE ? >= COALESCE("
        "(SELECT MAX(age_s) FROM marks WHERE marks.log = events.log), -1e18) GROUP BY log",
        (total, total - part_s),
    )
    found = db.execute("SELECT log, MAX(age_s), MAX(seq) FROM marks WHERE age_s <= ? GROUP BY log", (total - age_s,))
    old = {log: (mark, seq) for log, mark, seq in found}
    db.executemany("DELETE FROM marks WHERE log = ? AND age_s < ?", [(log, mark) for log, (mark, _seq) in old.items()])
    return {log: seq for log, (_mark, seq) in old.items()}


def prune(db: sqlite3.Connection, rows: int | None, up_to: Mapping[int, int]) -> int:
    """Delete up to PRUNED events that are more than `rows` in their log, or have numbers up to that of their log in
    `up_to`."""
    deleted = 0
    logs = db.execute(
        "SELECT id, MIN(handled, COALESCE((SELECT MIN(COALESCE(seq, 0)) FROM cursors"
        " LEFT JOIN cursor_places ON cursor_places.name = cursors.name AND log = id), handled)) FROM logs"
    ).fetchall()
    for log, passed in logs:
        last = db.execute("SELECT COALESCE(MAX(seq), 0) FROM events WHERE log = ?", (log,)).fetchone()[0]
        end = max(up_to.get(log, 0), 0 if rows is None else last - rows)
        deleted += db.execute(
            "DELETE FROM events WHERE log = ?1 AND seq IN"
            " (SELECT seq FROM events WHERE log = ?1 AND seq <= MIN(?2, ?3) AND seq < ?4 ORDER BY seq LIMIT ?5)",
            (log, passed, end, last, PRUNED - deleted),
        ).rowcount
        if deleted >= PRUNED:
            break
    return deleted
