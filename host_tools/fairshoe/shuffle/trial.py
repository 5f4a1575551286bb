"""One run of the shuffle test: count the firmware's decks, the machine's, and those of the bad shufflers alike.

A run is cut into parts of fixed size, counted by any number of processes; the result does not depend on how many.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial

from fairshoe.boards.configs import Config
from fairshoe.shuffle.bad_shufflers import MODELS, Model
from fairshoe.shuffle.stats import Family, Tally, judge

PART = 2000
CHECKED = 8  # decks of each part that the firmware's own code draws again
CONTROLS = 20_000  # shuffles of each bad shuffler at most: more would only fail more clearly
MACHINE_PART = 5
OURS = "fairshoe"

_MODEL_BY_KEY = {model.key: model for model in MODELS}


@dataclass(frozen=True)
class Plan:
    """What is to be run."""

    board: str  # as given: a name or a file
    config: Config
    game: str
    cards: int
    shuffles: int
    full: int
    seed: int
    processes: int
    thorough: bool = False  # the firmware's own code draws every deck, and tests the noise for it

    def controls(self, model: Model) -> int:
        """Shuffles of a bad shuffler."""
        return max(model.least, min(self.shuffles, CONTROLS))

    @property
    def total(self) -> int:
        return self.full + self.shuffles + sum(map(self.controls, MODELS))


@dataclass(frozen=True)
class Outcome:
    """One shuffler: everything counted, and the verdicts. The distance of ours is 0 by construction."""

    key: str
    name: str
    tally: Tally
    family: Family
    distance: float


@dataclass(frozen=True)
class Run:
    """What came out. `differing` are the shuffles whose deck in the machine, or by the firmware's own code, was not the
    one drawn."""

    plan: Plan
    ours: Outcome
    bad: tuple[Outcome, ...]
    differing: tuple[int, ...]

    @property
    def missed(self) -> list[str]:
        """Bad shufflers that were not caught: with so few shuffles the tests show nothing."""
        return [outcome.name for outcome in self.bad if outcome.family.passes(0.01)]

    @property
    def passes(self) -> bool:
        return self.ours.family.passes(0.01) and not self.differing and not self.missed


@dataclass(frozen=True)
class _Part:
    key: str  # of a model, or OURS; "" for the machine
    first: int
    count: int


def execute(plan: Plan, progress: Callable[[int], None]) -> Run:
    """Run it all; `progress` gets the number of shuffles done."""
    tallies = {key: Tally(plan.cards) for key in (OURS, *_MODEL_BY_KEY)}
    differing: list[int] = []
    done = 0
    for part, tally, wrong in _work(plan, list(_parts(plan))):
        if tally is not None:
            tallies[part.key].merge(tally)
        differing += wrong
        done += part.count
        progress(done)
    bad = tuple(_outcome(m.key, m.name, tallies[m.key], m.distance(plan.cards)) for m in MODELS)
    return Run(plan, _outcome(OURS, OURS, tallies[OURS], 0.0), bad, tuple(sorted(differing)))


def _outcome(key: str, name: str, tally: Tally, distance: float) -> Outcome:
    return Outcome(key, name, tally, judge(tally), distance)


def _parts(plan: Plan) -> Iterator[_Part]:
    for key, total, size in (
        (OURS, plan.shuffles, PART),
        ("", plan.full, MACHINE_PART),
        *((model.key, plan.controls(model), PART) for model in MODELS),
    ):
        for first in range(0, total, size):
            yield _Part(key, first, min(size, total - first))


_Counted = tuple[_Part, "Tally | None", list[int]]


def _work(plan: Plan, parts: list[_Part]) -> Iterable[_Counted]:
    if plan.processes == 1:
        yield from (_count(plan, part) for part in parts)
        return
    with ProcessPoolExecutor(plan.processes, initializer=_leave_interrupts_to_the_parent) as pool:
        try:
            for future in as_completed([pool.submit(_count, plan, part) for part in parts]):
                yield future.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _count(plan: Plan, part: _Part) -> _Counted:
    # Brings in firmware and rig, which the rest of the command line does not need.
    from fairshoe.shuffle.firmware_decks import fast_deck, firmware_deck, machine_deck

    numbers = range(part.first, part.first + part.count)
    if not part.key:
        fast = partial(firmware_deck, plan.config, plan.seed)
        wrong = [i for i in numbers if machine_deck(plan.config, plan.game, plan.seed, i) != fast(i, plan.cards)]
        return part, None, wrong
    model: Model | None = _MODEL_BY_KEY.get(part.key)
    own = partial(firmware_deck, plan.config)
    shuffle = model.deck if model else own if plan.thorough else partial(fast_deck, plan.config)
    before = shuffle(plan.seed, part.first - 1, plan.cards) if part.first else None
    decks = [shuffle(plan.seed, i, plan.cards) for i in numbers]
    checked = [] if model or plan.thorough else list(numbers[:CHECKED])
    wrong = [i for i in checked if own(plan.seed, i, plan.cards) != decks[i - part.first]]
    tally = Tally(plan.cards)
    tally.add(decks, before)
    return part, tally, wrong
