"""Many shoes in one loop: each on its own, whatever happens to the others."""

import asyncio
import contextlib
import sqlite3
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

import pytest
from bench.fake_shoe import FakeShoe, Server
from waits import LIMIT_S, until

import fairshoe
from fairshoe.client import fleet as fleet_module
from fairshoe.client import queries
from fairshoe.errors import KeyFileError, NoAnswer, PortError, StorageReplaced, UsageError, WrongDevice
from fairshoe.keys import KeyRing, RoleKey, write_key
from fairshoe.link import framing
from fairshoe.link.dictionary import Dictionary, own_dictionary
from fairshoe.messages import DictionaryGet, DictionaryLine, Event, Role


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fleet_module, "RETRY_S", 0.02)
    monkeypatch.setattr(fleet_module, "RETRY_S_MAX", 0.1)


def secret(device: int) -> bytes:
    return device.to_bytes(32, "big")


def recorder(device: int) -> RoleKey:
    return RoleKey(Role.RECORDER, secret(device))


RING = KeyRing(recorder, Role.RECORDER)


class Reader:
    """Takes items of a fleet until something has come."""

    def __init__(self, fleet: fairshoe.Fleet) -> None:
        self.fleet = fleet
        self.items: list[fairshoe.FromShoe] = []

    async def until(self, done: Callable[[], bool]) -> None:
        async def read() -> None:
            while not done():
                self.items.append(await anext(self.fleet))

        await asyncio.wait_for(read(), LIMIT_S)

    def seqs(self, device: int) -> list[int]:
        return [it.message.seq for it in self.items if isinstance(it.message, Event) and it.device == device]

    def notices(self, kind: type[object], device: int | None = None) -> list[fairshoe.FromShoe]:
        return [it for it in self.items if isinstance(it.message, kind) and device in (None, it.device)]


@contextlib.asynccontextmanager
async def shoes(count: int) -> AsyncGenerator[list[Server]]:
    async with contextlib.AsyncExitStack() as stack:
        fakes = [FakeShoe(device, secret(device)) for device in range(1, count + 1)]
        yield [await stack.enter_async_context(Server(fake)) for fake in fakes]


async def test_events_of_all_shoes_come_once_in_order_and_with_their_device(tmp_path: Path) -> None:
    measured: Counter[str] = Counter()

    def metrics(name: str, value: float, device: int) -> None:
        assert value >= 0 and (device > 0) == (not name.startswith("commit"))
        measured[name] += 1
        raise ValueError("a hook that fails ends nothing")

    async with shoes(5) as servers:
        async with fairshoe.Fleet(tmp_path / "floor.db", RING, metrics=metrics) as fleet:
            for server in servers:
                fleet.add(server.url)
                server.shoe.record(30)
            reader = Reader(fleet)
            await reader.until(lambda: all(reader.seqs(it.shoe.device) == list(range(1, 31)) for it in servers))
            opened = reader.notices(fairshoe.ShoeOpened)
            assert sorted(it.device for it in opened) == [1, 2, 3, 4, 5] == sorted(fleet.shoes)
            assert {it.url for it in opened} == {server.url for server in servers}
            await until(lambda: all(it.shoe.seq_acked == 30 for it in servers))
        assert measured["opened"] == 5 and measured["stored_s"] == 150
        assert 0 < measured["commit_s"] == measured["commit_jobs"] < 150

    with fairshoe.Store(tmp_path / "floor.db") as store:
        assert [(log.device, log.events) for log in store.logs()] == [(device, 30) for device in range(1, 6)]
        assert sorted(log.handled for log in store.logs()) == [29, 30, 30, 30, 30]  # one was in hand at the end


async def test_what_a_program_was_not_done_with_comes_first_in_the_next_one(tmp_path: Path) -> None:
    async with shoes(1) as servers:
        (server,) = servers
        server.shoe.record(10)
        async with fairshoe.Fleet(tmp_path / "floor.db", RING) as fleet:
            fleet.add(server.url)
            seqs: list[int] = []
            for last in (4, 6):  # two loops: the event in hand is redelivered
                async for item in fleet:
                    if isinstance(item.message, Event):
                        seqs.append(item.message.seq)
                        if item.message.seq == last:
                            break
            assert seqs == [1, 2, 3, 4, 4, 5, 6]
            await until(lambda: server.shoe.seq_acked == 10)
        async with fairshoe.Fleet(tmp_path / "floor.db", RING) as fleet:
            fleet.add(server.url)
            reader = Reader(fleet)
            await reader.until(lambda: len(reader.seqs(1)) == 5)
            assert reader.seqs(1) == [6, 7, 8, 9, 10]


