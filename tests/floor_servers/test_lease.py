"""No silent cut lasts: a lease that ends, a writer that was stopped past it, a desk that hangs up, a watchdog."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
from floor.proxy import Mode, Proxy
from one_floor import Site
from waits import LIMIT_S

from fairshoe_floor import database
from fairshoe_floor.alarms import book, desk
from fairshoe_floor.alarms.desk import Desk
from fairshoe_floor.alarms.rules import load_rules
from fairshoe_floor.history.central_reader import CentralReader
from fairshoe_floor.history.lease import Lease

PROGRAM = """
import asyncio, sys
from fairshoe_floor.history.consumer import Consumer
from fairshoe_floor.stream.names import Names
asyncio.run(Consumer(sys.argv[1], sys.argv[2], Names(sys.argv[3]), idle_s=0.05, lease_s=1.0).run())
"""
WHO = """
CREATE TABLE who (seq bigint, program text);
CREATE FUNCTION note() RETURNS trigger AS $$ BEGIN
    INSERT INTO who VALUES (NEW.seq, current_setting('application_name')); RETURN NEW; END $$ LANGUAGE plpgsql;
CREATE TRIGGER who AFTER INSERT ON events FOR EACH ROW EXECUTE FUNCTION note();
"""


def test_a_holder_that_was_stopped_past_its_lease_writes_nothing_when_it_goes_on(site: Site) -> None:
    """Stopped in the middle of its work, three times; each time the standby takes over and the stopped one goes on."""
    with psycopg.connect(site.database) as db:
        db.execute(WHO)
    recorded = 0

    def more(count: int) -> None:
        nonlocal recorded
        site.record(1, recorded + 1, recorded + count)
        recorded += count

    def publish(count: int) -> None:
        more(count)
        publisher = site.publisher()
        site.run(publisher, until=lambda: publisher.counts.events >= count)

    def wait(done: str, value: int) -> None:
        end = time.monotonic() + LIMIT_S
        while site.rows(done)[0][0] < value:
            assert time.monotonic() < end, done
            time.sleep(0.02)

    names = ("a", "b")
    running = {
        name: subprocess.Popen(
            [sys.executable, "-c", PROGRAM, f"{site.database}?application_name={name}", site.url, site.names.stream]
        )
        for name in names
    }
    try:
        publish(20)
        wait("SELECT COUNT(*) FROM who", 20)
        for _turn in range(3):
            holder = site.rows("SELECT program FROM who ORDER BY seq DESC LIMIT 1")[0][0]
            (number,) = site.rows("SELECT number FROM leases")[0]
            running[holder].send_signal(signal.SIGSTOP)
            publish(200)
            wait("SELECT COUNT(*) FROM who", recorded)
            assert site.rows("SELECT number FROM leases")[0][0] > number
            before = recorded
            running[holder].send_signal(signal.SIGCONT)
            publish(200)
            wait("SELECT COUNT(*) FROM who", recorded)
            assert site.rows(f"SELECT DISTINCT program FROM who WHERE seq > {before}") == [
                (next(name for name in names if name != holder),)
            ]
    finally:
        for process in running.values():
            process.kill()
            process.wait()
    assert site.seqs(1) == list(range(1, recorded + 1))


def test_a_program_that_ends_between_a_commit_and_its_answer_gives_its_lease_back(site: Site) -> None:
    async def work() -> None:
        async with await psycopg.AsyncConnection.connect(site.database, autocommit=True) as db:
            first, second = Lease(), Lease()
            assert await first.take(db) and not await second.take(db)
            await first.renew(db)  # committed, but the program ends before `keep`
            await first.release(db)
            assert await second.take(db)
            await first.release(db)
            assert not await Lease().take(db), "it gives back its own lease, and no other"

    asyncio.run(work())


def test_a_desk_recovers_from_a_silent_cut_and_ends_while_it_waits(site: Site) -> None:
    """The proxy holds everything back, as a frozen server or a cut without a reset does."""
    proxy = Proxy(site.postgres.port)
    url = site.database.replace(str(site.postgres.port), str(proxy.port))

    def moved() -> int:
        rows = site.rows("SELECT value::bigint FROM parts WHERE name = 'desk'")
        return int(rows[0][0]) if rows else 0

    async def until(value: int) -> None:
        end = time.monotonic() + LIMIT_S
        while await asyncio.to_thread(moved) < value:
            assert time.monotonic() < end
            await asyncio.sleep(0.05)

    async def work() -> None:
        it = Desk(url, load_rules())
        task = asyncio.create_task(it.run())
        await until(1)
        proxy.set(Mode.HOLD)
        await asyncio.sleep(1.5)
        seen = moved()
        proxy.set(Mode.PASS)
        await until(seen + 2)
        proxy.set(Mode.HOLD)
        await asyncio.sleep(1.0)
        it.stop()
        task.cancel()
        await asyncio.wait([task], timeout=LIMIT_S)
        assert task.done()

    patient, desk.STEP_S = desk.STEP_S, 0.5
    try:
        began = time.monotonic()
        asyncio.run(work())  # returns once no thread waits any more
        assert time.monotonic() - began < LIMIT_S
    finally:
        desk.STEP_S = patient
        proxy.close()


def test_a_part_that_does_not_move_is_an_alarm_of_another_process(site: Site, tmp_path: Path) -> None:
    site.record(1, 1, 1)
    publisher, consumer = site.publisher(), site.consumer()
    names = "SELECT name FROM parts WHERE name NOT LIKE 'trouble %' ORDER BY name"
    wanted = [("consumer",), ("gateway pit-1",), ("publisher pit-1",)]
    site.run(consumer, publisher, until=lambda: site.rows(names) == wanted)
    with psycopg.connect(site.database, autocommit=True) as db:
        it = Desk(site.database, load_rules())
        engine, places = it.warm_up(db, 10.0)
        places = it.step(db, engine, places, 10.0)
        assert book.alarms(db) == []
        db.execute("UPDATE parts SET moved = now() - interval '61 seconds' WHERE name <> 'gateway pit-1'")
        places = it.step(db, engine, places, 10.0)
        held = {(alarm.rule, alarm.part) for alarm in book.alarms(db)}
        assert held == {("standing-still", "consumer"), ("standing-still", "publisher pit-1")}
        db.execute("UPDATE parts SET moved = now() - interval '61 seconds' WHERE name = 'desk'")
        reader = CentralReader(site.database, [])
        assert [alarm.text.split()[1] for alarm in reader.standing_still()] == ["consumer", "desk"]
        assert len(reader.alarms()) == 4  # and those that the desk has raised
        reader.close()
        db.execute("UPDATE parts SET moved = now()")
        it.step(db, engine, places, 10.0)
        assert book.alarms(db) == []


def test_every_connection_has_its_limits(site: Site) -> None:
    with psycopg.connect(site.database, **database.settings(read_only=True)) as db:
        said = {
            name: db.execute(f"SHOW {name}".encode()).fetchall()[0][0]
            for name in (
                "statement_timeout",
                "idle_in_transaction_session_timeout",
                "tcp_user_timeout",
                "tcp_keepalives_idle",
                "default_transaction_read_only",
            )
        }
        assert list(said.values()) == ["30s", "10s", "20000", "10", "on"]
        assert db.info.get_parameters()["tcp_user_timeout"] == "20000"
