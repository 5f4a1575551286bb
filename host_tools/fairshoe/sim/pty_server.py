"""Run a simulated shoe behind pseudo-terminals or TCP: the real firmware on the simulated machine, paced by the clock.

The first port is the shoe's table port. The second is a tap: it repeats what the shoe sends there and ignores what is
written to it, so that a second tool can watch without taking bytes away from the first. The third is the service port,
which is the link while the key switch is on; the table port is deaf and silent then.
"""

from __future__ import annotations

import contextlib
import select
import sys
import time
from collections.abc import Callable

from fairshoe.boards.configs import Config
from fairshoe.errors import GameError
from fairshoe.sim import pseudo_terminal
from fairshoe.sim.auto_dealer import AutoDealer
from fairshoe.sim.pseudo_terminal import NoPort, PseudoTerminal
from fairshoe.sim.setup import Game, check_game, open_disk, read_truth, storage_refused
from fairshoe.sim.tcp_server import TcpDoor
from fairshoe.sim.typed_actions import PipedLines, PromptedLines, obey
from firmware.games.next_need import need_next
from firmware.protocol.ids import NEED_STORE_EVENTS
from hal.sim.persistent_nv import PersistentNv
from rig.rig import Rig

MAX_WAIT_S = 0.05


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
        dealer: str = "none",
        truth: str = "",
    ) -> None:
        port = NoPort if tcp and not pseudo_terminal.available() else PseudoTerminal
        size = config["nv"]["bytes"]
        nv = PersistentNv(size, open_disk(storage, size)) if storage else None
        try:
            self.rig = Rig(config, check_game(game), seed, board_crc, key or b"", nv, truth=read_truth(truth))
        except ValueError as error:
            raise GameError(f"this game on this board: {error}.", "Choose another game, board or truth.") from error
        except RuntimeError as error:
            raise storage_refused(error) from error
        self.speed = speed
        self.dealer = AutoDealer(self.rig, dealer)
        self.door = TcpDoor(*tcp) if tcp else None  # the table port over TCP
        self.table: NoPort | PseudoTerminal = port()
        self.tap: NoPort | PseudoTerminal = port()
        self.service: NoPort | PseudoTerminal = port()
        self.shown: Callable[[list[str]], None] | None = None  # called when the display says something else
        self.obeyed: Callable[[str], None] | None = None  # called after each action of the hands
        self.waits: Callable[[bool], None] | None = None  # called when it waits for a host to store events, and after
        self.waiting = False
        self._lines = self.rig.hal.lines  # as last shown
        self._started = time.monotonic()

    def run(self, lines: PipedLines | PromptedLines | None, end_with_lines: bool) -> None:
        """Until quit, or the end of `lines` if asked for. Each line is an action of the dealer."""
        ports = [*self.table.descriptors(), *self.tap.descriptors(), *self.service.descriptors()]
        while True:
            wait_s = self._catch_up()
            self.tell_waiting()
            watched = [*ports, *(self.door.descriptors() if self.door else []), *([lines.fileno()] if lines else [])]
            ready = select.select(watched, [], [], wait_s)[0]  # there is always a pseudo-terminal, or a listener
            self._catch_up()  # what came in acts now, not at the moment when the wait began
            self._exchange()
            if lines is None or lines.fileno() not in ready:
                continue
            typed = lines.take()
            if typed is None:
                if end_with_lines:
                    return
                lines = None
                continue
            for line in typed:
                if not obey(self.rig, line.split(), lines.say):
                    return
                if self.obeyed is not None:
                    self.obeyed(" ".join(line.split()))

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
            self.dealer.act()
            self.rig.step(self.dealer.limit_us(due_us))
            self._send()
            self._show()
        next_us = min(self.rig.wake_us, plant.next_us())
        wait_s = (next_us - plant.now_us) / 1e6 / self.speed
        return min(max(wait_s, 0.0005), MAX_WAIT_S)

    def _show(self) -> None:
        lines = self.rig.hal.lines
        if self.shown is not None and lines != self._lines:
            self._lines = lines
            self.shown(list(lines))

    def tell_waiting(self) -> None:
        """Tell when a full journal stops the simulated dealer, and when it goes on."""
        app = self.rig.app
        waiting = self.rig.powered and need_next(app.flow, app.inp) == NEED_STORE_EVENTS
        if waiting != self.waiting and self.waits is not None and self.dealer.kind != "none":
            self.waits(waiting)
        self.waiting = waiting

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


def serve(simulator: Simulator, lines: PipedLines | PromptedLines, hands: bool) -> int:
    """Run until stopped; Ctrl-C is a normal way to stop."""
    try:
        with contextlib.suppress(KeyboardInterrupt):
            lines.begin()
            simulator.run(lines, hands)
    finally:
        lines.close()
        simulator.close()
    return 0


def lines_of_stdin() -> PipedLines | PromptedLines:
    """A prompt at a terminal. On Windows a pipe cannot be waited for, so a thread reads that as well."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return PromptedLines()
    return PipedLines(sys.stdin) if pseudo_terminal.available() else PromptedLines(prompt="")
