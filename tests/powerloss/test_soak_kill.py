"""A slice of `make soak-kill`, and proof that it would notice what a host or a device loses, repeats or does twice."""

import os
import random
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import ANY

import pytest
from draws import amount
from model.processes import ProcessTrace
from soak.kill import Soak
from soak.kill_tcp import GAMES, TcpSoak
from soak.kill_tcp_host import Notes, note_numbers, read_notes

from fairshoe.client.command_queue import CommandQueue, Pending
from fairshoe.client.exchange import Core
from fairshoe.client.operation_numbers import MemoryNumbers
from fairshoe.client.store_file import StoreFile
from fairshoe.client.store_writer import Writer
from fairshoe.link.session import HostSession
from fairshoe.messages import Shuffle
from firmware.journal.lanes import Lanes
from firmware.journal.store import Journal
from firmware.link.commands import CommandRunner
from firmware.protocol import ids
from rig.card_locations import Finding

ROUNDS = amount(8, 40)

Plant = Callable[[pytest.MonkeyPatch], None]


@pytest.mark.drawn
def test_nothing_is_lost_or_done_twice_when_everything_is_killed(tmp_path: Path) -> None:
    seed = random.randrange(1, 1 << 30)
    print(f"replay: PYTHONPATH=tools .venv/bin/python -m soak.kill --seed {seed} --rounds {ROUNDS}")
    soak = Soak(seed, tmp_path)

    def missing() -> list[str]:
        drawn = {what.partition(":")[0].partition(" ")[0] for what in soak.world.tally}
        return sorted({"killed", "power", "cable"} - drawn)

    soak.play(5 * ROUNDS, lambda: soak.done < ROUNDS or bool(missing()))  # few rounds may have drawn no power cut
    print(f"{soak.done} rounds: {soak.summary()}")
    assert missing() == []
    assert soak.counts[ids.EV_ROUND_ENDED] > 0 and soak.operations > ROUNDS


def test_a_seed_replays_a_run(tmp_path: Path) -> None:
    digests: list[int] = []
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        soak = Soak(11, tmp_path / name)
        soak.play(2)
        digests.append(soak.digest())
    assert digests[0] == digests[1]


@pytest.mark.parametrize("game", sorted(GAMES))
def test_nothing_is_lost_or_done_twice_when_the_host_is_killed_and_the_device_lives_on(
    game: str, tmp_path: Path
) -> None:
    seed = random.randrange(1, 1 << 30)
    print(f"replay: PYTHONPATH=tools .venv/bin/python -m soak.kill_tcp --seed {seed} --kills 2 --game {game}")
    soak = TcpSoak(seed, tmp_path, game)
    soak.play(2)
    print(soak.summary())
    assert soak.tally["kills"] == 2 and soak.tally["events"] > 0
    assert soak.tally["steps replayed"] > 0 and soak.tally["changed runs rejected"] > 0


class DiesInACommit(TcpSoak):
    """The host of the first life kills itself when it commits event 5 or a later one, before or after the disk has it.
    What its store has is found, or `said` in its place."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, committed: bool, said: Any = None) -> None:
        real, killed = StoreFile._commit, ProcessTrace.killed  # pyright: ignore[reportPrivateUsage]

        def commit(store: StoreFile, db: Any) -> None:
            late = any(step[0] == "commit" and step[1] >= 5 for step in self.trace.uncommitted)
            dies = late and not self.tally["kills"]
            if committed or not dies:
                real(store, db)
            if dies:
                os.kill(os.getpid(), signal.SIGKILL)

        def found(trace: ProcessTrace, on_file: dict[str, Any]) -> None:
            values: Any = on_file if said is None else dict.fromkeys(on_file, said)
            killed(trace, values)

        monkeypatch.setattr(StoreFile, "_commit", commit)
        monkeypatch.setattr(ProcessTrace, "killed", found)
        folder.mkdir()
        super().__init__(3, folder, "caribbean-stud")

    def _start(self, plays: bool) -> int:
        self.child = super()._start(plays)
        return self.child

    def _until(self, instant: object) -> None:
        while os.waitid(os.P_PID, self.child, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            self.world.turn()


@pytest.mark.parametrize(("committed", "opposite"), [(False, ANY), (True, -1)])
def test_a_host_that_was_killed_in_a_commit_has_what_its_store_has(
    committed: bool, opposite: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        soak = DiesInACommit(tmp_path / "found", patch, committed)
        soak.play(1)
        assert soak.trace.doubts == 1 and soak.tally["changed runs rejected"] >= 3  # of ten; no power fails here
    with pytest.raises(Finding, match=r"^model: "):
        DiesInACommit(tmp_path / "said", monkeypatch, committed, opposite).play(1)


# -- defects ----------------------------------------------------------------------------------------------------------


def acknowledged_before_stored(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that says at once that it has an event, and stores it with the next bytes."""
    save = Core._save  # pyright: ignore[reportPrivateUsage]
    told: dict[int, int] = {}

    def hasty(self: Any) -> None:
        seq = self.events.unsaved[-1].seq if self.events.unsaved else 0
        if seq > told.get(id(self), 0):
            told[id(self)] = seq
            self.session.acknowledge(seq)
        else:
            save(self)

    monkeypatch.setattr(Core, "_save", hasty)


