"""A floor on this machine: fake keyed shoes through gateways, publishers, broker and consumer into PostgreSQL.

Prints events per second into PostgreSQL, the time from a gateway's commit to PostgreSQL's, processor time and memory
of each kind of program; then how fast a backlog goes through. Servers are as installed, with their own settings for
the disk. Latency depends on what else the machine does: the load is printed beside it.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
from floor import pits, servers

from bench.fleet import processor_s
from bench.pit import memory_mb
from bench.section import Lacking, NotMeasured
from fairshoe import Store
from fairshoe.client.store import Arrived
from fairshoe.messages import DoorOpened
from fairshoe_floor.history.consumer import Consumer
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.names import Names
from fairshoe_floor.stream.publisher import Publisher

SHOES = 1000
GATEWAYS = 4
RATE = 1.0
SECONDS = 10.0
OPEN_S = 300.0
BACKLOG = 20_000
DRAIN_S = 300.0
FAIRSHOE = [sys.executable, "-m", "fairshoe"]


def query(url: str, text: str, values: Sequence[Any] = ()) -> list[Any]:
    with psycopg.connect(url) as db:
        return db.execute(text.encode(), values).fetchall()


def require_servers() -> None:
    lacking = servers.missing()
    if lacking:
        raise Lacking("; ".join(lacking))


class Floor:
    """The programs of one run, by name."""

    def __init__(self, folder: Path, nats: servers.Nats, postgres: servers.Postgres) -> None:
        self.folder = folder
        self.nats = nats
        self.postgres = postgres
        self.started: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, name: str, command: list[str], piped: bool = False) -> subprocess.Popen[bytes]:
        with (self.folder / f"{name}.log").open("wb") as log:
            self.started[name] = subprocess.Popen(
                command,
                stdin=subprocess.PIPE if piped else subprocess.DEVNULL,
                stdout=subprocess.PIPE if piped else log,
                stderr=log,
            )
        return self.started[name]

    def open(self, shoes: int, gateways: int, rate: float) -> None:
        fakes = self.start("shoes", [sys.executable, "-m", "floor.shoes", str(shoes), str(rate), "1"], piped=True)
        assert fakes.stdout
        port = int(fakes.stdout.readline())
        part = shoes // gateways
        for number in range(gateways):
            entries = pits.fake_entries(number * part + 1, (number + 1) * part, port)
            inventory = pits.write_pit(self.folder, f"pit-{number}", entries)
            self.start(f"gateway {number}", [*FAIRSHOE, "floor", "gateway", str(inventory)])
        while not all((self.folder / f"pit-{number}.db").exists() for number in range(gateways)):
            time.sleep(0.1)
        for number in range(gateways):
            # Without names all four would have one, that of this host, and three would wait for it for ever.
            words = [str(self.folder / f"pit-{number}.db"), "--name", f"pit-{number}", "--nats", self.nats.url]
            self.start(f"publisher {number}", [*FAIRSHOE, "floor", "publish", *words])
        subprocess.run(
            [*FAIRSHOE, "floor", "migrate", "--database", self.postgres.url], check=True, stdout=subprocess.PIPE
        )
        self.start("floor", [*FAIRSHOE, "floor", "run", "--database", self.postgres.url, "--nats", self.nats.url])
        self._wait_for(part * gateways)

    def _wait_for(self, shoes: int) -> None:
        end = time.monotonic() + OPEN_S
        while time.monotonic() < end:
            try:
                if query(self.postgres.url, "SELECT COUNT(*) FROM logs")[0][0] >= shoes:
                    return
            except psycopg.Error:
                pass
            time.sleep(0.5)
        ended = [name for name, process in self.started.items() if process.poll() is not None]
        more = f"; ended by themselves: {', '.join(ended)}" if ended else ""
        raise NotMeasured(f"not all of {shoes} shoes are in PostgreSQL after {OPEN_S:g} s{more}")

    def used(self) -> dict[str, float]:
        """Processor seconds so far, by kind of program."""
        found: dict[str, float] = {"nats": processor_s(self.nats.processes()[0])}
        found["postgres"] = sum(processor_s(process) for process in self.postgres.processes())
        for name, process in self.started.items():
            kind = name.split()[0]
            found[kind] = found.get(kind, 0.0) + processor_s(process.pid)
        return found

    def close(self) -> None:
        for process in self.started.values():
            process.kill()
            process.wait()


def measure(
    shoes: int = SHOES, gateways: int = GATEWAYS, rate: float = RATE, seconds: float = SECONDS
) -> dict[str, Any]:
    require_servers()
    with servers.running(durable=True) as (nats, postgres), servers.private_folder() as folder:
        floor = Floor(folder, nats, postgres)
        try:
            floor.open(shoes, gateways, rate)
            time.sleep(3)
            began, used = time.time(), floor.used()
            time.sleep(seconds)
            passed, after = time.time() - began, floor.used()
            rows = query(
                postgres.url,
                "SELECT COUNT(*), percentile_cont(0.5) WITHIN GROUP (ORDER BY lag), percentile_cont(0.99) WITHIN GROUP"
                " (ORDER BY lag) FROM (SELECT extract(epoch FROM stored) - received AS lag FROM events"
                " WHERE extract(epoch FROM stored) BETWEEN %s AND %s) AS recent",
                (began, began + passed),
            )
            count, p50, p99 = rows[0]
            return {
                "shoes": shoes,
                "gateways": gateways,
                "rate": rate,
                "events_per_s": count / passed,
                "lag_p50_s": float(p50 or 0),
                "lag_p99_s": float(p99 or 0),
                "core": {kind: (after[kind] - used[kind]) / passed for kind in used},
                "gateway_mb": memory_mb(floor.started["gateway 0"].pid),
                "load": os.getloadavg()[0],
            }
        finally:
            floor.close()


def backlog(count: int = BACKLOG, logs: int = 10) -> dict[str, float]:
    """Events per second of a publisher, and into PostgreSQL, when both have catching up to do."""
    require_servers()
    with servers.running(durable=True) as (nats, postgres), servers.private_folder() as folder:
        path = folder / "pit.db"
        with Store(path) as store:
            for device in range(1, logs + 1):
                log = store.resume(device, device.to_bytes(16, "big"), count, 1)
                body = DoorOpened.LAYOUT.pack
                store.add(
                    log.id,
                    [
                        Arrived(seq, DoorOpened(seq, 1, 100, 5, 0, 3, 1), body(seq, 1, 100, 5, 0, 3, 1))
                        for seq in range(1, count // logs + 1)
                    ],
                )
        command = [*FAIRSHOE, "floor", "migrate", "--database", postgres.url]
        subprocess.run(command, check=True, stdout=subprocess.PIPE)
        return asyncio.run(_backlog(path, nats.url, postgres.url, count))


async def _backlog(path: Path, nats: str, postgres: str, count: int) -> dict[str, float]:
    publisher, consumer = Publisher(path, nats, "pit"), Consumer(postgres, nats)
    async with broker.connected(nats, "bench") as (_, stream):
        await broker.ensure_streams(stream, Names())  # as `fairshoe floor run` does, which comes last here
    found: dict[str, float] = {"events": count}
    for name, program in (("published_per_s", publisher), ("consumed_per_s", consumer)):
        began = time.monotonic()
        task = asyncio.create_task(program.run())
        while (publisher.counts.events if program is publisher else consumer.counts.new) < count:
            if task.done() or time.monotonic() > began + DRAIN_S:
                raise NotMeasured(f"{name}: not all of {count} events went through in {DRAIN_S:g} s")
            await asyncio.sleep(0.01)
        found[name] = count / (time.monotonic() - began)
        program.stop()
        while not task.done():
            task.cancel()
            await asyncio.wait([task], timeout=0.5)
    return found


def report(got: dict[str, Any]) -> list[str]:
    parts = ", ".join(f"{kind} {share:.0%}" for kind, share in sorted(got["core"].items()) if kind != "shoes")
    gateway_us = got["core"]["gateway"] / max(1.0, got["events_per_s"]) * 1e6
    return [
        f"floor: {got['shoes']} keyed shoes x {got['rate']:g} events a second through {got['gateways']} gateways into"
        " PostgreSQL",
        f"  {got['events_per_s']:.0f} events a second; from the gateway's commit to PostgreSQL's p50"
        f" {got['lag_p50_s'] * 1000:.0f} ms, p99 {got['lag_p99_s'] * 1000:.0f} ms"
        f" (load {got['load']:.1f} on {os.cpu_count()} cores)",
        f"  of one core: {parts}; gateways {gateway_us:.0f} us an event,"
        f" {got['gateway_mb']:.0f} MB for {got['shoes'] // got['gateways']} shoes",
    ]


def report_backlog(drained: dict[str, float]) -> list[str]:
    return [
        f"floor, backlog of {drained['events']:.0f} events: {drained['published_per_s']:.0f} a second into the stream,"
        f" {drained['consumed_per_s']:.0f} a second into PostgreSQL",
    ]
