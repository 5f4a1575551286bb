"""Keeps the verdict on each mutant in build/mutants/, so that a run continues where the last one stopped.

A mutant stays caught until the sources of the test that caught it change (sources.py). A survivor is tried again with
the tests whose sources changed, or with all of them when a run spends more time on its tests. Each verdict is a line
that is appended: shards that run at the same time write to one file. A line with the digests of all test files
precedes the first survivor that refers to them.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from mutants.forked import Outcome, Timed


class Results:
    def __init__(self, path: Path, digests: dict[str, str]) -> None:
        """`digests` has one digest for each test file, of that file and of all that it tests."""
        self._path = path
        self._digests = digests
        self._sources = hashlib.sha256(json.dumps(sorted(digests.items())).encode()).hexdigest()
        self._digests_of: dict[str, dict[str, str]] = {}  # by the digest of all sources
        self._kept: dict[str, dict[str, Any]] = {}
        self._near: dict[str, Counter[str]] = defaultdict(Counter)  # by function: how often a test caught a mutant
        for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else ():
            try:
                entry = json.loads(line)
            except ValueError:  # empty, or cut off when a run was ended
                continue
            if "sources" in entry:
                self._digests_of[entry["sources"]] = entry["digests"]
            else:
                self._note(entry)

    def in_order(self, mutant: str, tests: list[Timed]) -> list[Timed]:
        """The test that caught the mutant last time, whatever changed since; then those that caught most other mutants
        of its function in the least time; then the rest as it is."""
        last = self._kept.get(mutant, {}).get("caught_by", "").split(" ")[0]
        near = self._near[_function(mutant)]

        def rank(test: Timed) -> tuple[int, float]:
            name, seconds = test
            return (0, 0) if name == last else (1, seconds / near[name]) if name in near else (2, 0)

        return sorted(tests, key=rank)

    def valid(self, mutant: str, tests: list[Timed], patience_s: float) -> Outcome | None:
        """The kept verdict, if no test has to be run."""
        entry = self._kept.get(mutant)
        if entry is None or (entry["caught_by"] and entry["digest"] != self._digest(entry["caught_by"])):
            return None
        if not entry["caught_by"] and (entry["patience_s"] < patience_s or self.untried(mutant, tests, patience_s)):
            return None
        return Outcome(entry["caught_by"], entry["ran"], 0)

    def untried(self, mutant: str, tests: list[Timed], patience_s: float) -> list[Timed]:
        """Of a survivor, the tests whose files changed since it was tried; of every other mutant all tests."""
        entry = self._kept.get(mutant)
        if entry is None or entry["caught_by"] or entry["patience_s"] < patience_s:
            return tests
        tried = self._digests_of.get(entry["digest"], {})
        return [test for test in tests if tried.get(_file(test[0])) != self._digests[_file(test[0])]]

    def ran(self, mutant: str) -> int:
        """Tests that the kept verdict comes from."""
        return self._kept.get(mutant, {}).get("ran", 0)

    def keep(self, mutant: str, outcome: Outcome, patience_s: float) -> None:
        entry = {
            "mutant": mutant,
            "caught_by": outcome.caught_by,
            "ran": outcome.ran,
            "patience_s": patience_s,
            "digest": self._digest(outcome.caught_by),
        }
        self._note(entry)
        if entry["digest"] == self._sources and self._sources not in self._digests_of:
            self._digests_of[self._sources] = self._digests
            self._append({"sources": self._sources, "digests": self._digests})
        self._append(entry)

    def _note(self, entry: dict[str, Any]) -> None:
        self._kept[entry["mutant"]] = entry
        if "::" in entry["caught_by"]:
            self._near[_function(entry["mutant"])][entry["caught_by"].split(" ")[0]] += 1

    def _append(self, entry: dict[str, Any]) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(entry))  # the line break comes first: it ends a line that was cut off

    def _digest(self, caught_by: str) -> str:
        """Of the sources that the verdict depends on."""
        return self._digests.get(_file(caught_by), self._sources)


def _file(test: str) -> str:
    return test.split("::")[0]


def _function(mutant: str) -> str:
    """The part of the name in front of the change: `deck/ledger.py Ledger.move`."""
    return mutant.split(": ")[0]
