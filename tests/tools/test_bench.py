"""No shuffle and no shoe is far from the shortest possible time: docs/BUDGETS.md."""

from __future__ import annotations

import pytest
from bench import machine

SEEDS = (0, 1, 5, 13)
# What the machines need beyond the bound is known (docs/BUDGETS.md): a bound further away is no good one.
SHUFFLE_RATIO_MAX = 1.06


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("kind", "cards"), [("carousel", 52), ("shelves", 288)])
def test_no_shuffle_is_faster_than_its_bound(kind: str, cards: int, seed: int) -> None:
    run = machine.shuffle(machine.board(kind), cards, seed)
    assert run.bound_s <= run.counted_s <= run.parked_s, (kind, seed)
    assert run.counted_s <= run.bound_s * SHUFFLE_RATIO_MAX, (kind, seed)


@pytest.mark.parametrize("seed", SEEDS)
def test_no_shoe_deals_faster_than_its_bound(seed: int) -> None:
    run = machine.deal(machine.board("shoe"), seed)
    assert run.bound_s <= run.moved_s <= run.bound_s * machine.DEAL_AIM, seed
