"""The journal on the host: records as the device stores them, an export file of them, and how to pull one.

Pulling is reading: nothing is acknowledged, and no event that waits for its host is taken away from it.
docs/JOURNAL.md has the format of records and of the file; verify.py checks both.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar, cast

from fairshoe.client.shoe import Shoe
from fairshoe.errors import Exit, FairshoeError, HelloRefused, NoAnswer, UsageError
from fairshoe.files import LOG_BYTES_MAX, read_regular, write_whole
from fairshoe.link import framing
from fairshoe.messages import Event, JournalIs, JournalSigned, Role
from fairshoe.os_errors import os_errors_as

FORMAT = 1
RECORD_SIZE = 92
LOG_SIZE = 16
HASH_SIZE = 32
MAC_SIZE = 16
PUBLIC_SIZE = 32
SIGNATURE_SIZE = 64
GENESIS = b"fairshoe log 1"
ROUNDS_MAX = 20  # of asking what is new: a device at a busy table never stands still

_MAGIC = 0xE5
_PAYLOAD_AT = 4
_PREVIOUS_AT = 60
_PAYLOAD_MIN = 21  # the prefix of every event
_U32_MAX = 0xFFFFFFFF

Progress = Callable[[int, int], None]
T = TypeVar("T")
Asking = Generator[int, Any, T]  # yields numbers of records, or 0 for the journal as a whole


class NoExport(FairshoeError):
    """Another file than an export of a journal."""

    exit_code = Exit.INPUT


class JournalAltered(FairshoeError):
    """An export that is not what a device wrote, or not all of it."""

    exit_code = Exit.PROOF


class PartialExport(FairshoeError):
    """An export that is proved and does not hold all that is expected: its beginning or its end is missing."""

    exit_code = Exit.PARTIAL


class NothingToVerify(FairshoeError):
    """Nothing that could prove anything: no key, or no seal."""

    exit_code = Exit.UNPROVED


class OtherJournal(FairshoeError):
    """What the device has does not continue what the file has."""

    exit_code = Exit.PROOF


class Overwritten(OtherJournal):
    """A record was overwritten while it was pulled: try again."""


@dataclass(frozen=True)
class Record:
    """One record as it is stored, all but its CRC. `data` is empty where the device could not read it."""

    seq: int
    data: bytes
    line: int = 0

    @cached_property
    def digest(self) -> bytes:
        return hashlib.sha256(self.data).digest()

    @property
    def previous(self) -> bytes:
        return self.data[_PREVIOUS_AT:]

    @property
    def message(self) -> int:
        return int.from_bytes(self.data[2:4], "little")

    @property
    def payload(self) -> bytes:
        return self.data[_PAYLOAD_AT : _PAYLOAD_AT + self.data[1]]

    @classmethod
    def of_event(cls, seq: int, message: int, payload: bytes, previous: bytes) -> Record:
        """The record that a device writes for this event after the record with this hash."""
        head = bytes((_MAGIC, len(payload))) + message.to_bytes(2, "little") + payload
        return cls(seq, head.ljust(_PREVIOUS_AT, b"\0") + previous)

    def event(self) -> Event | None:
        """The event in it; None if this version does not know such."""
        found = framing.unpack(self.message, self.payload)
        return found if isinstance(found, Event) else None

    @cached_property
    def fault(self) -> str:
        """Why this can be no record, in words; empty if it can."""
        if not self.data:
            return "the device could not read it"
        end = _PAYLOAD_AT + self.data[1]
        if len(self.data) != RECORD_SIZE or self.data[0] != _MAGIC:
            return "it does not begin as a record does"
        if not _PAYLOAD_AT + _PAYLOAD_MIN <= end <= _PREVIOUS_AT or any(self.data[end:_PREVIOUS_AT]):
            return "its size is not that of its contents"
        if int.from_bytes(self.data[4:8], "little") != self.seq:
            return "it carries another number"
        return ""


@dataclass(frozen=True)
class Attestation:
    """What a device said about its journal as a whole; the MAC is zeros if it had no key."""

    first: int
    last: int
    utc_s: int
    key: int
    head: bytes
    mac: bytes
    public: bytes = b""
    signature: bytes = b""  # with both empty the device did not sign

    def signed(self, device: int, log: bytes) -> bytes:
        """What MAC and signature cover: the device's number, which no field of the message holds, and the message."""
        numbers = b"".join(value.to_bytes(4, "little") for value in (device, self.first, self.last, self.utc_s))
        return numbers + self.key.to_bytes(2, "little") + log + self.head

    def line(self) -> dict[str, Any]:
        return {
            "first": self.first,
            "last": self.last,
            "utc_s": self.utc_s,
            "key": self.key,
            "head": self.head.hex(),
            "mac": self.mac.hex(),
            "public": self.public.hex(),
            "signature": self.signature.hex(),
        }


