"""The broker's disk is really full: nothing is lost, the state is an alarm with its cure, and the cure works."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Generator
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from floor import servers
from one_floor import Site

from fairshoe_floor.alarms.rules import Rule, RuleBook
from fairshoe_floor.history import consumer as consumer_module
from fairshoe_floor.stream import broker
from fairshoe_floor.stream import publisher as publisher_module
from fairshoe_floor.stream.health import health, restart_due

RULES = RuleBook((Rule("broker", "broker", "critical"),))


@contextlib.contextmanager
def on_a_small_disk(site: Site, folder: Path, settings: str) -> Generator[tuple[Site, servers.Disk]]:
    if not servers.Disk.possible():
        pytest.skip("NOT TRIED: a full disk needs root, to mount a small one")
    nats = servers.Nats(folder, settings, disk_mb=24)
    assert nats.disk is not None
    try:
        nats.start()
        yield replace(site, nats=nats, url=nats.url), nats.disk
    finally:
        nats.close()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(broker, "ANSWER_S", 0.5)
    for module in (consumer_module, publisher_module):
        monkeypatch.setattr(module, "BEAT_S", 0.5)


def alarms(site: Site) -> list[str]:
    with psycopg.connect(site.database, autocommit=True) as db:
        return [alarm.text for alarm in site.judge(db, RULES, time.time())]


def test_a_disk_that_was_full_is_an_alarm_and_a_restart_is_its_cure(site: Site, tmp_path: Path) -> None:
    (tmp_path / "nats").mkdir()
    with on_a_small_disk(site, tmp_path / "nats", "") as (small, disk):
        small.record(1, 1, 30)
        small.carry(30)
        disk.fill()
        small.record(1, 31, 60)
        publisher, consumer = small.publisher(), small.consumer()
        said = "the broker answers, and stores nothing in"

        def alarmed() -> bool:
            return any(text.startswith(f"consumer: {said}") for text in alarms(small))

        small.run(publisher, consumer, until=alarmed)
        assert small.count() == 30 and "no space left" in health(small.nats.health_url)
        assert not restart_due(small.nats.health_url, small.nats.data, 1)
        disk.free()
        assert restart_due(small.nats.health_url, small.nats.data, 1)
        small.nats.kill()
        small.nats.start()
        assert health(small.nats.health_url) == ""
        small.run(
            publisher_again := small.publisher(),
            small.consumer(),
            until=lambda: small.count() == 60 and not alarms(small),
        )
        assert publisher_again.counts.gaps == 0 and small.seqs(1) == list(range(1, 61))


def test_a_broker_at_its_own_limit_refuses_and_goes_on_without_a_restart(site: Site, tmp_path: Path) -> None:
    (tmp_path / "nats").mkdir()
    with on_a_small_disk(site, tmp_path / "nats", "max_file_store: 64KB") as (small, _disk):
        small.record(1, 1, 2000)
        publisher, consumer = small.publisher(), small.consumer()
        small.run(publisher, consumer, until=lambda: any("max_file_store" in text for text in alarms(small)))
        before = small.count()
        assert 0 < before < 2000 and health(small.nats.health_url) == ""

        async def age() -> None:
            async with broker.connected(small.url, "test") as (_client, stream):
                await stream.purge_stream(small.names.stream, keep=1)

        while small.count() < 2000:
            asyncio.run(age())
            goal = small.count()
            small.run(small.publisher(), small.consumer(), until=lambda goal=goal: small.count() > goal)
        assert small.seqs(1) == list(range(1, 2001))
