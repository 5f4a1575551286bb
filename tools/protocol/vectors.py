"""The golden vectors: every message with usual and extreme values, keys, stuffing, and frames that must be dropped."""

from __future__ import annotations

from firmware.protocol import ids
from firmware.protocol.cobs import FRAME_MAX
from firmware.protocol.frame import CRC_RESIDUE, CRC_SIZE, HEADER_SIZE
from protocol.bad import bad_frames, refused_frames
from protocol.frames import Frame, Json, Key, Value, make, stuff
from protocol.golden import golden
from protocol.table import BY_NAME, DICTIONARY, DICTIONARY_HASH, MESSAGES, SIZES, Message
from protocol.words import usual

DEVICE_KEY = bytes(range(32))
HOST_NONCE = bytes(range(0xA0, 0xB0))
DEVICE_NONCE = bytes(range(0xD0, 0xE0))
TABLE = Key(DEVICE_KEY, ids.ROLE_TABLE, 0x5A17, HOST_NONCE, DEVICE_NONCE)
CLEAR_SESSION = 0x2B09

ABOUT = (
    "Golden vectors of the fairshoe protocol, generated from firmware/protocol/ids.py by the device's own encoder; "
    "docs/PROTOCOL.md says what they mean."
)
TYPES = {
    "u8": "integer",
    "u16": "integer, little-endian",
    "u32": "integer, little-endian",
    "t8": "text, without the NULs it is padded with",
    "b8": "hexadecimal",
    "b16": "hexadecimal",
    "b32": "hexadecimal",
    "rest": "hexadecimal, whatever is left of the body",
}


def vectors(capture: bytes) -> Json:
    """All of vectors.json; `capture` is golden.bin."""
    return {
        "about": ABOUT,
        "version": ids.VERSION,
        "types": TYPES,
        "crc": _crcs(),
        "stuffing": _stuffing(),
        "keys": _keys(),
        "dictionary": {"hash_hex": DICTIONARY_HASH, "lines": list(DICTIONARY)},
        "frames": [frame.json(name) for name, frame in good_frames()],
        "bad_frames": bad_frames(),
        "refused": refused_frames(TABLE),
        "golden": golden(TABLE).json(capture),
    }


def good_frames() -> list[tuple[str, Frame]]:
    found: list[tuple[str, Frame]] = []
    for sequence, message in enumerate(MESSAGES, 1):
        found += _of_message(message, sequence)
    found += _special()
    if len({name for name, _frame in found}) != len(found):
        raise ValueError("two vectors have one name")
    return found


def _of_message(message: Message, sequence: int) -> list[tuple[str, Frame]]:
    name = message.name
    number = 0 if message.clear_only else CLEAR_SESSION
    found: list[tuple[str, Frame]] = []
    if not message.keyed_only:
        fields = usual(message)
        if message.id == ids.WELCOME:
            fields |= {"role": ids.ROLE_CLEAR, "op_last": 0}  # what a session without a key can have
        found.append((name, make(name, fields, number, sequence)))
    if not message.clear_only:
        found.append((f"{name}, keyed", make(name, usual(message), sequence=sequence, key=TABLE)))
    key = TABLE if message.keyed_only else None
    if message.fields:
        found.append((f"{name}, zeros", make(name, _all(message, False), number, 0, key)))
        found.append((f"{name}, highest", make(name, _all(message, True), number, 0xFFFF, key)))
    return found


def _special() -> list[tuple[str, Frame]]:
    offered = usual(BY_NAME["stack_offered"])
    room = FRAME_MAX - HEADER_SIZE - CRC_SIZE - 4
    text = bytes(33 + i % 90 for i in range(room))
    line: dict[str, Value] = {"line": 1, "lines": 257, "text": text.hex()}
    return [
        ("event sent again", make("stack_offered", offered, CLEAR_SESSION, 9, flags=ids.FLAG_AGAIN)),
        ("event sent again, keyed", make("stack_offered", offered, sequence=9, key=TABLE, flags=ids.FLAG_AGAIN)),
        ("flags that may be ignored", make("stack_offered", offered, CLEAR_SESSION, 10, flags=0x0E)),
        ("fields of a newer version", make("stack_offered", offered, CLEAR_SESSION, 11, extra=b"\x00\x07\x00")),
        ("fields of a newer version, keyed", make("stack_offered", offered, sequence=12, key=TABLE, extra=b"\x01")),
        ("longest frame", make("dictionary_line", line, 0, 13)),
    ]


def _all(message: Message, ones: bool) -> dict[str, Value]:
    """Every field zero or empty, or every bit set; text cannot have every bit set, so it is full instead."""
    values: dict[str, Value] = {}
    for field in message.fields:
        if field.kind in ("u8", "u16", "u32"):
            values[field.name] = (1 << 8 * field.size) - 1 if ones else 0
        elif field.kind == "t8":
            values[field.name] = "~" * field.size if ones else ""
        else:
            size = 32 if field.kind == "rest" else SIZES[field.kind]
            values[field.name] = ("ff" * size if field.kind != "rest" else "7e" * size) if ones else "00" * field.size
    return values


def _crcs() -> list[Json]:
    from binascii import crc32

    check = b"123456789"
    return [
        {
            "name": "the check value of CRC-32/ISO-HDLC",
            "data_hex": check.hex(),
            "crc": crc32(check),
            "crc_hex": crc32(check).to_bytes(4, "little").hex(),
        },
        {
            "name": "the same bytes followed by their CRC: the residue",
            "data_hex": (check + crc32(check).to_bytes(4, "little")).hex(),
            "crc": CRC_RESIDUE,
            "crc_hex": CRC_RESIDUE.to_bytes(4, "little").hex(),
        },
    ]


def _stuffing() -> list[Json]:
    """Stuffing alone, without the frame's delimiters; none of these is a frame."""
    cases: tuple[tuple[str, bytes], ...] = (
        ("nothing", b""),
        ("one zero", b"\x00"),
        ("two zeros", b"\x00\x00"),
        ("ten zeros", bytes(10)),
        ("one byte", b"\x11"),
        ("zero first", b"\x00\x11\x22"),
        ("zero last", b"\x11\x22\x00"),
        ("zero in the middle", b"\x11\x00\x22"),
        ("0xFF as data", b"\xff\xff\x00\xff"),
        ("253 bytes without a zero", bytes(1 + i % 255 for i in range(FRAME_MAX))),
        ("253 zeros", bytes(FRAME_MAX)),
        ("253 bytes, zero first", bytes(1) + b"\x55" * (FRAME_MAX - 1)),
        ("253 bytes, zero last", b"\x55" * (FRAME_MAX - 1) + bytes(1)),
    )
    return [{"name": name, "plain_hex": plain.hex(), "stuffed_hex": stuff(plain)[1:-1].hex()} for name, plain in cases]


def _keys() -> list[Json]:
    keys = (
        TABLE,
        Key(DEVICE_KEY, ids.ROLE_OBSERVER, 0x5A17, HOST_NONCE, DEVICE_NONCE),
        Key(DEVICE_KEY, ids.ROLE_SERVICE, 1, HOST_NONCE, DEVICE_NONCE),
        Key(DEVICE_KEY, ids.ROLE_AUDITOR, 0x5A17, HOST_NONCE, DEVICE_NONCE),
        Key(DEVICE_KEY, ids.ROLE_TABLE, 0xFFFF, DEVICE_NONCE, HOST_NONCE),
        Key(b"\xff" * 32, ids.ROLE_TABLE, 0x0100, bytes(16), bytes(16)),
    )
    return [key.json() for key in keys]