def repeats_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    in_order = HostSession._in_order  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(HostSession, "_in_order", lambda self, seq: in_order(self, seq) or seq <= self.seq_last)  # pyright: ignore


def number_not_on_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """A crash between giving a number and sending it gives the number to another command."""
    monkeypatch.setattr("fairshoe.client.store._put_lane", lambda *_arguments: None)  # pyright: ignore


def operations_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that does not know after a boot which operations there were."""
    monkeypatch.setattr(Lanes, "restore", lambda *_arguments: None)  # pyright: ignore


def acts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that takes a number which it has answered for a new one."""
    receive = CommandRunner.receive

    def forgetful(self: CommandRunner, role: int, command: int, values: list[int], reader: Any) -> None:
        lane = self.lanes.by_role[role]
        if not self.role and lane.op == values[0] and lane.outcome >= ids.OUTCOME_DONE:
            lane.op -= 1
        receive(self, role, command, values, reader)

    monkeypatch.setattr(CommandRunner, "receive", forgetful)


def dropped_unheard(monkeypatch: pytest.MonkeyPatch) -> None:
    """A device that takes one acknowledgement for all of them."""
    acknowledge = Journal.acknowledge
    monkeypatch.setattr(Journal, "acknowledge", lambda self, _seq: acknowledge(self, self.seq_last))  # pyright: ignore


# What gives it away, and a seed that finds it soon.
DEFECTS: list[tuple[Plant, str, int]] = [
    (acknowledged_before_stored, "delivery", 1),
    (repeats_shown, "delivery", 1),
    (number_not_on_file, "number", 1),
    (operations_forgotten, "command", 1),
    (acts_again, "command", 1),
    (dropped_unheard, "delivery|model", 9),
]


@pytest.mark.parametrize(("plant", "kind", "seed"), DEFECTS, ids=[entry[0].__name__ for entry in DEFECTS])
@pytest.mark.full
def test_a_planted_defect_is_found(
    plant: Plant, kind: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    with pytest.raises(Finding, match=f"^({kind}): "):
        Soak(seed, tmp_path).play(60)


def acknowledged_before_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A host that acknowledges what its writer thread has not committed yet, on a slow disk."""
    save = Core._save  # pyright: ignore[reportPrivateUsage]
    commit = Writer._commit  # pyright: ignore[reportPrivateUsage]

    def hasty(self: Any) -> None:
        if self.events is not None and self.events.unsaved:
            self.session.acknowledge(self.events.unsaved[-1].seq)
        save(self)

    def slow(self: Any, group: Any) -> None:
        time.sleep(0.1)
        commit(self, group)

    monkeypatch.setattr(Core, "_save", hasty)
    monkeypatch.setattr(Writer, "_commit", slow)


@pytest.mark.parametrize(
    ("plant", "kind"),
    [(acknowledged_before_the_commit, "log|delivery|content"), (number_not_on_file, "number"), (acts_again, "command")],
    ids=["acknowledged_before_the_commit", "number_not_on_file", "acts_again"],
)
@pytest.mark.full
def test_a_planted_defect_is_found_by_kills_over_tcp(
    plant: Plant, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    monkeypatch.setattr("soak.kill_tcp.PEACE_S", 5.0)
    with pytest.raises(Finding, match=f"^({kind}): ") as found:
        TcpSoak(1, tmp_path, "caribbean-stud").play(12)
    print(found.value)


def test_a_number_is_noted_before_its_command_can_be_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that learns its number afterwards may be killed in between, and the number would be of no command."""
    monkeypatch.setattr(CommandQueue, "_begun", CommandQueue._begun)  # pyright: ignore[reportPrivateUsage]
    note_numbers(Notes(tmp_path / "notes"))
    queue = CommandQueue(MemoryNumbers())
    queue._begun(Pending(0, Shuffle(0)), 25)  # pyright: ignore[reportPrivateUsage]
    assert queue.current and read_notes(tmp_path / "notes") == [["given", 25, "shuffle", {}]]
