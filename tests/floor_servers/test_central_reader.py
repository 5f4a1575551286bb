"""The reader over PostgreSQL answers what the reader of the gateway answers, and serves the same API."""

from __future__ import annotations

import asyncio
import json
import random
import shutil
import time
import urllib.error
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from one_floor import Site, identity

from fairshoe import Shoe, Store
from fairshoe.messages import Health, LinkCounters, Meters, RoundEnded, Status, WarningLatched
from fairshoe_floor.alarms.rules import RuleBook
from fairshoe_floor.api.server import Binding
from fairshoe_floor.api.tokens import new_token
from fairshoe_floor.gateway.live import Live
from fairshoe_floor.gateway.local_reader import LocalReader
from fairshoe_floor.gateway.pit_alarms import PitAlarms
from fairshoe_floor.history.central_reader import _SHOES, CentralReader  # pyright: ignore[reportPrivateUsage]
from fairshoe_floor.history.schema import DatabaseError
from fairshoe_floor.history.serve import CentralServer
from fairshoe_floor.history.writer import Writer
from fairshoe_floor.inventory import Entry, Inventory, InventoryError, Profile
from fairshoe_floor.reader import Alarm, Link
from fairshoe_floor.samples import SampleFile, samples_path
from fairshoe_floor.stream.event_lines import EventRow

DEVICE = 0x510003
URL = "sim://pico-carousel?seed=3&game=caribbean-stud&dealer=auto&mode=report_only&faults=jam:exit:90"
ENTRY = Entry(DEVICE, "CS-03", "1", URL, None, Profile.TABLE, "letter 7")
SILENT = Entry(7, "CS-07", "2", "tcp://127.0.0.1:7")


