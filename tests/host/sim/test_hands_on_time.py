"""What a person types at a simulated shoe happens at its own instant, however busy the machine is."""

import os
from types import SimpleNamespace

import pytest

from fairshoe.boards.configs import load_board
from fairshoe.sim import pty_server
from fairshoe.sim.typed_actions import PipedLines


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
