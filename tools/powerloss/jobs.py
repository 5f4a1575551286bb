"""What `make powerloss` cuts: stories on boards, every place in them where power can fail, and one run of them."""

from __future__ import annotations

import copy
import random
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from model.replay import held
from model.tracer import recording
from soak.proofs import proofs

from fairshoe.boards import configs
from fairshoe.games.profiles import game_names
from fairshoe.sim.scenario_cases import library
from firmware.journal.cells import CELL_SIZE, RECORD_CELL
from rig.games import load_profile
from rig.powercut import DARK_MS, KINDS, PowerRun, Survey
from rig.scenario import SEED

Data = dict[str, Any]

SCENARIOS = Path(__file__).resolve().parents[2] / "tests" / "scenarios"
BOARDS = tuple(filter(configs.is_reference, configs.board_names()))  # a simulated machine has no pins
SEATS = 2
SMALL_CELLS = 4  # more than a round needs: records come round within four rounds
SMALL_ROUNDS = 4
INSTANTS = ("time", "crash", "stuck")
BOOT_WRITES = 12  # a boot that voids a round and puts a command in doubt writes fewer
SECOND_US_MAX = 40_000_000  # by then the operator is done


@dataclass(frozen=True)
class Cut:
    """Where power fails: at the nth write or frame, of which so many bytes get through, or after a time. In place of
    power the firmware may fail: halt, or hang."""

    what: str
    at: int
    size: int = 0
    kind: str = ""  # for the summary

    def step(self) -> Data:
        if self.what in INSTANTS:
            return {"do": f"{'cut' if self.what == 'time' else self.what}_at_time", "us": self.at}
        return {"do": f"cut_at_{self.what}", self.what: self.at, "bytes": self.size}

    def __str__(self) -> str:
        return f"{self.what}:{self.at}" + (f":{self.size}" if self.what not in INSTANTS else "")


def parse_cut(text: str) -> Cut:
    what, *numbers = text.split(":")
    if what not in ("write", "frame", *INSTANTS) or len(numbers) != (1 if what in INSTANTS else 2):
        raise ValueError(f"a cut is write:N:BYTES, frame:N:BYTES, time:US, crash:US or stuck:US, not {text!r}")
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
    flash: bool = False  # in place of FRAM
    kind: str = ""  # what else happens: rig/powercut.py
    scenario: str = ""
    cuts: tuple[Cut, ...] = ()

    def options(self) -> str:
        """What replays it."""
        words = [f"--scenario {self.scenario}"] if self.scenario else [f"--board {self.board} --game {self.game}"]
        words += [f"--machine-seed {self.seed} --seats {self.seats}"]
        words += [f"--role {self.role}"] if self.role and not self.scenario else []
        words += [f"--rounds {self.rounds}"] if self.rounds > 1 else []
        words += [f"--storage {self.storage}"] if self.storage else []
        words += [f"--kind {self.kind}"] if self.kind else []
        words += [f"--{name}" for name in ("away", "audit", "flash") if getattr(self, name)]
        return " ".join(words + [f"--cut {cut}" for cut in self.cuts])

    def __str__(self) -> str:
        name = self.scenario or f"{self.board}, {self.game}" + (f", {self.role}" if self.role else "")
        name += f", {self.rounds} rounds" if self.rounds > 1 else ""
        name += f", {self.storage} bytes" if self.storage else ""
        name += f", {self.kind}" if self.kind else ""
        words = {"away": "host away", "audit": "audited", "flash": "on flash"}
        return name + "".join(f", {words[key]}" for key in words if getattr(self, key))


DRAWN_GAME = "double-attack-blackjack"  # dealt from a shoe by its rules, whatever a table says


@dataclass(frozen=True)
class Places:
    """Where power can fail in a story; a story that breaks a promise by itself says so."""

    writes: list[int]
    frames: list[int]
    instants: dict[str, list[int]]
    problems: list[str]


@lru_cache
def _load(board: str) -> Data:
    return configs.load_board(board)[0]


@lru_cache
def _scenarios() -> dict[str, Data]:
    return library(SCENARIOS)


