"""What a verifier expects of an export, from the floor's record or from the store of the host that acknowledged.

An export proves itself from its first record to its attested end. That it begins early enough, is the newest one and is
of the right device follows only from something outside of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from fairshoe.client.store import Store, StoredLog
from fairshoe.errors import UsageError
from fairshoe.journal.export import Export
from fairshoe.messages import Message, RecordDamaged


@dataclass(frozen=True)
class Expected:
    """None: not known. `first` is the latest record the export may begin with, `last` the earliest it may end with."""

    device: int | None = None
    log: bytes | None = None
    first: int | None = None
    last: int | None = None
    events: Mapping[int, Message] = field(default_factory=dict[int, Message])  # as stored, by number


def expected_of(path: Path, given: Expected) -> Expected:
    """What a host has stored of a device: its newest log, and all events of it. `given` overrides it."""
    if not path.exists():
        raise UsageError(f"there is no store {path}.", "Name the file in which the table system stores its events.")
    with Store(path) as store:
        log = _log_of(path, store.logs(given.device))
        events = {stored.seq: stored.event for stored in store.events(log.device, log=log.identity)}
    return replace(
        given,
        device=log.device,
        log=given.log or log.identity or None,
        first=given.first if given.first is not None else log.first,
        last=given.last if given.last is not None else log.last,
        events=events,
    )


def _log_of(path: Path, logs: list[StoredLog]) -> StoredLog:
    devices = sorted({log.device for log in logs})
    if len(devices) > 1:
        names = ", ".join(f"{device:08x}" for device in devices)
        raise UsageError(f"{path} has events of devices {names}.", "Say which one with --device.")
    if not logs or not logs[-1].events:
        raise UsageError(f"{path} has no event of this device.", "Name another store, or check --device.")
    return logs[-1]


def contradictions(export: Export, expected: Expected) -> Iterator[tuple[int, str]]:
    """Where the export is not the one that is expected: number of the record (0: all of it) and the reason."""
    if expected.device not in (None, export.device):
        yield 0, f"this is the journal of device {export.device:08x}, not of {expected.device:08x}"
    if expected.log not in (None, export.log):
        yield 0, f"this is not log {(expected.log or b'').hex()}: another device, or its storage was replaced"
        return
    for record in export.records:
        stored = expected.events.get(record.seq)
        if stored is None or record.fault or isinstance(stored, RecordDamaged):
            continue
        if record.message != stored.ID or record.event() not in (None, stored):
            yield record.seq, "the host has stored another event under this number"


def shortfalls(export: Export, expected: Expected) -> Iterator[str]:
    """Which end of the journal the export does not have, in words."""
    first = 1 if expected.first is None else expected.first
    if export.first > first:
        yield f"it begins with record {export.first}, and should begin with {first}"
    if expected.last is not None and export.last < expected.last:
        yield f"it ends with record {export.last}, and the journal reached {expected.last}"
