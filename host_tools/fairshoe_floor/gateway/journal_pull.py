"""Pulls journals on a schedule. The gateway owns the ports, so it pulls; one shoe at a time.

Only shoes with the profile `table` are asked: `meters` allows no request to the device. A pull sends `journal_get`, as
a session does at its start; and `journal_sign`, if the inventory has a public key of the device: then it has made its
signing key already, and the answer changes nothing in it (decision 0068).
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from fairshoe import FairshoeError, Fleet, NoAnswer, Store, StoredEvent, StoreError
from fairshoe.journal.export import (
    Asking,
    Export,
    OtherJournal,
    Overwritten,
    Record,
    add_signed,
    attestation_of,
    parse_export,
)
from fairshoe.messages import JournalIs
from fairshoe_floor.gateway.live import Live
from fairshoe_floor.inventory import Entry, Inventory, Profile
from fairshoe_floor.journals import JournalFile, JournalPull, check_piece, fill_store, pull_piece, trusted_keys
from fairshoe_floor.samples import Link

LOOK_S = 5.0  # how often it is looked which pulls are due
T = TypeVar("T")
RETRY_S = 600.0  # after a pull that failed
_log = logging.getLogger("fairshoe_floor.gateway")


class JournalPuller:
    """`run` until it is cancelled; or `pull` one shoe."""

    def __init__(self, inventory: Inventory, fleet: Fleet, live: Live, store: Store, file: JournalFile) -> None:
        self._entries = [entry for entry in inventory.shoes if entry.profile is Profile.TABLE]
        self._every_s = inventory.journal_hours * 3600.0
        self.fleet = fleet
        self._live = live
        self._store = store
        self._file = file
        self._signing = trusted_keys(inventory)
        self._failed_at: dict[int, float] = {}
        self._elsewhere: dict[int, int] = {}  # by device, the last event that it does not send and the store may lack
        self.on_kept: Callable[[JournalPull], None] | None = None

    async def run(self) -> None:
        while True:
            try:
                for entry in await self.due():
                    await self.pull(entry)
            except StoreError as error:
                _log.error("%s", error)
            await asyncio.sleep(LOOK_S)

    def events_elsewhere(self, device: int, last: int) -> None:
        """The device does not send events up to this one, and the store lacks some: its journal may have them."""
        self._elsewhere[device] = last
        self._failed_at.pop(device, None)

    async def due(self) -> list[Entry]:
        """Shoes whose journal is to be pulled now."""
        now, ran_s = time.time(), time.monotonic()
        pulled = await asyncio.to_thread(self._file.pulled_at)
        return [
            entry
            for entry in self._entries
            if (not 0 <= now - pulled.get(entry.device, 0.0) < self._every_s or entry.device in self._elsewhere)
            and ran_s - self._failed_at.get(entry.device, -RETRY_S) >= RETRY_S
            and self._is_open(entry)
        ]

    def _is_open(self, entry: Entry) -> bool:
        shoe = self._live.shoe(entry.device)
        return shoe is not None and shoe.sample.link is Link.OPEN

    async def pull(self, entry: Entry) -> JournalPull | None:
        """Pull, check and keep. None if the shoe did not answer to the end: it is tried again later."""
        device = entry.device
        log = await asyncio.to_thread(self._newest_log, device)
        if not log:
            return None  # the store does not have its log yet
        before = await asyncio.to_thread(self._file.newest, device, log)
        tail = before.tail() if before is not None else None
        try:
            export = await self._ask(device, log, tail)
            kept = await asyncio.to_thread(check_piece, export, tail, self._events_of(device, log), time.time())
        except FairshoeError as error:
            if not isinstance(error, OtherJournal) or isinstance(error, Overwritten):
                self._failed_at[device] = time.monotonic()
                _log.warning("the journal of %s (%s) was not pulled: %s", entry.name, entry.table, error)
                return None
            kept = JournalPull(device, log, time.time(), 0, 0, error.what)
        await asyncio.to_thread(self._file.add, kept)
        await self._fill(entry, log)
        if self.on_kept is not None:
            self.on_kept(kept)
        if kept.problem:
            _log.error("the journal of %s (%s): %s", entry.name, entry.table, kept.problem)
        else:
            _log.info("pulled records %d to %d of %s (%s)", kept.first, kept.last, entry.name, entry.table)
        return kept

    async def _fill(self, entry: Entry, log: bytes) -> None:
        """Events that the store lacks, from all exports on file of this log."""
        last = self._elsewhere.pop(entry.device, 0)
        if not last:
            return
        kept = await asyncio.to_thread(self._file.of, entry.device, 0.0)
        added = 0
        for it in kept:
            if it.log == log and it.content:
                added += await asyncio.to_thread(fill_store, self._store, parse_export(it.content), last)
        _log.warning("%d events of %s (%s) are from its journal: the store lacked them", added, entry.name, entry.table)

    async def _ask(self, device: int, log: bytes, tail: Record | None) -> Export:
        export = await self._answer(device, pull_piece(f"device {device:08x}", device, log, tail))
        if device in self._signing:
            try:
                signed = attestation_of(await self.fleet.journal_signed(device, export.last))
            except NoAnswer:
                if device not in self._elsewhere:  # else events are needed now, and the signature can wait
                    raise
                signed = None
            if signed is not None:
                await self._answer(device, add_signed(export, signed))
        return export

    async def _answer(self, device: int, steps: Asking[T]) -> T:
        answer: JournalIs | bytes | None = None
        while True:
            try:
                seq = steps.send(answer)
            except StopIteration as done:
                return cast("T", done.value)
            answer = await (self.fleet.journal_record(device, seq) if seq else self.fleet.journal_is(device))

    def _events_of(self, device: int, log: bytes) -> Callable[[int], Iterable[StoredEvent]]:
        return lambda after: self._store.events(device, after, log=log)

    def _newest_log(self, device: int) -> bytes:
        found = self._store.newest_log(device)
        return found.identity if found is not None else b""
