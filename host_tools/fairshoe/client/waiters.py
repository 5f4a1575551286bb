"""Tasks of a loop that wait until something has changed."""

from __future__ import annotations

import asyncio


class Waiters:
    """True while a task waits."""

    def __init__(self) -> None:
        self._waiting: set[asyncio.Future[None]] = set()

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def wake(self) -> None:
        """End the waits of all tasks."""
        for waiter in list(self._waiting):
            _settle(waiter)

    async def wait(self, seconds: float | None) -> None:
        """Until `wake` is called, or for so long."""
        loop = asyncio.get_running_loop()
        waiter: asyncio.Future[None] = loop.create_future()
        self._waiting.add(waiter)
        timer = None if seconds is None else loop.call_later(max(0.0, seconds), _settle, waiter)
        try:
            await waiter
        finally:
            self._waiting.discard(waiter)
            if timer is not None:
                timer.cancel()


def _settle(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
