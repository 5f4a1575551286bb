"""What administrators do on a bad day, under running programs: the record goes on by itself once it is undone."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import psycopg
import pytest
from floor import servers
from one_floor import Site
from waits import LIMIT_S

from fairshoe_floor.alarms import book
from fairshoe_floor.alarms.desk import Desk, Restored
from fairshoe_floor.alarms.rules import load_rules
from fairshoe_floor.journals import journals_path
from fairshoe_floor.samples import samples_path
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.broker import Stream

COPIED = ("logs", "stream_places", "leases")
PROMOTE = "SELECT pg_promote() WHERE pg_is_in_recovery()"
MOVED = "SELECT MAX(moved) FROM parts WHERE name = 'publisher pit-1'"


def do(site: Site, *statements: str) -> None:
    with psycopg.connect(site.database) as db:
        for each in statements:
            db.execute(each.encode())


def has(site: Site, count: int) -> Callable[[], bool]:
    return lambda: site.count() >= count


def story(*steps: Callable[[], object]) -> Callable[[], bool]:
    """One step after the other; one that returns False is tried again."""
    left = list(steps)

    def go_on() -> bool:
        while left and left[0]() is not False:
            del left[0]
        return not left

    return go_on


def administer(site: Site, work: Callable[[Stream], Awaitable[object]]) -> None:
    async def main() -> None:
        async with broker.connected(site.nats.url, "test") as (_client, stream):
            await work(stream)

    thread = threading.Thread(target=lambda: asyncio.run(main()))  # this one has the loop of the programs
    thread.start()
    thread.join()


def test_tables_that_were_changed_by_hand_end_the_program_with_what_to_do(site: Site) -> None:
    do(site, "ALTER TABLE logs RENAME COLUMN gateway TO gone")
    site.record(1, 1, 1)
    publisher = site.publisher()
    site.run(publisher, until=lambda: publisher.counts.events == 1)
    where = ["--database", site.database, "--nats", site.url, "--stream", site.names.stream]
    command = [sys.executable, "-m", "fairshoe", "floor", "run", *where]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    assert done.returncode and "fairshoe floor migrate" in done.stderr and "Traceback" not in done.stderr


def test_a_database_that_is_no_primary_is_waited_for(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """After a failover the address leads to the standby before that is promoted."""
    site.record(1, 1, 5)
    signal = site.postgres.data / "standby.signal"

    def stand_by() -> None:
        site.postgres.kill()
        signal.touch()
        os.chown(signal, *(site.postgres.owner or (-1, -1)))
        site.postgres.start()

    steps = story(
        has(site, 5),
        stand_by,
        lambda: site.record(1, 6, 9),
        lambda: "it is no primary" in caplog.text,
        lambda: do(site, PROMOTE),
        has(site, 9),
    )
    try:
        site.run(site.publisher(), site.consumer(), until=steps)
    finally:
        do(site, PROMOTE)  # other tests use the server, too
    assert site.seqs(1) == list(range(1, 10))


def test_a_database_that_is_restored_under_a_running_program_gets_all_again(site: Site) -> None:
    """As `pg_restore --clean --single-transaction` does it: no connection ends. Shoe 2 has nothing new afterwards."""
    site.record(1, 1, 10)
    site.record(2, 1, 10)

    def dump() -> None:
        do(site, "CREATE TABLE on_file AS SELECT position FROM events")
        do(site, *(f"CREATE TABLE copy_{table} AS SELECT * FROM {table}" for table in COPIED))

    def restore() -> None:
        back = [f"TRUNCATE {table}; INSERT INTO {table} SELECT * FROM copy_{table}" for table in COPIED[1:]]
        ranges = "UPDATE logs SET ranges = copy_logs.ranges FROM copy_logs WHERE copy_logs.device = logs.device"
        do(site, "DELETE FROM events WHERE position NOT IN (SELECT position FROM on_file)", ranges, *back)

    later = [lambda: site.record(1, 11, 20), lambda: site.record(2, 11, 20), has(site, 40), restore]
    site.run(site.publisher(), site.consumer(), until=story(has(site, 20), dump, *later, has(site, 40)))
    assert sorted(site.seqs(1)) == sorted(site.seqs(2)) == list(range(1, 21))


@pytest.mark.parametrize("moment", range(3))
def test_a_running_floor_survives_a_restore_by_pg_restore(site: Site, tmp_path: Path, moment: int) -> None:
    """As docs/FLOOR.md has it, without ending the program: tables go and come back one by one, and events arrive
    meanwhile. Each moment is another time after the last event."""

    def tool(*words: str) -> None:
        folder = servers.postgres_folder()
        assert folder is not None
        done = subprocess.run([str(folder / words[0]), *words[1:]], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, ""), "the program wrote into tables that were being restored"

    where = ["--database", site.database, "--nats", site.url, "--stream", site.names.stream]
    command = [sys.executable, "-m", "fairshoe", "floor", "run", *where]
    with (tmp_path / "log").open("w") as log, subprocess.Popen(command, stderr=log) as run:
        try:
            site.record(1, 1, 10)
            site.run(site.publisher(), until=has(site, 10))
            tool("pg_dump", "--format=custom", "--file=floor.dump", site.database)
            site.record(1, 11, 20)
            site.run(site.publisher(), until=has(site, 20))
            time.sleep(0.4 * moment)
            tool("psql", "-q", site.database, "-c", "DROP TABLE events")
            tool("pg_restore", "--clean", "--if-exists", f"--dbname={site.database}", "floor.dump")
            site.record(1, 21, 30)
            site.run(site.publisher(), until=lambda: run.poll() is not None or has(site, 30)())
            assert run.poll() is None, (tmp_path / "log").read_text()
        finally:
            run.terminate()
    assert run.returncode == 0, (tmp_path / "log").read_text()
    assert site.seqs(1) == list(range(1, 31))


def test_subscriptions_that_were_deleted_at_the_broker_are_made_again(site: Site) -> None:
    async def delete(stream: Stream) -> None:
        for each in await stream.consumers_info(site.names.latest):
            await stream.delete_consumer(site.names.latest, each.name)

    def note() -> bool:
        now = site.rows(MOVED)[0][0]
        if now not in seen:
            seen.append(now)
        return len(seen) >= 3  # one sign may have been on its way already

    site.record(1, 1, 3)
    seen: list[object] = []
    heard = story(has(site, 3), lambda: site.rows(MOVED)[0][0] is not None)
    steps = story(heard, lambda: administer(site, delete), note)
    site.run(site.publisher(), site.consumer(), until=steps)
    assert len(seen) >= 3


def test_a_desk_notices_a_database_that_was_restored(site: Site) -> None:
    site.record(1, 1, 10)
    site.run(site.publisher(), site.consumer(), until=has(site, 10))
    with psycopg.connect(site.database, autocommit=True) as db:
        it = Desk(site.database, load_rules())
        engine, places = it.warm_up(db, 10.0)
        places = it.step(db, engine, places, 10.0)
        db.execute("DELETE FROM events WHERE seq > 5")
        with pytest.raises(Restored):
            it.step(db, engine, places, 10.0)
        it.step(db, *it.warm_up(db, 10.0), 10.0)


@pytest.mark.parametrize("rule", ["shoe-silent", "dropped from the rules"])
def test_every_alarm_on_file_ends_after_a_restart(site: Site, rule: str) -> None:
    """After a power cut of the whole house, more shoes are silent than a page of alarms has."""
    with psycopg.connect(site.database, autocommit=True) as db:
        db.execute(
            "INSERT INTO alarms (rule, severity, device, text, raised_at)"
            " SELECT %s, 'major', device, 'silent', device FROM generate_series(1, 1100) AS device",
            (rule,),
        )
        it = Desk(site.database, load_rules())
        it.step(db, *it.warm_up(db, 2000.0), 2000.0)
        assert book.alarms(db) == []


def test_a_defect_of_the_desk_does_not_end_the_record(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    do(site, "INSERT INTO samples (device, at, gateway, sample) VALUES (1, extract(epoch FROM now()), 'pit-1', '{}')")
    do(site, "INSERT INTO logs (device, log, began, gateway) VALUES (1, '1', 1, 'pit-1')")

    async def work() -> None:
        it = Desk(site.database, load_rules())
        task = asyncio.create_task(it.run())
        end = time.monotonic() + LIMIT_S
        while "a defect of this program" not in caplog.text:
            assert time.monotonic() < end and not task.done()
            await asyncio.sleep(0.05)
        assert it.pulse.age_s is None
        do(site, "DELETE FROM samples")
        while it.pulse.age_s is None:
            assert time.monotonic() < end and not task.done()
            await asyncio.sleep(0.05)
        it.stop()
        await task

    asyncio.run(work())


@pytest.mark.parametrize("path_of", [samples_path, journals_path])
def test_a_file_beside_the_store_that_is_damaged_does_not_stop_events(
    site: Site, path_of: Callable[[Path], Path]
) -> None:
    path_of(site.store.path).write_bytes(b"no database" * 1000)
    site.record(1, 1, 5)
    trouble = "SELECT value FROM parts WHERE name = 'trouble publisher pit-1' AND value LIKE 'cannot use %'"
    site.run(site.publisher(), site.consumer(), until=story(has(site, 5), lambda: bool(site.rows(trouble))))
    assert site.seqs(1) == [1, 2, 3, 4, 5]