@dataclass
class Export:
    """What a file holds. `damage` lists lines that are not as this library writes them."""

    device: int
    log: bytes
    start: int  # the first record that was asked for; 0: all there were
    attested: list[Attestation]
    records: list[Record]
    damage: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])

    @property
    def first(self) -> int:
        return self.records[0].seq if self.records else 0

    @property
    def last(self) -> int:
        return self.records[-1].seq if self.records else 0

    def genesis(self) -> bytes:
        return hashlib.sha256(GENESIS + self.log).digest()


# --- the file ----------------------------------------------------------------------------------


def export_text(export: Export) -> str:
    """Header, records, and a last line over all of it: a file that was damaged by accident shows it by itself."""
    header = {
        "fairshoe_journal": FORMAT,
        "device": f"{export.device:08x}",
        "log": export.log.hex(),
        "from": export.start,
        "attested": [attestation.line() for attestation in export.attested],
    }
    lines = [json.dumps(header)]
    lines += [json.dumps({"seq": record.seq, "record": record.data.hex()}) for record in export.records]
    text = "".join(line + "\n" for line in lines)
    return text + _end_line(text.encode(), len(export.records))


def _end_line(before: bytes, records: int) -> str:
    return json.dumps({"records": records, "sha256": hashlib.sha256(before).hexdigest()}) + "\n"


def write_export(path: Path, export: Export) -> None:
    """All of it or nothing, and durably."""
    with os_errors_as(UsageError, f"cannot write {path}", "Choose another name or place."):
        write_whole(path, export_text(export))


def read_export(path: Path) -> Export:
    """What can be read of it, and where it is damaged; NoExport if nothing in it is of one."""
    with os_errors_as(UsageError, f"cannot read {path}", "Check the name and your permission."):
        export = parse_export(read_regular(path, LOG_BYTES_MAX))
    if not export.log and not export.records:
        raise NoExport(f"{path} is no export of a journal.", "`fairshoe journal pull PORT -o FILE` writes one.")
    return export


def parse_export(data: bytes) -> Export:
    lines = data.split(b"\n")
    export = Export(0, b"", 0, [], [])
    if lines.pop() != b"":
        export.damage.append((len(lines) + 1, "the file does not end with a whole line"))
    if not lines or not _take_header(export, lines[0]):
        export.damage.append((1, "this is not the header of an export"))
    for number, line in enumerate(lines[1:-1], 2):
        record = _record(line, number)
        if record is None:
            export.damage.append((number, f"no record can be read here, after record {export.last}"))
        else:
            export.records.append(record)
    before = b"".join(line + b"\n" for line in lines[:-1])
    if len(lines) < 2 or lines[-1] + b"\n" != _end_line(before, len(lines) - 2).encode():
        export.damage.append((max(len(lines), 1), "the last line does not agree with what stands before it"))
    return export


def _object(line: bytes) -> dict[str, Any] | None:
    """A line as we write it, to the letter; None for any other."""
    try:
        found: object = json.loads(line)
        ours = isinstance(found, dict) and json.dumps(found).encode() == line
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, Any]", found) if ours else None


