"""The writer thread of a store: one transaction, and one wait for the disk, for all that many shoes have to write.

While the disk is busy with one commit, jobs queue; the next commit takes all of them. So the number of commits depends
on the disk and not on the number of shoes. A job that fails is undone alone and its caller gets the error.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from fairshoe.errors import StoreError

GROUP_MAX = 2000  # jobs in one transaction

T = TypeVar("T")
_log = logging.getLogger("fairshoe.store")


@dataclass(frozen=True)
class Job(Generic[T]):
    """Statements that belong together. `advice` is for the error if they fail; `durable` waits for the disk."""

    run: Callable[[sqlite3.Connection], T]
    advice: str
    durable: bool = True


@dataclass(frozen=True)
class Commit:
    """One group commit, for measurements: how many jobs, how long the transaction took, and how long its oldest job
    waited from its submission to the end of the commit."""

    jobs: int
    seconds: float
    waited_s: float


Done = Callable[[Any, Exception | None], None]


class Transactions(Protocol):
    """What a writer needs of its store."""

    def transaction(self, advice: str, durable: bool) -> AbstractContextManager[sqlite3.Connection]: ...

    def explained(self, advice: str) -> AbstractContextManager[None]: ...


@dataclass
class _Waiting:
    job: Job[Any]
    done: Done
    loop: asyncio.AbstractEventLoop | None
    since: float
    result: Any = None
    error: Exception | None = None


class Writer:
    """Jobs are done in the order of their submission."""

    def __init__(self, store: Transactions, name: str) -> None:
        self.on_commit: Callable[[Commit], None] | None = None  # called in the writer's thread
        self._store = store
        self._changed = threading.Condition()
        self._waiting: deque[_Waiting] = deque()
        self._ending = False
        self._thread = threading.Thread(target=self._run, name=f"fairshoe-store {name}", daemon=True)
        self._thread.start()

    def submit(self, job: Job[T], done: Done, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Write, then call `done(result, error)`: in the loop if one is given, else in the writer's thread."""
        waiting = _Waiting(job, done, loop, time.monotonic())
        with self._changed:
            if self._ending:
                raise StoreError("the store is closed.", "Open it again.")
            self._waiting.append(waiting)
            self._changed.notify()

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
        with self._changed:
            self._ending = True
            self._changed.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._waiting and not self._ending:
                    self._changed.wait()
                group = [self._waiting.popleft() for _ in range(min(len(self._waiting), GROUP_MAX))]
            if not group:
                return
            self._commit(group)
            self._deliver(group)

    def _commit(self, group: list[_Waiting]) -> None:
        started = time.monotonic()
        try:
            durable = any(it.job.durable for it in group)
            with self._store.transaction(group[0].job.advice, durable) as db:
                for waiting in group:
                    self._perform(db, waiting)
        except Exception as error:  # the transaction as a whole: none of its jobs is done
            for waiting in group:
                waiting.error = waiting.error or error
            _log.error("%d jobs of the store were not written: %s", len(group), error)
        ended = time.monotonic()
        if self.on_commit is not None:
            try:
                self.on_commit(Commit(len(group), ended - started, ended - group[0].since))
            except Exception:
                _log.exception("the metrics hook of the store failed")

    def _perform(self, db: sqlite3.Connection, waiting: _Waiting) -> None:
        """One job. If it fails, the other jobs of the group stay."""
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
                _call(waiting)
            else:
                by_loop.setdefault(waiting.loop, []).append(waiting)
        for loop, its in by_loop.items():
            with contextlib.suppress(RuntimeError):  # the loop is closed: no task waits any more
                loop.call_soon_threadsafe(_call_all, its)


def _call_all(group: list[_Waiting]) -> None:
    for waiting in group:
        _call(waiting)


def _call(waiting: _Waiting) -> None:
    """One caller's mistake must not keep the others from hearing."""
    try:
        waiting.done(waiting.result, waiting.error)
    except Exception:
        _log.exception("a callback of the store failed")
