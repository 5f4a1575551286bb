"""The shortest possible times are really that, and follow from the numbers of the mechanism."""

from __future__ import annotations

from typing import Any

import pytest
from bench import lower_bound, machine

SEEDS = (0, 1, 5, 13)
# What the machines need beyond the bound is known (docs/BUDGETS.md): a bound further away is no good one.
SHUFFLE_RATIO_MAX = 1.06


def mech(kind: str, **changes: int) -> dict[str, Any]:
    return {**machine.board(kind)["mechanism"], **changes}


def bound_us(kind: str, **changes: int) -> int:
    """The bound of one fixed job: a deck turned over on the carousel or over the shelves, or dealt by the shoe."""
    if kind == "shoe":
        return lower_bound.shoe_us(mech(kind, **changes), 3, range(52))
    bound = lower_bound.carousel_us if kind == "carousel" else lower_bound.shelves_us
    return bound(mech(kind, **changes), 3, [card * 5 % 52 for card in range(52)])


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


@pytest.mark.parametrize("kind", ["carousel", "shelves"])
def test_a_bound_without_chance_is_the_sum_of_its_parts(kind: str) -> None:
    """One card, no slip, no spread: pick, way to the mouth, move, way past the last beam, and the carousel's sweep."""
    ideal = mech(kind, slip_percent_max=0, pick_latency_us_max=20000)
    to_mouth_us = 20000 + 45000 * 1000 // 1200
    through_us = {"carousel": 88900, "shelves": 60000 - 45000 + 88900}[kind] * 1000 // 1200
    sweep_us = 1000000 * 2 // 3 + 100000 if kind == "carousel" else 0
    bound = lower_bound.carousel_us if kind == "carousel" else lower_bound.shelves_us
    assert abs(bound(ideal, 9, [0]) - (to_mouth_us + through_us + sweep_us)) <= 3
    # From place 9: nine places at 81 or 80 a second, and a tenth of a second for the ramps. The pick is hidden.
    move_us = 9000000 // (81 if kind == "carousel" else 80) + 100000
    assert abs(bound(ideal, 9, [0], 9) - (move_us + through_us + sweep_us)) <= 3


def test_shelves_wait_for_pusher_and_lift() -> None:
    """Two passes of four cards over two shelves: each shelf is pushed out and the pusher comes home, then the lift."""
    slow = {"shelf_count": 2, "ejector_us": 400000, "lift_us": 3000000}
    order = [3, 1, 0, 2]
    base_us = lower_bound.shelves_us(mech("shelves", **slow), 1, order)
    # The second packet lies in the tray when the pusher is out: its way home is hidden behind the lift.
    assert lower_bound.shelves_us(mech("shelves", **{**slow, "ejector_us": 500000}), 1, order) == base_us + 300000
    assert lower_bound.shelves_us(mech("shelves", **{**slow, "lift_us": 3500000}), 1, order) == base_us + 500000


@pytest.mark.parametrize(
    ("kind", "change", "value"),
    [
        ("carousel", "axis_mrev_per_s", 1000),
        ("carousel", "axis_mrev_per_s2", 10000),
        ("carousel", "transport_um_per_ms", 1000),
        ("carousel", "pick_latency_us_min", 44000),
        ("shelves", "axis_mshelf_per_s", 20000),
        ("shelves", "axis_mshelf_per_s2", 300000),
        ("shelves", "arrival_um", 80000),
        ("shelves", "ejector_us", 200000),
        ("shelves", "lift_us", 2500000),
        ("shoe", "transport_um_per_ms", 1000),
        ("shoe", "pick_latency_us_max", 90000),
        ("shoe", "tray_um", 9000),
    ],
)
def test_a_slower_part_gives_a_longer_bound(kind: str, change: str, value: int) -> None:
    assert bound_us(kind, **{change: value}) > bound_us(kind)


def test_what_a_controller_adds_of_its_own_does_not_count() -> None:
    for change in ({"brake_um": 0}, {"roller_start_us": 0}, {"scan_ms_max": 1}, {"bounce_us": 0}):
        assert bound_us("carousel", **change) == bound_us("carousel")


def test_latencies_and_slip_are_those_of_the_plants_seed() -> None:
    order = list(range(52))
    assert len({lower_bound.carousel_us(mech("carousel"), seed, order) for seed in range(20)}) > 10
