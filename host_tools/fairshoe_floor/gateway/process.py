"""The gateway: records the shoes of an inventory and serves what it has recorded.

    fleet      a session with each shoe, in the role of recorder; the library commits, then acknowledges
    live       what is known of each shoe now
    samples    link, status and meters, kept now and then
    journals   exports of journals, pulled on a schedule from shoes with the profile table
    server     read API, page, health and metrics

A process that is killed loses nothing that was acknowledged: the store has it, and the rest is still in the devices.
It has no way to give a command, by its role and by its code (0044).
"""

from __future__ import annotations

import asyncio
import gc
import logging
import shutil
import sqlite3
import time
from collections.abc import Collection
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

from fairshoe import EventsElsewhere, Fleet, Role, Store, StoredEvent, StoreError
from fairshoe.files import make_private
from fairshoe.keys import KeyRing
from fairshoe_floor.alarms.rules import RuleBook, load_rules
from fairshoe_floor.api.app import Service
from fairshoe_floor.api.profiles import Json
from fairshoe_floor.api.server import ApiServer, Binding, page_files
from fairshoe_floor.api.tokens import Grant, Tokens
from fairshoe_floor.gateway.journal_pull import JournalPuller
from fairshoe_floor.gateway.live import Live
from fairshoe_floor.gateway.local_reader import LocalReader
from fairshoe_floor.gateway.metrics import Measures, MetricsPage
from fairshoe_floor.gateway.pit_alarms import PitAlarms
from fairshoe_floor.inventory import Entry, Inventory
from fairshoe_floor.journals import JournalFile, journals_path
from fairshoe_floor.samples import Link, Sample, SampleFile, samples_path
from fairshoe_floor.seen_time import DAY_S, SeenTime, seen_path
from fairshoe_floor.side_file import usable

# Between two samples of a shoe: less than the 120 s after which a floor calls it silent. The same whether its meters
# have changed or not, because the time of a sample is reported under every profile.
SAMPLE_S = 60.0
SAMPLES_DAYS = 14
SEEN_S = 15.0  # how often the time that has passed is written down
RETENTION_S = 3600.0
STUCK_S = 30.0  # events wait in devices, and none was committed for so long: not healthy
FREE_BYTES_MIN = 64 << 20
_log = logging.getLogger("fairshoe_floor.gateway")


@dataclass(frozen=True)
class Settings:
    """Of one run. `new_logs`: devices whose replaced storage is accepted, once."""

    binding: Binding
    grants: Collection[Grant] = ()
    own_tokens: bool = False  # the grants come from a file, not from this process
    new_logs: Collection[int] = ()
    sample_s: float = SAMPLE_S
    rules: RuleBook = field(default_factory=load_rules)


def lock_store(store: Path) -> sqlite3.Connection:
    """One gateway for a store: two would tell different things of each shoe. The lock ends with the process, however
    that ends; publishers and other readers do not need it."""
    make_private(store.with_suffix(".lock"))
    lock = sqlite3.connect(store.with_suffix(".lock"), timeout=0, check_same_thread=False, isolation_level=None)
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        lock.close()
        why = f"another gateway records into {store}." if "locked" in str(error) else f"cannot lock {store}: {error}."
        raise StoreError(why, "End that gateway, or name another store in the inventory.") from error
    return lock


