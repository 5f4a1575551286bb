"""The publisher: carries events from a gateway's store to the stream. A process of its own: the gateway records and
acknowledges without it.

Guarantee: every event reaches the stream at least once, in order for each device and log, and is in the stream once.
The cursor is the stream itself. Before the first message of a log the publisher reads the last message of its subject,
which names the last event that the stream has. Each message names the sequence that it must follow
(Nats-Expected-Last-Subject-Sequence), so the broker refuses a copy, a message that overtook another, and a second
publisher. After an error, a new connection, and every VERIFY_S seconds it reads the subject again: a broker that lost
messages, or was restored from a copy, gets them again. No message id is used: a window for duplicates can end too
early, and remembers messages that the stream has lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from nats.js.api import RawStreamMsg

from fairshoe import FairshoeError, StoreError
from fairshoe_floor.journals import JournalFile, JournalPull, journals_path
from fairshoe_floor.metrics import INFO, Pulse, of_program, totals, verdict
from fairshoe_floor.samples import Sample, SampleFile, sample_to_json, samples_path
from fairshoe_floor.schema_check import Refused, clean_text
from fairshoe_floor.seen_time import SeenTime, seen_path
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.beat import Beat, from_beat, to_beat
from fairshoe_floor.stream.broker import Stream
from fairshoe_floor.stream.event_lines import Gap, from_line, gap_line, to_lines
from fairshoe_floor.stream.export_message import BYTES_MAX, name_of, to_message
from fairshoe_floor.stream.names import EXPECTED, FIRST, LAST, LEFT, Names
from fairshoe_floor.stream.outbox import Head, Outbox

BATCH = 128  # events in one message; with 1,000 bytes each still far below the broker's limit of 1 MB
SUBJECTS = 256  # logs that wait for the broker at the same time
POLL_S = 0.1  # how often the store is asked for new events
VERIFY_S = 30.0  # how often the end of every subject is read again
SAMPLES_S = 10.0  # how often the newest sample of each shoe is published
JOURNALS = 16  # exports sent in one turn
# A hole in a store is declared a gap after so long: until then the device's journal may fill it, or the publisher of
# another gateway, if the shoe was moved.
HOLE_S = 60.0
MOVED_S = 900.0
BEAT_S = 10.0  # how often a publisher says that it is here
CLAIM_S = 30.0  # a name that was not claimed again for so long is free
COMMITTED_S = 5.0  # how often the positions of the central record are read
T = TypeVar("T")
_log = logging.getLogger("fairshoe.stream")


@dataclass
class Place:
    """The end of one subject: sequence of its last message in the stream, and the last event in it. 0: no message.
    `gateway` has sent it, and had stored the event at `received`."""

    stream_seq: int
    last: int
    gateway: str = ""
    received: float = 0.0


@dataclass
class Counts:
    """What a publisher has done so far, for its log and for tests."""

    events: int = 0
    messages: int = 0
    refilled: int = 0
    gaps: int = 0
    journals: int = 0
    connections: int = 0
    beats: int = 0
    refused: int = 0  # the broker expected another message: our place was out of date
    by_log: dict[str, int] = field(default_factory=dict[str, int])


COUNTED = {  # fields of Counts that are metrics
    "events": "events sent in order",
    "messages": "messages of events",
    "refilled": "events that the central record lacked, sent again",
    "gaps": "gaps published: events that the store lacks",
    "journals": "exports of journals sent",
    "connections": "connections to the broker",
    "beats": "signs of life",
    "refused": "messages that the broker refused because the place was out of date",
}
METRICS = {
    **INFO,
    **totals(COUNTED),
    "connected": "1 while the broker answers",
    "age_seconds": "since the publisher last looked for new events",
    "unsent_events": "events on file that the central record does not have yet",
}


class NameTaken(FairshoeError):
    """Another publisher has this name."""


class Publisher:
    """Publishes until it is stopped. `url` is one broker or several, separated by commas."""

    def __init__(
        self,
        store: Path,
        url: str,
        gateway: str,
        names: Names | None = None,
        options: dict[str, Any] | None = None,
        verify_s: float = VERIFY_S,
        committed_s: float = COMMITTED_S,
        journals_again: bool = False,
        hole_s: float = HOLE_S,
        moved_s: float = MOVED_S,
        claim_s: float = CLAIM_S,
    ) -> None:
        self.names = names or Names()
        self.counts = Counts()
        self._path = store
        self._url = url
        self._gateway = gateway
        self._options = options or {}
        self._verify_s = verify_s
        self._committed_s = committed_s
        self._places: dict[int, Place] = {}
        self._hole_s = hole_s
        self._moved_s = moved_s
        self._claim_s = claim_s
        self._denied: dict[int, str] = {}  # by log, why it waits: the account has no right to its device
        self._trouble = ""  # why nothing is stored
        self._aside = ""  # what is wrong with a file beside the store
        self._unstored = False  # the last connection ended with a message that was not stored
        self._held: dict[int, tuple[int, float]] = {}  # by log, first event after a hole, and when it was found
        self._committed: set[int] = set()  # logs of which the central record has said what it has
        self._lacking: dict[int, list[tuple[int, int]]] = {}  # by log, what the central record lacked at the last sweep
        self._journals_again = journals_again  # begin with the oldest on file; what is there already does no harm
        self._stopped = False
        self._sampled: dict[int, float] = {}  # by device, the time of the sample that was published last
        self.pulse = Pulse()
        self._connected = False
        self._unsent: float | None = None
        self.on_round: Callable[[int], None] | None = None

    def metrics(self) -> str:
        values = {
            **{f"{name}_total": getattr(self.counts, name) for name in COUNTED},
            "connected": float(self._connected),
            "age_seconds": self.pulse.age_s,
            "unsent_events": self._unsent,
        }
        return of_program("publisher", METRICS, values)

    def health(self) -> tuple[bool, Mapping[str, Any]]:
        return verdict(self.pulse.trouble("publisher"))

    def ready(self) -> tuple[bool, Mapping[str, Any]]:
        waiting = [] if self._connected else ["no connection to the broker"]
        return verdict([*waiting, *self.pulse.trouble("publisher")])

    def stop(self) -> None:
        """End `run` soon. Cancelling its task alone is not enough: the client of the broker may swallow that."""
        self._stopped = True

    async def run(self) -> None:
        outbox = Outbox(self._path, self._gateway)
        self._seen = SeenTime(seen_path(self._path))
        pause_s = broker.PAUSE_S
        try:
            while not self._stopped:
                sent = self.counts.messages
                try:
                    await self._follow(outbox)
                except broker.LOST as error:
                    self._connected = False
                    _log.warning("broker: %s. Events wait in the store.", str(error) or repr(error))
                except broker.NotStored as error:
                    # A network that was cut looks the same, once (0067).
                    self._trouble = str(error) if error.sure or self._unstored else self._trouble
                    self._unstored = True
                    _log.error("%s", error)
                except broker.Denied as error:
                    _log.error("%s", error)
                except StoreError as error:
                    _log.error("%s", error)
                if self.counts.messages > sent:
                    pause_s = broker.PAUSE_S
                pause_s = await broker.pause(pause_s)
        finally:
            outbox.close()
            self._seen.close()

    async def _follow(self, outbox: Outbox) -> None:
        """With one connection, until it fails."""
        inbox = self.names.inbox(self._gateway)
        async with broker.connected(self._url, f"fairshoe floor publish {self._gateway}", inbox, **self._options) as (
            client,
            stream,
        ):
            self.counts.connections += 1
            self._places.clear()
            self._denied.clear()
            await self._claim(stream)
            verify_at = committed_at = samples_at = 0.0
            claim_at = time.monotonic() + BEAT_S
            version = -1
            while not client.is_closed and not self._stopped:
                now = time.monotonic()
                self._connected = True
                self.pulse.beat()
                sweep = now >= verify_at
                if sweep:
                    self._places.clear()
                    verify_at, version = now + self._verify_s, -1
                if sweep or now >= committed_at:
                    await self._follow_committed(stream, outbox, sweep)
                    committed_at = now + self._committed_s
                if now >= claim_at:
                    await self._claim(stream)
                    claim_at = now + BEAT_S
                if now >= samples_at:
                    await self._publish_aside(stream)
                    samples_at = now + SAMPLES_S
                seen = outbox.version()  # before the round: what is committed meanwhile makes it another number
                sent = await self._round(stream, outbox) if seen != version else 0
                version = seen if not sent else -1  # a round sends one message of each log: there may be more
                if sent:
                    self._trouble, self._unstored = "", False
                if self.on_round is not None:
                    self.on_round(sent)
                if not sent:
                    await asyncio.sleep(POLL_S)
            if not self._stopped:
                raise EOFError("the connection was closed")

    # -- events ------------------------------------------------------------------------------------------------------

    async def _round(self, stream: Stream, outbox: Outbox) -> int:
        """One message for every log that has news. How many events were sent."""

        async def one(head: Head) -> int:
            try:
                return await self._send(stream, outbox, head)
            except broker.Denied as error:
                self._note_denied(head, error)
                return 0

        todo = [
            head
            for head in outbox.heads()
            if head.id not in self._denied and (head.id not in self._places or head.last > self._places[head.id].last)
        ]
        return sum(await _together([partial(one, head) for head in todo]))

    def _note_denied(self, head: Head, error: broker.Denied) -> None:
        """Leave a log alone until the next connection, for which the broker may have other accounts. It is of a shoe
        that was moved to another gateway, and no trouble if the central record has all of it."""
        waits = head.passed < head.last
        self._denied[head.id] = f"events of device {head.device:08x} after {head.passed} wait: {error}" if waits else ""
        if waits:
            _log.error("%s", self._denied[head.id])

    async def _send(self, stream: Stream, outbox: Outbox, head: Head) -> int:
        subject = self.names.events(head.device, head.log)
        place = self._places.get(head.id)
        if place is None:
            place = self._places[head.id] = await self._find(stream, subject)
        # A subject whose messages have all aged continues after what the central record has. If broker and database
        # are new, the stream knows neither events nor a position of this log: it is sent from its beginning.
        after = place.last if place.stream_seq else head.passed if head.id in self._committed else 0
        rows = outbox.events(head, after, BATCH)
        if not rows:
            return 0
        first, last, data = rows[0].seq, rows[-1].seq, b""
        if self._follows(head, place, first):
            data = to_lines(rows)
        elif self._is_lost(head, place, first):
            after = place.last or head.passed
            gap = Gap(head.device, head.log, after + 1, first - 1, self._gateway, place.received, rows[0].received)
            first, last, data = gap.first, gap.last, gap_line(gap)
            rows = []
        else:
            return 0
        headers = {EXPECTED: str(place.stream_seq), **_about(head, first, last)}
        try:
            done = await stream.put(self.names.stream, subject, data, headers)
        except (*broker.LOST, broker.BrokerError) as error:
            del self._places[head.id]  # it may be in the stream or not: read the subject again
            if getattr(error, "err_code", None) == WRONG_LAST_SEQUENCE:
                self.counts.refused += 1
                return max(1, len(rows))  # another round is needed
            raise
        received = rows[-1].received if rows else place.received
        self._places[head.id] = Place(done.seq, last, self._gateway, received)
        self.counts.messages += 1
        if not rows:
            self.counts.gaps += 1
            _log.error("device %08x: events %d to %d are lost; the stream has a gap", head.device, first, last)
            return 1  # the events after it are next
        self.counts.events += len(rows)
        self.counts.by_log[subject] = last
        return len(rows)

    async def _find(self, stream: Stream, subject: str) -> Place:
        message = await stream.newest(self.names.stream, subject)
        if message is None:
            return Place(0, 0)
        headers = cast("dict[str, str]", message.headers or {})  # pyright: ignore[reportUnknownMemberType]
        try:
            end = from_line((message.data or b"").rpartition(b"\n")[2])
        except Refused:
            return Place(message.seq or 0, _number(headers))
        if isinstance(end, Gap):
            return Place(message.seq or 0, end.last, end.gateway, end.before)
        return Place(message.seq or 0, end.seq, end.gateway, end.received)

    def _follows(self, head: Head, place: Place, first: int) -> bool:
        """Whether this event may be the next in the stream: it follows the last one, or the central record has
        everything before it, or neither has anything of this log."""
        known = place.stream_seq or (head.id in self._committed and head.passed)
        if first == place.last + 1 or first <= head.passed + 1 or not known:
            self._held.pop(head.id, None)
            return True
        return False

    def _is_lost(self, head: Head, place: Place, first: int) -> bool:
        """Whether the events before this one are lost. If this gateway has sent what is before them, no other one has
        them, and only the device's journal is left; otherwise the shoe was moved, and its old gateway may have them. A
        gap is declared then: to wait for ever would stop a table for events that no longer exist (0069)."""
        now = time.monotonic()
        own = place.gateway in ("", self._gateway)
        wait_s = self._hole_s if own else self._moved_s
        held, since = self._held.get(head.id, (0, now))
        if held != first:
            self._held[head.id] = (first, now)
            why = "Its journal may have them." if own else f"Start the publisher of gateway {place.gateway}."
            _log.warning(
                "device %08x: the stream ends at event %d, the store goes on at %d. %s In %.0f s they count as lost.",
                *(head.device, place.last, first, why, wait_s),
            )
            return False
        return now - since >= wait_s

    async def _publish_aside(self, stream: Stream) -> None:
        """What is in files beside the store. A damaged one is trouble, and no reason to keep events back."""
        self._aside = ""
        for publish in (self._publish_samples, self._publish_journals):
            try:
                await publish(stream)
            except StoreError as error:
                self._aside = str(error)
                _log.error("%s", error)

    async def _publish_samples(self, stream: Stream) -> None:
        """The newest sample of each shoe, if the gateway keeps samples. No guarantee: the next one replaces it."""
        path = samples_path(self._path)
        if not path.exists():
            return
        file = SampleFile(path)
        try:
            newest = file.newest()
        finally:
            file.close()

        async def send(sample: Sample) -> None:
            data = json.dumps({"gateway": self._gateway, "sample": json.loads(sample_to_json(sample))})
            with contextlib.suppress(broker.Denied):  # of a shoe that was moved
                await stream.put(self.names.latest, self.names.samples(sample.device), data.encode())
            self._sampled[sample.device] = sample.at

        await _together([partial(send, it) for it in newest.values() if it.at != self._sampled.get(it.device)])

    async def _publish_journals(self, stream: Stream) -> None:
        """Exports that the stream does not have yet, in the order of the file. As with events the end of the subject is
        the cursor: the place of an export in the file, and its name, as a file may be restored from a copy."""
        path = journals_path(self._path)
        if not path.exists():
            return
        subject = self.names.exports(self._gateway)
        last = await stream.newest(self.names.journals, subject)
        headers = cast("dict[str, str]", (last.headers if last else None) or {})  # pyright: ignore[reportUnknownMemberType]
        seq = (last.seq or 0) if last else 0
        file = JournalFile(path)
        try:
            place = 0 if self._journals_again else self._exported(file, headers.get(LAST, ""))
            waiting = file.after(place, JOURNALS)
        finally:
            file.close()
        for kept in waiting:
            data = to_message(kept, self._gateway)
            if len(data) > BYTES_MAX:
                _log.error("the export of device %08x has %d bytes: more than a message", kept.device, len(data))
                continue
            headers = {EXPECTED: str(seq), LAST: self._place_of(kept)}
            answer = await stream.put(self.names.journals, subject, data, headers)
            seq = answer.seq
            self._journals_again = False  # the subject now ends with this one, and goes on from there
            self.counts.journals += 1

    def _place_of(self, kept: JournalPull) -> str:
        return f"{kept.number} {name_of(kept, self._gateway).hex()[:16]}"

    def _exported(self, file: JournalFile, said: str) -> int:
        """The place in the file that the stream has reached; 0 if the file has another export there. Then all are sent
        again: those that the central record has do no harm."""
        number = _number({LAST: said.split(" ")[0]})
        found = file.after(number - 1, 1)
        gone = bool(found) and found[0].number > number  # retention has deleted it
        return number if number and (gone or (found and self._place_of(found[0]) == said)) else 0

    # -- signs of life -----------------------------------------------------------------------------------------------

    def _is_ours(self, data: bytes) -> bool:
        try:
            said = from_beat(data)
        except Refused:
            return False
        return (said.name, said.store) == (self._gateway, self._seen.identity)

    async def _claim(self, stream: Stream) -> None:
        """Say that this publisher is here, under its name. Two stores with one name would take each other's places in
        the stream of exports: a name is free if its last claim is of this store, or was not renewed while we looked."""
        subject = self.names.gateways(self._gateway)
        trouble = clean_text(self._trouble or self._aside or next(filter(None, self._denied.values()), ""))
        beat = Beat(self._gateway, self._seen.identity, self.counts.beats, self._seen.age_s, trouble)
        last = await stream.newest(self.names.latest, subject)
        if last is not None and not self._is_ours(last.data or b""):
            _log.warning(
                "another store was published as %r: looking for %.0f s whether it still is",
                self._gateway,
                self._claim_s,
            )
            await asyncio.sleep(self._claim_s)
            now = await stream.newest(self.names.latest, subject)
            if now is not None and now.seq != last.seq and not self._is_ours(now.data or b""):
                raise NameTaken(
                    f"another store is published as {self._gateway!r}.",
                    "Give this one its own name: --name. Its events wait, and come under the new name.",
                )
        await stream.put(self.names.latest, subject, to_beat(beat))
        self.counts.beats += 1

    # -- the central record ------------------------------------------------------------------------------------------

    async def _follow_committed(self, stream: Stream, outbox: Outbox, sweep: bool) -> None:
        """Move the cursor of retention to what the central record has; what the broker has acknowledged, it can lose
        (0045). A sweep looks at all logs, and sends again what the central record lacks for two sweeps: at the first it
        may be on its way."""
        places: dict[tuple[int, bytes], int] = {}
        every = outbox.heads()
        self._unsent = sum(max(0, head.last - max(head.passed, head.first - 1)) for head in every)
        heads = [head for head in every if head.id not in self._denied and (sweep or head.passed < head.last)]

        async def ask(head: Head) -> RawStreamMsg | None:
            try:
                return await stream.newest(self.names.latest, self.names.committed(head.device, head.log))
            except broker.Denied as error:
                self._note_denied(head, error)
                return None

        for head, message in zip(heads, await _together([partial(ask, head) for head in heads]), strict=True):
            if head.id in self._denied:
                continue
            if message is None:
                self._committed.discard(head.id)
                continue
            self._committed.add(head.id)
            ranges: list[list[int]] = json.loads(message.data or b"[]")
            end = covered(ranges, head.next)
            if end > head.passed:
                places[head.device, head.log] = end
            if sweep:
                lacking = outbox.has(head, holes(ranges, head.first, max(head.passed, end)))
                if lacking and lacking == self._lacking.get(head.id):
                    await self._refill(stream, outbox, head, lacking)
                self._lacking[head.id] = lacking
        outbox.pass_to(places)

    async def _refill(self, stream: Stream, outbox: Outbox, head: Head, lacking: list[tuple[int, int]]) -> None:
        """Send what the central record lacks although the stream is past it: its database was restored from a copy, or
        another gateway has published what follows."""
        subject = self.names.refill(head.device, head.log)
        for first, last in lacking:
            after = first - 1
            while rows := [row for row in outbox.events(head, after, BATCH) if row.seq <= last]:
                headers = _about(head, rows[0].seq, rows[-1].seq)
                await stream.put(self.names.stream, subject, to_lines(rows), headers)
                self.counts.refilled += len(rows)
                after = rows[-1].seq


async def _together(work: Sequence[Callable[[], Awaitable[T]]]) -> list[T]:
    """Side by side, SUBJECTS at a time: a round trip to the broker is paid once, not once for each. All of them
    end before the first error is raised."""
    turns = asyncio.Semaphore(SUBJECTS)

    async def one(each: Callable[[], Awaitable[T]]) -> T:
        async with turns:
            return await each()

    results = await asyncio.gather(*(one(each) for each in work), return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
    return [result for result in results if not isinstance(result, BaseException)]


WRONG_LAST_SEQUENCE = 10071  # of the broker


def _about(head: Head, first: int, last: int) -> dict[str, str]:
    """Headers of these events."""
    return {FIRST: str(first), LAST: str(last)} | ({LEFT: "1"} if head.left else {})


def _number(headers: dict[str, str]) -> int:
    """Of the last event of a message that is none of ours; 0 if its header says nothing."""
    word = headers.get(LAST, "")
    return int(word) if word.isdecimal() and word.isascii() and len(word) <= 10 else 0


def covered(ranges: list[list[int]], seq: int) -> int:
    """The end of the range that has this number; 0 if none has it."""
    return next((last for first, last in ranges if first <= seq <= last), 0)


def holes(ranges: list[list[int]], first: int, end: int) -> list[tuple[int, int]]:
    """What these ranges lack from this number on, up to their own end or to `end`, whichever is later."""
    found: list[tuple[int, int]] = []
    at = first
    for low, high in sorted(ranges):
        if low > at:
            found.append((at, low - 1))
        at = max(at, high + 1)
    if at <= end:
        found.append((at, end))
    return found
