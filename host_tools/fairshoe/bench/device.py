"""The device under test: a shoe, every message it has sent since the bench opened it, and functions that wait for more.

Events are kept and written to the bench's log before they are acknowledged.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol, TypeVar

from fairshoe.client.operation_numbers import MemoryNumbers
from fairshoe.client.shoe import Shoe
from fairshoe.errors import FairshoeError, PortLost
from fairshoe.keys import RoleKey
from fairshoe.link.session import HostSession
from fairshoe.messages import Event, Health, Message, Meters, Role, State, Status, Welcome
from fairshoe.transport.urls import Port, PortAddress

ANSWER_S = 8.0
AGAIN_S = 0.5
MOMENT_S = 1e-6  # none at all would be over before a byte was moved
Kind = TypeVar("Kind", bound=Event)


class Line(Protocol):
    """Where the device is: opened again after a power cut. Its clock is the one that limits count on."""

    name: str

    def open(self) -> Port: ...

    def lost(self, port: Port) -> None: ...

    def sleep(self, seconds: float) -> None: ...

    def clock(self) -> float: ...


class PortLine:
    """A port by its URL, and the clock on the wall."""

    def __init__(self, url: str) -> None:
        self.name = url
        self._address = PortAddress(url)

    def open(self) -> Port:
        return self._address.open()

    def lost(self, port: Port) -> None:
        self._address.lost(port)

    def sleep(self, seconds: float) -> None:
        time.sleep(seconds)

    def clock(self) -> float:
        return time.monotonic()


class Device:
    """Opened at once; FairshoeError if nothing on the line answers as a shoe."""

    def __init__(
        self,
        line: Line,
        key: RoleKey | None = None,
        note: Callable[[Event], None] | None = None,
        watch: Callable[[Message], None] | None = None,
    ) -> None:
        self.line = line
        self._key = key
        self._write_down = note or _ignore
        self._watch = watch or _ignore
        self._operations = MemoryNumbers()
        self.events: list[Event] = []
        self.misplaced = 0  # events that did not follow the one before
        self.status: Status | None = None
        self.meters: Meters | None = None
        self.health: Health | None = None
        self.statuses = 0
        self._heard_s = line.clock()
        self.port = line.open()
        try:
            self.shoe = self._greet(0)
        except BaseException:
            self.port.close()
            raise
        self.seq_at_start = self.welcome.seq_last  # the last event before the bench listened

    @property
    def welcome(self) -> Welcome:
        welcome = self.shoe.welcome
        assert welcome is not None  # or greeting it had raised
        return welcome

    @property
    def state(self) -> State:
        return self.status.state if self.status else State.STARTING

    @property
    def keyed(self) -> bool:
        return self.welcome.role != Role.CLEAR

    def pump(self) -> None:
        """Move bytes once, and take note of what came."""
        for message in self.shoe.messages(quiet_s=MOMENT_S):
            self._note(message)

    def wait(self, done: Callable[[], bool], seconds: float) -> bool:
        """Until `done`, or so long; whether it was done."""
        end = self.line.clock() + seconds
        while not done():
            if self.line.clock() >= end:
                return False
            self.pump()
        return True

    def rest(self, seconds: float) -> None:
        self.wait(lambda: False, seconds)

    def silent_for(self, seconds: float) -> Callable[[], bool]:
        """Whether nothing has been heard for so long, counted from now at the earliest."""
        now = self.line.clock()
        return lambda: self.line.clock() - max(self._heard_s, now) >= seconds

    def since(self, mark: int, kind: type[Kind]) -> list[Kind]:
        """Events of a kind after the first `mark`."""
        return [event for event in self.events[mark:] if isinstance(event, kind)]

    def renew(self, answer_s: float = ANSWER_S) -> None:
        """Open a new session on the same line: the device then sends its meters again."""
        self.meters = self.health = None
        self.shoe = self._greet(self.shoe.seq_last, answer_s)

    def reopen(self, seconds: float) -> None:
        """The port went away with the power: until it is there again and a shoe answers."""
        end = self.line.clock() + seconds
        seq_last = self.shoe.seq_last
        self.line.lost(self.port)
        while True:
            try:
                self.port = self.line.open()
                self.shoe = self._greet(seq_last)
                return
            except FairshoeError:
                if self.line.clock() >= end:
                    raise
                self.line.sleep(AGAIN_S)

    def survive(self, done: Callable[[], bool], seconds: float) -> bool:
        """As `wait`, where the port may go away and come back."""
        end = self.line.clock() + seconds
        while True:
            try:
                return self.wait(done, max(end - self.line.clock(), 0.0))
            except PortLost:
                self.reopen(max(end - self.line.clock(), 0.0))

    def close(self) -> None:
        self.port.close()

    def _greet(self, after_seq: int, answer_s: float = ANSWER_S) -> Shoe:
        session = HostSession(self._key, after_seq)
        shoe = Shoe(self.port, self.line.name, session, self._operations, self.line.clock)
        shoe.greet(answer_s)
        return shoe

    def _note(self, message: Message) -> None:
        self._heard_s = self.line.clock()
        if isinstance(message, Event):
            if self.events and message.seq != self.events[-1].seq + 1:
                self.misplaced += 1
            self._write_down(message)
            self.events.append(message)
        elif isinstance(message, Status):
            self.status = message
            self.statuses += 1
        elif isinstance(message, Meters):
            self.meters = message
        elif isinstance(message, Health):
            self.health = message
        self._watch(message)


def _ignore(_message: Message) -> None:
    """Ignore it."""
