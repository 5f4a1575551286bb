"""Shoe: typed events in order, each at least once (again only after a restart), and commands that act at most once.

    with Shoe.open("/dev/ttyACM0", key="table.key", store="table-7.db") as shoe:
        for event in shoe.events():
            print(event)

An event counts as handled when the program asks for the next: one that crashes with an event in hand gets it again. If
the port disappears it is reopened, and everything resumes. One shoe belongs to one thread; AsyncShoe is the same for
asyncio, and exchange.py has what both decide.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar, overload

from fairshoe.client import queries
from fairshoe.client.argument_checks import check_seconds, check_until
from fairshoe.client.command_queue import CommandResult, Pending
from fairshoe.client.exchange import ANSWER_S, Answer, Core, Steps
from fairshoe.client.notices import Notice
from fairshoe.client.operation_numbers import Numbers, Unfinished
from fairshoe.client.records import ShoeRecords
from fairshoe.client.round_play import Hooks, RoundPlay
from fairshoe.client.shoe_base import (
    COMMAND_S,
    NAP_S,
    RETRY_S,
    RETRY_S_MAX,
    SILENT_S,
    STALE_S,
    ShoeBase,
    do_nothing,
    fits,
    prepare,
    round_over,
)
from fairshoe.client.store import Store
from fairshoe.errors import PortError
from fairshoe.games.rounds import RoundView
from fairshoe.keys import KeyRing, RoleKey, read_key
from fairshoe.link.dictionary import Dictionary
from fairshoe.link.session import HostSession
from fairshoe.messages import (
    Command,
    Event,
    JournalIs,
    JournalSigned,
    Message,
    Record,
    Role,
    SeedIs,
    Status,
    TimeIs,
)
from fairshoe.transport.busy_line import HostConnected, port_busy
from fairshoe.transport.urls import Port, PortAddress

__all__ = ["ANSWER_S", "CommandResult", "Pending", "Shoe"]

T = TypeVar("T")
Wanted = TypeVar("Wanted", bound=Message)


class Shoe(ShoeBase):
    """An open shoe. Use `with Shoe.open(port) as shoe: for event in shoe.events(): ...`."""

    def __init__(
        self,
        port: Port,
        name: str,
        session: HostSession | None,
        operations: Numbers | None = None,
        clock: Callable[[], float] | None = None,
        *,
        core: Core | None = None,
        address: PortAddress | None = None,
    ) -> None:
        """For a port of your own; `greet` is the next step. `address` is how to get at the port again."""
        super().__init__(core or Core(name, session, operations), name, port)
        self._core.clock.host_s = getattr(port, "utc", None) or time.time
        self._port: Port | None = port
        self._address = address
        self._clock: Callable[[], float] = clock or getattr(port, "clock", None) or time.monotonic
        self._sleep: Callable[[float], None] = getattr(port, "sleep", None) or time.sleep
        self._retry_s = RETRY_S
        self._retry_at = 0.0
        self.records = ShoeRecords(self._put)  # what no sensor sees

    @classmethod
    def open(
        cls,
        url: str,
        key: RoleKey | KeyRing | str | Path | None = None,
        operations: Numbers | None = None,
        after_seq: int = 0,
        answer_s: float = ANSWER_S,
        *,
        store: Store | str | Path | None = None,
        reconnect: bool = True,
        device: int | None = None,
        new_log: bool = False,
        clock: bool = True,
        nonce: bool = False,
        shufflers: Collection[int] = (),
    ) -> Shoe:
        """Open a port (transport/urls.py lists the forms), say hello and wait for the device's welcome.

        key         of a role, or the file that holds it (fairshoe.keys): the session is authenticated both ways, and
                    takes commands if it is the table's. Without one the shoe only reports. A folder, or a KeyRing, has
                    keys of many devices.
        store       keeps events and the numbers of commands (fairshoe.Store): an event is acknowledged when it is on
                    the disk, and what this program had not finished with when it ended comes first. A path is opened,
                    and closed with the shoe.
        operations  keeps the numbers of commands alone, for a program that leaves the events to another.
        after_seq   without a store: the last event you have stored. What the device sends again up to it is not shown.
        reconnect   False: a port that vanishes is PortLost, instead of being opened again.
        device      the number of the device that must be there; WrongDevice if it is another one.
        clock       False: leave the device's clock alone. Otherwise it is set after every boot, if the role may.
        nonce       True: give a fresh nonce to every shuffle, so that the device alone does not choose the order, and
                    refuse decks whose order has none (DeckNotShared, docs/SHUFFLE.md). Needs the key of the table or of
                    service, and a store if the program may restart while a deck is inside.
        shufflers   with nonce: numbers of devices that shuffle, by a file of the house. One that says that a deck was
                    loaded is then not believed from the first event on; otherwise once its own log shows a shuffle.
        new_log     go on although the device's storage is not the one on file; see StorageReplaced.
        answer_s    how long to wait for the welcome."""
        parts = prepare(url, key, operations, after_seq, answer_s, store, device, new_log, clock, nonce, shufflers)
        with contextlib.ExitStack() as undo:
            if parts.owned is not None:
                undo.callback(parts.owned.close)
            port = parts.address.open()
            undo.callback(port.close)
            shoe = cls(port, url, None, core=parts.core, address=parts.address if reconnect else None)
            shoe._owned = parts.owned
            shoe.greet(answer_s)
            undo.pop_all()
        return shoe

    @classmethod
    def listen(cls, url: str, reconnect: bool = False) -> Shoe:
        """Open a port and send nothing at all: for a tap, or beside another host. Nothing that is heard is proved, and
        what is lost on the way is not repeated."""
        address = PortAddress(url)
        return cls(address.open(), url, None, address=address if reconnect else None)

    # -- events ------------------------------------------------------------------------------------------------------

    def events(self, quiet_s: float | None = None) -> Iterator[Event]:
        """Events as they come; ends after quiet_s seconds without any. Asking for the next one acknowledges the one
        before, unless `acknowledge` did so; an unacknowledged one is redelivered. One loop at a time, in which commands
        may be given; closing the shoe ends it."""
        for message in self._each(quiet_s, Event):
            if isinstance(message, Event):
                yield message

    def messages(self, quiet_s: float | None = None) -> Iterator[Message]:
        """The same with status and meters between the events; ends after quiet_s seconds without any message."""
        return self._each(quiet_s, Message)

    def acknowledge(self) -> None:
        """Acknowledge the last event, before asking for the next: it is safely stored."""
        self._core.acknowledge()
        self._flush()

    @overload
    def run(self, until: None = None, timeout_s: float | None = None) -> None: ...

    @overload
    def run(self, until: type[Wanted], timeout_s: float | None = None) -> Wanted: ...

    @overload
    def run(self, until: Callable[[Message], bool], timeout_s: float | None = None) -> Message: ...

    def run(self, until: Any = None, timeout_s: float | None = None) -> Any:
        """Serve the functions of `on`: until a message of this kind, or one for which a function says so, has come and
        was served, which is returned; or until `stop`. Events are acknowledged when their functions have returned.
        NoAnswer if `until` did not come in time; without `until`, it ends then."""
        check_until(until, timeout_s)
        with self._core.turn.taken():
            found = self._run(until, None if timeout_s is None else self._clock() + timeout_s)
        if found is None and until is not None and not self._stopping and not self._core.closed:
            raise self._not_in_time(timeout_s)
        return found

    def round(self, timeout_s: float | None = None) -> RoundView:
        """Serve the functions of `on` until the open round, or the next one, has ended or is void; the view of it.
        As `run` it acknowledges events. NoAnswer if the round is not over in time."""
        self.run(round_over, timeout_s)
        return self._core.view_taken

    def play(self, hooks: Hooks, rounds: int = 1) -> list[RoundView]:
        """Play rounds by command until so many have ended or are void, and give the views of them. It asks first about
        a command that an earlier run left open, and serves the functions of `on`. `hooks` says what a shoe cannot know.
        Closing the shoe in a function ends it."""
        play = RoundPlay(rounds, hooks, self.welcome)
        unfinished = self.unfinished()
        if unfinished is not None:
            self.status_after(self.wait(self.resume(unfinished)))
        for message in self.messages():
            if isinstance(message, Status) and message is not self.status:
                continue  # it is out of date
            given = play.heard(message, self.current_round)
            if play.done:
                self.acknowledge()
                break
            if given is not None:
                kind, arguments = given
                result = self.command(kind, **arguments)
                play.answered(result)
                self.status_after(result)
        return play.over

    # -- commands ----------------------------------------------------------------------------------------------------

    def start(self, kind: type[Command], **arguments: int) -> Pending:
        """Give a command. Its number is stored first, and it is repeated until it is answered, so that it acts once
        however often the link breaks. While another command is under way it waits its turn; QueueFull beyond 16.
        `messages` (or `wait`) carries it on; look at `pending.result`."""
        return self._core.start(kind, arguments)

    def resume(self, unfinished: Unfinished) -> Pending:
        """Ask about a command of an earlier run, under its own number: it acts now if it never did."""
        return self._core.resume(unfinished)

    def wait(self, pending: Pending, timeout_s: float = COMMAND_S) -> CommandResult:
        """The outcome of a command. Events that come meanwhile are delivered afterwards."""
        check_seconds("timeout_s", timeout_s)
        return self._follow(self._core.awaiting(pending, timeout_s))

    def command(self, kind: type[Command], timeout_s: float = COMMAND_S, **arguments: int) -> CommandResult:
        """Give a command and wait for its outcome. If it still waits its turn then, it is never sent."""
        check_seconds("timeout_s", timeout_s)  # before a number is stored for it
        return self._follow(self._core.commanding(kind, arguments, timeout_s))

    def status_after(self, result: CommandResult, timeout_s: float = ANSWER_S) -> Status:
        """The first status that the device sent after this outcome, or a newer one."""
        check_seconds("timeout_s", timeout_s)
        return self._follow(self._core.awaiting_status(result, timeout_s))

    def set_clock(self, timeout_s: float = ANSWER_S) -> TimeIs:
        """Set the device's clock to that of this host. `open` does so after every boot of the device, if the role may;
        call it now and then in a program that runs for days. Needs the key of recorder, table or service."""
        check_seconds("timeout_s", timeout_s)
        return self._follow(self._core.setting_clock(timeout_s))

    # -- questions ---------------------------------------------------------------------------------------------------

    def seed(self, timeout_s: float = ANSWER_S) -> SeedIs:
        """What the device discloses about the last shuffle whose deck is out of play. Needs the auditor's key."""
        return self._follow(queries.seed(self._core, timeout_s))

    def seed_for_auditor(
        self, key: RoleKey | str | Path, idle: Callable[[], None] = do_nothing, timeout_s: float = ANSWER_S
    ) -> SeedIs:
        """The same with the auditor's key, in a short session of its own on the same line: for a table system that
        audits between rounds. The device takes an auditor only when the table has been silent for ten seconds; `idle`
        is called again and again meanwhile, and gives no command. Then this shoe's session begins again; the device
        keeps its events until then."""
        if self._port is None:
            raise self._core.lost_error()
        taken = key if isinstance(key, RoleKey) else read_key(Path(key), Role.AUDITOR)
        silent = self._clock() + SILENT_S
        while self._clock() < silent:
            idle()
            self._sleep(NAP_S)
        auditor = Shoe(self._port, self.name, HostSession(taken), clock=self._clock)
        try:
            auditor.greet(timeout_s)
            return auditor.seed(timeout_s)
        finally:
            self._core.link_lost("the auditor used the line", self._clock())
            self._core.relink()

    def journal_is(self, timeout_s: float = ANSWER_S) -> JournalIs:
        """What the device's journal holds, under its seal key."""
        return self._follow(queries.journal(self._core, timeout_s))

    def journal_signed(self, last: int = 0, timeout_s: float = queries.SIGNED_S) -> JournalSigned:
        """The same with a signature, once the device is at rest, of at least the records up to `last`. The signature is
        empty if this device cannot sign."""
        return self._follow(queries.signed_journal(self._core, last, timeout_s))

    def journal_record(self, seq: int, timeout_s: float = ANSWER_S) -> bytes:
        """One record as it is stored; empty if the device does not have it, or cannot read it."""
        return self._follow(queries.journal_record(self._core, seq, timeout_s))

    def ask(
        self, about: str, question: Message, kind: type[Answer], fits: Callable[[Answer], bool], timeout_s: float
    ) -> Answer:
        """Ask until it is answered. Events that come meanwhile stay in line."""
        return self._follow(self._core.asking(about, question, kind, fits, timeout_s))

    def dictionary(self) -> Dictionary:
        """The device's own message table: ours if the hashes agree, else fetched line by line and checked."""
        return self._follow(queries.dictionary(self._core))

    # -- coming and going --------------------------------------------------------------------------------------------

    def greet(self, answer_s: float = ANSWER_S) -> None:
        """Say hello and wait for the welcome. `open` has done so; this is for a port of your own."""
        self._follow(self._core.greeting(answer_s))
        self._greeted = True

    def close(self) -> None:
        """Close the port. An unacknowledged event is redelivered at the next connection."""
        self._core.closed = True
        if self._port is not None:
            self._port.close()
        self._port = None
        if self._address is not None:
            self._address.close()
        self._address = None
        if self._owned is not None:
            self._owned.close()

    def __enter__(self) -> Shoe:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- inside ------------------------------------------------------------------------------------------------------

    def _put(self, arguments: dict[str, int], timeout_s: float) -> CommandResult:
        return self.command(Record, timeout_s, **arguments)

    def _run(self, until: Any, end: float | None) -> Message | None:
        self._core.check_open()
        self._stopping = False
        self._core.hold_back()
        while not self._stopping and not self._core.closed:
            message = self._core.next_message()
            if message is None:
                self._pump()
                message = self._core.next_message()
            if message is None:
                if end is not None and self._clock() >= end:
                    break
                continue
            self._serve(message)
            self._done()
            if fits(message, until):
                return message
        return None

    def _each(self, quiet_s: float | None, wanted: type[Message]) -> Iterator[Message]:
        check_seconds("quiet_s", quiet_s, none=True)
        with self._core.turn.taken():
            self._core.check_open()
            self._core.hold_back()
            yield from self._each_message(quiet_s, wanted)

    def _each_message(self, quiet_s: float | None, wanted: type[Message]) -> Iterator[Message]:
        heard = self._clock()
        while not self._core.closed:
            message = self._core.next_message()
            if message is None:
                self._pump()  # before the clock is read: look once even with a time-out of 0
                message = self._core.next_message()
            if message is None:
                if quiet_s is not None and self._clock() - heard >= quiet_s:
                    return
                continue
            if isinstance(message, wanted):
                heard = self._clock()
            self._serve(message)
            if self._core.closed:
                return
            yield message
            self._done()  # not before: the program may crash with the event in hand

    def _done(self) -> None:
        """Acknowledge the current event; if closed meanwhile, it is redelivered."""
        if not self._core.closed:
            self.acknowledge()

    def _serve(self, message: Message | Notice) -> None:
        for function in self._listeners.of(message):
            function(message)

    def _follow(self, steps: Steps[T]) -> T:
        try:
            while True:
                step = next(steps)
                end = self._clock() + step.seconds
                while not step.done() and self._clock() < end:
                    self._pump()
        except StopIteration as stop:
            return stop.value
        finally:
            steps.close()

    def _pump(self) -> None:
        """Move bytes once, and put what came out of them in line."""
        port = self._port
        if port is None:
            self._reopen()
            return
        self._core.tick(self._clock())
        self._flush()
        if self._port is not port:
            return  # lost in writing
        try:
            data = port.read(max(1, port.in_waiting))
        except (OSError, TypeError) as error:  # pyserial raises TypeError when the port was closed under it
            self._lost(error)
            return
        self._core.feed(data, self._clock())
        self._flush()
        # A network that is cut gives no error, only silence: make the connection again.
        if self._address is not None and self._address.network and self._core.silent_s(self._clock()) > STALE_S:
            self._lost(TimeoutError("nothing comes over the connection"))
        self._tell()

    def _flush(self) -> None:
        if self._port is None:
            return
        data = self._core.output()
        if data:
            try:
                self._port.write(data)
            except OSError as error:
                self._lost(error)

    def _tell(self) -> None:
        while self._core.notices:
            self._serve(self._core.notices.popleft())

    def _lost(self, error: Exception) -> None:
        """The port failed: begin to try it again; an error, if it may not be reopened or has never answered."""
        if self._address is None or self._port is None or not self._greeted:
            raise (port_busy(self.name) if isinstance(error, HostConnected) else self._core.lost_error()) from error
        self._address.lost(self._port)
        self._port = None
        now = self._clock()
        # A server that closes every connection at once is tried less and less often.
        self._retry_s = RETRY_S if self._core.answered else min(2 * self._retry_s, RETRY_S_MAX)
        self._core.link_lost(str(getattr(error, "strerror", None) or error), now)
        self._retry_at = now + self._retry_s
        self._tell()

    def _reopen(self) -> None:
        """Try to get the port back when it is time to, and wait a moment otherwise."""
        self._core.check_open()
        if self._address is None:
            raise self._core.lost_error()
        now = self._clock()
        if now < self._retry_at:
            self._sleep(min(NAP_S, self._retry_at - now))
            return
        try:
            self._port = self._address.open()
        except PortError:
            self._retry_s = min(2 * self._retry_s, RETRY_S_MAX)
            self._retry_at = now + self._retry_s
        else:
            self._core.relink()
