"""Fleet: all shoes of a floor in one loop, each supervised on its own.

    async with Fleet("floor.db", key=KeyRing("keys", Role.RECORDER), watch=True) as fleet:
        fleet.add("tcp://10.0.0.7:4001")
        async for item in fleet:
            print(item.device, item.message)

A shoe that cannot be opened, or fails, is tried again with growing patience; the others do not notice.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

from serial.tools import list_ports

from fairshoe.client.argument_checks import check_open, check_seconds
from fairshoe.client.async_shoe import AsyncShoe
from fairshoe.client.exchange import ANSWER_S
from fairshoe.client.notices import LinkBack, LinkLost, Notice, ShoeFailed, ShoeOpened, ShoeRemoved
from fairshoe.client.store import Store
from fairshoe.client.store_writer import Commit
from fairshoe.errors import FairshoeError, PortLost, UsageError, WrongDevice
from fairshoe.keys import KeyRing, RoleKey
from fairshoe.link.session import event_seq
from fairshoe.messages import Event, JournalIs, JournalSigned, Message, UnknownMessage

RETRY_S = 0.5
RETRY_S_MAX = 30.0
CANCEL_S = 0.5
WATCH_S = 1.0  # how often the list of serial devices is read, in a thread
NO_DEVICE = 0

Metrics = Callable[[str, float, int], None]
OnMessage = Callable[[int, Message], None]
Watch = Callable[[], Iterable[str]]
_log = logging.getLogger("fairshoe.fleet")


class FromShoe(NamedTuple):
    """One event or notice of one shoe. `device` is its number, 0 while no shoe has answered at this port."""

    url: str
    device: int
    message: Event | UnknownMessage | Notice


class _Member:
    """One port of a fleet, and the shoe behind it while it is open."""

    def __init__(
        self, url: str, key: RoleKey | KeyRing | str | Path | None, expected: int | None, new_log: bool
    ) -> None:
        self.url = url
        self.key = key
        self.expected = expected  # the only device that may answer there
        self.new_log = new_log
        self.device = NO_DEVICE
        self.shoe: AsyncShoe | None = None
        self.task: asyncio.Task[None] | None = None
        self.queued = False  # in the fleet's line
        self.given: tuple[int, int] = (0, 0)  # log and number of the last event that the program was given


class Fleet:
    """`async for` yields FromShoe: events in the order of each shoe, each once, and notices. Coming back for the next
    item says that the event before is done with. One loop at a time.

    store      one file for all shoes, committed by one thread. A path is opened, and closed with the fleet.
    key        for all shoes: a KeyRing, or a folder of key files; `add` may name another.
    watch      True follows the serial devices of this machine as they come and go; a function returns the URLs that are
               there now.
    on_message called in the loop with a device and each of its messages that is no event: Status, Meters, Health,
               LinkCounters and answers. Statuses come about once a second: keep it short.
    metrics    called in the loop with a name, a value and a device: opened, failed, lost, back (1 each); stored_s, the
               seconds from the arrival of an event to its commit; commit_s and commit_jobs (device 0) of each commit.
    """

    def __init__(
        self,
        store: Store | str | Path | None = None,
        key: RoleKey | KeyRing | str | Path | None = None,
        *,
        watch: bool | Watch = False,
        metrics: Metrics | None = None,
        on_message: OnMessage | None = None,
        answer_s: float = ANSWER_S,
        watch_s: float = WATCH_S,
    ) -> None:
        check_open("", key, None, 0, answer_s, store, None)
        check_seconds("watch_s", watch_s)
        self._owned = Store(store) if isinstance(store, (str, Path)) else None
        self.store = self._owned or (store if isinstance(store, Store) else None)
        self.shoes: dict[int, AsyncShoe] = {}  # open ones, by device: for commands
        self._key = key
        self._answer_s = answer_s
        self._watch: Watch | None = serial_devices if watch is True else watch or None
        self._watch_s = watch_s
        self._watching: asyncio.Task[None] | None = None
        self._metrics = metrics
        self._on_message = on_message
        self._members: dict[str, _Member] = {}
        self._notices: deque[FromShoe] = deque()
        self._line: deque[_Member] = deque()  # members that may have an event
        self._on_demand: set[AsyncShoe] = set()  # simulated, without a clock
        self._held: tuple[_Member, AsyncShoe] | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._closed = False

    # -- coming and going --------------------------------------------------------------------------------------------

    def add(
        self,
        url: str,
        key: RoleKey | KeyRing | str | Path | None = None,
        device: int | None = None,
        new_log: bool = False,
    ) -> None:
        """Follow the shoe at this port from now on; it need not be there yet. With `device` no other one is taken;
        `new_log` accepts once that its storage was replaced."""
        check_open(url, key, None, 0, self._answer_s, None, device)
        if self._closed:
            raise UsageError("the fleet is closed.", "Make another one.")
        if url in self._members:
            return
        member = self._members[url] = _Member(url, key or self._key, device, new_log)
        member.task = asyncio.get_running_loop().create_task(self._supervise(member), name=f"fairshoe {url}")

    async def remove(self, url: str) -> None:
        """Follow this port no more."""
        member = self._members.pop(url, None)
        if member is not None:
            await self._end(member)
            self._tell(member, ShoeRemoved())

    async def close(self) -> None:
        """Close all ports. When it returns, no task of the fleet is left."""
        self._closed = True
        watching, self._watching = self._watching, None
        if watching is not None:
            watching.cancel()
            await asyncio.wait([watching])
        members = list(self._members.values())
        self._members.clear()
        await asyncio.gather(*(self._end(member) for member in members))
        if self.store is not None and self._metrics is not None:
            self.store.on_commit(None)
        if self._owned is not None:
            self._owned.close()
        self._wake()

    async def __aenter__(self) -> Fleet:
        loop = asyncio.get_running_loop()
        metrics = self._metrics
        if self.store is not None and metrics is not None:

            def committed(commit: Commit) -> None:
                with contextlib.suppress(RuntimeError):  # the loop is closed
                    loop.call_soon_threadsafe(self._measure, "commit_s", commit.seconds, NO_DEVICE)
                    loop.call_soon_threadsafe(self._measure, "commit_jobs", float(commit.jobs), NO_DEVICE)

            self.store.on_commit(committed)
        if self._watch is not None:
            self._watching = loop.create_task(self._follow_ports(self._watch), name="fairshoe ports")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # -- reading journals --------------------------------------------------------------------------------------------

    async def journal_is(self, device: int) -> JournalIs:
        """What the journal of an open shoe holds. PortLost if it is not open."""
        return await self._open_shoe(device).journal_is()

    async def journal_record(self, device: int, seq: int) -> bytes:
        """The stored bytes of one journal record; empty if the device does not have it, or cannot read it."""
        return await self._open_shoe(device).journal_record(seq)

    async def journal_signed(self, device: int, last: int) -> JournalSigned:
        """The same with a signature, of at least the records up to `last`, once the device is at rest. The signature is
        empty if the device cannot sign."""
        return await self._open_shoe(device).journal_signed(last)

    def _open_shoe(self, device: int) -> AsyncShoe:
        shoe = self.shoes.get(device)
        if shoe is None:
            raise PortLost(f"device {device:08x} is not open.", "Ask again when it is back.")
        return shoe

    # -- what shoes say ----------------------------------------------------------------------------------------------

    def __aiter__(self) -> Fleet:
        """Start a new loop: the unacknowledged event is redelivered."""
        held, self._held = self._held, None
        if held is not None:
            member, shoe = held
            shoe.hold_back()
            member.given = (member.given[0], member.given[1] - 1)
            self._queue(member)
        return self

    async def __anext__(self) -> FromShoe:
        held, self._held = self._held, None
        if held is not None:
            held[1].acknowledge()
        while True:
            item = self._take()
            if item is not None:
                return item
            if self._closed:
                raise StopAsyncIteration
            self._waiter = asyncio.get_running_loop().create_future()
            for shoe in self._on_demand:
                shoe.want()
            await self._waiter

    def _waits(self) -> bool:
        return self._waiter is not None and not self._waiter.done()

    def _take(self) -> FromShoe | None:
        if self._notices:
            return self._notices.popleft()
        while self._line:
            member = self._line.popleft()
            member.queued = False
            shoe = member.shoe
            event = shoe.next_event() if shoe is not None else None
            if shoe is None or event is None:
                continue
            if shoe.ready:
                self._queue(member)  # at the end: every shoe has its turn
            place = (shoe.log_id, event_seq(event) or 0)
            if place[0] == member.given[0] and place[1] <= member.given[1]:
                shoe.acknowledge()  # given to the program by the shoe that was open before
                continue
            member.given = place
            self._held = (member, shoe)
            return FromShoe(member.url, member.device, event)
        return None

    def _queue(self, member: _Member) -> None:
        if not member.queued:
            member.queued = True
            self._line.append(member)
            self._wake()

    def _tell(self, member: _Member, notice: Notice) -> None:
        self._notices.append(FromShoe(member.url, member.device, notice))
        if isinstance(notice, LinkLost):
            _log.warning("%s: device %08x is lost: %s", member.url, member.device, notice.why)
            self._measure("lost", 1.0, member.device)
        elif isinstance(notice, LinkBack):
            _log.info("%s: device %08x is back after %.1f s", member.url, member.device, notice.down_s)
            self._measure("back", 1.0, member.device)
        self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _measure(self, name: str, value: float, device: int) -> None:
        if self._metrics is not None:
            try:
                self._metrics(name, value, device)
            except Exception:
                _log.exception("the metrics hook failed")

    def _pass_on(self, member: _Member, message: Message) -> None:
        if self._on_message is not None:
            try:
                self._on_message(member.device, message)
            except Exception:
                _log.exception("the function for messages failed")

    # -- supervision -------------------------------------------------------------------------------------------------

    async def _supervise(self, member: _Member) -> None:
        """Open the shoe, and open it again whenever it fails. An error here does not affect other shoes."""
        retry_s = RETRY_S
        while True:
            try:
                await self._follow(member)
            except Exception as error:
                if member.shoe is not None:
                    retry_s = RETRY_S  # it was open for a while
                await self._let_go(member)
                self._failed(member, error, retry_s)
            await asyncio.sleep(retry_s)
            retry_s = min(2 * retry_s, RETRY_S_MAX)

    async def _follow(self, member: _Member) -> None:
        """Until the shoe fails, which raises."""
        shoe = await AsyncShoe.open(
            member.url,
            member.key,
            store=self.store,
            answer_s=self._answer_s,
            device=member.expected,
            new_log=member.new_log,
        )
        try:
            welcome = shoe.welcome
            assert welcome is not None
            other = self.shoes.get(welcome.device)
            if other is not None:
                raise WrongDevice(
                    f"device {welcome.device:08x} at {member.url} is open at {other.name} already.",
                    "Name each device by one port, and give each device a number of its own.",
                )
        except BaseException:
            await shoe.close()
            raise
        member.new_log = False
        member.device = welcome.device
        member.shoe = self.shoes[welcome.device] = shoe
        shoe.reserve(self, lambda: self._queue(member), self._waits)
        shoe.on(Notice, lambda notice: self._tell(member, notice))
        if self._on_message is not None:
            shoe.on_other = lambda message: self._pass_on(member, message)
        if shoe.on_demand:
            self._on_demand.add(shoe)
        if self._metrics is not None:
            shoe.on_stored(lambda seconds: self._measure("stored_s", seconds, member.device))
        _log.info("%s: device %08x is open", member.url, member.device)
        self._measure("opened", 1.0, member.device)
        self._tell(member, ShoeOpened(welcome))
        self._queue(member)
        raise await shoe.ended()

    def _failed(self, member: _Member, error: Exception, retry_s: float) -> None:
        self._measure("failed", 1.0, member.device)
        if not isinstance(error, FairshoeError):
            _log.error("%s: %r", member.url, error, exc_info=error)
            error = FairshoeError(f"{member.url}: internal error, {error!r}.", "Report it with the log.")
        else:
            _log.warning("%s", error)
        self._tell(member, ShoeFailed(error, retry_s))

    async def _let_go(self, member: _Member) -> None:
        shoe, member.shoe = member.shoe, None
        if shoe is not None:
            if self.shoes.get(member.device) is shoe:
                del self.shoes[member.device]
            self._on_demand.discard(shoe)
            await shoe.close()

    async def _end(self, member: _Member) -> None:
        while member.task is not None and not member.task.done():
            member.task.cancel()
            # Again if need be: up to Python 3.11 wait_for may swallow a cancellation, and the task reopens the port.
            await asyncio.wait([member.task], timeout=CANCEL_S)
        await self._let_go(member)

    async def _follow_ports(self, watch: Watch) -> None:
        """Add ports that appear and remove those that vanish; ports that were added by name stay."""
        loop = asyncio.get_running_loop()
        found: set[str] = set()
        while True:
            try:
                now = set(await loop.run_in_executor(None, watch))
            except Exception:
                _log.exception("the list of ports cannot be read")
            else:
                for url in sorted(now - found):
                    if url not in self._members:
                        found.add(url)
                        self.add(url)
                for url in sorted(found - now):
                    found.discard(url)
                    await self.remove(url)
            await asyncio.sleep(self._watch_s)


def serial_devices() -> list[str]:
    """Serial devices of this machine that are on USB: a shoe's port, or an adapter."""
    entries: list[Any] = list(list_ports.comports())
    return [str(entry.device) for entry in entries if entry.vid is not None]
