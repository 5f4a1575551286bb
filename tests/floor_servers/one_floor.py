"""One test's floor: a store, a stream and a database, and programs that run until something holds."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

import psycopg
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from floor import servers
from waits import LIMIT_S

from fairshoe import Store
from fairshoe.client.store import Arrived
from fairshoe.journal.export import GENESIS, Attestation, Export, Record, export_text
from fairshoe.journal.signatures import SIGNED_TEXT
from fairshoe.messages import DoorOpened
from fairshoe_floor.alarms import book
from fairshoe_floor.alarms.desk import Desk
from fairshoe_floor.alarms.rules import RuleBook
from fairshoe_floor.history import schema
from fairshoe_floor.history.consumer import Consumer
from fairshoe_floor.journals import JournalFile, JournalPull, journals_path
from fairshoe_floor.samples import Sample, SampleFile, samples_path
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.names import Names
from fairshoe_floor.stream.outbox import Outbox
from fairshoe_floor.stream.publisher import Publisher


@dataclass
class Site:
    """One test's floor: a gateway's store, a stream, a database."""

    nats: servers.Nats
    postgres: servers.Postgres
    store: Store
    names: Names
    database: str
    url: str

    def record(self, device: int, first: int, last: int, log: bytes = b"", new_log: bool = False, odd: int = 0) -> None:
        """Events happen and are stored, as a gateway does it; the gateway forges the event `odd`."""
        on_file = self.store.resume(device, log or identity(device), last, 1, new_log)
        self.store.add(on_file.id, [arrived(seq, seq == odd) for seq in range(first, last + 1)])
        self.store.handled(on_file.id, last)

    def publisher(self, store: Store | None = None, gateway: str = "pit-1", **options: Any) -> Publisher:
        settings: dict[str, Any] = {"verify_s": 0.3, "committed_s": 0.1} | options
        return Publisher((store or self.store).path, self.url, gateway, self.names, **settings)

    def purge(self, keep: int | None = None) -> None:
        """The stream of events loses its messages, but for the newest `keep`."""

        async def work() -> None:
            async with broker.connected(self.nats.url, "test") as (_client, stream):
                await stream.purge_stream(self.names.stream, keep=keep)

        asyncio.run(work())

    def consumer(self) -> Consumer:
        return Consumer(self.database, self.url, self.names, journals_s=0.1, idle_s=0.1)

    def rows(self, query: str = "SELECT device, log, seq FROM events ORDER BY position") -> list[Any]:
        with psycopg.connect(self.database) as db:
            return db.execute(query.encode()).fetchall()

    def count(self, table: str = "events") -> int:
        return int(self.rows(f"SELECT COUNT(*) FROM {table}")[0][0])

    def passed(self) -> int:
        """How far the store knows the first log to be in the central record."""
        with closing(Outbox(self.store.path, "pit-1")) as outbox:
            return outbox.heads()[0].passed

    def keep(self, *exports: JournalPull) -> None:
        """Journals are pulled."""
        with closing(JournalFile(journals_path(self.store.path))) as file:
            for export in exports:
                file.add(export)

    def sample(self, *samples: Sample) -> None:
        with closing(SampleFile(samples_path(self.store.path))) as file:
            file.add(samples)

    def carry(self, total: int, table: str = "events") -> None:
        """Publish and consume until the database has so many."""
        self.run(self.publisher(), self.consumer(), until=lambda: self.count(table) >= total)

    def judge(self, db: psycopg.Connection[Any], rules: RuleBook, *times: float) -> list[book.Alarm]:
        """The alarms that stand when a desk has started and judged at these times."""
        desk = Desk(self.database, rules)
        engine, places = desk.warm_up(db, times[0])
        for now in times:
            places = desk.step(db, engine, places, now)
        return book.alarms(db)

    def seqs(self, device: int) -> list[int]:
        return [seq for number, _log, seq in self.rows() if number == device]

    def run(self, *programs: Publisher | Consumer, until: Callable[[], bool]) -> None:
        """Run programs side by side until something holds."""
        asyncio.run(_run(programs, until))


def migrate(url: str, steps: Sequence[str] = schema.STEPS) -> int:
    async def work() -> int:
        async with await psycopg.AsyncConnection.connect(url, autocommit=True) as connection:
            return await schema.migrate(connection, steps)

    return asyncio.run(work())


def identity(device: int) -> bytes:
    return device.to_bytes(16, "big")


def arrived(seq: int, odd: bool = False) -> Arrived:
    values = (seq, 1, 100, 5, 0, 3, 2 if odd else 1)
    return Arrived(seq, DoorOpened(*values), DoorOpened.LAYOUT.pack(*values))


def kept(
    device: int, first: int, last: int, at: float, until: int = 0, key: Ed25519PrivateKey | None = None, odd: int = 0
) -> JournalPull:
    """An export of a journal whose records are the events of `arrived`; with `until` the file ends earlier. With a key
    it is signed; the record `odd` is forged."""
    log = identity(device)
    record = Record(0, GENESIS + log)
    records: list[Record] = []
    for seq in range(1, last + 1):
        record = Record.of_event(seq, DoorOpened.ID, arrived(seq, seq == odd).body, record.digest)
        records.append(record)
    attested = Attestation(1, last, 0, 0, record.digest, bytes(16))
    if key is not None:
        public = key.public_key().public_bytes_raw()
        signature = key.sign(SIGNED_TEXT + attested.signed(device, log))
        attested = replace(attested, public=public, signature=signature)
    export = Export(device, log, first, [attested], records[first - 1 : until or last])
    return JournalPull(device, log, at, export.first, export.last, "", export_text(export).encode())


async def _run(programs: tuple[Publisher | Consumer, ...], until: Callable[[], bool]) -> None:
    tasks = [asyncio.create_task(program.run()) for program in programs]
    end = time.monotonic() + LIMIT_S
    try:
        while not until():
            for task in tasks:
                if task.done():
                    task.result()
            assert time.monotonic() < end, f"not within {LIMIT_S:g} s; {[program.counts for program in programs]}"
            await asyncio.sleep(0.02)
    finally:
        for program in programs:
            program.stop()
        while pending := [task for task in tasks if not task.done()]:
            for task in pending:
                task.cancel()
            await asyncio.wait(pending, timeout=5.0)  # a second cancel ends what a program still does at its end
