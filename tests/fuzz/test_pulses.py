"""A slice of `make sweep`: one pulse on one sensor, while cards move, never makes the device report a wrong stack or
deck."""

import random

import pytest
from draws import amount
from soak.hands import BOARDS
from soak.pulses import PulseRun, cases

SLICE = amount(6, 40)


@pytest.mark.drawn
@pytest.mark.parametrize("board", BOARDS)
def test_a_pulse_on_a_sensor_never_makes_a_wrong_stack(board: str) -> None:
    seed = random.randrange(1 << 30)
    print(f"replay: PYTHONPATH=tools .venv/bin/python -m soak.sweep pulses --board {board} --seed {seed}")
    for pulse in random.Random(seed).sample(cases(board), SLICE):
        assert not PulseRun(board, *pulse).play(), pulse


@pytest.mark.parametrize(
    ("board", "line", "at_ms", "width_us"),
    [
        ("pico-shoe", "exit", 1450, 2000),  # ahead of the last card
        ("pico-shoe", "exit", 1515, 2000),  # within it
        ("pico-shelves", "arrival", 4435, 30000),  # near the end of the last card of a pass
    ],
)
def test_a_pulse_that_once_made_a_wrong_stack_or_deck_makes_none(
    board: str, line: str, at_ms: int, width_us: int
) -> None:
    assert not PulseRun(board, line, at_ms, width_us).play()
