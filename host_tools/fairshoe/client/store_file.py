"""The file of a store: opened, prepared and closed, transactions, queries, and the thread that writes.

What is in the tables is the business of store.py. One file serves all shoes of a program: a commit waits for the disk
once, however many shoes it writes for; with a file for each shoe there would be one wait for each.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from fairshoe.client.store_writer import Commit, Done, Job, Rows, Writer
from fairshoe.errors import StoreError, UsageError
from fairshoe.files import make_private
from fairshoe.os_errors import os_errors_as

if TYPE_CHECKING:
    import asyncio

APPLICATION = 0x46534845  # FSHE, in the file's header
BUSY_S = 5.0
S = TypeVar("S", bound="StoreFile")
T = TypeVar("T")
_log = logging.getLogger("fairshoe.store")

# Each file of steps/ brings the tables to the next version; a new store gets all of them. Never change one: add one.
STEPS = tuple(path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "steps").glob("*.sql")))
SCHEMA = len(STEPS)

INSERTED_LOG2 = 6  # up to 64 events with one statement
_INSERT = {
    1 << log2: "INSERT INTO events VALUES " + ", ".join(["(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"] * (1 << log2))
    for log2 in range(INSERTED_LOG2 + 1)
}


def default_path() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "fairshoe" / "store.db"


class StoreFile:
    """A SQLite file with our tables. May be used from several threads, and by several programs."""

    def __init__(self, path: str | Path | None = None, busy_s: float = BUSY_S) -> None:
        self.path = default_path() if path is None else _place(path)
        self._busy_s = busy_s
        self._lock = threading.RLock()
        self._starting = threading.Lock()
        self._db: sqlite3.Connection | None = None
        self._readers: deque[sqlite3.Connection] = deque()  # idle connections for queries
        self._writer: Writer | None = None
        self._on_commit: Callable[[Commit], None] | None = None
        with os_errors_as(StoreError, f"cannot write in {self.path.parent}", "Name a place that can be written."):
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._check_ours()
        make_private(self.path)  # the secret of nonces is in it; files beside it get the same mode
        with self.explained("Name a place that can be written."):
            self._db = self._connect()
        try:
            self._prepare()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Write what was submitted, and close the file. Nothing is lost by not closing: the file is only smaller
        afterwards."""
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.close()
        with self._lock:
            if self._db is not None:
                self._db.close()
            self._db = None
            while self._readers:
                self._readers.pop().close()

    def __enter__(self: S) -> S:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- writing -----------------------------------------------------------------------------------------------------

    def submit(self, job: Job[T], done: Done, loop: asyncio.AbstractEventLoop | None = None) -> None:
        """Write in the writer's thread, together with what others submit, then call `done(result, error)`: in the loop
        if one is given, else in that thread. The thread starts with the first job."""
        (self._writer or self._start_writer()).submit(job, done, loop)

    def _start_writer(self) -> Writer:
        with self._starting:  # not the lock of the file, which is taken for as long as a commit lasts
            self._open()
            if self._writer is None:
                self._writer = Writer(self, self.path.name)
                self._writer.on_commit = self._on_commit
            return self._writer

    def on_commit(self, function: Callable[[Commit], None] | None) -> None:
        """Call a function after every commit of the writer's thread, in that thread: for measurements."""
        self._on_commit = function
        if self._writer is not None:
            self._writer.on_commit = function

    def _write(self, job: Job[T]) -> T:
        """Write and wait. Once there is a writer thread everything goes through it, in order."""
        writer = self._writer
        if writer is not None:
            return writer.wait(job)
        with self.transaction(job.advice, job.durable) as db:
            return job.run(db)

    def _write_soon(self, job: Job[None]) -> None:
        writer = self._writer
        if writer is None:
            self._write(job)
        else:
            writer.submit(job, _log_failure)

    def put_rows(self, db: sqlite3.Connection, rows: Rows) -> None:
        """Insert events, many with one statement, as every statement gives the interpreter away."""
        at = 0
        while at < len(rows):
            count = 1 << min((len(rows) - at).bit_length() - 1, INSERTED_LOG2)
            db.execute(_INSERT[count], [*chain.from_iterable(rows[at : at + count])])
            at += count

    def put_handled(self, db: sqlite3.Connection, handled: Mapping[int, int]) -> None:
        """Note up to which event of each log the program is done."""
        values = [(seq, log, seq) for log, seq in handled.items()]
        db.executemany("UPDATE logs SET handled = ? WHERE id = ? AND handled < ?", values)

    # -- the file ----------------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        with self.explained("Name a place that can be written, or a file that is a store."):
            db = self._open()
            self._version(db)
            self._use_wal(db)
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA foreign_keys = ON")
        with self.transaction("Name a place that can be written, or a file that is a store.") as db:
            version = self._version(db)
            if version == SCHEMA:
                return
            for statement in ";".join(STEPS[version:]).split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute(f"PRAGMA user_version = {SCHEMA}")
            if version:
                _log.info("%s: brought from schema %d to %d", self.path, version, SCHEMA)

    def _check_ours(self) -> None:
        """Before anything is written: a foreign file must not even change its journal. Read-only, and by SQLite:
        a file that is opened and closed beside it costs this process its locks."""
        try:
            if not self.path.stat().st_size:
                return
        except OSError:
            return  # it is not there; or opening it raises the reason
        with self.explained("Name a place that can be written, or a file that is a store."):
            uri = f"{self.path.absolute().as_uri()}?mode=ro"
            with contextlib.closing(sqlite3.connect(uri, timeout=self._busy_s, uri=True)) as db:
                try:
                    self._version(db)
                except sqlite3.OperationalError as error:
                    # A program died while it made the file. Only who may write can tidy up, and then looks again.
                    if not _unfinished(error):
                        raise

    def _version(self, db: sqlite3.Connection) -> int:
        """Of its tables; 0 if nothing is in the file yet. StoreError if they are of a later version, or not ours."""
        # The tables first: another program may be making this file, and commits its tables and numbers together.
        tables = db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
        application = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if application == APPLICATION and 0 < version <= SCHEMA:
            return version
        if application == APPLICATION:
            raise StoreError(
                f"{self.path} is a store of another version ({version}, this is {SCHEMA}).",
                "Update this tool, or name a file that does not exist.",
            )
        if application or version or tables:
            raise StoreError(
                f"{self.path} is no store, but a database of another program.", "Name a file that does not exist."
            )
        return 0

    def _use_wal(self, db: sqlite3.Connection) -> None:
        """Retry: two programs that create a file at the same moment block each other, and SQLite does not wait here."""
        end = time.monotonic() + self._busy_s
        while True:
            try:
                db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            raise StoreError(f"{self.path} is closed.", "Open the store again.")
        return self._db

    def _rows(self, text: str, values: Sequence[Any]) -> list[Any]:
        """A query, on a connection that no writer uses."""
        with self.explained("Restore it from a copy."):
            self._open()
            db = self._readers.pop() if self._readers else self._connect()
            try:
                return db.execute(text, values).fetchall()
            finally:
                self._readers.append(db)

    def _connect(self) -> sqlite3.Connection:
        return sqlite3.connect(self.path, timeout=self._busy_s, isolation_level=None, check_same_thread=False)

    @contextlib.contextmanager
    def transaction(self, advice: str, durable: bool = True) -> Generator[sqlite3.Connection]:
        """One transaction, on the disk at its end if it is to be durable; nothing of it is left if it fails."""
        with self._lock, self.explained(advice):
            db = self._open()
            if not durable:
                db.execute("PRAGMA synchronous = NORMAL")
            try:
                db.execute("BEGIN IMMEDIATE")
                yield db
                self._commit(db)
            except BaseException:
                if db.in_transaction:
                    with contextlib.suppress(sqlite3.Error):
                        db.execute("ROLLBACK")
                raise
            finally:
                if not durable:
                    db.execute("PRAGMA synchronous = FULL")

    def _commit(self, db: sqlite3.Connection) -> None:
        db.execute("COMMIT")

    @contextlib.contextmanager
    def explained(self, advice: str) -> Generator[None]:
        """Errors of SQLite become a StoreError with advice."""
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {_reason(error)}.", advice) from error


def _log_failure(_result: None, error: Exception | None) -> None:
    if error is not None:
        _log.error("%s", error)


def _place(path: str | Path) -> Path:
    if not isinstance(path, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"a store is named by the path of its file, not by {path!r}.", "Give a str or a Path.")
    if str(path) in ("", ".", ":memory:"):
        raise UsageError(f"{str(path)!r} is no file.", "Name one: a store that forgets is none.")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise StoreError(f"cannot find {path}: {error}.", "Write the folder out.") from error


def _unfinished(error: sqlite3.OperationalError) -> bool:
    return "readonly" in str(error) or "unable to open" in str(error)


def _reason(error: sqlite3.Error) -> str:
    text = str(error)
    for piece, words in _REASONS.items():
        if piece in text:
            return f"{words} ({text})"
    return text


_REASONS: Mapping[str, str] = {
    "UNIQUE": "an event is there already; does another program store events of this device?",
    "locked": "another program keeps it locked",
    "full": "no space is left",
    "disk I/O": "the disk takes no more, or fails",
    "readonly": "it cannot be written",
    "unable to open": "it cannot be opened",
    "not a database": "it is no store",
    "malformed": "it is damaged",
}
