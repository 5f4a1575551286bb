"""One thread commits for many shoes: what it puts together, what it keeps apart, and what waits for it."""

import asyncio
import contextlib
import sqlite3
import threading
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path

import pytest
from bench.fake_shoe import FakeShoe, Server
from tcp_shoe import TcpShoe
from waits import LIMIT_S, until, wait_until

from fairshoe import AsyncShoe, Store
from fairshoe.client.operation_numbers import Unfinished
from fairshoe.client.store import Arrived
from fairshoe.client.store_writer import Commit, Job
from fairshoe.errors import StorageReplaced, StoreError, UsageError
from fairshoe.games.rounds import RoundView
from fairshoe.link import framing
from fairshoe.messages import CloseBetting, DoorOpened, EmptyProved, Message, Shuffle

KEY = bytes(range(32))


def opened(seq: int) -> Arrived:
    message = DoorOpened(seq, 1, 5, 0, 0, 1, 1)
    return Arrived(seq, message, framing.decode_all(framing.encode(message))[0].signed[8:])


class Gate(Store):
    """A store whose commits wait while the gate is shut, or fail."""

    def __init__(self, path: Path) -> None:
        self.open = threading.Event()
        self.open.set()
        self.at_gate = threading.Event()
        self.broken = False
        self.commits: list[Commit] = []
        super().__init__(path)
        self.on_commit(self.commits.append)

    def _commit(self, db: sqlite3.Connection) -> None:
        self.at_gate.set()
        assert self.open.wait(LIMIT_S)
        if self.broken:
            raise sqlite3.OperationalError("disk I/O error")
        super()._commit(db)


class Heard:
    """What callbacks received."""

    def __init__(self) -> None:
        self.errors: list[Exception | None] = []

    def __call__(self, _result: object, error: Exception | None) -> None:
        self.errors.append(error)


def hold(store: Gate, heard: Heard) -> None:
    """Submit a job, and shut the gate behind which its commit waits."""
    store.open.clear()
    store.at_gate.clear()
    store.submit(Job(lambda _db: None, ""), heard)
    assert store.at_gate.wait(LIMIT_S)


def test_what_is_submitted_during_a_commit_is_one_commit_of_its_own(tmp_path: Path) -> None:
    heard = Heard()
    with Gate(tmp_path / "store.db") as store:
        logs = [store.resume(device, b"i" * 16, 9, 1) for device in range(1, 51)]
        hold(store, heard)
        for log in logs:
            store.submit(store.add_job(log.id, [opened(1)]), heard)
        store.open.set()
    assert heard.errors == [None] * 51
    assert [commit.jobs for commit in store.commits] == [1, 50]
    with Store(tmp_path / "store.db") as again:
        assert len(list(again.events())) == 50


def test_a_job_that_fails_is_undone_alone_and_its_caller_hears_why(tmp_path: Path) -> None:
    heard = Heard()
    with Gate(tmp_path / "store.db") as store:
        first, second = store.resume(1, b"a" * 16, 9, 1), store.resume(2, b"b" * 16, 9, 1)
        store.add(first.id, [opened(2)])
        hold(store, heard)
        store.submit(store.add_job(first.id, [opened(1), opened(2)]), heard)
        store.submit(store.resume_job(2, b"c" * 16, 9, 1, False), heard)
        store.submit(store.add_job(second.id, [opened(1)]), heard)
        store.open.set()
    assert [type(error) for error in heard.errors] == [type(None), StoreError, StorageReplaced, type(None)]
    with Store(tmp_path / "store.db") as again:
        assert [(it.device, it.seq) for it in again.events()] == [(1, 2), (2, 1)]


def test_a_commit_that_fails_is_told_to_all_of_the_group_and_leaves_nothing(tmp_path: Path) -> None:
    heard = Heard()
    with Gate(tmp_path / "store.db") as store:
        log = store.resume(1, b"a" * 16, 9, 1)
        store.broken = True
        hold(store, heard)
        store.submit(store.add_job(log.id, [opened(1)]), heard)
        store.submit(store.add_job(log.id, [opened(2)]), heard)
        store.open.set()
    assert [type(error) for error in heard.errors] == [StoreError] * 3
    with Store(tmp_path / "store.db") as again:
        assert list(again.events()) == []


