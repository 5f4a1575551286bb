"""Play a board from outside: a dealer's hands at the machine, the host library at its link.

The board is anything with a port, hands and a plug: the emulated one of `make hil`, or a simulated one in a test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from fairshoe.client.shoe import Shoe
from fairshoe.keys import RoleKey
from fairshoe.link.session import HostSession
from fairshoe.messages import Event, WarningLatched

STEP_US = 20_000
WAIT_S = 60.0  # and a second for every card of the deck
READ_PAGE_MS = 600  # a display needs 0.4 s for a whole page
Step = tuple[str, int, str, str]  # an event to wait for, or ""; a delay in ms; an action; its argument
MOTORS = 4  # pick, transport, ejector, outfeed: the first outputs of hal.sim.plant


class StoryError(Exception):
    """What did not happen as it must."""


class Board(Protocol):
    """A machine on a table. Reading `port` lets its time pass."""

    port: Any
    plant: Any
    config: dict[str, Any]
    deck: int  # cards that the game on the board wants

    def hand(self, action: str, argument: str = "") -> None:
        """Do what a person can do, in the words of rig/actions.py."""
        ...

    def run_us(self, us: int) -> None:
        """Let exactly this time pass. What the device sends meanwhile waits in `port`."""
        ...

    def display(self) -> tuple[str, ...]:
        """The four lines that a dealer reads."""
        ...

    def rx_low(self, low: bool) -> None:
        """Hold the device's receive line low, or release it. Bytes on the line while it is low are lost."""
        ...

    def hang_bus(self, clocks: int) -> None:
        """Hold the I2C bus of buttons, lamps and display low: until it had so many clocks, or with 0 until freed."""
        ...

    def free_bus(self) -> None: ...

    def bad_contact(self, bytes_a_flip: int) -> None:
        """From now on one of so many bytes that the device reads from its storage has a wrong bit; 0: none."""
        ...

    def storm(self, lines: tuple[str, ...], hz: int) -> None:
        """Toggle these input lines at this frequency until `calm`, also through a power cut."""
        ...

    def calm(self) -> None: ...

    def power_off(self, dark_ms: int) -> None: ...

    def power_on(self) -> None: ...


class Wire:
    """The host's end of the cable. Keeps the last frame that the host sent, and can be cut."""

    def __init__(self, port: Any) -> None:
        self.port = port
        self.sent = b""
        self.cut = False  # what the host sends is lost

    @property
    def in_waiting(self) -> int:
        return self.port.in_waiting

    def read(self, size: int) -> bytes:
        return self.port.read(size)

    def write(self, data: bytes) -> None:
        self.sent = bytes(data)
        if not self.cut:
            self.port.write(data)

    def drop(self) -> None:
        """Lose what the device has sent and the host has not read."""
        while self.in_waiting:
            self.port.read(self.in_waiting)

    def close(self) -> None:
        """The board stays where it is."""


