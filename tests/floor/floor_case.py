"""What tests of the floor share: a reader in memory, shoes and events to fill it, a gateway, an HTTP client."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, get_type_hints

from waits import LIMIT_S

from fairshoe import Message, StoredEvent
from fairshoe.messages import Fault, Health, LinkCounters, Meters, RoundEnded, RoundStarted, Status, WarningLatched
from fairshoe_floor.gateway.process import Gateway
from fairshoe_floor.inventory import Entry, Profile
from fairshoe_floor.reader import PAGE_MAX, Alarm, Latched, Link, Reading, Round, Sample, Shoe, Totals

LOG = bytes(range(16))
MARK = 201  # in every field of a made message that is a number: it must not leak out of a profile


def made(kind: type[Message], **values: Any) -> Any:
    """A message with MARK in every number, and words and bytes that are recognised again."""
    hints = get_type_hints(kind)
    given: dict[str, Any] = {}
    for it in fields(kind):
        hint = hints[it.name]
        given[it.name] = MARK if hint is int else "word" if hint is str else b"\x5a" * 16 if hint is bytes else hint(0)
    return kind(**{**given, **values})


def entry(device: int, profile: Profile = Profile.TABLE, pit: str = "1") -> Entry:
    approval = "letter 7" if profile is Profile.TABLE else ""
    return Entry(device, f"T-{device:02d}", pit, f"tcp://127.0.0.1:{device}", None, profile, approval)


def sample(device: int, **values: Any) -> Sample:
    given: dict[str, Any] = {
        "at": 1000.0,
        "link": Link.OPEN,
        "heard_at": 1000.0,
        "firmware": "0.1.0",
        "game": "CS",
        "boot": 3,
        "status": made(Status),
        "meters": made(Meters, cards=2000, misfeeds=3),
        "health": made(Health),
        "counters": made(LinkCounters),
        "waiting": 0,
        "totals": Totals(rounds=MARK, voided=MARK, shuffles=5, since=10.0),
    }
    return Sample(device, **{**given, **values})


@dataclass
class MemoryReader:
    """A Reader over lists. `change` what it has, and live clients hear of it."""

    entries: Sequence[Entry]
    stored: dict[int, list[StoredEvent]] = field(default_factory=dict[int, list[StoredEvent]])
    raised: list[Alarm] = field(default_factory=list[Alarm])
    number: int = 1
    reads: int = 0
    lasting_s: float = 0.0
    order: list[bytes] = field(default_factory=lambda: [LOG])  # logs, the newest last

    def record(self, device: int, message: Message, seq: int) -> None:
        stored = StoredEvent(device, self.order[-1], seq, message.NAME, 5.0, message, bytes(4))
        self.stored.setdefault(device, []).append(stored)
        self.number += 1

    def version(self) -> int:
        return self.number

    def shoes(self) -> Sequence[Shoe]:
        return [self._shoe(it) for it in self.entries]

    def _shoe(self, it: Entry) -> Shoe:
        log = self.order[-1]
        events = [stored for stored in self.stored.get(it.device, []) if stored.log == log]
        kept = sample(it.device)
        seq = events[-1].seq if events else 0
        started = [stored.seq for stored in events if isinstance(stored.event, RoundStarted)]
        ended = [stored.seq for stored in events if isinstance(stored.event, RoundEnded)]
        open_at = started[-1] if started and started[-1] > max(ended, default=0) else 0
        quiet_seq = open_at - 1 if open_at else seq
        return Shoe(it, "gw", kept, log, seq, 9.0, kept.totals, self._latched(it.device), quiet_seq=quiet_seq)

    def _latched(self, device: int) -> Latched | None:
        found = [it for it in self.stored.get(device, []) if isinstance(it.event, WarningLatched)]
        return Latched(device, LOG, found[-1].seq, Fault.JAM_EXIT, 7.0, MARK) if found else None

    def shoe(self, device: int) -> Shoe | None:
        return next((self._shoe(it) for it in self.entries if it.device == device), None)

    def rounds(self, device: int, before: tuple[bytes, int] | None = None, limit: int = 100) -> Sequence[Round]:
        last = before[1] if before else 100
        return [Round(device, LOG, n, n, n, 1.0, 2.0, "ended", "CS", 4) for n in range(last - 1, 90, -1)][:limit]

    def events(self, device: int, log: bytes | None, after: int, limit: int = PAGE_MAX) -> Sequence[StoredEvent]:
        self.reads += 1
        return [it for it in self.stored.get(device, []) if it.seq > after and it.log == (LOG if log is None else log)][
            :limit
        ]

    def logs(self, device: int) -> Sequence[bytes]:
        return self.order

    def alarms(self) -> Sequence[Alarm]:
        return self.raised

    def meters(self, device: int, since: float = 0.0, limit: int = PAGE_MAX) -> Sequence[Reading]:
        return [Reading(device, at, made(Meters)) for at in (1.0, 2.0, 3.0) if at > since][:limit]


@contextlib.asynccontextmanager
async def served(gateway: Gateway) -> AsyncGenerator[Gateway]:
    """An open gateway that records until the end of the block."""
    task = asyncio.create_task(gateway.run())
    try:
        yield gateway
    finally:
        task.cancel()
        await asyncio.wait([task])


@dataclass(frozen=True)
class Answer:
    """Of a server."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)


async def request(url: str, path: str, token: str = "", method: str = "GET", body: str = "", **headers: str) -> Answer:
    """One request over a connection of its own."""
    host, _, port = url.removeprefix("http://").rstrip("/").partition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    lines = [f"{method} {path} HTTP/1.1", "Connection: close"]
    given = {"Host": f"{host}:{port}", **headers} | ({"Content-Length": str(len(body))} if body else {})
    if token:
        given["Authorization"] = f"Bearer {token}"
    lines += [f"{name}: {value}" for name, value in given.items()]
    writer.write("\r\n".join([*lines, "", body]).encode())
    data = await asyncio.wait_for(reader.read(), LIMIT_S)
    writer.close()
    head, _, told = data.partition(b"\r\n\r\n")
    first, *rest = head.decode().split("\r\n")
    found = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in rest)}
    if found.get("content-encoding") == "gzip":
        told = gzip.decompress(told)
    return Answer(int(first.split()[1]), found, told.decode())
