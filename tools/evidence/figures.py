"""The figures of the evidence, from figures.json: what each is, the command that makes it, and what it depends on.

A figure has a run, a section of the documentation, or both. A run is kept as a file with the commit it was made on
(`build/results`), so that hours of work are done once, on any machine. A section was written on some commit. Either is
stale when what it depends on has changed since.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_DEVICE = ("firmware", "hal", "board_configs", "game_profiles")
GROUPS = {"DEVICE": _DEVICE, "MACHINE": (*_DEVICE, "rig")}  # in the inputs of figures.json


@dataclass(frozen=True)
class Figure:
    """`command` runs in a shell at the top of the repository. `cheap`: done by RUN=1. `needs`: a variable that must be
    set. `text`: "FILE#heading" of docs."""

    key: str
    title: str
    command: str = ""
    inputs: tuple[str, ...] = ()
    text: str = ""
    cheap: bool = False
    needs: str = ""
    lines: int = 30  # of what it printed, the last


def _figure(inputs: Sequence[str] = (), **given: Any) -> Figure:
    return Figure(inputs=tuple(path for word in inputs for path in GROUPS.get(word, (word,))), **given)


FIGURES = tuple(_figure(**it) for it in json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8")))
