"""The Wireshark dissector: code from dissector.lua, tables from the message table."""

from __future__ import annotations

from firmware.protocol import ids
from firmware.protocol.cobs import FRAME_MAX
from protocol.table import CLASS_NAMES, ENUMS, MESSAGE_FIELDS, MESSAGES, ROOT, SIZES, Field

TEMPLATE = ROOT / "tools" / "protocol" / "dissector.lua"
MARK = "{{tables}}"


def dissector() -> str:
    return TEMPLATE.read_text().replace(MARK, _tables())


def _tables() -> str:
    lines = [
        "-- by tools/protocol/gen_docs.py from firmware/protocol/ids.py",
        f"local VERSION, FRAME_MAX = {ids.VERSION}, {FRAME_MAX}",
        "local SIZES = { " + ", ".join(f"{kind} = {size}" for kind, size in SIZES.items()) + " }",
        f"local CLASSES = {_names(CLASS_NAMES)}",
        "local ENUMS = {",
        *(f"    {name} = {_names(words)}," for name, words in ENUMS.items()),
        "}",
        "local NAMES = {",
        *(f'    [{message.id}] = "{message.name}",' for message in MESSAGES),
        "}",
        "-- filter name (after fairshoe.): type, words for its values",
        "local FIELDS = {",
        *(_field(field) for field in _distinct()),
        "}",
        "-- message: its fields in order",
        "local MESSAGES = {",
        *(
            f"    [{message.id}] = {{ " + ", ".join(f'"{field.path}"' for field in message.fields) + " },"
            for message in MESSAGES
        ),
        "}",
    ]
    return "\n".join(lines)


def _names(words: tuple[str, ...]) -> str:
    return "{ " + ", ".join(f'[{value}] = "{word}"' for value, word in enumerate(words)) + " }"


def _distinct() -> list[Field]:
    found: dict[str, Field] = {}
    for message in MESSAGES:
        for field in message.fields:
            found.setdefault(field.path, field)
    return list(found.values())


def _field(field: Field) -> str:
    words = ""
    if field.name in MESSAGE_FIELDS:
        words = ", NAMES"
    elif field.name in ENUMS:
        words = f", ENUMS.{field.name}"
    return f'    ["{field.path}"] = {{ "{field.kind}"{words} }},'
