"""The JSON form of messages as a JSON Schema, from the message table."""

from __future__ import annotations

from typing import Any

from protocol.table import ENUMS, MESSAGE_FIELDS, MESSAGES, Field, Message
from protocol.words import meaning, sentence, unknown_of

_ENUMERATED = {name for name in ENUMS if name != "class"}
_BYTES = {"b8": 8, "b16": 16, "b32": 32}
_MAX = {"u8": 0xFF, "u16": 0xFFFF, "u32": 0xFFFFFFFF}


def schema() -> dict[str, Any]:
    """Every message, by name under `definitions`."""
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "fairshoe messages",
        "description": "Messages as fairshoe.message_data writes them; null: not known. Written by make generate.",
        "oneOf": [{"$ref": f"#/definitions/{message.name}"} for message in MESSAGES],
        "definitions": {message.name: _definition(message) for message in MESSAGES},
    }


def _definition(message: Message) -> dict[str, Any]:
    properties = {field.name: _property(field) for field in message.fields}
    return {
        "description": sentence(message),
        "type": "object",
        "properties": {"message": {"const": message.name}, **properties},
        "required": ["message", *properties],
        "additionalProperties": False,
    }


def _property(field: Field) -> dict[str, Any]:
    text = {"description": meaning(field)}
    if field.name in _ENUMERATED and field.kind == "u8":
        return {**text, "enum": [*ENUMS[field.name], "unrecognised"]}
    if field.kind == "t8":
        return {**text, "type": "string", "maxLength": 8}
    if field.kind in _BYTES:
        size = 2 * _BYTES[field.kind]
        return {**text, "type": "string", "pattern": f"^[0-9a-f]{{{size}}}$"}
    if field.kind == "rest":
        return {**text, "type": "string", "pattern": "^([0-9a-f]{2})*$"}
    if field.name in MESSAGE_FIELDS:
        return {**text, "anyOf": [{"enum": [it.name for it in MESSAGES]}, {"type": "integer"}]}
    if unknown_of(field) is not None:
        return {**text, "type": ["integer", "null"], "minimum": 0, "maximum": _MAX[field.kind] - 1}
    return {**text, "type": "integer", "minimum": 0, "maximum": _MAX[field.kind]}
