"""What starting the command line costs, in processor time: people wait for it, and scripts pay it at every call."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence

AIM_S = 0.2
COMMANDS = ("version", "--help", "status --help")


def measure(runs: int = 7) -> dict[str, float]:
    """Seconds of processor of each command, the best of some runs."""
    return {words: min(_spent(words.split()) for _ in range(runs)) for words in COMMANDS}


def _spent(words: Sequence[str]) -> float:
    before = os.times()
    subprocess.run([sys.executable, "-m", "fairshoe", *words], stdout=subprocess.DEVNULL, check=True)
    after = os.times()
    spent = after.children_user + after.children_system
    return spent - before.children_user - before.children_system


def report(found: dict[str, float]) -> list[str]:
    lines = ["start-up: processor time of a command, the best of some runs"]
    for words, spent in found.items():
        met = "met" if spent <= AIM_S else "NOT met"
        lines.append(f"  fairshoe {words:14s} {spent:.2f} s (aim {AIM_S}, {met})")
    return lines
