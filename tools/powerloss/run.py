"""Draws power cuts: at every storage operation of a round, in frames, at instants of every kind, and again during the
recovery from the first cut. Plays them in processes of their own, keeps the tally and writes findings as scenarios."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import replace
from itertools import groupby
from pathlib import Path

from soak.shrink import kind_of
from timed import replay

from powerloss.jobs import (
    Cut,
    Job,
    Outcome,
    Places,
    boot_cuts,
    instant_cut,
    play,
    round_jobs,
    scenario_job,
    scenario_names,
    second_cut,
    some_cut,
    survey,
    write_cuts,
)

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build" / "powerloss"
WRITES = ("before a write", "torn write", "after a write")
STREAMS = ("writes", "instants", "scenarios", "doubles", "boots")
WAITING = 4  # jobs that wait for each process


class Planner:
    """Draws jobs without end: first every write of one round, once each, so that a short run covers something whole;
    then of every story in turn, so that it reaches all of them."""

    def __init__(self, seed: int, board: str, game: str, only: str = "") -> None:
        self.draw = random.Random(seed)
        self.only = only
        self.rounds = round_jobs(board, game)
        if not self.rounds:
            raise SystemExit(f"powerloss: {board} cannot serve {game}")
        names = scenario_names() if not game else []
        self.scenarios = [job for job in map(scenario_job, names) if not board or job.board == board]
        self.whole: dict[Job, int] = {}  # cuts at writes, by round
        self.writes: dict[Job, int] = {}  # writes, by round
        self.first: set[Job] = set()  # what the first pass has cut
        self.unfit: dict[str, str] = {}  # stories that break a promise without any cut

    def jobs(self) -> Iterator[Job]:
        streams = {
            "writes": (5, self._every_write()),
            "instants": (2, self._instants()),
            "scenarios": (2, self._scenarios()),
            "doubles": (2, self._doubles()),
            "boots": (1, self._boots()),
        }
        chosen = [streams[name] for name in streams if self.only in ("", name)]
        if self.only in ("", "writes"):
            yield from self._first_round()
        while chosen:
            for share, stream in list(chosen):
                for _ in range(share):
                    job = next(stream, None)
                    if job is None:
                        chosen.remove((share, stream))
                        break
                    yield job

    def places(self, story: Job) -> Places | None:
        found = survey(story)
        if found.problems:
            self.unfit[str(story)] = found.problems[0]
        return None if found.problems or not found.writes else found

    def _first_round(self) -> Iterator[Job]:
        """One cut at every write of the first round that can be cut: before, inside or after it, by chance."""
        for story in self.rounds:
            places = self.places(story)
            if places:
                self.writes[story] = len(places.writes)
                for _at, cuts in groupby(write_cuts(places), lambda cut: cut.at):
                    job = replace(story, cuts=(self.draw.choice(list(cuts)),))
                    self.first.add(job)
                    yield job
                return

    def _every_write(self) -> Iterator[Job]:
        """Round after round, in the order of their writes, at every length."""
        for story in self.rounds:
            places = self.places(story)
            jobs = [replace(story, cuts=(cut,)) for cut in write_cuts(places)] if places else []
            self.whole[story] = len(jobs)
            self.writes[story] = len(places.writes) if places else 0
            yield from (job for job in jobs if job not in self.first)

    def _instants(self) -> Iterator[Job]:
        while True:
            story = self.draw.choice(self.rounds)
            places = self.places(story)
            if places:
                for kind in [name for name, found in places.instants.items() if found]:
                    yield replace(story, cuts=(instant_cut(self.draw, places, kind),))
                yield replace(story, seed=story.seed, cuts=(some_cut(self.draw, places),))

    def _scenarios(self) -> Iterator[Job]:
        while self.scenarios:
            story = self.draw.choice(self.scenarios)
            places = self.places(story)
            if places:
                yield replace(story, cuts=(some_cut(self.draw, places),))

    def _doubles(self) -> Iterator[Job]:
        while True:
            story = self.draw.choice(self.rounds)
            places = self.places(story)
            if places:
                yield replace(story, cuts=(some_cut(self.draw, places), second_cut(self.draw)))

    def _boots(self) -> Iterator[Job]:
        """Every write of the boot after one cut."""
        while True:
            story = self.draw.choice(self.rounds)
            places = self.places(story)
            if places:
                first = some_cut(self.draw, places)
                for second in boot_cuts():
                    yield replace(story, cuts=(first, second))


class Tally:
    """What was done and found."""

    def __init__(self) -> None:
        self.runs = 0
        self.simulated_us = 0
        self.kinds: Counter[str] = Counter()
        self.boards: Counter[str] = Counter()
        self.writes: dict[Job, set[Cut]] = {}  # by round, cuts at writes of those that are to be all of them
        self.unreached = 0
        self.found: dict[str, Outcome] = {}

    def take(self, outcome: Outcome) -> None:
        self.runs += 1
        self.simulated_us += outcome.simulated_us
        self.boards[outcome.job.board] += 1
        for cut in outcome.job.cuts[: outcome.struck]:
            self.kinds[cut.kind] += 1
        if len(outcome.job.cuts) == 1 and outcome.job.cuts[0].kind in WRITES:
            self.writes.setdefault(replace(outcome.job, cuts=()), set()).add(outcome.job.cuts[0])
        self.unreached += len(outcome.job.cuts) - outcome.struck
        if outcome.problems:
            kind = kind_of(outcome.problems)
            if kind not in self.found:
                self.found[kind] = outcome
                tell_finding(outcome, write_finding(outcome))

    def summary(self, planner: Planner, took_s: float) -> None:
        each = ", ".join(f"{board} {count}" for board, count in sorted(self.boards.items()))
        hours = self.simulated_us / 3.6e9
        print(f"powerloss: {self.runs} runs in {took_s:.0f} s, {hours:.1f} simulated hours ({each})")
        for kind, count in sorted(self.kinds.items()):
            print(f"  {count:7d} {kind}")
        print(f"  {self.unreached:7d} ordered and not reached: the story was over before")
        self._tell_writes(planner)
        print(f"powerloss: {len(self.found) or 'nothing'} found")

    def _tell_writes(self, planner: Planner) -> None:
        """Which rounds were cut at every write, and how far the others got."""
        for story, total in planner.writes.items():
            cuts = self.writes.get(story, set())
            places = len({cut.at for cut in cuts})
            if not places:
                continue
            lengths = "at every" if planner.whole.get(story) == len(cuts) else "at least one"
            print(f"  {places} of {total} writes of a round, {lengths} length each, {len(cuts)} cuts: {story}")


def write_finding(outcome: Outcome, folder: Path = FOLDER) -> Path:
    """The scenario that shows it."""
    assert outcome.data is not None
    folder.mkdir(parents=True, exist_ok=True)
    words = [outcome.job.scenario or outcome.job.board, *map(str, outcome.job.cuts)]
    path = folder / ("-".join(words).replace(":", "-") + ".json")
    data = {**outcome.data, "title": f"Power loss: {outcome.job}: {outcome.problems[0]}"}
    path.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def tell_finding(outcome: Outcome, path: Path) -> None:
    print(f"\n{outcome.job}: {outcome.problems[0]}")
    print(replay("powerloss", outcome.job.options()))
    print(f"the same as a scenario: .venv/bin/fairshoe scenario run {path}", flush=True)


def run_all(planner: Planner, tally: Tally, more: Callable[[], bool], jobs: int, keep_going: bool) -> None:
    stream = planner.jobs()
    waiting: set[Future[Outcome]] = set()
    with ProcessPoolExecutor(jobs) as pool:
        while more() and (keep_going or not tally.found):
            while len(waiting) < jobs * WAITING:
                job = next(stream, None)
                if job is None:
                    break
                waiting.add(pool.submit(play, job))
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for future in done:
                tally.take(future.result())
        for future in waiting:
            future.cancel()
