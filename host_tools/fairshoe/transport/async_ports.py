"""Ports for asyncio. Bytes go to a function as they arrive, without a task that has to be woken for each read.

The loop watches serial devices on POSIX and sockets. Ports that only block (RFC 2217, serial devices on other systems)
get a thread of their own, which `close` joins.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol, cast

from fairshoe.transport.busy_line import FirstBytes
from fairshoe.transport.urls import CHUNK, CONNECT_S, READ_S, WRITE_S, Port, PortAddress, tcp_address

if TYPE_CHECKING:
    from fairshoe.sim.port import SimPort

OUTPUT_MAX = 65536  # a port that takes nothing is as good as gone
INPUT_MAX = 65536  # bytes that wait for a program; a peer that sends more has to wait
NAP_S = 0.01


class AsyncPort(Protocol):
    """What AsyncShoe needs of a port."""

    on_demand: bool  # its time passes only while a program waits

    def deliver(self, function: Callable[[bytes], None]) -> None:
        """Call a function with bytes as they arrive. `read` then returns none of them, and only waits. A simulated
        shoe ignores it: it has no descriptor to watch."""
        ...

    async def read(self, seconds: float) -> bytes:
        """What has arrived; nothing if nothing comes for so long, or on `wake`. OSError when the port is lost."""
        ...

    def wake(self) -> None:
        """End the current read, or the next one: there is something to send."""
        ...

    def write(self, data: bytes) -> None: ...

    async def close(self) -> None: ...


async def open_async(address: PortAddress) -> AsyncPort:
    """PortError and PortBusy as in transport/urls.py."""
    if address.scheme in ("tcp", "socket"):
        return await _open_tcp(address)
    if address.scheme == "sim":
        return SimAsyncPort(address, cast("SimPort", address.open()))
    if address.scheme or os.name != "posix":
        return await ThreadPort.open(address)
    return FilePort(address.open())


class _Arrivals:
    """Bytes that wait for the next read or go to a function, and the one task that reads. One timer serves many reads:
    when it rings before the current read is due it is set again."""

    def __init__(self) -> None:
        self._deliver: Callable[[bytes], None] | None = None
        self._data = bytearray()
        self._error: OSError | None = None
        self._waiter: asyncio.Future[None] | None = None
        self._woken = False
        self._due = 0.0
        self._timer: asyncio.TimerHandle | None = None

    def __len__(self) -> int:
        return len(self._data)

    def deliver(self, function: Callable[[bytes], None]) -> None:
        self._deliver = function
        if self._data:
            data = bytes(self._data)
            self._data.clear()
            function(data)

    def put(self, data: bytes) -> None:
        if self._deliver is not None:
            self._deliver(data)
            return
        self._data += data
        self.wake()

    def fail(self, error: OSError) -> None:
        self._error = self._error or error
        self.wake()

    def wake(self) -> None:
        self._woken = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    async def take(self, seconds: float) -> bytes:
        if not self._woken:
            loop = asyncio.get_running_loop()
            self._due = loop.time() + seconds
            if self._timer is None or self._timer.when() > self._due:
                self._set_timer(loop)
            self._waiter = loop.create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None
        self._woken = False
        if not self._data and self._error is not None:
            raise self._error
        data = bytes(self._data)
        self._data.clear()
        return data

    def close(self) -> None:
        self._deliver = None
        self._stop_timer()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _set_timer(self, loop: asyncio.AbstractEventLoop) -> None:
        self._stop_timer()
        self._timer = loop.call_at(self._due, self._ring, loop)

    def _ring(self, loop: asyncio.AbstractEventLoop) -> None:
        self._timer = None
        if self._waiter is None:
            return
        if loop.time() < self._due:
            self._set_timer(loop)
        else:
            self.wake()


class _Arriving:
    """The reading half of a port whose bytes arrive by themselves."""

    on_demand = False

    def __init__(self) -> None:
        self._arrivals = _Arrivals()

    def deliver(self, function: Callable[[bytes], None]) -> None:
        self._arrivals.deliver(function)

    async def read(self, seconds: float) -> bytes:
        return await self._arrivals.take(seconds)

    def wake(self) -> None:
        self._arrivals.wake()


class FilePort(_Arriving):
    """A serial device on POSIX, watched by the loop."""

    def __init__(self, port: Any) -> None:
        super().__init__()
        self._port = port
        self._file: int = port.fileno()
        self._loop = asyncio.get_running_loop()
        self._output = bytearray()
        self._loop.add_reader(self._file, self._readable)

    def write(self, data: bytes) -> None:
        if len(self._output) + len(data) > OUTPUT_MAX:
            raise OSError(errno.ETIMEDOUT, "the port takes nothing any more")
        self._output += data
        self._writable()

    async def close(self) -> None:
        self._arrivals.close()
        self._unwatch()
        self._port.close()

    def _readable(self) -> None:
        try:
            data = os.read(self._file, CHUNK)
        except BlockingIOError:
            return
        except OSError as error:
            self._lose(error)
            return
        if data:
            self._arrivals.put(data)
        else:
            self._lose(OSError(errno.EIO, "the device is gone"))

    def _writable(self) -> None:
        try:
            del self._output[: os.write(self._file, self._output)]
        except BlockingIOError:
            pass
        except OSError as error:
            self._lose(error)
            return
        if self._output:
            self._loop.add_writer(self._file, self._writable)
        else:
            self._loop.remove_writer(self._file)

    def _lose(self, error: OSError) -> None:
        self._unwatch()
        self._arrivals.fail(error)

    def _unwatch(self) -> None:
        self._loop.remove_reader(self._file)
        self._loop.remove_writer(self._file)


class TcpStream(_Arriving, asyncio.BufferedProtocol):
    """A TCP connection. It reads into a buffer of its own: asyncio would get 256 KiB from the system for every read."""

    def __init__(self) -> None:
        super().__init__()
        self._transport: asyncio.Transport | None = None
        self._closed = asyncio.get_running_loop().create_future()
        self._paused = False
        self._first = FirstBytes()
        self._buffer = bytearray(CHUNK)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def get_buffer(self, sizehint: int) -> bytearray:
        return self._buffer

    def buffer_updated(self, nbytes: int) -> None:
        data = bytes(self._buffer[:nbytes])
        self._first.feed(data)
        self._arrivals.put(data)
        if len(self._arrivals) > INPUT_MAX and self._transport is not None:
            self._paused = True
            self._transport.pause_reading()

    def connection_lost(self, exc: Exception | None) -> None:
        self._arrivals.fail(exc if isinstance(exc, OSError) else self._first.closed())
        if not self._closed.done():
            self._closed.set_result(None)

    async def read(self, seconds: float) -> bytes:
        if self._paused and self._transport is not None:
            self._paused = False
            self._transport.resume_reading()
        return await super().read(seconds)

    def write(self, data: bytes) -> None:
        if self._transport is None or self._transport.get_write_buffer_size() > OUTPUT_MAX:
            raise OSError(errno.ETIMEDOUT, "the connection takes nothing any more")
        self._transport.write(data)

    async def close(self) -> None:
        self._arrivals.close()
        if self._transport is None:
            return
        self._transport.close()
        done, _pending = await asyncio.wait([self._closed], timeout=WRITE_S)
        if not done:
            self._transport.abort()


async def _open_tcp(address: PortAddress) -> AsyncPort:
    host, port = tcp_address(address.url)
    try:
        connecting = asyncio.get_running_loop().create_connection(TcpStream, host, port)
        return (await asyncio.wait_for(connecting, CONNECT_S))[1]
    except (OSError, asyncio.TimeoutError) as error:
        raise address.cannot_open(error) from error


class SimAsyncPort:
    """A simulated shoe. At speed 0 its time passes only while a program waits for it, or a program that is busy with
    something else would find years gone by."""

    def __init__(self, address: PortAddress, port: SimPort) -> None:
        self.port = port
        self._address = address
        self.on_demand = not port.setup.speed

    def deliver(self, function: Callable[[bytes], None]) -> None:
        """Ignored: see AsyncPort."""

    async def read(self, seconds: float) -> bytes:
        speed = self.port.setup.speed
        end = self.port.clock() + seconds * (speed or 1)
        while True:
            data = self.port.poll()
            if data or self.port.clock() >= end:
                await asyncio.sleep(0)  # others have their turn even if a device never falls silent
                return data
            await asyncio.sleep(NAP_S if speed else 0)

    def wake(self) -> None:
        """Its reads are short: a simulated shoe has no descriptor to wait for."""

    def write(self, data: bytes) -> None:
        self.port.write(data)

    async def close(self) -> None:
        self._address.lost(self.port)


class ThreadPort(_Arriving):
    """Any pyserial port, read in a thread of its own."""

    def __init__(self, port: Port) -> None:
        super().__init__()
        self._port = port
        self._loop = asyncio.get_running_loop()
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="fairshoe-port", daemon=True)
        self._thread.start()

    @classmethod
    async def open(cls, address: PortAddress) -> ThreadPort:
        return cls(await _in_thread(address))

    def write(self, data: bytes) -> None:
        self._port.write(data)

    async def close(self) -> None:
        self._arrivals.close()
        self._ending.set()
        while self._thread.is_alive():  # it looks up every READ_S
            await asyncio.sleep(NAP_S)
        self._thread.join()
        with contextlib.suppress(OSError, TypeError):
            self._port.close()

    def _run(self) -> None:
        while not self._ending.is_set():
            try:
                data = self._port.read(max(1, self._port.in_waiting))
            except (OSError, TypeError) as error:
                lost = error if isinstance(error, OSError) else OSError(errno.EBADF, "the port was closed")
                self._tell(self._arrivals.fail, lost)
                return
            if data:
                self._tell(self._arrivals.put, data)

    def _tell(self, function: Any, what: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: no task waits any more
            self._loop.call_soon_threadsafe(function, what)


async def _in_thread(address: PortAddress) -> Port:
    """Open where it may take its time, in a thread that is gone afterwards."""
    found: list[Port | Exception] = []

    def work() -> None:
        try:
            found.append(address.open())
        except Exception as error:  # for the task that waits for the port
            found.append(error)

    thread = threading.Thread(target=work, name="fairshoe-open", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            await asyncio.sleep(READ_S)
    except asyncio.CancelledError:
        thread.join(CONNECT_S)
        for port in found:
            if not isinstance(port, Exception):
                port.close()
        raise
    if isinstance(found[0], Exception):
        raise found[0]
    return found[0]
