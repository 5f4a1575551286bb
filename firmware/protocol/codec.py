"""Field packing driven by the message table: the same walk over type codes writes a record, a frame or reads one."""

from micropython import const

from firmware.protocol.layout import LAYOUT, PREFIX

# The code of a field is its size in bytes: 1, 2 and 4 are integers (fields.py).
TYPE_RAW = const(8)  # from here on raw bytes, text and byte strings alike
TYPE_REST = const(255)  # raw bytes up to the end of the body

VALUES_MAX = const(24)  # the widest body has 23 integers


def codec_table() -> "dict[int, bytes]":
    """Type codes of every message's body by id, without the prefix of events. Made once, at boot."""
    table: "dict[int, bytes]" = {}
    same: "dict[bytes, bytes]" = {}  # half of the messages have the fields of another: a kilobyte of heap
    at = 0
    while at < len(LAYOUT):
        end = at + 3 + LAYOUT[at + 2]
        codes = LAYOUT[at + 3 : end]
        table[LAYOUT[at] | LAYOUT[at + 1] << 8] = same.setdefault(codes, codes)
        at = end
    return table


def prefix_codes() -> bytes:
    return PREFIX


def is_event(message: int) -> bool:
    return message >= 256 and message < 512


def pack(buf: "bytearray | memoryview", at: int, codes: bytes, values: "list[int]", text: bytes) -> int:
    """Write integer fields from `values` in order; raw fields take their bytes from `text`, in order, zero-padded.

    Returns the position after the last byte. Values out of a field's range are cut to it: a u16 count that overflows
    must not stop an event from being reported.
    """
    taken = 0
    text_at = 0
    for code in codes:
        if code >= TYPE_RAW:
            for _ in range(len(text) - text_at if code == TYPE_REST else code):
                buf[at] = text[text_at] if text_at < len(text) else 0
                text_at += 1
                at += 1
        else:
            value = values[taken]
            taken += 1
            for _ in range(code):
                buf[at] = value & 0xFF
                value >>= 8
                at += 1
    return at


def pack_numbers(buf: "bytearray | memoryview", at: int, codes: bytes, values: "list[int]") -> int:
    """The same for a body of integers only, in a small frame and without loops: counters are sent while cards move."""
    for i in range(len(codes)):
        value = values[i]
        buf[at] = value & 0xFF
        at += 1
        if codes[i] >= 2:
            buf[at] = value >> 8 & 0xFF
            at += 1
            if codes[i] == 4:
                buf[at] = value >> 16 & 0xFF
                at += 1
                buf[at] = value >> 24 & 0xFF
                at += 1
    return at


def unpack(buf: bytearray, at: int, codes: bytes, values: "list[int]") -> int:
    """Read integer fields into `values`; raw fields are passed over. Returns the position after the last byte."""
    taken = 0
    for code in codes:
        if code == TYPE_REST:
            break
        if code < TYPE_RAW:
            value = 0
            for i in range(code):
                value |= buf[at + i] << (i << 3)
            values[taken] = value
            taken += 1
        at += code
    return at


def packed_size(codes: bytes) -> int:
    """Bytes of a body with these fields; a rest may be empty."""
    size = 0
    for code in codes:
        if code != TYPE_REST:
            size += code
    return size
