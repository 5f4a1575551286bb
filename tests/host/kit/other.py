"""A file's data with other values, as a technician may write it."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from typing import Any

from fairshoe.boards import configs


def changed(data: Mapping[str, Any], changes: Mapping[str, object]) -> dict[str, Any]:
    """A copy with these values at these places; `.` or `__` between keys, None takes a key out."""
    made: dict[str, Any] = copy.deepcopy(dict(data))
    for path, value in changes.items():
        place = made
        *way, last = path.replace("__", ".").split(".")
        for word in way:
            place = place[word]
        if value is None:
            del place[last]
        else:
            place[last] = value
    return made


def board_problems(name: str, **changes: object) -> list[str]:
    """Of a shipped board with changes."""
    return configs.check_board(changed(configs.load_board(name)[0], changes))
