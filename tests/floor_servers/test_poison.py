"""Poison on every subject, with a real broker and PostgreSQL: it becomes dead letters, and the record goes on."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import psycopg
import pytest
from one_floor import Site, identity, kept

from fairshoe.cli.command_line import main
from fairshoe_floor.alarms import book
from fairshoe_floor.alarms.desk import Desk
from fairshoe_floor.alarms.rules import load_rules
from fairshoe_floor.history import writer
from fairshoe_floor.samples import Link, Sample, sample_to_json
from fairshoe_floor.schema_check import TEXT_MAX
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.event_lines import EventRow, to_lines
from fairshoe_floor.stream.export_message import to_message

DEVICE = 7
ROW = EventRow(DEVICE, identity(DEVICE), 1, 256, "booted", 1, 1.0, 0, 0, 0, '{"firmware":"0.9"}', b"", 5.0, "pit-9")
# What is put in place of a number and of a text, in one message of each kind.
NUMBERS = {"infinity": "Infinity", "nan": "NaN", "2^70": str(1 << 70), "5000 digits": "9" * 5000, "a text": '"1"'}
TEXTS = {"nul": '"a\\u0000b"', "surrogate": '"\\ud800"', "escape": '"\\u001b[2J"', "long": f'"{"x" * (TEXT_MAX + 1)}"'}
WHOLE = {
    "nested": b"[" * 100_000,
    "no utf-8": b'{"a":"\xff"}',
    "empty": b"",
    "a list": b"[]",
    "utf-16": "{}".encode("utf-16"),
}


def poisons(message: bytes, number: bytes, text: bytes) -> dict[str, bytes]:
    """The message with each poison in place of this number and this text."""
    assert message.count(number) == message.count(text) == 1
    name = {old: old[: old.index(b":") + 1] for old in (number, text)}
    found = {word: message.replace(number, name[number] + bad.encode()) for word, bad in NUMBERS.items()}
    found |= {word: message.replace(text, name[text] + bad.encode()) for word, bad in TEXTS.items()}
    return found | {"nested field": message.replace(text, name[text] + b"[" * 60 + b"]" * 60)} | WHOLE


def sample_message() -> bytes:
    sample = json.loads(sample_to_json(Sample(DEVICE, 5.0, Link.OPEN, firmware="0.9", seq=77)))
    return json.dumps({"gateway": "pit-9", "sample": sample}).encode()


EVENTS = poisons(to_lines([ROW]), b'"seq":1', b'"firmware":"0.9"')
EXPORTS = poisons(to_message(kept(DEVICE, 1, 9, 5.5), "pit-9"), b'"kept_at": 5.5', b'"problem": ""')
SAMPLES = poisons(sample_message(), b'"seq": 77', b'"firmware": "0.9"')


def publish(site: Site, *messages: tuple[str, bytes]) -> None:
    async def work() -> None:
        async with broker.connected(site.nats.url, "test") as (_client, stream):
            await broker.ensure_streams(stream, site.names)
            for subject, data in messages:
                await stream.publish(subject, data)

    asyncio.run(work())


def call(site: Site, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    status = main(["floor", "dead-letters", *words, "--database", site.database])
    return status, capsys.readouterr().out


def test_no_poison_stops_the_record_of_the_others(site: Site) -> None:
    """Each before a good event, a good export and a good sample, which must arrive."""
    names = site.names
    publish(
        site,
        *((names.events(DEVICE, identity(DEVICE)), data) for data in EVENTS.values()),
        *((names.refill(DEVICE, identity(DEVICE)), data) for data in EVENTS.values()),
        *((names.exports("pit-9"), data) for data in EXPORTS.values()),
        (names.exports("pit-9"), to_message(kept(DEVICE, 1, 9, 6.5), "pit-9")),
    )
    site.record(1, 1, 3)
    publisher, consumer = site.publisher(), site.consumer()
    site.run(publisher, consumer, until=lambda: consumer.counts.new >= 3 and consumer.counts.journals >= 1)
    letters = site.rows("SELECT subject, data, reason, device FROM dead_letters")
    assert len(letters) == 2 * len(EVENTS) + len(EXPORTS)
    assert {bytes(data) for _subject, data, _reason, _device in letters} == {*EVENTS.values(), *EXPORTS.values()}
    assert all(reason for _subject, _data, reason, _device in letters)
    assert site.rows("SELECT kept_at FROM journals") == [(6.5,)]


def test_a_poisoned_sample_is_one_letter_and_the_next_sample_is_taken(site: Site) -> None:
    subjects = [site.names.samples(100 + number) for number in range(len(SAMPLES))]
    publish(site, *zip(subjects, SAMPLES.values(), strict=True), (site.names.samples(DEVICE), sample_message()))
    site.run(site.consumer(), until=lambda: site.count("samples") > 0)
    site.run(site.consumer(), until=lambda: site.count("dead_letters") == len(SAMPLES))
    assert site.rows("SELECT device FROM samples") == [(DEVICE,)]


def test_an_event_of_another_device_than_its_subject_is_refused(site: Site) -> None:
    """The broker's accounts hold a gateway to its own subjects; so the subject decides whose event it may be."""
    publish(site, (site.names.events(8, identity(8)), to_lines([ROW])))
    consumer = site.consumer()
    site.run(consumer, until=lambda: consumer.counts.transactions >= 1)
    assert site.rows("SELECT device, reason FROM dead_letters") == [
        (8, "it is of another device or log than its subject")
    ]