async def test_a_shoe_without_a_key_or_with_another_memory_does_not_disturb_the_others(tmp_path: Path) -> None:
    keys = {device: recorder(device) for device in (1, 3)}

    ring = KeyRing(keys.get, Role.RECORDER)
    async with shoes(3) as servers, fairshoe.Fleet(tmp_path / "floor.db", ring) as fleet:
        for server in servers:
            server.shoe.record(3)
            fleet.add(server.url)
        reader = Reader(fleet)
        await reader.until(lambda: len(reader.seqs(1)) == len(reader.seqs(3)) == 3 and any(map(_failure, reader.items)))
        failed = reader.notices(fairshoe.ShoeFailed)[0]
        assert isinstance(failed.message, fairshoe.ShoeFailed) and isinstance(failed.message.error, KeyFileError)
        assert failed.url == servers[1].url and "00000002" in failed.message.error.what
        keys[2] = recorder(2)
        await reader.until(lambda: reader.seqs(2) == [1, 2, 3])
        servers[0].shoe.log = b"another memory.."
        servers[0].drop()
        await reader.until(lambda: any(_failure(it) is StorageReplaced for it in reader.items))
        servers[1].record()
        servers[2].record()
        await reader.until(lambda: len(reader.seqs(2)) == len(reader.seqs(3)) == 4)
        await reader.until(lambda: 1 not in fleet.shoes)  # a retry opens it, until the store refuses it again
        assert reader.seqs(1) == [1, 2, 3]


def _failure(item: fairshoe.FromShoe) -> type[Exception] | None:
    return type(item.message.error) if isinstance(item.message, fairshoe.ShoeFailed) else None


async def test_a_port_that_is_not_there_yet_is_tried_again_and_a_lost_one_comes_back() -> None:
    async with shoes(1) as servers:
        (server,) = servers
        url = server.url
        await server.__aexit__()
        async with fairshoe.Fleet(key=RING) as fleet:
            fleet.add(url)
            reader = Reader(fleet)
            await reader.until(lambda: len(reader.notices(fairshoe.ShoeFailed)) >= 2)
            assert all(_failure(it) is PortError for it in reader.items)
            await server.listen(int(url.rpartition(":")[2]))
            await reader.until(lambda: bool(reader.notices(fairshoe.ShoeOpened, 1)))
            server.record(2)
            await reader.until(lambda: reader.seqs(1) == [1, 2])
            server.drop()
            server.record()
            await reader.until(lambda: reader.seqs(1) == [1, 2, 3])
            heard = [type(it.message) for it in reader.items]
            of_link = [kind for kind in heard if kind in (fairshoe.LinkLost, fairshoe.LinkBack)]
            assert of_link == [fairshoe.LinkLost, fairshoe.LinkBack]


async def test_shoes_that_are_plugged_in_and_pulled_out_are_followed() -> None:
    async with shoes(2) as servers:
        there = {servers[0].url}
        async with fairshoe.Fleet(key=RING, watch=lambda: list(there), watch_s=0.01) as fleet:
            reader = Reader(fleet)
            await reader.until(lambda: bool(reader.notices(fairshoe.ShoeOpened, 1)))
            there.add(servers[1].url)
            await reader.until(lambda: bool(reader.notices(fairshoe.ShoeOpened, 2)))
            there.discard(servers[0].url)
            await reader.until(lambda: bool(reader.notices(fairshoe.ShoeRemoved, 1)))
            assert sorted(fleet.shoes) == [2]
            there.add(servers[0].url)
            await reader.until(lambda: len(reader.notices(fairshoe.ShoeOpened, 1)) == 2)


async def test_a_device_is_followed_at_one_port_and_nobody_else_loops_over_it() -> None:
    async with shoes(1) as servers:
        async with Server(FakeShoe(1, secret(1))) as twin, fairshoe.Fleet(key=RING) as fleet:
            reader = Reader(fleet)
            fleet.add(servers[0].url)
            await reader.until(lambda: bool(reader.notices(fairshoe.ShoeOpened)))
            with pytest.raises(UsageError, match="another loop"):
                await anext(fleet.shoes[1].events())
            fleet.add(twin.url)
            await reader.until(lambda: any(_failure(it) is WrongDevice for it in reader.items))
            assert fleet.shoes[1].name == servers[0].url
        with pytest.raises(UsageError, match="fleet is closed"):
            fleet.add(twin.url)
        assert [it async for it in fleet if isinstance(it.message, Event)] == []


