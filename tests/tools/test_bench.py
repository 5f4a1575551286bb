"""`make bench` says what it could not measure, and the shortest possible times are really that."""

from __future__ import annotations

import pytest
from bench import __main__ as bench
from bench import machine
from bench.section import Lacking, NotMeasured, Section

SEEDS = (0, 1, 5, 13)
# What the machines need beyond the bound is known (docs/BUDGETS.md): a bound further away is no good one.
SHUFFLE_RATIO_MAX = 1.06


def section(name: str, error: Exception | None = None) -> Section:
    def measure() -> float:
        if error is not None:
            raise error
        return 1.5

    return Section(name, measure, lambda figure: [f"{name}: {figure} s"])


@pytest.mark.parametrize(
    ("error", "may_lack", "status", "said"),
    [
        (None, False, 0, "bad: 1.5 s\n"),
        (NotMeasured("3 of 4 stand still"), True, 1, "bad: NOT MEASURED: 3 of 4 stand still\n"),
        (KeyError("stream"), True, 1, "bad: NOT MEASURED: KeyError('stream')\n"),
        (Lacking("nats-server"), False, 1, "bad: NOT MEASURED: nats-server\n"),
        (Lacking("nats-server"), True, 0, "bad: NOT RUN: nats-server\n"),
    ],
)
def test_a_section_without_figures_fails_the_whole_and_costs_no_other(
    error: Exception | None, may_lack: bool, status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    sections = [section("bad", error), section("good")]
    assert bench.measure(sections, small=True, may_lack=may_lack, as_json=False) == status
    shown = capsys.readouterr()
    assert said in shown.out and shown.out.endswith("good: 1.5 s\n")
    assert ("bench: not measured: bad\n" in shown.err) == (status == 1)


def test_in_ci_nothing_may_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    def measured(_sections: list[Section], _small: bool, may_lack: bool, _as_json: bool) -> int:
        return int(not may_lack)

    monkeypatch.setattr(bench, "measure", measured)
    monkeypatch.delenv("CI", raising=False)
    assert bench.main(["--if-possible"]) == 0
    monkeypatch.setenv("CI", "true")
    assert bench.main(["--if-possible"]) == 1


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
