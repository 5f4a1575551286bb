"""The desk: evaluates the rules over the central record, live or as a dry run over history.

Live it reads events by their position in PostgreSQL. At its start it replays REPLAY_S of history, so that it knows
each shoe's past, and then compares its alarms with those on file. A warning and a boot count however old they are. A
shoe that has a table (assignments) and was never heard is silent. Alarms are sent by notify.py.
"""

from __future__ import annotations

import asyncio
import heapq
import json
import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import psycopg

from fairshoe.wear import Series
from fairshoe_floor import assignments, database
from fairshoe_floor.alarms import book
from fairshoe_floor.alarms.engine import JUDGED, Change, Engine, SeenEvent, SeenExport
from fairshoe_floor.alarms.rules import RuleBook
from fairshoe_floor.history import schema
from fairshoe_floor.inventory import Inventory
from fairshoe_floor.metrics import Pulse
from fairshoe_floor.samples import Sample, sample_from_json

REPLAY_S = 7 * 86400.0
TICK_S = 1.0
REPLAY_TICK_S = 30.0  # in a dry run, of history's own time
PAGE = 2000
WARM_UP_S = 300.0  # a week of history
STEP_S = 45.0
_log = logging.getLogger("fairshoe.alarms")


def quoted(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


# No gateway has stored an event after the database got it: then its clock is ahead.
_EVENTS = (
    "SELECT events.device, seq, LEAST(events.received, extract(epoch FROM stored)::float8), name, utc_s, fields,"
    " log, turn, position, events.received FROM events JOIN logs USING (device, log) WHERE"
)
# Of each device what holds until another event ends it, however old it is: the newest boot and the newest warning.
_STANDING = """
SELECT newest.* FROM (SELECT DISTINCT device FROM logs) AS devices
CROSS JOIN LATERAL (SELECT events.device, seq, events.received, name, utc_s, fields, log, turn
    FROM events JOIN logs USING (device, log) WHERE device = devices.device AND name = 'booted'
    ORDER BY turn DESC, logs.id DESC, seq DESC LIMIT 1) AS newest
UNION ALL
SELECT newest.* FROM (SELECT DISTINCT device FROM logs) AS devices
CROSS JOIN LATERAL (SELECT device, GREATEST(latched, cleared), latched_at,
    CASE WHEN latched > cleared THEN 'warning_latched' ELSE 'warning_cleared' END, 0,
    jsonb_build_object('warning', warning), log, turn
    FROM logs WHERE device = devices.device ORDER BY turn DESC, id DESC LIMIT 1) AS newest
"""
_JUDGED = f"name IN ({quoted(JUDGED)})"
_NEWEST_SAMPLES = """
SELECT newest.sample::text FROM (SELECT DISTINCT device FROM logs) AS devices
CROSS JOIN LATERAL (SELECT at, sample FROM samples WHERE device = devices.device ORDER BY id DESC LIMIT 1) AS newest
WHERE newest.at > %s
"""
_STILL = (
    "SELECT name, name || ' has not moved since ' || to_char(moved AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')"
    " || ' UTC' FROM parts WHERE name <> 'desk' AND name NOT LIKE 'trouble %%'"
    " AND moved < now() - %s * interval '1 second'"
)
_DESK = (
    "INSERT INTO parts (name, value) VALUES ('desk', %s) ON CONFLICT (name) DO UPDATE SET heard = now(), moved = now(),"
    " value = excluded.value"
)
_WEAR = "INSERT INTO wear (device, series) VALUES (%s, %s) ON CONFLICT (device) DO UPDATE SET series = excluded.series"
_ENDS = (
    "SELECT COALESCE((SELECT MAX(position) FROM events), 0), COALESCE((SELECT MAX(id) FROM samples), 0),"
    " COALESCE((SELECT MAX(id) FROM journals), 0)"
)
# What the floor knows to be wrong with itself: the kind of rule, and which devices and parts, with words.
_WRONG = {
    "broker": "SELECT 0, name, substr(name, 9) || ': ' || value FROM parts WHERE name LIKE 'trouble %' AND value <> ''",
    "dead_letter": "SELECT device, '', COUNT(*) || ' messages could not be taken, the last because: ' ||"
    " (array_agg(reason ORDER BY id DESC))[1] || '. See: fairshoe floor dead-letters'"
    " FROM dead_letters WHERE closed IS NULL GROUP BY device",
    "gap": "SELECT device, '', 'events ' || string_agg(first || ' to ' || last || ' were lost at gateway ' || gateway,"
    " ', ' ORDER BY id) || '. See: fairshoe floor gaps' FROM gaps WHERE closed IS NULL GROUP BY device",
}
STANDING = (*_WRONG, "still")


def history(db: psycopg.Connection[Any], since: float) -> Iterator[tuple[int, SeenEvent]]:
    """Judged events since a time in the order of their times, each with its position."""
    last = (since, 0)
    while True:
        rows = db.execute(
            f"{_EVENTS} {_JUDGED} AND (events.received, position) > (%s, %s)"
            " ORDER BY events.received, position LIMIT %s".encode(),
            (*last, PAGE),
        ).fetchall()
        for row in rows:
            yield row[-2], SeenEvent(*row[:-2])
        if len(rows) < PAGE:
            return
        last = (rows[-1][-1], rows[-1][-2])


def exports(db: psycopg.Connection[Any], after: int) -> Iterator[tuple[int, SeenExport]]:
    """Exports of journals after this one, each with its number."""
    for row in db.execute("SELECT id, device, kept_at, problem FROM journals WHERE id > %s ORDER BY id", (after,)):
        yield row[0], SeenExport(*row[1:])


def samples(db: psycopg.Connection[Any], since: float) -> Iterator[Sample]:
    """Samples since a time, in the order of their times."""
    last = (since, 0)
    while True:
        rows = db.execute(
            "SELECT at, id, sample::text, extract(epoch FROM stored)::float8 FROM samples WHERE (at, id) > (%s, %s)"
            " ORDER BY at, id LIMIT %s",
            (*last, PAGE),
        ).fetchall()
        for row in rows:
            yield sample_from_json(row[2]).not_after(row[3])
        if len(rows) < PAGE:
            return
        last = (rows[-1][0], rows[-1][1])


def dry_run(db: psycopg.Connection[Any], rules: RuleBook, since: float, until: float) -> list[Change]:
    """What these rules would have raised. Nothing is written or sent."""
    engine = Engine(rules)
    takes: dict[type, Callable[[Any], list[Change]]] = {
        SeenEvent: engine.event,
        SeenExport: engine.export,
        Sample: engine.sample,
    }
    pulled = sorted((seen for _number, seen in exports(db, 0) if seen.at > since), key=lambda seen: seen.at)
    events = (seen for _position, seen in history(db, since))
    changes: list[Change] = []
    at = 0.0
    for seen in heapq.merge(events, pulled, samples(db, since), key=lambda seen: seen.at):
        at = at or seen.at
        while at + REPLAY_TICK_S < seen.at:
            at += REPLAY_TICK_S
            changes += engine.tick(at)
        at = max(at, seen.at)
        changes += takes[type(seen)](seen)
    while at and at + REPLAY_TICK_S < until:
        at += REPLAY_TICK_S
        changes += engine.tick(at)
    return changes


class Restored(Exception):
    """The database is an earlier one."""


class Desk:
    """Evaluates until it is stopped. Blocking work runs in a thread."""

    def __init__(self, url: str, rules: RuleBook, inventories: Sequence[Inventory] = ()) -> None:
        self._database = url
        self._inventories = inventories
        self._rules = rules
        self._stopped = False
        self.pulse = Pulse()
        self.holding = 0
        self.on_news: Callable[[], None] = lambda: None
        self._beats = 0

    def stop(self) -> None:
        self._stopped = True

    async def run(self) -> None:
        while not self._stopped:
            try:
                await self._work()
            except (psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn):
                _log.info("alarms: the tables are not those of this version: run `fairshoe floor migrate`")
            except (TimeoutError, asyncio.TimeoutError):
                _log.warning("alarms: the database does not answer. Trying again.")
            except (psycopg.Error, Restored) as error:
                _log.warning("alarms: %s Trying again.", database.explained(error))
            except Exception:  # a defect of the desk must not end the record, whose program it shares
                _log.exception("alarms: a defect of this program; no alarm is raised. Trying again.")
            await asyncio.sleep(TICK_S)

    async def _work(self) -> None:
        """With one connection, until it fails or the desk is stopped."""
        async with database.in_threads(self._database) as db:
            engine, places = await database.within(WARM_UP_S, lambda: self.warm_up(db, time.time()))
            while not self._stopped:
                places = await database.within(STEP_S, partial(self.step, db, engine, places, time.time()))
                await asyncio.sleep(TICK_S)

    def warm_up(self, db: psycopg.Connection[Any], now: float) -> tuple[Engine, tuple[int, int, int]]:
        """The engine as history leaves it; alarms on file that it does not confirm are cleared by the first step."""
        self._check_whole(db)
        engine = Engine(self._rules)
        for device, series in db.execute("SELECT device, series FROM wear"):
            engine.remember_wear(device, Series.from_json(series))
        position = int(db.execute("SELECT COALESCE(MAX(position), 0) FROM events").fetchall()[0][0])
        for place, seen in history(db, now - REPLAY_S):
            position = max(position, place)
            engine.event(seen)
        for row in db.execute(_STANDING.encode()):
            engine.event(SeenEvent(*row))
        sampled = int(db.execute("SELECT COALESCE(MAX(id), 0) FROM samples").fetchall()[0][0])
        for (text,) in db.execute(_NEWEST_SAMPLES.encode(), (now - REPLAY_S,)):
            engine.sample(sample_from_json(text).not_after(now))
        journal = 0
        for number, export in exports(db, 0):
            journal = number
            engine.export(export)
        confirmed = set(engine.active)
        engine.active.clear()
        assignments.expect(db, self._inventories, now)
        self._expect(db, engine)
        on_file = book.alarms(db, limit=None)
        kept = {it.id: engine.restore(it.rule, it.device, it.raised_at, it.text, it.part) for it in on_file}
        book.end(db, [number for number, keeps in kept.items() if not keeps], now)
        _log.info("alarms: %d shoes known, %d alarms hold", len({device for _, device, _ in confirmed}), len(confirmed))
        return engine, (position, sampled, journal)

    def step(
        self, db: psycopg.Connection[Any], engine: Engine, places: tuple[int, int, int], now: float
    ) -> tuple[int, int, int]:
        """Take what is new since these places (event, sample, journal), judge, write and send."""
        position, sampled, journal = places
        self._check_whole(db)
        if any(end < place for end, place in zip(db.execute(_ENDS).fetchall()[0], places, strict=True)):
            raise Restored("the database was restored from a copy: judging from its beginning")
        changes: list[Change] = []
        for row in db.execute(f"{_EVENTS} position > %s ORDER BY position LIMIT {PAGE}".encode(), (position,)):
            position = row[-2]
            changes += engine.event(SeenEvent(*row[:-2]))
        # By their order here, not by their times: each gateway has its own clock.
        for number, text in db.execute("SELECT id, sample::text FROM samples WHERE id > %s ORDER BY id", (sampled,)):
            sampled = number
            changes += engine.sample(sample_from_json(text).not_after(now))
        for number, export in exports(db, places[2]):
            journal = number
            changes += engine.export(replace(export, at=min(export.at, now)))
        self._expect(db, engine)
        changes += engine.tick(now)
        for kind, query in _WRONG.items():
            found = {(device, part): text for device, part, text in db.execute(query.encode()).fetchall()}
            changes += engine.standing(kind, found, now)
        for rule in self._rules.rules:
            if rule.kind == "still":
                rows = db.execute(_STILL, (rule.limits["after_s"],)).fetchall()
                changes += engine.standing("still", {(0, name): text for name, text in rows}, now)
        for device, series in engine.take_worn().items():
            db.execute(_WEAR, (device, json.dumps(series.to_json())))
        self._beats += 1
        db.execute(_DESK, (str(self._beats),))
        # By this host's clock: that of a gateway may be wrong, and an end is sent for some time after it.
        dated = [replace(it, at=min(it.at, now) if it.raised else now) for it in changes]
        for change in book.note_changes(db, dated):
            self.on_news()
            what = "raised" if change.raised else "over"
            _log.warning("alarm %s: %s, device %08x: %s", what, change.rule.name, change.device, change.text)
        self.pulse.beat()
        self.holding = len(engine.active)
        return position, sampled, journal

    @staticmethod
    def _check_whole(db: psycopg.Connection[Any]) -> None:
        if not db.execute(schema.IS_WHOLE.encode()).fetchall()[0][0]:
            raise Restored("the tables are not whole: they are being restored, or `fairshoe floor migrate` is due")

    @staticmethod
    def _expect(db: psycopg.Connection[Any], engine: Engine) -> None:
        engine.expect(dict(db.execute("SELECT device, began FROM assignments WHERE ended IS NULL").fetchall()))
