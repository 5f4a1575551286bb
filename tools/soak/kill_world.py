"""The world of `make soak-kill`: a simulated shoe on a cable that fails, in a room where power fails, with a dealer's
hands; and the places at which the host's program can be killed."""

from __future__ import annotations

import copy
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from fairshoe.boards import configs
from fairshoe.messages import Event as HostEvent
from fairshoe.messages import Message, UnknownMessage
from firmware.journal.cells import CELL_SIZE, RECORD_CELL
from hal.sim.noise import Noise
from rig.actions import do
from rig.card_locations import Finding
from rig.event_fields import FIELDS
from rig.games import load_profile
from rig.operator import next_moves
from rig.peer import Event
from rig.powercut_invariants import PowercutInvariants
from rig.rig import CUT_CRASH, CUT_POWER, CUT_STUCK, Rig

Data = dict[str, Any]

KEY = bytes(range(32))
ROLE_TABLE = 2
STEP_MS = 25
HAND_US = 150_000  # how often a dealer looks up
HOST_LEFT = 0.9  # how often a button is left to the host
FAILS = {"halt": CUT_CRASH, "hang": CUT_STUCK}  # what may fail besides power
# Where a program can be killed, and how many times it may get past that place at most.
KILLS = {
    "while reading": 4000,
    "while writing": 300,
    "before storing an event": 60,
    "while storing an event": 60,
    "after storing an event": 60,
    "before writing down a number": 8,
    "while writing down a number": 8,
    "after writing down a number": 8,
    "before writing down an outcome": 8,
    "while writing down an outcome": 8,
    "after writing down an outcome": 8,
    "before noting what is done": 60,
    "while noting what is done": 60,
    "after noting what is done": 60,
}


def storage_for(game: str) -> int:
    """Bytes for two rounds of a game whose rounds are long."""
    return (2 * load_profile(game).round_events + RECORD_CELL) * CELL_SIZE


class Killed(BaseException):
    """The host's program is gone, without a word. No library catches this."""


@dataclass
class HostRecord:
    """What the host has on file, in the form in which the invariants compare it with what was recorded."""

    events: list[Event] = field(default_factory=list[Event])
    results: list[list[int]] = field(default_factory=list[list[int]])
    role: int = ROLE_TABLE


