"""Time that a gateway has seen pass, and what was on file at which age: retention without a calendar.

A clock that is 100 days ahead after a start made every event look old, and 163 of 164 were deleted within a second. So
no date decides here. The gateway adds up the seconds that it ran, by a clock that cannot be set, and once a day of
them it marks the newest event of every log, the newest sample and the newest export. What stands before a mark is at
least as old as the mark. One mark is used up at a time, so no more than a day's worth is deleted at once. Time in which
the gateway did not run is not counted: then events are kept longer.

The file is `NAME.seen.db` beside the store. If it is lost, retention begins again. It also has the identity by which a
publisher's name is claimed at the broker.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from pathlib import Path

from fairshoe_floor.side_file import SideFile

DAY_S = 86400.0
MARKS = 10  # in the time that something is kept, if that is less than ten days


def seen_path(store: Path) -> Path:
    """pit-1.db: pit-1.seen.db."""
    return store.with_suffix(".seen.db")


class SeenTime(SideFile):
    """One writer, the gateway; a publisher reads."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            False,
            "CREATE TABLE seen (one INTEGER PRIMARY KEY CHECK (one = 1), age_s REAL NOT NULL, identity TEXT NOT NULL);"
            "CREATE TABLE marks (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, place INTEGER NOT NULL,"
            " age_s REAL NOT NULL);"
            "CREATE INDEX marks_name ON marks (name, id)",
        )
        self._rows("INSERT OR IGNORE INTO seen VALUES (1, 0.0, ?)", (secrets.token_hex(16),))

    @property
    def age_s(self) -> float:
        """Seconds that gateways of this store have run."""
        return float(self._rows("SELECT age_s FROM seen")[0][0])

    @property
    def identity(self) -> str:
        return str(self._rows("SELECT identity FROM seen")[0][0])

    def pass_by(self, seconds: float) -> None:
        """The gateway has run for so much longer."""
        self._rows("UPDATE seen SET age_s = age_s + ?", (max(0.0, seconds),))

    def mark(self, places: Mapping[str, int], keep_s: float) -> None:
        """What is on file now, by name; left out if the last mark is younger than a day, or a tenth of `keep_s`."""
        apart_s = min(DAY_S, keep_s / MARKS)
        with self._lock, self._explaining(), self._transaction():
            for name, place in places.items():
                self._db.execute(
                    "INSERT INTO marks (name, place, age_s) SELECT ?, ?, age_s FROM seen WHERE age_s - ? >= COALESCE("
                    "(SELECT MAX(age_s) FROM marks WHERE name = ?), -1e18)",
                    (name, place, apart_s, name),
                )

    def old(self, name: str, keep_s: float) -> tuple[int, int] | None:
        """The oldest mark of this name, if it is as old as that: its number and its place. `used` ends it."""
        rows = self._rows(
            "SELECT id, place FROM marks WHERE name = ? AND age_s <= (SELECT age_s FROM seen) - ? ORDER BY id LIMIT 1",
            (name, keep_s),
        )
        return rows[0] if rows else None

    def used(self, number: int) -> None:
        """What stands before this mark is deleted."""
        self._rows("DELETE FROM marks WHERE id = ?", (number,))
