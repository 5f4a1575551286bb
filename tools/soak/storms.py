"""`python -m soak.storms`: one noisy line, at any rate, for any share of the time, while cards move.

A rate above the port's limit is noise, and so is one at which no level lasts. Between and below lie lines that show one
level for a millisecond now and then, and hide the other. The machine may stop with a fault. It must not verify a deck
or offer a stack that differs from its report, run motors behind an open door, or fill the journal.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass

import fairshoe
from firmware.image import INPUTS
from hal.sim.oracle import is_moving
from rig.operator import next_moves
from rig.scenario import Scenario
from soak.hands import BOARDS, Data, Hands, board_config

PERCENTS = (10, 30, 50, 70, 90)
PULLS = ("low", "high", "toggled")
GAME: Data = {"deck_cards": 8, "stack_cards": 2, "positions_max": 2, "lockout": False}
STEP_MS = 5
END_MS = 14000
STORM_MS = 1500
EVENTS_MAX = 24  # in a storm: those of a round, and eight of the line
DOOR_OPEN_MS = 300  # with motors running: a door line that shows one opening in 10 ms
# Lines that excuse no wrong count: it is known from another sensor, or a disturbed reading is no reading.
STRICT = ("opacity", "slot")
DOUBLE = 1  # the card of a double feed, counted from 0


def rates() -> list[int]:
    """10 to 5,000 edges a second, in steps of 5 %."""
    found = [10.0]
    while found[-1] < 5000:
        found.append(found[-1] * 1.05)
    return sorted({round(rate) for rate in found})


@dataclass(frozen=True)
class Case:
    """A storm, and what happens under it: nothing else, two cards at once, or a door that opens."""

    line: str
    edges_per_s: int
    percent: int
    pull: str
    double: bool
    at_ms: int

    def hides_a_card(self, card_ms: int) -> bool:
        """Whether the line may be held low for as long as a card is under it: nothing shows what lies there."""
        low_ms = 2000 / self.edges_per_s * self.percent / 100
        return self.pull == "low" and low_ms >= card_ms


class StormRun:
    """A small deck from the hopper to the end of the round, under at most one storm; then recovery and a good round."""

    def __init__(self, board: str, case: Case | None = None) -> None:
        self.case = case
        self.moving_ms: list[int] = []
        self.fed_ms: list[int] = []  # of these, from the first card of a deck on
        self.open_ms = 0  # so long motors ran with the door open, in the storm
        self.events = 0  # until it was over
        data: Data = {"title": "storm", "board": board, "game": GAME, "seed": 1, "script": [], "faults": []}
        data["expect"] = {"invariants": True}
        if case is not None:
            storm = {"fault": "storm", "line": case.line, "edges_per_s": case.edges_per_s, "percent": case.percent}
            data["faults"] += [{**storm, "pull": case.pull, "from_ms": case.at_ms, "for_ms": STORM_MS}]
            if case.double:
                data["faults"] += [{"fault": "double_feed", "card": DOUBLE, "offset_um": 0}]
        self.scenario = Scenario(data, board_config(board))
        plant = self.scenario.stage.rig.plant
        hands = Hands(random.Random(0), self.scenario.stage)
        self.lines = [line for line in hands.lines if not plant.beams.polled[INPUTS.index(line)]]

    def play(self) -> list[str]:
        """What went wrong, in words; nothing if every invariant held."""
        problems = self.scenario.play(self._steps())
        if self.open_ms > DOOR_OPEN_MS:
            problems.append(f"motors ran for {self.open_ms} ms with the door open")
        if self.case is not None and self.events > EVENTS_MAX:
            problems.append(f"{self.events} events until the storm was over")
        return problems

    def _steps(self) -> Iterator[Data]:
        stage = self.scenario.stage
        plant = stage.rig.plant
        case = self.case
        ends_us = END_MS * 1000
        if case is not None:
            ends_us = (case.at_ms + STORM_MS) * 1000
        door_us = 0
        while "round_ended" not in stage.names() and plant.now_us < ends_us:
            for delay_ms, action, arguments in next_moves(stage, plays=True):
                if action == "load" and case is not None and case.double:
                    arguments = {**arguments, "cards": GAME["deck_cards"] + 1}
                yield {"do": action, **arguments, "after_ms": delay_ms}
            stage.run(STEP_MS)
            for line in STRICT:
                plant.beams.lied[INPUTS.index(line)] = 0
            if is_moving(plant):
                self.moving_ms.append(plant.now_us // 1000)
                if plant.level[INPUTS.index("hopper")]:
                    self.fed_ms.append(plant.now_us // 1000)
                self.open_ms += STEP_MS if door_us else 0
            if case is not None and case.line == "door" and not door_us and plant.now_us > (case.at_ms + 50) * 1000:
                door_us = plant.now_us
                yield {"do": "open"}
        self.events = len(stage.names())
        yield {"do": "repair"}
        if door_us:
            yield {"do": "close", "after_ms": 200}
        yield {"do": "recover", "after_ms": 1500}
        yield {"do": "good_round"}


def cases(board: str) -> Iterator[Case]:
    """Every storm of the whole sweep, begun when cards move."""
    quiet = StormRun(board)
    problems = quiet.play()
    if problems:
        raise SystemExit(f"{board} without a storm: {problems[0]}")
    moments = quiet.moving_ms
    for line in quiet.lines:
        for number, rate in enumerate(rates()):
            for percent in PERCENTS:
                for pull in PULLS:
                    for double in (False, True):
                        at_ms = quiet.fed_ms[number % 20] if double else moments[number * 7 % len(moments)]
                        yield Case(line, rate, percent, pull, double, at_ms)


def card_ms(board: str) -> int:
    """How long a card is under a sensor; a hand may take as long as it likes."""
    mechanism = board_config(board)["mechanism"]
    return 400 if mechanism["kind"] == "draw" else mechanism["card_um"] // mechanism["transport_um_per_ms"]


def sweep(board: str, seed: int) -> list[Case]:
    """All cases that a machine can see, in the order of the seed."""
    long_ms = card_ms(board)
    todo = [case for case in cases(board) if not (case.double and case.hides_a_card(long_ms))]
    random.Random(seed).shuffle(todo)
    return todo


def main() -> int:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("soak.storms", description=__doc__, formatter_class=layout)
    parser.add_argument("--board", choices=BOARDS, action="append", help="this one only")
    parser.add_argument("--line", action="append", help="this line only")
    parser.add_argument("--minutes", type=float, default=1, help="so long on each board (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of the order of the storms")
    options = parser.parse_args()
    print(f"storms {fairshoe.__version__}: seed {options.seed}", flush=True)
    found = 0
    for board in options.board or BOARDS:
        todo = [case for case in sweep(board, options.seed) if not options.line or case.line in options.line]
        ends, done = time.monotonic() + options.minutes * 60, 0
        for case in todo:
            problems = StormRun(board, case).play()
            done += 1
            if problems:
                found += 1
                print(f"{board}, {case}: {problems[0]}", flush=True)
            if time.monotonic() > ends:
                break
        print(f"{board}: {done} of {len(todo)} storms, {found or 'nothing'} found so far", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
