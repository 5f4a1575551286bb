"""The model of the promises: its tables are read, planted errors are found, and recorded runs are held against it."""

import asyncio
import contextlib
import random
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import draws
import pytest
from model.monitor import Monitor, Rejected
from model.plan import PLANTED, RUNS, Planted, table_of
from model.processes import ProcessTrace
from model.promela import promela
from model.replay import CHANGES, changed, held, replay
from model.tracer import Trace, recording
from powerloss.jobs import Cut, Job, make_run, scenario_job
from services import KEY, NEW_KEY, device, install_frame, plug, rotate_frame, rotation, turn
from soak.kill import Soak
from tcp_shoe import TcpShoe
from waits import LIMIT_S

from fairshoe import AsyncShoe
from fairshoe.client.store import Arrived, Store
from fairshoe.client.store_file import StoreFile
from fairshoe.keys import write_key
from fairshoe.messages import DoorOpened, Outcome, SetPositions, Shuffle
from firmware.protocol import ids
from hal.sim.nv import Nv

TABLE = Job("pico-carousel", "caribbean-stud", role="table")


@pytest.mark.parametrize("name", sorted({table for table, _bounds in RUNS.values()}))
def test_every_step_of_a_table_is_in_the_model_of_some_run(name: str) -> None:
    runs = [run for run in RUNS if RUNS[run][0] == name]
    text = "".join(promela(table_of(run)) for run in runs)
    for step in table_of(runs[0]).steps:
        assert f'printf("{step}' in text, step


@pytest.mark.parametrize("planted", PLANTED, ids=[planted.name for planted in PLANTED])
def test_every_planted_error_changes_its_table(planted: Planted) -> None:
    assert promela(table_of(planted.run, planted.changes)) != promela(table_of(planted.run))


def test_a_step_out_of_its_order_is_rejected() -> None:
    monitor = Monitor(table_of("events"))
    with pytest.raises(Rejected):
        monitor.take("boot")  # there is no log yet
    monitor.take("make_log")
    monitor.take("boot")
    with pytest.raises(Rejected):
        monitor.take("written")


def _killed(folder: Path, seed: int) -> Trace:
    soak = Soak(seed, folder)
    soak.play(3)
    return soak.trace


def test_runs_that_are_killed_take_allowed_steps_and_changed_ones_are_rejected(tmp_path: Path) -> None:
    seed = random.randrange(1, 1 << 30)
    print(f"replay: PYTHONPATH=tools .venv/bin/python -m soak.kill --seed {seed} --rounds 3")
    trace = _killed(tmp_path, seed)
    assert replay(trace.steps) is None
    places = 0
    for kind, change in CHANGES.items():
        for steps in changed(trace.steps, change, most=2):
            places += 1
            assert replay(steps) is not None, kind
    assert places >= 2 * len(CHANGES) - 4  # a short run may have no boot after the first, and no other answer


@pytest.mark.parametrize(
    "job",
    [
        TABLE,
        replace(TABLE, cuts=(Cut("write", 1, 0),)),  # the first record, without the seal that names the key
        replace(TABLE, cuts=(Cut("write", 14, 0),)),
        replace(TABLE, cuts=(Cut("write", 24, 40), Cut("write", 3, 40))),
        replace(TABLE, audit=True, cuts=(Cut("time", 198436),)),
        replace(TABLE, kind="nag", cuts=(Cut("write", 39, 96),)),  # the whole mark of a refusal, which no step tells of
        replace(TABLE, cuts=(Cut("frame", 128, 36), Cut("write", 20, 92))),  # while the count of a command is recorded
        replace(TABLE, kind="keys", cuts=(Cut("write", 11, 40),)),
        replace(TABLE, kind="records", cuts=(Cut("frame", 40, 20),)),
        scenario_job("b5-count-finds-a-misdeal"),
    ],
    ids=str,
)
def test_power_cuts_and_scenarios_take_allowed_steps(job: Job) -> None:
    with recording() as trace:
        assert make_run(job).play() == []
    assert held(trace) == []
    lost = [step for step in trace.steps if step[0] != "commit"]
    assert replay(lost) is not None  # the table would have noticed a host that stores nothing


