"""The clauses of the games' rules, as rules/clauses.json has them."""

from __future__ import annotations

import json
import re
from typing import Any

from fairshoe import _device


def load() -> dict[str, Any]:
    """The file: `games`, and `clauses` with id, topic, device and perhaps a remark."""
    return json.loads((_device.root() / "rules" / "clauses.json").read_text(encoding="utf-8"))


def actions() -> dict[str, str]:
    """What a dealer or technician does by each clause, by its id."""
    return {name: action["do"] for action in load()["actions"] for name in action["clauses"]}


def paragraphs() -> dict[str, Any]:
    """rules/paragraphs.json: by the code of a game its `sections`, and `outside` with the reason."""
    return json.loads((_device.root() / "rules" / "paragraphs.json").read_text(encoding="utf-8"))["games"]


def texts() -> dict[str, str]:
    """What each clause asks of the device, by its id."""
    return {clause["id"]: clause["device"] for clause in load()["clauses"]}


def in_full() -> dict[str, str]:
    """The same, where `As B5-12d, but ...` has the text of that clause behind it."""
    known = texts()

    def whole(text: str) -> str:
        found = re.match(r"As (\w+-\w+)", text)
        return f"{text} {found[1]}: {whole(known[found[1]])}" if found and found[1] in known else text

    return {name: whole(text) for name, text in known.items()}