@dataclass
class Player:
    """A dealer and a host at one board."""

    board: Board
    note: Callable[[str], None] = print
    events: list[Event] = field(default_factory=list[Event])
    seen: int = 0
    watch: Callable[[], None] | None = None  # called after every poll
    key: RoleKey | None = None  # without one the session is in clear
    smooth: bool = False  # a warning ends the story: nothing is wrong with the machine

    def __post_init__(self) -> None:
        port = self.board.port
        self.wire = Wire(port)
        self.shoe = Shoe(self.wire, "the board", HostSession(self.key), clock=port.clock)
        self._flood = b""
        self._flood_us = 0

    @property
    def kind(self) -> str:
        return str(self.board.plant.kind)

    @property
    def deck(self) -> int:
        return self.board.deck

    # -- time --------------------------------------------------------------------------------------------------------

    def greet(self, answer_s: float = 30.0) -> None:
        self.shoe.greet(answer_s)

    def now(self) -> float:
        return self.board.port.clock()

    def poll(self) -> None:
        """Let a moment pass. Each event goes into the list as it comes, once."""
        self._feed_flood()
        for message in self.shoe.messages(quiet_s=0.0):
            if isinstance(message, Event):
                self.events.append(message)
                self.note(f"  event {message.seq}: {message.NAME}")
        if self.watch is not None:
            self.watch()

    def run(self, ms: int) -> None:
        until = self.now() + ms / 1000
        while self.now() < until:
            self.poll()

    def until(self, name: str, wait_s: float = 0.0) -> Event:
        """The next event of that name that no earlier call has returned. By default a shuffle has time to end."""
        wait_s = wait_s or WAIT_S + self.deck
        end = self.now() + wait_s
        while True:
            while self.seen < len(self.events):
                self.seen += 1
                event = self.events[self.seen - 1]
                if name == event.NAME:
                    return event
                if self.smooth and isinstance(event, WarningLatched):
                    raise StoryError(f"the warning {event.warning.name} instead of {name}")
            if self.now() >= end:
                last = self.events[-1].NAME if self.events else "none"
                raise StoryError(f"no {name} within {wait_s:.0f} s; the last event was {last}")
            self.poll()

    def until_true(self, what: str, condition: Callable[[], bool], step_us: int = STEP_US) -> None:
        """Look at the machine every `step_us`, with the host at work."""
        end = self.now() + WAIT_S + self.deck
        while not condition():
            expect(self.now() < end, f"it did not come to this: {what}")
            self.board.run_us(step_us)
            if self.board.port.in_waiting:
                self.poll()

    # -- hands -------------------------------------------------------------------------------------------------------

    def do(self, action: str, argument: str = "") -> None:
        self.note(f"  {action} {argument}".rstrip())
        self.board.hand(action, argument)

    def play(self, steps: list[Step]) -> None:
        for name, delay_ms, action, argument in steps:
            if name:
                self.until(name)
            self.run(delay_ms)
            if action != "wait":
                self.do(action, argument)

    def read(self, page: str, listening: bool) -> None:
        """Wait until the display begins with this text; without listening the host does nothing meanwhile."""
        end = self.now() + WAIT_S + self.deck
        while not self.board.display()[0].startswith(page):
            waits = self.now() < end and not self.board.display()[0].startswith("STOP")
            expect(waits, f"the display does not say {page!r} but {self.board.display()}")
            self.pause(STEP_US // 1000, listening)
        self.pause(READ_PAGE_MS, listening)

    def pause(self, ms: int, listening: bool) -> None:
        if listening:
            self.run(ms)
        else:
            self.board.run_us(ms * 1000)

    # -- the line ----------------------------------------------------------------------------------------------------

    def flood(self, data: bytes) -> None:
        """From now on send this again and again, as fast as the line takes it, between the host's own frames. Ends
        with an empty one."""
        self._flood = data
        self._flood_us = int(self.now() * 1e6) - STEP_US

    def _feed_flood(self) -> None:
        if not self._flood:
            return
        now_us = int(self.now() * 1e6)
        byte_us = 10e6 / self.board.config["link"]["baud"]
        count = int((now_us - self._flood_us) / byte_us) // len(self._flood)
        self._flood_us += int(count * len(self._flood) * byte_us)
        if count:
            self.board.port.write(self._flood * count)

    # -- what came of it ---------------------------------------------------------------------------------------------

    def motors(self) -> list[int]:
        return list(self.board.plant.outputs[:MOTORS])

    def since(self, first: int) -> list[Event]:
        return self.events[first:]

    def check(self) -> None:
        """Every event once, in order, none missing; and no damage to the machine."""
        numbers = [event.seq for event in self.events]
        expect(numbers == list(range(1, len(numbers) + 1)), f"event numbers {numbers}")
        expect(self.board.plant.crashes == 0, f"the machine was harmed {self.board.plant.crashes} times")


def expect(ok: bool, what: str) -> None:
    if not ok:
        raise StoryError(what)


def one(events: list[Event], kind: type[Any]) -> Any:
    found = [event for event in events if isinstance(event, kind)]
    expect(len(found) == 1, f"{len(found)} events {kind.NAME}, and there must be one")
    return found[0]
