"""What the central record takes on disk, and what a year of it will: by what is on file, or by a model before there is
enough of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import psycopg

DAY_S = 86400.0
YEAR_DAYS = 365
LOOK_DAYS = 7.0  # the rate is that of the last days
ENOUGH_DAYS = 1.0
# The model: 60 rounds an hour of 40 events, a sample a minute, an export a day; bytes as measured, indexes included.
MODEL_PER_DAY = {"events": 57_600.0, "samples": 1_440.0, "journals": 1.0}
MODEL_BYTES = {"events": 520.0, "samples": 1_500.0, "journals": 80_000.0}
_TIMES = {"events": "received", "samples": "at", "journals": "kept_at"}
_SIZE = (
    "SELECT SUM(pg_total_relation_size(oid)), SUM(GREATEST(reltuples, 0)) FROM pg_class WHERE relkind = 'r'"
    " AND (oid = %(what)s::regclass OR oid IN (SELECT relid FROM pg_partition_tree(%(what)s::regclass)))"
)


@dataclass(frozen=True)
class Size:
    """One table. `days` of it were looked at for its rate; 0: it is the model's."""

    what: str
    bytes_now: int
    rows: int
    rows_per_day: float
    bytes_per_row: float
    keep_days: float | None  # by policy; None: for ever
    days: float

    @property
    def bytes_per_year(self) -> float:
        """What is added in a year; what is kept, if that is less."""
        return self.rows_per_day * self.bytes_per_row * min(YEAR_DAYS, self.keep_days or YEAR_DAYS)


def sizes(db: psycopg.Connection[Any], now: float, shoes: int | None = None) -> list[Size]:
    """By what is on file; with a number of shoes by the model."""
    policies: dict[str, float] = dict(db.execute("SELECT what, days FROM policies").fetchall())
    found: list[Size] = []
    for what, column in _TIMES.items():
        taken, rows = db.execute(_SIZE, {"what": what}).fetchall()[0]
        query = f"SELECT COUNT(*), COALESCE(MIN({column}), %s) FROM {what} WHERE {column} > %s"
        count, first = db.execute(query.encode(), (now, now - LOOK_DAYS * DAY_S)).fetchall()[0]
        days = min(LOOK_DAYS, (now - first) / DAY_S)
        rows = max(int(rows or 0), count)
        per_day, each = MODEL_PER_DAY[what], MODEL_BYTES[what]
        if shoes is not None:
            per_day, days = per_day * shoes, 0.0
        elif days >= ENOUGH_DAYS:
            per_day, each = count / days, int(taken) / rows
        else:
            devices = db.execute("SELECT COUNT(DISTINCT device) FROM logs").fetchall()[0][0]
            per_day, days = per_day * devices, 0.0
        found.append(Size(what, int(taken), rows, per_day, each, policies.get(what), days))
    return found


def size_text(found: list[Size]) -> list[str]:
    lines: list[str] = []
    for it in found:
        kept = "kept for ever" if it.keep_days is None else f"kept {it.keep_days:g} days"
        by = f"of the last {it.days:.1f} days" if it.days else "by the model of docs/FLOOR.md"
        lines.append(
            f"{it.what:9s} {_bytes(it.bytes_now)} now, {it.rows} rows; {it.rows_per_day:.0f} rows a day {by},"
            f" {it.bytes_per_row:.0f} bytes each, {kept}: {_bytes(it.bytes_per_year)} in a year"
        )
    total = sum(it.bytes_per_year for it in found)
    return [*lines, f"a year takes {_bytes(total)}, and as much again for a backup"]


def _bytes(count: float) -> str:
    return f"{count / 1e9:.1f} GB" if count >= 1e8 else f"{count / 1e6:.1f} MB"
