"""The writer thread of a store: one transaction, and one wait for the disk, for all that many shoes have to write.

While the disk is busy with one commit, jobs queue; the next commit takes all of them. So the number of commits depends
on the disk and not on the number of shoes. Rows of many jobs go into one statement: every call into SQLite gives the
interpreter away, and a busy loop takes it. If a job fails the group is undone and done again job by job, so that only
the failed one is left out and its caller gets the error.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from fairshoe.errors import StoreError

GROUP_MAX = 2000  # jobs in one transaction
COMPLAIN_S = 10.0  # between two lines of the log about commits that fail
HANDLED_S = 0.05  # what programs are done with is written after so long, if no commit takes it along before

T = TypeVar("T")
_log = logging.getLogger("fairshoe.store")


Rows = Sequence[tuple[Any, ...]]


@dataclass(slots=True)
class Job(Generic[T]):
    """Statements that belong together, which may be run again after they were undone. `advice` is for the error if they
    fail; `durable` waits for the disk. `rows` of jobs in line are written together."""

    run: Callable[[sqlite3.Connection], T]
    advice: str
    durable: bool = True
    rows: Rows = ()


@dataclass(frozen=True)
class Commit:
    """One group commit, for measurements: how many jobs, how long the transaction took, and how long its oldest job
    waited from its submission to the end of the commit."""

    jobs: int
    seconds: float
    waited_s: float


Done = Callable[[Any, Exception | None], None]
Submit = Callable[[Job[Any], Done], None]


class Transactions(Protocol):
    """What a writer needs of its store."""

    def transaction(self, advice: str, durable: bool) -> AbstractContextManager[sqlite3.Connection]: ...

    def put_rows(self, db: sqlite3.Connection, rows: Rows) -> None:
        """Rows of many jobs."""
        ...

    def put_handled(self, db: sqlite3.Connection, handled: Mapping[int, int]) -> None:
        """By log, the last event that its program is done with."""
        ...

    def explained(self, advice: str) -> AbstractContextManager[None]: ...


class _Waiting:
    """A job and its outcome."""

    __slots__ = ("done", "error", "job", "loop", "result", "since")

    def __init__(self, job: Job[Any], done: Done, loop: asyncio.AbstractEventLoop | None) -> None:
        self.job = job
        self.done = done
        self.loop = loop
        self.since = time.monotonic()
        self.result: Any = None
        self.error: Exception | None = None


class _Group(NamedTuple):
    """One transaction."""

    jobs: list[_Waiting]
    handled: dict[int, int]


class Writer:
    """Jobs are done in the order of their submission."""

    def __init__(self, store: Transactions, name: str) -> None:
        self.on_commit: Callable[[Commit], None] | None = None  # called in the writer's thread
        self._store = store
        self._lock = threading.Lock()
        self._changed = threading.Condition(self._lock)
        self._waiting: deque[_Waiting] = deque()
        self._handled: dict[int, int] = {}
        self._calling: set[asyncio.AbstractEventLoop] = set()  # loops that are about to start the thread
        self._ending = False
        self._complain_at = 0.0
        self._thread = threading.Thread(target=self._run, name=f"fairshoe-store {name}", daemon=True)
        self._thread.start()

    def submit(self, job: Job[T], done: Done, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Write, then call `done(result, error)`: in the loop, which is the running one, if one is given, else in the
        writer's thread. The thread starts when the loop has run what is ready: that may submit more."""
        waiting = _Waiting(job, done, loop)
        with self._lock:
            if self._ending:
                raise StoreError("the store is closed.", "Open it again.")
            self._waiting.append(waiting)
            if loop is None:
                self._changed.notify()
            elif loop not in self._calling:
                self._calling.add(loop)
                loop.call_soon(self._start, loop)

    def _start(self, loop: asyncio.AbstractEventLoop) -> None:
        with self._lock:
            self._calling.discard(loop)
            self._changed.notify()

    def handled(self, log: int, seq: int) -> None:
        """Write with the next commit, or after HANDLED_S, that the program is done with a log's events up to this."""
        with self._lock:
            if self._ending:
                raise StoreError("the store is closed.", "Open it again.")
            if not self._handled:
                self._changed.notify()
            self._handled[log] = max(seq, self._handled.get(log, 0))

    def wait(self, job: Job[T]) -> T:
        """Write, and return when it is done."""
        future: Future[T] = Future()

        def done(result: Any, error: BaseException | None) -> None:
            if error is None:
                future.set_result(result)
            else:
                future.set_exception(error)

        self.submit(job, done)
        return future.result()

    def close(self) -> None:
        """Write what was submitted, then end the thread."""
        with self._lock:
            self._ending = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            group = self._next_group()
            if not group.jobs and not group.handled:
                return
            self._commit(group)
            self._deliver(group.jobs)

    def _next_group(self) -> _Group:
        """Everything that waits; nothing if the writer ends."""
        with self._lock:
            while not self._waiting and not self._ending:
                if not self._changed.wait(HANDLED_S if self._handled else None):
                    break
            handled, self._handled = self._handled, {}
            return _Group([self._waiting.popleft() for _ in range(min(len(self._waiting), GROUP_MAX))], handled)

    def _commit(self, group: _Group) -> None:
        started = time.monotonic()
        try:
            self._write(group)
        except Exception as error:  # the transaction as a whole: none of its jobs is done
            for waiting in group.jobs:
                waiting.error = waiting.error or error
            self._complain(len(group.jobs), error)
            return
        ended = time.monotonic()
        if self.on_commit is not None and group.jobs:
            try:
                self.on_commit(Commit(len(group.jobs), ended - started, ended - group.jobs[0].since))
            except Exception:
                _log.exception("the metrics hook of the store failed")

    def _complain(self, jobs: int, error: Exception) -> None:
        """Now and then: shoes try again all the time, and the log may be on the disk that is full."""
        if time.monotonic() >= self._complain_at:
            self._complain_at = time.monotonic() + COMPLAIN_S
            _log.error("not written, %d in line: %s", jobs, error)

    def _transaction(self, group: _Group) -> AbstractContextManager[sqlite3.Connection]:
        advice = group.jobs[0].job.advice if group.jobs else "Programs see events again that they were done with."
        return self._store.transaction(advice, any(it.job.durable for it in group.jobs))

    def _write(self, group: _Group) -> None:
        """All jobs with as few statements as possible; if one fails, each in a savepoint."""
        failed = False
        try:
            with self._transaction(group) as db:
                failed = True
                self._put(db, group)
                failed = False
        except Exception:
            if not failed:
                raise
            with self._transaction(group) as db:
                for waiting in group.jobs:
                    self._perform(db, waiting)
                self._store.put_handled(db, group.handled)

    def _put(self, db: sqlite3.Connection, group: _Group) -> None:
        rows: list[tuple[Any, ...]] = []
        for waiting in group.jobs:
            if waiting.job.rows:
                rows += waiting.job.rows
                continue
            self._store.put_rows(db, rows)
            rows.clear()
            waiting.result = waiting.job.run(db)
        self._store.put_rows(db, rows)
        self._store.put_handled(db, group.handled)

    def _perform(self, db: sqlite3.Connection, waiting: _Waiting) -> None:
        """One job. If it fails, the others stay."""
        db.execute("SAVEPOINT job")
        try:
            with self._store.explained(waiting.job.advice):
                waiting.result = waiting.job.run(db)
        except Exception as error:
            waiting.error = error
            if not db.in_transaction:
                raise  # SQLite has undone all of it: the disk is full, or fails
            db.execute("ROLLBACK TO job")
        db.execute("RELEASE job")

    def _deliver(self, group: list[_Waiting]) -> None:
        """One call into each loop, however many jobs."""
        by_loop: dict[asyncio.AbstractEventLoop, list[_Waiting]] = {}
        for waiting in group:
            if waiting.loop is None:
                _call_all([waiting])
            else:
                by_loop.setdefault(waiting.loop, []).append(waiting)
        for loop, its in by_loop.items():
            with contextlib.suppress(RuntimeError):  # the loop is closed: no task waits any more
                loop.call_soon_threadsafe(_call_all, its)


def _call_all(group: list[_Waiting]) -> None:
    """An error of one caller must not stop the calls of the others."""
    for waiting in group:
        try:
            waiting.done(waiting.result, waiting.error)
        except Exception:
            _log.exception("a callback of the store failed")
