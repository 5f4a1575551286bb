"""How fast the simulated machines are, against what any controller could do with them (lower_bound.py).

Times are simulated: scans, storage and the link take none, beams bounce and settle, rollers slip, pick latencies vary.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from statistics import mean
from typing import Any

from bench import lower_bound
from bench.section import NotMeasured
from firmware.machines.machine import JOB_RUNNING
from rig import stories
from rig.story import Stage

Step = tuple[str, int, str, object]

BOARDS = Path(__file__).resolve().parents[2] / "board_configs"
SEATS = 6
WAIT_MS_MAX = 600000
PARK = "phase_park"  # what comes after the deck has been counted for the second time


@dataclass
class Job:
    """One job of a machine, as an onlooker sees it."""

    start_us: int
    place: int
    hopper: list[int]
    phase: str = ""
    entered_us: int = 0  # the phase
    parked_us: int = 0  # spent on parking
    end_us: int = 0

    @property
    def spent_us(self) -> int:
        return self.end_us - self.start_us

    @property
    def counted_us(self) -> int:
        """Until everything is counted, parking left out: a carousel parks before its second count, shelves after it."""
        return self.spent_us - self.parked_us

    def enter(self, phase: str, now_us: int) -> None:
        if self.phase == PARK:
            self.parked_us += now_us - self.entered_us
        self.phase, self.entered_us = phase, now_us


class Watched(Stage):
    """A story with a stopwatch at the machine and at the tray."""

    def __init__(self, config: dict[str, Any], game: dict[str, object], seed: int) -> None:
        # The rig takes a game's name or the house game with changes, which its annotation does not say.
        super().__init__(config, game, seed)  # pyright: ignore[reportArgumentType]
        self.jobs: list[Job] = []
        self.running = False
        self.offered = False  # cards lay in the tray
        self.cleared_us = -1
        self.refill_us: list[int] = []  # from an emptied tray to the next stack offered

    def _step(self, limit_us: int) -> None:
        plant = self.rig.plant
        now_us = plant.now_us
        if self.offered and not plant.tray:
            self.cleared_us = now_us  # a hand acts between two steps
        events = len(self.peer.events)
        super()._step(limit_us)
        self.offered = len(plant.tray) > 0
        self._watch(now_us)
        for event in self.peer.events[events:]:
            if event.name == "stack_offered" and self.cleared_us >= 0:
                self.refill_us.append(now_us - self.cleared_us)

    def _watch(self, now_us: int) -> None:
        """A step scans first and lets time pass after: what has changed changed at now_us."""
        machine = self.rig.app.flow.machine
        plant = self.rig.plant
        running = machine.state == JOB_RUNNING
        if running and not self.running:
            self.jobs.append(Job(now_us, plant.axis.slot, list(plant.hopper)))
        if running:
            job = self.jobs[-1]
            phase: str = machine.phases[machine.phase].__name__
            if phase != job.phase:
                job.enter(phase, now_us)
        elif self.running:
            self.jobs[-1].enter("", now_us)
            self.jobs[-1].end_us = now_us
        self.running = running


def board(kind: str) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((BOARDS / f"pico-{kind}.json").read_text(encoding="utf-8"))
    return config


@dataclass(frozen=True)
class Shuffled:
    """One shuffle: until counted twice, until parked, and the bound; in seconds."""

    counted_s: float
    parked_s: float
    bound_s: float


def shuffle(config: dict[str, Any], cards: int, seed: int) -> Shuffled:
    stage = Watched(config, {"deck_cards": cards}, seed)
    steps: list[Step] = [*stories.start(), *stories.shuffle(cards), ("deck_verified", 0, "wait", 0)]
    stage.play(steps, WAIT_MS_MAX)
    _check(stage)
    mech = config["mechanism"]
    # Read off the cards, not off the firmware: where the first card fed lies now, and so on.
    if mech["kind"] == "carousel":
        places = {slot[0]: at for at, slot in enumerate(stage.rig.plant.slots) if slot}
        bound = lower_bound.carousel_us
    else:
        places = {card: at for at, card in enumerate(card for shelf in stage.rig.plant.slots for card in shelf)}
        bound = lower_bound.shelves_us
    order = [places[card] for card in lower_bound.fed(mech, list(range(cards)))]
    job = stage.jobs[-1]
    bound_us = bound(mech, seed, order, job.place)
    return Shuffled(job.counted_us / 1e6, job.spent_us / 1e6, bound_us / 1e6)


@dataclass(frozen=True)
class Dealt:
    """A round: all motions added up, the bound where there is one, and how long each stack but the first took."""

    moved_s: float
    bound_s: float
    refills_s: list[float]


def deal(config: dict[str, Any], seed: int) -> Dealt:
    """A deck of 52 in stacks of five, one for each seat and one for the dealer, and the rest released."""
    stage = Watched(config, {}, seed)
    mech = config["mechanism"]
    loaded: Step = ("deck_loaded" if mech["kind"] == "shoe" else "deck_verified", 800, "wait", 0)
    dealt = [(name, ms, what, argument) for name, ms, what, argument in stories.deal(SEATS)[1:] if argument != "lock"]
    steps: list[Step] = [*stories.start(), *stories.shuffle(52), loaded, *dealt, *stories.finish()]
    stage.play(steps)
    _check(stage)
    jobs = stage.jobs[-(SEATS + 2) :]
    fed = _fed(mech, jobs) if mech["kind"] == "shoe" else ()
    bound_us = sum(lower_bound.shoe_us(mech, seed, cards) for cards in fed)
    refills_s = [us / 1e6 for us in stage.refill_us]
    return Dealt(sum(job.spent_us for job in jobs) / 1e6, bound_us / 1e6, refills_s)


def _fed(mech: dict[str, Any], jobs: list[Job]) -> Iterator[list[int]]:
    """The cards that left the hopper in each job, in that order."""
    piles = [job.hopper for job in jobs] + [[]]
    for pile, rest in pairwise(piles):
        yield lower_bound.fed(mech, pile)[: len(pile) - len(rest)]


def _check(stage: Watched) -> None:
    if stage.rig.plant.crashes or "warning_latched" in stage.names():
        raise NotMeasured("the machine stopped or broke; its times mean nothing")


# -- figures ---------------------------------------------------------------------------------------------------------

SEEDS = 20
RATIO_AIM = 1.05
REFILL_AIM_S = 1.2
DEAL_AIM = 1.10  # a motor shoe, of its bound
# Kind, cards, the longest mean, the largest ratio; None: no budget.
SHUFFLES: tuple[tuple[str, int, float | None, float | None], ...] = (
    ("carousel", 52, 20.0, RATIO_AIM),
    ("shelves", 384, 260.0, None),
    ("shelves", 288, None, None),
)


def measure(seeds: int = SEEDS) -> dict[str, dict[str, float]]:
    """Figures by name, ready to be printed or dumped."""
    found: dict[str, dict[str, float]] = {"seeds": {"count": seeds}}
    for kind, cards, _aim_s, _ratio in SHUFFLES:
        config = board(kind)
        runs = [shuffle(config, cards, seed) for seed in range(seeds)]
        found[f"{kind} {cards}"] = {
            "counted_s": mean(run.counted_s for run in runs),
            "counted_s_worst": max(run.counted_s for run in runs),
            "parked_s": mean(run.parked_s for run in runs),
            "parked_s_worst": max(run.parked_s for run in runs),
            "bound_s": mean(run.bound_s for run in runs),
            "ratio": mean(run.counted_s / run.bound_s for run in runs),
            "ratio_worst": max(run.counted_s / run.bound_s for run in runs),
            "ratio_parked": mean(run.parked_s / run.bound_s for run in runs),
            "ratio_parked_worst": max(run.parked_s / run.bound_s for run in runs),
        }
    for kind in ("carousel", "shoe"):
        config = board(kind)
        rounds = [deal(config, seed) for seed in range(seeds)]
        refills = [refill_s for run in rounds for refill_s in run.refills_s]
        found[f"{kind} deal"] = {
            "refill_s": mean(refills),
            "refill_s_worst": max(refills),
            "moved_s": mean(run.moved_s for run in rounds),
            "moved_s_worst": max(run.moved_s for run in rounds),
        }
        if rounds[0].bound_s:
            found[f"{kind} deal"]["bound_s"] = mean(run.bound_s for run in rounds)
            found[f"{kind} deal"]["ratio"] = mean(run.moved_s / run.bound_s for run in rounds)
            found[f"{kind} deal"]["ratio_worst"] = max(run.moved_s / run.bound_s for run in rounds)
    return found


def report(found: dict[str, dict[str, float]]) -> list[str]:
    seeds = found["seeds"]["count"]
    lines = [f"machine: simulated seconds, mean (worst) of {seeds} seeds, and multiples of the shortest possible time"]
    for kind, cards, aim_s, aim in SHUFFLES:
        got = found[f"{kind} {cards}"]
        lines.append(
            f"  {kind}, {cards} cards shuffled and counted twice: {_pair(got, 'counted_s')} s,"
            f" {_pair(got, 'ratio', 3)} x {got['bound_s']:.2f} s;"
            f" parked as well: {_pair(got, 'parked_s')} s, {_pair(got, 'ratio_parked', 3)} x"
        )
        if aim_s is not None:
            lines.append(f"    aim: mean at most {aim_s:g} s, {_met(got['parked_s'] <= aim_s)} with parking")
        if aim is not None:
            lines.append(f"    aim: at most {aim:g} x in every run, {_met(got['ratio_worst'] <= aim)}")
    got = found["shoe deal"]
    lines.append(
        f"  shoe, 52 cards dealt in stacks of five and the rest released, motion only: {_pair(got, 'moved_s')} s,"
        f" {_pair(got, 'ratio', 3)} x {got['bound_s']:.2f} s"
        f" (aim: at most {DEAL_AIM:g} x, {_met(got['ratio_worst'] <= DEAL_AIM)})"
    )
    for kind in ("carousel", "shoe"):
        got = found[f"{kind} deal"]
        met = _met(got["refill_s_worst"] <= REFILL_AIM_S)
        lines.append(
            f"  {kind}, next stack of five offered after the tray beam cleared: {_pair(got, 'refill_s', 3)} s"
            f" (aim: at most {REFILL_AIM_S:g}, {met})"
        )
    lines.append("  draw: no motors, the hand sets the pace; not measured")
    return lines


def _pair(got: dict[str, float], name: str, digits: int = 2) -> str:
    return f"{got[name]:.{digits}f} ({got[name + '_worst']:.{digits}f})"


def _met(met: bool) -> str:
    return "met" if met else "NOT met"
