"""The publisher against a real broker: at least once, in order for each log, once in the stream."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from floor.proxy import Mode, Proxy
from nats.js.api import StreamConfig
from one_floor import Site, arrived, identity

from fairshoe import Store
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.event_lines import from_lines


def stream_of(site: Site) -> dict[str, list[int]]:
    """Event numbers in the stream, by subject, in the order of the stream."""

    async def read() -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        async with broker.connected(site.nats.url, "test") as (_client, stream):
            try:
                end = (await stream.stream_info(site.names.stream)).state.last_seq
            except broker.LOST:
                return found
            for seq in range(1, end + 1):
                message = await stream.get_msg(site.names.stream, seq)
                subject = str(message.subject).removeprefix(site.names.stream + ".")
                found.setdefault(subject, []).extend(row.seq for row in from_lines(message.data or b""))
        return found

    with ThreadPoolExecutor(1) as pool:  # the programs under test may have a loop in this thread
        return pool.submit(lambda: asyncio.run(read())).result()


def events_subject(device: int, log: bytes = b"") -> str:
    return f"events.{device:08x}.{(log or identity(device)).hex()}"


def test_a_new_publisher_goes_on_where_the_stream_ends(site: Site) -> None:
    site.record(1, 1, 300)
    site.record(2, 1, 5)
    first = site.publisher()
    site.run(first, until=lambda: first.counts.events >= 305)
    site.record(1, 301, 310)
    second = site.publisher()
    site.run(second, until=lambda: second.counts.events >= 10)
    assert stream_of(site) == {events_subject(1): list(range(1, 311)), events_subject(2): list(range(1, 6))}


def test_two_publishers_of_one_store_do_not_double_an_event(site: Site) -> None:
    first, second = site.publisher(), site.publisher()
    recorded = 0

    def collided() -> bool:
        """Until they did: one of them may have sent everything before the other was connected."""
        nonlocal recorded
        if first.counts.events + second.counts.events < 5 * recorded:
            return False
        if first.counts.refused + second.counts.refused > 0:
            return True
        for device in range(1, 6):
            site.record(device, recorded + 1, recorded + 300)
        recorded += 300
        return False

    site.run(first, second, until=collided)
    assert stream_of(site) == {events_subject(device): list(range(1, recorded + 1)) for device in range(1, 6)}


def lose_an_answer(site: Site) -> None:
    """Of eight events: the broker stores the message, and the publisher hears nothing of it."""
    proxy = Proxy(site.nats.port)
    site.url = f"nats://127.0.0.1:{proxy.port}"
    site.record(1, 1, 3)
    publisher = site.publisher(verify_s=600.0, committed_s=600.0)  # the lost answer is that of an event
    cut = threading.Event()

    def stored() -> bool:
        if not cut.is_set() and publisher.counts.events >= 3:
            proxy.set(Mode.DEAF)
            while proxy.mode is not Mode.DEAF:  # it is set in the proxy's own thread
                time.sleep(0.001)
            site.record(1, 4, 6)
            cut.set()
        if cut.is_set() and proxy.mode is Mode.DEAF and stream_of(site).get(events_subject(1)) == [1, 2, 3, 4, 5, 6]:
            proxy.set(Mode.REFUSE)
            proxy.set(Mode.PASS)
            site.record(1, 7, 8)
        return publisher.counts.by_log.get(site.names.events(1, identity(1))) == 8

    site.run(publisher, until=stored)
    proxy.close()
    site.url = site.nats.url
    assert publisher.counts.connections > 1


def test_an_acknowledgement_that_is_lost_does_not_double_an_event(site: Site) -> None:
    """The next connection finds it in the stream."""
    lose_an_answer(site)
    assert stream_of(site) == {events_subject(1): list(range(1, 9))}


def test_a_broker_that_lost_messages_gets_them_again_without_a_new_event(site: Site) -> None:
    site.record(1, 1, 3)
    publisher = site.publisher()
    site.run(publisher, until=lambda: publisher.counts.events >= 3)
    site.nats.snapshot("copy")
    site.record(1, 4, 9)
    publisher = site.publisher()
    rolled_back = threading.Event()

    def again() -> bool:
        if publisher.counts.events >= 6 and not rolled_back.is_set():
            site.nats.kill()
            site.nats.restore("copy")
            site.nats.start()
            rolled_back.set()
        return rolled_back.is_set() and publisher.counts.events >= 12

    site.run(publisher, until=again)
    assert stream_of(site) == {events_subject(1): list(range(1, 10))}


def test_messages_that_vanish_without_a_new_connection_are_found_by_the_sweep(site: Site) -> None:
    site.record(1, 1, 9)
    publisher = site.publisher()

    async def purge() -> None:
        async with broker.connected(site.nats.url, "test") as (_client, stream):
            await stream.purge_stream(site.names.stream)

    purged = threading.Event()

    def again() -> bool:
        if publisher.counts.events >= 9 and not purged.is_set():
            purged.set()
            threading.Thread(target=lambda: asyncio.run(purge())).start()
        return publisher.counts.events >= 18

    site.run(publisher, until=again)
    assert publisher.counts.connections == 1


def test_a_full_stream_refuses_and_loses_nothing(site: Site) -> None:
    async def limit(size: int) -> None:
        async with broker.connected(site.nats.url, "test") as (_client, stream):
            await broker.ensure_streams(stream, site.names)
            config: StreamConfig = (await stream.stream_info(site.names.stream)).config
            config.max_bytes = size
            await stream.update_stream(config)  # pyright: ignore[reportUnknownMemberType]

    asyncio.run(limit(1))
    site.record(1, 1, 9)
    publisher = site.publisher()
    freed = threading.Event()

    def done() -> bool:
        if publisher.counts.connections >= 2 and not freed.is_set():
            freed.set()
            threading.Thread(target=lambda: asyncio.run(limit(-1))).start()
        return publisher.counts.events >= 9

    site.run(publisher, until=done)
    assert stream_of(site) == {events_subject(1): list(range(1, 10))}


def test_events_of_a_replaced_storage_have_a_subject_of_their_own(site: Site) -> None:
    site.record(1, 1, 4)
    site.record(1, 1, 2, log=b"b" * 16, new_log=True)
    publisher = site.publisher()
    site.run(publisher, until=lambda: publisher.counts.events >= 6)
    assert stream_of(site) == {events_subject(1): [1, 2, 3, 4], events_subject(1, b"b" * 16): [1, 2]}


def test_a_shoe_that_moved_waits_for_the_publisher_of_its_old_gateway(site: Site, tmp_path: Path) -> None:
    """Gateway 2 has events 7 to 9. It must not publish them before gateway 1 has published 4 to 6."""
    site.record(1, 1, 3)
    first = site.publisher()
    site.run(first, until=lambda: first.counts.events >= 3)
    site.record(1, 4, 6)
    with Store(tmp_path / "pit-2.db") as other:
        log = other.resume(1, identity(1), 9, 1)
        other.add(log.id, [arrived(seq) for seq in (7, 8, 9)])
        second = site.publisher(other, "pit-2")
        rounds: list[int] = []
        second.on_round = rounds.append
        site.run(second, until=lambda: len(rounds) > 5)
        assert second.counts.events == 0
        first, second = site.publisher(), site.publisher(other, "pit-2")
        site.run(first, second, until=lambda: second.counts.events >= 3)
    assert stream_of(site) == {events_subject(1): list(range(1, 10))}
