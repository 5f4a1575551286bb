"""Allow one loop over the events of a shoe at a time.

Asking for the next event acknowledges the current one, so two loops would acknowledge each other's events.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator

from fairshoe.errors import UsageError


class SingleReader:
    """A loop takes it for as long as it runs."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._owner: object = None
        self._over: Callable[[], bool] | None = None

    def take(self, owner: object, over: Callable[[], bool] | None = None) -> None:
        """`over` returns True once the previous owner can no longer continue."""
        if self._owner not in (None, owner) and not (self._over is not None and self._over()):
            raise UsageError(
                f"another loop over {self._name} is under way.",
                "One `events`, `messages` or `run` at a time: leave the first (break), or close what it goes over. "
                "Commands may be given inside a loop, and `on` calls any number of functions.",
            )
        self._owner, self._over = owner, over

    def has(self, owner: object) -> bool:
        return self._owner is owner

    def leave(self, owner: object) -> None:
        if self._owner is owner:
            self._owner = self._over = None

    @contextlib.contextmanager
    def taken(self) -> Generator[None]:
        owner = object()
        self.take(owner)
        try:
            yield
        finally:
            self.leave(owner)
