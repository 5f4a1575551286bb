"""The line of an AsyncShoe: the task that serves its port, opens a lost one again, and can lend it."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Any

from fairshoe.client.exchange import Core
from fairshoe.client.notices import NotStored
from fairshoe.client.shoe_base import NAP_S, RETRY_S, RETRY_S_MAX, SILENT_S, STALE_S, ShoeBase
from fairshoe.client.store import Store
from fairshoe.client.store_writer import Done, Job
from fairshoe.client.waiters import Waiters
from fairshoe.errors import PortError, StoreError
from fairshoe.messages import Message
from fairshoe.transport.async_ports import AsyncPort, SimAsyncPort, open_async
from fairshoe.transport.busy_line import HostConnected, port_busy
from fairshoe.transport.urls import PortAddress

TURN_S = 0.05
STORE_RETRY_S = 0.5  # until events that could not be stored are tried again, unless more arrive before


class AsyncLine(ShoeBase):
    """A port and the session on it. AsyncShoe adds what programs call."""

    def __init__(self, core: Core, address: PortAddress, port: AsyncPort, reconnect: bool) -> None:
        self._sim = port.port if isinstance(port, SimAsyncPort) else None
        super().__init__(core, address.url, self._sim)
        if self._sim is not None:
            core.clock.host_s = self._sim.utc
        self._address = address
        self._port: AsyncPort | None = port
        self._clock: Callable[[], float] = self._sim.clock if self._sim else time.monotonic
        self._reconnect = reconnect
        self._failure: Exception | None = None  # the task has ended with it
        self._trouble: StoreError | None = None  # for the next caller that waits; the task goes on, and tries again
        self._storing_fails = False
        self._broken: Exception | None = None  # found outside the task, which ends with it
        self._fed: AsyncPort | None = None  # the port whose bytes go to `_arrived`
        self._due = 0.0  # the task sleeps until then at the latest
        self._why = ""
        self._busy = False  # the port was lost because another host is connected
        self._retry_s = RETRY_S
        self._closing = False
        self.on_ready: Callable[[], None] | None = None  # called when something has arrived: for a Fleet
        self.on_other: Callable[[Message], None] | None = None  # called by `next_event`: for a Fleet
        self.awaited: Callable[[], bool] = lambda: False  # whether a Fleet waits for this shoe, too
        self._loop = asyncio.get_running_loop()
        self._waiters = Waiters()
        self._wanted = asyncio.Event()
        self._mine = asyncio.Event()  # the port; not set while an auditor uses it
        self._mine.set()
        if not self.on_demand:  # a simulated shoe without a clock waits for the disk: its story repeats
            core.queue.submit = self._submit
            if core.events is not None:
                core.events.submit = self._submit
        self._task: asyncio.Task[None] | None = asyncio.create_task(self._serve(), name=f"fairshoe {address.url}")

    @property
    def on_demand(self) -> bool:
        """Whether time passes for this simulated shoe only while a program waits for it."""
        return self._sim is not None and not self._sim.setup.speed

    # -- the task that moves bytes -----------------------------------------------------------------------------------

    async def _serve(self) -> None:
        try:
            # Up to Python 3.11 wait_for may swallow a cancellation: the flag is what ends this for sure.
            while not self._closing:
                await self._mine.wait()
                port = self._port
                if port is None:
                    await self._reopen()
                elif not await self._turn(port) and self._mine.is_set():
                    await self._lost(port)
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
            if self._fed is not port:
                self._fed = port
                port.deliver(partial(self._arrived, port))
            self._due = self._core.due(now)
            data = await port.read(TURN_S if self._sim else max(0.0, self._due - now))
            if self._port is not port:
                return True  # lent meanwhile
            broken, self._broken = self._broken, None
            if broken is not None:
                raise broken
            if self._sim is not None:
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
        return not (self._address.network and self._core.silent_s(self._clock()) > STALE_S)

    def _arrived(self, port: AsyncPort, data: bytes) -> None:
        """Take bytes, in the callback of the port. An error ends the task, as if it had read them."""
        if port is not self._port or self._broken is not None or self._closing:
            return
        now = self._clock()
        changed = True
        try:
            changed = self._core.feed(data, now)
            self._flush(port)
        except StoreError as error:
            self._not_stored(error)
        except Exception as error:
            self._break(error)
        if changed or self._waiters or self._core.events is None:  # otherwise nothing is due, and no program waits
            self._settle_turn(changed)

    def _settle_turn(self, changed: bool) -> None:
        """After work outside the task: wake programs that wait, and the task if something is due before it wakes."""
        if self._core.notices:
            self._tell()
        self._wake()
        if changed and self._core.due(self._clock()) < self._due:
            self._due = 0.0
            self._kick()

    def _not_stored(self, error: StoreError) -> None:
        """Nothing was acknowledged, and what is to be stored is still there: it is tried again."""
        if not self._storing_fails:
            self._storing_fails = True
            self._core.notices.append(NotStored(error))
        self._trouble = error
        self._core.save_at = self._clock() + STORE_RETRY_S
        self._wake()

    def _submit(self, job: Job[Any], done: Done) -> None:
        """Have the store's thread write; what follows is done here, in the loop."""
        store = self._core.store or self._core.queue.numbers
        assert isinstance(store, Store)
        store.submit(job, partial(self._written, job, done), self._loop)

    def _written(self, job: Job[Any], done: Done, result: Any, error: Exception | None) -> None:
        if self._closing:
            return
        try:
            done(result, error)
            self._storing_fails = self._storing_fails and not job.rows
        except StoreError as trouble:
            self._not_stored(trouble)
        except Exception as broken:
            self._break(broken)
        self._send()
        self._settle_turn(error is not None or not job.rows)

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
        session = self._core.session
        if session is not None and session.output:
            port.write(session.take_output())

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
                self._port = await open_async(self._address)
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

    # -- another session on the same line ----------------------------------------------------------------------------

    @contextlib.asynccontextmanager
    async def _lent(self, why: str) -> AsyncGenerator[AsyncPort]:
        """The port, for another session. Then this one begins again; the device keeps its events until then."""
        port = self._port
        if port is None:
            raise self._core.lost_error()
        self._port = None
        self._mine.clear()
        self._core.link_lost(why, self._clock())
        port.wake()
        try:
            yield port
        finally:
            self._fed = None
            self._port = port
            self._core.relink()
            self._mine.set()
            if self._closing:  # closed meanwhile, without its port
                await port.close()

    async def _keep_silent(self, port: AsyncPort, idle: Callable[[], None]) -> None:
        """Until the device takes another host on this line. What comes meanwhile is sent again afterwards."""
        end = self._clock() + SILENT_S
        while self._clock() < end and not self._closing:
            idle()
            if self._sim is None:
                await asyncio.sleep(NAP_S)
            else:
                await port.read(NAP_S)  # time passes for it in reads

    async def _end_task(self) -> None:
        """Serve the port no more, and leave it open."""
        self._core.closed = True
        task, self._task = self._task, None
        self._closing = True
        if task is not None:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    def _tell(self) -> None:
        while self._core.notices:
            notice = self._core.notices.popleft()
            for function in self._listeners.of(notice):
                function(notice)

    def _wake(self) -> None:
        if self.on_ready is not None and self._core.ready:
            self.on_ready()
        if self._waiters:
            self._waiters.wake()
