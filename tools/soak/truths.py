"""Machines that are not as configured.

One figure at a time: each mechanical figure of each mechanism is wrong by 2, 5, 10 and 20 % either way, counts by one;
then a home mark elsewhere, slip, heat and wear, each line inverted, two lines swapped, each motor backwards. Pairs
are two of these at once, or one and a double feed, drawn at random. The machine deals a
small round in which every card is where the device says, or it stops. What it must not do is verify a deck or offer a
stack that differs from its report.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from fairshoe.messages import Fault, Figure
from hal.sim.truth import FIGURES, MOTORS
from soak.hands import Data, board_config
from soak.small_round import GAME, SmallRound

PERCENTS = (2, 5, 10, 20)
COUNTS = ("slot_count", "slot_beam_slots", "shelf_count", "slot_steps", "shelf_steps", "shelf_cards_max")
RAMPS = ("axis_mrev_per_s", "axis_mrev_per_s2", "axis_mshelf_per_s", "axis_mshelf_per_s2")
OF_STORE = (*COUNTS, *RAMPS, "home_steps", "lift_us")
SLOT_DECK = 40  # cards for figures of the store: those of the first slots would never come to the others
END_MS = 60000
DOUBLES = 0.25  # of the pairs
OFFSETS_UM = (0, 9000, 13000, 45000, 79000)


@dataclass(frozen=True)
class Case:
    """What the machine has, where the config has something else."""

    title: str
    truth: Data
    faults: tuple[Data, ...] = ()


class TruthRun(SmallRound):
    end_ms = END_MS

    def __init__(self, board: str, case: Case, seed: int = 1) -> None:
        truth = case.truth
        store = any(key in OF_STORE or truth[key] in (["axis"], ["outfeed"]) for key in truth)
        game: Data = {**GAME, "deck_cards": SLOT_DECK if store else GAME["deck_cards"]}
        super().__init__(board, [*case.faults], truth=truth, seed=seed, game=game)

    def outcome(self) -> tuple[str, str]:
        """`deals`, `stops`, `waits` (for a deck, all the time), `breaks` (the machine) or `WRONG`, and the reason."""
        problems = self.play()
        found = next((text.removeprefix("Finding: ") for text in problems if text.startswith("Finding")), "")
        latched = [event for event in self.stage.peer.events if event.name == "warning_latched"]
        if found:
            return ("breaks" if found.startswith(("crash", "motor")) else "WRONG"), found
        if latched:
            wrong = [event.fields for event in self.stage.peer.events if event.name == "not_as_configured"]
            return "stops", self._reason(latched[0].fields, *wrong[:1])
        names = self.stage.names()
        if not problems and not {"deck_loaded", "deck_verified"} & {*names}:
            return "waits", "no deck was accepted"
        if problems or ("round_ended" not in names and self.plant.kind != "shelves"):
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
    config = board_config(board)
    mech = config["mechanism"]
    for figure in FIGURES:
        if not isinstance(mech.get(figure), int):
            continue
        if figure in COUNTS:
            for off in (-1, 1):
                yield Case(f"{figure} {off:+d}", {figure: mech[figure] + off})
        for percent in [*(-percent for percent in reversed(PERCENTS)), *PERCENTS]:
            true = mech[figure] * (100 + percent) // 100
            if true != mech[figure]:
                yield Case(f"{figure} {percent:+d} %", {figure: true})
    yield from _others(config)


def _others(config: Data) -> Iterator[Case]:
    """What no figure of a config says."""
    motors = [name for name in MOTORS if name in config["outputs"] or name in config]
    truths: list[Data] = [{"inverted": [name]} for name in _lines(config)]
    truths += [{"swapped": list(two)} for two in combinations(_lines(config), 2)]
    truths += [{"backwards": [name]} for name in motors]
    if "axis" in motors:
        truths += [{"home_steps": steps} for steps in (4, 10, 18, 34, 50, 60)]
    if motors:
        truths += [{"slip_at_start": 1, "slip_percent_max": percent} for percent in (6, 12, 20)]
        truths += [{"warm_percent": percent, "warm_s": 10} for percent in (-15, -8, 8, 15)]
        truths += [{"worn_percent_per_thousand_cards": 500}, {"worn_us_per_thousand_cards": 1000000}]
    if config["mechanism"]["kind"] == "carousel":
        speed = config["mechanism"]["transport_um_per_ms"]
        truths += [{"outfeed_um_per_ms": speed * percent // 100} for percent in (80, 90, 110, 120)]
    for truth in truths:
        yield Case(", ".join(f"{key} {value}" for key, value in truth.items()), truth)


def _lines(config: Data) -> list[str]:
    return [name for name, pin in config["inputs"].items() if not isinstance(pin, dict)]


def pairs(board: str, seed: int) -> Iterator[Case]:
    """Without end, some of them with two cards at once instead. The same key twice would be one case."""
    rng, single = random.Random(f"{seed} {board}"), list(cases(board))
    while True:
        if rng.random() < DOUBLES and board_config(board)["mechanism"]["kind"] != "draw":
            one, fault = rng.choice(single), {"card": rng.randrange(1, 7), "offset_um": rng.choice(OFFSETS_UM)}
            yield Case(f"{one.title}; two cards, {fault}", one.truth, ({"fault": "double_feed", **fault},))
        one, other = rng.sample(single, 2)
        if not {*one.truth} & {*other.truth}:
            yield Case(f"{one.title}; {other.title}", {**one.truth, **other.truth})
