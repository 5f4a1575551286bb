"""The loop over messages of an AsyncShoe: `async for event in shoe.events()`.

An iterator and not a generator: a task that is cancelled while it waits may go on with the same one.
"""

from __future__ import annotations

import asyncio
import weakref
from collections.abc import Awaitable, Callable
from typing import Any, Generic, TypeVar

from fairshoe.client.single_reader import SingleReader
from fairshoe.messages import Message

Wanted = TypeVar("Wanted", bound=Message)


class Feed(Generic[Wanted]):
    """`take(done)` waits for the next message, None if none comes; `done` acknowledges the one before."""

    def __init__(self, take: Callable[[bool], Awaitable[Wanted | None]], turn: SingleReader) -> None:
        self._take = take
        self._turn = turn
        self._in_hand = False
        self._me = object()  # not the feed itself: the turn must not keep it alive

    def __aiter__(self) -> Feed[Wanted]:
        return self

    async def __anext__(self) -> Wanted:
        # The event in hand is acknowledged only if no other loop has had a turn since.
        done, self._in_hand = self._in_hand and self._turn.has(self._me), False
        self._turn.take(self._me, _ended(asyncio.current_task()))
        try:
            message = await self._take(done)
            self._in_hand = message is not None
        finally:
            if not self._in_hand:
                self._turn.leave(self._me)
        if message is None:
            raise StopAsyncIteration
        return message

    async def aclose(self) -> None:
        """End a loop that was left while its iterator is kept. An event in hand is redelivered to the next loop."""
        self._in_hand = False
        self._turn.leave(self._me)

    def __del__(self) -> None:
        self._turn.leave(self._me)


def _ended(task: asyncio.Task[Any] | None) -> Callable[[], bool]:
    """A function that returns whether the task has ended."""
    seen = weakref.ref(task) if task is not None else None

    def ended() -> bool:
        found = seen() if seen is not None else None
        return seen is not None and (found is None or found.done())

    return ended
