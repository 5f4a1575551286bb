"""A simulated device for the bench, in process: reading its port moves simulated time, as fast as it can be computed.

`sim://pico-carousel?game=house&seed=3&faults=FILE` names a board, and what is to be known about the run.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl, urlsplit

from fairshoe import boards
from fairshoe.bench_hands import Actor
from fairshoe.bench_steps import Board
from fairshoe.errors import GameError, UsageError
from fairshoe.simulator import check_game
from rig.actions import do, typed
from rig.rig import Rig

SCHEME = "sim://"
STEP_MS = 20
_KEYS = ("game", "seed", "faults", "speed", "dealer")


class BenchSimPort:
    """What pyserial would give. Each read that finds nothing lets the device run on for a moment."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        given = dict(parse_qsl(parts.query))
        unknown = sorted(set(given) - set(_KEYS))
        if unknown:
            raise UsageError(f"{url}: no {unknown[0]!r}.", f"A simulated shoe takes {', '.join(_KEYS)}.")
        self.board = parts.netloc + parts.path
        config, crc = boards.load_board(self.board)
        game = check_game(given.get("game") or config.get("game", "house"))
        try:
            self.rig = Rig(config, game, int(given.get("seed", "1")), crc)
            for spec in _faults(given.get("faults", "")):
                self.rig.plant.luck.add(spec)
        except ValueError as error:
            raise GameError(f"{url}: {error}.", "Choose another game, board, seed or fault.") from error
        self.arrived = bytearray()

    @property
    def in_waiting(self) -> int:
        return len(self.arrived)

    def read(self, size: int) -> bytes:
        if not self.arrived:
            self._run(STEP_MS)
        data = bytes(self.arrived[:size])
        del self.arrived[:size]
        return data

    def write(self, data: bytes) -> None:
        if not self.rig.hal.service:  # the key switch moves the link to the service port
            self.rig.hal.received.extend(data)
            self.rig.plant.changed = True

    def close(self) -> None:
        """A simulated device stays where it is when its host goes."""

    def act(self, action: str, argument: str = "") -> None:
        """What a dealer's hands do, as in scenarios; a fault is given as JSON."""
        if action == "fault":
            do(self.rig, action, json.loads(argument))
        else:
            do(self.rig, *typed(action, argument))

    def _run(self, ms: int) -> None:
        limit_us = self.rig.plant.now_us + ms * 1000
        while self.rig.plant.now_us < limit_us:
            self.rig.step(limit_us)
            if self.rig.hal.sent:
                self.arrived += self.rig.hal.sent
                self.rig.hal.sent = bytearray()
            self.rig.hal.service_sent = bytearray()


class SimLine:
    """The simulated device as a line that can be opened again, with its own clock."""

    def __init__(self, url: str) -> None:
        self.name = url
        self.port = BenchSimPort(url)

    def open(self) -> BenchSimPort:
        return self.port

    def clock(self) -> float:
        return self.port.rig.plant.now_us / 1e6


def sim_board(port: Actor) -> Board:
    """What the simulator was told about its machine."""
    assert isinstance(port, BenchSimPort)
    rig = port.rig
    mech = rig.config["mechanism"]
    return Board(
        name=rig.config["name"],
        kind=mech["kind"],
        crc=rig.board_crc,
        deck_cards=rig.app.flow.profile.deck_cards,
        places=mech.get("slot_count") or mech.get("shelf_count") or 0,
        count_assurance=mech["count_assurance"],
    )


def _faults(text: str) -> list[dict[str, Any]]:
    """A list of faults as a scenario has it, in place or in a file."""
    if not text:
        return []
    try:
        found: object = json.loads(text if text.startswith("[") else Path(text).read_text())
    except (OSError, ValueError) as error:
        advice = "Give a JSON list as docs/SCENARIOS.md has it, or its file."
        raise UsageError(f"faults {text!r}: {error}.", advice) from error
    return cast(list[dict[str, Any]], found)