def scenario_names() -> list[str]:
    """Those that hands alone can bring back to play: a table with rules of its own (two decks, records) needs a table
    system for that, and the careful operator has none."""
    found = sorted(_scenarios().items())
    return [name for name, data in found if not any(key.startswith("table") for key in data.get("changes", {}))]


def scenario_job(name: str, seed: int = 0, cuts: tuple[Cut, ...] = (), away: bool = False) -> Job:
    data = _scenarios()[name]
    role = data.get("role", "")
    return Job(data["board"], "", seed or data.get("seed", SEED), role, away=away, scenario=name, cuts=cuts)


def make_run(job: Job) -> PowerRun:
    """ValueError if the board cannot serve the game."""
    data: Data = {"title": f"Power loss: {job}", "board": job.board, "game": job.game, "seed": job.seed}
    story = None
    if job.scenario:
        found = _scenarios()[job.scenario]
        data = {**found, "title": data["title"], "seed": job.seed}
        story = found["script"]
    elif job.role:
        data["role"] = job.role
    changes: Data = {"audit.seeds": "disclose"} if job.audit else {}
    changes |= {"nv.bytes": job.storage} if job.storage else {}
    changes |= {"nv.kind": "flash"} if job.flash else {}
    if _load(job.board)["mechanism"]["kind"] == "shelves" and job.game != DRAWN_GAME:
        changes["table.dealing"] = "beside"  # shelves do not deal, and their table says what does
    if changes:
        data["changes"] = {**data.get("changes", {}), **changes}
    config = copy.deepcopy(_load(job.board))
    cuts = [cut.step() for cut in job.cuts]
    return PowerRun(copy.deepcopy(data), config, cuts, story, job.seats, job.away, job.rounds, job.kind)


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


def _bytes_for(game: str) -> int:
    """Storage that just holds a round; 0 if this is no game."""
    try:
        profile = load_profile(game)
    except ValueError:
        return 0
    return (profile.round_events + RECORD_CELL + SMALL_CELLS) * CELL_SIZE


def round_jobs(board: str = "", game: str = "") -> list[Job]:
    """A round of every game on every board that can serve it: by buttons, by commands, with commands that are rejected,
    with records of what people do, without a host, with an auditor who asks for seeds; on flash; on storage so
    small that records are recycled, or that it is full; and a change of the device key."""
    jobs: list[Job] = []
    for name in [game] if game else game_names():
        small = _bytes_for(name)
        for place in [board] if board else BOARDS:
            enough = small if small > _load(place)["nv"]["bytes"] else 0
            job = Job(place, name, storage=enough)
            table = replace(job, role="table")
            rounds = replace(job, rounds=SMALL_ROUNDS, storage=small)
            stories = [job, table, replace(job, away=True), replace(table, audit=True), rounds]
            stories += [replace(table, kind=kind) for kind in ("nag", "records", "keys")]
            full = replace(rounds, away=True, kind="full", storage=2 * small)
            stories += [full, replace(job, flash=True), replace(table, flash=True)]
            jobs += [story for story in stories if _fits(story)]
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
    cut = instant_cut(draw, places, kind)
    return replace(cut, what=draw.choice(INSTANTS[1:]), kind="halt or hang") if what > 0.9 else cut


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
    at_us = int(SECOND_US_MAX ** draw.uniform(0.7, 1.0))
    if what < 0.72:
        return Cut("time", DARK_MS * 1000 + draw.randrange(150000), kind="second, before that boot is on record")
    if what > 0.9:
        return Cut(draw.choice(INSTANTS[1:]), at_us, kind="second, halt or hang")
    return Cut("time", at_us, kind="second, instant")


def boot_cuts(sizes: tuple[int, ...] = (0, 40, 300)) -> Iterator[Cut]:
    """Every write of a boot."""
    for at in range(BOOT_WRITES):
        for size in sizes:
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
    """Play it; what a keyed host of the table saw and did is then held against the model of the promises."""
    with recording() if job.role == "table" and not job.flash else nullcontext() as trace:
        run = make_run(job)
        problems = run.play() or proofs(run.rig)
    if trace is not None and not problems:
        problems = held(trace)
    return Outcome(job, run.struck, problems, run.data if problems else None, run.rig.plant.now_us)