def _take_header(export: Export, line: bytes) -> bool:
    found = _object(line)
    if found is None or list(found) != ["fairshoe_journal", "device", "log", "from", "attested"]:
        return False
    given: object = found["attested"]
    attested = [_attestation(entry) for entry in cast("list[object]", given)] if isinstance(given, list) else [None]
    log = _hex(found["log"], LOG_SIZE)
    device = _hex(found["device"], 4)
    start = found["from"]
    if found["fairshoe_journal"] != FORMAT or log is None or device is None or not _is_number(start):
        return False
    export.device = int.from_bytes(device, "big")
    export.log = log
    export.start = start
    export.attested = [entry for entry in attested if entry is not None]
    return None not in attested


def _attestation(entry: object) -> Attestation | None:
    if not isinstance(entry, dict) or list(cast("dict[str, Any]", entry)) != [*_ATTESTED, *_SIZES]:
        return None
    found = cast("dict[str, Any]", entry)
    unsigned = found["public"] == found["signature"] == ""
    values = {name: b"" if unsigned and name in _SIGNED else _hex(found[name], size) for name, size in _SIZES.items()}
    if None in values.values() or not all(_is_number(found[name]) for name in _ATTESTED) or found["key"] > 0xFFFF:
        return None
    return Attestation(*(found[name] for name in _ATTESTED), *cast("dict[str, bytes]", values).values())


_ATTESTED = ("first", "last", "utc_s", "key")
_SIGNED = ("public", "signature")
_SIZES = {"head": HASH_SIZE, "mac": MAC_SIZE, "public": PUBLIC_SIZE, "signature": SIGNATURE_SIZE}


def _record(line: bytes, number: int) -> Record | None:
    found = _object(line)
    if found is None or list(found) != ["seq", "record"] or not _is_number(found["seq"]):
        return None
    data = b"" if found["record"] == "" else _hex(found["record"], RECORD_SIZE)
    return None if data is None else Record(found["seq"], data, number)


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _U32_MAX


def _hex(text: object, size: int) -> bytes | None:
    try:
        value = bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        return None
    return value if len(value) == size and value.hex() == text else None


# --- pulling -----------------------------------------------------------------------------------


def pull(
    shoe: Shoe, known: Export | None = None, start: int = 0, progress: Progress | None = None, sign: bool = False
) -> Export:
    """Everything the device has from `start` on, or what is new since `known`, with an attestation that covers it. With
    `sign` that is signed, if the device can and comes to rest within a minute.

    Raises OtherJournal if the device's records do not continue the known ones."""
    welcome = shoe.welcome
    if welcome is not None and welcome.has_key and welcome.role == Role.CLEAR:
        raise HelloRefused(f"{shoe.name} has a key: reading its journal needs one.", "Give the key of any role.")
    device = welcome.device if welcome else 0
    export = _answer(shoe, pull_steps(shoe.name, device, known, start, progress))
    signed = signed_attestation(shoe, export.attested[-1].last) if sign else None
    if signed is not None:
        _answer(shoe, add_signed(export, signed, progress))
    return export


def add_signed(export: Export, signed: Attestation, progress: Progress | None = None) -> Asking[None]:
    """Put a signed attestation in the place of the last one, and fetch what came meanwhile: the key itself, if it was
    made just now."""
    export.attested = [*export.attested[:-1], signed]
    yield from _fetch(export, signed, progress)


def _answer(shoe: Shoe, steps: Asking[T]) -> T:
    """Ask the device what the steps want to know."""
    answer: Any = None
    while True:
        try:
            seq = steps.send(answer)
        except StopIteration as done:
            return cast("T", done.value)
        answer = shoe.journal_record(seq) if seq else shoe.journal_is()