def test_a_dead_letter_is_an_alarm_shown_and_taken_again(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = to_lines([ROW]), EVENTS["nul"]
    publish(site, (site.names.events(DEVICE, identity(DEVICE)), bad + b"\n" + to_lines([replace(ROW, seq=2)])))
    consumer = site.consumer()
    site.run(consumer, until=lambda: consumer.counts.new == 1)  # the other event of the same message
    with psycopg.connect(site.database, autocommit=True) as db:
        desk = Desk(site.database, load_rules())
        engine, places = desk.warm_up(db, 10.0)
        places = desk.step(db, engine, places, 10.0)
        (alarm,) = book.alarms(db)
        assert (alarm.rule, alarm.device, alarm.severity) == ("dead-letters", DEVICE, "critical")
        assert "U+0000" in alarm.text and "fairshoe floor dead-letters" in alarm.text
        status, said = call(site, capsys)
        assert status == 0 and "U+0000" in said and "\0" not in said
        assert bytes.fromhex(json.loads(call(site, capsys, "show", "1", "--json")[1])["data"]) == bad
        assert call(site, capsys, "retry", "1") == (
            1,
            "    1  still refused: fields: a text has the character U+0000\n",
        )
        db.execute("UPDATE dead_letters SET data = %s", (good,))  # as a version that can take it would read it
        assert call(site, capsys, "retry", "all") == (0, "    1  taken: 1 new events, 0 that were there already\n")
        assert site.seqs(DEVICE) == [2, 1] and call(site, capsys)[1] == ""
        assert "taken: 1 new" in call(site, capsys, "--all")[1]
        desk.step(db, engine, places, 20.0)
        assert book.alarms(db) == []


def test_what_only_postgresql_refuses_is_found_by_halves(site: Site) -> None:
    """The check is not perfect for ever: a batch that PostgreSQL refuses is halved until one event is left."""
    site.record(1, 1, 40)
    with psycopg.connect(site.database) as db:
        db.execute("ALTER TABLE events ADD CONSTRAINT odd CHECK (seq NOT IN (7, 30))")
    publisher, consumer = site.publisher(), site.consumer()
    site.run(publisher, consumer, until=lambda: consumer.counts.new >= 38)
    assert site.seqs(1) == [seq for seq in range(1, 41) if seq not in (7, 30)]
    assert consumer.counts.dead_letters >= 2 and consumer.counts.conflicts == 0
    rows = site.rows("SELECT reason, data FROM dead_letters ORDER BY id")
    assert [json.loads(bytes(data))["seq"] for _reason, data in rows] == [7, 30] and "odd" in rows[0][0]
    assert site.rows("SELECT ranges::text FROM logs") == [("{[1,7),[8,30),[31,41)}",)]


def test_an_error_that_is_neither_data_nor_a_lost_connection_is_not_retried(site: Site) -> None:
    site.record(1, 1, 1)
    publisher, consumer = site.publisher(), site.consumer()
    site.run(publisher, consumer, until=lambda: consumer.counts.new == 1)
    with psycopg.connect(site.database) as db:
        db.execute("ALTER TABLE logs DROP COLUMN gateway")
    site.record(1, 2, 2)
    with pytest.raises(psycopg.errors.UndefinedColumn):
        site.run(site.publisher(), site.consumer(), until=lambda: False)


def test_a_sqlstate_decides_what_is_refused() -> None:
    assert writer.refuses(psycopg.errors.UntranslatableCharacter())
    assert writer.refuses(psycopg.errors.CheckViolation())
    assert not writer.refuses(psycopg.errors.DiskFull()) and not writer.refuses(psycopg.OperationalError())
