"""Exports of journals: how one is pulled and checked, and the file that keeps them.

A device's journal is a ring of a few hundred records, so an export has what the device still has, beginning with the
last record of the export before it. If the ring has overwritten that one, the records between are made again from the
events on file, hash by hash: they must lead to the oldest record that the device has. So the exports of a log and the
events on file are one chain, however seldom a journal is pulled.

The file is `NAME.journals.db` beside the store, with one writer (the gateway) and any number of readers; `id` only
grows. Nothing here asks a device: `pull_piece` yields what it wants to know.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from fairshoe import Store, StoredEvent, UsageError
from fairshoe.journal.expectation import Expected
from fairshoe.journal.export import Asking, Export, Record, export_text, parse_export, pull_steps, read_export
from fairshoe.journal.signatures import PublicKey, read_public_keys
from fairshoe.journal.verify import verify
from fairshoe.messages import JournalIs, Message, UnknownMessage
from fairshoe_floor.inventory import Inventory, Profile
from fairshoe_floor.side_file import SideFile

MARGIN = 8  # records that a busy table may overwrite between the first question and the first record

OnFile = Mapping[int, tuple[int, bytes]]  # by number of the event: number of its message, and body
EventsAfter = Callable[[int], Iterable[StoredEvent]]  # events on file of the log, after this number


@dataclass(frozen=True)
class JournalPull:
    """One pull. `content` is an export as `fairshoe journal verify` reads it, with records `first` to `last`; empty if
    the device's journal did not continue the one on file, with 0 for both. `problem` says in words what is wrong."""

    device: int
    log: bytes
    kept_at: float
    first: int
    last: int
    problem: str
    content: bytes = b""
    number: int = 0  # its place in the file of its gateway; 0 before it is on file

    def tail(self) -> Record | None:
        """Its last record, with which the next export begins."""
        records = parse_export(self.content).records if self.content else []
        return records[-1] if records else None

    def problem_with(self, stored: OnFile, trusted: Sequence[PublicKey] = ()) -> str:
        """What is wrong with the export by itself, by events on file, and by public keys of its device, in words; empty
        if nothing."""
        export = parse_export(self.content)
        if (export.device, export.log, export.first, export.last) != (self.device, self.log, self.first, self.last):
            return "it is not the export that its gateway names: device, log, first or last number differ"
        return problem_of(export, {}, trusted) or difference(export, stored)


def pull_piece(name: str, device: int, log: bytes, tail: Record | None) -> Asking[Export]:
    """Pull what is new since `tail`. Send `journal_is` to 0 and `journal_record` to other numbers. OtherJournal if the
    journal does not continue there."""
    answer: JournalIs = yield 0
    start = answer.first + MARGIN if answer.first > 1 else 1
    known = Export(device, log, 0, [], [])  # no record: the library compares the log
    if tail is not None and (tail.seq >= start or answer.last < tail.seq):
        start, known = tail.seq, Export(device, log, tail.seq, [], [tail])
    else:
        start = known.start = min(start, answer.last)
    return (yield from pull_steps(name, device, known, start))


def check_piece(export: Export, tail: Record | None, events: EventsAfter, now: float) -> JournalPull:
    """An export with its first fault, if any, ready for the file. Reads the events on file, and calculates hashes."""
    stored = {it.seq: it.event for it in _until(events, export.first - 1, export.last)}
    problem = problem_of(export, stored)
    if not problem and tail is not None and export.first > tail.seq:
        between = _until(events, tail.seq, export.first - 1)
        problem = bridge(tail, ((it.seq, _kind(it.event), it.body) for it in between), export.records[0])
    content = export_text(export).encode()
    return JournalPull(export.device, export.log, now, export.first, export.last, problem, content)


def fill_store(store: Store, export: Export, last: int) -> int:
    """Events that a store lacks and an export has, up to number `last`: later ones the device sends itself. How many
    were added; none if the export is not whole, or an event on file is not its record."""
    stored = {it.seq: it.event for it in _until(_events_of(store, export), export.first - 1, export.last)}
    if not export.records or problem_of(export, stored):
        return 0
    lacking = [it for it in export.records if it.seq <= last and it.seq not in stored and not it.fault]
    return store.fill(export.device, export.log, [(it.seq, it.message, it.payload) for it in lacking])


def fill_from_file(path: Path, export_path: Path) -> tuple[int, int]:
    """The same for a store on file, with an export on file: its device, and how many events were added. UsageError if
    the export cannot be used for it."""
    export = read_export(export_path)
    wrong = problem_of(export, {})
    if wrong:
        raise UsageError(f"{export_path} cannot be used: {wrong}.", "Pull the journal again.")
    with Store(path) as store:
        on_file = [log for log in store.logs(export.device) if log.identity == export.log]
        if not on_file:
            raise UsageError(
                f"{path} has no event of this log of device {export.device:08x}.", "Name its gateway's store."
            )
        return export.device, fill_store(store, export, on_file[-1].last)


def _events_of(store: Store, export: Export) -> EventsAfter:
    return lambda after: store.events(export.device, after, log=export.log)


def problem_of(export: Export, stored: Mapping[int, Message], trusted: Sequence[PublicKey] = ()) -> str:
    """The first thing that is wrong with an export, in words; empty if it is whole. Its hashes, numbers and ends are
    checked, its records against the events on file, and its signature if there are public keys of the device. Seals are
    not: this program has no seal key."""
    verdict = verify(export, (), Expected(first=export.first, last=max(stored, default=0), events=stored), trusted)
    found = [problem.text() for problem in verdict.problems] + verdict.partial
    if trusted and not found and not verdict.signed_by:
        return "it is not signed by the device, whose public key is known: its gateway may have made it"
    if trusted and not found and verdict.unproved:
        return f"its signature does not cover records {verdict.unproved[0][0]} to {verdict.unproved[0][1]}"
    return found[0] if found else ""


