"""The consumer: from the stream into PostgreSQL, which is the truth of the floor.

Its place in the stream is a row of the same transaction as the events, so a database that is restored from a backup
reads the stream again from there. The place has the time of its message: if the stream has another message there, the
broker was rolled back, and the whole stream is read again. Reading again does no harm: the ranges of a log
say which events are there (writer.py).

After each commit the consumer says which numbers of each log are on disk (committed positions). Only that lets the
gateways delete. The broker's acknowledgement does not: by default it comes before the broker's own disk.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import psycopg
from nats.aio.msg import Msg
from nats.js import JetStreamContext
from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy
from nats.js.errors import NotFoundError

from fairshoe.journal.signatures import PublicKey
from fairshoe_floor import database, schema_check
from fairshoe_floor.history import schema
from fairshoe_floor.history.dead_letters import Letter
from fairshoe_floor.history.lease import LEASE_S, Lease
from fairshoe_floor.history.writer import SampleRow, StreamPlace, Writer, refuses
from fairshoe_floor.journals import JournalPull
from fairshoe_floor.metrics import Pulse
from fairshoe_floor.samples import Link, sample_of, sample_to_json
from fairshoe_floor.schema_check import Refused
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.beat import from_beat
from fairshoe_floor.stream.broker import Stream
from fairshoe_floor.stream.event_lines import GATEWAY, EventRow, Gap, from_line
from fairshoe_floor.stream.export_message import from_message
from fairshoe_floor.stream.names import FLOOR, LEFT, Names
from fairshoe_floor.stream.names import place as place_name

SAMPLES_MAX = 10_000  # that wait; more are dropped, newer ones follow
FETCH = 256  # messages in one transaction at most
PRUNE_S = 3600.0  # how often old samples are deleted
MONTH_S = 86400.0  # a month of events at most in so long of running: a clock that jumps deletes one at most
CLOCKS_S = 600.0  # two clocks that are farther apart are not believed
JOURNALS_S = 5.0  # how often the stream of exports is read
IDLE_S = 1.0  # without a message for so long the place is compared with the stream
BEAT_S = 5.0  # how often signs of life are written
COMMITTED_S = 1.0  # how often positions are published at most
DATABASE_S = 30.0  # a statement without an answer for so long: another connection
CLOSE = timedelta(microseconds=2)  # two clocks of the same message: one is rounded
LINES_MAX = 1000  # in a message; a publisher sends 128
CHANGED_MAX = 3  # connections in a row that end because tables or rights are not what they should be
TROUBLE = "trouble "  # in `parts`, before the name of a part: what keeps it from its work, in words
LOST = (*broker.LOST, *database.LOST)
_log = logging.getLogger("fairshoe.floor")


@dataclass
class Counts:
    """What a consumer has done so far."""

    new: int = 0
    repeated: int = 0
    conflicts: int = 0
    transactions: int = 0
    rereads: int = 0  # the stream was not the one of the last transaction
    dead_letters: int = 0
    gaps: int = 0
    journals: int = 0
    positions: int = 0  # published committed positions


COUNTED = {  # fields of Counts that are metrics
    "new": "events added to the record",
    "repeated": "events that were there already",
    "conflicts": "events that differ from those of the same name",
    "transactions": "transactions of events",
    "rereads": "times that the stream was read again, because it was another one",
    "dead_letters": "messages that could not be taken",
    "gaps": "gaps that gateways have published",
    "journals": "exports of journals taken",
    "positions": "committed positions published",
}


class Consumer:
    """Consumes until it is stopped."""

    def __init__(
        self,
        url_database: str,
        url: str,
        names: Names | None = None,
        options: dict[str, Any] | None = None,
        database_s: float = DATABASE_S,
        journals_s: float = JOURNALS_S,
        idle_s: float = IDLE_S,
        lease_s: float = LEASE_S,
        keys: Mapping[int, Sequence[PublicKey]] | None = None,
    ) -> None:
        self._keys = keys  # of devices, by number: their exports must be signed
        self.names = names or Names()
        self.counts = Counts()
        self._database = url_database
        self._url = url
        self._options = options or {}
        self._database_s = database_s
        self._prune_at = time.monotonic() + PRUNE_S
        self._month_at = time.monotonic() + MONTH_S
        self.journals_s = journals_s
        self._idle_s = idle_s
        self._stopped = False
        self._samples: list[SampleRow] = []  # that are not in the database yet
        self._letters: list[Letter] = []  # samples and signs of life that were refused
        self._parts: dict[str, str] = {}  # signs of life that are not in the database yet
        self._beats = int(time.time())  # another number after a restart
        self._unstored = False  # the broker does not store what this program writes
        self._lease = Lease(lease_s)
        self.pulse = Pulse()
        self.on_events: Callable[[Sequence[EventRow]], None] | None = None  # after their commit

    @property
    def has_lease(self) -> bool:
        return bool(self._lease.number)

    def stop(self) -> None:
        """End `run` soon. Cancelling its task alone is not enough: the client of the broker may swallow that."""
        self._stopped = True

    async def run(self) -> None:
        pause_s = broker.PAUSE_S
        changed = 0
        while not self._stopped:
            done = self.counts.transactions
            try:
                await self._follow()
            except (*LOST, broker.BrokerError) as error:
                _log.warning("%s Events wait in the stream and in the stores.", database.explained(error))
            except database.CHANGED as error:
                # Tables go and come under a program while a database is restored, and rights come last.
                if changed == CHANGED_MAX:
                    raise
                changed += 1
                _log.warning("%s Looking whether the database is being restored.", database.explained(error))
            if self.counts.transactions > done:
                pause_s, changed = broker.PAUSE_S, 0
            pause_s = await broker.pause(pause_s)

    async def _follow(self) -> None:
        # A program that is stopped inside a transaction loses its session before its lease: a standby can take over.
        db = await asyncio.wait_for(
            psycopg.AsyncConnection.connect(self._database, **database.settings(idle_s=self._lease.seconds / 2)),
            self._database_s,
        )
        try:
            if not await self._timed(schema.is_current(db)):
                raise EOFError("the tables are not whole: run `fairshoe floor migrate`, or wait for a restore to end")
            await self._take_lease(db)
            async with broker.connected(self._url, "fairshoe floor", FLOOR, **self._options) as (client, stream):
                await broker.ensure_streams(stream, self.names)
                samples = await stream.subscribe(
                    f"{self.names.stream}.samples.>",
                    stream=self.names.latest,
                    cb=self._take_sample,
                    manual_ack=True,
                    config=ConsumerConfig(
                        deliver_policy=DeliverPolicy.LAST_PER_SUBJECT,
                        ack_policy=AckPolicy.NONE,
                        inactive_threshold=60.0,
                        mem_storage=True,
                    ),
                )
                # New ones alone: a sign of life that the broker has kept may be of a publisher that is gone.
                beats = await stream.subscribe(
                    f"{self.names.stream}.gateways.>",
                    stream=self.names.latest,
                    cb=self._take_beat,
                    manual_ack=True,
                    config=ConsumerConfig(
                        deliver_policy=DeliverPolicy.NEW,
                        ack_policy=AckPolicy.NONE,
                        inactive_threshold=60.0,
                        mem_storage=True,
                    ),
                )
                await self._consume(
                    Writer(db, self._lease, self._keys), stream, lambda: client.is_closed, (samples, beats)
                )
        finally:
            if self._lease.number:
                with contextlib.suppress(Exception):
                    await asyncio.wait_for(self._lease.release(db), 1.0)
                self._lease.number = 0
            # Not db.close(): it would wait for a server that does not answer.
            db.pgconn.finish()

    async def _take_lease(self, db: psycopg.AsyncConnection[Any]) -> None:
        """One writer for a database; a second program waits here and takes over."""
        said = False
        while not self._stopped and not await self._timed(self._lease.take(db)):
            self.pulse.beat()
            if not said:
                said = True
                _log.info("another program writes to this database; waiting for its lease to end")
            await asyncio.sleep(self._idle_s)

    async def _take_beat(self, message: Msg) -> None:
        try:
            beat = from_beat(message.data)
        except Refused as error:
            self._letters = [*self._letters[-LINES_MAX:], self._letter(self.names.latest, message, str(error))]
        else:
            self._parts |= {
                f"publisher {beat.name}": f"{beat.store} {beat.beat}",
                f"gateway {beat.name}": f"{beat.store} {beat.age_s}",
                f"{TROUBLE}publisher {beat.name}": beat.trouble,
            }

    async def _consume(
        self,
        writer: Writer,
        stream: Stream,
        closed: Callable[[], bool],
        pushed: Sequence[JetStreamContext.PushSubscription],
    ) -> None:
        place = await self._checked_place(writer, stream)
        # Without acknowledgements or a place at the broker: those could be rolled back apart from the data (0045).
        subscription = await stream.pull_subscribe(
            "",
            stream=self.names.stream,
            config=ConsumerConfig(
                deliver_policy=DeliverPolicy.BY_START_SEQUENCE,
                opt_start_seq=place.seq + 1 if place else 1,
                ack_policy=AckPolicy.NONE,
                inactive_threshold=60.0,
                mem_storage=True,
            ),
        )
        changed = await self._timed(writer.logs())  # the broker may have lost positions, too
        publish_at = journals_at = beat_at = 0.0
        while not closed() and not self._stopped:
            self.pulse.beat()
            try:
                messages = await subscription.fetch(FETCH, timeout=self._idle_s)
            except asyncio.TimeoutError:
                messages = []
            if messages:
                place, rows = await self._store(writer, messages)
                changed.update((row.device, row.log) for row in rows)
            elif not await self._still_there(stream, self.names.stream, place):
                self.counts.rereads += 1
                raise EOFError("the stream was rolled back: reading it again")
            samples, self._samples = self._samples, []
            if samples:
                await self._timed(writer.store_samples(samples))
            if time.monotonic() >= beat_at:
                await self._probe(stream)
                for each in pushed:  # one that an administrator has deleted is silent for ever
                    await each.consumer_info()
                beat_at = time.monotonic() + BEAT_S
                self._beats += 1
                parts, self._parts = self._parts, {}
                await self._timed(writer.note_parts(parts | {"consumer": str(self._beats)}))
            letters, self._letters = self._letters, []
            if letters:
                await self._timed(writer.store((), self.names.latest, None, letters=letters))
            if time.monotonic() >= self._prune_at:
                self._prune_at = time.monotonic() + PRUNE_S
                await self._prune(writer)
            if time.monotonic() >= journals_at:
                await self._take_journals(writer, stream)
                journals_at = time.monotonic() + self.journals_s
            if changed and not self._unstored and time.monotonic() >= publish_at:
                await self._publish_committed(writer, stream, changed)
                changed.clear()
                publish_at = time.monotonic() + COMMITTED_S
        if not self._stopped:
            raise EOFError("the connection to the broker was closed")

    async def _probe(self, stream: Stream) -> None:
        """Whether the broker stores. If not, that is an alarm; events that it has are taken on, positions wait."""
        try:
            await stream.put(self.names.latest, self.names.probe, b"")
            self._unstored, trouble = False, ""
        except broker.NotStored as error:
            trouble = str(error) if error.sure or self._unstored else ""  # a network that was cut looks the same, once
            self._unstored = True
            _log.error("%s", error)
        self._parts |= {f"{TROUBLE}consumer": trouble}

    async def _prune(self, writer: Writer) -> None:
        """Delete what is older than its policy, if the database's clock is believed: this host's agrees with it."""
        apart_s = await self._timed(writer.clock()) - time.time()
        if abs(apart_s) > CLOCKS_S:
            _log.error(
                "the clock of the database is %.0f s from this host's: nothing is deleted. Set both by NTP.", apart_s
            )
            return
        await self._timed(writer.prune_samples())
        if time.monotonic() >= self._month_at:
            gone = await self._timed(writer.drop_old_events())
            if gone:
                self._month_at = time.monotonic() + MONTH_S
                _log.warning("dropped %s: its events are older than their policy", gone)

    async def _take_sample(self, message: Msg) -> None:
        try:
            row = sample_row(message.subject, message.data)
        except Refused as error:
            self._letters = [*self._letters[-LINES_MAX:], self._letter(self.names.latest, message, str(error))]
        else:
            if len(self._samples) < SAMPLES_MAX:
                self._samples.append(row)

    def _letter(self, stream: str, message: Msg, reason: str, data: bytes | None = None) -> Letter:
        self.counts.dead_letters += 1
        seq = message.metadata.sequence.stream
        _log.error("message %d of the stream %s, on %s, is refused: %s", seq, stream, message.subject, reason)
        once = stream == self.names.latest
        return Letter(stream, message.subject, seq, reason, message.data if data is None else data, once)

    async def _store(self, writer: Writer, messages: Sequence[Msg]) -> tuple[StreamPlace, list[EventRow]]:
        rows: list[EventRow] = []
        gaps: list[Gap] = []
        letters: list[Letter] = []
        for message in messages:
            lines = message.data.split(b"\n", LINES_MAX)
            if len(lines) > LINES_MAX:
                letters.append(self._letter(self.names.stream, message, f"it has more than {LINES_MAX} lines"))
                continue
            for line in lines:
                try:
                    found = event_of(message.subject, line)
                except Refused as error:
                    letters.append(self._letter(self.names.stream, message, str(error), line))
                    continue
                if isinstance(found, Gap):
                    gaps.append(found)
                else:
                    rows.append(replace(found, left=True) if LEFT in (message.headers or {}) else found)
        last = messages[-1].metadata
        place = StreamPlace(last.sequence.stream, last.timestamp)
        done = await self._timed(writer.store(rows, self.names.stream, place, gaps, letters))
        self.counts.dead_letters += done.refused
        self.counts.gaps += len(gaps)
        self.counts.new += done.new
        self.counts.repeated += done.repeated
        self.counts.conflicts += done.conflicts
        self.counts.transactions += 1
        if done.conflicts:
            _log.error("%d events differ from those of the same device, log and number: see conflicts", done.conflicts)
        if self.on_events is not None:
            self.on_events(rows)
        return place, rows

    async def _checked_place(self, writer: Writer, stream: Stream) -> StreamPlace | None:
        place = await self._timed(writer.place(self.names.stream))
        if await self._still_there(stream, self.names.stream, place):
            return place
        self.counts.rereads += 1
        _log.warning("the stream is not the one that was read before: reading all of it again")
        return None

    async def _take_journals(self, writer: Writer, stream: Stream) -> None:
        """Exports that are new in their stream: few, so they are read one by one, from the place on file. A stream that
        was rolled back is read from its beginning; an export that is there already does no harm."""
        name = self.names.journals
        state = (await stream.stream_info(name)).state
        place = await self._timed(writer.place(name))
        begin = place.seq + 1 if place is not None and await self._still_there(stream, name, place) else 1
        for seq in range(max(begin, state.first_seq), state.last_seq + 1):
            try:
                message = await stream.get_msg(name, seq)
            except NotFoundError:
                continue
            assert message.time is not None
            await self._take_journal(writer, seq, message.subject or "", message.data or b"", message.time)

    async def _take_journal(self, writer: Writer, seq: int, subject: str, data: bytes, at: datetime) -> None:
        name = self.names.journals
        found: tuple[str, JournalPull] | Letter
        try:
            found = from_message(data)
            wrong = await self._timed(writer.store_journal(found, name, StreamPlace(seq, at)))
        except Refused as error:
            found, wrong = Letter(name, subject, seq, str(error), data), True
        except psycopg.Error as error:
            if not refuses(error):
                raise
            found, wrong = Letter(name, subject, seq, f"PostgreSQL: {str(error).strip()}", data), True
        if isinstance(found, Letter):
            self.counts.dead_letters += 1
            _log.error("message %d of the stream %s is refused: %s", seq, name, found.reason)
            await self._timed(writer.store_journal(found, name, StreamPlace(seq, at)))
            return
        self.counts.journals += 1
        if wrong:
            _log.error("something is wrong with the journal of device %08x: see journals", found[1].device)

    async def _still_there(self, stream: Stream, name: str, place: StreamPlace | None) -> bool:
        """Whether the stream has the message of this place. One that the stream's own retention has deleted counts
        as there if it is the newest that was deleted."""
        if place is None:
            return True
        try:
            message = await stream.get_msg(name, place.seq)
        except NotFoundError:
            state = (await stream.stream_info(name)).state
            return place.seq == state.first_seq - 1
        return message.time is not None and abs(message.time - place.stored_at) <= CLOSE

    async def _publish_committed(self, writer: Writer, stream: Stream, logs: set[tuple[int, bytes]]) -> None:
        ranges = await self._timed(writer.ranges(sorted(logs)))
        self.counts.positions += len(ranges)
        await asyncio.gather(
            *(
                stream.put(self.names.latest, self.names.committed(device, log), json.dumps(found).encode())
                for (device, log), found in ranges.items()
            )
        )

    async def _timed(self, work: Any) -> Any:
        """A frozen server answers nothing but keepalives, and closes nothing: our own clock hangs up (0071)."""
        return await asyncio.wait_for(work, self._database_s)


def event_of(subject: str, line: bytes) -> EventRow | Gap:
    """A line of the stream of events; Refused if it is none, or is not of the device and log of its subject: by the
    subject the broker knows whose events a gateway may send (0068)."""
    found = from_line(line)
    if subject.split(".")[-2:] != place_name(found.device, found.log).split("."):
        raise Refused("it is of another device or log than its subject")
    return found


def sample_row(subject: str, data: bytes) -> SampleRow:
    """The sample in a message of a gateway."""
    said = schema_check.fields(schema_check.load(data), {"gateway": GATEWAY, "sample": sample_of})
    sample = said["sample"]
    if subject.split(".")[-1] != f"{sample.device:08x}":
        raise Refused("it is of another device than its subject")
    place = (sample.table or "", sample.pit or "", sample.since, sample.link is Link.OPEN)
    return SampleRow(sample.device, sample.at, said["gateway"], sample_to_json(sample), *place)
