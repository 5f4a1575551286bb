"""The worked examples of the specification page, taken apart from frames that the device's own encoder made."""

from __future__ import annotations

from firmware.protocol import ids
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE
from firmware.protocol.session import MAC_SIZE
from protocol.frames import ROLE_LABEL, Frame, make
from protocol.table import BY_NAME, CLASS_NAMES, Field, value_name
from protocol.vectors import CLEAR_SESSION, TABLE
from protocol.words import usual


def example_event() -> str:
    return _take_apart(make("stack_offered", usual(BY_NAME["stack_offered"]), CLEAR_SESSION, 48))


def example_ack() -> str:
    return _take_apart(make("event_ack", usual(BY_NAME["event_ack"]), CLEAR_SESSION, 7))


def example_command() -> str:
    frame = make("set_positions", usual(BY_NAME["set_positions"]), sequence=3, key=TABLE)
    signed = frame.raw[: -CRC_SIZE - MAC_SIZE]
    steps = [
        "    device key     " + _hex(TABLE.device_key, 19),
        "    what is hashed " + _hex(ROLE_LABEL + bytes((TABLE.role,)), 19),
        "    role key       " + _hex(TABLE.role_key, 19) + "   = HMAC-SHA256(device key, what is hashed)",
        "    what is hashed " + _hex(TABLE.hashed, 19),
        "    session key    " + _hex(TABLE.session_key, 19) + "   = HMAC-SHA256(role key, what is hashed)",
        "",
        "    what is signed " + _hex(b"H" + signed, 19) + '   = "H", header, body',
        "    MAC            " + _hex(frame.mac, 19) + "   = HMAC-SHA256(session key, what is signed), first 16",
    ]
    return "\n".join(steps) + "\n\n" + _take_apart(frame)


def _take_apart(frame: Frame) -> str:
    lines = [
        "    on the wire    " + _hex(frame.wire, 19),
        "    unstuffed      " + _hex(frame.raw, 19),
        "",
        "| at | bytes | is |",
        "| --- | --- | --- |",
    ]
    return "\n".join(lines + [f"| {at} | `{_hex(data)}` | {text} |" for at, data, text in _parts(frame)])


def _parts(frame: Frame) -> list[tuple[int, bytes, str]]:
    raw = frame.raw
    kind = CLASS_NAMES[frame.message.kind]
    flags = [name for bit, name in ((ids.FLAG_KEYED, "keyed"), (ids.FLAG_AGAIN, "again")) if frame.flags & bit]
    parts = [
        (0, raw[0:1], f"version {ids.VERSION}, class {frame.message.kind} ({kind})"),
        (1, raw[1:2], f"flags: {', '.join(flags) or 'none'}"),
        (2, raw[2:4], f"message {frame.message.id} ({frame.message.name})"),
        (4, raw[4:6], f"session 0x{frame.session:04X}"),
        (6, raw[6:8], f"link sequence {frame.sequence}"),
    ]
    for field in frame.message.fields:
        at = HEADER_SIZE + field.offset
        parts.append((at, raw[at : at + field.size], f"`{field.name}` = {_value(frame, field)}"))
    if frame.key:
        parts.append((len(raw) - CRC_SIZE - MAC_SIZE, frame.mac, "MAC"))
    crc = int.from_bytes(raw[-CRC_SIZE:], "little")
    parts.append((len(raw) - CRC_SIZE, raw[-CRC_SIZE:], f"CRC-32 0x{crc:08X}"))
    return parts


def _value(frame: Frame, field: Field) -> str:
    value = frame.fields[field.name]
    word = value_name(field.name, value) if isinstance(value, int) else ""
    return f"{value} ({word})" if word else str(value)


def _hex(data: bytes, indent: int = 0) -> str:
    """Bytes in rows of 24 where an indent is given, else in one."""
    rows = [data[at : at + 24] for at in range(0, len(data), 24)] if indent else [data]
    return ("\n" + " " * indent).join(row.hex(" ") for row in rows)
