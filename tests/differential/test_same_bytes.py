"""One seed gives the same bytes on CPython and on the MicroPython VM: link, storage, cards and scans."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests" / "differential" / "same_bytes.py"
NODE = ROOT / ".venv" / "bin" / "node"


def play(command: list[str], seeds: list[int]) -> list[str]:
    done = subprocess.run(
        [*command, *map(str, seeds)], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.splitlines()


def on_cpython(seeds: list[int]) -> list[str]:
    loader = f"import sys, runpy; sys.argv = sys.argv[1:]; import fairshoe; runpy.run_path({str(SCRIPT)!r})"
    return play([sys.executable, "-c", loader, "same_bytes.py"], seeds)


def on_micropython(seeds: list[int]) -> list[str]:
    return play([str(NODE), "tools/mpy/exec.mjs", "--limit-s", "240", str(SCRIPT)], seeds)


def test_every_story_gives_the_same_bytes_on_both_vms() -> None:
    seeds = [random.randrange(1 << 16)]
    print(f"seeds {seeds}; replay one with: .venv/bin/node tools/mpy/exec.mjs tests/differential/same_bytes.py SEED")
    expected = on_cpython(seeds)
    actual = on_micropython(seeds)
    assert len(expected) == len(actual) == len(seeds) * 8 * 5
    for left, right in zip(expected, actual, strict=True):
        assert left == right


@pytest.mark.full
def test_another_seed_gives_other_bytes() -> None:
    assert on_cpython([1]) != on_cpython([2])
