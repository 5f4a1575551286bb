"""The report of a shift: what happened at each table, and how much of the time its shoe was heard.

Counts are of events on file, each once, so a sample that was lost changes none. A shoe that was silent may still have
events to send: its line says how long nothing was heard of it, and that its counts may grow. A table that had two shoes
in a shift has two lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import psycopg

from fairshoe_floor.assignments import Assignment, assignments
from fairshoe_floor.samples import sample_from_json

SILENT_S = 120.0  # as the page and the rule of alarms have it: a gateway keeps a sample every minute
COUNTED = {
    "round_ended": "rounds",
    "round_voided": "void",
    "deck_verified": "decks",
    "deck_refused": "refused",
    "shuffle_failed": "failed",
    "warning_latched": "warnings",
}
METERS = ("cards", "misfeeds", "jams")
_GIVEN = (
    "unnest(%(n)s::int[], %(device)s::bigint[], %(since)s::float8[], %(until)s::float8[])"
    " AS it (n, device, since, until)"
)
_COUNTS = f"""
SELECT n, name, COUNT(*) FROM {_GIVEN} JOIN events ON events.device = it.device AND name = ANY(%(names)s)
    AND received >= since AND received < until GROUP BY n, name
"""
# Times at which a shoe was heard, and the ends of its time: what lies farther apart is silence.
_QUIET = f"""
SELECT n, before, at FROM (SELECT n, at, lag(at) OVER (PARTITION BY n ORDER BY at) AS before FROM (
    SELECT n, (sample->>'heard_at')::float8 AS at FROM {_GIVEN} JOIN samples ON samples.device = it.device
        AND samples.at >= since AND samples.at < until + %(silent)s
    UNION ALL SELECT n, since FROM {_GIVEN} UNION ALL SELECT n, until FROM {_GIVEN}
) AS heard JOIN (SELECT n, since, until FROM {_GIVEN}) AS bounds USING (n) WHERE at >= since AND at <= until) AS steps
WHERE at - before > %(silent)s ORDER BY n, before
"""
_EVENTS_IN = """
SELECT DISTINCT n, floor(received / 30) * 30 FROM unnest(%s::int[], %s::bigint[], %s::float8[], %s::float8[])
    AS it (n, device, since, until) JOIN events ON events.device = it.device AND received > since AND received < until
    ORDER BY 1, 2
"""
_READINGS = f"""
SELECT n, first.sample::text, last.sample::text FROM {_GIVEN}
CROSS JOIN LATERAL (SELECT sample FROM samples WHERE samples.device = it.device AND at >= since AND at < until
    AND sample->'meters' <> 'null' ORDER BY id LIMIT 1) AS first
CROSS JOIN LATERAL (SELECT sample FROM samples WHERE samples.device = it.device AND at >= since AND at < until
    AND sample->'meters' <> 'null' ORDER BY id DESC LIMIT 1) AS last
"""
_LOST = f"""
SELECT n, SUM(last - first + 1)::bigint FROM {_GIVEN} JOIN gaps ON gaps.device = it.device
    AND gaps.after < until AND gaps.before >= since AND outcome <> 'the events turned up' GROUP BY n
"""


@dataclass
class Line:
    """One shoe at one table in a shift, from `began` to `ended`. `silent` has the times in which nothing was heard."""

    place: str
    pit: str
    device: int
    began: float
    ended: float
    counts: dict[str, int]
    meters: dict[str, int] | None = None  # how far they went between the first and the last reading
    silent: list[tuple[float, float]] = field(default_factory=list[tuple[float, float]])
    lost: int = 0  # events

    @property
    def silent_s(self) -> float:
        return sum(end - begin for begin, end in self.silent)

    @property
    def state(self) -> str:
        """At the end of the shift."""
        if self.silent and self.silent[-1] == (self.began, self.ended):
            return "not heard"
        return "silent" if self.silent and self.silent[-1][1] == self.ended else "in service"


def report(db: psycopg.Connection[Any], since: float, until: float, pit: str | None = None) -> list[Line]:
    """By pit and table. `until` is not later than now."""
    lines = [_line(it, since, until) for it in assignments(db, None, since, until) if pit in (None, it.pit)]
    lines = sorted((it for it in lines if it.ended > it.began), key=lambda it: (it.pit, it.place, it.began))
    given: dict[str, Any] = {
        "n": list(range(len(lines))),
        "device": [it.device for it in lines],
        "since": [it.began for it in lines],
        "until": [it.ended for it in lines],
        "names": list(COUNTED),
        "silent": SILENT_S,
    }
    for n, name, count in db.execute(_COUNTS.encode(), given):
        lines[int(n)].counts[COUNTED[name]] = int(count)
    for n, first, last in db.execute(_READINGS.encode(), given):
        a, b = sample_from_json(first).meters, sample_from_json(last).meters
        if a is not None and b is not None:
            lines[n].meters = {name: getattr(b, name) - getattr(a, name) for name in METERS}
    for n, count in db.execute(_LOST.encode(), given):
        lines[n].lost = count
    _note_silence(db, lines, db.execute(_QUIET.encode(), given).fetchall())
    return lines


def _line(it: Assignment, since: float, until: float) -> Line:
    end = until if it.ended is None else min(until, it.ended)
    return Line(it.place, it.pit, it.device, max(since, it.began), end, dict.fromkeys(COUNTED.values(), 0))


def _note_silence(
    db: psycopg.Connection[Any], lines: Sequence[Line], quiet: Sequence[tuple[int, float, float]]
) -> None:
    """Samples travel without a guarantee, events with one: where events came, a shoe was heard."""
    columns = [
        [it[0] for it in quiet],
        [lines[it[0]].device for it in quiet],
        *([it[i] for it in quiet] for i in (1, 2)),
    ]
    heard: dict[int, list[float]] = {}
    for n, at in db.execute(_EVENTS_IN, columns):
        heard.setdefault(n, []).append(at)
    for n, begin, end in quiet:
        times = [begin, *(at for at in heard.get(n, ()) if begin < at < end), end]
        lines[n].silent += [(a, b) for a, b in pairwise(times) if b - a > SILENT_S]
