"""Samples of a gateway reach PostgreSQL, and the alarm of a silent shoe lives on them."""

from __future__ import annotations

import asyncio
import time

import psycopg
from one_floor import Site

from fairshoe_floor.alarms import book
from fairshoe_floor.alarms.desk import Desk
from fairshoe_floor.alarms.rules import Rule, RuleBook
from fairshoe_floor.history import schema
from fairshoe_floor.history.writer import Writer
from fairshoe_floor.samples import Link, Sample, SampleFile, samples_path


def count(site: Site) -> int:
    try:
        return int(site.rows("SELECT COUNT(*) FROM samples")[0][0])
    except psycopg.errors.UndefinedTable:
        return 0


def test_the_newest_sample_of_a_shoe_is_carried_and_a_silent_shoe_is_an_alarm(site: Site) -> None:
    now = time.time()
    samples = SampleFile(samples_path(site.store.path))
    samples.add([Sample(1, now, Link.OPEN, heard_at=now, firmware="1.0")])
    samples.close()
    site.record(1, 1, 1)
    publisher = site.publisher()
    site.run(publisher, until=lambda: publisher.counts.events >= 1)  # before anything consumes
    site.run(site.consumer(), until=lambda: count(site) > 0)
    assert site.rows("SELECT device, gateway, sample->>'firmware' FROM samples") == [(1, "pit-1", "1.0")]
    desk = Desk(site.database, RuleBook((Rule("silent", "silent", "minor", {"after_s": 120}),)))
    with psycopg.connect(site.database, autocommit=True) as db:
        engine, places = desk.warm_up(db, now + 10)
        places = desk.step(db, engine, places, now + 10)
        assert book.alarms(db) == []
        desk.step(db, engine, places, now + 130)
        assert [alarm.rule for alarm in book.alarms(db)] == ["silent"]


def test_old_samples_are_deleted_but_never_the_newest_of_a_shoe(site: Site) -> None:
    async def work() -> int:
        async with await psycopg.AsyncConnection.connect(site.database, autocommit=True) as db:
            await schema.migrate(db)
            writer = Writer(db)
            await writer.store_samples(
                [(1, at, "pit-1", "{}") for at in (10.0, 20.0, 90.0)] + [(2, 5.0, "pit-1", "{}")]
            )
            return await writer.prune_samples(50.0)

    assert asyncio.run(work()) == 2
    assert site.rows("SELECT device, at FROM samples ORDER BY device") == [(1, 90.0), (2, 5.0)]
