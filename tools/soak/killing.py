"""The harness of all runs that kill a program: lives that end at a drawn point, peace at last, and a comparison.

`make soak-kill` has two: kill.py, all in one process and in simulated time, and kill_tcp.py with processes and TCP.
table.py is `make table-soak`. Each says what a life is, and what must agree at the end.
"""

from __future__ import annotations

import math
import os
import shutil
import signal
import tempfile
import traceback
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import NoReturn

from model.replay import CHANGES, changed, held, replay
from model.tracer import Trace
from timed import Tool

from fairshoe.client.operation_numbers import Unfinished
from fairshoe.client.store import Store
from firmware.protocol import ids
from rig.answers import only_counted
from rig.card_locations import Finding
from soak.kill_world import World
from soak.proofs import proofs

STUCK_S = 300  # of one life, or of the peace at the end
MEMORY = Path("/dev/shm")  # files that need no disk: every event and number is written down with a sync


class Killing(ABC):
    """One run: a program is started and killed, again and again, on the same files."""

    UNIT = "kills"  # of `done`

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.tally: Counter[str] = Counter()
        self.reached = 0  # the goal with which the run comes to where it is

    @property
    def done(self) -> int:
        return self.tally["kills"]

    def play(self, goal: int, more: Callable[[], bool] = lambda: True) -> None:
        """Raises Finding; `more` is asked before every life."""
        while self.done < goal and more():
            self.reached = self.done + 1
            self.life()
        self.reached = self.done
        self.peace()
        self.check()

    @abstractmethod
    def life(self) -> None:
        """Start the program and kill it."""

    @abstractmethod
    def peace(self) -> None:
        """Nothing goes wrong any more: everything that is open is finished."""

    @abstractmethod
    def check(self) -> None:
        """Raises Finding if something is lost, repeated or done twice."""

    def summary(self) -> str:
        return listed(self.tally)


def listed(tally: Counter[str]) -> str:
    return ", ".join(f"{count} {what}" for what, count in tally.items())


class AtDevice(Killing):
    """The program is a host with a store, at one simulated device."""

    def __init__(self, folder: Path, world: World) -> None:
        super().__init__(folder)
        self.world = world
        self.path = folder / "store.db"
        self.given: dict[int, str] = {}  # every operation number, and the command that has it

    def give(self, op: int, name: str) -> None:
        if self.given.setdefault(op, name) != name:
            raise Finding(f"number: {op} was given to {self.given[op]} and to {name}")

    def unfinished(self, store: Store) -> Unfinished | None:
        return store.unfinished(self.world.rig.hal.unique_id(), ids.ROLE_TABLE)

    def idle(self) -> bool:
        """Everything is acknowledged, and no command is carried out."""
        app = self.world.rig.app
        return app.journal.seq_last == app.journal.seq_acked and app.runner.role == 0

    def check_operations(self, numbers: Iterable[int], answered: bool = False) -> None:
        """Each has one outcome, recorded as it was answered; a command in doubt may be counted later, in the log alone.
        With `answered` the host must have asked for every one, after which nothing is counted."""
        answers = self.world.powercut.answers
        for op in numbers:
            name = self.given.get(op, "killed before it was sent")
            ended, answer = answers.ended.get((ids.ROLE_TABLE, op)), answers.final.get(op)
            if answered and op not in self.given:
                raise Finding(f"number: {op} was given to no command")
            refused = answer is not None and answer[0] == ids.OUTCOME_REJECTED
            if (ended is None and not refused) or (answered and answer is None):
                raise Finding(f"command: {name}, operation {op}, has no outcome")
            counted = not answered and answer is not None and ended is not None and only_counted(answer, ended)
            if answer is not None and ended is not None and answer != ended and not counted:
                raise Finding(f"answer: {name}, operation {op}, answered {answer}, recorded {ended}")

    def check_model(self, trace: Trace) -> None:
        """Every step is allowed; a run that is changed, in each way once, has one that is not."""
        for problem in held(trace):
            raise Finding(problem.removeprefix("Finding: "))
        self.tally["steps replayed"] += len(trace.steps)
        for kind, change in CHANGES.items():
            for steps in changed(trace.steps, change, most=1):
                self.tally["changed runs rejected"] += 1
                if replay(steps) is None:
                    raise Finding(f"model: a changed run is not rejected: {kind}")

    def check_proofs(self) -> None:
        for problem in proofs(self.world.rig):
            raise Finding(problem.removeprefix("Finding: "))


def start(work: Callable[[], object]) -> int:
    """A child process that does this until it is killed."""
    child = os.fork()
    if not child:
        try:
            work()
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(1)
    return child


def end(child: int) -> bool:
    """kill -9; False if it had ended before by something else."""
    os.kill(child, signal.SIGKILL)  # a child that is not waited for keeps its number
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def _stuck(_signal: int, _frame: object) -> NoReturn:
    raise Finding(f"stuck for {STUCK_S} s")


def run(tool: Tool, games: Collection[str], goal: int, make: Callable[[str, Path], Killing], more: str = "") -> int:
    """A run for each game, with an equal share of goal and time; 1 if one found something."""
    found = 0
    total: Counter[str] = Counter()
    signal.signal(signal.SIGALRM, _stuck)
    for number, game in enumerate(games, 1):
        part = goal * number // len(games) - goal * (number - 1) // len(games)
        with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
            soak = make(game, Path(folder))

            def more_time(game: str = game, soak: Killing = soak) -> bool:
                signal.alarm(STUCK_S)
                return tool.more(lambda: f"{game}: {soak.done} {soak.UNIT}", 1 / len(games))

            tool.restart()  # the end of the game before takes nothing of its share
            try:
                soak.play(part, more_time)
            except Finding as finding:
                found += 1
                kept = shutil.copytree(folder, f"{tempfile.mkdtemp(prefix='soak-')}/files")
                print(f"{game}, after {soak.done} {soak.UNIT}: {finding}\nbooks and storage of that moment: {kept}")
                minutes = math.ceil(tool.options.minutes)
                print(tool.replay(f"--{soak.UNIT} {soak.reached} --game {game}{more} --minutes {minutes}"), flush=True)
            else:
                print(f"{game}: {soak.summary()}", flush=True)
            signal.alarm(0)
            total += soak.tally
    result = f"{found} games with findings" if found else "nothing lost, nothing twice"
    print(f"{tool.name}: {total['kills']} kills; {result}")
    return 1 if found else 0
