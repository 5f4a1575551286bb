"""What soaks have found, as scenarios: each plays as it must, with every promise checked."""

import json
from pathlib import Path

import pytest
from fairshoe.scenario import play

FOLDER = Path(__file__).resolve().parent.parent / "scenarios"
WATCHED = [
    path
    for path in sorted(FOLDER.glob("*.json"))
    if json.loads(path.read_text(encoding="utf-8")).get("expect", {}).get("promises")
]


@pytest.mark.parametrize("path", WATCHED, ids=[path.stem for path in WATCHED])
def test_the_scenario_plays_as_it_must(path: Path) -> None:
    (result,) = play([path])
    assert not result.problems
