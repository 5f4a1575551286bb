"""The live view of a shoe in a tab, over a server in a thread of its own: for its tests, and for its picture."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any

from fairshoe.web.assets import live_files
from fairshoe.web.live_server import LiveServer
from fairshoe.web.live_shoe import Host, Observer
from fairshoe.web.live_view import LiveView
from web.browser import Bench


class Live:
    """A live server in a thread of its own; `call` does something in its loop."""

    def __init__(self, source: Host | Observer | None, view: LiveView, port: int = 0) -> None:
        self._source, self._view, self._port = source, view, port
        self._started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._run()), daemon=True)
        self._thread.start()
        assert self._started.wait(30)

    def call(self, function: Callable[[], None]) -> None:
        self._loop.call_soon_threadsafe(lambda: (function(), self.server.publish()))

    def close(self) -> None:
        if not self._thread.is_alive():
            return  # closed already
        self._loop.call_soon_threadsafe(self._ending.set)
        self._thread.join(30)

    async def _run(self) -> None:
        self._loop, self._ending = asyncio.get_running_loop(), asyncio.Event()
        async with LiveServer(live_files(), self._view, self._port) as self.server:
            following = asyncio.create_task(self._follow())
            await self._ending.wait()
            following.cancel()
            await asyncio.wait([following])

    async def _follow(self) -> None:
        if self._source is not None:
            await self._source.open()
        self._started.set()
        if self._source is not None:
            await self._source.run(self._view, self.server.publish)


@contextmanager
def live(chromium: Any, source: Host | Observer | None, view: LiveView) -> Generator[tuple[Bench, Live]]:
    """The page of a live server in a tab; fails if the console complained."""
    serving = Live(source, view)
    bench = Bench(chromium.new_page(viewport={"width": 1280, "height": 900}), serving.server.url)
    bench.tab.goto(bench.url)
    bench.until("globalThis.live?.known.url")
    try:
        yield bench, serving
        assert bench.errors == []
    finally:
        bench.tab.close()
        serving.close()
