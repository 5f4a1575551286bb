"""Every place where the rules are ambiguous, wrong or silent, decided once: rulings.json has each with its clause.

Code and pay tables name a ruling by its id; a test holds that every id that they name is there.
"""

from __future__ import annotations

import json
from importlib.resources import files
from typing import NamedTuple


class Ruling(NamedTuple):
    """`question` is what the text says or leaves open, `decision` what this table does."""

    id: str
    clause: str
    question: str
    decision: str


def _load() -> dict[str, Ruling]:
    rows = json.loads(files("fairshoe_table.rules").joinpath("rulings.json").read_text(encoding="utf-8"))
    return {row["id"]: Ruling(**row) for row in rows}


RULINGS = _load()
