"""The fields of every event, from the message table: integers by name, texts by name and place."""

from firmware.protocol import ids, table


def _texts(spec: str) -> "dict[str, int]":
    """Names of the text fields, and where in the body each begins."""
    found: "dict[str, int]" = {}
    at = 0
    for word in (table.EVENT_PREFIX + spec[spec.find(" ") :] if " " in spec else "").split():
        name, kind = word.split(":")
        if kind == "t8":
            found[name] = at
        at += _SIZES[kind]
    return found


def _fields(spec: str) -> "list[str]":
    """Names of the integer fields, as the peer gives them."""
    words = [word.split(":") for word in spec.split()[1:]]
    return [word[0] for word in words if word[1] in ("u8", "u16", "u32")]


_SIZES = {"u8": 1, "u16": 2, "u32": 4, "t8": 8, "b8": 8, "b16": 16, "b32": 32}
FIELDS = {spec.split()[0]: _fields(spec) for _message, kind, spec in table.MESSAGES if kind == ids.CLASS_EVENT}
TEXTS = {spec.split()[0]: _texts(spec) for _message, kind, spec in table.MESSAGES if kind == ids.CLASS_EVENT}
