"""A SQLite file beside a gateway's store, for what has not the guarantees of events."""

from __future__ import annotations

import contextlib
import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from typing import Any, TypeVar

from fairshoe import StoreError
from fairshoe.files import make_private

BUSY_S = 5.0
_log = logging.getLogger("fairshoe.gateway")


class SideFile:
    """May be used from several threads, and read by several programs. StoreError says what is wrong with it. Each of
    `steps` brings its tables to the next version; never change one, add one."""

    def __init__(self, path: Path, durable: bool, *steps: str) -> None:
        self.path = path
        self._lock = threading.Lock()
        make_private(path)  # meters and journals of a house; files beside it get the same mode
        with self._explaining():
            self._db = sqlite3.connect(path, timeout=BUSY_S, check_same_thread=False, isolation_level=None)
            try:
                self._refuse_newer(len(steps))
                self._db.execute("PRAGMA journal_mode = WAL")
                self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
                if self._version() != len(steps):
                    self._upgrade(steps)
            except BaseException:
                self._db.close()
                raise

    def _upgrade(self, steps: Sequence[str]) -> None:
        """All steps that the file lacks, or none."""
        with self._transaction():
            self._refuse_newer(len(steps))
            for statement in ";".join(steps[self._version() :]).split(";"):
                self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version = {len(steps)}")

    def _refuse_newer(self, known: int) -> None:
        version = self._version()
        if version > known:
            raise StoreError(f"{self.path} has schema {version}, this program knows {known}.", "Update this program.")

    def _version(self) -> int:
        return int(self._db.execute("PRAGMA user_version").fetchone()[0])

    @contextlib.contextmanager
    def _transaction(self) -> Generator[None]:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._db.execute("COMMIT")
        except BaseException:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def close(self) -> None:
        with self._lock:
            self._db.close()

    def _rows(self, query: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock, self._explaining():
            return self._db.execute(query, values).fetchall()

    @contextlib.contextmanager
    def _explaining(self) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(
                f"cannot use {self.path}: {error}.",
                "Free space or permission, then try again. If it is damaged, start the gateway again: it makes one.",
            ) from error


F = TypeVar("F", bound=SideFile)


def usable(kind: Callable[[Path], F], path: Path, read: Callable[[F], object]) -> F:
    """The file, which can be read. One that is damaged is set aside and begun again, because the gateway, which alone
    may do that, must record."""
    try:
        file = kind(path)
        try:
            read(file)
        except BaseException:
            file.close()
            raise
        return file
    except StoreError as error:
        if type(error.__cause__) is not sqlite3.DatabaseError:  # its kinds mean a lock, a full disk or a missing right
            raise
        _log.error("%s is damaged (%s): set aside, and begun again", path, error.__cause__)
    for end in ("", "-wal", "-shm"):
        part = path.with_name(path.name + end)
        if part.exists():
            part.rename(path.with_name(f"{path.name}.damaged-{time.time():.0f}{end}"))
    return kind(path)