def pull_steps(
    name: str, device: int, known: Export | None = None, start: int = 0, progress: Progress | None = None
) -> Asking[Export]:
    """`pull` without a signature, for programs that ask the device themselves: send the answer to each number that is
    yielded, `journal_is` to 0 and `journal_record` to others."""
    answer: JournalIs = yield 0
    oldest = answer
    export = Export(device, answer.log, start, [], [])
    if known is not None:
        yield from _check_known(name, known, answer, device)
        export = Export(known.device, known.log, known.start, list(known.attested), list(known.records))
    answer = yield from _fetch_all(export, answer, progress)
    if not export.records:
        raise UsageError(f"{name} has no record {start} yet: {answer.last} is the last.", "Ask for earlier ones.")
    if not export.attested and oldest.first != answer.first:
        export.attested.append(_attestation_of(oldest))  # its oldest records were overwritten meanwhile
    newest = _attestation_of(answer)
    if newest not in export.attested:
        export.attested.append(newest)
    return export


def _attestation_of(answer: JournalIs) -> Attestation:
    return Attestation(answer.first, answer.last, answer.utc_s, answer.key, answer.head, answer.mac)


def _fetch_all(export: Export, answer: JournalIs, progress: Progress | None) -> Asking[JournalIs]:
    """Until nothing is new; what the device said that covers it."""
    covers = answer
    for _ in range(ROUNDS_MAX):
        yield from _fetch(export, answer, progress)
        covers = answer
        answer = yield 0
        if answer.last == covers.last:
            return answer
    return covers  # a busy table: what was said before the last records were fetched covers them too


def signed_attestation(shoe: Shoe, last: int) -> Attestation | None:
    """A signed attestation of at least so many records; None if the device does not sign, or not now."""
    try:
        answer = shoe.journal_signed(last)
    except NoAnswer:
        return None
    return attestation_of(answer)


def attestation_of(answer: JournalSigned) -> Attestation | None:
    """None if the device does not sign."""
    if len(answer.signature) != SIGNATURE_SIZE:
        return None
    numbers = (answer.first, answer.last, answer.utc_s, answer.key)
    return Attestation(*numbers, answer.head, answer.mac, answer.public, answer.signature)


def _fetch(export: Export, answer: JournalIs | Attestation, progress: Progress | None) -> Asking[None]:
    """What the device said it has and the export has not."""
    begin = max(export.last + 1, answer.first, export.start)
    for seq in range(begin, answer.last + 1):
        data: bytes = yield seq
        if not data:
            now: JournalIs = yield 0
            if seq < now.first:
                raise Overwritten(
                    f"record {seq} was used again for a newer one while the journal was pulled.",
                    "The table is busy: try again, and pull more often.",
                )
        export.records.append(Record(seq, data))
        if progress is not None:
            progress(seq - begin + 1, answer.last - begin + 1)


def _check_known(name: str, known: Export, answer: JournalIs, device: int) -> Asking[None]:
    """Whether the device's journal is the one that the file has the beginning of."""
    if known.damage:
        line, what = known.damage[0]
        raise JournalAltered(
            f"the file that is there is damaged at line {line}: {what}.", "Keep it as it is, and pull into a new file."
        )
    if known.log != answer.log or known.device != device:
        raise OtherJournal(
            f"{name} keeps log {answer.log.hex()}, the file is of log {known.log.hex()}.",
            "Another device, or its storage was replaced or erased: keep the file, pull into a new one, find out why.",
        )
    if answer.last < known.last:
        raise OtherJournal(
            f"{name} has records up to {answer.last}, the file up to {known.last}.",
            "An older state of its storage was put back: take the device out of service and keep the file.",
        )
    if known.records and answer.first > known.last + 1:
        raise OtherJournal(
            f"records {known.last + 1} to {answer.first - 1} were overwritten before a pull.",
            "What the device has now does not continue the file: pull into a new one, and pull more often.",
        )
    if known.records and answer.first <= known.last:
        data: bytes = yield known.last
        if data != known.records[-1].data:
            raise OtherJournal(
                f"record {known.last} of {name} is not the one in the file.",
                "One of them was altered: keep the file, pull into a new one, and verify both.",
            )
