"""Messages as plain data: dictionaries and JSON with words in place of codes, and back.

    to_dict(event)       {"message": "round_ended", "seq": 41, ..., "dealt": 15, "stub_counted": None}
    from_dict(data)      RoundEnded(...)

Enumerations and message ids become words, bytes hexadecimal, a number that stands for "not known" null.
docs/protocol/messages.schema.json says the same as a JSON Schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import fields
from enum import IntEnum
from typing import Any

from fairshoe import messages
from fairshoe._device import root
from fairshoe.errors import UsageError
from fairshoe.messages import ENUMS, UNKNOWN, Message, UnknownMessage

IDS = ("command", "during")  # fields that hold the id of another message
_BY_NAME: dict[str, type[Message]] = {kind.NAME: kind for kind in messages.ALL}
_BY_ID: dict[int, str] = {kind.ID: kind.NAME for kind in messages.ALL}


def schema() -> dict[str, Any]:
    """The JSON Schema of all messages as `to_dict` makes them."""
    return json.loads((root() / "docs" / "protocol" / "messages.schema.json").read_text(encoding="utf-8"))


def to_dict(message: Message) -> dict[str, Any]:
    """A message as a dictionary that JSON can hold. `message` is its name, as in docs/PROTOCOL.md."""
    return {"message": message.NAME, **fields_of(message, [field.name for field in fields(message)])}


def fields_of(message: Message, names: Iterable[str]) -> dict[str, Any]:
    """Some fields of a message, as `to_dict` has them."""
    unknown = UNKNOWN.get(message.NAME, {})
    return {name: _plain(name, getattr(message, name), unknown.get(name, -1)) for name in names}


def from_dict(data: Mapping[str, Any]) -> Message:
    """The message that `to_dict` made this of. UsageError if it is none."""
    name = data.get("message")
    kind = UnknownMessage if name == UnknownMessage.NAME else _BY_NAME.get(str(name))
    if kind is None:
        raise UsageError(f"{name!r} is no message.", "Give its name under `message`: round_ended, for example.")
    wanted = [field.name for field in fields(kind)]
    if {*data} != {"message", *wanted}:
        raise UsageError(
            f"{name} has the fields {', '.join(wanted)}, not {', '.join(it for it in data if it != 'message')}.",
            "Give all of them and no others.",
        )
    return kind(**{it: _value(kind, it, data[it]) for it in wanted})


def to_json(message: Message) -> str:
    """`to_dict` in one line."""
    return json.dumps(to_dict(message), separators=(",", ":"))


def from_json(text: str) -> Message:
    """The message of a line of `to_json`. UsageError if it is none."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this is no JSON: {error}.", "Give what to_json returned.") from error
    if not isinstance(found, dict):
        raise UsageError("a message is a JSON object.", "Give what to_json returned.")
    return from_dict(found)  # pyright: ignore[reportUnknownArgumentType]


def _plain(name: str, value: Any, unknown: int) -> Any:
    if isinstance(value, IntEnum):
        return value.name.lower()
    if isinstance(value, bytes):
        return value.hex()
    if value == unknown:
        return None
    return _BY_ID.get(value, value) if name in IDS else value


def _value(kind: type[Message], name: str, value: Any) -> Any:
    annotation = {field.name: field.type for field in fields(kind)}[name]
    try:
        if annotation == "bytes":
            return bytes.fromhex(value)
        if name in ENUMS and annotation == ENUMS[name].__name__:
            return ENUMS[name][value.upper()]
        if name in IDS and isinstance(value, str):
            return _BY_NAME[value].ID
        if value is None:
            return UNKNOWN[kind.NAME][name]
        if type(value).__name__ == annotation:
            return value
    except (KeyError, ValueError, TypeError, AttributeError):
        pass
    raise UsageError(
        f"{name} of {kind.NAME} cannot be {value!r}.", "docs/protocol/messages.schema.json says what it is."
    )