class World:
    """Simulated time goes on whenever the host waits for bytes, or is dead. One seed gives one history."""

    def __init__(self, seed: int, board: str, game: str, flash: bool = False) -> None:
        self.draw = random.Random(seed)
        config = copy.deepcopy(configs.load_board(board)[0])
        config["link"]["mode"] = "table"
        config["nv"]["bytes"] = max(config["nv"]["bytes"], storage_for(game))
        if flash:
            config["nv"]["kind"] = "flash"
        self.rig = Rig(config, game, seed, 0, KEY)
        self.peer = HostRecord()
        self.powercut = PowercutInvariants(self)  # pyright: ignore[reportArgumentType]  # a rig and what its host has heard
        self.arrived = bytearray()
        self.plugged = True
        self.to_host: Noise | None = None
        self.to_device: Noise | None = None
        self.calm = False
        self.kill_at = ""
        self.kill_in = 0
        self.tally: Counter[str] = Counter()
        self.moves: list[tuple[int, str, Data]] = []
        self.look_us = 0
        self.boot_us = -1
        self.cable_us = 0
        self._arm()

    # -- time ------------------------------------------------------------------------------------------------------

    def clock(self) -> float:
        return self.rig.plant.now_us / 1e6

    def run(self, ms: int) -> None:
        rig = self.rig
        limit_us = rig.plant.now_us + ms * 1000
        while rig.plant.now_us < limit_us:
            rig.step(limit_us)
            if rig.struck and self.ordered in FAILS:
                self._failed()
            self._collect()
            self.powercut.scan()
        self._power()
        self._cable()
        self._hands()

    def _collect(self) -> None:
        sent = self.rig.hal.sent
        if sent:
            if self.plugged:
                self.arrived += self.to_host.carry(sent) if self.to_host else sent
            self.rig.hal.sent = bytearray()

    # -- what goes wrong -------------------------------------------------------------------------------------------

    def peace(self) -> None:
        """Nothing goes wrong any more."""
        self.calm = True
        self.kill_at = ""
        self.plugged = True
        self.to_host = self.to_device = None
        self.rig.nv.cut_at = self.rig.cut_us = self.rig.cut_frame = -1

    def _arm(self) -> None:
        """Order the next power cut."""
        draw = self.draw
        rig = self.rig
        what = draw.choice(("write", "write", "frame", "frame", "time", "time", "halt", "hang"))
        rig.cut_how = FAILS.get(what, CUT_POWER)
        if what == "write":
            rig.nv.cut_at = rig.nv.writes + draw.randrange(220)
            rig.nv.cut_bytes = draw.randrange(100)
        elif what == "frame":
            rig.cut_frame = rig.frames_sent + draw.randrange(800)
            rig.cut_frame_bytes = draw.randrange(100)
        else:
            rig.cut_us = rig.plant.now_us + draw.randrange(200_000_000)
        self.ordered = what

    def _failed(self) -> None:
        """Not power but the firmware: the watchdog sees to it."""
        self.tally[f"firmware: {self.ordered}"] += 1
        self.moves = []
        self.rig.struck = False
        if not self.calm:
            self._arm()

    def _power(self) -> None:
        rig = self.rig
        if rig.powered or rig.reset_us >= 0:
            return
        if self.boot_us < 0:
            self.tally[f"power cut: {self.ordered}"] += 1
            self.boot_us = rig.plant.now_us + self.draw.choice((5_000, 300_000, 3_000_000))
            self.moves = []
        elif rig.plant.now_us >= self.boot_us:
            self.boot_us = -1
            rig.nv.cut_at = rig.cut_us = rig.cut_frame = -1
            if not self.calm:
                self._arm()
            rig.boot()

    def _cable(self) -> None:
        if self.calm or self.rig.plant.now_us < self.cable_us:
            return
        draw = self.draw
        kind = draw.choice(("good", "good", "good", "bits", "bytes", "pieces", "pulled"))
        self.cable_us = self.rig.plant.now_us + draw.randrange(1_000_000, 20_000_000)
        self.plugged = kind != "pulled"
        rates = {"bits": (300, 0, 0), "bytes": (0, 2000, 0), "pieces": (0, 0, 60000)}.get(kind)
        old = self.to_host, self.to_device
        self.to_host = Noise(draw.randrange(1, 1 << 30), *rates) if rates else None
        self.to_device = Noise(draw.randrange(1, 1 << 30), *rates) if rates else None
        if kind == "pulled":
            self.cable_us = self.rig.plant.now_us + draw.randrange(100_000, 6_000_000)
        elif old[0] is not None and old[1] is not None:
            # What the old cable had held back comes out now.
            self.arrived += old[0].reconnect()
            self._receive(old[1].reconnect())
        if kind != "good":
            self.tally[f"cable: {kind}"] += 1

    def arm_kill(self) -> None:
        """A new program: draw where it will end."""
        if not self.calm:
            self.kill_at = self.draw.choice(list(KILLS))
            self.kill_in = self.draw.randrange(KILLS[self.kill_at])

    def due(self, place: str) -> bool:
        """Whether the program dies at this place, this time."""
        if place != self.kill_at:
            return False
        self.kill_in -= 1
        return self.kill_in < 0

    def die(self) -> None:
        self.tally[f"killed {self.kill_at}"] += 1
        raise Killed

    def pass_by(self, place: str) -> None:
        if self.due(place):
            self.die()

    # -- a serial port ---------------------------------------------------------------------------------------------

    @property
    def in_waiting(self) -> int:
        return len(self.arrived)

    def read(self, size: int) -> bytes:
        if not self.arrived:
            self.run(STEP_MS)
        if not self.plugged:
            self.arrived.clear()
            raise OSError("device not configured")
        data = bytes(self.arrived[:size])
        del self.arrived[:size]
        self.pass_by("while reading")
        return data

    def write(self, data: bytes) -> None:
        if not self.plugged:
            raise OSError("device not configured")
        if self.due("while writing"):
            self._receive(data[: self.draw.randrange(len(data) + 1)])
            self.die()
        self._receive(data)

    def close(self) -> None:
        self.arrived.clear()

    def _receive(self, data: bytes | bytearray) -> None:
        if self.rig.powered:
            self.rig.hal.received.extend(self.to_device.carry(data) if self.to_device else data)
            self.rig.plant.changed = True

    # -- hands -----------------------------------------------------------------------------------------------------

    def _hands(self) -> None:
        """A dealer who looks up now and then, and leaves most buttons to the table system."""
        rig = self.rig
        now_us = rig.plant.now_us
        if not rig.powered:
            return
        while self.moves and self.moves[0][0] <= now_us:
            _due_us, action, arguments = self.moves.pop(0)
            self.powercut.hand(action, arguments)
            do(rig, action, arguments)
            self.look_us = now_us + HAND_US
        if self.moves or now_us < self.look_us:
            return
        self.look_us = now_us + HAND_US
        due_us = now_us
        for delay_ms, action, arguments in next_moves(self, True):  # pyright: ignore[reportArgumentType]
            if action == "press" and self.draw.random() < HOST_LEFT:
                self.look_us = now_us + 2_000_000
                continue
            due_us += delay_ms * 1000
            self.moves.append((due_us, action, arguments))

    # -- what the host has on file ---------------------------------------------------------------------------------

    def stored(self, message: Message) -> None:
        """An event is on file; it must be the next, and the one that was recorded."""
        if isinstance(message, UnknownMessage) or not isinstance(message, HostEvent):
            raise Finding(f"content: the host has {message} on file")
        fields = [int(getattr(message, name)) for name in FIELDS[message.NAME]]
        self.peer.events.append(Event(message.NAME, message.seq, message.round, fields))
        self.powercut.scan()
