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


def test_a_device_keeps_next_to_nothing_of_twelve_rounds() -> None:
    """The collector takes a stale word on the stack for a pointer, so that a few bytes come and go; that they do not
    add up is what a thousand rounds show."""
    result = grow("12")
    assert (result.returncode, result.stderr) == (0, "")
    found = re.search(r"after 12 rounds (-?\d+) more", result.stdout)
    assert found and int(found[1]) <= NOISE_BYTES, result.stdout


def test_one_that_keeps_something_every_round_is_found() -> None:
    result = grow("3", "kept.append(bytearray(1024))")
    assert result.returncode == 1
    assert "OVER" in result.stdout
    small = re.search(r"after 12 rounds (-?\d+) more", grow("12", "kept.append(bytearray(20))").stdout)
    assert small and int(small[1]) > NOISE_BYTES, "so little a round is more than the noise of twelve"


def test_a_count_that_is_none_is_refused() -> None:
    for word in ("0", "many", "-3", "1.5"):
        result = grow(word)
        assert result.returncode == 2 and "usage" in result.stderr
