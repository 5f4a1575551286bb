"""AsyncShoe: the same shoe for asyncio.

    async with await AsyncShoe.open("/dev/ttyACM0", key="table.key") as shoe:
        async for event in shoe.events():
            print(event)

A task of its own moves bytes when some arrive or are due, so that the session stays alive, commands are repeated and
events are stored whatever the program is doing. A store is written by its own thread, which commits for all shoes
at once. Cancelling a wait loses nothing: the event stays queued, the command goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar, cast, overload

from fairshoe.client import queries
from fairshoe.client.argument_checks import check_seconds, check_until
from fairshoe.client.async_feed import Feed
from fairshoe.client.command_queue import CommandResult, Pending
from fairshoe.client.exchange import ANSWER_S, Answer, Core, Steps
from fairshoe.client.operation_numbers import Numbers, Unfinished
from fairshoe.client.records import Records
from fairshoe.client.shoe_base import (
    COMMAND_S,
    RETRY_S,
    RETRY_S_MAX,
    STALE_S,
    Face,
    fits,
    prepare,
    round_over,
)
from fairshoe.client.store import Store
from fairshoe.client.store_writer import Done, Job
from fairshoe.errors import PortError, StoreError, UsageError
from fairshoe.games.rounds import RoundView
from fairshoe.keys import KeyRing, RoleKey
from fairshoe.link.dictionary import Dictionary
from fairshoe.link.session import event_seq
from fairshoe.messages import (
    Command,
    Event,
    JournalIs,
    JournalSigned,
    Message,
    Record,
    SeedIs,
    Status,
    TimeIs,
    UnknownMessage,
)
from fairshoe.transport.async_ports import AsyncPort, SimAsyncPort, open_async
from fairshoe.transport.busy_line import HostConnected, port_busy
from fairshoe.transport.urls import Way

TURN_S = 0.05
T = TypeVar("T")
Wanted = TypeVar("Wanted", bound=Message)


class AsyncShoe(Face):
    """An open shoe in a loop. Make one with `await AsyncShoe.open(url)`; `async with` closes it."""

    def __init__(self, core: Core, way: Way, port: AsyncPort, reconnect: bool) -> None:
        self._sim = port.port if isinstance(port, SimAsyncPort) else None
        super().__init__(core, way.url, self._sim)
        if self._sim is not None:
            core.clock.host_s = self._sim.utc
        self._way = way
        self._port: AsyncPort | None = port
        self._clock: Callable[[], float] = self._sim.clock if self._sim else time.monotonic
        self._reconnect = reconnect
        self._failure: Exception | None = None  # the task has ended with it
        self._trouble: StoreError | None = None  # for the next caller that waits; the task goes on, and tries again
        self._broken: Exception | None = None  # found outside the task, which ends with it
        self._why = ""
        self._busy = False  # the port was lost because another host is connected
        self._retry_s = RETRY_S
        self._closing = False
        self.on_ready: Callable[[], None] | None = None  # called when something has arrived: for a Fleet
        self.awaited: Callable[[], bool] = lambda: False  # whether a Fleet waits for this shoe, too
        self._waiters: set[asyncio.Future[None]] = set()
        self._wanted = asyncio.Event()
        self.records: Records[Awaitable[CommandResult]] = Records(self._put)  # what no sensor sees
        if not self.on_demand:  # a simulated shoe without a clock waits for the disk: its story repeats
            core.queue.submit = self._submit
            if core.events is not None:
                core.events.submit = self._submit
        self._task: asyncio.Task[None] | None = asyncio.create_task(self._serve(), name=f"fairshoe {way.url}")

    @classmethod
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
    ) -> AsyncShoe:
        """As Shoe.open. The store writes in a thread of its own: a command is sent once its number is on the disk, and
        the loop goes on meanwhile."""
        parts = prepare(url, key, operations, after_seq, answer_s, store, device, new_log, clock, nonce)
        async with contextlib.AsyncExitStack() as undo:
            if parts.owned is not None:
                undo.callback(parts.owned.close)
            shoe = cls(parts.core, parts.way, await open_async(parts.way), reconnect)
            shoe._owned = parts.owned
            undo.push_async_callback(shoe.close)
            await shoe.greet(answer_s)
            undo.pop_all()
        return shoe

    @classmethod
    async def listen(cls, url: str, reconnect: bool = False) -> AsyncShoe:
        """Open a port and send nothing at all: for a tap, or beside another host. Nothing that is heard is proved, and
        what is lost on the way is not repeated."""
        way = Way(url)
        return cls(Core(url, None), way, await open_async(way), reconnect)

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

    def next_event(self) -> Event | UnknownMessage | None:
        """The next event if there is one, without waiting: for a Fleet. Messages that are no events are passed over."""
        while True:
            message = self._core.next_message()
            if message is None or isinstance(message, Event) or event_seq(message) is not None:
                return cast("Event | UnknownMessage | None", message)

    @property
    def log_id(self) -> int:
        """Of the device's log in the store; 0 without a store."""
        events = self._core.events
        return events.log.id if events is not None and events.log is not None else 0

    def reserve(self, owner: object, on_ready: Callable[[], None], awaited: Callable[[], bool]) -> None:
        """Let no other loop go over the events: for a Fleet."""
        self._core.turn.take(owner)
        self.on_ready = on_ready
        self.awaited = awaited

    @property
    def on_demand(self) -> bool:
        """Whether time passes for this simulated shoe only while a program waits for it."""
        return self._sim is not None and not self._sim.setup.speed

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
        return await self._follow(self._core.fetching_dictionary())

    # -- coming and going --------------------------------------------------------------------------------------------

    async def greet(self, answer_s: float = ANSWER_S) -> None:
        """Say hello and wait for the welcome. `open` has done so."""
        await self._follow(self._core.greeting(answer_s))
        self._greeted = True

    async def close(self) -> None:
        """Close the port. When it returns, no task and no thread of this shoe is left."""
        self._core.closed = True
        task, self._task = self._task, None
        self._closing = True
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
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

    # -- the task that moves bytes -----------------------------------------------------------------------------------

    async def _serve(self) -> None:
        try:
            # Up to Python 3.11 wait_for may swallow a cancellation: the flag is what ends this for sure.
            while not self._closing:
                if self._port is None:
                    await self._reopen()
                elif not await self._turn(self._port):
                    await self._lost(self._port)
        except Exception as error:
            self._failure = error  # raised in every waiting task
        finally:
            self._wake()

    async def _turn(self, port: AsyncPort) -> bool:
        """Move bytes once; False if the port is lost."""
        if port.on_demand and not self._waiters and not self.awaited():
            self._wanted.clear()
            await self._wanted.wait()
        try:
            now = self._clock()
            self._core.tick(now)
            self._flush(port)
            data = await port.read(TURN_S if self._sim else max(0.0, self._core.due(now) - now))
            broken, self._broken = self._broken, None
            if broken is not None:
                raise broken
            self._core.feed(data, self._clock())
            self._flush(port)
        except OSError as error:
            self._why = str(error.strerror or error)
            self._busy = isinstance(error, HostConnected)
            return False
        except StoreError as error:
            self._not_stored(error)
            await asyncio.sleep(RETRY_S)
        finally:
            self._tell()
            self._wake()
        self._why = "nothing comes over the connection"
        return not (self._way.network and self._core.silent_s(self._clock()) > STALE_S)

    def _not_stored(self, error: StoreError) -> None:
        """Nothing was acknowledged, and what is to be stored is still there: it is tried again."""
        self._trouble = error
        self._core.save_at = self._clock() + RETRY_S
        self._wake()

    def _submit(self, job: Job[Any], done: Done) -> None:
        """Have the store's thread write; what follows is done here, in the loop."""

        def settled(result: Any, error: Exception | None) -> None:
            if self._closing:
                return
            try:
                done(result, error)
            except StoreError as trouble:
                self._not_stored(trouble)
            except Exception as broken:
                self._break(broken)
            self._send()
            self._tell()
            self._wake()
            if self._core.pending is not None and not self._core.pending.again_at:
                self._kick()  # a command has its number, and is sent by the task

        store = self._core.queue.numbers if self._core.store is None else self._core.store
        assert isinstance(store, Store)
        store.submit(job, settled, asyncio.get_running_loop())

    def _break(self, error: Exception) -> None:
        """End the task, from outside it."""
        self._broken = self._broken or error
        self._kick()

    def _kick(self) -> None:
        """Let the task look at once what there is to send."""
        if self._port is not None:
            self._port.wake()

    def _send(self) -> None:
        """Send what there is to send, from outside the task."""
        if self._port is not None:
            try:
                self._flush(self._port)
            except OSError as error:
                self._break(error)

    def _flush(self, port: AsyncPort) -> None:
        data = self._core.output()
        if data:
            port.write(data)

    async def _lost(self, port: AsyncPort) -> None:
        if not self._reconnect or not self._greeted:
            raise port_busy(self.name) if self._busy else self._core.lost_error()
        self._port = None
        # A server that closes every connection at once is tried less and less often.
        self._retry_s = RETRY_S if self._core.answered else min(2 * self._retry_s, RETRY_S_MAX)
        if isinstance(self._broken, OSError):
            self._broken = None
        with contextlib.suppress(OSError):
            await port.close()
        self._core.link_lost(self._why, self._clock())
        self._tell()
        self._wake()

    async def _reopen(self) -> None:
        """Try with growing pauses, until the port is there again."""
        while self._port is None:
            await self._pass(self._retry_s)
            try:
                self._port = await open_async(self._way)
            except PortError:
                self._retry_s = min(2 * self._retry_s, RETRY_S_MAX)
        self._core.relink()

    async def _pass(self, seconds: float) -> None:
        """Of the device's time, if it is a simulated one."""
        sim = self._sim
        if sim is None or sim.setup.speed:
            await asyncio.sleep(seconds)
            return
        end = sim.clock() + seconds
        while sim.clock() < end:
            if not self._waiters and not self.awaited():
                self._wanted.clear()
                await self._wanted.wait()
            sim.sleep(TURN_S)
            self._wake()
            await asyncio.sleep(0)

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

    def _tell(self) -> None:
        while self._core.notices:
            notice = self._core.notices.popleft()
            for function in self._listeners.of(notice):
                function(notice)

    async def _change(self, end: float | None) -> None:
        """Until the task has moved bytes again, or it is `end`."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()
        self._waiters.add(waiter)
        self._wanted.set()
        timer = None
        if end is not None and self._sim is None:  # a simulated shoe's time passes in its own turns
            timer = loop.call_later(max(0.0, end - self._clock()), _settle, waiter)
        try:
            await waiter
        finally:
            self._waiters.discard(waiter)
            if timer is not None:
                timer.cancel()

    async def ended(self) -> Exception:
        """Wait until the shoe can go on no more by itself, and return why: it was closed, or another device answers, or
        its storage was replaced."""
        if self._task is not None:
            await asyncio.wait([self._task])
        return self._failure or UsageError(f"{self.name} is closed.", "Open it again.")

    def _wake(self) -> None:
        if self.on_ready is not None and self._core.ready:
            self.on_ready()
        for waiter in list(self._waiters):
            _settle(waiter)

    def _raise_failure(self) -> None:
        trouble, self._trouble = self._trouble, None
        if trouble is not None:
            raise trouble
        if self._failure is not None:
            raise self._failure


def _settle(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
