"""Exports of journals reach PostgreSQL, are checked there again, and a journal that shrinks is an alarm."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from one_floor import Site, kept

from fairshoe.journal.signatures import PublicKey
from fairshoe_floor.alarms import book
from fairshoe_floor.alarms.desk import Desk
from fairshoe_floor.alarms.rules import Rule, RuleBook
from fairshoe_floor.history.consumer import Consumer
from fairshoe_floor.stream import broker

FOUND = "SELECT first, last, problem FROM journals ORDER BY kept_at"
RULES = RuleBook((Rule("journal", "journal", "critical"),))


def test_exports_arrive_once_and_are_checked_against_the_events(site: Site) -> None:
    site.record(1, 1, 30)
    site.carry(30)
    whole = kept(1, 1, 10, 100.0)
    site.keep(whole, replace(kept(1, 10, 20, 200.0), content=whole.content), kept(1, 10, 25, 300.0, until=22))
    site.carry(3, "journals")
    assert site.rows(FOUND) == [
        (1, 10, ""),
        (10, 20, "it is not the export that its gateway names: device, log, first or last number differ"),
        (10, 22, "record 22 (line 14): the end is missing: 3 more records, up to 25, were attested"),
    ]
    with psycopg.connect(site.database) as db:
        db.execute("UPDATE events SET body = overlay(body placing '\\x07' from 11) WHERE seq = 29")
    site.keep(kept(1, 22, 30, 400.0), kept(1, 1, 12, 500.0))
    site.carry(5, "journals")
    assert site.rows(FOUND)[3:] == [
        (22, 30, "record 29: the event on file with this number is another one"),
        (1, 12, "it ends with record 12, and an earlier export reached 30"),
    ]
    assert bytes(site.rows("SELECT content FROM journals WHERE kept_at = 100")[0][0]) == whole.content


DEVICE_KEY, OTHER_KEY = (Ed25519PrivateKey.from_private_bytes(bytes([it]) * 32) for it in (1, 2))
UNSIGNED = "it is not signed by the device, whose public key is known: its gateway may have made it"


@pytest.mark.parametrize(
    ("forged", "exports", "problems"),
    [
        (0, [(1, 10, DEVICE_KEY, 0), (10, 20, DEVICE_KEY, 0), (25, 30, DEVICE_KEY, 0)], ["", "", ""]),
        (12, [(1, 10, DEVICE_KEY, 0), (10, 20, DEVICE_KEY, 0)], ["", "record 12: the event on file"]),
        (12, [(10, 20, None, 12)], [UNSIGNED]),
        (12, [(10, 20, OTHER_KEY, 12)], ["nothing is signed with a public key that was given"]),
        # The device has overwritten what was forged: the chain between two exports shows it.
        (22, [(1, 20, DEVICE_KEY, 0), (25, 30, DEVICE_KEY, 0)], ["", "the events on file from 21 to 25"]),
    ],
    ids=["honest", "a forged event", "a forged export", "signed by another", "forged between exports"],
)
def test_a_gateway_that_forges_events_of_its_own_shoe_is_found_by_the_devices_signature(
    site: Site, forged: int, exports: list[tuple[int, int, Ed25519PrivateKey | None, int]], problems: list[str]
) -> None:
    site.record(1, 1, 30, odd=forged)
    keys = {1: [PublicKey(DEVICE_KEY.public_key().public_bytes_raw(), 1)]}
    consumer = Consumer(site.database, site.url, site.names, journals_s=0.1, idle_s=0.1, keys=keys)
    site.run(site.publisher(), consumer, until=lambda: site.count() == 30)
    site.keep(*(kept(1, a, b, 100.0 + n, key=key, odd=odd) for n, (a, b, key, odd) in enumerate(exports)))
    found = "SELECT problem FROM journals ORDER BY kept_at"
    again = Consumer(site.database, site.url, site.names, journals_s=0.1, idle_s=0.1, keys=keys)
    site.run(site.publisher(), again, until=lambda: len(site.rows(found)) == len(exports))
    for (problem,), expected in zip(site.rows(found), problems, strict=True):
        assert expected in problem and bool(expected) == bool(problem), problem


def test_an_event_that_is_forged_after_its_export_is_found_with_the_next_one(site: Site) -> None:
    keys = {1: [PublicKey(DEVICE_KEY.public_key().public_bytes_raw(), 1)]}

    def consumer() -> Consumer:
        return Consumer(site.database, site.url, site.names, journals_s=0.1, idle_s=0.1, keys=keys)

    site.keep(kept(1, 1, 20, 100.0, key=DEVICE_KEY))
    found = "SELECT problem FROM journals ORDER BY kept_at"
    site.run(site.publisher(), consumer(), until=lambda: site.rows(found) == [("",)])
    site.record(1, 1, 30, odd=12)
    site.run(site.publisher(), consumer(), until=lambda: site.count() == 30)
    site.keep(kept(1, 20, 30, 200.0, key=DEVICE_KEY))
    site.run(site.publisher(), consumer(), until=lambda: len(site.rows(found)) == 2)
    assert site.rows(found)[1] == ("record 12: the event on file with this number is another one",)


def test_a_restored_database_gets_its_exports_again_from_the_stream(site: Site) -> None:
    site.keep(kept(1, 1, 10, 100.0), kept(1, 10, 20, 200.0))
    site.carry(2, "journals")
    with psycopg.connect(site.database) as db:
        db.execute("DELETE FROM journals WHERE kept_at = 200")
        db.execute("DELETE FROM stream_places")
    site.carry(2, "journals")
    assert site.rows(FOUND) == [(1, 10, ""), (10, 20, "")]


def test_a_gateway_sends_its_exports_again_if_neither_stream_nor_database_has_them(site: Site) -> None:
    site.keep(kept(1, 1, 10, 100.0), kept(1, 10, 20, 200.0))
    site.carry(2, "journals")
    with psycopg.connect(site.database) as db:
        db.execute("DELETE FROM journals")

    async def lose_the_first() -> None:  # as the stream's own retention does
        async with broker.connected(site.url, "test") as (_client, stream):
            await stream.purge_stream(site.names.journals, keep=1)

    asyncio.run(lose_the_first())
    consumer, publisher = site.consumer(), site.publisher(journals_again=True)
    site.run(publisher, consumer, until=lambda: consumer.counts.journals >= 2)
    assert site.rows(FOUND) == [(1, 10, ""), (10, 20, "")]
    assert publisher.counts.journals == 2


def test_a_problem_is_an_alarm_until_the_next_whole_export(site: Site) -> None:
    now = time.time()
    site.keep(kept(1, 1, 10, now - 50), replace(kept(1, 1, 9, now - 40), problem="it shrinks"))
    site.carry(2, "journals")
    desk = Desk(site.database, RULES)
    with psycopg.connect(site.database, autocommit=True) as db:
        engine, places = desk.warm_up(db, now)
        places = desk.step(db, engine, places, now)
        assert [(alarm.device, alarm.text) for alarm in book.alarms(db)] == [(1, "it shrinks")]
        site.keep(kept(1, 10, 12, now - 30))
        site.carry(3, "journals")
        desk.step(db, engine, places, now)
        assert book.alarms(db) == []
        engine, places = desk.warm_up(db, now)  # a second start raises nothing of the past
        desk.step(db, engine, places, now)
        assert len(book.alarms(db, open_only=False)) == 1
