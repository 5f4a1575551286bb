"""A slice of `make growth`: what a device keeps does not grow with its rounds, and if it did it would be seen."""

import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / ".venv/bin/node"
NOISE_BYTES = 256
SCRIPT = ROOT / "tools/mpy/growth.mjs"


def grow(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(NODE), str(SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False)


def between_round_6_and_18(*each_round: str) -> int:
    """Bytes that twelve rounds add. The collector takes a stale word on the stack for a pointer, so that a few hundred
    bytes come or go once: what is there after six rounds is no growth."""
    kept: list[int] = []
    for rounds in ("6", "18"):
        result = grow(rounds, *each_round)
        assert result.stderr == ""
        found = re.search(rf"after {rounds} rounds (-?\d+) more", result.stdout)
        assert found, result.stdout
        kept.append(int(found[1]))
    return kept[1] - kept[0]


def test_a_device_keeps_next_to_nothing_of_twelve_rounds() -> None:
    assert grow("12").returncode == 0
    assert between_round_6_and_18() <= NOISE_BYTES


def test_one_that_keeps_something_every_round_is_found() -> None:
    result = grow("3", "kept.append(bytearray(1024))")
    assert result.returncode == 1
    assert "OVER" in result.stdout
    assert between_round_6_and_18("kept.append(bytearray(20))") > NOISE_BYTES, "so little a round is more than noise"


def test_a_count_that_is_none_is_refused() -> None:
    for word in ("0", "many", "-3", "1.5"):
        result = grow(word)
        assert result.returncode == 2 and "usage" in result.stderr