class Gateway:
    """`async with` it; then `run` until it is cancelled or fails."""

    def __init__(self, inventory: Inventory, settings: Settings) -> None:
        settings.binding.check(settings.own_tokens)
        self.inventory = inventory
        self.url = ""
        self.measures = Measures()
        self._settings = settings
        self._stack = AsyncExitStack()
        self._sampled: dict[int, Sample] = {}
        self.started_at = time.monotonic()

    async def __aenter__(self) -> Gateway:
        async with AsyncExitStack() as stack:
            self.store = Store(self.inventory.store)
            stack.callback(self.store.close)
            stack.callback(lock_store(self.inventory.store).close)
            self.samples = usable(SampleFile, samples_path(self.inventory.store), SampleFile.newest)
            stack.callback(self.samples.close)
            self.journals = usable(JournalFile, journals_path(self.inventory.store), JournalFile.newest_of_each)
            stack.callback(self.journals.close)
            self.seen = usable(SeenTime, seen_path(self.inventory.store), lambda file: file.age_s)
            stack.callback(self.seen.close)
            self.live = Live(self.inventory, self._newest_log)
            self.alarms = PitAlarms(self.live, self._settings.rules, self.inventory.store.parent)
            reader = LocalReader(self.live, self.store, self.samples, self.alarms)
            stack.callback(reader.close)
            await asyncio.to_thread(self.live.restore, self.samples.newest(), self._events_since, self.samples.counted)
            self._sampled = {shoe.entry.device: shoe.sample for shoe in self.live.shoes()}
            # The stack is undone in reverse: the last sample is kept when all ports are closed, and the store is not.
            stack.push_async_callback(self._sample_all)
            self.fleet = await stack.enter_async_context(
                Fleet(self.store, metrics=self.measures.take, on_message=self.live.take_message)
            )
            for entry in self.inventory.shoes:
                self.fleet.add(entry.url, self._keys(entry), entry.device, entry.device in self._settings.new_logs)
            self.puller = JournalPuller(self.inventory, self.fleet, self.live, self.store, self.journals)
            self.puller.on_kept = self.alarms.take_export
            for kept in self.journals.newest_of_each():
                self.alarms.take_export(kept)
            page = MetricsPage(self.live, self.measures, self.store.path)
            tokens = Tokens(self._settings.grants)
            service = Service(
                reader, tokens, self.health, page.text, page_files(), self._settings.binding.local, self.ready
            )
            self.server = await stack.enter_async_context(ApiServer(service, self._settings.binding))
            self.url = self.server.url
            self._stack = stack.pop_all()
        _log.info("recording %d shoes of %s, serving %s", len(self.inventory.shoes), self.inventory.name, self.url)
        return self

    async def __aexit__(self, *_error: object) -> None:
        """Stop serving, close all ports, keep a last sample, close the store."""
        await self._stack.aclose()
        _log.info("stopped")

    async def run(self) -> None:
        """Record until cancelled. If one part ends, all of it ends: a supervisor starts the process again."""
        always = (self._follow(), self._sample_now_and_then(), self._retain(), self._watch_server())
        parts = (*always, self.puller.run(), self.alarms.run())
        tasks = [asyncio.create_task(part) for part in parts]
        try:
            done, _others = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    def health(self) -> tuple[bool, Json]:
        """Whether events reach the disk. No token is needed for it, so it has no time and no count of an event."""
        now = time.time()
        shoes = [shoe.sample for shoe in self.live.shoes()]
        links = {link.value: sum(it.link is link for it in shoes) for link in Link}
        free = shutil.disk_usage(self.store.path.parent).free
        ran_s = time.monotonic()
        quiet_s = ran_s - self.measures.committed_at if self.measures.committed_at else None
        held = [it for it in shoes if it.link is Link.OPEN and it.waiting and now - (it.heard_at or now) < STUCK_S]
        stuck = bool(held) and (quiet_s is None or quiet_s > STUCK_S) and ran_s - self.started_at > STUCK_S
        trouble = [
            *(["events wait in devices and nothing is committed"] if stuck else []),
            *([f"less than {FREE_BYTES_MIN >> 20} MB are left on the disk"] if free < FREE_BYTES_MIN else []),
        ]
        return not trouble, {"status": "; ".join(trouble) or "ok", "gateway": self.inventory.name, "shoes": links}

    def ready(self) -> tuple[bool, Json]:
        """Whether every port was tried, so that the page says how each shoe is."""
        waiting = sum(shoe.sample.link is Link.UNKNOWN for shoe in self.live.shoes())
        return not waiting, {"status": f"{waiting} shoes were not tried yet" if waiting else "ok"}

    # -- parts -------------------------------------------------------------------------------------------------------

    async def _follow(self) -> None:
        """Asking for the next item says that the event before is done with: it is counted. The library has committed
        and acknowledged it before it came here."""
        frozen = False
        async for item in self.fleet:
            self.live.take(item)
            if isinstance(item.message, EventsElsewhere):
                self.puller.events_elsewhere(item.device, item.message.last)
            self.alarms.take(item)
            if not frozen and len(self.live.open_shoes()) == len(self.inventory.shoes):
                frozen = True
                gc.freeze()  # from now on collections skip what every shoe keeps

    async def _sample_now_and_then(self) -> None:
        while True:
            await asyncio.sleep(min(1.0, self._settings.sample_s))
            due = [shoe.sample for shoe in self.live.shoes() if self._due(shoe.sample)]
            await self._keep(due)

    def _due(self, sample: Sample) -> bool:
        before = self._sampled[sample.device]
        return sample.link is not before.link or not 0 <= time.time() - before.at < self._settings.sample_s

    async def _keep(self, due: list[Sample]) -> None:
        if not due:
            return
        now = time.time()
        made = [replace(sample, at=now) for sample in due]
        try:
            await asyncio.to_thread(self.samples.add, made)
        except StoreError as error:
            _log.error("%s", error)
        # Also after an error: the next try is a minute later. A lost sample makes a plot coarser, nothing else (0044).
        self._sampled |= {sample.device: sample for sample in made}

    async def _sample_all(self) -> None:
        await self._keep([shoe.sample for shoe in self.live.shoes() if shoe.sample.link is not Link.UNKNOWN])

    async def _retain(self) -> None:
        """Count the time that passes; now and then delete what is old by it and was passed by every cursor. By no date:
        a clock that was wrong has deleted all events but one (0070)."""
        at, due = time.monotonic(), 0.0
        while True:
            await asyncio.sleep(min(SEEN_S, RETENTION_S))
            now = time.monotonic()
            try:
                await asyncio.to_thread(self.seen.pass_by, now - at)
                due += now - at
                if due >= RETENTION_S:
                    due = 0.0
                    await asyncio.to_thread(self.delete_old)
            except StoreError as error:
                _log.error("%s", error)
            at = now

    def delete_old(self) -> None:
        """One day's worth of each at most."""
        keep_s = self.inventory.keep_days * DAY_S
        logs = {f"log {log.id}": log for log in self.store.logs()}
        old = {name: mark for name in logs if (mark := self.seen.old(name, keep_s))}
        gone = self.store.prune(up_to={logs[name].id: place for name, (_number, place) in old.items()}) if old else 0
        if gone:
            _log.info("deleted %d events older than %d days", gone, self.inventory.keep_days)
        for number, _place in old.values():
            self.seen.used(number)
        for name, file, days in (
            ("samples", self.samples, SAMPLES_DAYS),
            ("journals", self.journals, self.inventory.keep_days),
        ):
            mark = self.seen.old(name, days * DAY_S)
            if mark is not None:
                file.prune(mark[1])
                self.seen.used(mark[0])
            self.seen.mark({name: file.last()}, days * DAY_S)
        self.seen.mark({name: log.last for name, log in logs.items()}, keep_s)

    async def _watch_server(self) -> None:
        await self.server.ended()
        raise StoreError("the server of the read API has ended.", "Start the gateway again; see the log.")

    # -- helpers -----------------------------------------------------------------------------------------------------

    def _keys(self, entry: Entry) -> KeyRing | None:
        folder: Path | None = entry.keys or self.inventory.keys
        return KeyRing(folder, Role.RECORDER) if folder is not None else None

    def _newest_log(self, device: int) -> bytes:
        found = self.store.newest_log(device)
        return found.identity if found is not None else b""

    def _events_since(self, device: int, log: bytes, after: int) -> list[StoredEvent]:
        return list(self.store.events(device, after, log=log))
