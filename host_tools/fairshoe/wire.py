"""Frames on the host: bytes in any pieces in, typed messages out, and a count of everything dropped.

The CRC is defined through crcmod; zlib computes the same one faster. That they agree is checked on import.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from enum import IntEnum
from struct import Struct
from typing import Any, cast

import crcmod.predefined  # pyright: ignore[reportMissingTypeStubs]

from fairshoe import messages
from fairshoe.messages import Message
from firmware.protocol.cobs import FRAME_MAX
from firmware.protocol.frame import CRC_RESIDUE, CRC_SIZE, HEADER_SIZE
from firmware.protocol.ids import VERSION

_HEADER = Struct("<BBHHH")
_MUST_UNDERSTAND = 0xF0
_KNOWN_FLAGS = 0
_DELIMITER = b"\0"


def check_crc() -> None:
    """Raise RuntimeError unless zlib computes what crcmod defines."""
    define = cast(Callable[[bytes], int], crcmod.predefined.mkPredefinedCrcFun("crc-32"))  # pyright: ignore
    for sample in (b"", b"123456789", bytes(range(256))):
        if define(sample) != zlib.crc32(sample):
            raise RuntimeError("zlib and crcmod disagree about CRC-32: one of them is broken; reinstall both")


check_crc()


@dataclass
class Drops:
    """Bytes that never became a message, by reason."""

    stuffing: int = 0  # not COBS
    checksum: int = 0
    short: int = 0
    long: int = 0
    version: int = 0
    flags: int = 0  # asks for something this version does not understand
    unknown: int = 0  # a message id or size this version does not know

    def total(self) -> int:
        return sum(getattr(self, field.name) for field in fields(self))


@dataclass(frozen=True)
class Frame:
    """A message and the header it came with."""

    message: Message
    session: int
    sequence: int


class Decoder:
    """Feed it bytes, iterate the frames. Holds at most one frame's worth of unfinished bytes."""

    def __init__(self) -> None:
        self.drops = Drops()
        self._rest = b""
        self._overlong = False

    def feed(self, data: bytes) -> Iterator[Frame]:
        pieces = (self._rest + data).split(_DELIMITER)
        self._rest = pieces.pop()
        for piece in pieces:
            if self._overlong:
                self._overlong = False
                self.drops.long += 1
            elif piece:
                frame = self._decode(piece)
                if frame is not None:
                    yield frame
        if len(self._rest) > FRAME_MAX + 1:
            self._rest = b""
            self._overlong = True

    def _decode(self, piece: bytes) -> Frame | None:
        if len(piece) > FRAME_MAX + 1:
            self.drops.long += 1
            return None
        raw = unstuff(piece)
        if raw is None:
            self.drops.stuffing += 1
        elif len(raw) < HEADER_SIZE + CRC_SIZE:
            self.drops.short += 1
        elif zlib.crc32(raw) != CRC_RESIDUE:
            self.drops.checksum += 1
        else:
            return self._read(raw)
        return None

    def _read(self, raw: bytes) -> Frame | None:
        kind, flags, message, session, sequence = _HEADER.unpack_from(raw)
        if kind >> 4 != VERSION:
            self.drops.version += 1
        elif flags & _MUST_UNDERSTAND & ~_KNOWN_FLAGS:
            self.drops.flags += 1
        else:
            value = unpack(message, raw[HEADER_SIZE:-CRC_SIZE])
            if value is not None:
                return Frame(value, session, sequence)
            self.drops.unknown += 1
        return None


def encode(message: Message, session: int = 0, sequence: int = 0) -> bytes:
    """A whole frame with both delimiters."""
    head = _HEADER.pack(VERSION << 4 | message.CLASS, 0, message.ID, session, sequence)
    raw = head + _pack(message)
    return _DELIMITER + stuff(raw + zlib.crc32(raw).to_bytes(CRC_SIZE, "little")) + _DELIMITER


def stuff(raw: bytes) -> bytes:
    """COBS for at most FRAME_MAX bytes."""
    return b"".join(bytes((len(block) + 1,)) + block for block in raw.split(_DELIMITER))


def unstuff(piece: bytes) -> bytes | None:
    """The inverse; None if this is not COBS of ours. `piece` holds no zero."""
    out = bytearray()
    at = 0
    size = len(piece)
    while at < size:
        code = piece[at]
        end = at + code
        if code == 0xFF or end > size:
            return None
        out += piece[at + 1 : end]
        out.append(0)
        at = end
    del out[-1:]
    return bytes(out)


def unpack(message: int, body: bytes) -> Message | None:
    """A typed message, or None for an id or a size unknown to this version. Longer bodies are of newer devices."""
    entry = _READERS.get(message)
    if entry is None:
        return None
    cls, converters = entry
    if len(body) < cls.LAYOUT.size:
        return None
    values: list[Any] = list(cls.LAYOUT.unpack_from(body))
    for index, convert in converters:
        values[index] = convert(values[index])
    return cls(*values)


def _text(raw: bytes) -> str:
    return raw.rstrip(b"\0").decode("ascii", "replace")


def _pack(message: Message) -> bytes:
    values = [getattr(message, field.name) for field in fields(message)]
    return message.LAYOUT.pack(*(v.encode("ascii") if isinstance(v, str) else v for v in values))


def _converters(cls: type[Message]) -> list[tuple[int, Any]]:
    kinds: dict[str, type[IntEnum]] = {"Fault": messages.Fault, "State": messages.State}
    found: list[tuple[int, Any]] = []
    for index, field in enumerate(fields(cls)):
        if field.type == "str":
            found.append((index, _text))
        elif field.type in kinds:
            found.append((index, kinds[str(field.type)]))
    return found


_READERS = {cls.ID: (cls, _converters(cls)) for cls in messages.ALL}
