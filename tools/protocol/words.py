"""What messages and fields mean, in words: words.json. The table itself is firmware/protocol/table.py.

The file has an object for each message, and one for the fields that every event or command begins with. "" is the
sentence of the message: events say what happened, commands what is asked for. A field has its meaning, an example value
and, if its largest number is none, what that stands for: JSON has null in its place. `any` has fields that mean the
same in several messages, `needs` what must happen and who does it.

`meaning` fails for a field without words, so a new one cannot be published without saying what it is.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from protocol.table import DICTIONARY, DICTIONARY_HASH, Field, Message

Example = int | str

WORDS: dict[str, dict[str, Any]] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
NEED_WHAT: dict[str, str] = WORDS.pop("needs")
ANYWHERE = WORDS.pop("any")
# Examples that follow from the table.
WORDS["welcome"]["dictionary"][1] = DICTIONARY_HASH
WORDS["dictionary_line"]["lines"][1] = len(DICTIONARY)
WORDS["dictionary_line"]["text"][1] = DICTIONARY[0].encode().hex()


def sentence(message: Message) -> str:
    if "" not in WORDS.get(message.name, ()):
        raise SystemExit(f"tools/protocol/words.json: say what the message {message.name} is for")
    return WORDS[message.name][""]


def unknown_of(field: Field) -> int | None:
    """The number that stands for "not known"; None if every number is one."""
    return 256**field.size - 1 if len(_entry(field)) > 2 else None


def meaning(field: Field) -> str:
    unknown = unknown_of(field)
    return _entry(field)[0] + (f"; {unknown}: {_entry(field)[2]}" if unknown is not None else "")


def usual(message: Message) -> dict[str, Example]:
    """The fields of a message with their example values; bytes in hexadecimal."""
    return {field.name: _entry(field)[1] for field in message.fields}


def _entry(field: Field) -> list[Any]:
    entry = WORDS.get(field.owner, {}).get(field.name) or ANYWHERE.get(field.name)
    if entry is None:
        raise SystemExit(f"tools/protocol/words.json: say what {field.path} means")
    return entry
