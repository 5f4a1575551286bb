"""The floor page in a browser over a reader in memory: 200 tables, with the exceptions that a test or a picture makes.

Imports floor_case, which is in tests/floor.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from floor_case import LOG, MemoryReader, entry, made, sample

from fairshoe.messages import Fault, Meters, State, Status
from fairshoe_floor.api.app import Service
from fairshoe_floor.api.server import ApiServer, Binding, page_files
from fairshoe_floor.api.tokens import Tokens, new_token
from fairshoe_floor.inventory import Entry, Profile
from fairshoe_floor.reader import Alarm, Latched, Link, Reading, Shoe
from fairshoe_floor.samples import Totals
from web.browser import Bench

TABLES = 200
TOKEN, GRANT = new_token("page", ["table", "acknowledge"])
NONE = {"stalls": 0, "jams": 0, "double_feeds": 0, "faults": 0}
FIRST: Meters = made(Meters, cards=1000, misfeeds=1, cycles=20, feed_us=60_000, **NONE)
LAST = replace(FIRST, cards=1520, misfeeds=3, cycles=30, stalls=1, jams=1, faults=2)
KEPT = sample(1, meters=LAST, totals=Totals(rounds=412, voided=1, shuffles=425, refused=2, warnings=3, since=10.0))
STATES = (State.STACK_OFFERED, State.SHUFFLING, State.WAITING_FOR_ROUND_END, State.DECK_READY, State.DISPENSING)
READINGS, SHIFT_S = 24, 7.5 * 3600
GROWING = ("cards", "misfeeds", "cycles", "stalls", "jams", "faults")
PHONE, DESK = {"width": 360, "height": 740}, {"width": 1280, "height": 900}


class Floor(MemoryReader):
    """Tables that are heard now, with the exceptions that a test makes."""

    def __init__(self) -> None:
        super().__init__(
            [entry(n, Profile.METERS if n % 5 == 0 else Profile.TABLE, str(n % 4)) for n in range(1, TABLES + 1)]
        )
        self.stop: Callable[[], None] = lambda: None  # of its server
        self.latched: dict[int, Latched] = {}
        self.links: dict[int, Link] = {}
        self.silent: dict[int, float] = {}
        self.waiting: dict[int, int] = {}
        self.notes: dict[int, str] = {}  # of alarms that were acknowledged

    def shoes(self) -> list[Shoe]:
        return [self._one(it) for it in self.entries]

    def shoe(self, device: int) -> Shoe | None:
        return next((self._one(it) for it in self.entries if it.device == device), None)

    def _one(self, it: Entry) -> Shoe:
        heard = time.time() - self.silent.get(it.device, 0.0)
        link = self.links.get(it.device, Link.OPEN)
        why = "" if link is Link.OPEN else f"why {it.device}"
        waiting = self.waiting.get(it.device, KEPT.waiting)
        rounds = 380 + it.device * 37 % 60
        status = made(Status, round=rounds + 1, state=STATES[it.device % len(STATES)], events_waiting=0)
        totals = replace(KEPT.totals, rounds=rounds, shuffles=rounds + 9)
        kept = replace(KEPT, device=it.device, link=link, heard_at=heard, link_text=why, waiting=waiting)
        kept = replace(kept, status=status, totals=totals)
        seq = len(self.stored.get(it.device, ()))
        return Shoe(it, "gw", kept, LOG, seq, 9.0, kept.totals, self.latched.get(it.device), quiet_seq=seq)

    def meters(self, device: int, since: float = 0.0, limit: int = 1000) -> list[Reading]:
        """A shift: the first and the last reading, and between them what a good machine does."""
        now = time.time()
        found: list[Reading] = []
        for number in range(READINGS):
            part = number / (READINGS - 1)
            ends = {name: (getattr(FIRST, name), getattr(LAST, name)) for name in GROWING}
            between = {name: round(a + part * (b - a)) for name, (a, b) in ends.items()}
            feed_us = FIRST.feed_us + (number * 7 % 5) * 900 * (part < 1)
            found.append(Reading(device, now - SHIFT_S * (1 - part), replace(LAST, **between, feed_us=feed_us)))
        return found

    def warn(self, device: int, since: float, fault: Fault = Fault.JAM_EXIT) -> None:
        self.latched[device] = Latched(device, LOG, 1, fault, since, 3)
        self.number += 1

    def alarm(
        self, device: int, rule: str, severity: str, text: str, part: str = "", number: int | None = None
    ) -> None:
        """They are kept as they come: name the most severe first. Those with a number can be acknowledged."""
        self.raised.append(Alarm(device, rule, severity, text, time.time() - 60, None, number, part))

    def acknowledge(self, number: int, by: str, note: str) -> bool:
        self.notes[number] = note
        self.raised = [replace(it, acknowledged_by=by) if it.id == number else it for it in self.raised]
        return True


@contextmanager
def floor(chromium: Any, size: dict[str, int] = DESK, scheme: str = "light") -> Generator[tuple[Bench, Floor]]:
    """The page of a server in a thread of its own."""
    reader, started, ending = Floor(), threading.Event(), threading.Event()
    reader.stop = ending.set
    urls: list[str] = []

    async def serve() -> None:
        service = Service(reader, Tokens([GRANT]), lambda: (True, {}), lambda _: "", page_files())
        service.acknowledge = reader.acknowledge
        async with ApiServer(service, Binding()) as server:
            urls.append(server.url)
            started.set()
            await asyncio.to_thread(ending.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()), daemon=True)
    thread.start()
    assert started.wait(30)
    bench = Bench(chromium.new_page(viewport=size, color_scheme=scheme), f"{urls[0]}#{TOKEN}")
    bench.tab.goto(bench.url)
    bench.until("globalThis.floor?.shoes.size")
    try:
        yield bench, reader
        assert not bench.errors, bench.errors
    finally:
        bench.tab.close()
        ending.set()
        thread.join(30)
