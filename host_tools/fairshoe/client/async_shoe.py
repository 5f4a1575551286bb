"""AsyncShoe: the same shoe for asyncio.

    async with AsyncShoe.open("/dev/ttyACM0", key="table.key") as shoe:
        async for event in shoe.events():
            print(event)

Bytes that arrive are taken in the callback of their port. A task of its own sends what is due by the clock and opens a
lost port again, so that the session stays alive, commands are repeated and events are stored whatever the program is
doing. A store is written by its own thread, which commits for all shoes at once. Cancelling a wait loses nothing: the
event stays queued, the command goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable, Callable, Collection
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar, cast, overload

from fairshoe.client import queries
from fairshoe.client.argument_checks import check_seconds, check_until
from fairshoe.client.async_feed import Feed
from fairshoe.client.async_line import AsyncLine
from fairshoe.client.command_queue import CommandResult, Pending
from fairshoe.client.exchange import ANSWER_S, Answer, Core, Steps
from fairshoe.client.opening import opening
from fairshoe.client.operation_numbers import Numbers, Unfinished
from fairshoe.client.records import Records
from fairshoe.client.round_play import Hooks, RoundPlay
from fairshoe.client.shoe_base import COMMAND_S, do_nothing, fits, prepare, round_over
from fairshoe.client.store import Store
from fairshoe.errors import UsageError
from fairshoe.games.rounds import RoundView
from fairshoe.keys import KeyRing, RoleKey, read_key
from fairshoe.link.dictionary import Dictionary
from fairshoe.link.session import HostSession, event_seq
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
    UnknownMessage,
)
from fairshoe.transport.async_ports import AsyncPort, open_async
from fairshoe.transport.urls import PortAddress

T = TypeVar("T")
Wanted = TypeVar("Wanted", bound=Message)


class AsyncShoe(AsyncLine):
    """An open shoe in a loop. `async with AsyncShoe.open(url) as shoe` closes it; `await` opens it alone."""

    def __init__(self, core: Core, address: PortAddress, port: AsyncPort, reconnect: bool) -> None:
        super().__init__(core, address, port, reconnect)
        self.records: Records[Awaitable[CommandResult]] = Records(self._put)  # what no sensor sees

    @classmethod
    @opening
    async def open(
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
    ) -> AsyncShoe:
        """As Shoe.open. The store writes in a thread of its own: a command is sent once its number is on the disk, and
        the loop goes on meanwhile."""
        parts = prepare(url, key, operations, after_seq, answer_s, store, device, new_log, clock, nonce, shufflers)
        async with contextlib.AsyncExitStack() as undo:
            if parts.owned is not None:
                undo.callback(parts.owned.close)
            shoe = cls(parts.core, parts.address, await open_async(parts.address), reconnect)
            shoe._owned = parts.owned
            undo.push_async_callback(shoe.close)
            await shoe.greet(answer_s)
            undo.pop_all()
        return shoe

    @classmethod
    @opening
    async def listen(cls, url: str, reconnect: bool = False) -> AsyncShoe:
        """Open a port and send nothing at all: for a tap, or beside another host. Nothing that is heard is proved, and
        what is lost on the way is not repeated."""
        address = PortAddress(url)
        return cls(Core(url, None), address, await open_async(address), reconnect)

    # -- events ------------------------------------------------------------------------------------------------------

    def events(self, quiet_s: float | None = None) -> Feed[Event]:
        """Events as they come; ends after quiet_s seconds without any. Asking for the next one acknowledges the
        one before; an unacknowledged one is redelivered. One task at a time may listen."""
        return self._feed(Event, quiet_s)

    def messages(self, quiet_s: float | None = None) -> Feed[Message]:
        """The same with status and meters between the events; ends after quiet_s seconds without any message."""
        return self._feed(Message, quiet_s)

    def acknowledge(self) -> None:
        """Acknowledge the last event, before asking for the next: it is safely stored."""
        self._core.acknowledge()
        if self._core.events is None:
            self._send()  # with a store, the event was acknowledged when it was stored

    @overload
    async def run(self, until: None = None, timeout_s: float | None = None) -> None: ...

    @overload
    async def run(self, until: type[Wanted], timeout_s: float | None = None) -> Wanted: ...

    @overload
    async def run(self, until: Callable[[Message], bool], timeout_s: float | None = None) -> Message: ...

    async def run(self, until: Any = None, timeout_s: float | None = None) -> Any:
        """As Shoe.run; cancelling it ends it, too."""
        check_until(until, timeout_s)
        with self._core.turn.taken():
            found = await self._run(until, None if timeout_s is None else self._clock() + timeout_s)
        if found is None and until is not None and not self._stopping and not self._core.closed:
            raise self._not_in_time(timeout_s)
        return found

    async def round(self, timeout_s: float | None = None) -> RoundView:
        """Serve the functions of `on` until the open round, or the next one, has ended or is void; the view of it.
        As `run` it acknowledges events. NoAnswer if the round is not over in time."""
        await self.run(round_over, timeout_s)
        return self._core.view_taken

    async def play(self, hooks: Hooks, rounds: int = 1) -> list[RoundView]:
        """As Shoe.play; cancelling it ends it, too. A command that was sent goes on."""
        play = RoundPlay(rounds, hooks, self.welcome)
        unfinished = self.unfinished()
        if unfinished is not None:
            await self.status_after(await self.wait(self.resume(unfinished)))
        async for message in self.messages():
            if isinstance(message, Status) and message is not self.status:
                continue  # it is out of date
            given = play.heard(message, self.current_round)
            if play.done:
                self.acknowledge()
                break
            if given is not None:
                kind, arguments = given
                result = await self.command(kind, **arguments)
                play.answered(result)
                await self.status_after(result)
        return play.over

    def next_event(self) -> Event | UnknownMessage | None:
        """The next event if there is one, without waiting: for a Fleet. Other messages go to `on_other`."""
        while True:
            message = self._core.next_message()
            if message is None or isinstance(message, Event) or event_seq(message) is not None:
                return cast("Event | UnknownMessage | None", message)
            if self.on_other is not None:
                self.on_other(message)

    def reserve(self, owner: object, on_ready: Callable[[], None], awaited: Callable[[], bool]) -> None:
        """Let no other loop go over the events: for a Fleet."""
        self._core.turn.take(owner)
        self.on_ready = on_ready
        self.awaited = awaited

    def want(self) -> None:
        """A Fleet waits for this shoe."""
        self._wanted.set()

    def on_stored(self, function: Callable[[float], None]) -> None:
        """Call a function for each event that is on the disk, with the seconds since it arrived."""
        if self._core.events is not None:
            self._core.events.on_stored = function

    def hold_back(self) -> None:
        """Redeliver the last event: it was not acknowledged."""
        self._core.hold_back()

    # -- commands and questions --------------------------------------------------------------------------------------

    def start(self, kind: type[Command], **arguments: int) -> Pending:
        """Give a command: its number is stored, then it is sent and repeated until it is answered. While another is
        under way it waits its turn; QueueFull beyond 16. Look at `pending.result` and `pending.error`, or
        `await wait(pending)`."""
        self._raise_failure()
        pending = self._core.start(kind, arguments)
        self._kick()
        return pending

    def resume(self, unfinished: Unfinished) -> Pending:
        """Ask about a command of an earlier run, under its own number: it acts now if it never did."""
        self._raise_failure()
        pending = self._core.resume(unfinished)
        self._kick()
        return pending

    async def wait(self, pending: Pending, timeout_s: float = COMMAND_S) -> CommandResult:
        """The outcome of a command."""
        check_seconds("timeout_s", timeout_s)
        return await self._follow(self._core.awaiting(pending, timeout_s))

    async def command(self, kind: type[Command], timeout_s: float = COMMAND_S, **arguments: int) -> CommandResult:
        """Give a command and wait for its outcome. Cancelled meanwhile, a command that was sent goes on (see
        `pending`); one that waits its turn is never sent."""
        check_seconds("timeout_s", timeout_s)  # before it gets a number
        self._raise_failure()
        return await self._follow(self._core.commanding(kind, arguments, timeout_s))

    async def status_after(self, result: CommandResult, timeout_s: float = ANSWER_S) -> Status:
        """The first status that the device sent after this outcome, or a newer one."""
        check_seconds("timeout_s", timeout_s)
        return await self._follow(self._core.awaiting_status(result, timeout_s))

    async def set_clock(self, timeout_s: float = ANSWER_S) -> TimeIs:
        """Set the device's clock to that of this host. `open` does so after every boot of the device, if the role may;
        call it now and then in a program that runs for days. Needs the key of recorder, table or service."""
        check_seconds("timeout_s", timeout_s)
        return await self._follow(self._core.setting_clock(timeout_s))

    async def seed(self, timeout_s: float = ANSWER_S) -> SeedIs:
        """What the device discloses about the last shuffle whose deck is out of play. Needs the auditor's key."""
        return await self._follow(queries.seed(self._core, timeout_s))

    async def seed_for_auditor(
        self, key: RoleKey | str | Path, idle: Callable[[], None] = do_nothing, timeout_s: float = ANSWER_S
    ) -> SeedIs:
        """As Shoe.seed_for_auditor. The loop goes on meanwhile; commands wait until this shoe has its line again."""
        taken = key if isinstance(key, RoleKey) else read_key(Path(key), Role.AUDITOR)
        async with self._lent("the auditor uses the line") as port:
            await self._keep_silent(port, idle)
            auditor = AsyncShoe(Core(self.name, HostSession(taken)), self._address, port, False)
            try:
                await auditor.greet(timeout_s)
                return await auditor.seed(timeout_s)
            finally:
                await auditor._end_task()

    async def journal_is(self, timeout_s: float = ANSWER_S) -> JournalIs:
        """What the device's journal holds, under its seal key."""
        return await self._follow(queries.journal(self._core, timeout_s))

    async def journal_signed(self, last: int = 0, timeout_s: float = queries.SIGNED_S) -> JournalSigned:
        """The same with a signature, once the device is at rest, of at least the records up to `last`. The signature is
        empty if this device cannot sign."""
        return await self._follow(queries.signed_journal(self._core, last, timeout_s))

    async def journal_record(self, seq: int, timeout_s: float = ANSWER_S) -> bytes:
        """One record as it is stored; empty if the device does not have it, or cannot read it."""
        return await self._follow(queries.journal_record(self._core, seq, timeout_s))

    async def ask(
        self, about: str, question: Message, kind: type[Answer], fits: Callable[[Answer], bool], timeout_s: float
    ) -> Answer:
        """Ask until it is answered. Events that come meanwhile stay in line."""
        return await self._follow(self._core.asking(about, question, kind, fits, timeout_s))

    async def dictionary(self) -> Dictionary:
        """The device's own message table: ours if the hashes agree, else fetched line by line and checked."""
        return await self._follow(queries.dictionary(self._core))

    # -- coming and going --------------------------------------------------------------------------------------------

    async def greet(self, answer_s: float = ANSWER_S) -> None:
        """Say hello and wait for the welcome. `open` has done so."""
        await self._follow(self._core.greeting(answer_s))
        self._greeted = True

    async def close(self) -> None:
        """Close the port. When it returns, no task and no thread of this shoe is left."""
        await self._end_task()
        port, self._port = self._port, None
        if port is not None:
            await port.close()
        if self._sim is not None:
            self._sim.close()
        if self._owned is not None:
            self._owned.close()
        self._failure = self._failure or UsageError(f"{self.name} is closed.", "Open it again.")
        self._wake()

    async def __aenter__(self) -> AsyncShoe:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # -- waiting -----------------------------------------------------------------------------------------------------

    def _put(self, arguments: dict[str, int], timeout_s: float) -> Awaitable[CommandResult]:
        return self.command(Record, timeout_s, **arguments)

    async def _run(self, until: Any, end: float | None) -> Message | None:
        self._stopping = False
        self._core.hold_back()
        while not self._stopping and not self._core.closed:
            message = await self._next(end)
            if message is None:
                return None
            await self._call(message)
            self._done()
            if fits(message, until):
                return message
        return None

    def _done(self) -> None:
        """Acknowledge the current event; if closed meanwhile, it is redelivered."""
        if not self._core.closed:
            self.acknowledge()

    def _feed(self, kind: type[Wanted], quiet_s: float | None) -> Feed[Wanted]:
        check_seconds("quiet_s", quiet_s, none=True)
        return Feed(partial(self._take, kind, quiet_s), self._core.turn)

    async def _take(self, kind: type[Wanted], quiet_s: float | None, done: bool) -> Wanted | None:
        """The next message of a kind; None if none comes within quiet_s. `done` acknowledges the one before."""
        if done and self._core.closed:
            return None
        if done:
            self.acknowledge()
        else:
            self._core.hold_back()
        end = None if quiet_s is None else self._clock() + quiet_s
        while True:
            message = await self._next(end)
            if message is None:
                return None
            await self._call(message)
            if self._core.closed:
                return None
            if isinstance(message, kind):
                return message
            self.acknowledge()

    async def _next(self, end: float | None) -> Message | None:
        """The next message; None if there is none by `end`. Looks once even with a time-out of 0."""
        looked = False
        while True:
            message = self._core.next_message()
            if message is not None:
                return message
            self._raise_failure()
            if looked and end is not None and self._clock() >= end:
                return None
            await self._change(end if looked else self._clock())
            looked = True

    async def _follow(self, steps: Steps[T]) -> T:
        try:
            while True:
                step = next(steps)
                self._kick()
                end = self._clock() + step.seconds
                while not step.done() and self._clock() < end:
                    self._raise_failure()
                    await self._change(end)
        except StopIteration as stop:
            return stop.value
        finally:
            steps.close()

    async def _call(self, message: Message) -> None:
        for function in self._listeners.of(message):
            made = function(message)
            if inspect.isawaitable(made):
                await made

    async def _change(self, end: float | None) -> None:
        """Until the task has moved bytes again, or it is `end`."""
        self._wanted.set()
        # A simulated shoe's time passes in its own turns.
        await self._waiters.wait(None if end is None or self._sim is not None else end - self._clock())

    async def ended(self) -> Exception:
        """Wait until the shoe can go on no more by itself, and return why: it was closed, or another device answers, or
        its storage was replaced."""
        if self._task is not None:
            await asyncio.wait([self._task])
        return self._failure or UsageError(f"{self.name} is closed.", "Open it again.")

    def _raise_failure(self) -> None:
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            raise trouble
        if self._failure is not None:
            raise self._failure
