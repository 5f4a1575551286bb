"""Events of one shoe between link and program: stored first, then acknowledged to the device and handed out.

What was just stored is handed out from memory. A program that falls behind, or has just started, gets the rest from the
store, in pieces.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from fairshoe.client.store import Arrived, Store, StoredLog
from fairshoe.client.store_writer import Submit
from fairshoe.games.rounds import RoundView
from fairshoe.link.session import event_seq
from fairshoe.messages import Message, Welcome

LOADED = 64  # events taken from the store at a time
QUEUED_MAX = 256  # events kept in memory for a program that is behind

Queued = tuple[Message, RoundView | None]  # an event, and the round with it unless it comes from the store


class EventQueue:
    """`submit` hands a job to the store's writer thread and returns; `done(result, error)` is called later. Without it
    every call returns when the data is on the disk. Up to one job is under way at a time."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.submit: Submit | None = None
        self.log: StoredLog | None = None
        self.unsaved: list[Arrived] = []
        self.busy = False  # a job is under way
        self._batch: list[Arrived] = []  # events of the job that is under way
        self._on_saved: Callable[[int], None] = _nothing
        self.on_stored: Callable[[float], None] | None = None  # with the seconds from arrival to commit
        self._events: deque[Queued] = deque()
        self._queued = 0  # of the last event that was put in the queue
        self._stored = 0  # of the last event on file

    def save(self, saved: Callable[[int], None]) -> None:
        """Store what has arrived, then call `saved` with the number of the last event. What cannot be stored stays, and
        is tried again with the next call."""
        if not self.unsaved or self.log is None or self.busy:
            return
        batch = self.unsaved
        if self.submit is None:
            self.store.add(self.log.id, batch)
            self._saved(batch, saved)
            return
        job = self.store.add_job(self.log.id, batch)
        self.busy = True
        self.unsaved = []
        self._batch = batch
        self._on_saved = saved
        try:
            self.submit(job, self._written)
        except Exception as error:
            self._written(None, error)

    def _written(self, _result: None, error: Exception | None) -> None:
        self.busy = False
        batch = self._batch
        if error is not None:
            self.unsaved = batch + self.unsaved
            raise error
        self._saved(batch, self._on_saved)
        if self.unsaved:
            self.save(self._on_saved)

    def _saved(self, batch: list[Arrived], saved: Callable[[int], None]) -> None:
        self._stored = batch[-1].seq
        if self.submit is None:
            self.unsaved = []
        if self._queued == batch[0].seq - 1 and len(self._events) < QUEUED_MAX:
            self._events.extend((arrived.message, arrived.view) for arrived in batch)
            self._queued = self._stored
        if self.on_stored is not None:
            now = time.monotonic()
            for arrived in batch:
                self.on_stored(now - arrived.at)
        saved(self._stored)

    def resume(self, welcome: Welcome, identity: bytes, new_log: bool, resumed: Callable[[bool], None]) -> None:
        """Find out where on file this device's log ends, then call `resumed`: whether the log is another one than
        before. Waits until what arrived earlier is stored."""
        if self.submit is None:
            log = self.store.resume(welcome.device, identity, welcome.seq_last, welcome.boot, new_log)
            resumed(self._go_on(log))
            return
        job = self.store.resume_job(welcome.device, identity, welcome.seq_last, welcome.boot, new_log)
        self.busy = True

        def done(log: StoredLog | None, error: Exception | None) -> None:
            self.busy = False
            if error is not None:
                raise error
            assert log is not None
            resumed(self._go_on(log))

        try:
            self.submit(job, done)
        except Exception as error:
            done(None, error)

    def _go_on(self, log: StoredLog) -> bool:
        other = self.log is None or self.log.id != log.id
        if other:
            self._events.clear()
            self._queued = log.handled
        self.log = log
        self._stored = log.last
        return other

    def next(self) -> Queued | None:
        """The next event that is on file and was not handed out."""
        if not self._events and self._queued < self._stored and self.log is not None:
            self._events.extend((event, None) for event in self.store.unhandled(self.log.id, self._queued, LOADED))
            self._queued = event_seq(self._events[-1][0]) or 0 if self._events else self._stored
        return self._events.popleft() if self._events else None

    @property
    def ready(self) -> bool:
        """Whether `next` has one."""
        return bool(self._events) or self._queued < self._stored

    def put_back(self, event: Message) -> None:
        """Put a delivered event back: it is the next one again."""
        self._events.appendleft((event, None))

    def handled(self, seq: int) -> None:
        """The program is done with events up to this one."""
        if self.log is not None:
            self.store.handled(self.log.id, seq)


def _nothing(_seq: int) -> None:
    """For an EventQueue that has saved nothing yet."""
