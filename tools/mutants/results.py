"""Keeps the verdict on each mutant in build/mutants/, so that a run continues where the last one stopped.

A mutant stays caught until firmware, simulator or the file of the test that caught it changes. A survivor is kept until
any source changes, or a run spends more time on its tests. Each verdict is a line that is appended: shards that run at
the same time write to one file.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from mutants.forked import Outcome

SURVIVED = "survived"


class Results:
    def __init__(self, path: Path, digests: dict[str, str]) -> None:
        """`digests` has one digest for each test file, of that file and of all that it tests."""
        self._path = path
        self._digests = {**digests, SURVIVED: hashlib.sha256(json.dumps(sorted(digests.items())).encode()).hexdigest()}
        self._kept: dict[str, dict[str, Any]] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            try:
                entry = json.loads(line)
            except ValueError:  # empty, or cut off when a run was ended
                continue
            self._kept[entry["mutant"]] = entry

    def last_caught_by(self, mutant: str) -> str:
        """The test that caught the mutant last, whatever changed since."""
        return self._kept.get(mutant, {}).get("caught_by", "").split(" ")[0]

    def valid(self, mutant: str, patience_s: float) -> Outcome | None:
        entry = self._kept.get(mutant)
        if entry is None or entry["digest"] != self._digest(entry["caught_by"]):
            return None
        if not entry["caught_by"] and entry["patience_s"] < patience_s:
            return None
        return Outcome(entry["caught_by"], entry["ran"], 0)

    def keep(self, mutant: str, outcome: Outcome, patience_s: float) -> None:
        entry = {
            "mutant": mutant,
            "caught_by": outcome.caught_by,
            "ran": outcome.ran,
            "patience_s": patience_s,
            "digest": self._digest(outcome.caught_by),
        }
        self._kept[mutant] = entry
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(entry))  # the line break comes first: it ends a line that was cut off

    def _digest(self, caught_by: str) -> str:
        """Of the sources that the verdict depends on."""
        return self._digests.get(caught_by.split("::")[0], self._digests[SURVIVED])
