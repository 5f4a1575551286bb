"""The store of a host, one SQLite file: events before they are acknowledged, operation numbers before they are sent.

    store = Store()                              # in the user's data folder
    with Shoe.open("/dev/ttyACM0", store=store) as shoe: ...
    for stored in store.events(device=0x510001, kinds=[RoundEnded]):
        print(stored.seq, stored.event)

Several programs may share a file. When `add` or `begin` returns, the data is on disk.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from struct import Struct
from types import TracebackType
from typing import Any, TypeVar

from fairshoe.client.operation_numbers import Lane, Unfinished, next_lane, read_old_file
from fairshoe.errors import StorageReplaced, StoreError, UsageError
from fairshoe.link import framing
from fairshoe.messages import Event, Message, UnknownMessage
from firmware.protocol.ids import CLASS_EVENT

try:
    import fcntl
except ImportError:  # a system without it has no lock of this kind: one program at a time takes old numbers over
    fcntl = None

SCHEMA = 1
APPLICATION = 0x46534845  # FSHE, in the file's header
BUSY_S = 5.0
PAGE = 256
S = TypeVar("S", bound="Store")
OLD_NAME = "operations.json"
_PREFIX = tuple(field.name for field in fields(Event))
_HEAD = Struct("<IHIHIIB")  # of every event, also of one that this version does not know

_TABLES = """
CREATE TABLE logs (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL,
    identity BLOB NOT NULL,
    handled INTEGER NOT NULL DEFAULT 0,
    began REAL NOT NULL
);
CREATE INDEX logs_device ON logs (device, id);
CREATE TABLE events (
    log INTEGER NOT NULL REFERENCES logs (id),
    seq INTEGER NOT NULL,
    message INTEGER NOT NULL,
    name TEXT NOT NULL,
    boot INTEGER NOT NULL,
    uptime_s REAL NOT NULL,
    utc_s INTEGER NOT NULL,
    round INTEGER NOT NULL,
    deck INTEGER NOT NULL,
    fields TEXT NOT NULL,
    body BLOB NOT NULL,
    received REAL NOT NULL,
    PRIMARY KEY (log, seq)
) WITHOUT ROWID;
CREATE TABLE lanes (
    device INTEGER NOT NULL,
    role INTEGER NOT NULL,
    op INTEGER NOT NULL,
    waiting INTEGER,
    command TEXT,
    arguments TEXT,
    PRIMARY KEY (device, role)
) WITHOUT ROWID;
"""
_NOTHING_SENT = "Nothing was sent. Free space or permission, then give the command again."
_ANSWERED = "The command was answered; until this can be written it looks unanswered, and asking again is safe."
_NOT_ACKNOWLEDGED = "No event was acknowledged that is not stored: the device keeps them, and sends them again."


@dataclass(frozen=True)
class StoredEvent:
    """An event on file. `event` is typed; UnknownMessage if this version does not know it. `received` is the host's
    clock when the event was stored, in UTC seconds since 1970; `body` is the event as the device sent it."""

    device: int
    log: bytes
    seq: int
    name: str
    received: float
    event: Message
    body: bytes


@dataclass(frozen=True)
class StoredLog:
    """The life of one device's storage. `identity` is empty if the device never told; `last` is the newest event on
    file, `handled` the last one that a program has said it is done with."""

    id: int
    device: int
    identity: bytes
    events: int
    first: int
    last: int
    boot: int
    handled: int


@dataclass(frozen=True)
class Arrived:
    """An event that is to be stored, and its body as it came."""

    seq: int
    message: Message
    body: bytes


def default_path() -> Path:
    base = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(base) / "fairshoe" / "store.db"


class Store:
    """Events and operation numbers on file. May be used from several threads, and by several programs."""

    def __init__(self, path: str | Path | None = None, busy_s: float = BUSY_S) -> None:
        self.path = default_path() if path is None else _place(path)
        self._busy_s = busy_s
        self._lock = threading.RLock()
        self._db: sqlite3.Connection | None = None
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"cannot write in {self.path.parent}: {error.strerror or error}.", "Name a place that can be written."
            ) from error
        self._check_ours()
        with self._told("Name a place that can be written."):
            self._db = sqlite3.connect(self.path, timeout=busy_s, isolation_level=None, check_same_thread=False)
        try:
            self._prepare()
            self._take_over(self.path.with_name(OLD_NAME))
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Nothing is lost by not closing; the file is only smaller afterwards."""
        with self._lock:
            if self._db is not None:
                self._db.close()
            self._db = None

    def __enter__(self: S) -> S:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- looking up --------------------------------------------------------------------------------------------------

    def events(
        self,
        device: int | None = None,
        since_seq: int = 0,
        kinds: Iterable[type[Message] | str] | None = None,
        log: bytes | None = None,
    ) -> Iterator[StoredEvent]:
        """What is on file, oldest first: of one device or all, after `since_seq` of its log, of these kinds (classes,
        or names as docs/PROTOCOL.md has them), of one log or all."""
        where = ["events.seq > ?"]
        wanted: list[Any] = [since_seq]
        if device is not None:
            where.append("logs.device = ?")
            wanted.append(device)
        if log is not None:
            where.append("logs.identity = ?")
            wanted.append(log)
        if kinds is not None:
            names = [kind if isinstance(kind, str) else kind.NAME for kind in kinds]
            where.append(f"events.name IN ({', '.join('?' * len(names))})")
            wanted += names
        place: tuple[int, int] = (0, 0)
        while True:
            # Page by page, and each from its place on: whoever stores meanwhile is not held up.
            rows = self._rows(
                "SELECT logs.device, logs.identity, events.seq, name, received, message, body, events.log FROM events"
                f" JOIN logs ON logs.id = events.log WHERE {' AND '.join(where)} AND (events.log, events.seq) > (?, ?)"
                " ORDER BY events.log, events.seq LIMIT ?",
                (*wanted, *place, PAGE),
            )
            for row in rows:
                yield StoredEvent(row[0], row[1], row[2], row[3], row[4], _message(row[5], row[6]), row[6])
            if len(rows) < PAGE:
                return
            place = (rows[-1][7], rows[-1][2])

    def logs(self, device: int | None = None) -> list[StoredLog]:
        """Every log that was ever met, oldest first. More than one for a device: its storage was replaced."""
        rows = self._rows(
            "SELECT id, device, identity, COUNT(seq), COALESCE(MIN(seq), 0), COALESCE(MAX(seq), 0),"
            " COALESCE(MAX(boot), 0), handled FROM logs LEFT JOIN events ON log = id"
            " WHERE ? IS NULL OR device = ? GROUP BY id ORDER BY id",
            (device, device),
        )
        return [StoredLog(*row) for row in rows]

    # -- events ------------------------------------------------------------------------------------------------------

    def resume(self, device: int, identity: bytes, seq_last: int, boot: int, new_log: bool = False) -> StoredLog:
        """The log that a device goes on with. `identity` is empty if it did not tell. StorageReplaced if it is none
        that continues what is on file, unless a new one is allowed."""
        with self._change(_NOT_ACKNOWLEDGED) as db:
            logs = self._logs_of(db, device)
            if not logs:
                return self._new_log(db, device, identity)
            known = logs[-1]
            why = _objection(known, identity, seq_last, boot)
            if not why:
                if identity and not known.identity:
                    db.execute("UPDATE logs SET identity = ? WHERE id = ?", (identity, known.id))
                return known
            if not new_log:
                raise StorageReplaced(
                    f"device {device:08x}: {why}.",
                    "Its storage was replaced, erased or put back: take it out of service and find out why. Then go "
                    "on with new_log=True; what is on file stays.",
                )
            return self._new_log(db, device, identity)

    def add(self, log: int, events: Sequence[Arrived]) -> None:
        """Store events, all of them or none; when it returns they are on the disk."""
        now = time.time()
        with self._change(_NOT_ACKNOWLEDGED) as db:
            db.executemany(
                "INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", [_row(log, it, now) for it in events]
            )

    def unhandled(self, log: int, after: int, limit: int) -> list[Message]:
        """The next events on file after that one."""
        rows = self._rows(
            "SELECT message, body FROM events WHERE log = ? AND seq > ? ORDER BY seq LIMIT ?", (log, after, limit)
        )
        return [_message(message, body) for message, body in rows]

    def handled(self, log: int, seq: int) -> None:
        """The program is done with events up to this one. Not worth waiting for the disk: if power is lost before it is
        there, the program sees an event again that is on file anyway."""
        with self._change("The program sees the event again.", durable=False) as db:
            db.execute("UPDATE logs SET handled = ? WHERE id = ? AND handled < ?", (seq, log, seq))

    # -- numbers -----------------------------------------------------------------------------------------------------

    def unfinished(self, device: int, role: int) -> Unfinished | None:
        """The command of this lane whose outcome is not known."""
        lane = _lane(self._rows(_LANE, (device, role)))
        return lane.unfinished if lane else None

    def begin(self, device: int, role: int, op_last: int, command: str, arguments: Mapping[str, int]) -> int:
        """The number for a new command, on the disk before it is returned; op_last is what the device says."""
        with self._change(_NOTHING_SENT) as db:
            lane = next_lane(_lane(db.execute(_LANE, (device, role)).fetchall()), op_last, command, arguments)
            _put_lane(db, device, role, lane)
        return lane.op

    def finish(self, device: int, role: int, op: int) -> None:
        """The outcome of that number is known."""
        with self._change(_ANSWERED) as db:
            db.execute(
                "UPDATE lanes SET waiting = NULL, command = NULL, arguments = NULL"
                " WHERE device = ? AND role = ? AND waiting = ?",
                (device, role, op),
            )

    # -- the file ----------------------------------------------------------------------------------------------------

    def _prepare(self) -> None:
        with self._told("Name a place that can be written, or a file that is a store."):
            db = self._open()
            self._is_new(db)
            self._use_wal(db)
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA foreign_keys = ON")
        with self._change("Name a place that can be written, or a file that is a store.") as db:
            if not self._is_new(db):
                return
            for statement in _TABLES.split(";"):
                db.execute(statement)
            db.execute(f"PRAGMA application_id = {APPLICATION}")
            db.execute(f"PRAGMA user_version = {SCHEMA}")

    def _check_ours(self) -> None:
        """Before anything is written: somebody else's file must not even change its journal. Read-only, and by SQLite:
        a file that is opened and closed beside it costs this process its locks."""
        try:
            if not self.path.stat().st_size:
                return
        except OSError:
            return  # it is not there; or what is wrong is told when it is opened
        with self._told("Name a place that can be written, or a file that is a store."):
            uri = f"{self.path.absolute().as_uri()}?mode=ro"
            with contextlib.closing(sqlite3.connect(uri, timeout=self._busy_s, uri=True)) as db:
                try:
                    self._is_new(db)
                except sqlite3.OperationalError as error:
                    # A program died while it made the file. Only who may write can tidy up, and then looks again.
                    if not _unfinished(error):
                        raise

    def _is_new(self, db: sqlite3.Connection) -> bool:
        """Whether nothing is in the file yet. StoreError if what is in it is not ours."""
        # The tables first: another program may be making this file, and commits its tables and numbers together.
        tables = db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
        application = db.execute("PRAGMA application_id").fetchone()[0]
        version = db.execute("PRAGMA user_version").fetchone()[0]
        if (application, version) == (APPLICATION, SCHEMA):
            return False
        if application == APPLICATION:
            raise StoreError(
                f"{self.path} is a store of another version ({version}, this is {SCHEMA}).",
                "Update this tool, or name a file that does not exist.",
            )
        if application or version or tables:
            raise StoreError(
                f"{self.path} is no store, but a database of another program.", "Name a file that does not exist."
            )
        return True

    def _use_wal(self, db: sqlite3.Connection) -> None:
        """Two programs that make a file at the same moment are in each other's way here, and nobody waits by itself."""
        end = time.monotonic() + self._busy_s
        while True:
            try:
                db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
                time.sleep(0.02)

    def _take_over(self, old: Path) -> None:
        """Numbers of an operations.json beside the store, once. Interrupted at any point it can be done again: a lane
        only ever moves on."""
        if not old.exists():
            return
        with self._old_lock(old):
            if not old.exists():
                return
            lanes = read_old_file(old)
            with self._change("Free space or permission, then try again.") as db:
                for (device, role), lane in lanes.items():
                    known = _lane(db.execute(_LANE, (device, role)).fetchall())
                    if known is None or known.op < lane.op:
                        _put_lane(db, device, role, lane)
            old.replace(old.with_name(old.name + ".migrated"))

    @contextlib.contextmanager
    def _old_lock(self, old: Path) -> Generator[None]:
        """The lock that programs of the older version honour."""
        try:
            with old.with_suffix(".lock").open("w") as lock:
                if fcntl is not None:
                    fcntl.flock(lock, fcntl.LOCK_EX)
                yield
        except OSError as error:
            raise StoreError(
                f"cannot take over {old}: {error.strerror or error}.", "Free space or permission, then try again."
            ) from error

    def _open(self) -> sqlite3.Connection:
        if self._db is None:
            raise StoreError(f"{self.path} is closed.", "Open the store again.")
        return self._db

    def _rows(self, text: str, values: Sequence[Any]) -> list[Any]:
        with self._lock, self._told("Restore it from a copy."):
            return self._open().execute(text, values).fetchall()

    @contextlib.contextmanager
    def _change(self, advice: str, durable: bool = True) -> Generator[sqlite3.Connection]:
        """One transaction, on the disk at its end if it is to be durable; nothing of it is left if it fails."""
        with self._lock, self._told(advice):
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
    def _told(self, advice: str) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StoreError(f"{self.path}: {_reason(error)}.", advice) from error

    def _logs_of(self, db: sqlite3.Connection, device: int) -> list[StoredLog]:
        rows = db.execute(
            "SELECT id, device, identity, COALESCE((SELECT seq FROM events WHERE log = id ORDER BY seq LIMIT 1), 0),"
            " COALESCE((SELECT seq FROM events WHERE log = id ORDER BY seq DESC LIMIT 1), 0),"
            " COALESCE((SELECT boot FROM events WHERE log = id ORDER BY seq DESC LIMIT 1), 0), handled"
            " FROM logs WHERE device = ? ORDER BY id DESC LIMIT 1",
            (device,),
        ).fetchall()
        return [StoredLog(row[0], row[1], row[2], 0, *row[3:]) for row in rows]

    def _new_log(self, db: sqlite3.Connection, device: int, identity: bytes) -> StoredLog:
        made = db.execute(
            "INSERT INTO logs (device, identity, began) VALUES (?, ?, ?)", (device, identity, time.time())
        )
        return StoredLog(made.lastrowid or 0, device, identity, 0, 0, 0, 0, 0)


