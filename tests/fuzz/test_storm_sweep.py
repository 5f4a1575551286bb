"""A slice of `make sweep`: no rate, share of the time or pull of a noisy line hides a card, an open door or events."""

import itertools
import random

import pytest
from soak.hands import BOARDS
from soak.storms import Case, StormRun, cases, rates

SLICE = 12


@pytest.mark.parametrize("board", BOARDS)
def test_a_noisy_line_never_makes_a_wrong_count_and_never_fills_the_journal(board: str) -> None:
    seed = random.randrange(1 << 30)
    print(f"replay: PYTHONPATH=tools .venv/bin/python -m soak.sweep storms --board {board} --seed {seed}")
    for case in random.Random(seed).sample(cases(board), SLICE):
        assert not StormRun(board, case).play(), case


@pytest.mark.parametrize(
    ("board", "case"),
    [
        ("pico-carousel", Case("opacity", 1000, 55, "low", True, 2250)),  # 9 cards verified as 8
        ("pico-shoe", Case("opacity", 602, 70, "low", True, 1260)),  # 3 cards offered as 2
        ("pico-shelves", Case("opacity", 697, 90, "high", True, 2245)),  # blocked before the card came
        ("pico-carousel", Case("door", 74, 90, "low", False, 1410)),  # 77 events
        ("pico-carousel", Case("door", 52, 98, "low", False, 3055)),  # motors ran for 0.7 s behind the open door
    ],
)
def test_a_storm_that_once_was_missed_is_not(board: str, case: Case) -> None:
    assert not StormRun(board, case).play()


def test_the_sweep_has_every_rate_from_10_to_5000_in_steps_of_5_percent_or_one_edge() -> None:
    steps = rates()
    assert steps[0] == 10 and steps[-1] >= 5000
    assert all(after <= before * 1.05 + 1 for before, after in itertools.pairwise(steps))
