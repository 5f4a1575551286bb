"""A slice of `make truths`: a machine that is not as configured deals right, or stops; and the figures that a device
can measure are named."""

import random

import pytest
from draws import amount
from soak.hands import BOARDS
from soak.truths import Case, TruthRun, cases

SLICE = amount(6, 60)
PICOS = [board for board in BOARDS if board.startswith("pico-")]


@pytest.mark.drawn
@pytest.mark.parametrize("board", PICOS)
def test_a_wrong_figure_never_makes_a_wrong_deck_or_stack(board: str) -> None:
    seed = random.randrange(1 << 30)
    print(f"replay: PYTHONPATH=tools .venv/bin/python -m soak.truths --minutes 9 --board {board} --seed {seed}")
    todo = list(cases(board))
    for case in random.Random(seed).sample(todo, min(SLICE, len(todo))):
        word, why = TruthRun(board, case, seed).outcome()
        assert word != "WRONG", (case, why)


@pytest.mark.parametrize(
    ("board", "case", "named"),
    [
        ("pico-carousel", Case("slot_count", 0, 53), "slot_count 53 measured, 54 configured"),
        ("pico-carousel", Case("slot_steps", 0, 60), "slot_steps 60 measured, 64 configured"),
        ("pico-carousel", Case("card_um", 0, 80000), "card_um 81055 measured, 88900 configured"),
        ("pico-shelves", Case("brake_um", 0, 8000), "brake_um 7689 measured, 3000 configured"),
        ("pico-carousel", Case("transport_um_per_ms", 0, 960), "double_feed, card_um 116800 measured"),
    ],
)
def test_a_stop_gives_the_figure_as_measured(board: str, case: Case, named: str) -> None:
    assert TruthRun(board, case).outcome() == ("stops", named)


def test_a_slot_beam_off_by_one_deals_right() -> None:
    """Only a removal asks which slots are full; it ends with jam_exit at an empty one."""
    for true in (12, 14):
        assert TruthRun("pico-carousel", Case("slot_beam_slots", 0, true)).outcome() == ("deals", "")
