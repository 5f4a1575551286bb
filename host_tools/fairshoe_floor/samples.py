"""Samples: what a gateway knows of a shoe beside its events (link, status, meters), and the file that keeps them.

Events have the guarantees: stored, acknowledged, published in order. Samples have none: one is taken now and then, and
losing some only makes a plot coarser. The file is `NAME.samples.db` beside the store, with one writer (the gateway) and
any number of readers; `id` only grows, so that a publisher can go on after the last one it sent.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from dataclasses import fields as dataclass_fields
from enum import Enum
from pathlib import Path
from typing import Any

from fairshoe import Fault, Message, Status, UsageError
from fairshoe.message_data import from_dict, to_dict
from fairshoe.messages import Health, LinkCounters, Meters, Wear
from fairshoe_floor import schema_check as are
from fairshoe_floor.schema_check import Check, Refused
from fairshoe_floor.side_file import SideFile


class Link(Enum):
    """How a gateway stands with a shoe."""

    OPEN = "open"  # in session
    LOST = "lost"  # was open; the port is gone or silent, and is tried again
    FAILED = "failed"  # cannot be opened: no key, another device, replaced storage, nothing there
    UNKNOWN = "unknown"  # nothing heard yet


@dataclass(frozen=True)
class Totals:
    """Counts over the events of a device since `since`. Retention does not lower them."""

    rounds: int = 0  # ended
    voided: int = 0
    shuffles: int = 0  # decks verified
    refused: int = 0  # decks refused
    failed: int = 0  # shuffles that failed
    warnings: int = 0
    commands_refused: int = 0  # command_ended with outcome rejected, of any host
    since: float | None = None


NO_TOTALS = Totals()


@dataclass(frozen=True)
class Latched:
    """A warning that is latched and not cleared, by the events on file."""

    device: int
    log: bytes
    seq: int  # of warning_latched
    fault: Fault
    since: float  # when the event was stored
    round: int


@dataclass(frozen=True)
class Sample:
    """One shoe at one time.

    heard_at  when the last message of the device arrived; everything below is that old at least
    waiting   events that the device has recorded and no host has acknowledged
    log, seq  the newest event that is counted in `totals` and `latched`: a gateway that starts again goes on from there
    round_seq the event that began the round under way; None if there is no such round
    before    the sample as it was when no round was under way, the last time; None if this one is such a sample
    """

    device: int
    at: float
    link: Link
    link_text: str = ""  # why it is lost or failed, in words
    heard_at: float | None = None
    firmware: str | None = None
    game: str | None = None
    boot: int | None = None
    status: Status | None = None
    meters: Meters | None = None
    health: Health | None = None
    counters: LinkCounters | None = None
    waiting: int | None = None
    log: bytes = b""
    seq: int = 0
    stored_at: float | None = None  # when that event was stored
    totals: Totals = NO_TOTALS
    latched: Latched | None = None
    round_seq: int | None = None
    before: Sample | None = None
    table: str | None = None  # where it is by the inventory of its gateway, and since when; None: of an older version
    pit: str | None = None
    since: float | None = None
    wear: Wear | None = None

    def not_after(self, at: float) -> Sample:
        """As it can be at most, when it has arrived at this time: the clock of its gateway may be ahead."""
        heard_at = None if self.heard_at is None else min(self.heard_at, at)
        return replace(self, at=min(self.at, at), heard_at=heard_at)

    def followed_by(self, it: Sample) -> Sample:
        """The next sample of the shoe, with this one or the one before it. No round is under way if none has begun and
        the device has no event that could have begun one."""
        if it.round_seq is None and not it.waiting:
            return it if it.before is None else replace(it, before=None)
        return replace(it, before=self.before or replace(self, status=None, table=None, pit=None, since=None))


_SECONDS = are.real(0, are.SECONDS_MAX)
_COUNT = are.whole(0, are.BIGINT)
_PLAIN: dict[str, Check] = {
    "link_text": are.text(),
    "heard_at": are.optional(_SECONDS),
    "firmware": are.optional(are.text(64)),
    "game": are.optional(are.text(64)),
    "boot": are.optional(_COUNT),
    "waiting": are.optional(_COUNT),
    "seq": _COUNT,
    "stored_at": are.optional(_SECONDS),
    "round_seq": are.optional(_COUNT),
    "table": are.optional(are.text(200)),
    "pit": are.optional(are.text(200)),
    "since": are.optional(_SECONDS),
}
_HEAD: dict[str, Check] = {
    "device": are.device,
    "at": _SECONDS,
    "link": are.matching("|".join(link.value for link in Link)),
    "log": are.hexadecimal(0, 64),
}
_TOTALS: dict[str, Check] = {it.name: _COUNT for it in dataclass_fields(Totals)} | {"since": are.optional(_SECONDS)}
_LATCHED: dict[str, Check] = {"seq": _COUNT, "fault": are.text(64), "since": _SECONDS, "round": _COUNT}
_MESSAGES: dict[str, type[Message]] = {
    "status": Status,
    "meters": Meters,
    "health": Health,
    "counters": LinkCounters,
    "wear": Wear,
}


def sample_to_json(sample: Sample) -> str:
    """In one line; messages as fairshoe.message_data has them."""
    data: dict[str, Any] = {"device": f"{sample.device:08x}", "at": sample.at, "link": sample.link.value}
    data |= {name: getattr(sample, name) for name in _PLAIN}
    for name in _MESSAGES:
        message = getattr(sample, name)
        data[name] = None if message is None else to_dict(message)
    data["log"] = sample.log.hex()
    data["totals"] = asdict(sample.totals)
    if sample.before is not None:
        data["before"] = json.loads(sample_to_json(sample.before))
    if sample.latched is not None:
        it = sample.latched
        data["latched"] = {"seq": it.seq, "fault": it.fault.name.lower(), "since": it.since, "round": it.round}
    return are.cleaned(json.dumps(data, separators=(",", ":")))


def sample_from_json(text: str | bytes) -> Sample:
    """What `sample_to_json` made, of this version or an older one."""
    return sample_of(json.loads(are.cleaned(text if isinstance(text, str) else text.decode())))


def sample_of(data: Any, befores: int = 1) -> Sample:
    """A sample in data that JSON can hold. Refused if it is none; a message in it that this version cannot read is left
    out."""
    head = are.fields(are.plain(data), _HEAD)
    found: dict[str, Any] = are.fields(data, _PLAIN)
    for name, kind in _MESSAGES.items():
        message = None
        if data.get(name) is not None:
            with contextlib.suppress(UsageError, ValueError, TypeError, AttributeError):
                message = from_dict(data[name])
        found[name] = message if isinstance(message, kind) else None
    device, log = head["device"], head["log"]
    found["totals"] = Totals(**are.fields(data.get("totals"), _TOTALS))
    if data.get("latched") is not None:
        it = are.fields(data["latched"], _LATCHED)
        fault = Fault.__members__.get(it["fault"].upper(), Fault.UNRECOGNISED)
        found["latched"] = Latched(device, log, it["seq"], fault, it["since"], it["round"])
    if data.get("before"):
        if not befores:
            raise Refused("the sample before has another one before it")
        found["before"] = sample_of(data["before"], befores - 1)
    return Sample(device, head["at"], Link(head["link"]), log=log, **found)


def samples_path(store: Path) -> Path:
    """pit-1.db: pit-1.samples.db."""
    return store.with_suffix(".samples.db")


class SampleFile(SideFile):
    """Samples on file."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            False,
            "CREATE TABLE samples (id INTEGER PRIMARY KEY AUTOINCREMENT,"
            " device INTEGER NOT NULL, at REAL NOT NULL, sample TEXT NOT NULL);"
            "CREATE INDEX samples_device ON samples (device, at)",
        )

    def add(self, samples: Iterable[Sample]) -> None:
        """Keep these, all or none."""
        rows = [(it.device, it.at, sample_to_json(it)) for it in samples]
        with self._lock, self._explaining(), self._transaction():
            self._db.executemany("INSERT INTO samples (device, at, sample) VALUES (?, ?, ?)", rows)

    def after(self, last: int, limit: int) -> list[tuple[int, Sample]]:
        """The next samples after this id, oldest first, each with its id."""
        rows = self._rows("SELECT id, sample FROM samples WHERE id > ? ORDER BY id LIMIT ?", (last, limit))
        return [(row[0], sample_from_json(row[1])) for row in rows]

    def of(self, device: int, since: float, limit: int) -> list[Sample]:
        """Samples of a device after that time, oldest first, thinned out evenly to `limit`; the newest is always one of
        them."""
        count = self._rows("SELECT COUNT(*) FROM samples WHERE device = ? AND at > ?", (device, since))[0][0]
        step = max(1, -(-count // limit))
        rows = self._rows(
            "SELECT sample FROM (SELECT sample, id, ROW_NUMBER() OVER (ORDER BY id DESC) - 1 AS place FROM samples"
            " WHERE device = ? AND at > ?) WHERE place % ? = 0 ORDER BY id",
            (device, since, step),
        )
        return [sample_from_json(row[0]) for row in rows]

    def newest(self) -> dict[int, Sample]:
        """The newest sample of each device."""
        rows = self._rows("SELECT sample FROM samples WHERE id IN (SELECT MAX(id) FROM samples GROUP BY device)")
        return {sample.device: sample for sample in (sample_from_json(row[0]) for row in rows)}

    def counted(self, device: int, log: bytes) -> int:
        """The newest event of this log that is counted in a sample; 0 if there is none."""
        rows = self._rows(
            "SELECT json_extract(sample, '$.seq') FROM samples WHERE device = ? AND json_extract(sample, '$.log') = ?"
            " ORDER BY id DESC LIMIT 1",
            (device, log.hex()),
        )
        return int(rows[0][0]) if rows else 0

    def last(self) -> int:
        """The id of the newest sample."""
        return int(self._rows("SELECT COALESCE(MAX(id), 0) FROM samples")[0][0])

    def prune(self, number: int) -> int:
        """Delete samples up to this id; how many."""
        with self._lock, self._explaining():
            return self._db.execute("DELETE FROM samples WHERE id <= ?", (number,)).rowcount
