"""Events on file: an export of a journal, a capture, or a store; each as a list, oldest first."""

from __future__ import annotations

import re
from pathlib import Path

from fairshoe.client.shoe import Shoe
from fairshoe.client.store import Store
from fairshoe.errors import Exit, FairshoeError
from fairshoe.journal.export import Export, pull, read_export
from fairshoe.keys import RoleKey
from fairshoe.link import framing
from fairshoe.messages import Event
from fairshoe.observe.capture_decoder import from_file

BEFORE = 2000  # events of a store that are read before the one that is named
_EVENT = re.compile(r"([0-9a-fA-F]{1,8})/([0-9a-fA-F]{2,32})/([0-9]{1,10})")


class NotRecorded(FairshoeError):
    """A file or store that has no such event."""

    exit_code = Exit.INPUT


def events_in(source: str, store: Path, key: RoleKey | None = None) -> tuple[list[Event], int | None]:
    """The events of an export, of a capture or of a shoe on a port; or those up to DEVICE/LOG/NUMBER in the store, and
    that number. A shoe is only read: it keeps what waits for its host."""
    named = _EVENT.fullmatch(source)
    if named is not None and not Path(source).exists():
        return _stored(store, int(named[1], 16), named[2].lower(), int(named[3])), int(named[3])
    path = Path(source)
    if "://" in source or path.is_char_device():
        with Shoe.open(source, key, reconnect=False, clock=False) as shoe:
            return _of_export(pull(shoe)), None
    if path.is_file() and path.open("rb").read(20).startswith(b'{"fairshoe_journal"'):
        return _of_export(read_export(path)), None
    return _captured(source), None


def _of_export(export: Export) -> list[Event]:
    found = [record.event() for record in export.records if not record.fault]
    return [event for event in found if event is not None]


def _captured(source: str) -> list[Event]:
    """Each event once: a device repeats what is not acknowledged."""
    decoder = framing.Decoder()
    found: dict[int, Event] = {}
    for data in from_file(source, as_hex=False):
        for frame in decoder.feed(data):
            if isinstance(frame.message, Event):
                found.setdefault(frame.message.seq, frame.message)
    if not found:
        raise NotRecorded(
            f"no event is in {source}.",
            "Give an export (fairshoe journal pull), a capture of a table port, or DEVICE/LOG/NUMBER of an event.",
        )
    return [found[seq] for seq in sorted(found)]


def _stored(path: Path, device: int, log: str, seq: int) -> list[Event]:
    advice = "`fairshoe journal pull` reads what the device still has; --store names another file."
    if not path.exists():
        raise NotRecorded(f"there is no store {path}.", advice)
    with Store(path) as store:
        logs = [it for it in store.logs(device) if it.identity.hex().startswith(log)]
        if len(logs) != 1:
            what = "no log" if not logs else f"{len(logs)} logs"
            raise NotRecorded(f"{path} has {what} {log} of device {device:08x}.", advice)
        after = store.events(device, max(0, seq - BEFORE), log=logs[0].identity)
        found = [it.event for it in after if it.seq <= seq + 3 and isinstance(it.event, Event)]
    if not any(event.seq == seq for event in found):
        raise NotRecorded(f"{path} has no event {seq} of device {device:08x}, log {log}.", advice)
    return found
