"""Events by month: an event is stored once in whatever month it is redelivered, and retention drops whole months."""

from __future__ import annotations

import asyncio
import os
import subprocess
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from floor import servers
from floor.site import MONTH_ENDS
from one_floor import Site, arrived, identity

from fairshoe_floor.history.lease import Lease
from fairshoe_floor.history.writer import Writer
from fairshoe_floor.stream.event_lines import EventRow

ROOT = Path(__file__).resolve().parents[2]
PARTS = "SELECT relid::text FROM pg_partition_tree('events') WHERE isleaf ORDER BY 1"


def row(seq: int, device: int = 1, body: bytes = b"\1") -> EventRow:
    return EventRow(device, b"\7", seq, 1, "door_opened", 1, 0.0, 0, 0, 0, "{}", body, 100.0 + seq, "pit-1")


def work(site: Site, story: Callable[[Writer, psycopg.AsyncConnection[Any]], Awaitable[None]]) -> None:
    async def run() -> None:
        async with await psycopg.AsyncConnection.connect(site.database, autocommit=True) as db:
            lease = Lease()
            assert await lease.take(db)
            await story(Writer(db, lease), db)
            await lease.release(db)

    asyncio.run(run())


def test_events_that_come_again_after_the_months_end_are_stored_once(site: Site) -> None:
    async def story(writer: Writer, db: psycopg.AsyncConnection[Any]) -> None:
        done = await writer.store([row(seq) for seq in (1, 2, 2, 5)], "s", None)
        assert (done.new, done.repeated, done.conflicts) == (3, 1, 0)
        await db.execute(MONTH_ENDS)
        done = await writer.store([row(seq) for seq in range(1, 8)], "s", None)  # a resend, a refill, and news
        assert (done.new, done.repeated, done.conflicts) == (4, 3, 0)
        done = await writer.store([replace(row(2), body=b"\2"), row(9), replace(row(9), body=b"\3")], "s", None)
        assert (done.new, done.repeated, done.conflicts) == (1, 2, 2)

    work(site, story)
    assert site.rows("SELECT seq, COUNT(*) FROM events GROUP BY seq ORDER BY seq") == [
        (seq, 1) for seq in (1, 2, 3, 4, 5, 6, 7, 9)
    ]
    assert site.rows("SELECT ranges::text FROM logs") == [("{[1,8),[9,10)}",)]
    assert len(site.rows("SELECT DISTINCT month FROM events")) == 2


def test_a_stream_that_is_read_again_after_the_months_end_adds_nothing(site: Site) -> None:
    """Broker and publisher as they are: the stream is new, so the store is sent and read from its beginning."""
    site.record(1, 1, 300)
    publisher, consumer = site.publisher(), site.consumer()
    site.run(publisher, consumer, until=lambda: consumer.counts.new >= 300)
    with psycopg.connect(site.database, autocommit=True) as db:
        db.execute(MONTH_ENDS)
        db.execute("DELETE FROM stream_places")
    site.record(1, 301, 310)
    publisher, consumer = site.publisher(), site.consumer()
    site.run(publisher, consumer, until=lambda: consumer.counts.new >= 10)
    assert consumer.counts.repeated == 300 and site.seqs(1) == list(range(1, 311))
    assert bytes(site.rows("SELECT body FROM events WHERE seq = 7")[0][0]) == arrived(7).body
    assert site.rows("SELECT log FROM logs") == [(identity(1),)]


def test_a_person_who_takes_a_letter_again_and_the_consumer_do_not_store_an_event_twice(site: Site) -> None:
    """Two transactions at once: the second waits for the row of the log, and then sees what the first has stored."""

    async def story(writer: Writer, _db: psycopg.AsyncConnection[Any]) -> None:
        async with await psycopg.AsyncConnection.connect(site.database, autocommit=True) as other:
            async with other.transaction():
                assert (await Writer(other).store([row(1), row(2)], "s", None)).new == 2
                waiting = asyncio.create_task(writer.store([row(2), row(3)], "s", None))
                await asyncio.sleep(0.3)
                assert not waiting.done()
            assert (await waiting).new == 1

    work(site, story)
    assert site.rows("SELECT seq FROM events ORDER BY seq") == [(1,), (2,), (3,)]


def test_a_backup_is_restored_as_the_page_of_the_floor_says(site: Site, tmp_path: Path) -> None:
    lines = [line for line in (ROOT / "docs/FLOOR.md").read_text().splitlines() if line.startswith(("pg_", "psql -q"))]
    assert [line.split()[0] for line in lines] == ["pg_dump", "psql", "pg_restore"]
    folder = servers.postgres_folder()
    environment = os.environ | {"FAIRSHOE_DATABASE": site.database, "PATH": f"{folder}:{os.environ['PATH']}"}

    async def story(writer: Writer, _db: psycopg.AsyncConnection[Any]) -> None:
        assert (await writer.store([row(1), row(2)], "s", None)).new == 2

    work(site, story)
    for line in lines:
        subprocess.run(["sh", "-ec", line], cwd=tmp_path, env=environment, check=True)

    async def later(writer: Writer, _db: psycopg.AsyncConnection[Any]) -> None:
        assert (await writer.store([row(2), row(3)], "s", None)).new == 1

    work(site, later)
    assert site.rows("SELECT seq FROM events ORDER BY seq") == [(1,), (2,), (3,)]


def test_months_are_dropped_by_policy_alone_one_at_a_time_and_their_events_do_not_come_back(site: Site) -> None:
    async def story(writer: Writer, db: psycopg.AsyncConnection[Any]) -> None:
        await writer.store([row(1), row(2)], "s", None)
        for _month in range(3):
            await db.execute(MONTH_ENDS)
        assert await writer.drop_old_events() is None  # without a policy
        await db.execute("INSERT INTO policies VALUES ('events', 32, 'Ines')")
        dropped = [await writer.drop_old_events() for _turn in range(4)]
        names = [name for name in dropped if name]
        assert 1 <= len(names) <= 3 and names == sorted(names) and dropped[len(names) :] == [None] * (4 - len(names))
        left = [name for (name,) in await (await db.execute(PARTS)).fetchall()]
        assert len(left) == 5 - len(names) and min(left) > max(names)
        assert (await writer.store([row(1), row(3)], "s", None)).new == 1

    work(site, story)
    assert site.rows("SELECT seq FROM events ORDER BY seq") == [(3,)]


def test_the_writer_makes_the_table_of_a_new_month_and_needs_no_right_to_change_tables(site: Site) -> None:
    with psycopg.connect(site.database, autocommit=True) as db:
        for (name,) in db.execute(PARTS).fetchall():
            db.execute(f"DROP TABLE {name}".encode())
        db.execute("DROP ROLE IF EXISTS plain")
        db.execute("CREATE ROLE plain LOGIN")
        db.execute("GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA public TO plain")
        db.execute("GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO plain")
    plain = replace(site, database=site.database.replace("fairshoe@", "plain@"))

    async def story(writer: Writer, db: psycopg.AsyncConnection[Any]) -> None:
        assert (await writer.store([row(1)], "s", None)).new == 1
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            await db.execute("DROP TABLE events")

    work(plain, story)
    assert len(site.rows(PARTS)) == 2
