"""Bring-up of a simulated machine: its wiring, and hands that wait or meddle."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fairshoe.calibrate.hands import Say, SimHands
from fairshoe.calibrate.machine import Machine
from fairshoe.client.shoe import Shoe
from fairshoe.keys import role_key, write_key
from fairshoe.link.session import HostSession
from fairshoe.messages import Role
from fairshoe.sim.port import SimPort
from fairshoe.sim.setup import SimSetup

KEY = bytes(range(32))
START_S = 8.0
Truth = dict[str, Any]


def wire(folder: Path, board: str, truth: Truth) -> SimPort:
    """A machine. Of a truth, `faults` are those of the simulator, active from the start."""
    folder.chmod(0o700)
    (folder / "device.key").unlink(missing_ok=True)
    write_key(folder / "device.key", "device", KEY)
    (folder / "truth.json").write_text(json.dumps({key: value for key, value in truth.items() if key != "faults"}))
    key, path = str(folder / "device.key"), str(folder / "truth.json")
    faults = tuple(truth.get("faults", ()))
    port = SimPort(SimSetup(board, seed=3, faults=faults, dealer="none", key=key, truth=path, service="on"))
    port.sleep(START_S)
    return port


class SlowHands(SimHands):
    """Wait at a request that has these words in it, until they are let go; and do other things than asked."""

    def __init__(self, wired: Wired, say: Say) -> None:
        super().__init__(wired.port, say)
        self.wired = wired
        self.machine: Machine | None = None

    def _ask(self, words: str, actions: list[str], line: str = "", level: int = 0) -> None:
        while self.wired.wait_at and self.wired.wait_at in words:
            self._tell(words)
            if self.machine is not None:
                self.machine.going()
            time.sleep(0.01)
        super()._ask(words, actions, line, level)
        self.wired.asked.append(words)
        for at in [at for at in self.wired.meddle if at and at in words]:
            self.wired.meddle.pop(at)(self.wired.port)


class Wired:
    """A machine that may be opened again and again. `meddle` is done once, after the request with these words; with
    none before all of them."""

    def __init__(self, folder: Path, board: str, truth: Truth | None = None) -> None:
        self.folder, self.board = folder, board
        self.truth: Truth = truth or {}
        self.key = KEY  # of its host
        self.asked: list[str] = []  # of hands
        self.wait_at = ""
        self.meddle: dict[str, Callable[[SimPort], object]] = {}
        self.opened = 0

    def open(self, ask: Say) -> Machine:
        self.opened += 1
        self.port = wire(self.folder, self.board, self.truth)
        if "" in self.meddle:
            self.meddle.pop("")(self.port)
        hands = SlowHands(self, ask)
        hands.machine = Machine(Shoe(self.port, "simulated", HostSession(role_key(self.key, Role.SERVICE))), hands)
        return hands.machine
