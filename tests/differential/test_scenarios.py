"""The same scenario gives the same transcript on CPython and on the MicroPython VM: a sample here, all of them in
`make scenarios`."""

import random
from pathlib import Path

import pytest
from draws import amount

from fairshoe.sim.scenario_cases import name_of, places
from fairshoe.sim.scenario_files import play, play_on_micropython

ROOT = Path(__file__).resolve().parents[2]
SAMPLE = amount(5, 60)  # files, a second each on the VM
# Six and eight decks take minutes there.
LONG = ("shelves-six-decks", "shelves-eight-decks", "shelves-eight-decks-one-short")


def sample(seed: int) -> list[Path]:
    """By seed, as many of every mechanism, and of the stories of games."""
    kinds: dict[str, list[Path]] = {kind: [] for kind in ("carousel", "shelves", "shoe", "draw", "game")}
    for path in places([ROOT / "tests" / "scenarios"]):
        if name_of(path) not in LONG:
            kind = name_of(path).partition("-")[0]
            kinds[kind if kind in kinds else "game"].append(path)
    numbers = random.Random(seed)
    return [path for files in kinds.values() for path in numbers.sample(files, min(SAMPLE // 5, len(files)))]


@pytest.mark.drawn
def test_a_sample_of_scenarios_gives_the_same_transcripts_on_both_vms() -> None:
    seed = random.randrange(1 << 16)
    paths = sample(seed)
    print(f"seed {seed}: " + " ".join(name_of(path) for path in paths))
    named = " ".join(str(path.relative_to(ROOT)) for path in paths)
    print(f"replay: PYTHONPATH=tools .venv/bin/python -m scenarios {named}")
    for left, right in zip(play(paths), play_on_micropython(paths), strict=True):
        assert left.problems == right.problems == [], left.name
        assert left.transcript == right.transcript, left.name
