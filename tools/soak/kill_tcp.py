"""`kill -9` of a host's process at random instants while the device lives on behind TCP, for all five games.

The host (soak/kill_tcp_host.py) is a Fleet with a store and its writer thread. The device, the dealer's hands and the
invariants run in this process, SPEED times faster than the clock. At the end every event is on file once, in order and
as it was recorded, and every operation number has one outcome, which is the same whenever it is asked for.

    PYTHONPATH=tools .venv/bin/python -m soak.kill_tcp [--kills 50] [--seed N] [--game NAME] [--minutes 5]

A seed repeats the instants that were drawn. Two processes and a clock take part, so the interleaving may differ.
"""

from __future__ import annotations

import contextlib
import random
import select
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from model.processes import ProcessTrace
from model.tracer import recording
from timed import Tool

from fairshoe.client.store import Store
from fairshoe.games.profiles import game_names
from fairshoe.sim.tcp_server import TcpDoor
from firmware.protocol import ids
from rig.card_locations import Finding
from soak import killing
from soak.kill_tcp_host import live, read_notes
from soak.kill_world import World

GAMES = {name: "pico-carousel" for name in game_names() if name != "house"} | {"double-attack-blackjack": "pico-draw"}
SPEED = 20.0
STEP_MS_MAX = 200  # a machine that is too slow lags behind the clock
WAIT_S = 0.004
START_S_MAX = 20.0  # until a new process says its first word, on a busy machine
LIFE_S_MAX = 3.0
PEACE_S = 600.0  # a machine that is starved has delivered everything by then
FORK_S = (0.0, 0.0, 0.02, 0.3)  # how long the host is dead
KILLS = 50


class TcpWorld(World):
    """The world of soak.kill without power cuts and cable faults: the cable is a TCP connection."""

    def __init__(self, seed: int, board: str, game: str) -> None:
        super().__init__(seed, board, game)
        self.peace()
        self.door = TcpDoor("127.0.0.1", 0)
        self.chunks = 0  # pieces received from the host
        self._at = time.monotonic()

    def turn(self) -> None:
        """Up to the clock, then what the host sent."""
        select.select(self.door.descriptors(), [], [], WAIT_S)
        data = self.door.read()
        if data:
            self.chunks += 1
            self._receive(data)
        now = time.monotonic()
        ms = int((now - self._at) * SPEED * 1000)
        if ms:
            self._at = now
            self.run(min(ms, STEP_MS_MAX))

    def _collect(self) -> None:
        sent = self.rig.hal.sent
        if sent:
            self.door.write(sent)
            self.rig.hal.sent = bytearray()


@dataclass
class LifeEnd:
    """When a life ends: so many seconds after it began, or after something happened so often."""

    what: str
    count: int
    after_s: float


def draw_instant(draw: random.Random) -> LifeEnd:
    what = draw.choice(("time", "event", "event", "bytes", "bytes"))
    if what == "time":
        return LifeEnd(what, 0, draw.uniform(0.0, 1.5))
    return LifeEnd(what, draw.randrange(1, 30), draw.choice((0.0, draw.uniform(0, 0.005), draw.uniform(0, 0.03))))


