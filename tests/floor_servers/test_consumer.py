"""The consumer against a real broker and a real PostgreSQL: every event once, whatever was rolled back."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from one_floor import Site, arrived, identity, migrate

from fairshoe import Store
from fairshoe_floor.history import schema
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.event_lines import to_lines
from fairshoe_floor.stream.names import Names
from fairshoe_floor.stream.outbox import Outbox


def test_events_arrive_once_and_in_order(site: Site) -> None:
    site.record(1, 1, 300)
    site.record(2, 1, 4)
    site.carry(304)
    consumer = site.consumer()
    site.run(consumer, until=lambda: bool(consumer.counts.positions))  # a second one has nothing to do
    assert site.seqs(1) == list(range(1, 301)) and site.seqs(2) == [1, 2, 3, 4]
    assert site.rows("SELECT name, boot, round, deck, fields, gateway FROM events LIMIT 1") == [
        ("door_opened", 1, 3, 1, {}, "pit-1")
    ]
    assert bytes(site.rows("SELECT body FROM events WHERE device = 1 AND seq = 7")[0][0]) == arrived(7).body


def test_retention_follows_the_central_commit_and_not_the_broker(site: Site) -> None:
    site.record(1, 1, 50)
    publisher = site.publisher()
    site.run(publisher, until=lambda: publisher.counts.events >= 50)  # the broker has acknowledged all
    assert site.store.prune(age_s=-1) == 0
    site.run(site.publisher(), site.consumer(), until=lambda: site.passed() == 50)
    assert site.store.prune(age_s=-1) == 49  # the newest stays: the device goes on from it


def test_a_restored_database_reads_the_stream_again(site: Site) -> None:
    site.record(1, 1, 10)
    site.carry(10)
    site.postgres.snapshot("copy")
    site.record(1, 11, 20)
    site.carry(20)
    site.postgres.kill()
    site.postgres.restore("copy")
    site.postgres.start()
    assert site.seqs(1) == list(range(1, 11))
    consumer = site.consumer()
    site.run(consumer, until=lambda: consumer.counts.new >= 10)  # no publisher: the stream has it
    assert site.seqs(1) == list(range(1, 21))


def test_a_stream_that_was_rolled_back_and_grew_again_hides_nothing(site: Site) -> None:
    """The place that was read last exists again, with another message: what lies before it must be read."""
    site.record(1, 1, 1)
    site.carry(1)
    site.nats.snapshot("copy")
    site.record(1, 2, 2)
    site.carry(2)
    site.nats.kill()
    site.nats.restore("copy")
    site.nats.start()
    site.record(2, 1, 1)  # takes the place in the stream that event 2 of device 1 had
    site.record(1, 3, 3)
    publisher = site.publisher()
    site.run(publisher, until=lambda: publisher.counts.events >= 3)
    consumer = site.consumer()
    site.run(consumer, until=lambda: consumer.counts.new >= 2)
    assert consumer.counts.rereads == 1
    assert site.seqs(1) == [1, 2, 3] and site.seqs(2) == [1]


def test_what_neither_stream_nor_database_has_is_sent_again(site: Site) -> None:
    """The database was restored from a copy that is older than everything the stream still has."""
    site.record(1, 1, 10)
    site.carry(10)
    site.run(site.publisher(), site.consumer(), until=lambda: site.passed() == 10)
    site.purge(keep=1)
    with psycopg.connect(site.database) as db:
        db.execute("DELETE FROM events WHERE seq > 4")
        db.execute("UPDATE logs SET ranges = '{[1,5)}'")
        db.execute("DELETE FROM stream_places")
    site.carry(10)
    assert sorted(site.seqs(1)) == list(range(1, 11))


def test_a_new_broker_and_a_new_database_get_what_the_store_has(site: Site) -> None:
    """A gateway keeps events that the central record had. If stream and database are gone, no new event is needed."""
    site.record(1, 1, 10)
    site.run(site.publisher(), site.consumer(), until=lambda: site.passed() == 10)
    with psycopg.connect(site.postgres.url, autocommit=True) as db:
        db.execute(b"CREATE DATABASE again TEMPLATE migrated")
    rebuilt = replace(site, names=Names("again"), database=site.postgres.url.removesuffix("postgres") + "again")
    publisher, consumer = rebuilt.publisher(), rebuilt.consumer()
    rebuilt.run(publisher, consumer, until=lambda: consumer.counts.new >= 10)
    assert rebuilt.seqs(1) == list(range(1, 11))
    assert (publisher.counts.events, publisher.counts.refilled) == (10, 0)


def test_the_same_number_with_other_bytes_is_a_conflict(site: Site, tmp_path: Path) -> None:
    site.record(1, 1, 3)
    site.carry(3)
    with Store(tmp_path / "pit-2.db") as other:
        log = other.resume(1, identity(1), 4, 1)
        other.add(log.id, [arrived(seq)._replace(body=b"\1" + arrived(seq).body[1:]) for seq in (3, 4)])

        async def publish() -> None:
            outbox = Outbox(other.path, "pit-2")
            async with broker.connected(site.nats.url, "test") as (_client, stream):
                rows = outbox.events(outbox.heads()[0], 0, 9)
                await stream.publish(site.names.refill(1, identity(1)), to_lines(rows))
            outbox.close()

        asyncio.run(publish())
    consumer = site.consumer()
    site.run(consumer, until=lambda: consumer.counts.conflicts > 0)
    assert site.rows("SELECT device, seq, gateway FROM conflicts") == [(1, 3, "pit-2")]
    assert bytes(site.rows("SELECT body FROM events WHERE seq = 3")[0][0]) == arrived(3).body


def test_a_second_consumer_waits_until_the_first_is_gone(site: Site) -> None:
    site.record(1, 1, 2)
    publisher, first, second = site.publisher(), site.consumer(), site.consumer()
    site.run(publisher, first, second, until=lambda: first.counts.new + second.counts.new >= 2)
    assert 0 in (first.counts.transactions, second.counts.transactions)


def test_migrating_twice_changes_nothing_and_a_newer_database_is_refused(site: Site) -> None:
    assert migrate(site.database) == 0
    with psycopg.connect(site.database) as db:
        db.execute("INSERT INTO schema_steps (step) VALUES (99)")
    with pytest.raises(schema.DatabaseError, match="Update this program"):
        migrate(site.database)
