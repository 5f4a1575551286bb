"""A slice of `make table-soak`, and proof that it notices what the page had shown and the books have not."""

import json
import random
from pathlib import Path
from typing import Any

import pytest
from running_tables import always, options_of
from soak import table_page
from soak.table import WAYS, TableSoak

from fairshoe_table.books.books import Books
from fairshoe_table.play import registry
from fairshoe_table.play.inputs import wager

RUNS = [f"{game} --through {way}" for game in registry.OURS for way in WAYS]
ALWAYS = ("double-attack-blackjack --through page", "caribbean-stud --through table")


@pytest.mark.parametrize("run", always(ALWAYS, RUNS))
def test_a_table_that_is_killed_anywhere_loses_nothing(tmp_path: Path, run: str) -> None:
    seed = random.randrange(1, 1 << 30)
    print(f"replay: PYTHONPATH=tools .venv/bin/python -m soak.table --seed {seed} --kills 3 --game {run}")
    game, way = run.split(" --through ")
    soak = TableSoak(seed, tmp_path, game, way == "page")
    soak.play(3)
    assert soak.done == soak.reached == 3 and soak.tally["rounds ended"] >= 2


SHOWN: dict[str, Any] = {"round": 1, "open": None, "of": 1, "done": [], "cards": {}}
PLACED = {"3": {"ante": 1000}}


CASES: list[tuple[list[dict[str, Any]], list[str]]] = [
    ([{}], []),
    ([{"open": PLACED}], []),
    ([{"done": ["3.ante"]}], ["round 1: 3.ante was done on the page"]),
    ([{"cards": {"cards:3:": [0, 1]}}], ["round 1: cards:3: was [0, 1] on the page, and is None in the books"]),
    ([{"open": {"3": {"ante": 500}}}], ["the page showed the wagers {'3': {'ante': 500}}, and"]),
    ([{"open": {"2": {"ante": 500}}}, {"open": PLACED}], ["without a tap"]),
    ([{"open": {"2": {"ante": 500}}}, {"tap": "players"}, {"open": PLACED}], []),
]


@pytest.mark.parametrize(("shown", "found"), CASES)
def test_what_the_page_had_shown_is_in_the_books(tmp_path: Path, shown: list[dict[str, Any]], found: list[str]) -> None:
    lines = [json.dumps(it if "tap" in it else {**SHOWN, **it}) for it in shown]
    (tmp_path / "page.jsonl").write_text("\n".join(lines))
    with Books(":memory:") as books:
        number = books.open_round("caribbean-stud")
        books.record(number, wager(3, {"ante": 1000}), options_of("caribbean-stud"))
        said = list(table_page.lost(tmp_path, books))
    assert len(said) == len(found) and all(text in line for text, line in zip(found, said, strict=True))