def test_commits_that_fail_are_not_counted_and_do_not_fill_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    heard = Heard()
    with Gate(tmp_path / "store.db") as store:
        log = store.resume(1, b"a" * 16, 9, 1)
        done = len(store.commits)
        store.broken = True
        for seq in range(1, 6):
            store.submit(store.add_job(log.id, [opened(seq)]), heard)
            wait_until(lambda seq=seq: len(heard.errors) == seq)
        assert len(store.commits) == done and len(heard.errors) == 5
    assert [record.message.startswith("not written") for record in caplog.records] == [True]


def test_a_query_does_not_wait_for_a_commit_and_a_number_comes_after_what_was_submitted(tmp_path: Path) -> None:
    heard = Heard()
    with Gate(tmp_path / "store.db") as store:
        log = store.resume(1, b"a" * 16, 9, 1)
        store.add(log.id, [opened(1)])
        assert store.begin(1, 2, 0, "shuffle", {}) == 1
        hold(store, heard)
        assert [it.seq for it in store.events()] == [1] and store.logs()[0].last == 1  # the gate is shut
        store.finish(1, 2, 1)  # returns at once
        timer = threading.Timer(0.05, store.open.set)
        timer.start()
        assert store.begin(1, 2, 0, "shuffle", {}) == 2  # waits its turn, and finds the outcome of the first
        timer.join()


def test_a_store_that_is_closed_has_written_what_was_submitted(tmp_path: Path) -> None:
    heard = Heard()
    store = Store(tmp_path / "store.db")
    log = store.resume(1, b"a" * 16, 9, 1)
    for seq in range(1, 301):
        store.submit(store.add_job(log.id, [opened(seq)]), heard)
    store.close()
    assert heard.errors == [None] * 300
    with pytest.raises(StoreError, match="is closed"):
        store.submit(Job(lambda _db: None, ""), heard)


def test_what_a_program_is_done_with_goes_with_the_next_commit_or_soon_by_itself_or_at_the_end(tmp_path: Path) -> None:
    heard = Heard()
    with Gate(tmp_path / "store.db") as store:
        logs = [store.resume(device, b"i" * 16, 9, 1) for device in (1, 2)]
        hold(store, heard)
        for seq in (1, 3, 2):
            store.handled(logs[0].id, seq)
        store.submit(store.add_job(logs[0].id, [opened(seq) for seq in range(1, 100)]), heard)
        store.open.set()
        wait_until(lambda: len(heard.errors) == 2)
        assert [log.handled for log in store.logs()] == [3, 0] and len(store.commits) == 2
        store.handled(logs[1].id, 1)
        wait_until(lambda: store.logs()[1].handled == 1)
        store.handled(logs[1].id, 2)
    with Store(tmp_path / "store.db") as again:
        assert [(log.events, log.handled) for log in again.logs()] == [(99, 3), (0, 2)]


# --- with shoes -----------------------------------------------------------------------------------------------------


async def taken(shoe: AsyncShoe, count: int) -> list[int]:
    """The numbers of so many events, and of one that comes at once behind them."""
    async with contextlib.aclosing(shoe.events(quiet_s=LIMIT_S)) as feed:
        seqs = [(await anext(feed)).seq for _ in range(count)]
        with contextlib.suppress(asyncio.TimeoutError):
            seqs.append((await asyncio.wait_for(anext(feed), 0.2)).seq)
    return seqs


@contextlib.asynccontextmanager
async def shoe_with(store: Store) -> AsyncGenerator[tuple[Server, AsyncShoe]]:
    """A shoe that stores here; the store is closed after it."""
    with store:
        async with (
            Server(FakeShoe(7, KEY)) as server,
            await AsyncShoe.open(server.url, server.shoe.key, store=store, answer_s=60) as shoe,
        ):
            yield server, shoe


async def test_nothing_is_acknowledged_before_its_commit(tmp_path: Path) -> None:
    store = Gate(tmp_path / "store.db")
    async with shoe_with(store) as (server, shoe):
        await until(lambda: shoe.store is not None and len(shoe.store.logs()) == 1)
        store.open.clear()
        store.at_gate.clear()
        server.record(5)
        await until(store.at_gate.is_set)
        await asyncio.sleep(0.1)  # the loop goes on while the disk is busy
        assert server.shoe.seq_acked == 0 and not list(store.events())
        store.open.set()
        await until(lambda: server.shoe.seq_acked == 5)
        assert [it.seq for it in store.events()] == [1, 2, 3, 4, 5]


