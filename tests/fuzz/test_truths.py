"""A slice of `make sweep`: a machine that is not as configured deals right, or stops; and the figures that a device
can measure are named."""

import random
from itertools import islice

import pytest
from draws import amount
from soak.hands import BOARDS, Data
from soak.truths import Case, TruthRun, cases, pairs

from firmware.machines import carousel

SLICE = amount(5, 60)
PICOS = [board for board in BOARDS if board.startswith("pico-")]


@pytest.mark.drawn
@pytest.mark.parametrize("board", PICOS)
def test_no_wrong_figures_make_a_wrong_deck_or_stack(board: str) -> None:
    """One, and two at once."""
    seed = random.randrange(1 << 30)
    words = f"truths pairs --minutes 9 --board {board} --seed {seed}"
    print(f"replay: PYTHONPATH=tools .venv/bin/python -m soak.sweep {words}")
    todo = list(cases(board))
    drawn = random.Random(seed).sample(todo, min(SLICE, len(todo)))
    for case in [*drawn, *islice(pairs(board, seed), SLICE)]:
        word, why = TruthRun(board, case, seed).outcome()
        assert word != "WRONG", (case, why)


@pytest.mark.parametrize(
    ("board", "truth", "named"),
    [
        ("pico-carousel", {"slot_count": 53}, "slot_count 53 measured, 54 configured"),
        ("pico-carousel", {"slot_steps": 60}, "slot_steps 60 measured, 64 configured"),
        ("pico-carousel", {"slot_beam_slots": 12}, "slot_beam_slots 12 measured, 13 configured"),
        ("pico-carousel", {"slot_beam_slots": 14}, "slot_beam_slots 14 measured, 13 configured"),
        ("pico-carousel", {"card_um": 80000}, "card_um 81055 measured, 88900 configured"),
        ("pico-shelves", {"brake_um": 8000}, "brake_um 7689 measured, 3000 configured"),
        ("pico-carousel", {"transport_um_per_ms": 960}, "double_feed, card_um 116800 measured"),
    ],
)
def test_a_stop_gives_the_figure_as_measured(board: str, truth: Data, named: str) -> None:
    assert TruthRun(board, Case("", truth)).outcome() == ("stops", named)


ELSEWHERE: list[Data] = [{"home_steps": 60}, {"home_steps": 66}, {"backwards": ["axis"], "home_steps": 18}]


@pytest.mark.parametrize("truth", ELSEWHERE)
def test_slots_that_all_lie_elsewhere_come_out_in_the_order_drawn(truth: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    """Off by a whole slot, or mirrored. Of two slots in place of each other they are not."""
    case = Case("", truth)
    assert TruthRun("pico-carousel", case).outcome() == ("deals", "")

    def another(axis: carousel.Axis, place: int, now_ms: int) -> None:
        goto(axis, {3: 4, 4: 3}.get(place, place), now_ms)

    goto = carousel.axis_goto
    monkeypatch.setattr(carousel, "axis_goto", another)
    assert TruthRun("pico-carousel", case).outcome() == ("WRONG", "deck: verified, but not in the order drawn")
