"""The demonstration's hands and its commands go different ways to the shoe, and must not overtake each other."""

import io
import os
import signal
import threading
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any, cast

import pytest

from fairshoe import messages
from fairshoe.boards.configs import load_board
from fairshoe.demo.table import Child, Facts, Table
from fairshoe.sim import pty_server
from fairshoe.sim.typed_actions import PipedLines
from fairshoe.text.screen import Screen


def test_a_hand_is_done_when_the_shoe_has_felt_it_however_busy_the_machine_is() -> None:
    child = Child(["--board", "pico-draw", "--seed", "7", "--speed", "20"])
    done = threading.Event()
    os.kill(child.process.pid, signal.SIGSTOP)
    hand = threading.Thread(target=lambda: (child.hand("load 52"), done.set()))
    try:
        hand.start()
        assert not done.wait(0.5)
    finally:
        os.kill(child.process.pid, signal.SIGCONT)
        hand.join()
        child.close()
    assert done.is_set()


class LateAnswer:
    """A shoe whose answer to a command comes after the events that follow it."""

    def __init__(self) -> None:
        self.pending = SimpleNamespace(op=1, result=None)

    def start(self, _kind: type, **_arguments: int) -> SimpleNamespace:
        return self.pending

    def messages(self, quiet_s: float) -> Iterator[messages.Message]:
        assert quiet_s > 0
        when = (1, 0, 0, 0, 1, 1)
        yield messages.CommandEnded(
            1, *when, messages.Role.TABLE, 1, 514, 0, messages.Outcome.DONE, messages.Reason.NONE, 0
        )
        yield messages.StackOffered(2, *when, 1, 5, 0, 0)
        self.pending.result = "done"
        yield messages.StackTaken(3, *when, 1, 5)
        raise AssertionError("the table waits for what it has seen")

    def acknowledge(self) -> None:
        pass


def test_a_stack_that_is_offered_before_the_answer_is_not_waited_for_again() -> None:
    shoe = LateAnswer()
    table = Table(cast(Any, shoe), cast(Any, None), Screen(io.StringIO()), 1e6, Facts())
    assert table.order(messages.CloseBetting) == "done"
    assert isinstance(table.wait(messages.StackOffered), messages.StackOffered)


def test_two_draws_are_two_cards_although_the_shoe_gets_no_processor_between_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each line is there when the wait for it ends, and time has gone by meanwhile."""
    config, crc = load_board("pico-draw")
    clock = [0.0]
    monkeypatch.setattr(pty_server, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    simulator = pty_server.Simulator(config, crc, "house", 7, 20.0)
    near, far = os.pipe()
    start = [(1, ""), (0, "load 288"), (1, "press green")]
    waits = iter([*start, *[(1, ""), (0, "draw 150"), (1, "draw 150")] * 2, (1, "quit")])

    def wait(*_arguments: object) -> tuple[list[int], list[int], list[int]]:
        shoe_s, line = next(waits)
        clock[0] += shoe_s / 20
        os.write(far, line.encode() + b"\n")
        return [near], [], []

    monkeypatch.setattr(pty_server, "select", SimpleNamespace(select=wait))
    with os.fdopen(near) as actions:
        simulator.run(PipedLines(actions), True)
    os.close(far)
    assert 288 - len(simulator.rig.plant.hopper) == 4
    simulator.close()
