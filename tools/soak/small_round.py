"""A small deck from the hopper to the end of the round, with one disturbance: what pulses, storms and truths share."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

from hal.sim.oracle import is_moving
from rig.operator import next_moves
from rig.scenario import Scenario
from soak.hands import Data, Hands, board_config

GAME: Data = {"deck_cards": 8, "stack_cards": 2, "positions_max": 2, "lockout": False}
STEP_MS = 5
END_MS = 14000


class SmallRound:
    """Then recovery and a good round. `moving_ms` has the moments when something moved."""

    end_ms = END_MS

    def __init__(self, board: str, faults: list[Data], **more: Any) -> None:
        self.moving_ms: list[int] = []
        data: Data = {"title": "small round", "board": board, "game": GAME, "seed": 1, "script": [], "faults": faults}
        self.scenario = Scenario({**data, "expect": {"invariants": True}, **more}, board_config(board))
        self.stage = self.scenario.stage
        self.plant = self.stage.rig.plant
        self.lines = Hands(random.Random(0), self.stage).lines

    def play(self) -> list[str]:
        """What went wrong, in words; nothing if every invariant held."""
        return self.scenario.play(self._steps())

    def played(self) -> list[str]:
        """The lines of this machine, after a run without a disturbance."""
        problems = self.play()
        if problems:
            raise SystemExit(f"without a disturbance: {problems[0]}")
        return self.lines

    def outcome(self) -> tuple[str, str]:
        """`WRONG` and what is, or two empty texts."""
        problems = self.play()
        return ("WRONG", problems[0]) if problems else ("", "")

    def _steps(self) -> Iterator[Data]:
        while "round_ended" not in self.stage.names() and self.plant.now_us < self.end_ms * 1000:
            for delay_ms, action, arguments in next_moves(self.stage, plays=True):
                yield {"do": action, **arguments, **self._other(action), "after_ms": delay_ms}
            self.stage.run(STEP_MS)
            if is_moving(self.plant):
                self.moving_ms.append(self.plant.now_us // 1000)
            yield from self._meanwhile()
        yield from self._afterwards()
        yield {"do": "good_round"}

    def _other(self, action: str) -> Data:
        """What the hands do otherwise."""
        return {}

    def _meanwhile(self) -> Iterator[Data]:
        yield from ()

    def _afterwards(self) -> Iterator[Data]:
        yield {"do": "recover"}
