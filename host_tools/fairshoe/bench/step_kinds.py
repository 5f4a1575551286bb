"""The kinds of step that a bench plan can have, from step_kinds.json: arguments, and the figures that each measures.

steps.py and drills.py hold the procedure of each kind.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MECHANISMS = ("carousel", "shelves", "shoe", "draw")


@dataclass(frozen=True)
class Figure:
    """A number with a name: what it is, and in what it is counted."""

    label: str
    unit: str = ""


@dataclass(frozen=True)
class Kind:
    """One procedure. Arguments have a default; figures are what limits can be set on."""

    about: str
    figures: tuple[str, ...]
    arguments: dict[str, int | str | list[int]]
    applies: tuple[str, ...]


_DATA: dict[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
FIGURES = {name: Figure(*words) for name, words in _DATA["figures"].items()}
KINDS = {
    name: Kind(it["about"], tuple(it["figures"]), it.get("arguments", {}), tuple(it.get("applies", MECHANISMS)))
    for name, it in _DATA["kinds"].items()
}
