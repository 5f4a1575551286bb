"""The store of a host, one SQLite file: events before they are acknowledged, operation numbers before they are sent.

    store = Store()                              # in the user's data folder
    with Shoe.open("/dev/ttyACM0", store=store) as shoe: ...
    for stored in store.events(device=0x510001, kinds=[RoundEnded]):
        print(stored.seq, stored.event)

Several programs may share a file. When `add` or `begin` returns, the data is on disk. `submit` hands writing to a
thread that commits for many shoes at once (store_writer.py). Queries have connections of their own: they never hold up
a commit.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from struct import Struct
from typing import Any, NamedTuple

from fairshoe.client import share_store, store_cursors
from fairshoe.client.operation_numbers import Lane, Unfinished, next_lane
from fairshoe.client.share_judge import SHIFT_SHUFFLES
from fairshoe.client.store_file import StoreFile, default_path
from fairshoe.client.store_writer import Job
from fairshoe.errors import StorageReplaced
from fairshoe.games.rounds import RoundView
from fairshoe.link import framing
from fairshoe.message_data import fields_of
from fairshoe.messages import DeckLoaded, DeckVerified, Event, Message, RoundStarted, UnknownMessage
from firmware.protocol.ids import CLASS_EVENT

__all__ = ["Arrived", "Store", "StoredEvent", "StoredLog", "default_path"]

PAGE = 256
_to_json = json.JSONEncoder().encode
_OWN: dict[type[Message], tuple[str, ...]] = {}  # by kind of event, its fields that no other kind has; a cache
_PREFIX = tuple(field.name for field in fields(Event))
_HEAD = Struct("<IHIHIIB")  # of every event, also of one that this version does not know

_RETRY = "Free space or permission, then try again."
_NOTHING_SENT = "Nothing was sent. Free space or permission, then give the command again."
_ANSWERED = "The command was answered; until this can be written it looks unanswered, and asking again is safe."
_NOT_ACKNOWLEDGED = "No event was acknowledged that is not stored: the device keeps them, and sends them again."


@dataclass(frozen=True)
class StoredEvent:
    """An event on file. `event` is typed; UnknownMessage if this version does not know it. `received` is the host's
    clock when the event was stored, in UTC seconds since 1970; `body` is the event as the device sent it; `log_id` is
    StoredLog.id: a copy of a storage has the same name. 0 if it came from elsewhere."""

    device: int
    log: bytes
    seq: int
    name: str
    received: float
    event: Message
    body: bytes
    log_id: int = field(default=0, compare=False)

    @classmethod
    def of_body(
        cls, device: int, log: bytes, seq: int, name: str, received: float, message: int, body: bytes
    ) -> StoredEvent:
        """An event of another database, from the number of its message and its body."""
        return cls(device, log, seq, name, received, _message(message, body), body)


@dataclass(frozen=True)
class StoredLog:
    """The life of one device's storage. `identity` is empty if the device never sent it; `last` is the newest event on
    file, `handled` the last one that a program has said it is done with."""

    id: int
    device: int
    identity: bytes
    events: int
    first: int
    last: int
    boot: int
    handled: int


class Arrived(NamedTuple):
    """An event that is to be stored and its body as it came; when it came (time.monotonic), for measurements; the round
    with this event in it."""

    seq: int
    message: Message
    body: bytes
    at: float = 0.0
    view: RoundView | None = None


class Store(StoreFile):
    """Events and operation numbers on file. May be used from several threads, and by several programs."""

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
        return self._events(where, wanted)

    def _events(self, where: list[str], wanted: list[Any]) -> Iterator[StoredEvent]:
        place: tuple[int, int] = (0, 0)
        while True:
            # Page by page, each from its place on: writers are not held up meanwhile.
            rows = self._rows(
                "SELECT logs.device, logs.identity, events.seq, name, received, message, body, events.log FROM events"
                f" JOIN logs ON logs.id = events.log WHERE {' AND '.join(where)} AND (events.log, events.seq) > (?, ?)"
                " ORDER BY events.log, events.seq LIMIT ?",
                (*wanted, *place, PAGE),
            )
            for *head, message, body, log in rows:
                yield StoredEvent(head[0], head[1], head[2], head[3], head[4], _message(message, body), body, log)
            if len(rows) < PAGE:
                return
            place = (rows[-1][7], rows[-1][2])

    def logs(self, device: int | None = None) -> list[StoredLog]:
        """Every log that was ever met, as devices went on with them: the last one of a device is its newest. More than
        one for a device: its storage was replaced."""
        rows = self._rows(
            "SELECT id, device, identity, COUNT(seq), COALESCE(MIN(seq), 0), COALESCE(MAX(seq), 0),"
            " COALESCE(MAX(boot), 0), handled FROM logs LEFT JOIN events ON log = id"
            " WHERE ? IS NULL OR device = ? GROUP BY id ORDER BY began, id",
            (device, device),
        )
        return [StoredLog(*row) for row in rows]

    # -- cursors and retention ---------------------------------------------------------------------------------------

    def cursor_events(self, name: str, device: int | None = None) -> Iterator[StoredEvent]:
        """What the cursor of this name has not passed, oldest first. A new name begins at the oldest event."""
        self._write(Job(lambda db: store_cursors.make_cursor(db, name), _RETRY))
        places = dict(self._rows("SELECT log, seq FROM cursor_places WHERE name = ?", (name,)))
        for log in self.logs(device):
            yield from self._events(["events.log = ?", "events.seq > ?"], [log.id, places.get(log.id, 0)])

    def cursor_passed(self, name: str, stored: StoredEvent) -> None:
        """The cursor is past this event; on the disk when it returns. Make the cursor first, with `cursor_events`."""
        place = (stored.device, stored.log, stored.seq, stored.log_id)
        self._write(Job(lambda db: store_cursors.pass_cursor(db, name, *place), _RETRY))

    def pass_cursor(self, name: str, places: Mapping[tuple[int, bytes], int]) -> None:
        """Make the cursor if there is none, and move it past these events, by device and log, in one commit. It only
        moves forward."""

        def pass_all(db: sqlite3.Connection) -> None:
            store_cursors.make_cursor(db, name)
            for (device, log), seq in places.items():
                store_cursors.pass_cursor(db, name, device, log, seq)

        self._write(Job(pass_all, _RETRY))

    def drop_cursor(self, name: str) -> None:
        """Forget the cursor: retention does not wait for it any more."""
        self._write(Job(lambda db: store_cursors.drop_cursor(db, name), _RETRY))

    def prune(self, age_s: float | None = None, rows: int | None = None, up_to: Mapping[int, int] | None = None) -> int:
        """Delete events older than `age_s` seconds, those beyond the newest `rows` of each log, and those with numbers
        up to that of their log (StoredLog.id) in `up_to`; how many. None that a cursor or the program that follows the
        shoe has not passed, and never the newest of a log. The age is time that passed between calls, at most a tenth
        of `age_s` from one to the next, so that a wrong clock deletes nothing: call it at least that often. Deletes in
        small transactions, between which shoes commit."""
        old = {} if age_s is None else self._write(Job(lambda db: store_cursors.old_events(db, age_s), _RETRY))
        for log, seq in (up_to or {}).items():
            old[log] = max(seq, old.get(log, 0))
        total = 0
        while True:
            deleted = self._write(Job(lambda db: store_cursors.prune(db, rows, old), _RETRY))
            total += deleted
            if deleted < store_cursors.PRUNED:
                return total

    # -- events ------------------------------------------------------------------------------------------------------

    def resume(self, device: int, identity: bytes, seq_last: int, boot: int, new_log: bool = False) -> StoredLog:
        """The log that a device goes on with. `identity` is empty if it did not send it. StorageReplaced if it is none
        that continues what is on file, unless a new one is allowed."""
        return self._write(self.resume_job(device, identity, seq_last, boot, new_log))

    def resume_job(
        self, device: int, identity: bytes, seq_last: int, boot: int, new_log: bool = False
    ) -> Job[StoredLog]:
        """`resume` for `submit`."""
        return Job(lambda db: _resume(db, device, identity, seq_last, boot, new_log), _NOT_ACKNOWLEDGED)

    def add(self, log: int, events: Sequence[Arrived]) -> None:
        """Store events, all of them or none; when it returns they are on the disk."""
        self._write(self.add_job(log, events))

    def add_job(self, log: int, events: Sequence[Arrived]) -> Job[None]:
        """`add` for `submit`."""
        now = time.time()
        rows = [_row(log, it, now) for it in events]
        return Job(lambda db: self.put_rows(db, rows), _NOT_ACKNOWLEDGED, True, rows)

    def fill(self, device: int, log: bytes, events: Iterable[tuple[int, int, bytes]]) -> int:
        """Add events that this store lacks because another host acknowledged them, by number, number of the message and
        body: from an export of the device's journal that was verified. Those on file are left alone. How many were
        added. Never give it one that the device has still to send. Cursors go back before the first of them."""
        now = time.time()
        rows = [_row(0, Arrived(seq, _message(message, body), body), now)[1:] for seq, message, body in events]

        def add(db: sqlite3.Connection) -> int:
            before = db.total_changes
            db.executemany(
                "INSERT OR IGNORE INTO events SELECT MAX(id), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM logs"
                " WHERE device = ? AND identity = ? HAVING MAX(id) > 0",
                [(*row, device, log) for row in rows],
            )
            added = db.total_changes - before
            if added:
                store_cursors.turn_back(db, device, log, min(row[0] for row in rows))
            return added

        return self._write(Job(add, _RETRY))

    def unhandled(self, log: int, after: int, limit: int) -> list[Message]:
        """The next events on file after that one."""
        rows = self._rows(
            "SELECT message, body FROM events WHERE log = ? AND seq > ? ORDER BY seq LIMIT ?", (log, after, limit)
        )
        return [_message(message, body) for message, body in rows]

    def newest_log(self, device: int) -> StoredLog | None:
        """The log that this device went on with last."""
        return _log(self._rows(_NEWEST, (device,)))

    def round_events(self, log: int, last: int) -> Iterator[Message]:
        """Events up to this one, from so far back that they give the whole newest round: four decks before it."""
        kinds = ", ".join(f"'{kind.NAME}'" for kind in (DeckVerified, DeckLoaded))
        found = "SELECT seq FROM events WHERE log = ? AND seq <= ? AND name IN ({}) ORDER BY seq DESC LIMIT {}"
        started = self._rows(found.format(f"'{RoundStarted.NAME}'", 1), (log, last))
        decks = self._rows(found.format(kinds, 4), (log, started[0][0] if started else last))
        at = decks[-1][0] - 1 if decks else 0
        while True:
            rows = self._rows(
                "SELECT message, body, seq FROM events WHERE log = ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?",
                (log, at, last, PAGE),
            )
            for message, body, _seq in rows:
                yield _message(message, body)
            if len(rows) < PAGE:
                return
            at = rows[-1][2]

    def handled(self, log: int, seq: int) -> None:
        """The program is done with events up to this one. This does not wait for the disk: if power is lost before it
        is there, the program sees an event again that is on file anyway. With a writer thread it returns at once."""
        if self._writer is not None:
            self._writer.handled(log, seq)
        else:
            self._write(Job(lambda db: self.put_handled(db, {log: seq}), "The program sees the event again.", False))

    # -- the table's share -------------------------------------------------------------------------------------------

    def share_secret(self) -> bytes:
        """What this host makes its nonces with; made with the first call."""
        return self._write(Job(share_store.secret, _RETRY))

    def share_history(self, log: int, since: float, kinds: Iterable[type[Message]]) -> Iterator[tuple[Message, float]]:
        """Events of these kinds since that UTC second and of the last shuffles, and when each was stored."""
        names = ", ".join(f"'{kind.NAME}'" for kind in kinds)
        text = share_store.HISTORY.format(names=names, events_max=share_store.EVENTS_MAX, shuffles=SHIFT_SHUFFLES)
        for message, body, received in self._rows(text, (log, since)):
            yield _message(message, body), received

    def accept_deck(self, log: int, seq: int, name: str) -> None:
        """A supervisor accepts the deck of this shuffle, though its order has no share of the table."""
        self._write(Job(lambda db: share_store.accept(db, log, seq, name), _RETRY))

    def accepted_decks(self, log: int) -> dict[int, str]:
        """Who accepted which, by the number of the shuffle."""
        return dict(self._rows("SELECT seq, name FROM accepted_decks WHERE log = ?", (log,)))

    def end_deck(self, log: int, seq: int, name: str, cause: str) -> None:
        """A person answers for the end of the deck of this shuffle, and says why."""
        self._write(Job(lambda db: share_store.end(db, log, seq, name, cause), _RETRY))

    def note_hands(self, log: int, seq: int, hands: int) -> None:
        """So many hands had wagers in the round of this shuffle, and the device said that it deals to fewer."""
        self._write(Job(lambda db: share_store.note_hands(db, log, seq, hands), _RETRY))

    def wagered_hands(self, log: int) -> dict[int, int]:
        """How many, by the number of the shuffle."""
        return dict(self._rows("SELECT seq, hands FROM wagered_hands WHERE log = ?", (log,)))

    def ended_decks(self, log: int) -> dict[int, tuple[str, str]]:
        """Who answers for which, and why, by the number of the shuffle."""
        rows = self._rows("SELECT seq, name, cause FROM ended_decks WHERE log = ?", (log,))
        return {seq: (name, cause) for seq, name, cause in rows}

    # -- numbers -----------------------------------------------------------------------------------------------------

    def unfinished(self, device: int, role: int) -> Unfinished | None:
        """The command of this lane whose outcome is not known."""
        lane = _lane(self._rows(_LANE, (device, role)))
        return lane.unfinished if lane else None

    def begin(self, device: int, role: int, op_last: int, command: str, arguments: Mapping[str, int]) -> int:
        """The number for a new command, on the disk before it is returned; op_last is what the device says."""
        return self._write(self.begin_job(device, role, op_last, command, arguments))

    def begin_job(self, device: int, role: int, op_last: int, command: str, arguments: Mapping[str, int]) -> Job[int]:
        """`begin` for `submit`."""

        def number(db: sqlite3.Connection) -> int:
            lane = next_lane(_lane(db.execute(_LANE, (device, role)).fetchall()), op_last, command, arguments)
            _put_lane(db, device, role, lane)
            return lane.op

        return Job(number, _NOTHING_SENT)

    def finish(self, device: int, role: int, op: int) -> None:
        """The outcome of that number is known. With a writer thread this does not wait: until it is on the disk the
        command looks unanswered, and asking again is safe."""
        values = (device, role, op)
        self._write_soon(Job(lambda db: _note_finished(db, values), _ANSWERED))


def _resume(db: sqlite3.Connection, device: int, identity: bytes, seq_last: int, boot: int, new_log: bool) -> StoredLog:
    known = _log(db.execute(_NEWEST, (device,)).fetchall())
    if known is None:
        return _new_log(db, device, identity)
    why = _objection(known, identity, seq_last, boot)
    if not why:
        if identity and not known.identity:
            db.execute("UPDATE logs SET identity = ? WHERE id = ?", (identity, known.id))
        return known
    if not new_log:
        raise StorageReplaced(
            f"device {device:08x}: {why}.",
            "Its storage was replaced, erased or put back: take it out of service and find out why. Then go "
            "on with new_log=True (--new-log); what is on file stays.",
        )
    # What became of a command is known to the storage that has left: asked about here, it would act once more.
    db.execute("UPDATE lanes SET waiting = NULL, command = NULL, arguments = NULL WHERE device = ?", (device,))
    before = _log(db.execute(_OF_IDENTITY, (device, identity)).fetchall()) if identity else None
    if before is None or _objection(before, identity, seq_last, boot):
        return _new_log(db, device, identity)
    db.execute(f"UPDATE logs SET began = {_BEGINS} WHERE id = ?", (time.time(), device, before.id))
    return before


_OF_DEVICE = (
    "SELECT id, device, identity, COALESCE((SELECT seq FROM events WHERE log = id ORDER BY seq LIMIT 1), 0),"
    " COALESCE((SELECT seq FROM events WHERE log = id ORDER BY seq DESC LIMIT 1), 0),"
    " COALESCE((SELECT boot FROM events WHERE log = id ORDER BY seq DESC LIMIT 1), 0), handled"
    " FROM logs WHERE device = ?"
)
_NEWEST = f"{_OF_DEVICE} ORDER BY began DESC, id DESC LIMIT 1"
_OF_IDENTITY = f"{_OF_DEVICE} AND identity = ? ORDER BY began DESC, id DESC LIMIT 1"
# Later than that of any other log of the device, whatever the clock says.
_BEGINS = "MAX(?, COALESCE((SELECT MAX(began) + 1 FROM logs WHERE device = ?), 0))"


def _log(rows: Sequence[Any]) -> StoredLog | None:
    return StoredLog(rows[0][0], rows[0][1], rows[0][2], 0, *rows[0][3:]) if rows else None


def _new_log(db: sqlite3.Connection, device: int, identity: bytes) -> StoredLog:
    values = (device, identity, time.time(), device)
    made = db.execute(f"INSERT INTO logs (device, identity, began) VALUES (?, ?, {_BEGINS})", values)
    return StoredLog(made.lastrowid or 0, device, identity, 0, 0, 0, 0, 0)


def _note_finished(db: sqlite3.Connection, values: tuple[int, int, int]) -> None:
    db.execute(
        "UPDATE lanes SET waiting = NULL, command = NULL, arguments = NULL"
        " WHERE device = ? AND role = ? AND waiting = ?",
        values,
    )


_LANE = "SELECT op, waiting, command, arguments FROM lanes WHERE device = ? AND role = ?"


def _lane(rows: Sequence[Any]) -> Lane | None:
    if not rows:
        return None
    op, waiting, command, arguments = rows[0]
    return Lane(op, None if waiting is None else Unfinished(waiting, command, json.loads(arguments)))


def _put_lane(db: sqlite3.Connection, device: int, role: int, lane: Lane) -> None:
    left = lane.unfinished
    left_open = (left.op, left.command, json.dumps(left.arguments)) if left else (None, None, None)
    db.execute("INSERT OR REPLACE INTO lanes VALUES (?, ?, ?, ?, ?, ?)", (device, role, lane.op, *left_open))


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
        kind = type(message)
        names = _OWN.get(kind)
        if names is None:
            names = _OWN[kind] = tuple(it.name for it in fields(message) if it.name not in _PREFIX)
        text = _to_json(fields_of(message, names)) if names else "{}"
        return (log, arrived.seq, message.ID, message.NAME, *head, text, arrived.body, now)
    assert isinstance(message, UnknownMessage)
    _seq, boot, seconds, ms, *rest = _HEAD.unpack(message.body.ljust(_HEAD.size, b"\0")[: _HEAD.size])
    return (log, arrived.seq, message.id, message.NAME, boot, seconds + ms / 1000, *rest, "{}", arrived.body, now)


def _message(number: int, body: bytes) -> Message:
    found = framing.unpack(number, body)
    return UnknownMessage(number, CLASS_EVENT, body) if found is None else found