def play(store: Store) -> tuple[int, list[object]]:
    """The real firmware deals until a round has ended and a card jams; its events, and messages beside them."""
    others: list[object] = []
    seen: set[type] = set()
    with Shoe.open(URL, store=store) as shoe:
        for message in shoe.messages():
            seen.add(type(message))
            if isinstance(message, (Status, Meters, Health, LinkCounters)):
                others.append(message)
            if isinstance(message, WarningLatched) and Meters in seen:
                break
        assert shoe.welcome is not None
        return shoe.welcome.device, others


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with the story in it."""
    path = tmp_path_factory.mktemp("played") / "pit-1.db"
    with Store(path) as store:
        device, others = play(store)
        assert device == DEVICE
        inventory = Inventory("pit-1", path, None, (ENTRY, SILENT))
        live = Live(inventory, lambda number: log.identity if (log := store.newest_log(number)) else b"")
        live.restore({}, lambda number, log, after: store.events(number, after, log=log), lambda _device, _log: 0)
        shoe = live.shoe(DEVICE)
        assert shoe is not None
        for message in others:
            shoe.take_message(message, time.time())  # pyright: ignore[reportArgumentType]
        samples = SampleFile(samples_path(path))
        now = time.time()
        samples.add([replace(shoe.sample, at=now - 60 + age, link=Link.OPEN) for age in range(0, 60, 10)])
        samples.close()
    return path


@pytest.fixture
def played(story: Path, tmp_path: Path) -> Path:
    """A copy of the store for each test: a publisher writes its cursor there."""
    return Path(shutil.copytree(story.parent, tmp_path / "played")) / story.name


@contextmanager
def both_readers(site: Site, played: Path) -> Generator[tuple[LocalReader, CentralReader]]:
    inventory = Inventory("pit-1", played, None, (ENTRY, SILENT))
    with Store(played) as store:
        total = sum(1 for _ in store.events())
        publisher, consumer = site.publisher(store), site.consumer()
        site.run(publisher, consumer, until=lambda: consumer.counts.new >= total and site.count("samples") >= 1)
        samples = SampleFile(samples_path(played))
        with psycopg.connect(site.database) as db:  # only the newest travels; a gateway that runs has sent all
            for sample in reversed(samples.of(DEVICE, 0.0, 99)):  # each before those on file
                db.execute(
                    "INSERT INTO samples OVERRIDING SYSTEM VALUE SELECT %s, %s, gateway,"
                    " jsonb_set(sample, '{at}', to_jsonb(%s::float8)), (SELECT MIN(id) - 1 FROM samples)"
                    " FROM samples LIMIT 1 ON CONFLICT DO NOTHING",
                    (DEVICE, sample.at, sample.at),
                )
        live = Live(inventory, lambda number: log.identity if (log := store.newest_log(number)) else b"")
        live.restore(samples.newest(), lambda number, log, after: store.events(number, after, log=log), samples.counted)
        local = LocalReader(live, store, samples, PitAlarms(live, RuleBook(()), played.parent))
        central = CentralReader(site.database, [inventory])
        try:
            yield local, central
        finally:
            local.close()
            central.close()
            samples.close()


def test_both_readers_answer_the_same(site: Site, played: Path) -> None:
    with both_readers(site, played) as (local, central):
        events = central.events(DEVICE, None, 0)
        assert events == local.events(DEVICE, None, 0) and len(events) > 20
        assert any(isinstance(it.event, RoundEnded) for it in events)
        assert central.events(DEVICE, None, 5, 3) == local.events(DEVICE, None, 5, 3) == events[5:8]
        assert central.logs(DEVICE) == local.logs(DEVICE) != []
        rounds = central.rounds(DEVICE)
        assert rounds == local.rounds(DEVICE) and len(rounds) > 1
        place = (rounds[0].log, rounds[0].seq_first)
        assert central.rounds(DEVICE, place, 1) == local.rounds(DEVICE, place, 1) == rounds[1:2]
        assert central.rounds(DEVICE, (b"another log", 9)) == []
        assert central.shoes()[0].warning == local.shoes()[0].warning is not None
        assert central.meters(DEVICE) == local.meters(DEVICE) and len(central.meters(DEVICE)) == 6
        assert [it.at for it in central.meters(DEVICE, 0.0, 3)] == [it.at for it in local.meters(DEVICE, 0.0, 3)]
        mine, theirs = central.shoe(DEVICE), local.shoe(DEVICE)
        assert mine is not None and theirs is not None and mine.sample is not None and theirs.sample is not None
        assert replace(mine, sample=theirs.sample, fresh_s=theirs.fresh_s) == theirs
        assert replace(mine.sample, link=Link.UNKNOWN, since=theirs.sample.since) == theirs.sample
        silent = central.shoe(SILENT.device)
        assert silent is not None and (silent.sample, silent.seq, silent.warning) == (None, 0, None)
        assert central.shoe(99) is None
        begun = rounds[0].seq_first  # it stopped in the middle of this round
        assert (mine.sample.round_seq, mine.quiet_seq) == (begun, begun - 1)
        assert mine.sample.before is not None and mine.sample.before.seq == begun - 1
        assert central.alarms() == []
        with psycopg.connect(site.database) as db:
            db.execute(
                "INSERT INTO alarms (rule, severity, device, text, raised_at, acknowledged_by, cleared_at) VALUES"
                " ('feed', 'minor', %s, 'slow', 5, 'Ines', NULL), ('deck', 'major', %s, 'two', 6, NULL, NULL),"
                " ('feed', 'minor', %s, 'slow', 4, NULL, 9),"
                " ('feed', 'minor', 99, 'of no inventory', 5, NULL, NULL)",
                (DEVICE, DEVICE, DEVICE),
            )
        deck = Alarm(DEVICE, "deck", "major", "two", 6.0, None, 2)
        assert central.alarms() == [deck, Alarm(DEVICE, "feed", "minor", "slow", 5.0, "Ines", 1)]
        version = central.version()
        with psycopg.connect(site.database) as db:
            db.execute("INSERT INTO samples SELECT device, at - 100, gateway, sample FROM samples LIMIT 1")
        assert central.version() > version


LOOKED_UP = """
SELECT (array_agg(received ORDER BY seq DESC))[1],
    COALESCE(MAX(seq) FILTER (WHERE name = 'round_started'), 0),
    COALESCE(MAX(seq) FILTER (WHERE name IN ('round_ended', 'round_voided')), 0),
    COALESCE(MAX(seq) FILTER (WHERE round = 0 OR name IN ('round_ended', 'round_voided')), 0),
    COALESCE(MAX(seq) FILTER (WHERE name = 'warning_cleared'), 0),
    COALESCE(MAX(seq) FILTER (WHERE name = 'warning_latched'), 0),
    COALESCE((array_agg(received ORDER BY seq DESC) FILTER (WHERE name = 'warning_latched'))[1], 0),
    COALESCE((array_agg(fields->>'warning' ORDER BY seq DESC) FILTER (WHERE name = 'warning_latched'))[1], '')
    FROM events
