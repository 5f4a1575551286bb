"""Wear is seen coming, and noise is no wear."""

from __future__ import annotations

import json
import os
import random
from dataclasses import replace
from math import exp, isfinite, sin, tau
from pathlib import Path

import pytest

from fairshoe.boards.configs import load_board
from fairshoe.messages import Meters, Part, Wear
from fairshoe.wear import POINTS_MAX, Series, WearFile
from rig.operator import next_moves
from rig.story import Stage

SEED = int(os.environ.get("SEED", "39"))
SHOES = int(os.environ.get("SHOES", "10"))
DECKS, CARDS = 4000, 52
NEW = Meters(*[0] * 18)


def poisson(rng: random.Random, mean: float) -> int:
    count, left = 0, rng.random()
    while left > exp(-mean):
        count, left = count + 1, left * rng.random()
    return count


class Shoe:
    """A machine of stated noise: chance of each card, a day's temperature, other cards now and then, warm-up.

    A figure in `drift` grows to that multiple over DECKS."""

    def __init__(self, seed: int, **drift: float) -> None:
        self.rng = random.Random(seed)
        self.drift = drift
        self.feed_us = 0.0
        self.cards_percent = 0.0
        self.counts = {"misfeeds": 0, "stalls": 0, "exit": 0}
        self.rates = {"misfeeds": 0.05, "stalls": 0.01, "exit": 0.02}  # of a deck

    def grown(self, figure: str, deck: int) -> float:
        return 1 + (self.drift.get(figure, 1) - 1) * deck / DECKS

    def deck(self, deck: int) -> tuple[Meters, Wear]:
        rng = self.rng
        if deck % 200 == 0:
            self.cards_percent = rng.gauss(0, 2)
        day = 1 + 0.01 * sin(deck * tau / 400)
        warm = 1 + 0.02 * exp(-(deck % 400) / 10)
        mean = 31000 * self.grown("feed", deck) * day * (1 + self.cards_percent / 100) + rng.gauss(0, 5000 / 52**0.5)
        self.feed_us += (mean - self.feed_us) * (1 if not self.feed_us else 0.56)  # as 52 cards, each of 1 in 64, do
        throat_us = 7700 * self.grown("throat", deck) * warm * day + rng.gauss(0, 20)
        for name, rate in self.rates.items():
            self.counts[name] += poisson(rng, rate * self.grown(name, deck))
        meters = replace(NEW, cycles=deck, cards=deck * CARDS, feed_us=int(self.feed_us), **self.counts)
        return meters, Wear(deck, int(throat_us))


def first_findings(seed: int, every: int = 1, **drift: float) -> dict[str, tuple[int, str]]:
    """By figure: after how many decks it was first found, and the words then."""
    shoe, series = Shoe(seed, **drift), Series()
    found: dict[str, tuple[int, str]] = {}
    for deck in range(1, DECKS + 1):
        reading = shoe.deck(deck)
        if deck % every == 0:
            series.take(*reading)
        if deck % 200 == 0:
            for it in series.findings():
                found.setdefault(it.name, (deck, it.text))
    assert len(series.points) <= POINTS_MAX + 1
    return found


@pytest.mark.parametrize("every", [1, 30])
def test_noise_is_no_wear(every: int) -> None:
    """Ten machines of 4,000 decks, each judged twenty times; SHOES=1000 for more of them."""
    for number in range(SHOES):
        found = first_findings(SEED * 10_000 + number, every)
        assert not found, f"machine {number}, every {every} decks: {found}; SEED={SEED} SHOES={number + 1} replays it"


@pytest.mark.parametrize(
    ("figure", "drift", "part"),
    [
        ("pick latency", {"feed": 44 / 31}, "pick roller"),
        ("misfeeds", {"misfeeds": 20.0}, "pick roller"),
        ("time in the throat", {"throat": 1.1}, "transport rollers"),
        ("stalls", {"stalls": 60.0}, "transport rollers"),
        ("beam glitches", {"exit": 40.0}, "beams"),
    ],
)
def test_a_drift_is_found_before_its_end_and_names_its_part(figure: str, drift: dict[str, float], part: str) -> None:
    for number in range(2):
        found = first_findings(SEED + number, 1, **drift)
        assert set(found) == {figure}, (number, found)
        deck, text = found[figure]
        assert deck < DECKS and text.startswith(figure) and text.endswith(f" decks: {part}"), (number, text)


def test_the_words_have_both_ends_and_the_decks_between() -> None:
    series = Series()
    for deck in range(1, 3001):
        meters, wear = Shoe(SEED).deck(deck)
        feed_us = 31000 if deck < 500 else 31000 + (deck - 500) * 13000 // 2200 if deck < 2700 else 44000
        series.take(replace(meters, feed_us=feed_us), wear)
    assert [it.text for it in series.findings()] == ["pick latency 31 to 44 ms in 3,000 decks: pick roller"]


