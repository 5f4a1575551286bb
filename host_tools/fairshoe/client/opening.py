"""A shoe that is being opened: await it, or enter it with `async with`.

    async with AsyncShoe.open(url) as shoe: ...
    shoe = await AsyncShoe.open(url)

A coroutine alone cannot be entered: `async with` would fail before anything is opened. This is still a coroutine, so
that asyncio.run and create_task take it, and Python still warns when it is never awaited.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Coroutine, Generator
from types import TracebackType
from typing import Any, ParamSpec, Protocol, TypeVar


class Closable(Protocol):
    async def close(self) -> None: ...


P = ParamSpec("P")
Opened = TypeVar("Opened", bound=Closable)


class Opening(Coroutine[Any, Any, Opened]):
    """Opens once; leaving the `async with` closes what was opened."""

    def __init__(self, opening: Coroutine[Any, Any, Opened]) -> None:
        self._opening = opening
        self._opened: Opened | None = None

    def __await__(self) -> Generator[Any, Any, Opened]:
        return self._opening.__await__()

    def send(self, value: Any, /) -> Any:
        return self._opening.send(value)

    def throw(self, *error: Any) -> Any:
        return self._opening.throw(*error)

    def close(self) -> None:
        self._opening.close()

    async def __aenter__(self) -> Opened:
        self._opened = await self
        return self._opened

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._opened is not None:
            await self._opened.close()


def opening(function: Callable[P, Coroutine[Any, Any, Opened]]) -> Callable[P, Opening[Opened]]:
    """Decorate a coroutine function that opens something."""

    @functools.wraps(function)
    def open_it(*arguments: P.args, **named: P.kwargs) -> Opening[Opened]:
        return Opening(function(*arguments, **named))

    return open_it
