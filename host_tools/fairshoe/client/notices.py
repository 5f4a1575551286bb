"""Notices: changes of the link that are reported to the program; and the table of callbacks for events and notices.

Notices are not events: the device does not know them, they have no number and are not stored.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from fairshoe.client.share_judge import LostShare
from fairshoe.errors import FairshoeError, StoreError
from fairshoe.messages import Message, Welcome


@dataclass(frozen=True)
class Notice:
    """Base of all notices."""


@dataclass(frozen=True)
class LinkLost(Notice):
    """The device cannot be reached any more: the port is gone, or nothing is heard. `open_round` is the round that is
    not known to have ended, 0 if none is open. The library tries to reach it again."""

    why: str
    seq_last: int
    open_round: int


@dataclass(frozen=True)
class LinkBack(Notice):
    """The device answers again, and events go on where they were. `down_s` is how long nothing was heard."""

    down_s: float
    rebooted: bool


@dataclass(frozen=True)
class EventsElsewhere(Notice):
    """These events were acknowledged by another host, and the device does not send them again. Its journal may still
    have them: docs/JOURNAL.md."""

    first: int
    last: int


@dataclass(frozen=True)
class LogStarted(Notice):
    """The store has begun a new log for the device: its first, or, as was allowed, one after its storage changed."""

    device: int
    identity: bytes


@dataclass(frozen=True)
class NotStored(Notice):
    """Events of a shoe in a loop cannot be stored; the disk is full, for example. They are not acknowledged, so the
    device keeps them. The library tries again; this comes once until it has worked."""

    error: StoreError


@dataclass(frozen=True)
class ShareLost(Notice):
    """A shuffle ended without the table's share (`lost.why` says how); a deck that came out of it is refused. `count`
    is the number of this shift; `remove`: it is too high, and the device is to be removed."""

    lost: LostShare
    count: int
    remove: bool


@dataclass(frozen=True)
class ShoeOpened(Notice):
    """A Fleet has a session with a shoe: for the first time, or again after ShoeFailed."""

    welcome: Welcome


@dataclass(frozen=True)
class ShoeFailed(Notice):
    """A Fleet cannot open a shoe, or cannot go on with it. It tries again after `retry_s` seconds."""

    error: FairshoeError
    retry_s: float


@dataclass(frozen=True)
class ShoeRemoved(Notice):
    """A Fleet follows this port no more: it was removed, or its device was unplugged."""


Report = Message | Notice
Function = Callable[[Any], Any]


class Listeners:
    """Functions by the kind of message they want. A class stands for everything that is one: Event for every event."""

    def __init__(self) -> None:
        self._by_kind: dict[type[Any], list[Function]] = {}

    def add(self, kind: type[Any], function: Function) -> None:
        self._by_kind.setdefault(kind, []).append(function)

    def remove(self, kind: type[Any], function: Function) -> None:
        functions = self._by_kind.get(kind, [])
        if function in functions:
            functions.remove(function)

    def of(self, message: Report) -> list[Function]:
        """The functions for this message, the narrowest kind first, in the order of registration."""
        if not self._by_kind:
            return []
        return [function for kind in type(message).__mro__ for function in self._by_kind.get(kind, ())]