def _place(path: str | Path) -> Path:
    if not isinstance(path, (str, Path)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"a store is named by the path of its file, not by {path!r}.", "Give a str or a Path.")
    if str(path) in ("", ".", ":memory:"):
        raise UsageError(f"{str(path)!r} is no file.", "Name one: a store that forgets is none.")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:
        raise StoreError(f"cannot find {path}: {error}.", "Write the folder out.") from error


_LANE = "SELECT op, waiting, command, arguments FROM lanes WHERE device = ? AND role = ?"


def _lane(rows: Sequence[Any]) -> Lane | None:
    if not rows:
        return None
    op, waiting, command, arguments = rows[0]
    return Lane(op, None if waiting is None else Unfinished(waiting, command, json.loads(arguments)))


def _put_lane(db: sqlite3.Connection, device: int, role: int, lane: Lane) -> None:
    left = lane.unfinished
    told = (left.op, left.command, json.dumps(left.arguments)) if left else (None, None, None)
    db.execute("INSERT OR REPLACE INTO lanes VALUES (?, ?, ?, ?, ?, ?)", (device, role, lane.op, *told))


def _objection(known: StoredLog, identity: bytes, seq_last: int, boot: int) -> str:
    """Why this cannot be the log that is on file, in words; empty if it can."""
    if identity and known.identity and identity != known.identity:
        return f"it keeps log {identity.hex()}, on file is log {known.identity.hex()}"
    if seq_last < known.last:
        return f"it has recorded {seq_last} events, {known.last} are on file"
    if boot < known.boot:
        return f"it is in its boot {boot}, on file is boot {known.boot}"
    return ""


def _row(log: int, arrived: Arrived, now: float) -> tuple[Any, ...]:
    message = arrived.message
    if isinstance(message, Event):
        head = (message.boot, message.uptime, message.utc_s, message.round, message.deck)
        own = {it.name: getattr(message, it.name) for it in fields(message) if it.name not in _PREFIX}
        text = json.dumps(own, default=bytes.hex)
        return (log, arrived.seq, message.ID, message.NAME, *head, text, arrived.body, now)
    assert isinstance(message, UnknownMessage)
    _seq, boot, seconds, ms, *rest = _HEAD.unpack(message.body.ljust(_HEAD.size, b"\0")[: _HEAD.size])
    return (log, arrived.seq, message.id, message.NAME, boot, seconds + ms / 1000, *rest, "{}", arrived.body, now)


def _message(number: int, body: bytes) -> Message:
    found = framing.unpack(number, body)
    return UnknownMessage(number, CLASS_EVENT, body) if found is None else found


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
