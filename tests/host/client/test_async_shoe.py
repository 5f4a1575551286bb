"""The shoe in a loop: the same promises, cancellation that loses nothing, and nothing left behind."""

import asyncio
import contextlib
import gc
import inspect
import sys
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from tcp_shoe import TcpShoe
from test_cli import simulator

from fairshoe import AsyncShoe, Shoe, messages
from fairshoe.client.notices import LinkBack, LinkLost, Notice
from fairshoe.errors import NoAnswer, PortError, PortLost, StoreError, UsageError, WrongDevice
from fairshoe.games.record_kinds import By

KEY = bytes(range(32))


@contextlib.contextmanager
def nothing_left(alone: bool = True) -> Generator[None]:
    """No thread or file may be left. Not alone: with a server in the same process, whose files do not count."""
    threads = threading.active_count()
    gc.collect()  # files that an earlier test left to the collector must not close in between
    files = open_files()
    yield
    assert threading.active_count() == threads
    assert open_files() == files or not alone


@pytest.fixture(autouse=True)
def no_test_leaves_anything() -> Generator[None]:
    with nothing_left():
        yield


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir())) if sys.platform == "linux" else 0


async def seqs_until(shoe: AsyncShoe, kind: type[messages.Event]) -> list[int]:
    seqs: list[int] = []
    async for event in shoe.events(quiet_s=120):
        seqs.append(event.seq)
        if isinstance(event, kind):
            break
    return seqs


async def test_events_come_once_and_in_order() -> None:
    async with AsyncShoe.open("sim://?seed=3") as shoe:
        seqs = await seqs_until(shoe, messages.RoundEnded)
        assert seqs == list(range(1, len(seqs) + 1))
        again = await seqs_until(shoe, messages.Event)
        assert again == [seqs[-1]]  # it was in hand, and never said to be safe
        assert shoe.status is not None and shoe.counts.events >= len(seqs)


async def test_open_can_be_awaited_entered_or_made_a_task() -> None:
    async with AsyncShoe.open("sim://?dealer=none") as entered:
        assert entered.welcome is not None
    with pytest.raises(UsageError, match="closed"):
        await entered.command(messages.Shuffle)
    for opening in (
        AsyncShoe.open("sim://?dealer=none"),
        asyncio.create_task(AsyncShoe.open("sim://?dealer=none")),
    ):
        async with await opening as shoe:
            assert shoe.welcome is not None


async def test_two_tasks_share_a_shoe_one_listens_one_commands(key_file: Path) -> None:
    async with AsyncShoe.open(f"sim://?dealer=hands&key={key_file}", key_file) as shoe:
        heard: list[int] = []

        async def listen() -> None:
            async for event in shoe.events():
                heard.append(event.seq)

        listening = asyncio.create_task(listen())
        while not heard or not shoe.sim.rig.plant.hopper:
            await shoe.journal_is()
        assert isinstance(shoe.status, messages.Status)
        result = await shoe.command(messages.Shuffle)
        assert result.outcome == messages.Outcome.DONE
        assert (await shoe.command(messages.SetPositions, positions=2)).op == 2
        assert (await shoe.records.cut(26, By.DEALER)).op == 3
        listening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await listening
        assert heard == list(range(1, len(heard) + 1))


async def test_a_cancelled_wait_loses_nothing(key_file: Path) -> None:
    async with AsyncShoe.open(f"sim://?dealer=auto&key={key_file}", key_file) as shoe:
        seqs: list[int] = []
        for turn in range(60):

            async def one() -> None:
                async for event in shoe.events():
                    seqs.append(event.seq)
                    shoe.acknowledge()
                    return

            task = asyncio.create_task(one())
            for _ in range(turn % 7):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        await shoe.run(until=messages.RoundEnded)
        seqs += await seqs_until(shoe, messages.RoundStarted)
        assert seqs == sorted(set(seqs))