"""


@pytest.mark.drawn
def test_the_newest_facts_of_a_log_are_those_of_its_events_in_whatever_order_they_come(site: Site) -> None:
    """Refills are late, clocks are set back, some events come twice: the row of a log has what a look at all its events
    finds."""
    seed = random.getrandbits(32)
    dice = random.Random(seed)
    names = ("round_started", "round_ended", "round_voided", "warning_latched", "warning_cleared", "door_opened")
    rows = [
        EventRow(
            *(1, b"\1", seq, 1, dice.choice(names), 1, 0.0, 0, dice.choice((0, 7)), 0),
            *(json.dumps({"warning": f"fault_{seq}"}), b"", dice.uniform(1, 1e6), "pit-1"),
        )
        for seq in range(1, 41)
    ]
    facts = "SELECT received, started, over, outside, cleared, latched, latched_at, warning FROM logs"

    async def rows_of(db: psycopg.AsyncConnection[Any], query: str) -> list[Any]:
        return await (await db.execute(query.encode())).fetchall()

    async def work() -> None:
        async with await psycopg.AsyncConnection.connect(site.database, autocommit=True) as db:
            for _batch in range(12):
                await Writer(db).store(dice.sample(rows, dice.randrange(1, 12)), "s", None)
                assert await rows_of(db, facts) == await rows_of(db, LOOKED_UP), f"random.Random({seed})"

    asyncio.run(work())


def test_what_is_known_of_a_shoe_now_is_found_without_looking_at_its_events(site: Site) -> None:
    with psycopg.connect(site.database, autocommit=True) as db:
        db.execute("INSERT INTO logs (device, log, began, gateway) VALUES (1, '\\x01', 0, 'p')")
        plan = db.execute(f"EXPLAIN {_SHOES}".encode(), ([1],)).fetchall()
    assert any("on logs" in row[0] for row in plan) and not any("events" in row[0] for row in plan)


def test_the_api_is_served_from_the_central_record(site: Site, played: Path) -> None:
    token, grant = new_token("test", ["table", "metrics"])

    def get(url: str) -> tuple[int, str]:
        request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    async def work(central: CentralReader) -> None:
        async with CentralServer(central, Binding(), [grant], False) as server:
            status, text = await asyncio.to_thread(get, f"{server.url}api/v1/shoes")
            shoes = {shoe["device"]: shoe for shoe in json.loads(text)["shoes"]}
            assert status == 200 and shoes["00510003"]["fresh_s"] == 120.0 and shoes["00510003"]["warning"]
            assert shoes["00000007"]["profile"] == "meters" and "status" not in shoes["00000007"]
            status, text = await asyncio.to_thread(get, f"{server.url}api/v1/shoes/00510003/rounds")
            assert status == 200 and json.loads(text)["rounds"]
            assert (await asyncio.to_thread(get, f"{server.url}api/v1/shoes/00000007/rounds"))[0] == 403
            assert (await asyncio.to_thread(get, f"{server.url}healthz"))[0] == 200
            assert 'age_seconds{device="00510003"' in (await asyncio.to_thread(get, f"{server.url}metrics"))[1]
            site.postgres.kill()
            try:
                assert (await asyncio.to_thread(get, f"{server.url}healthz"))[0] == 503
                assert (await asyncio.to_thread(get, f"{server.url}readyz"))[0] == 503
                while (await asyncio.to_thread(get, f"{server.url}api/v1/shoes"))[0] != 503:
                    await asyncio.sleep(0.1)  # what is known lasts 2 s
            finally:
                site.postgres.start()
            assert (await asyncio.to_thread(get, f"{server.url}api/v1/shoes"))[0] == 200  # by a new connection

    with both_readers(site, played) as (_local, central):
        asyncio.run(work(central))


def test_a_reader_cannot_write_and_a_shoe_is_in_one_inventory(site: Site, played: Path) -> None:
    inventory = Inventory("pit-1", played, None, (ENTRY,))
    with pytest.raises(InventoryError, match="in the inventories pit-1 and pit-2"):
        CentralReader(site.database, [inventory, replace(inventory, name="pit-2")])
    reader = CentralReader(site.database, [inventory])
    with pytest.raises(DatabaseError, match="read-only transaction"):
        reader._rows("CREATE TABLE mine (a integer)", ())  # pyright: ignore[reportPrivateUsage]
    reader.close()


def test_the_storage_that_came_back_is_the_newest_log(site: Site) -> None:
    """Whichever log was met first."""
    site.record(DEVICE, 1, 4)
    site.record(DEVICE, 1, 2, log=b"b" * 16, new_log=True)
    site.record(DEVICE, 5, 6, new_log=True)
    site.carry(8)
    central = CentralReader(site.database, [Inventory("pit-1", site.store.path, None, (ENTRY,))])
    try:
        shoe = central.shoe(DEVICE)
        assert shoe is not None and (shoe.log, shoe.seq) == (identity(DEVICE), 6)
        assert central.logs(DEVICE) == [b"b" * 16, identity(DEVICE)]
        assert [it.seq for it in central.events(DEVICE, None, 4)] == [5, 6]
    finally:
        central.close()
