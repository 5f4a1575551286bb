"""Samples of a gateway reach PostgreSQL, and the alarm of a silent shoe lives on them."""

from __future__ import annotations

import asyncio
import time

import psycopg
from one_floor import Site

from fairshoe_floor.alarms import book
from fairshoe_floor.alarms.desk import Desk, dry_run
from fairshoe_floor.alarms.rules import Rule, RuleBook
from fairshoe_floor.history.writer import SampleRow, Writer
from fairshoe_floor.samples import Link, Sample, sample_to_json


def test_the_newest_sample_of_a_shoe_is_carried_and_a_silent_shoe_is_an_alarm(site: Site) -> None:
    now = time.time()
    site.sample(Sample(1, now, Link.OPEN, heard_at=now, firmware="1.0"))
    site.record(1, 1, 1)
    publisher = site.publisher()
    site.run(publisher, until=lambda: publisher.counts.events >= 1)  # before anything consumes
    site.run(site.consumer(), until=lambda: site.count("samples") > 0)
    assert site.rows("SELECT device, gateway, sample->>'firmware' FROM samples") == [(1, "pit-1", "1.0")]
    desk = Desk(site.database, RuleBook((Rule("silent", "silent", "minor", {"after_s": 120}),)))
    with psycopg.connect(site.database, autocommit=True) as db:
        engine, places = desk.warm_up(db, now + 10)
        places = desk.step(db, engine, places, now + 10)
        assert book.alarms(db) == []
        desk.step(db, engine, places, now + 130)
        assert [alarm.rule for alarm in book.alarms(db)] == ["silent"]


def stored(site: Site, *rows: Sample) -> None:
    async def work() -> None:
        async with await psycopg.AsyncConnection.connect(site.database, autocommit=True) as db:
            await Writer(db).store_samples([SampleRow(it.device, it.at, "pit-1", sample_to_json(it)) for it in rows])
            for it in rows:
                await db.execute(
                    "INSERT INTO logs (device, log, began, gateway) VALUES (%s, '\\x01', 0, '') ON CONFLICT DO NOTHING",
                    (it.device,),
                )

    asyncio.run(work())


def heard(device: int, at: float) -> Sample:
    return Sample(device, at, Link.OPEN, heard_at=at)


def test_a_gateway_whose_clock_is_ahead_does_not_make_the_shoes_of_others_silent(site: Site) -> None:
    now = time.time()
    stored(site, heard(1, now), heard(2, now + 3600))
    desk = Desk(site.database, RuleBook((Rule("silent", "silent", "minor", {"after_s": 120}),)))
    with psycopg.connect(site.database, autocommit=True) as db:
        engine, places = desk.warm_up(db, now)
        for minute in range(1, 5):
            stored(site, heard(1, now + 60 * minute), heard(2, now + 3600 + 60 * minute))
            places = desk.step(db, engine, places, now + 60 * minute + 5)
        assert book.alarms(db) == []
        stored(site, heard(1, now - 3600))  # its clock was set back, and then nothing came
        desk.step(db, engine, places, now + 250)
        assert [alarm.device for alarm in book.alarms(db)] == [1]


def test_a_shoe_that_is_silent_stays_so_when_the_desk_starts_again(site: Site) -> None:
    now = time.time()
    stored(site, heard(1, now))
    rules = RuleBook((Rule("silent", "silent", "minor", {"after_s": 120}),))
    with psycopg.connect(site.database, autocommit=True) as db:
        db.execute(
            "INSERT INTO events (device, log, seq, message, name, boot, uptime_s, utc_s, round, deck, fields, body,"
            " received, gateway) VALUES (1, '\\x01', 1, 1, 'deck_verified', 1, 0, 0, 0, 0, '{}', '', %s, 'pit-1')",
            (now,),
        )
        for later in (130.0, 4000.0):
            site.judge(db, rules, now + later)
            assert [(alarm.rule, alarm.cleared_at) for alarm in book.alarms(db, open_only=False)] == [("silent", None)]


def test_a_dry_run_judges_samples_and_exports_too(site: Site) -> None:
    stored(site, heard(1, 1000.0), heard(1, 1060.0), heard(1, 2000.0))
    rules = RuleBook((Rule("silent", "silent", "minor", {"after_s": 120}), Rule("journal", "journal", "major")))
    with psycopg.connect(site.database, autocommit=True) as db:
        db.execute(
            "INSERT INTO journals (device, log, kept_at, first, last, sha256, content, problem) VALUES"
            " (1, '\\x01', 2010, 1, 2, '\\x01', '', 'cut'), (1, '\\x01', 2030, 1, 2, '\\x02', '', '')"
        )
        changes = dry_run(db, rules, 0.0, 2050.0)
    said = [(change.rule.name, change.raised) for change in changes]
    assert said == [("silent", True), ("silent", False), ("journal", True), ("journal", False)]
    assert 1180 <= changes[0].at <= 1210 and changes[1].at == 2000.0


def test_a_sample_is_published_also_after_the_clock_was_set_back(site: Site) -> None:
    site.record(1, 1, 1)
    publisher = site.publisher()
    publisher._sampled[1] = 5000.0  # pyright: ignore[reportPrivateUsage]
    site.sample(heard(1, 1000.0))
    site.run(publisher, site.consumer(), until=lambda: site.count("samples") > 0)


def test_old_samples_are_deleted_a_days_worth_at_once_and_never_the_newest_of_a_shoe(site: Site) -> None:
    """By when they came: the times in them are of gateways, whose clocks may be wrong."""
    days_ago = (60.0, 59.5, 58.5, 40.0)

    async def work() -> list[int]:
        async with await psycopg.AsyncConnection.connect(site.database, autocommit=True) as db:
            writer = Writer(db)
            await writer.store_samples(
                [SampleRow(1, at, "pit-1", "{}") for at in days_ago] + [SampleRow(2, 1e10, "pit-1", "{}")]
            )
            for days in days_ago:
                await db.execute(
                    "UPDATE samples SET stored = now() - %s * interval '1 day' WHERE at = %s", (days, days)
                )
            await db.execute("UPDATE samples SET stored = now() - interval '70 days' WHERE device = 2")
            await db.execute("UPDATE policies SET days = 50 WHERE what = 'samples'")
            return [await writer.prune_samples() for _turn in range(3)]

    assert asyncio.run(work()) == [2, 1, 0]
    assert site.rows("SELECT at FROM samples ORDER BY at") == [(40.0,), (1e10,)]