async def test_a_cancelled_command_goes_on_and_its_outcome_is_not_lost(key_file: Path) -> None:
    async with AsyncShoe.open(f"sim://?dealer=none&key={key_file}", key_file) as shoe:
        await shoe.run(until=messages.EmptyProved)
        shoe.sim.act("load", "52")
        await shoe.run(timeout_s=1)
        task = asyncio.create_task(shoe.command(messages.Shuffle))
        await shoe.run(timeout_s=2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        pending = shoe.pending
        assert pending is not None and pending.op == 1
        assert (await shoe.wait(pending)).done
        assert shoe.pending is None and shoe.unfinished() is None
        assert (await shoe.command(messages.SetPositions, positions=1)).op == 2


async def test_a_loop_reads_records_and_is_told_what_seeds_need(key_file: Path) -> None:
    async with AsyncShoe.open(f"sim://?dealer=none&key={key_file}", key_file) as shoe:
        await shoe.run(until=messages.EmptyProved)
        last = (await shoe.journal_is()).last
        assert len(await shoe.journal_record(last)) > 0 and await shoe.journal_record(last + 90) == b""
        assert (await shoe.journal_signed(last)).last >= last
        with pytest.raises(UsageError, match="only to the auditor"):
            await shoe.seed()


def test_a_loop_has_every_method_of_the_other_shoe_with_the_same_parameters() -> None:
    for name, method in inspect.getmembers(Shoe, callable):
        if not name.startswith("_"):
            ours, theirs = (inspect.signature(it) for it in (getattr(AsyncShoe, name), method))
            assert list(ours.parameters.values()) == list(theirs.parameters.values()), name
    assert {"listen", "journal_signed", "greet", "stop"} < set(dir(AsyncShoe))


async def test_an_auditor_reads_the_seed_on_the_line_of_a_loop_and_no_event_is_lost(key_file: Path) -> None:
    url = f"sim://?dealer=auto&audit=disclose&key={key_file}"
    async with AsyncShoe.open(url, key_file) as shoe:
        seqs = await seqs_until(shoe, messages.RoundEnded)
        shoe.acknowledge()
        idle: list[bool] = []
        shuffled = await shoe.seed_for_auditor(key_file, lambda: idle.append(shoe.up))
        assert shuffled.seq > 0 and len(shuffled.seed) == 32
        assert idle and not any(idle)
        more = await seqs_until(shoe, messages.RoundEnded)
        assert more and more == list(range(seqs[-1] + 1, more[-1] + 1)) and shoe.up


async def test_a_shoe_closed_while_an_auditor_has_its_line_leaves_nothing_open(key_file: Path) -> None:
    shoe = await AsyncShoe.open(f"sim://?dealer=none&key={key_file}", key_file)
    reading = asyncio.create_task(shoe.seed_for_auditor(key_file))
    await asyncio.sleep(0)
    with pytest.raises(PortLost):
        await shoe.seed_for_auditor(key_file)
    await shoe.close()
    await asyncio.wait([reading])
    assert reading.exception() is not None


async def test_a_loop_that_only_listens_sends_nothing_and_opens_a_lost_port_again() -> None:
    async with AsyncShoe.listen("sim://?dealer=none", reconnect=True) as shoe:
        heard = [message.NAME async for message in shoe.messages(quiet_s=5)]
        assert heard[:2] == ["booted", "empty_proved"] and shoe.counts.hellos == 0
        shoe.sim.unplug()
        assert [message async for message in shoe.messages(quiet_s=1)] == []
        shoe.sim.plug()
        shoe.sim.act("open")
        assert isinstance(await shoe.run(until=messages.DoorOpened, timeout_s=20), messages.DoorOpened)
        with pytest.raises(UsageError, match="only listened to"):
            await shoe.journal_is()


async def test_run_ends_when_a_function_says_so() -> None:
    async with AsyncShoe.open("sim://?dealer=none") as shoe:
        shoe.on(messages.EmptyProved, lambda _event: shoe.stop())
        await shoe.run(until=messages.RoundEnded)
        assert shoe.seq_last == 2


async def test_an_event_whose_task_was_cancelled_over_it_comes_again() -> None:
    async with AsyncShoe.open("sim://?dealer=none") as shoe:
        seen: list[int] = []

        async def consume(slowly: bool) -> None:
            async for event in shoe.events(quiet_s=5):
                seen.append(event.seq)
                if slowly and event.seq == 2:
                    await asyncio.sleep(3600)

        task = asyncio.create_task(consume(True))
        while seen != [1, 2]:
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert shoe.sim.rig.app.journal.seq_acked <= 1
        await consume(False)
        assert seen == [1, 2, 2]


async def test_functions_may_be_coroutines_and_their_failure_keeps_the_event() -> None:
    async with AsyncShoe.open("sim://") as shoe:
        booked: list[int] = []

        @shoe.on(messages.Event)
        async def book(event: messages.Event) -> None:
            await asyncio.sleep(0)
            booked.append(event.seq)
            if booked == [1]:
                raise RuntimeError("not yet")

        with pytest.raises(RuntimeError):
            await shoe.run()
        last = await shoe.run(until=messages.RoundEnded)
        assert booked == [1, *range(1, last.seq + 1)]
        shoe.off(messages.Event, book)
        assert await shoe.run(timeout_s=1) is None
        with pytest.raises(NoAnswer, match="did not come within 1 s"):
            await shoe.run(until=lambda _message: False, timeout_s=1)


@pytest.mark.parametrize("stored", [False, True])
async def test_a_pulled_cable_costs_no_event(tmp_path: Path, stored: bool) -> None:
    told: list[Notice] = []
    path = tmp_path / "store.db" if stored else None
    async with AsyncShoe.open("sim://?seed=4", store=path) as shoe:
        shoe.on(Notice, told.append)
        seqs: list[int] = []
        async for event in shoe.events(quiet_s=120):
            seqs.append(event.seq)
            if event.seq % 10 == 5:
                shoe.sim.unplug(0.5 + event.seq % 7)
            if isinstance(event, messages.RoundEnded):
                break
    assert seqs == list(range(1, len(seqs) + 1))
    kinds = [type(it) for it in told if isinstance(it, (LinkLost, LinkBack))]
    assert len(kinds) >= 6 and kinds == [LinkLost, LinkBack] * (len(kinds) // 2)


async def test_without_reconnect_everybody_who_waits_is_told(key_file: Path) -> None:
    url = f"sim://?dealer=none&key={key_file}"
    async with AsyncShoe.open(url, key_file, reconnect=False) as shoe:
        commanding = asyncio.create_task(shoe.command(messages.Shuffle))
        listening = asyncio.create_task(seqs_until(shoe, messages.RoundEnded))
        await asyncio.sleep(0)
        shoe.sim.unplug()
        for found in await asyncio.gather(commanding, listening, return_exceptions=True):
            assert isinstance(found, PortLost)
        with pytest.raises(PortLost):
            shoe.start(messages.CloseBetting)


async def test_time_stands_still_while_nobody_waits_for_a_simulated_shoe() -> None:
    async with AsyncShoe.open("sim://") as shoe:
        before = shoe.sim.clock()
        await asyncio.sleep(0.1)
        assert shoe.sim.clock() - before < 0.5


@pytest.mark.parametrize(
    ("url", "error", "settings"),
    [
        ("/dev/does-not-exist", PortError, {}),
        ("tcp://127.0.0.1:1", PortError, {}),
        ("rfc2217://127.0.0.1:1", PortError, {}),
        ("sim://?seed=8", WrongDevice, {"device": 7}),
        ("sim://?dealer=none", StoreError, {"store": "/proc/none/store.db"}),
    ],
)
async def test_what_does_not_open_leaves_nothing_behind(
    url: str, error: type[Exception], settings: dict[str, Any]
) -> None:
    with pytest.raises(error):
        await AsyncShoe.open(url, **settings)


async def test_a_function_that_fails_over_a_notice_does_not_go_unnoticed() -> None:
    async with AsyncShoe.open("sim://") as shoe:

        def fail(_notice: Notice) -> None:
            raise RuntimeError("a bug")

        shoe.on(LinkLost, fail)
        shoe.sim.unplug(1)
        with pytest.raises(RuntimeError, match="a bug"):
            await shoe.run(until=messages.RoundEnded)


# --- real ports ---------------------------------------------------------------------------------


async def test_many_shoes_over_sockets_in_one_loop_and_a_server_that_throws_one_out() -> None:
    with TcpShoe("&seed=1") as first, TcpShoe("&seed=2") as second, nothing_left(alone=False):

        async def follow(server: TcpShoe, drops: int) -> list[int]:
            seqs: list[int] = []
            async with AsyncShoe.open(server.url, answer_s=60) as shoe:
                async for event in shoe.events(quiet_s=60):
                    seqs.append(event.seq)
                    if len(seqs) == 4 and drops:
                        server.refuse = 1
                        server.drop()
                    if len(seqs) >= 10 and server.clients > drops:  # many may have come before the drop
                        return seqs
            return seqs

        for seqs in await asyncio.gather(follow(first, 1), follow(second, 0)):
            assert len(seqs) >= 10 and seqs == list(range(1, len(seqs) + 1))
        assert (first.clients, second.clients) == (2, 1)


async def test_a_pseudo_terminal_is_watched_by_the_loop_and_its_end_is_noticed() -> None:
    with simulator("--speed", "20") as (process, ready), nothing_left():
        async with AsyncShoe.open(ready["port"], reconnect=False, answer_s=60) as shoe:
            assert await seqs_until(shoe, messages.EmptyProved) == [1, 2]
            process.kill()
            with pytest.raises(PortLost):
                await shoe.run()


async def test_a_port_that_only_blocks_gets_a_thread_which_is_gone_afterwards() -> None:
    with TcpShoe(rfc2217=True) as server, nothing_left(alone=False):
        async with AsyncShoe.open(server.url, answer_s=60) as shoe:
            assert any(thread.name == "fairshoe-port" for thread in threading.enumerate())
            assert await seqs_until(shoe, messages.EmptyProved) == [1, 2]


async def test_a_loop_whose_function_failed_goes_on_with_the_same_event() -> None:
    async with AsyncShoe.open("sim://?dealer=none") as shoe:
        tries: list[int] = []

        def book(event: messages.Event) -> None:
            tries.append(event.seq)
            if tries == [1, 2]:
                raise RuntimeError("not yet")

        shoe.on(messages.Event, book)
        feed = shoe.events(quiet_s=5)
        assert (await feed.__anext__()).seq == 1
        with pytest.raises(RuntimeError):
            await feed.__anext__()
        assert [event.seq async for event in feed] == [2]
        assert tries == [1, 2, 2]


async def test_reasons_are_those_of_the_other_shoe(key_file: Path) -> None:
    async with AsyncShoe.open(f"sim://?dealer=none&key={key_file}", key_file) as shoe:
        await shoe.run(until=messages.EmptyProved)
        assert (await shoe.command(messages.CloseBetting)).reason == messages.Reason.STATE
        assert (await shoe.dictionary()).hash == shoe.welcome.dictionary  # pyright: ignore[reportOptionalMemberAccess]


async def test_no_patience_at_all_is_still_one_look() -> None:
    async with AsyncShoe.open("sim://?dealer=none") as shoe:
        seqs: list[int] = []
        while len(seqs) < 2:
            seqs += [event.seq async for event in shoe.events(quiet_s=0)]
        assert seqs == [1, 2]
