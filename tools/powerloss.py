"""Cuts power everywhere: at every storage operation of a round, in frames, at instants of every kind, and again during
the recovery from the first cut; then boots, looks, recovers and plays on. docs/POWERLOSS.md says what is checked.

    .venv/bin/python tools/powerloss.py --minutes 5 [--seed N] [--jobs N] [--board NAME] [--game NAME]
    .venv/bin/python tools/powerloss.py --board NAME --game NAME --machine-seed N --seats N --cut write:33:12
                                                        one run again; a second --cut counts from the first one on
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from dataclasses import replace
from pathlib import Path

from powerloss_jobs import (
    BOARDS,
    SEATS,
    Cut,
    Job,
    Outcome,
    Places,
    boot_cuts,
    game_names,
    instant_cut,
    parse_cut,
    play,
    round_jobs,
    scenario_job,
    scenario_names,
    second_cut,
    some_cut,
    survey,
    write_cuts,
)
from soak_shrink import kind_of

import fairshoe

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build" / "powerloss"
TELL_S = 5.0
WRITES = ("before a write", "torn write", "after a write")
STREAMS = ("writes", "instants", "scenarios", "doubles", "boots")
WAITING = 4  # jobs that wait for each process


class Planner:
    """Draws jobs without end: first of every story in turn, so that a short time reaches all of them."""

    def __init__(self, seed: int, board: str, game: str, only: str = "") -> None:
        self.draw = random.Random(seed)
        self.only = only
        self.rounds = round_jobs(board, game)
        if not self.rounds:
            raise SystemExit(f"powerloss: {board} cannot serve {game}")
        names = scenario_names() if not game else []
        self.scenarios = [job for job in map(scenario_job, names) if not board or job.board == board]
        self.whole: dict[Job, int] = {}  # cuts at writes, by round
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

    def _every_write(self) -> Iterator[Job]:
        """Round after round, in the order of their writes."""
        for story in self.rounds:
            places = self.places(story)
            cuts = list(write_cuts(places)) if places else []
            self.whole[story] = len(cuts)
            for cut in cuts:
                yield replace(story, cuts=(cut,))

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
        self.started = self.told = time.monotonic()
        self.runs = 0
        self.simulated_us = 0
        self.kinds: Counter[str] = Counter()
        self.boards: Counter[str] = Counter()
        self.writes: Counter[Job] = Counter()  # by round, of those that are to be all of them
        self.unreached = 0
        self.found: dict[str, Outcome] = {}

    def take(self, outcome: Outcome) -> None:
        self.runs += 1
        self.simulated_us += outcome.simulated_us
        self.boards[outcome.job.board] += 1
        for cut in outcome.job.cuts[: outcome.struck]:
            self.kinds[cut.kind] += 1
        if len(outcome.job.cuts) == 1 and outcome.job.cuts[0].kind in WRITES:
            self.writes[replace(outcome.job, cuts=())] += 1
        self.unreached += len(outcome.job.cuts) - outcome.struck
        if outcome.problems:
            kind = kind_of(outcome.problems)
            if kind not in self.found:
                self.found[kind] = outcome
                tell_finding(outcome, write_finding(outcome))

    def progress(self) -> None:
        now = time.monotonic()
        terminal = sys.stdout.isatty()
        if now - self.told > (0.5 if terminal else TELL_S):
            self.told = now
            line = f"  {self.runs} cuts in {now - self.started:.0f} s, {len(self.found) or 'nothing'} found"
            print(f"\r{line:60s}" if terminal else line, end="" if terminal else "\n", flush=True)

    def summary(self, planner: Planner) -> None:
        if sys.stdout.isatty():
            print()
        took_s = time.monotonic() - self.started
        each = ", ".join(f"{board} {count}" for board, count in sorted(self.boards.items()))
        hours = self.simulated_us / 3.6e9
        print(f"powerloss: {self.runs} runs in {took_s:.0f} s, {hours:.1f} simulated hours ({each})")
        for kind, count in sorted(self.kinds.items()):
            print(f"  {count:7d} {kind}")
        print(f"  {self.unreached:7d} ordered and not reached: the story was over before")
        whole = [str(story) for story, cuts in planner.whole.items() if self.writes[story] == cuts]
        print(f"  every write of a round: {'; '.join(whole) or 'of none yet'}")
        print(f"powerloss: {len(self.found) or 'nothing'} found")


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
    print(f"replay: .venv/bin/python tools/powerloss.py {outcome.job.options()}")
    print(f"the same as a scenario: .venv/bin/fairshoe scenario run {path}", flush=True)


def run_all(planner: Planner, tally: Tally, minutes: float, jobs: int, keep_going: bool) -> None:
    end = time.monotonic() + minutes * 60
    stream = planner.jobs()
    waiting: set[Future[Outcome]] = set()
    with ProcessPoolExecutor(jobs) as pool:
        while time.monotonic() < end and (keep_going or not tally.found):
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
            tally.progress()
        for future in waiting:
            future.cancel()


def replay(options: argparse.Namespace) -> int:
    cuts: tuple[Cut, ...] = tuple(options.cut)
    if options.scenario:
        job = scenario_job(options.scenario, options.machine_seed, cuts, options.away)
    else:
        job = Job(options.board or BOARDS[0], options.game or "house", options.machine_seed, options.role)
        job = replace(job, seats=options.seats, away=options.away, audit=options.audit, cuts=cuts)
        job = replace(job, rounds=options.rounds, storage=options.storage, flash=options.flash, kind=options.kind)
    outcome = play(job)
    print(f"{job}: {outcome.struck} of {len(cuts)} cuts struck, {outcome.simulated_us / 1e6:.1f} s simulated")
    for problem in outcome.problems:
        print(f"  {problem}")
    if outcome.problems:
        print(f"the same as a scenario: .venv/bin/fairshoe scenario run {write_finding(outcome)}")
    return 1 if outcome.problems else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=1, help="how long (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30), help="of what is drawn by chance")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (%(default)s)")
    parser.add_argument("--board", choices=BOARDS, default="", help="this one only")
    parser.add_argument("--game", choices=game_names(), default="", help="this one only")
    parser.add_argument("--only", choices=STREAMS, default="", help="of the kinds of cuts")
    parser.add_argument("--keep-going", action="store_true", help="do not stop at the first finding")
    again = parser.add_argument_group("one run again")
    again.add_argument("--cut", type=parse_cut, action="append", default=[], metavar="WHERE")
    again.add_argument("--scenario", choices=scenario_names(), default="", metavar="NAME")
    again.add_argument("--machine-seed", type=int, default=7)
    again.add_argument("--seats", type=int, default=SEATS)
    again.add_argument("--rounds", type=int, default=1)
    again.add_argument("--storage", type=int, default=0, metavar="BYTES", help="if not what the board has")
    again.add_argument("--flash", action="store_true", help="storage is flash")
    again.add_argument("--kind", choices=("nag", "records", "keys", "full"), default="", help="what else happens")
    again.add_argument("--role", choices=("table",), default="")
    again.add_argument("--away", action="store_true", help="the host acknowledges nothing before the recovery")
    again.add_argument("--audit", action="store_true", help="seeds are disclosed, and an auditor asks for them")
    options = parser.parse_args()
    if options.cut:
        return replay(options)
    print(f"powerloss {fairshoe.__version__}: seed {options.seed}, {options.jobs} processes", flush=True)
    planner = Planner(options.seed, options.board, options.game, options.only)
    tally = Tally()
    run_all(planner, tally, options.minutes, options.jobs, options.keep_going)
    for story, problem in planner.unfit.items():
        print(f"not cut, since it breaks a promise by itself: {story}: {problem}")
    tally.summary(planner)
    return 1 if tally.found else 0


if __name__ == "__main__":
    sys.exit(main())