class TcpSoak(killing.AtDevice):
    """One game: a device, and one life of the host's process after the other."""

    world: TcpWorld

    def __init__(self, seed: int, folder: Path, game: str) -> None:
        self._recording = contextlib.ExitStack()
        self.trace = ProcessTrace(folder / "steps")
        self._recording.enter_context(recording(self.trace))  # from the first boot on
        super().__init__(folder, TcpWorld(seed, GAMES[game], game))
        self.draw = random.Random(f"{seed} {game}")
        self.notes = folder / "notes"
        self.lives = 0
        self.delivered = 0  # the highest event that was handed to a program
        self._read = 0

    def play(self, goal: int, more: Callable[[], bool] = lambda: True) -> None:
        try:
            with self._recording:
                super().play(goal, more)
        finally:
            self.world.door.close()
        self.trace.close()
        self.tally["kills within a commit"] = self.trace.doubts
        self.check_model(self.trace)

    # -- lives -------------------------------------------------------------------------------------------------------

    def _start(self, plays: bool) -> int:
        seed = self.draw.randrange(1 << 30)
        if self.lives:  # the trace begins with the first one
            self.trace.process("start")
        self.lives += 1

        def work() -> None:
            self.trace.fork()
            self.world.door.close()
            live(self.world.door.url, self.path, self.notes, seed, plays)

        return killing.start(work)

    def life(self) -> None:
        instant = draw_instant(self.draw)
        dead_s = self.draw.choice(FORK_S)
        child = self._start(True)
        try:
            self._until(instant)
        finally:
            self._kill(child)
        self.tally["kills"] += 1
        end = time.monotonic() + dead_s
        while time.monotonic() < end:
            self.world.turn()

    def _until(self, instant: LifeEnd) -> None:
        world = self.world
        chunks = world.chunks
        end = time.monotonic() + START_S_MAX
        while instant.what != "time" and world.chunks == chunks and time.monotonic() < end:
            world.turn()
        end = time.monotonic() + LIFE_S_MAX
        goal = {"time": 0, "event": world.powercut.seq_last, "bytes": world.chunks}[instant.what] + instant.count
        while time.monotonic() < end:
            reached = {"time": 0, "event": world.powercut.seq_last, "bytes": world.chunks}[instant.what]
            if reached >= goal:
                end = min(end, time.monotonic() + instant.after_s)
                break
            world.turn()
        while time.monotonic() < end:
            world.turn()

    def _kill(self, child: int) -> None:
        killing.end(child)
        self._look()
        self._take_notes()

    def _look(self) -> None:
        """What the kill interrupted. A copy is looked at, so that the next life finds the files as they were."""
        on_file = {"commit": 0, "note_handled": 0, "lane": 0}
        copy = self.folder / "copy"
        copy.mkdir(exist_ok=True)
        for suffix in ("", "-wal"):
            file = Path(f"{self.path}{suffix}")
            if file.exists():
                shutil.copy(file, copy / file.name)
        if (copy / self.path.name).exists():
            with Store(copy / self.path.name) as store:
                for log in store.logs():
                    on_file |= {"commit": log.last, "note_handled": log.handled}
                last = on_file["commit"]
                journal = self.world.rig.app.journal
                unfinished = self.unfinished(store)
                on_file["lane"] = unfinished.op if unfinished else 0
                self.tally["kills with a command open"] += unfinished is not None
                self.tally["kills with events recorded and not on file"] += journal.seq_last > last
                self.tally["kills before the device heard of a commit"] += last > journal.seq_acked
        shutil.rmtree(copy)
        self.trace.killed(on_file)

    # -- what the host noted -----------------------------------------------------------------------------------------

    def _take_notes(self) -> None:
        """Of one life."""
        notes = read_notes(self.notes)
        seen = 0
        for note in notes[self._read :]:
            if note[0] == "error":
                raise Finding(f"host: {note[1]}")
            if note[0] == "given":
                self.give(note[1], note[2])
            if note[0] == "outcome":
                self.tally["outcomes reported"] += 1
                self.world.peer.results.append(note[1:])
                self.world.powercut.scan()
            if note[0] == "event":
                seq = note[1]
                if seq > self.delivered + 1 or (seen and seq != seen + 1):
                    raise Finding(f"delivery: the program was given event {seq} after {seen or self.delivered}")
                self.tally["events handed out again after a kill"] += seq <= self.delivered
                seen = seq
                self.delivered = max(self.delivered, seq)
        self._read = len(notes)

    # -- at the end --------------------------------------------------------------------------------------------------

    def peace(self) -> None:
        """A last life that gives no new command: it takes what is left and asks for what is open."""
        child = self._start(False)
        end = time.monotonic() + PEACE_S
        quiet = 0
        try:
            while quiet < 5:
                if time.monotonic() > end:
                    raise Finding(f"delivery: not everything is delivered after {PEACE_S:.0f} s")
                for _ in range(10):
                    self.world.turn()
                notes = read_notes(self.notes)[self._read :]
                quiet = quiet + 1 if self.idle() and ["settled"] in notes else 0
        finally:
            self._kill(child)

    def check(self) -> None:
        powercut = self.world.powercut
        last = self.world.rig.app.journal.seq_acked
        with Store(self.path) as store:
            if self.unfinished(store):
                raise Finding("command: an outcome is not known at the end")
            for stored in store.events():
                self.world.stored(stored.event)
            seqs = [stored.seq for stored in store.events()]
            op_last = max(self.given, default=0)
        if len(seqs) < last or seqs != list(range(1, len(seqs) + 1)):
            raise Finding(f"log: {len(seqs)} events on file, {last} acknowledged")
        powercut.answers.finish()
        self.check_operations(range(1, op_last + 1), answered=True)
        self.check_proofs()
        self.tally["events"] += len(seqs)
        self.tally["operations"] += op_last
        names = [record[0] for record in powercut.recorded.values()]
        self.tally["rounds"] += names.count(ids.EV_ROUND_ENDED) + names.count(ids.EV_ROUND_VOIDED)


def main() -> int:
    tool = Tool("soak.kill_tcp", __doc__, minutes=5)
    tool.add("--kills", type=int, default=KILLS, help="of all games together (%(default)s)")
    tool.add("--game", choices=sorted(GAMES), action="append", help="instead of all five")
    options = tool.begin()
    games = options.game or sorted(GAMES)
    return killing.run(tool, games, options.kills, lambda game, folder: TcpSoak(options.seed, folder, game))


if __name__ == "__main__":
    sys.exit(main())
