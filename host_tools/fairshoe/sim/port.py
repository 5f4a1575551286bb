"""A simulated shoe as a serial port, in process and without a thread: reading advances its time.

`Shoe.open("sim://pico-carousel")` opens one. The real firmware runs on the simulated machine. With `speed=0` time jumps
to the next event while a program waits for bytes; with another speed it follows the clock.
"""

from __future__ import annotations

import errno
import math
import time
from types import TracebackType

from fairshoe.errors import UsageError
from fairshoe.sim.auto_dealer import AutoDealer
from fairshoe.sim.setup import SimSetup, make_rig, parse_url
from rig.actions import ACTIONS, TYPED, act, do

TIMEOUT_S = 0.05
POLL_US = 20_000  # how far time advances when a program polls
SLICE_US = 50_000
BUFFER_MAX = 65536
NAP_S = 0.02
SIM_UTC_S = 1_767_225_600  # 2026-01-01T00:00:00Z


class SimPort:
    """What pyserial would give for a shoe on a cable; `rig` is the device, `act` the hands of a dealer.

    `timeout` means what it means in pyserial: None waits for ever, 0 not at all. At speed 0 the seconds are simulated,
    and pass at once."""

    def __init__(self, setup: SimSetup | None = None, timeout: float | None = TIMEOUT_S) -> None:
        self.setup = setup or SimSetup()
        self.timeout = timeout
        self.is_open = True
        self.rig, self._disk = make_rig(self.setup)
        if self.setup.service:
            do(self.rig, "key", {"to": "on"})
        self._arrived = bytearray()
        self._started = time.monotonic()
        self._dealer = AutoDealer(self.rig, self.setup.dealer)
        self._back_us: int | None = 0  # when the cable is plugged in again; None: at plug()

    @classmethod
    def from_url(cls, url: str, timeout: float | None = TIMEOUT_S) -> SimPort:
        return cls(parse_url(url), timeout)

    # -- a serial port -----------------------------------------------------------------------------------------------

    @property
    def in_waiting(self) -> int:
        """Bytes that have arrived. Polling advances time, or a program that only polls would wait forever."""
        self._usable()
        if not self._arrived:
            self._go(POLL_US)
        return len(self._arrived)

    def read(self, size: int = 1) -> bytes:
        """Up to `size` bytes; fewer if `timeout` is over first."""
        self._usable()
        if self.timeout == 0:
            if not self._arrived:
                self._go(POLL_US)
        elif len(self._arrived) < size:
            self._wait(size)
        data = bytes(self._arrived[:size])
        del self._arrived[:size]
        return data

    def write(self, data: bytes) -> int:
        self._usable()
        if self.setup.speed:
            self._catch_up()
        hal = self.rig.hal
        if self.rig.powered and hal.service == bool(self.setup.service):  # else this port is deaf
            (hal.service_received if hal.service else hal.received).extend(data)
            self.rig.plant.changed = True
        return len(data)

    def reset_input_buffer(self) -> None:
        self._arrived.clear()

    def close(self) -> None:
        """The device is gone, and its storage free for another one."""
        self.is_open = False
        if self._disk is not None:
            self._disk.close()
            self._disk = None

    def __enter__(self) -> SimPort:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # -- the room around it ------------------------------------------------------------------------------------------

    def act(self, action: str, argument: str = "") -> list[int]:
        """A dealer's action, as typed: act("load", "52"), act("press", "green"), act("take").
        Returns the cards that the hand holds then."""
        self._open()
        if self.setup.speed:
            self._catch_up()
        if action not in (*ACTIONS, "jam", "misfeed"):
            raise UsageError(f"there is no action {action!r}.", f"Known: {TYPED}, cut, boot.")
        try:
            return act(self.rig, action, argument)
        except ValueError as error:
            what = f"{action} {argument}".strip()
            raise UsageError(f"{what}: {error}.", f"Known: {TYPED}, cut, boot.") from error

    def lit(self) -> list[str]:
        """The lamps that a person sees lit."""
        return self.rig.lit()

    def do(self, action: str, **arguments: int | str) -> list[int]:
        """The same with arguments by name, of every action and fault: do("fault", fault="jam", place="exit", ...)."""
        self._open()
        if self.setup.speed:
            self._catch_up()
        try:
            return do(self.rig, action, arguments)
        except ValueError as error:
            raise UsageError(f"{action}: {error}.", "docs/SCENARIOS.md has the actions and faults.") from error

    def unplug(self, seconds: float | None = None) -> None:
        """Pull the cable: for so many seconds of the device's time, or until `plug`. The device works on."""
        if self.setup.speed:
            self._catch_up()
        self._back_us = None if seconds is None else self.rig.plant.now_us + int(seconds * 1e6)
        self._arrived.clear()

    def plug(self) -> None:
        self._back_us = 0

    def reopen(self) -> SimPort:
        """The same device again, after its cable was out."""
        self._open()
        if self.setup.speed:  # no other call lets its time pass while the cable is out
            self._catch_up()
        self._usable()
        self._arrived.clear()
        return self

    def clock(self) -> float:
        """Seconds of the device's own time."""
        return self.rig.plant.now_us / 1e6

    def utc(self) -> float:
        """The wall clock of the room, in seconds since 1970. At speed 0 it follows simulated time from a fixed date, so
        that one seed gives the same records."""
        return time.time() if self.setup.speed else SIM_UTC_S + self.clock()

    def sleep(self, seconds: float) -> None:
        """Let so much of its time pass."""
        self._open()
        if self.setup.speed:
            time.sleep(seconds / self.setup.speed)
            self._catch_up()
        else:
            self._run(self.rig.plant.now_us + math.ceil(seconds * 1e6))  # never nothing, or a wait would not end

    def poll(self) -> bytes:
        """What has arrived, without waiting for anything: for a loop that has its own way to wait."""
        self._usable()
        self._go(POLL_US)
        data = bytes(self._arrived)
        self._arrived.clear()
        return data

    # -- time --------------------------------------------------------------------------------------------------------

    def _wait(self, size: int) -> None:
        plant = self.rig.plant
        speed = self.setup.speed
        start_us = plant.now_us
        wait_us = None if self.timeout is None else int(self.timeout * 1e6 * (speed or 1))
        while len(self._arrived) < size:
            left_us = SLICE_US if wait_us is None else wait_us - (plant.now_us - start_us)
            if left_us <= 0:
                return
            if speed:
                time.sleep(min(NAP_S, left_us / 1e6 / speed))
            self._go(min(left_us, SLICE_US), size)
            self._usable()

    def _go(self, at_most_us: int, size: int = 1) -> None:
        """At speed 0 so far, or until that many bytes are there; else up to the clock."""
        if self.setup.speed:
            self._catch_up()
        else:
            self._run(self.rig.plant.now_us + at_most_us, size)

    def _catch_up(self) -> None:
        self._run(int((time.monotonic() - self._started) * self.setup.speed * 1e6))

    def _run(self, limit_us: int, size: int = BUFFER_MAX + 1) -> None:
        rig = self.rig
        plant = rig.plant
        while (plant.now_us < limit_us or plant.changed) and len(self._arrived) < size:
            self._dealer.act()
            rig.step(self._dealer.limit_us(limit_us))
            sent = rig.hal.service_sent if self.setup.service else rig.hal.sent
            rig.hal.sent, rig.hal.service_sent = bytearray(), bytearray()
            # Like a UART: bytes that no program reads are lost; the device repeats what is not acknowledged.
            if sent and self._plugged() and len(self._arrived) + len(sent) <= BUFFER_MAX:
                self._arrived += sent
            if not rig.powered and plant.now_us >= limit_us:
                return

    def _plugged(self) -> bool:
        return self._back_us is not None and self.rig.plant.now_us >= self._back_us

    def _open(self) -> None:
        if not self.is_open:
            raise OSError(errno.EBADF, "the port is closed")

    def _usable(self) -> None:
        self._open()
        if not self._plugged():
            raise OSError(errno.EIO, "the cable is out")
