"""Records what publishers and consumers of a floor do in this process; floor_replay.py holds it against the table."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable, Generator, Sequence
from typing import Any

from fairshoe_floor.history.consumer import Consumer
from fairshoe_floor.history.writer import Writer
from fairshoe_floor.stream.broker import Stream
from fairshoe_floor.stream.names import FIRST, LAST
from fairshoe_floor.stream.outbox import Outbox
from fairshoe_floor.stream.publisher import WRONG_LAST_SEQUENCE, Publisher
from model.tracer import Real, Step, patched

EVENTS, GAP, AGAIN, OTHER = range(4)  # kinds of messages, as the table numbers them


class FloorTrace:
    """Steps, each with the device and log it is of; those of a consumer are of all logs."""

    who = ""  # of a process that has one consumer at a time

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.heads: dict[str, tuple[int, ...]] = {}  # by log, what the store had when it was last looked at
        self.found: dict[int, Any] = {}  # by writer, the place in its database

    def add(self, *step: Any) -> None:
        self.steps.append(step)


def key_of(subject: str) -> str:
    return ".".join(subject.split(".")[-2:])


def _kind(subject: str, data: bytes) -> int:
    return AGAIN if ".refill." in subject else GAP if data.startswith(b'{"gap"') else EVENTS


def _connect(trace: FloorTrace, real: Real, self: Any, *arguments: Any) -> None:
    real(self, *arguments)
    self.link = time.monotonic_ns()
    trace.add("link", "", self.link)


async def _put(
    trace: FloorTrace, real: Real, self: Any, into: str, subject: str, data: bytes, headers: Any = None
) -> Any:
    key = key_of(subject)
    if ".committed." in subject and data:
        trace.add("said", key, self.link, json.loads(data))
    if not headers or FIRST not in headers:
        return await real(self, into, subject, data, headers)
    name, first, last = time.monotonic_ns(), int(headers[FIRST]), int(headers[LAST])
    trace.add("put", key, self.link, name, _kind(subject, data), first, last)
    try:
        done = await real(self, into, subject, data, headers)
    except BaseException as error:
        refused = getattr(error, "err_code", None) == WRONG_LAST_SEQUENCE
        trace.add("refused" if refused else "unsure", key, self.link, name)
        raise
    trace.add("stored", key, self.link, name, done.seq)
    return done


async def _newest(trace: FloorTrace, real: Real, self: Any, name: str, subject: str) -> Any:
    found = await real(self, name, subject)
    if ".committed." in subject and found is not None and found.data:
        trace.add("follow", key_of(subject), self.link, json.loads(found.data or b"[]"))
    return found


async def _find(trace: FloorTrace, real: Real, self: Any, stream: Any, subject: str) -> Any:
    place = await real(self, stream, subject)
    trace.add("find", key_of(subject), stream.link, place.stream_seq, place.last)
    return place


def _heads(trace: FloorTrace, real: Real, self: Any) -> Any:
    found = real(self)
    for head in found:
        key, values = f"{head.device:08x}.{head.log.hex()}", (head.first, head.last, head.passed)
        if trace.heads.get(key) != values:
            trace.heads[key] = values
            trace.add("head", key, *values)
    return found


def _pass_to(trace: FloorTrace, real: Real, self: Any, places: dict[tuple[int, bytes], int]) -> None:
    real(self, places)
    for (device, log), end in places.items():
        trace.add("passes", f"{device:08x}.{log.hex()}", end)


async def _place(trace: FloorTrace, real: Real, self: Any, stream: str) -> Any:
    trace.found[id(self)] = found = await real(self, stream)
    return found


async def _checked_place(trace: FloorTrace, real: Real, self: Any, writer: Any, stream: Any) -> Any:
    place = await real(self, writer, stream)
    found = trace.found.pop(id(writer))
    on_file = (found.seq, found.stored_at.timestamp()) if found else (0, 0.0)
    trace.add("place", "", trace.who or id(self), place.seq if place else 0, *on_file)
    return place


async def _store(trace: FloorTrace, real: Real, self: Any, writer: Any, messages: Sequence[Any]) -> Any:
    name, last = time.monotonic_ns(), messages[-1].metadata
    trace.add("transaction", "", name, last.sequence.stream, last.timestamp.timestamp())
    for message in messages:
        headers: dict[str, str] = message.headers or {}
        seq = message.metadata.sequence.stream
        kind = _kind(message.subject, message.data) if FIRST in headers else OTHER
        numbers = (int(headers[FIRST]), int(headers[LAST])) if FIRST in headers else (0, 0)
        trace.add("consume", key_of(message.subject), name, trace.who or id(self), seq, kind, *numbers)
    done = await real(self, writer, messages)
    trace.add("kept", "", name)
    return done


HOOKS: list[tuple[Any, str, Callable[..., Any]]] = [
    (Stream, "__init__", _connect),
    (Stream, "put", _put),
    (Stream, "newest", _newest),
    (Publisher, "_find", _find),
    (Outbox, "heads", _heads),
    (Outbox, "pass_to", _pass_to),
    (Writer, "place", _place),
    (Consumer, "_checked_place", _checked_place),
    (Consumer, "_store", _store),
]


@contextlib.contextmanager
def recording_floor(into: FloorTrace | None = None) -> Generator[FloorTrace]:
    trace = into or FloorTrace()
    with patched(HOOKS, trace):
        yield trace
