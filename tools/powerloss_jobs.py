"""What `make powerloss` cuts: stories on boards, every place in them where power can fail, and one run of them."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from fairshoe import boards
from fairshoe.games import game_names
from rig.powercut import KINDS, PowerRun, Survey

Data = dict[str, Any]

SCENARIOS = Path(__file__).resolve().parent.parent / "tests" / "scenarios"
BOARDS = tuple(boards.board_names())
SEATS = 2
SMALL_BYTES = 6144  # records come round within four rounds
SMALL_ROUNDS = 4
BOOT_WRITES = 12  # a boot that voids a round and puts a command in doubt writes fewer
SECOND_US_MAX = 40_000_000  # by then the operator is done


@dataclass(frozen=True)
class Cut:
    """Where power fails: at the nth write or frame, of which so many bytes get through, or after a time."""

    what: str
    at: int
    size: int = 0
    kind: str = ""  # for the summary

    def step(self) -> Data:
        if self.what == "time":
            return {"do": "cut_at_time", "us": self.at}
        return {"do": f"cut_at_{self.what}", self.what: self.at, "bytes": self.size}

    def __str__(self) -> str:
        return f"{self.what}:{self.at}" + (f":{self.size}" if self.what != "time" else "")


def parse_cut(text: str) -> Cut:
    what, *numbers = text.split(":")
    if what not in ("write", "frame", "time") or len(numbers) != (1 if what == "time" else 2):
        raise ValueError(f"a cut is write:N:BYTES, frame:N:BYTES or time:US, not {text!r}")
    return Cut(what, *map(int, numbers), kind="replayed")


@dataclass(frozen=True)
class Job:
    """One story and its cuts; the scenario of that name, or a round of the game."""

    board: str
    game: str = "house"
    seed: int = 7
    role: str = ""
    seats: int = SEATS
    away: bool = False
    audit: bool = False
    rounds: int = 1
    storage: int = 0  # bytes, if not what the board has
    scenario: str = ""
    cuts: tuple[Cut, ...] = ()

    def options(self) -> str:
        """What replays it."""
        words = [f"--scenario {self.scenario}"] if self.scenario else [f"--board {self.board} --game {self.game}"]
        words += [f"--machine-seed {self.seed} --seats {self.seats}"]
        words += [f"--role {self.role}"] if self.role and not self.scenario else []
        words += [f"--rounds {self.rounds} --storage {self.storage}"] if self.storage else []
        words += [f"--{name}" for name in ("away", "audit") if getattr(self, name)]
        return " ".join(words + [f"--cut {cut}" for cut in self.cuts])

    def __str__(self) -> str:
        name = self.scenario or f"{self.board}, {self.game}" + (f", {self.role}" if self.role else "")
        name += f", {self.rounds} rounds on {self.storage} bytes" if self.storage else ""
        return name + (", host away" if self.away else "") + (", audited" if self.audit else "")


@dataclass(frozen=True)
class Places:
    """Where power can fail in a story; a story that breaks a promise by itself says so."""

    writes: list[int]
    frames: list[int]
    instants: dict[str, list[int]]
    problems: list[str]


@lru_cache
def _load(board: str) -> Data:
    return boards.load_board(board)[0]


@lru_cache
def _scenario(name: str) -> Data:
    return json.loads((SCENARIOS / f"{name}.json").read_text(encoding="utf-8"))


def scenario_names() -> list[str]:
    return sorted(path.stem for path in SCENARIOS.glob("*.json"))


def scenario_job(name: str, seed: int = 0, cuts: tuple[Cut, ...] = (), away: bool = False) -> Job:
    data = _scenario(name)
    role = data.get("role", "")
    return Job(data["board"], "", seed or data.get("seed", 1), role, away=away, scenario=name, cuts=cuts)


def make_run(job: Job) -> PowerRun:
    """ValueError if the board cannot serve the game."""
    data: Data = {"title": f"Power loss: {job}", "board": job.board, "game": job.game, "seed": job.seed}
    story = None
    if job.scenario:
        found = _scenario(job.scenario)
        data = {**found, "title": data["title"], "seed": job.seed}
        story = found["script"]
    elif job.role:
        data["role"] = job.role
    if job.audit:
        data["changes"] = {**data.get("changes", {}), "audit.seeds": "disclose"}
    if job.storage:
        data["changes"] = {**data.get("changes", {}), "nv.bytes": job.storage}
    config = copy.deepcopy(_load(job.board))
    cuts = [cut.step() for cut in job.cuts]
    return PowerRun(copy.deepcopy(data), config, cuts, story, job.seats, job.away, job.rounds)


@lru_cache(maxsize=1000)
def survey(story: Job) -> Places:
    """Play the story without a cut."""
    found = Survey(make_run(story))
    found.play()
    return Places(found.writes, found.frames, found.instants, found.problems)


def _fits(job: Job) -> bool:
    """Whether this board can serve that game."""
    try:
        make_run(job)
    except ValueError:
        return False
    return True


def round_jobs(board: str = "", game: str = "") -> list[Job]:
    """A round of every game on every board that can serve it, by buttons, by commands, with nobody listening, with
    an auditor who asks for seeds, and on storage so small that records are recycled."""
    jobs: list[Job] = []
    for name in [game] if game else game_names():
        for place in [board] if board else BOARDS:
            job = Job(place, name)
            table = replace(job, role="table")
            small = replace(job, rounds=SMALL_ROUNDS, storage=SMALL_BYTES)
            jobs += filter(_fits, (job, table, replace(job, away=True), replace(table, audit=True), small))
    return jobs


# -- places -----------------------------------------------------------------------------------------------------------


def write_cuts(places: Places) -> Iterator[Cut]:
    """Every write: before it, torn at several lengths, after it."""
    for at, size in enumerate(places.writes):
        yield Cut("write", at, 0, "before a write")
        for torn in sorted({1, size // 4, size // 2, size - 4, size - 1} - {0, size}):
            yield Cut("write", at, torn, "torn write")
        yield Cut("write", at, size, "after a write")


def some_cut(draw: random.Random, places: Places) -> Cut:
    """Anywhere: at a write, in a frame, or at an instant of one kind."""
    what = draw.random()
    if what < 0.2:
        at = draw.randrange(len(places.writes))
        return Cut("write", at, draw.randrange(places.writes[at] + 1), "write, by chance")
    if what < 0.4:
        at = draw.randrange(len(places.frames))
        size = draw.choice((0, places.frames[at], draw.randrange(places.frames[at] + 1)))
        return Cut("frame", at, size, "on the link")
    kind = draw.choice([name for name in KINDS if places.instants[name]])
    return instant_cut(draw, places, kind)


def instant_cut(draw: random.Random, places: Places, kind: str) -> Cut:
    """An instant of that kind, or shortly before: between two scans as well as right at one."""
    at_us = draw.choice(places.instants[kind])
    return Cut("time", max(1, at_us - draw.choice((0, 1, draw.randrange(2000)))), kind=f"instant: {kind}")


def second_cut(draw: random.Random) -> Cut:
    """During the boot after the first one, or while an operator recovers the machine."""
    what = draw.random()
    if what < 0.5:
        return Cut("write", draw.randrange(2 * BOOT_WRITES), draw.randrange(97), "second, at a write")
    if what < 0.65:
        return Cut("frame", draw.randrange(60), draw.choice((0, 20, 300)), "second, on the link")
    return Cut("time", int(SECOND_US_MAX ** draw.uniform(0.7, 1.0)), kind="second, instant")


def boot_cuts() -> Iterator[Cut]:
    """Every write of a boot."""
    for at in range(BOOT_WRITES):
        for size in (0, 40, 300):
            yield Cut("write", at, size, "second, at a write")


# -- one run ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Outcome:
    job: Job
    struck: int
    problems: list[str]
    data: Data | None  # the scenario that shows what was found
    simulated_us: int


def play(job: Job) -> Outcome:
    run = make_run(job)
    problems = run.play()
    return Outcome(job, run.struck, problems, run.data if problems else None, run.rig.plant.now_us)
