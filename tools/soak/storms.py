"""One noisy line, at any rate, for any share of the time, while cards move.

A rate above the port's limit is noise, and so is one at which no level lasts. Between and below lie lines that show one
level for a millisecond now and then, and hide the other. The machine may stop with a fault. It must not verify a deck
or offer a stack that differs from its report, run motors behind an open door, or fill the journal.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from soak.hands import Data, board_config
from soak.small_round import GAME, STEP_MS, SmallRound

PERCENTS = (2, 10, 30, 50, 70, 90, 98)
PULLS = ("low", "high", "toggled")
STORM_MS = 1500
# In a storm: 16 of a round, and as many as a line may make (firmware/image.py): eight at once, and eight a second.
EVENTS_MAX = 16 + 8 + 8 * STORM_MS // 1000
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


class StormRun(SmallRound):
    """Under at most one storm."""

    def __init__(self, board: str, case: Case | None = None) -> None:
        self.case = case
        self.fed_ms: list[int] = []  # moments from the first card of a deck on
        self.open_ms = 0  # so long motors ran with the door open, in the storm
        self.door_us = 0
        self.events = 0  # until it was over
        faults: list[Data] = []
        if case is not None:
            self.end_ms = case.at_ms + STORM_MS
            storm = {"fault": "storm", "line": case.line, "edges_per_s": case.edges_per_s, "percent": case.percent}
            faults += [{**storm, "pull": case.pull, "from_ms": case.at_ms, "for_ms": STORM_MS}]
            if case.double:
                faults += [{"fault": "double_feed", "card": DOUBLE, "offset_um": 0}]
        super().__init__(board, faults)
        polled = self.plant.beams.polled
        self.lines = [line for line in self.lines if not polled[self.plant.lines.index(line)]]

    def play(self) -> list[str]:
        problems = super().play()
        if self.open_ms > DOOR_OPEN_MS:
            problems.append(f"motors ran for {self.open_ms} ms with the door open")
        if self.case is not None and self.events > EVENTS_MAX:
            problems.append(f"{self.events} events until the storm was over")
        return problems

    def _other(self, action: str) -> Data:
        extra = action == "load" and self.case is not None and self.case.double
        return {"cards": GAME["deck_cards"] + 1} if extra else {}

    def _meanwhile(self) -> Iterator[Data]:
        plant, case = self.plant, self.case
        for line in STRICT:
            plant.beams.lied[plant.lines.index(line)] = 0
        now_ms = plant.now_us // 1000
        if self.moving_ms[-1:] == [now_ms]:
            if plant.level[self.plant.lines.index("hopper")]:
                self.fed_ms.append(now_ms)
            self.open_ms += STEP_MS if self.door_us else 0
        if case is not None and case.line == "door" and not self.door_us and plant.now_us > (case.at_ms + 50) * 1000:
            self.door_us = plant.now_us
            yield {"do": "open"}

    def _afterwards(self) -> Iterator[Data]:
        self.events = len(self.stage.names())
        yield {"do": "repair"}
        if self.door_us:
            yield {"do": "close", "after_ms": 200}
        yield {"do": "recover", "after_ms": 1500}


def every_case(board: str) -> Iterator[Case]:
    """Every storm of the whole sweep, begun when cards move."""
    quiet = StormRun(board)
    lines = quiet.played()
    moments = quiet.moving_ms
    for line in lines:
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


def cases(board: str) -> list[Case]:
    """All cases that a machine can see."""
    long_ms = card_ms(board)
    return [case for case in every_case(board) if not (case.double and case.hides_a_card(long_ms))]
