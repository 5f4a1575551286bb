"""A TCP proxy with a switch: passes, adds a round trip, holds all bytes back (a partition), or refuses and resets. It
can also cut the connections that are open for good, without a word to either end.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from enum import Enum

CHUNK = 65536
SLOW_S = 0.05


class Mode(Enum):
    PASS = "pass"
    HOLD = "hold"  # connections stay open, and nothing comes through
    DEAF = "deaf"  # what clients send comes through, answers do not
    SLOW = "slow"  # every piece takes SLOW_S longer, each way: a round trip of 100 ms
    REFUSE = "refuse"  # connections are reset, and new ones too


class Proxy:
    """In a thread of its own. `port` is where to connect instead."""

    def __init__(self, target: int) -> None:
        self.port = 0
        self.mode = Mode.PASS
        self.slowed = 0  # pieces that SLOW has held up
        self._target = target
        self._opened = self._cut = 0  # connections so far; those up to this one are cut
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._passing = asyncio.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name=f"proxy to {target}")
        self._thread.start()
        self._ready.wait()

    def set(self, mode: Mode) -> None:
        self._loop.call_soon_threadsafe(self._set, mode)

    def cut(self) -> None:
        """Nothing comes through any more on the connections that are open; new ones work."""
        self._cut = self._opened

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def _set(self, mode: Mode) -> None:
        self.mode = mode
        if mode is Mode.HOLD:
            self._passing.clear()
        else:
            self._passing.set()
        if mode is Mode.REFUSE:
            for writer in self._writers:
                writer.transport.abort()

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._passing.set()
        server = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        serving = asyncio.all_tasks(self._loop)
        for task in serving:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*serving, return_exceptions=True))
        server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            if self.mode is Mode.REFUSE:
                writer.transport.abort()
                return
            await self._passing.wait()
            self._opened += 1
            number = self._opened
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            self._writers.add(back)
            await asyncio.gather(
                self._copy(number, reader, back, False),
                self._copy(number, there, writer, True),
                return_exceptions=True,
            )
            self._writers.discard(back)
        except (OSError, asyncio.CancelledError):  # cancelled by close: asyncio would log a task that ends so
            writer.transport.abort()
        finally:
            self._writers.discard(writer)

    async def _copy(
        self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answers: bool
    ) -> None:
        try:
            while data := await reader.read(CHUNK):
                await self._passing.wait()
                if number <= self._cut or (answers and self.mode is Mode.DEAF):
                    continue
                if self.mode is Mode.SLOW:
                    self.slowed += 1
                    await asyncio.sleep(SLOW_S)
                writer.write(data)
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            with contextlib.suppress(OSError, RuntimeError):
                writer.close()
