"""Bring-up of a simulated machine on the live page: its wiring, hands that wait or meddle, and the page in a tab."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fairshoe.boards.configs import load_board
from fairshoe.calibrate.hands import Say, SimHands
from fairshoe.calibrate.machine import Machine
from fairshoe.client.shoe import Shoe
from fairshoe.keys import role_key, write_key
from fairshoe.link.session import HostSession
from fairshoe.messages import Role
from fairshoe.sim.port import SimPort
from fairshoe.sim.setup import SimSetup
from fairshoe.web.bringup_desk import BringupDesk
from fairshoe.web.live_view import LiveView
from web.browser import Bench
from web.live import Live

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
    """A machine that a desk may open again and again. `meddle` is done once, after the request with these words; with
    none before all of them."""

    def __init__(self, folder: Path, board: str, truth: Truth | None = None) -> None:
        self.folder, self.board = folder, board
        self.truth: Truth = truth or {}
        self.key = KEY  # of its host
        self.asked: list[str] = []  # of hands
        self.wait_at = ""
        self.meddle: dict[str, Callable[[SimPort], object]] = {}
        self.opened = 0
        self.here_s = 600.0  # a busy machine may keep a page from answering

    def open(self, ask: Say) -> Machine:
        self.opened += 1
        self.port = wire(self.folder, self.board, self.truth)
        if "" in self.meddle:
            self.meddle.pop("")(self.port)
        hands = SlowHands(self, ask)
        hands.machine = Machine(Shoe(self.port, "simulated", HostSession(role_key(self.key, Role.SERVICE))), hands)
        return hands.machine

    def desk(self, view: LiveView) -> BringupDesk:
        """The board's config is a file, so that state and cure are written beside it."""
        path = self.folder / f"{self.board}.json"
        path.write_text(json.dumps(load_board(self.board)[0]))
        desk = BringupDesk(self.open, str(path), *load_board(str(path)), view)
        desk.here_s = self.here_s
        return desk


@contextmanager
def bringing(chromium: Any, wired: Wired, **page: Any) -> Generator[tuple[Bench, Live]]:
    """The page of a bring-up in a tab; fails if the console complained."""
    view = LiveView(wired.board, board=wired.board)
    serving = Live(None, view, desk=wired.desk(view))
    bench = Bench(chromium.new_page(**{"viewport": {"width": 1280, "height": 900}} | page), serving.server.url)
    bench.tab.goto(bench.url)
    bench.until("globalThis.live?.known.bringup")
    try:
        yield bench, serving
        assert not bench.errors, bench.errors
    finally:
        bench.tab.close()
        serving.close()
