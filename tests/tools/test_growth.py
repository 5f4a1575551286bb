"""A slice of `make growth`: what a device keeps does not grow with its rounds, and if it did it would be seen."""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NODE = ROOT / ".venv/bin/node"
SCRIPT = ROOT / "tools/mpy/growth.mjs"


def grow(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [str(NODE), str(SCRIPT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=110, check=False)


def test_a_device_keeps_no_more_after_twelve_rounds() -> None:
    result = grow("12")
    assert (result.returncode, result.stderr) == (0, "")
    assert "after 12 rounds 0 more" in result.stdout


def test_one_that_keeps_something_every_round_is_found() -> None:
    result = grow("3", "kept.append(bytearray(1024))")
    assert result.returncode == 1
    assert "OVER" in result.stdout


def test_a_count_that_is_none_is_refused() -> None:
    for word in ("0", "many", "-3", "1.5"):
        result = grow(word)
        assert result.returncode == 2 and "usage" in result.stderr
