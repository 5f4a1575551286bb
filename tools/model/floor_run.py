"""Records what publishers and consumers of a floor do in this process, and holds it against tables/floor.steps.

Each log is replayed alone, so a place in the stream counts the messages of that log. A message is in the stream
when the broker says so, or when another part has seen it, whichever comes first: between the two only the publisher
does not know. A consumer that reads more messages again than the table would is let be.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Generator, Sequence
from typing import Any

from fairshoe_floor.history.consumer import Consumer
from fairshoe_floor.stream.broker import Stream
from fairshoe_floor.stream.names import EXPECTED, FIRST, LAST
from fairshoe_floor.stream.outbox import Outbox
from fairshoe_floor.stream.publisher import WRONG_LAST_SEQUENCE, Publisher
from model.monitor import Monitor, Rejected
from model.replay import Refused
from model.steps import Table, source_of
from model.tracer import Real, Step, patched

EVENTS, GAP, AGAIN = range(3)  # kinds of messages, as the table numbers them
_NO_BOUND = 1 << 30
_BOUNDS = dict.fromkeys(("LEASES", "DIES", "LOSSES", "RESTORES", "POISONS", "BATCH"), _NO_BOUND)


class FloorTrace:
    """Steps, each with the device and log it is of; those of a consumer are of all logs."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.puts = 0

    def restored(self, key: str, last: int, passed: int) -> None:
        """The store is the one of a copy, which ended with this event and had this cursor."""
        self.steps.append(("store_restored", key, last, passed))

    def server(self, step: str) -> None:
        """broker_copied, broker_restored, database_copied or database_restored."""
        self.steps.append((step, ""))

    def recorded(self, key: str, last: int) -> None:
        """The store had events up to this one, which no other part has seen."""
        self.steps.append(("recorded", key, last))


def key_of(subject: str) -> str:
    return ".".join(subject.split(".")[-2:])


def _kind(subject: str, data: bytes) -> int:
    return AGAIN if ".refill." in subject else GAP if data.startswith(b'{"gap"') else EVENTS


async def _put(
    trace: FloorTrace, real: Real, self: Any, into: str, subject: str, data: bytes, headers: Any = None
) -> Any:
    key = key_of(subject)
    if ".committed." in subject and data:
        trace.steps.append(("said", key, json.loads(data)))
    if not headers or FIRST not in headers:
        return await real(self, into, subject, data, headers)
    trace.puts += 1
    name, first, last = trace.puts, int(headers[FIRST]), int(headers[LAST])
    trace.steps.append(("put", key, name, _kind(subject, data), first, last, int(headers.get(EXPECTED, 0))))
    try:
        done = await real(self, into, subject, data, headers)
    except BaseException as error:
        refused = getattr(error, "err_code", None) == WRONG_LAST_SEQUENCE
        trace.steps.append(("refused" if refused else "unsure", key, name))
        raise
    trace.steps.append(("stored", key, name, done.seq))
    return done


async def _newest(trace: FloorTrace, real: Real, self: Any, name: str, subject: str) -> Any:
    found = await real(self, name, subject)
    if ".committed." in subject and found is not None and found.data:
        trace.steps.append(("follow", key_of(subject), json.loads(found.data or b"[]")))
    return found


async def _find(trace: FloorTrace, real: Real, self: Any, stream: Any, subject: str) -> Any:
    place = await real(self, stream, subject)
    trace.steps.append(("find", key_of(subject), place.stream_seq, place.last))
    return place


def _pass_to(trace: FloorTrace, real: Real, self: Any, places: dict[tuple[int, bytes], int]) -> None:
    real(self, places)
    trace.steps += [("passes", f"{device:08x}.{log.hex()}", end) for (device, log), end in places.items()]


async def _checked_place(trace: FloorTrace, real: Real, self: Any, writer: Any, stream: Any) -> Any:
    place = await real(self, writer, stream)
    trace.steps.append(("place", "", id(self), place.seq if place else 0))
    return place


async def _store(trace: FloorTrace, real: Real, self: Any, writer: Any, messages: Sequence[Any]) -> Any:
    done = await real(self, writer, messages)
    for message in messages:
        numbers = (int(message.headers[FIRST]), int(message.headers[LAST]))
        seq, kind = message.metadata.sequence.stream, _kind(message.subject, message.data)
        trace.steps.append(("consume", key_of(message.subject), id(self), seq, kind, *numbers))
    return done


HOOKS: list[tuple[Any, str, Callable[..., Any]]] = [
    (Stream, "put", _put),
    (Stream, "newest", _newest),
    (Publisher, "_find", _find),
    (Outbox, "pass_to", _pass_to),
    (Consumer, "_checked_place", _checked_place),
    (Consumer, "_store", _store),
]


@contextlib.contextmanager
def recording_floor() -> Generator[FloorTrace]:
    trace = FloorTrace()
    with patched(HOOKS, trace):
        yield trace


def replay_floor(steps: Sequence[Step]) -> Refused | None:
    """None if every step is allowed and breaks no promise, in each log."""
    for key in sorted({step[1] for step in steps} - {""}):
        mine = [(at, step) for at, step in enumerate(steps) if step[1] in (key, "")]
        numbers = [step[5] for _, step in mine if step[0] == "put"]
        consumers = {step[2] for step in steps if step[0] == "place"}
        crashes = sum(step[0] == "broker_restored" for step in steps)
        bounds = {"N": max(numbers, default=0) + 3, "M": len(numbers) + 2, "CONS": len(consumers) + 1}
        run = _Log({**_BOUNDS, **bounds, "LOGS": 2, "CRASHES": crashes})
        for at, (name, _key, *values) in mine:
            try:
                getattr(run, name)(*values)
            except Rejected as error:
                return Refused(at, steps[at], str(error))
            except AssertionError:
                return Refused(at, steps[at], "a promise of the table is broken")
    return None