async def test_an_internal_error_is_told_the_shoe_opened_again_and_the_event_in_hand_not_given_twice(
    tmp_path: Path,
) -> None:
    async with shoes(2) as servers:
        servers[0].shoe.record(3)
        async with fairshoe.Fleet(tmp_path / "floor.db", RING) as fleet:
            reader = Reader(fleet)
            for server in servers:
                fleet.add(server.url)
            await reader.until(lambda: reader.seqs(1) == [1])
            fleet.shoes[1]._break(ValueError("a mistake"))  # pyright: ignore[reportPrivateUsage]
            await until(lambda: servers[0].shoe.hellos == 2 and 1 in fleet.shoes)
            await reader.until(lambda: len(reader.seqs(1)) == 3)
            assert reader.seqs(1) == [1, 2, 3]
            (failed,) = reader.notices(fairshoe.ShoeFailed)
            assert isinstance(failed.message, fairshoe.ShoeFailed) and "internal error, ValueError('a mistake')" in str(
                failed.message.error
            )
            assert servers[1].shoe.hellos == 1


async def test_events_are_taken_and_acknowledged_without_the_task_of_the_shoe(tmp_path: Path) -> None:
    async with shoes(1) as servers:
        (server,) = servers
        async with fairshoe.Fleet(tmp_path / "floor.db", RING) as fleet:
            reader = Reader(fleet)
            fleet.add(server.url)
            server.record()
            await reader.until(lambda: reader.seqs(1) == [1])
            core = fleet.shoes[1]._core  # pyright: ignore[reportPrivateUsage]
            ticks: list[float] = []
            tick = core.tick
            core.tick = lambda now: (ticks.append(now), tick(now))[1]
            for seq in range(2, 22):
                server.record()
                await reader.until(lambda seq=seq: reader.seqs(1)[-1] == seq)
            await until(lambda: server.shoe.seq_acked == 21)
            assert len(ticks) < 10  # those that are due by the clock


class Spelling(FakeShoe):
    """Has a dictionary, and sends nothing unasked."""

    def receive(self, data: bytes) -> None:
        super().receive(data)
        lines = own_dictionary().lines
        for message in framing.decode_messages(data):
            if isinstance(message, DictionaryGet):
                self.output += framing.encode(DictionaryLine(message.line, len(lines), lines[message.line].encode()))


async def test_every_answer_wakes_the_program_that_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also one that is neither an event nor of the session. The task of the shoe wakes only every 2.5 s."""
    monkeypatch.setattr(queries, "own_dictionary", lambda: Dictionary(["message 1 0 hello"]))
    monkeypatch.setattr(queries, "LINE_S", 60.0)

    async with (
        Server(Spelling(1, secret(1))) as server,
        await fairshoe.AsyncShoe.open(server.url, RING, store=tmp_path / "store.db", answer_s=60) as shoe,
    ):
        with pytest.raises(NoAnswer, match="not the one it named"):  # the welcome of a fake names none
            await asyncio.wait_for(shoe.dictionary(), LIMIT_S)


async def test_events_that_could_not_be_stored_are_tried_again_although_nothing_arrives(tmp_path: Path) -> None:
    async with shoes(1) as servers:
        (server,) = servers
        store = fairshoe.Store(tmp_path / "floor.db", busy_s=0.01)
        async with fairshoe.Fleet(store, RING) as fleet:
            reader = Reader(fleet)
            fleet.add(server.url)
            server.record()
            await reader.until(lambda: reader.seqs(1) == [1])
            other = sqlite3.connect(store.path, isolation_level=None)
            other.execute("BEGIN IMMEDIATE")
            server.record(2)
            core = fleet.shoes[1]._core  # pyright: ignore[reportPrivateUsage]
            events = core.events
            assert events is not None
            await until(lambda: bool(events.unsaved) and not events.busy)
            await reader.until(lambda: bool(reader.notices(fairshoe.NotStored)))
            assert core.due(0.0) <= core.save_at <= time.monotonic() + 1.0
            other.close()
            await reader.until(lambda: reader.seqs(1) == [1, 2, 3])
            await until(lambda: server.shoe.seq_acked == 3)
            (notice,) = reader.notices(fairshoe.NotStored, 1)
            assert isinstance(notice.message, fairshoe.NotStored) and "locked" in str(notice.message.error)
        store.close()


def test_a_folder_has_the_key_of_each_device(tmp_path: Path) -> None:
    write_key(tmp_path / "00000001.key", "recorder", secret(1))
    write_key(tmp_path / "00000002.key", "table", secret(2))
    ring = KeyRing(tmp_path, Role.RECORDER)
    assert ring.find(1) == recorder(1)
    with pytest.raises(KeyFileError, match="holds the key of the table role"):
        ring.find(2)
    with pytest.raises(KeyFileError, match=r"00000003\.key"):
        ring.find(3)
    with pytest.raises(KeyFileError, match="has the key of the recorder role for device 00000001"):
        KeyRing(recorder).find(1)