@pytest.mark.drawn
@pytest.mark.parametrize("kind", ["", "nag", "records"])
def test_a_single_failing_write_is_an_allowed_step(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any write of a round, after the first boot: records, marks and what a refusal writes."""
    real, left = Nv.prog, 0

    def prog(self: Nv, address: int, buf: bytearray) -> bool:
        nonlocal left
        left -= 1
        return left != 0 and real(self, address, buf)

    monkeypatch.setattr(Nv, "prog", prog)
    for _ in range(draws.amount(3, 30)):
        write = random.randrange(1, 170)
        with recording() as trace:
            run = make_run(replace(TABLE, kind=kind))
            left = write
            assert run.play() == [], write
        assert left < 0, write
        assert held(trace) == [], write


def _fail(hal: Any, write: int) -> None:
    """One write of storage fails, this many writes from now."""
    left = write + 1

    def prog(address: int, buf: bytearray) -> bool:
        nonlocal left
        left -= 1
        return left != 0 and hal.nv.prog(address, buf)

    hal.nv_prog = prog


@pytest.mark.parametrize("key", [b"", KEY])
@pytest.mark.parametrize("trouble", ["fails", "cut", "cut whole"])
def test_a_change_of_the_key_takes_allowed_steps(key: bytes, trouble: str) -> None:
    """The first key of a device, or another one: power fails in any write that follows, or the write fails."""
    frame = rotate_frame(rotation(KEY, NEW_KEY)) if key else install_frame(NEW_KEY)
    names: set[str | int] = set()
    for write in range(7):
        with recording() as trace:
            stage = device(key)
            plug(stage)
            stage.run(500)
            if trouble == "fails":
                _fail(stage.rig.hal, write)
            else:
                stage.act("cut_at_write", {"write": write, "bytes": 96 if trouble == "cut whole" else 50})
            stage.to_service(frame)
            stage.run(1000)
            if trouble != "fails":
                stage.act("boot", {})
                stage.rig.nv.cut_at = -1
            turn(stage, "off")  # which ends in a seal
            stage.run(3000)
            stage.rig.boot()
            stage.run(3000)
        assert trace.key_problem() == "", write
        names |= {ids.EV_KEY_CHANGED if ids.EV_KEY_CHANGED in step else step[0] for step in trace.keys}
    assert {"boot", "store", "wrote", ids.EV_KEY_CHANGED, "appended", "seal"} <= names


async def test_a_shoe_in_a_loop_takes_allowed_steps(tmp_path: Path) -> None:
    """AsyncShoe commits to its store in a second thread. Connections are cut, and the program starts again."""
    key_file = tmp_path / "device.key"
    write_key(key_file, "device", bytes(range(32)))
    with recording() as trace, TcpShoe(f"&dealer=hands&key={key_file}") as server:
        trace.process("kill")
        for life in range(2):
            trace.process("start")
            async with AsyncShoe.open(server.url, key_file, store=tmp_path / "shoe.db", clock=False) as shoe:
                await _played(shoe, server, life)
            trace.process("kill")
    assert held(trace) == []
    names = {step[0] for step in trace.steps}
    assert {"commit", "confirm", "deliver", "note_handled", "begin_op", "act", "take_result", "finish"} <= names
    for kind in ("a commit left out, and acknowledged all the same", "acknowledged before the commit"):
        assert any(replay(steps) is not None for steps in changed(trace.steps, CHANGES[kind], most=2)), kind


@pytest.mark.parametrize("processes", [False, True])
def test_a_reader_may_see_a_commit_before_the_thread_that_makes_it_goes_on(
    processes: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit, read, done = StoreFile._commit, threading.Event(), threading.Event()  # pyright: ignore[reportPrivateUsage]
    waits: list[bool] = []

    def slow(store: StoreFile, db: Any) -> None:
        commit(store, db)
        waits.extend([read.wait(LIMIT_S)] if threading.current_thread() is not threading.main_thread() else [])

    monkeypatch.setattr(StoreFile, "_commit", slow)
    trace = ProcessTrace(tmp_path / "steps") if processes else Trace()
    with recording(trace), Store(tmp_path / "shoe.db") as store:
        log = store.resume(1, b"log", 2, 1).id
        if isinstance(trace, ProcessTrace):
            trace.fork()
        values = [(seq, 1, 100, 5, 0, 3, 1) for seq in (1, 2)]
        arrived = [Arrived(it[0], DoorOpened(*it), DoorOpened.LAYOUT.pack(*it)) for it in values]
        store.submit(store.add_job(log, arrived), lambda _result, _error: done.set())
        while not store.unhandled(log, 0, 1):  # a part of what is committed
            pass
        trace.add("deliver", 1)
        read.set()
        assert done.wait(LIMIT_S) and waits == [True]
    if isinstance(trace, ProcessTrace):
        trace.killed({})
    assert [step[:2] for step in trace.steps if step[0] in ("commit", "deliver")] == [("commit", 2), ("deliver", 1)]


async def _played(shoe: AsyncShoe, server: TcpShoe, life: int) -> None:
    """Commands in one task, events in another, and two connections that are cut."""

    async def listen() -> None:
        async for _event in shoe.events():
            shoe.acknowledge()

    listening = asyncio.create_task(listen())
    if not life:
        while not server.port.rig.plant.hopper:
            await shoe.journal_is()
        assert (await shoe.command(Shuffle)).outcome == Outcome.DONE
    server.drop()
    assert (await shoe.command(SetPositions, positions=2 + life)).outcome == Outcome.DONE
    server.drop()
    await shoe.command(Shuffle)  # refused: a deck is inside
    listening.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await listening


def test_recording_leaves_the_code_as_it_was() -> None:
    from firmware.journal.store import Journal

    before = Journal.append
    with recording():
        assert Journal.append is not before
    assert Journal.append is before
