"""Run a simulated shoe behind pseudo-terminals: the real firmware on the simulated machine, paced by the clock.

The first port is the shoe's table port. The second is a tap: it repeats what the shoe sends there and ignores what is
written to it, so that a second tool can watch without taking bytes away from the first. The third is the service port,
which is the link while the key switch is on; the table port is deaf and silent then.
"""

from __future__ import annotations

import contextlib
import os
import select
import sys
import time
import tty
from collections.abc import Callable
from typing import TextIO

from fairshoe.boards.configs import Config
from fairshoe.errors import GameError
from fairshoe.sim.setup import Game, check_game, open_disk, storage_refused
from fairshoe.sim.tcp_server import TcpDoor
from hal.sim.persistent_nv import PersistentNv
from rig.actions import ACTIONS, TYPED, act
from rig.rig import Rig

MAX_WAIT_S = 0.05
ACTION_HELP = f"{TYPED.replace(', ', ' | ')} | cut | boot | quit"


class _Pty:
    """One pseudo-terminal. Its far end stays open here, so that tools may come and go."""

    def __init__(self) -> None:
        self.near, self._far = os.openpty()
        tty.setraw(self._far)
        os.set_blocking(self.near, False)
        self.path = os.ttyname(self._far)

    def write(self, data: bytes | bytearray) -> int:
        """How many bytes were written: none if the buffer is full because no program reads."""
        try:
            return os.write(self.near, data)
        except BlockingIOError:
            return 0

    def read(self) -> bytes:
        try:
            return os.read(self.near, 4096)
        except BlockingIOError:
            return b""

    def close(self) -> None:
        os.close(self.near)
        os.close(self._far)


class Simulator:
    """Runs the rig at `speed` times real time and moves bytes between it and the ports."""

    def __init__(
        self,
        config: Config,
        board_crc: int,
        game: Game,
        seed: int,
        speed: float,
        key: bytes | None = None,
        storage: str | None = None,
        tcp: tuple[str, int] | None = None,
    ) -> None:
        size = config["nv"]["bytes"]
        nv = PersistentNv(size, open_disk(storage, size)) if storage else None
        try:
            self.rig = Rig(config, check_game(game), seed, board_crc, key or b"", nv)
        except ValueError as error:
            raise GameError(f"this game on this board: {error}.", "Choose another game, or another board.") from error
        except RuntimeError as error:
            raise storage_refused(error) from error
        self.speed = speed
        self.door = TcpDoor(*tcp) if tcp else None  # the table port once more, for those who come over a network
        self.table = _Pty()
        self.tap = _Pty()
        self.service = _Pty()
        self.shown: Callable[[list[str]], None] | None = None  # called when the display says something else
        self.obeyed: Callable[[str], None] | None = None  # called after each action of the hands
        self._lines: list[str] = []
        self._started = time.monotonic()

    def run(self, actions: TextIO | None, end_with_actions: bool, say: Callable[[str], None]) -> None:
        """Until quit, or the end of `actions` if asked for. Lines of `actions` are what hands do to the machine."""
        watched = [self.table.near, self.tap.near, self.service.near]
        pending = b""
        if actions is not None:
            watched.append(actions.fileno())
        while True:
            wait_s = self._catch_up()
            self._show()
            callers = self.door.descriptors() if self.door else []
            ready, _, _ = select.select([*watched, *callers], [], [], wait_s)
            self._catch_up()  # what came in acts now, not at the moment when the wait began
            self._exchange()
            if actions is None or actions.fileno() not in ready:
                continue
            chunk = os.read(actions.fileno(), 4096)
            if not chunk:
                if end_with_actions:
                    return
                watched.remove(actions.fileno())
                actions = None
                continue
            *lines, pending = (pending + chunk).split(b"\n")
            for line in lines:
                words = line.decode("ascii", "replace").split()
                if not self._obey(words, say):
                    return
                if self.obeyed is not None:
                    self.obeyed(" ".join(words))

    def close(self) -> None:
        self.table.close()
        self.tap.close()
        self.service.close()
        if self.door is not None:
            self.door.close()

    def _catch_up(self) -> float:
        """Bring simulated time up to the clock; returns how long nothing will happen by itself."""
        plant = self.rig.plant
        due_us = int((time.monotonic() - self._started) * self.speed * 1e6)
        while plant.now_us < due_us or plant.changed:
            self.rig.step(due_us)
            self._send()
        next_us = min(self.rig.wake_us, plant.next_us())
        wait_s = (next_us - plant.now_us) / 1e6 / self.speed
        return min(max(wait_s, 0.0005), MAX_WAIT_S)

    def _show(self) -> None:
        lines = list(self.rig.hal.lines)
        if self.shown is not None and lines != self._lines:
            self._lines = lines
            self.shown(lines)

    def _send(self) -> None:
        hal = self.rig.hal
        if hal.sent:
            # Like a UART: bytes that no program reads are lost; the device repeats what is not acknowledged.
            self.table.write(hal.sent)
            self.tap.write(hal.sent)
            if self.door is not None:
                self.door.write(hal.sent)
            hal.sent = bytearray()
        if hal.service_sent:
            self.service.write(hal.service_sent)
            hal.service_sent = bytearray()

    def _exchange(self) -> None:
        self._send()
        self.tap.read()
        hal = self.rig.hal
        for port, received in ((self.table, hal.received), (self.service, hal.service_received)):
            data = port.read()
            if port is self.table and self.door is not None:
                data += self.door.read()
            if data and (port is self.service) == hal.service:  # the other port is deaf
                received.extend(data)
                self.rig.plant.changed = True

    def _obey(self, words: list[str], say: Callable[[str], None]) -> bool:
        if not words:
            return True
        if words[0] == "quit":
            return False
        if words[0] not in (*ACTIONS, "jam", "misfeed"):
            say(f"no action {words[0]!r}; try: {ACTION_HELP}")
            return True
        try:
            act(self.rig, words[0], words[1] if len(words) > 1 else "")
        except ValueError as error:
            say(f"{' '.join(words)}: {error}; try: {ACTION_HELP}")
        return True


def serve(simulator: Simulator, hands: bool) -> int:
    """Run until stopped; Ctrl-C is a normal way to stop."""
    with contextlib.suppress(KeyboardInterrupt):
        simulator.run(sys.stdin, hands, lambda text: print(text, file=sys.stderr, flush=True))
    simulator.close()
    return 0
