"""`python -m soak.truths`: machines that are not as configured, one figure wrong at a time. Prints a table.

Each mechanical figure of each mechanism is wrong by 2, 5, 10 and 20 % either way, and counts by one. The machine deals
a small round in which every card is where the device says, or it stops. What it must not do is verify a deck or offer a
stack that differs from its report.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from timed import Tool

from fairshoe.messages import Fault, Figure
from hal.sim.truth import FIGURES
from soak.hands import BOARDS, Data, board_config
from soak.small_round import GAME, SmallRound

PERCENTS = (2, 5, 10, 20)
COUNTS = ("slot_count", "slot_beam_slots", "shelf_count", "slot_steps", "shelf_steps", "shelf_cards_max")
SLOT_DECK = 40  # cards for figures of the axis: those of the first slots would never come to the others
END_MS = 60000


@dataclass(frozen=True)
class Case:
    """What the machine has, where the config has another number."""

    figure: str
    percent: int  # 0: by one
    true: int

    def title(self, configured: int) -> str:
        return f"{self.percent:+d} %" if self.percent else f"{self.true - configured:+d}"


class TruthRun(SmallRound):
    end_ms = END_MS

    def __init__(self, board: str, case: Case, seed: int = 1) -> None:
        cards = SLOT_DECK if case.figure in COUNTS or case.figure.startswith("axis") else GAME["deck_cards"]
        game: Data = {**GAME, "deck_cards": cards}
        super().__init__(board, [], truth={case.figure: case.true}, seed=seed, game=game)

    def outcome(self) -> tuple[str, str]:
        """`deals`, `stops`, `breaks` (the machine) or `WRONG`, and the reason."""
        problems = self.play()
        found = next((text.removeprefix("Finding: ") for text in problems if text.startswith("Finding")), "")
        latched = [event for event in self.stage.peer.events if event.name == "warning_latched"]
        if found:
            return ("breaks" if found.startswith(("crash", "motor")) else "WRONG"), found
        if latched:
            wrong = [event.fields for event in self.stage.peer.events if event.name == "not_as_configured"]
            return "stops", self._reason(latched[0].fields, *wrong[:1])
        if problems or ("round_ended" not in self.stage.names() and self.plant.kind != "shelves"):
            return "WRONG", (problems or ["no round ended"])[0]
        return "deals", ""

    def _reason(self, fields: Sequence[int], wrong: Sequence[int] = ()) -> str:
        warning, length_um = Fault(fields[0]), fields[3]
        if wrong:
            return f"{Figure(wrong[0]).name.lower()} {wrong[1]} measured, {wrong[2]} configured"
        return f"{warning.name.lower()}, card_um {length_um} measured" if length_um else warning.name.lower()

    def _steps(self) -> Iterator[Data]:
        for step in super()._steps():
            if step["do"] == "recover" or "warning_latched" in self.stage.names():
                return
            yield step


def cases(board: str) -> Iterator[Case]:
    mech = board_config(board)["mechanism"]
    for figure in FIGURES:
        if not isinstance(mech.get(figure), int):
            continue
        if figure in COUNTS:
            for off in (-1, 1):
                yield Case(figure, 0, mech[figure] + off)
        for percent in [*(-percent for percent in reversed(PERCENTS)), *PERCENTS]:
            true = mech[figure] * (100 + percent) // 100
            if true != mech[figure]:
                yield Case(figure, percent, true)


def main() -> int:
    tool = Tool("soak.truths", __doc__, seed="of the machines")
    tool.add("--board", choices=BOARDS, action="append", help="this one only")
    tool.add("--figure", action="append", help="this one only")
    options = tool.begin()
    wrong = 0
    for board in options.board or [name for name in BOARDS if name.startswith("pico-")]:
        mech = board_config(board)["mechanism"]
        tool.restart()
        for case in cases(board):
            if options.figure and case.figure not in options.figure:
                continue
            if not tool.more(lambda board=board, case=case: f"{board} {case.figure}"):
                break
            word, why = TruthRun(board, case, options.seed).outcome()
            wrong += word == "WRONG"
            title = f"{case.figure} {case.title(mech[case.figure])}"
            print(f"{board:14} {title:36} {word:7} {why}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