def test_a_service_begins_the_trends_of_its_part_again_and_of_no_other() -> None:
    shoe, series = Shoe(SEED, feed=2.0, throat=1.2), Series()
    for deck in range(1, DECKS + 1):
        series.take(*shoe.deck(deck))
    names = {"pick latency", "time in the throat"}
    assert {it.name for it in series.findings()} == names
    series.serviced(Part.PICK_ROLLER, DECKS)
    assert {it.name for it in series.findings()} == {"time in the throat"}
    new = Shoe(SEED + 1, throat=1.2)
    new.counts = shoe.counts
    for deck in range(DECKS + 1, DECKS + 600):
        meters, wear = new.deck(deck)
        series.take(meters, wear)
    assert {it.name for it in series.findings()} == {"time in the throat"}
    assert Series.from_json(json.loads(json.dumps(series.to_json()))) == series


def test_a_device_with_other_storage_begins_again_and_the_same_deck_counts_once() -> None:
    shoe, series = Shoe(SEED), Series()
    readings = [shoe.deck(deck) for deck in range(1, 10)]
    assert [series.take(*it) for it in readings] == [True] * 9
    assert not series.take(*readings[-1])
    series.serviced(Part.BEAMS, 5)
    assert series.take(*readings[0]) and len(series.points) == 1 and not series.since


def test_a_file_that_is_none_or_cannot_be_written_costs_the_trend_alone(tmp_path: Path) -> None:
    reading = Shoe(SEED).deck(7)
    assert WearFile(tmp_path / "new", 7).take(*reading)
    kept = WearFile(tmp_path / "new", 7)
    assert [it.cycles for it in kept.series.points] == [7] and not kept.take(*reading)
    for text in ("", "[]", "{}", '{"format": 2}', '{"format": 1, "points": [[1]], "since": {}}'):
        kept.path.write_text(text)
        assert WearFile(tmp_path / "new", 7).series == Series()
    (tmp_path / "file").write_text("")
    assert WearFile(tmp_path / "file", 7).take(*reading)


def test_no_figures_of_a_device_end_the_judgement() -> None:
    """A floor judges all shoes in one program. Counts may fall, jump, or stand at the end of their range."""
    for seed in range(SEED, SEED + 40):
        rng, series, cycles = random.Random(seed), Series(), 0
        for _ in range(20):
            cycles += rng.choice((1, 50, 1000, 10**6))
            counts = {name: rng.choice((0, 0xFFFF, rng.randrange(1 << 16))) for name in ("misfeeds", "stalls", "exit")}
            times = rng.choice((0, 1, 31000, (1 << 32) - 1))
            series.take(replace(NEW, cycles=cycles, cards=rng.randrange(1 << 32), feed_us=times, **counts), None)
            for trend in series.trends():
                assert isfinite(trend.before) and isfinite(trend.now), f"SEED={seed}: {trend.text}"


@pytest.mark.parametrize("point", [["a"] * 8, [1, 2, 3, 4, 5, 6, 7, 0], [1, float("nan"), 3, 4, 5, 6, 7, 1], [1]])
def test_a_series_that_cannot_be_one_is_none(point: list[object]) -> None:
    assert Series.from_json({"format": 1, "points": [point], "since": {}}) == Series()


def played(decks: int, truth: dict[str, int]) -> Series:
    """A motor shoe deals so many decks of 16 cards; what its host gets goes into a series."""
    game = {"deck_cards": 16, "stack_cards": 4, "positions_max": 1, "lockout": False}
    stage = Stage(load_board("pico-shoe")[0], game, SEED, truth=truth)
    series = Series()
    while not series.points or series.points[-1].cycles < decks:
        stage.run(400)
        for delay_ms, action, arguments in next_moves(stage, True):
            stage.run(delay_ms)
            stage.act(action, arguments)
        told = stage.peer.messages
        if "wear" in told and stage.names()[-1] == "round_ended" and told["wear"][0]:
            series.take(Meters(*told["meters"][:18]), Wear(*told["wear"][:2]))
    assert "warning_latched" not in stage.names()
    return series


def test_rollers_of_a_simulated_machine_wear_and_both_are_found() -> None:
    """From the edges of its beams to the words; the same decks on a machine that does not wear show none."""
    worn = played(160, {"worn_us_per_thousand_cards": 8000, "worn_percent_per_thousand_cards": 3})
    texts = [it.text for it in worn.findings()]
    assert len(texts) == 2 and texts[0].startswith("pick latency") and texts[0].endswith(" decks: pick roller"), texts
    assert texts[1].startswith("time in the throat") and texts[1].endswith(" decks: transport rollers"), texts
    assert played(160, {}).findings() == []
