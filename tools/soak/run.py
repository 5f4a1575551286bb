"""One soak run: sensible and senseless steps for a while, then repair, recovery and a good round.

The run is a scenario that grows while it is played. A failing one is shrunk and written to a file that
`fairshoe scenario run` plays. The invariants are those of rig/invariants.py.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

from firmware.protocol import ids
from rig.scenario import Scenario
from soak.hands import BOARDS, Data, Hands, board_config, draw_scenario
from soak.shrink import kind_of, shrink

ROOT = Path(__file__).resolve().parents[2]
STATE_NAMES = ids.STATE_NAMES.split()
SHRINK_SECONDS = 30


class Run:
    """One machine and one random history. After play(), `data` replays it."""

    def __init__(self, seed: int, board: str = "", say: Callable[[str], None] | None = None) -> None:
        self.seed = seed
        self.random = random.Random(seed)
        self.say = say
        self.data = draw_scenario(self.random, seed, board or BOARDS[seed % len(BOARDS)])
        self.scenario = Scenario(self.data, board_config(self.data["board"]))
        self.hands = Hands(self.random, self.scenario.stage)
        self.problems: list[str] = []

    def play(self) -> list[str]:
        """What went wrong, in words; nothing if every invariant held."""
        self.problems = self.scenario.play(self._script())
        return self.problems

    def _script(self) -> Iterator[Data]:
        """Steps as they are drawn, each written down before it is done."""
        for step in self._steps():
            self.data["script"].append(step)
            if self.say is not None:
                rig = self.scenario.stage.rig
                state = STATE_NAMES[rig.app.flow.state] if rig.powered else "off"
                self.say(f"  {rig.plant.now_us / 1e6:9.3f} s {state:22s} {json.dumps(step)}")
            yield step

    def _steps(self) -> Iterator[Data]:
        draw = self.random
        rate = draw.choice((0.1, 0.3, 0.6))
        for _ in range(draw.randrange(4)):
            yield self.hands.fault()
        for _ in range(draw.randrange(6, 30)):
            if not self.scenario.stage.rig.powered:
                yield {"do": "boot", "after_ms": draw.choice((0, 1000))}
            yield from self.hands.senseless() if draw.random() < rate else self.hands.sensible()
        yield {"do": "recover"}
        yield {"do": "good_round"}


def write_finding(run: Run, seconds: float = SHRINK_SECONDS, folder: Path = ROOT / "build" / "soak") -> Path:
    """Shrink what a run found, and write the scenario that shows it."""
    data = shrink(run.data, kind_of(run.problems), seconds)
    data = {**data, "title": f"Soak, seed {run.seed}: {run.problems[0]}"}
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"soak-{run.seed}.json"
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return path