async def test_what_was_just_stored_is_not_read_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    unhandled = Store.unhandled

    def counted(self: Store, log: int, after: int, limit: int) -> object:
        asked.append(after)
        return unhandled(self, log, after, limit)

    monkeypatch.setattr(Store, "unhandled", counted)
    async with shoe_with(Store(tmp_path / "follows")) as (server, shoe):
        seqs: list[int] = []
        server.record()
        async for event in shoe.events(quiet_s=LIMIT_S):
            seqs.append(event.seq)
            if event.seq == 40:
                break
            server.record()
        assert seqs == list(range(1, 41)) and asked == []
    async with shoe_with(Store(tmp_path / "late")) as (server, shoe):
        server.record(1000)
        await until(lambda: server.shoe.seq_acked == 1000)
        assert await taken(shoe, 1000) == list(range(1, 1001)) and asked


async def test_a_loop_goes_on_while_a_command_gets_its_number_and_sends_it_afterwards(
    tmp_path: Path, key_file: Path
) -> None:
    with TcpShoe(f"&dealer=none&key={key_file}") as server, Gate(tmp_path / "store.db") as store:
        async with AsyncShoe.open(server.url, key_file, store=store, answer_s=60) as shoe:
            await shoe.run(until=EmptyProved, timeout_s=LIMIT_S)
            await asyncio.sleep(0.1)
            store.open.clear()
            first, second = shoe.start(Shuffle), shoe.start(CloseBetting)
            await asyncio.sleep(0.1)  # the loop goes on: the number waits for the disk
            assert (first.op, second.op, shoe.pending) == (0, 0, None)
            with pytest.raises(UsageError, match="shuffle is being sent"):
                shoe.resume(Unfinished(1, "shuffle", {}))
            store.open.set()
            assert (await shoe.wait(first)).op == 1 and (await shoe.wait(second)).op == 2
            await until(lambda: shoe.unfinished() is None)
            store.broken = True
            with pytest.raises(StoreError, match="disk"):
                await shoe.command(Shuffle)
            store.broken = False
            assert (await shoe.command(Shuffle)).op == 3


async def test_an_event_is_folded_into_its_round_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folded: list[int] = []

    def counted(view: RoundView, event: Message) -> RoundView:
        assert isinstance(event, DoorOpened)
        folded.append(event.seq)
        return replace(view, seq=event.seq)

    monkeypatch.setattr("fairshoe.client.exchange.fold", counted)
    async with shoe_with(Store(tmp_path / "store.db")) as (server, shoe):
        server.record(5)
        feed = shoe.events(quiet_s=LIMIT_S)
        for seq in range(1, 6):
            assert (await anext(feed)).seq == seq and shoe.current_round.seq >= seq
        assert folded == [1, 2, 3, 4, 5]


async def test_a_disk_that_fails_is_told_and_events_go_on_when_it_is_mended(tmp_path: Path) -> None:
    store = Gate(tmp_path / "store.db")
    async with shoe_with(store) as (server, shoe):
        feed = shoe.events(quiet_s=LIMIT_S)
        server.record()
        assert (await anext(feed)).seq == 1
        store.broken = True
        server.record(2)
        with pytest.raises(StoreError, match="disk"):
            await anext(feed)
        assert server.shoe.seq_acked == 1
        store.broken = False
        assert [(await anext(feed)).seq, (await anext(feed)).seq] == [2, 3]
        await until(lambda: server.shoe.seq_acked == 3)
        assert server.shoe.hellos == 1  # without asking the device for them again


async def test_a_line_that_breaks_while_the_disk_is_busy_goes_on_behind_what_was_stored(tmp_path: Path) -> None:
    store = Gate(tmp_path / "store.db")
    async with shoe_with(store) as (server, shoe):
        server.record(3)
        await until(lambda: server.shoe.seq_acked == 3)
        store.open.clear()
        store.at_gate.clear()
        server.record(2)
        await until(store.at_gate.is_set)
        server.drop()
        await until(lambda: server.shoe.hellos >= 2)
        store.open.set()
        await until(lambda: shoe.up and server.shoe.seq_acked == 5)
        assert await taken(shoe, 5) == [1, 2, 3, 4, 5]
