"""What the programs of the floor say of themselves, and what a round trip of 100 ms costs them."""

from __future__ import annotations

import asyncio
import urllib.error
import urllib.request

from floor.proxy import Mode, Proxy
from one_floor import Site, identity
from prometheus_client.parser import text_string_to_metric_families
from waits import until

from fairshoe_floor.alarms.desk import Desk
from fairshoe_floor.alarms.notify import Notifier
from fairshoe_floor.alarms.rules import RuleBook
from fairshoe_floor.metrics import MetricsServer
from fairshoe_floor.running import FloorRun
from fairshoe_floor.samples import Link, Sample
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.outbox import Outbox

SHOES = 120


def get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def values(text: str) -> dict[str, float]:
    """By name; every family has its text."""
    families = list(text_string_to_metric_families(text))
    assert families and not [it.name for it in families if not it.documentation]
    return {sample.name: sample.value for it in families for sample in it.samples}


def test_publisher_and_floor_run_have_metrics_and_tell_whether_they_work(site: Site) -> None:
    site.record(1, 1, 10)
    publisher, consumer = site.publisher(), site.consumer()
    desk = Desk(site.database, RuleBook(()))
    run = FloorRun(consumer, desk, Notifier(site.database, []))

    async def work(sent: str, taken: str) -> None:
        assert (await asyncio.to_thread(get, f"{taken}/readyz"))[0] == 503
        tasks = [asyncio.create_task(it.run()) for it in (publisher, consumer, desk)]
        await until(lambda: consumer.counts.new == 10 and desk.pulse.age_s is not None)
        for url in (sent, taken):
            assert await asyncio.to_thread(get, f"{url}/healthz") == (200, '{"status": "ok"}\n')
            assert (await asyncio.to_thread(get, f"{url}/readyz"))[0] == 200
        assert values((await asyncio.to_thread(get, f"{sent}/metrics"))[1])["fairshoe_publisher_events_total"] == 10
        found = values((await asyncio.to_thread(get, f"{taken}/metrics"))[1])
        assert found["fairshoe_floor_new_total"] == 10 and found["fairshoe_floor_writes"] == 1
        assert found["process_resident_memory_bytes"] > 1e6
        site.nats.kill()  # nothing can be sent or taken: neither is ready, and the lease is given back
        try:
            await until(lambda: get(f"{sent}/readyz")[0] == get(f"{taken}/readyz")[0] == 503)
        finally:
            site.nats.start()
            for it in (publisher, consumer, desk):
                it.stop()
        await asyncio.wait(tasks)

    with (
        MetricsServer(0, publisher.metrics, publisher.health, publisher.ready) as sent,
        MetricsServer(0, run.metrics, run.health, run.ready) as taken,
    ):
        assert "no connection" in get(f"{sent.url}/readyz")[1] and get(f"{sent.url}/other")[0] == 404
        asyncio.run(work(sent.url, taken.url))


def test_a_round_trip_of_100_ms_is_paid_once_for_all_samples_and_all_positions(site: Site) -> None:
    """One after the other they took 12 s each."""
    for device in range(1, SHOES + 1):
        site.record(device, 1, 2)
    site.sample(*(Sample(device, 1000.0, Link.OPEN, heard_at=1000.0) for device in range(1, SHOES + 1)))
    proxy = Proxy(site.nats.port)
    publisher = site.publisher()
    outbox = Outbox(site.store.path, "pit-1")

    async def work() -> tuple[int, int]:
        async with broker.connected(f"nats://127.0.0.1:{proxy.port}", "test") as (_client, stream):
            await broker.ensure_streams(stream, site.names)
            for device in range(1, SHOES + 1):
                await stream.put(site.names.latest, site.names.committed(device, identity(device)), b"[[1, 2]]")
            proxy.set(Mode.SLOW)
            await asyncio.sleep(0.2)
            before = proxy.slowed
            await publisher._publish_samples(stream)  # pyright: ignore[reportPrivateUsage]
            between = proxy.slowed
            await publisher._follow_committed(stream, outbox, True)  # pyright: ignore[reportPrivateUsage]
            return between - before, proxy.slowed - between

    pieces = asyncio.run(work())
    print(f"{SHOES} samples: {pieces[0]} pieces, {SHOES} positions: {pieces[1]} pieces")
    assert max(pieces) < SHOES // 2, pieces  # one after the other would be two each
    assert [head.passed for head in outbox.heads()] == [2] * SHOES
    outbox.close()
    proxy.close()