class _Log:
    """The steps of one log, as the table names them."""

    def __init__(self, bounds: dict[str, int]) -> None:
        self.monitor = Monitor(Table(source_of("floor"), bounds))
        self.state = self.monitor.state
        self.n = bounds["N"]
        self.at: dict[int, int] = {}  # by place in the real stream, the place in the table's
        self.open: dict[int, tuple[int, int, int]] = {}  # messages that may be in the stream or not
        self.said_before: list[set[int]] = []
        self.read: set[int] = set()  # what the publisher has read last of what the record has
        self.consumers: dict[int, int] = {}

    def _expect(self, what: str, model: object, real: object) -> None:
        if model != real:
            raise Rejected(f"{what} is {model} in the model, {real} in the run")

    # -- the publisher

    def find(self, seq: int, last: int) -> None:
        if seq and seq not in self.at:
            self._seen(seq, lambda put: put[0] != AGAIN and put[2] == last)
        self.state["known"].discard(1)
        self.monitor.take("find", 1)
        self._expect("the end of the subject", self.state["subject_seq"][1], self.at.get(seq, 0))
        self._expect("the last event of the subject", self.state["subject_last"][1], last)

    def put(self, name: int, kind: int, first: int, last: int, _expected: int) -> None:
        self.recorded(last + (kind == GAP))
        self.open[name] = (kind, first, last)

    def stored(self, name: int, seq: int) -> None:
        if seq not in self.at:
            self._append(name, seq, "publish")
        self.open.pop(name, None)

    def refused(self, name: int) -> None:
        _kind, first, last = self.open.pop(name)
        self.monitor.take("publish", 1, last - first + 1)
        self._expect("whether the broker refuses", 1 not in self.state["known"], True)

    def unsure(self, name: int) -> None:
        self.state["known"].discard(1)

    def _seen(self, seq: int, fits: Callable[[tuple[int, int, int]], bool]) -> None:
        name = next((name for name, put in self.open.items() if fits(put)), 0)
        if not name:
            raise Rejected(f"message {seq} was not sent")
        if 1 not in self.state["known"] and self.open[name][0] != AGAIN:  # its answer was lost
            self.monitor.take("find", 1)
            self._append(name, seq, "publish_unanswered")
        else:
            self._append(name, seq, "publish")

    def _append(self, name: int, seq: int, step: str) -> None:
        kind, first, last = self.open.pop(name)
        self.monitor.take("refill" if kind == AGAIN else step, 1, last - first + 1)
        length = self.state["length"]
        message = self.state["message"][length]
        found = (message // self.n // 2, self.state["begins"][length], message % self.n)
        self._expect("the message", found, (kind, first, last))
        self.at[seq] = length

    def follow(self, ranges: list[list[int]]) -> None:
        real, now = _numbers(ranges), set(self.state["said"][1])
        if real != now and real not in self.said_before:
            raise Rejected(f"the record has said {sorted(now)}, the publisher read {sorted(real)}")
        self.state["said"][1] = real  # an earlier word may be read while the next one is under way
        if real:
            self.monitor.take("follow", 1)
        self.state["said"][1] = now
        self.read = real

    def passes(self, end: int) -> None:
        now, self.state["said"][1] = self.state["said"][1], self.read
        while self.state["passed"][1] < end:
            before = self.state["passed"][1]
            self.monitor.take("follow", 1)
            if self.state["passed"][1] == before:
                break
        self.state["said"][1] = now
        self._expect("the cursor of retention", self.state["passed"][1], end)

    def recorded(self, last: int) -> None:
        while self.state["have"][1] < last:
            self.monitor.take("event", 1)

    def store_restored(self, last: int, passed: int) -> None:
        for number in range(last + 1, self.state["have"][1] + 1):
            self.monitor.take("lose", 1, number)
        while self.state["passed"][1] > passed:
            self.monitor.take("old_cursor", 1)

    # -- servers that are copied and restored

    def broker_copied(self) -> None:
        with contextlib.suppress(Rejected):  # nothing is new since the last copy
            self.monitor.take("sync")

    def broker_restored(self) -> None:
        self.monitor.take("broker_crash")
        self.at = {seq: place for seq, place in self.at.items() if place <= self.state["length"]}
        self.open.clear()

    def database_copied(self) -> None:
        self.monitor.take("copy_database")

    def database_restored(self) -> None:
        self.monitor.take("restore_database")

    # -- the consumer

    def place(self, consumer: int, seq: int) -> None:
        c = self.consumers.setdefault(consumer, len(self.consumers) + 1)
        if self.state["number"][c]:
            self.monitor.take("consumer_dies", c)
        self.monitor.take("connect", c)
        if not seq:
            self.state["read"][c] = 0
        self._expect("the place", self.state["read"][c], max((p for s, p in self.at.items() if s <= seq), default=0))

    def consume(self, consumer: int, seq: int, kind: int, first: int, last: int) -> None:
        if seq not in self.at:
            self._seen(seq, lambda put: put == (kind, first, last))
        c, place = self.consumers[consumer], self.at[seq]
        self.state["read"][c] = min(self.state["read"][c], place - 1)
        self.monitor.take("consume", c)
        self._expect("the message that is taken", self.state["read"][c], place)

    def said(self, ranges: list[list[int]]) -> None:
        self.said_before.append(set(self.state["said"][1]))
        self.monitor.take("committed", 1)
        self._expect("what the record has", set(self.state["said"][1]), _numbers(ranges))


def _numbers(ranges: list[list[int]]) -> set[int]:
    return {number for first, last in ranges for number in range(first, last + 1)}
