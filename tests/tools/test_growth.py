"""A slice of `make growth`: what a device keeps does not grow with its rounds."""

import re
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.full

ROOT = Path(__file__).resolve().parents[2]
GROW = (str(ROOT / ".venv/bin/node"), str(ROOT / "tools/mpy/growth.mjs"))
NOISE_BYTES = 256


def kept_bytes(rounds: int) -> int:
    said = subprocess.run([*GROW, str(rounds)], capture_output=True, text=True, timeout=600, check=True).stdout
    found = re.search(rf"after {rounds} rounds (-?\d+) more", said)
    assert found, said
    return int(found[1])


def test_a_device_keeps_next_to_nothing_of_twelve_rounds() -> None:
    """The collector takes a stale word on the stack for a pointer, so that a few hundred bytes come or go once: what is
    there after six rounds is no growth."""
    assert kept_bytes(18) - kept_bytes(6) <= NOISE_BYTES
