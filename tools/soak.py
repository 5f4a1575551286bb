"""Random hands, faults and power cuts at simulated machines of all four kinds; every promise checked after each scan.

    .venv/bin/python tools/soak.py --minutes 5 [--seed N] [--board NAME]   many runs, each with a seed of its own
    .venv/bin/python tools/soak.py --seed N --runs 1 --verbose             one run again, step by step

A run does sensible and senseless things for a while, then everything is repaired and a sensible operator brings the
machine back to a good round. It is a scenario as it unfolds: what goes wrong is shrunk, and written to a file that
`fairshoe scenario run` plays. The promises are those of rig/promises.py.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from soak_hands import BOARDS, Data, Hands, board_config, draw_scenario
from soak_shrink import kind_of, shrink

import fairshoe
from firmware.protocol import ids
from rig.scenario import Scenario

ROOT = Path(__file__).resolve().parent.parent
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
        """What went wrong, in words; nothing if all promises were kept."""
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


def tell(run: Run, board: str, path: Path) -> None:
    chosen = f" --board {board}" if board else ""
    print(f"seed {run.seed} on {run.data['board']}: {run.problems[0]}")
    print(f"replay: .venv/bin/python tools/soak.py --seed {run.seed} --runs 1 --verbose{chosen}")
    print(f"shrunk: .venv/bin/fairshoe scenario run {path}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1, help="how long (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the first run")
    parser.add_argument("--runs", type=int, default=1 << 30, help="at most so many")
    parser.add_argument("--board", choices=BOARDS, default="", help="on this one only")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at the first finding")
    parser.add_argument("--verbose", action="store_true", help="every step")
    options = parser.parse_args()
    started = told = time.monotonic()
    print(f"soak {fairshoe.__version__}: first seed {options.seed}", flush=True)
    done: Counter[str] = Counter()
    found = 0
    while done.total() < options.runs and time.monotonic() - started < options.minutes * 60:
        run = Run(options.seed + done.total(), options.board, print if options.verbose else None)
        done[run.data["board"]] += 1
        if run.play():
            tell(run, options.board, write_finding(run))
            found += 1
            if not options.keep_going:
                break
        if time.monotonic() - told > 5:
            told = time.monotonic()
            print(f"  {done.total()} runs in {told - started:.0f} s", flush=True)
    each = ", ".join(f"{board} {count}" for board, count in sorted(done.items()))
    print(f"soak: {done.total()} runs ({each}), {found or 'nothing'} found")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
