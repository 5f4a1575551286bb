"""From a long scenario that shows a finding to a short one that still does: whatever is not needed is left out."""

from __future__ import annotations

import copy
import re
import time
from collections.abc import Iterator

from rig.scenario import Scenario
from soak.hands import BASIC, Data, board_config


def kind_of(problems: list[str]) -> str:
    """What sort of finding the first problem is: its words without numbers, a promise by its name alone."""
    if not problems:
        return ""
    words = re.sub(r"[0-9]+", "", problems[0]).split()
    return " ".join(words[: 2 if words[0] == "Finding:" else 5])


def play(data: Data) -> list[str]:
    """Play it as `fairshoe scenario run` does."""
    return Scenario(copy.deepcopy(data), board_config(data["board"])).play()


def shrink(data: Data, kind: str, seconds: float) -> Data:
    """The smallest scenario of the same kind of finding that was met in that time."""
    until = time.monotonic() + seconds
    best = data
    smaller = True
    while smaller and time.monotonic() < until:
        smaller = False
        for candidate in _candidates(best):
            if time.monotonic() >= until:
                break
            if _shows(candidate, kind):
                best = candidate
                smaller = True
                break
    return best


def _shows(data: Data, kind: str) -> bool:
    try:
        return kind_of(play(data)) == kind
    except ValueError:
        return False  # what is left cannot be played


def _candidates(data: Data) -> Iterator[Data]:
    """Large cuts first: parts of the script, then with time passing in their place; faults; changes; the game."""
    script = data["script"]
    size = len(script)
    while size:
        for at in range(0, len(script), size):
            part = script[at : at + size]
            yield {**data, "script": script[:at] + script[at + size :]}
            waited_ms = sum(step.get("after_ms", 0) for step in part)
            if waited_ms and any(step["do"] != "wait" for step in part):
                wait = {"do": "wait", "after_ms": waited_ms}
                yield {**data, "script": [*script[:at], wait, *script[at + size :]]}
        size //= 2
    for i in range(len(data["faults"])):
        yield {**data, "faults": data["faults"][:i] + data["faults"][i + 1 :]}
    for path in data["changes"]:
        # Without opacity a board is a basic one: these go together.
        dropped = BASIC if path in BASIC else {path: None}
        yield {**data, "changes": {key: value for key, value in data["changes"].items() if key not in dropped}}
    if data["game"] != "house":
        yield {**data, "game": "house"}
