"""Rounds played by commands while everything is killed: the host's program at any byte, the device's power at any
instant and storage write, the cable. At the end every event is on file once, in order and as it was recorded, and every
operation number has one outcome that never changed.

    PYTHONPATH=tools .venv/bin/python -m soak.kill [--rounds 500] [--minutes 10] [--seed N] [--board NAME] [--game NAME]

A seed and its number of rounds replay a run.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import sqlite3
import sys
import tempfile
import time
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from model.replay import held
from model.tracer import recording

import fairshoe
from fairshoe.boards import configs
from fairshoe.client.store import Store
from fairshoe.games.profiles import game_names
from firmware.protocol import ids
from rig.answers import only_counted
from rig.card_locations import Finding
from soak.kill_host import Program
from soak.kill_world import Killed, World
from soak.proofs import proofs

BOARD = "pico-carousel"
GAME = "caribbean-stud"
TELL_S = 5.0
DEAD_MS = (0, 200, 3000, 15000)
MEMORY = Path("/dev/shm")  # files that need no disk: every event and number is written down with a sync
PEACE_MS = 120_000  # by then everything is delivered


class Soak:
    """One run."""

    def __init__(self, seed: int, folder: Path, board: str = BOARD, game: str = GAME, flash: bool = False) -> None:
        self.seed = seed
        self.flash = flash
        self._recording = contextlib.ExitStack()
        self.trace = self._recording.enter_context(recording())  # from the first boot on
        self.world = World(seed, board, game, flash)
        self.program = Program(self.world, folder)
        self.lives = 0
        self.counts: Counter[int] = Counter()  # events recorded, by kind
        self.counted = 0

    @property
    def rounds(self) -> int:
        """Over, one way or another; of a machine that does not deal, decks handed out."""
        while self.counted < self.world.powercut.seq_last:
            self.counted += 1
            self.counts[self.world.powercut.recorded[self.counted][0]] += 1
        if self.world.rig.plant.kind == "shelves":
            return self.counts[ids.EV_REMAINDER_TAKEN]
        return self.counts[ids.EV_ROUND_ENDED] + self.counts[ids.EV_ROUND_VOIDED]

    def play(self, rounds: int, more: Callable[[], bool] = lambda: True) -> None:
        """Raises Finding; `more` is asked after every life of the program."""
        with self._recording:
            self._play(rounds, more)
        if not self.flash:  # what a torn page of flash reads as is not in the model
            for problem in held(self.trace):
                raise Finding(problem.removeprefix("Finding: "))

    def _play(self, rounds: int, more: Callable[[], bool]) -> None:
        while self.rounds < rounds and more():
            self._life(1 << 30)
        self.world.peace()
        end_us = self.world.rig.plant.now_us + PEACE_MS * 1000
        while self.world.rig.plant.now_us < end_us:
            self.world.run(1000)
            if self.world.rig.powered and self._told():
                break
            self._life(self.world.rig.app.journal.seq_last)
        self.check()

    def _told(self) -> bool:
        journal = self.world.rig.app.journal
        return journal.seq_last == journal.seq_acked and self.world.rig.app.runner.role == 0 and not self._unfinished()

    def _unfinished(self) -> bool:
        with Store(self.program.path) as store:
            return store.unfinished(self.world.rig.hal.unique_id(), ids.ROLE_TABLE) is not None

    def _life(self, until: int) -> None:
        self.lives += 1
        self.world.arm_kill()
        if self.lives > 1:
            self.trace.process("start")
        killed = False
        try:
            self.program.live(until)
        except Killed:
            killed = True
        self.trace.process("kill")
        if killed:
            self.world.run(self.world.draw.choice(DEAD_MS))

    # -- at the end ------------------------------------------------------------------------------------------------

    def check(self) -> None:
        powercut = self.world.powercut
        powercut.scan()
        with Store(self.program.path) as store:
            seqs = [stored.seq for stored in store.events()]
        if seqs != list(range(1, powercut.seq_last + 1)):
            raise Finding(f"log: {len(seqs)} events on file of {powercut.seq_last} recorded")
        powercut.finish()
        for op in range(1, self.operations + 1):
            self._check_operation(op)
        for problem in proofs(self.world.rig):
            raise Finding(problem.removeprefix("Finding: "))

    @property
    def operations(self) -> int:
        """Numbers that were ever given."""
        with contextlib.closing(sqlite3.connect(self.program.path)) as db:
            return int(db.execute("SELECT COALESCE(MAX(op), 0) FROM lanes").fetchone()[0])

    def _check_operation(self, op: int) -> None:
        """One outcome, recorded as it was answered; a command in doubt may be counted later, in the log alone."""
        name = self.program.asked.get(op, "killed before it was sent")
        ended = self.world.powercut.answers.ended.get((ids.ROLE_TABLE, op))
        answer = self.world.powercut.answers.final.get(op)
        if ended is None and (answer is None or answer[0] != ids.OUTCOME_REJECTED):
            raise Finding(f"command: {name}, operation {op}, has no outcome")
        if answer is not None and ended is not None and answer != ended and not only_counted(answer, ended):
            raise Finding(f"answer: {name}, operation {op}, answered {answer}, recorded {ended}")

    def digest(self) -> int:
        """The same for two runs that were the same."""
        with Store(self.program.path) as store:
            on_file = repr([stored.event for stored in store.events()]).encode()
        data = on_file + bytes(self.world.rig.nv.data)
        return zlib.crc32(data, self.world.rig.plant.now_us & 0xFFFFFFFF)

    def summary(self) -> list[str]:
        ended, voided = self.counts[ids.EV_ROUND_ENDED], self.counts[ids.EV_ROUND_VOIDED]
        ops = self.world.powercut.answers.ended.values()
        outcomes = {word: sum(1 for found in ops if found[0] == i) for i, word in enumerate(OUTCOMES)}
        words = ", ".join(f"{count} {word}" for word, count in outcomes.items() if count)
        hours = self.world.clock() / 3600
        lines = [
            f"{self.rounds} rounds ({ended} ended, {voided} voided) in {hours:.1f} simulated hours,"
            f" {self.world.powercut.seq_last} events, {self.lives} lives of the host's program",
            f"{self.operations} operations: {words}",
        ]
        return lines + [f"  {count:6d} {what}" for what, count in sorted(self.world.tally.items())]


OUTCOMES = ids.OUTCOME_NAMES.split()


def main() -> int:
    layout = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("soak.kill", description=__doc__, formatter_class=layout)
    parser.add_argument("--rounds", type=int, default=500, help="how many (%(default)s)")
    parser.add_argument("--minutes", type=float, default=10, help="at most so long (%(default)s)")
    parser.add_argument("--seed", type=int, default=random.randrange(1, 1 << 30))
    parser.add_argument("--board", choices=configs.board_names(), default=BOARD)
    parser.add_argument("--game", choices=game_names(), default=GAME)
    parser.add_argument("--flash", action="store_true", help="storage is flash")
    options = parser.parse_args()
    print(f"soak-kill {fairshoe.__version__}: seed {options.seed}, {options.rounds} rounds", flush=True)
    started = time.monotonic()
    told = [started]
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        soak = Soak(options.seed, Path(folder), options.board, options.game, options.flash)

        def more() -> bool:
            now = time.monotonic()
            if now - told[0] > TELL_S:
                told[0] = now
                print(f"  {soak.rounds} rounds in {now - started:.0f} s", flush=True)
            return now - started < options.minutes * 60

        try:
            soak.play(options.rounds, more)
        except Finding as finding:
            print(f"after {soak.rounds} rounds, at {soak.world.clock():.6f} s: {finding}")
            print(
                f"replay: PYTHONPATH=tools .venv/bin/python -m soak.kill --seed {options.seed}"
                f" --rounds {options.rounds} --board {options.board} --game {options.game}"
                f"{' --flash' if options.flash else ''}"
            )
            return 1
        print("\n".join(soak.summary()))
        print(f"soak-kill: nothing lost, nothing twice; {time.monotonic() - started:.0f} s, digest {soak.digest():08x}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
