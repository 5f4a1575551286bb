"""Rounds played by commands while everything is killed: the host's program at any byte, the device's power at any
instant and storage write, the cable. At the end every event is on file once, in order and as it was recorded, and every
operation number has one outcome that never changed.

    PYTHONPATH=tools .venv/bin/python -m soak.kill [--rounds 500] [--minutes 10] [--seed N] [--board NAME] [--game NAME]

A seed and its number of rounds replay a run.
"""

from __future__ import annotations

import contextlib
import sqlite3
import sys
import zlib
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from model.tracer import recording
from timed import Tool

from fairshoe.boards import configs
from fairshoe.client.store import Store
from fairshoe.games.profiles import game_names
from firmware.protocol import ids
from rig.card_locations import Finding
from soak import killing
from soak.kill_host import Program
from soak.kill_world import Killed, World

BOARD = "pico-carousel"
GAME = "caribbean-stud"
DEAD_MS = (0, 200, 3000, 15000)
PEACE_MS = 120_000  # by then everything is delivered


class Soak(killing.AtDevice):
    """One run."""

    UNIT = "rounds"

    def __init__(self, seed: int, folder: Path, board: str = BOARD, game: str = GAME, flash: bool = False) -> None:
        self.flash = flash
        self._recording = contextlib.ExitStack()
        self.trace = self._recording.enter_context(recording())  # from the first boot on
        super().__init__(folder, World(seed, board, game, flash))
        self.program = Program(self.world, self.path, self.give)
        self.lives = 0
        self.counts: Counter[int] = Counter()  # events recorded, by kind
        self.counted = 0

    @property
    def done(self) -> int:
        """Rounds that are over, one way or another; of a machine that does not deal, decks handed out."""
        while self.counted < self.world.powercut.seq_last:
            self.counted += 1
            self.counts[self.world.powercut.recorded[self.counted][0]] += 1
        if self.world.rig.plant.kind == "shelves":
            return self.counts[ids.EV_REMAINDER_TAKEN]
        return self.counts[ids.EV_ROUND_ENDED] + self.counts[ids.EV_ROUND_VOIDED]

    def play(self, goal: int, more: Callable[[], bool] = lambda: True) -> None:
        with self._recording:
            super().play(goal, more)
        if not self.flash:  # what a torn page of flash reads as is not in the model
            self.check_model(self.trace)

    def life(self, until: int = 1 << 30) -> None:
        self.lives += 1
        self.world.arm_kill()
        if self.lives > 1:
            self.trace.process("start")
        killed = False
        try:
            self.program.live(until)
        except Killed:
            killed = True
            self.tally["kills"] += 1
        self.trace.process("kill")
        if killed:
            self.world.run(self.world.draw.choice(DEAD_MS))

    def peace(self) -> None:
        self.world.peace()
        end_us = self.world.rig.plant.now_us + PEACE_MS * 1000
        while self.world.rig.plant.now_us < end_us:
            self.world.run(1000)
            if self.world.rig.powered and self.idle():
                with Store(self.path) as store:
                    if not self.unfinished(store):
                        break
            self.life(self.world.rig.app.journal.seq_last)

    def check(self) -> None:
        powercut = self.world.powercut
        powercut.scan()
        with Store(self.path) as store:
            seqs = [stored.seq for stored in store.events()]
        if seqs != list(range(1, powercut.seq_last + 1)):
            raise Finding(f"log: {len(seqs)} events on file of {powercut.seq_last} recorded")
        powercut.finish()
        self.check_operations(range(1, self.operations + 1))
        self.check_proofs()

    @property
    def operations(self) -> int:
        """Numbers that were ever given."""
        with contextlib.closing(sqlite3.connect(self.path)) as db:
            return int(db.execute("SELECT COALESCE(MAX(op), 0) FROM lanes").fetchone()[0])

    def digest(self) -> int:
        """The same for two runs that were the same."""
        with Store(self.path) as store:
            on_file = repr([stored.event for stored in store.events()]).encode()
        data = on_file + bytes(self.world.rig.nv.data)
        return zlib.crc32(data, self.world.rig.plant.now_us & 0xFFFFFFFF)

    def summary(self) -> str:
        done = f"{self.done} rounds, {self.lives} lives, {self.operations} operations, digest {self.digest():08x}"
        return f"{done}; {super().summary()}; {killing.listed(self.world.tally)}"


def main() -> int:
    tool = Tool("soak.kill", __doc__, minutes=10)
    tool.add("--rounds", type=int, default=500, help="how many (%(default)s)")
    tool.add("--board", choices=configs.board_names(), default=BOARD)
    tool.add("--game", choices=game_names(), default=GAME)
    tool.add("--flash", action="store_true", help="storage is flash")
    options = tool.begin()

    def make(game: str, folder: Path) -> Soak:
        return Soak(options.seed, folder, options.board, game, options.flash)

    more = f" --board {options.board}{' --flash' if options.flash else ''}"
    return killing.run(tool, [options.game], options.rounds, make, more)


if __name__ == "__main__":
    sys.exit(main())
