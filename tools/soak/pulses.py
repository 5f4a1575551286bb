"""`python -m soak.pulses`: one pulse of the wrong level on one sensor, at the moments of a round when cards move.

A relay, a static discharge or a loose connector makes one pulse, and no limit on the edge rate notices it. The machine
may stop with a fault. It must not offer a stack or verify a deck that differs from its report.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator

import fairshoe
from hal.sim.oracle import is_moving
from rig.operator import next_moves
from rig.scenario import Scenario
from soak.hands import BOARDS, Data, Hands, board_config

WIDTHS_US = (1200, 2000, 8000, 30000)  # from just longer than the debounce time to a third of a card
GAME: Data = {"deck_cards": 8, "stack_cards": 2, "positions_max": 2, "lockout": False}
STEP_MS = 5
END_MS = 14000


class PulseRun:
    """A small deck from the hopper to the end of the round, with at most one pulse; then recovery and a good round."""

    def __init__(self, board: str, line: str = "", at_ms: int = 0, width_us: int = 0) -> None:
        self.moving_ms: list[int] = []
        long_ms = width_us // 1000 + 1  # one period, and a pulse in every period
        pulse = {"fault": "beam_noise", "line": line, "width_us": width_us, "every_us": long_ms * 1000}
        pulse.update({"from_ms": at_ms, "for_ms": long_ms})
        data: Data = {"title": "pulse", "board": board, "game": GAME, "seed": 1, "script": []}
        data.update({"faults": [pulse] if line else [], "expect": {"invariants": True}})
        self.scenario = Scenario(data, board_config(board))
        self.lines = Hands(random.Random(0), self.scenario.stage).lines

    def play(self) -> list[str]:
        """What went wrong, in words; nothing if every invariant held."""
        return self.scenario.play(self._steps())

    def _steps(self) -> Iterator[Data]:
        stage = self.scenario.stage
        plant = stage.rig.plant
        while "round_ended" not in stage.names() and plant.now_us < END_MS * 1000:
            for delay_ms, action, arguments in next_moves(stage, plays=True):
                yield {"do": action, **arguments, "after_ms": delay_ms}
            stage.run(STEP_MS)
            if is_moving(plant):
                self.moving_ms.append(plant.now_us // 1000)
        yield {"do": "recover"}
        yield {"do": "good_round"}


def pulses(board: str) -> Iterator[tuple[str, int, int]]:
    """Line, moment and width of every pulse of the whole sweep."""
    quiet = PulseRun(board)
    problems = quiet.play()
    if problems:
        raise SystemExit(f"{board} without a pulse: {problems[0]}")
    for line in quiet.lines:
        for at_ms in quiet.moving_ms:
            for width_us in WIDTHS_US:
                yield line, at_ms, width_us


def main() -> int:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("soak.pulses", description=__doc__, formatter_class=layout)
    parser.add_argument("--board", choices=BOARDS, action="append", help="this one only")
    parser.add_argument("--line", action="append", help="this sensor only")
    parser.add_argument("--minutes", type=float, default=1, help="so long on each board (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the order of the pulses")
    options = parser.parse_args()
    print(f"pulses {fairshoe.__version__}: seed {options.seed}", flush=True)
    found = 0
    for board in options.board or BOARDS:
        todo = [pulse for pulse in pulses(board) if not options.line or pulse[0] in options.line]
        random.Random(options.seed).shuffle(todo)
        ends, done = time.monotonic() + options.minutes * 60, 0
        for pulse in todo:
            problems = PulseRun(board, *pulse).play()
            done += 1
            if problems:
                found += 1
                print(f"{board}, pulse on {pulse[0]} at {pulse[1]} ms for {pulse[2]} us: {problems[0]}", flush=True)
            if time.monotonic() > ends:
                break
        print(f"{board}: {done} of {len(todo)} pulses, {found or 'nothing'} found so far", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