def difference(export: Export, stored: OnFile) -> str:
    """The first event on file that is not the record of its number, in words."""
    for record in export.records:
        known = stored.get(record.seq)
        if known is not None and not record.fault and known != (record.message, record.payload):
            return f"record {record.seq}: the event on file with this number is another one"
    return ""


def difference_between(before: Export, stored: OnFile, after: Export) -> str:
    """The same for two exports of a log and the events between them, whose records the device has overwritten. Events
    that are not on file are not judged here: they are late, or a gap."""
    found = difference(before, stored)
    between = range(before.last + 1, after.first)
    if found or not before.records or any(seq not in stored for seq in between):
        return found
    return bridge(before.records[-1], [(seq, *stored[seq]) for seq in between], after.records[0]) if between else ""


def trusted_keys(inventory: Inventory) -> dict[int, list[PublicKey]]:
    """Public keys of the shoes with the profile table, by device: their exports must be signed."""
    if inventory.public_keys is None:
        return {}
    known = read_public_keys(str(inventory.public_keys))
    found = {
        it.device: [key for key in known if key.device == it.device]
        for it in inventory.shoes
        if it.profile is Profile.TABLE
    }
    return {device: keys for device, keys in found.items() if keys}


def bridge(tail: Record, events: Iterable[tuple[int, int, bytes]], first: Record) -> str:
    """Whether the events on file (number, number of the message, body) lead from one record to a later one, hash by
    hash. Why not, in words."""
    at = tail
    for seq, kind, body in events:
        if seq != at.seq + 1:
            break
        at = Record.of_event(seq, kind, body, at.digest)
    if at.seq + 1 != first.seq:
        return f"records {at.seq + 1} to {first.seq - 1} were overwritten before a pull, and are not all on file"
    if at.digest != first.previous:
        return f"the events on file from {tail.seq + 1} to {first.seq} are not those of the journal: its chain differs"
    return ""


def _kind(event: Message) -> int:
    return event.id if isinstance(event, UnknownMessage) else event.ID


def _until(events: EventsAfter, after: int, last: int) -> Iterable[StoredEvent]:
    for stored in events(after):
        if stored.seq > last:
            return
        yield stored


# --- the file ----------------------------------------------------------------------------------

_COLUMNS = ", ".join("id" if it.name == "number" else it.name for it in fields(JournalPull))


def journals_path(store: Path) -> Path:
    """pit-1.db: pit-1.journals.db."""
    return store.with_suffix(".journals.db")


class JournalFile(SideFile):
    """Exports on file."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path,
            True,
            "CREATE TABLE journals (id INTEGER PRIMARY KEY AUTOINCREMENT, device INTEGER NOT NULL,"
            " log BLOB NOT NULL, kept_at REAL NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL,"
            " problem TEXT NOT NULL, content BLOB NOT NULL);"
            "CREATE INDEX journals_device ON journals (device, id)",
        )

    def add(self, kept: JournalPull) -> None:
        values = tuple({**vars(kept), "number": None}.values())  # the file gives the number
        self._rows(f"INSERT INTO journals ({_COLUMNS}) VALUES ({', '.join('?' * len(values))})", values)

    def after(self, number: int, limit: int) -> list[JournalPull]:
        """The next ones after this place, of all devices. Not by time: after one pull with a clock that was ahead, no
        later one would follow it."""
        rows = self._rows(f"SELECT {_COLUMNS} FROM journals WHERE id > ? ORDER BY id LIMIT ?", (number, limit))
        return [JournalPull(*row) for row in rows]

    def last(self) -> int:
        """The place of the newest one."""
        return int(self._rows("SELECT COALESCE(MAX(id), 0) FROM journals")[0][0])

    def of(self, device: int, since: float) -> list[JournalPull]:
        """Pulls of one device since a time, newest first."""
        where = "device = ? AND kept_at >= ? ORDER BY id DESC"
        return [
            JournalPull(*row) for row in self._rows(f"SELECT {_COLUMNS} FROM journals WHERE {where}", (device, since))
        ]

    def newest_of_each(self) -> list[JournalPull]:
        """The newest pull of each device, with or without records."""
        where = "id IN (SELECT MAX(id) FROM journals GROUP BY device)"
        return [JournalPull(*row) for row in self._rows(f"SELECT {_COLUMNS} FROM journals WHERE {where}")]

    def pulled_at(self) -> dict[int, float]:
        """When the journal of each device was pulled last, by the clock of that time."""
        where = "id IN (SELECT MAX(id) FROM journals GROUP BY device)"
        return dict(self._rows(f"SELECT device, kept_at FROM journals WHERE {where}"))

    def newest(self, device: int, log: bytes) -> JournalPull | None:
        """The newest export of a log that has records."""
        rows = self._rows(
            f"SELECT {_COLUMNS} FROM journals WHERE device = ? AND log = ? AND content <> x'' ORDER BY id DESC LIMIT 1",
            (device, log),
        )
        return JournalPull(*rows[0]) if rows else None

    def prune(self, number: int) -> None:
        """Delete exports up to this place, but of each log keep the newest: the next one continues it."""
        self._rows(
            "DELETE FROM journals WHERE id <= ? AND id NOT IN"
            " (SELECT MAX(id) FROM journals WHERE content <> x'' GROUP BY device, log)",
            (number,),
        )
