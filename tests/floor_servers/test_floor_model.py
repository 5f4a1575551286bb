"""Runs of real publishers and consumers at real servers, held against the model of the promises (tools/model)."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest
from model.floor_replay import CHANGES, rejected, replay_floor
from model.floor_run import FloorTrace, recording_floor
from one_floor import Site, identity
from test_stream import lose_an_answer

KEY = f"{1:08x}.{identity(1).hex()}"


def passed(site: Site) -> int:
    with closing(sqlite3.connect(site.store.path)) as db:
        found = db.execute("SELECT seq FROM cursor_places WHERE name = 'floor'").fetchone()
    return int(found[0]) if found else 0


def carry(site: Site, last: int) -> None:
    """New programs, one consumer of them waiting for the lease, until the record has everything and the store knows."""
    publisher = site.publisher(hole_s=0.3)
    site.run(publisher, site.consumer(), site.consumer(), until=lambda: passed(site) == last)


def backup(source: Path, target: Path) -> None:
    with closing(sqlite3.connect(source)) as old, closing(sqlite3.connect(target)) as new:
        old.backup(new)


def copy_database(site: Site, source: str, target: str) -> None:
    with psycopg.connect(site.postgres.url, autocommit=True) as db:
        db.execute(f"DROP DATABASE IF EXISTS {target} WITH (FORCE)".encode())
        db.execute(f"CREATE DATABASE {target} TEMPLATE {source}".encode())


def batches(site: Site, _trace: FloorTrace) -> None:
    """140 events are two messages; then all programs start again."""
    site.record(1, 1, 140)
    carry(site, 140)
    site.record(1, 141, 145)
    carry(site, 145)


def lost_answer(site: Site, trace: FloorTrace) -> None:
    lose_an_answer(site)
    carry(site, 8)
    assert "unsure" in {step[0] for step in trace.steps}


def restored_store(site: Site, trace: FloorTrace) -> None:
    """What the copy lacks is declared a gap, but for what the record has."""
    site.record(1, 1, 5)
    carry(site, 5)
    backup(site.store.path, site.store.path.with_name("copy.db"))
    site.record(1, 6, 8)
    carry(site, 8)
    site.record(1, 9, 10)
    trace.recorded(KEY, 10)
    backup(site.store.path.with_name("copy.db"), site.store.path)
    trace.restored(KEY, 5, passed(site))
    site.record(1, 11, 13)
    carry(site, 13)
    assert site.rows("SELECT first, last FROM gaps") == [(9, 10)]


def restored_database(site: Site, trace: FloorTrace) -> None:
    """It reads the stream again from the place that it has."""
    name = site.database.rpartition("/")[2]
    site.record(1, 1, 5)
    carry(site, 5)
    copy_database(site, name, f"{name}_copy")
    trace.server("database_copied")
    site.record(1, 6, 8)
    carry(site, 8)
    copy_database(site, f"{name}_copy", name)
    trace.server("database_restored")
    site.record(1, 9, 9)
    carry(site, 9)
    assert site.seqs(1) == list(range(1, 10))


def restored_broker(site: Site, trace: FloorTrace) -> None:
    """It gets again what it lost, and the consumer reads all of its stream again."""
    site.record(1, 1, 3)
    carry(site, 3)
    site.nats.snapshot("copy")
    trace.server("broker_copied")
    site.record(1, 4, 9)
    carry(site, 9)
    site.nats.kill()
    site.nats.restore("copy")
    site.nats.start()
    trace.server("broker_restored")
    site.record(1, 10, 12)
    carry(site, 12)
    site.record(1, 13, 13)
    carry(site, 13)  # by a third consumer since: neither the first nor the last one of the run said the one before
    assert site.seqs(1) == list(range(1, 14))


STORIES = (batches, lost_answer, restored_store, restored_database, restored_broker)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.__name__)
def test_a_floor_takes_allowed_steps_and_changed_runs_are_rejected(
    site: Site, story: Callable[[Site, FloorTrace], None]
) -> None:
    with recording_floor() as trace:
        story(site, trace)
    assert replay_floor(trace.steps) is None
    assert rejected(trace.steps, lambda steps, _key: replay_floor(steps)) == dict.fromkeys(CHANGES, True)
