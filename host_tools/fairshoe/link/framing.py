"""Frames on the host: bytes in any pieces in, typed messages out, and an account of everything dropped.

    00 | COBS( header 8 | body | [MAC 16] | CRC-32 little-endian ) | 00

The CRC is defined through crcmod; zlib computes the same one faster. That they agree is checked on import.
"""

from __future__ import annotations

import importlib
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Generic, TypeVar, cast

import crcmod.predefined  # pyright: ignore[reportMissingTypeStubs]

from fairshoe import messages
from fairshoe.link import message_codecs
from fairshoe.messages import Message, UnknownMessage
from firmware.protocol.cobs import FRAME_MAX
from firmware.protocol.codec import is_event
from firmware.protocol.frame import CRC_RESIDUE, CRC_SIZE, DROP_KINDS, HEADER_SIZE, WIRE_MAX
from firmware.protocol.ids import FLAG_KEYED, FLAGS_MUST, VERSION
from firmware.protocol.session import MAC_SIZE

OnDrop = Callable[[int, int, str], None]
Seal = Callable[[bytes], bytes]
T = TypeVar("T")

SEQ_SIZE = 4  # the number of an event, which its body begins with
_DELIMITER = b"\0"
_FRAME_MIN = HEADER_SIZE + CRC_SIZE
_FLAGS_REFUSED = FLAGS_MUST & ~FLAG_KEYED
_VERSION_FIRST = VERSION << 4  # of the bytes that begin a frame of this version
_VERSION_LAST = VERSION << 4 | 0x0F
_PART = 8192
_crc32 = zlib.crc32


def check_crc() -> None:
    """Raise RuntimeError unless zlib computes what crcmod defines; warn if crcmod has to do without its extension."""
    define = cast(Callable[[bytes], int], crcmod.predefined.mkPredefinedCrcFun("crc-32"))  # pyright: ignore
    for sample in (b"", b"123456789", bytes(range(256))):
        if define(sample) != zlib.crc32(sample):
            raise RuntimeError("zlib and crcmod disagree about CRC-32: one of them is broken; reinstall both")
    # Not `import crcmod.crcmod as ...`: the package rebinds that name to itself.
    if not getattr(importlib.import_module("crcmod.crcmod"), "_usingExtension", False):
        warnings.warn(
            "crcmod runs without its C extension, some 20 times slower. Frames are checked with zlib and do not "
            "suffer; other users of crcmod do. Install a C compiler, then: "
            "pip install --force-reinstall --no-binary crcmod crcmod",
            RuntimeWarning,
            stacklevel=2,
        )


check_crc()


# --- stuffing ----------------------------------------------------------------------------------


class StuffingError(ValueError):
    """These bytes are not COBS of ours."""


def stuff(raw: bytes) -> bytes:
    """COBS for at most FRAME_MAX bytes."""
    return b"".join(bytes((len(block) + 1,)) + block for block in raw.split(_DELIMITER))


def unstuff(piece: bytes) -> bytes:
    """The inverse; `piece` holds no zero. Raises StuffingError."""
    blocks: list[bytes] = []
    at = 0
    size = len(piece)
    while at < size:
        code = piece[at]
        end = at + code
        if code == 0xFF or end > size:
            raise StuffingError("a code points past the end of the frame")
        blocks.append(piece[at + 1 : end])
        at = end
    return _DELIMITER.join(blocks)


def _fast_stuffing() -> tuple[Callable[[bytes], bytes], Callable[[bytes], bytes], type[Exception]]:
    """Those of the cobs package if it has its C extension, which is all that makes it faster; else ours."""
    try:
        module: Any = importlib.import_module("cobs.cobs")
    except ImportError:
        return stuff, unstuff, StuffingError
    if not getattr(module, "_using_extension", False):
        return stuff, unstuff, StuffingError
    # It takes code 0xFF too, but that needs 255 bytes, and whatever decodes to more than FRAME_MAX is refused.
    return module.encode, module.decode, module.DecodeError


_stuff, _unstuff, _StuffingError = _fast_stuffing()


# --- frames ------------------------------------------------------------------------------------


class Malformed(ValueError):
    """A frame with a good CRC that cannot be what it says it is."""


class Frame:
    """A message and the frame it came in: header, body, MAC if keyed, CRC. Not to be changed; made by a decoder.

    It has no constructor because calling one would cost a tenth of all decoding.
    """

    __slots__ = ("message", "raw")
    message: Message
    raw: bytes

    def __repr__(self) -> str:
        return f"Frame({self.message}, session={self.session}, sequence={self.sequence}, flags={self.flags:#04x})"

    @property
    def flags(self) -> int:
        return self.raw[1]

    @property
    def session(self) -> int:
        return self.raw[4] | self.raw[5] << 8

    @property
    def sequence(self) -> int:
        return self.raw[6] | self.raw[7] << 8

    @property
    def keyed(self) -> bool:
        return self.raw[1] & FLAG_KEYED != 0

    @property
    def signed(self) -> bytes:
        """Header and body: what a MAC is made over."""
        return self.raw[: -CRC_SIZE - MAC_SIZE if self.raw[1] & FLAG_KEYED else -CRC_SIZE]

    @property
    def mac(self) -> bytes:
        """Sixteen bytes, or none if the frame is not keyed. Not checked yet."""
        return self.raw[-CRC_SIZE - MAC_SIZE : -CRC_SIZE] if self.raw[1] & FLAG_KEYED else b""

    @property
    def extra(self) -> bytes:
        """Bytes after the fields this version knows: a newer device added some."""
        if isinstance(self.message, UnknownMessage) or message_codecs.has_rest(type(self.message)):
            return b""
        return self.signed[HEADER_SIZE + self.message.LAYOUT.size :]

    @property
    def unrecognised(self) -> dict[str, int]:
        """Fields that read UNRECOGNISED, with the number that was sent."""
        return {
            name: number
            for name, number in self.numbers().items()
            if number not in {member.value for member in messages.ENUMS[name]}
        }

    def numbers(self) -> dict[str, int]:
        """Enumerated fields as the numbers that were sent."""
        names = [field.name for field in fields(self.message)]
        values = self.message.LAYOUT.unpack_from(self.raw, HEADER_SIZE)
        return {name: value for name, value in zip(names, values, strict=False) if name in messages.ENUMS}


def unpack(message: int, body: bytes) -> Message | None:
    """A typed message; None for an id unknown to this version or a short body. Longer ones are of newer devices."""
    cls = _BY_ID.get(message)
    if cls is None or len(body) < cls.LAYOUT.size:
        return None
    values = cls.LAYOUT.unpack_from(body)
    if message_codecs.has_rest(cls):
        values += (body[cls.LAYOUT.size :],)
    return cls(*message_codecs.convert(cls, values))


def _read_general(raw: bytes) -> Message:
    """What the compiled readers do not take: other sizes, flags, classes and ids than those of the table."""
    if not _FRAME_MIN <= len(raw) <= FRAME_MAX or raw[0] >> 4 != VERSION or raw[1] & _FLAGS_REFUSED:
        raise Malformed
    end = len(raw) - CRC_SIZE - (MAC_SIZE if raw[1] & FLAG_KEYED else 0)
    if end < HEADER_SIZE:
        raise Malformed
    number = raw[2] | raw[3] << 8
    body = raw[HEADER_SIZE:end]
    message = unpack(number, body)
    if message is None:
        # An event is never dropped, whatever its body: the device would send it for ever.
        if number in _BY_ID and not (is_event(number) and len(body) >= SEQ_SIZE):
            raise Malformed
        return UnknownMessage(number, raw[0] & 0x0F, body)
    return message


def _frame_general(raw: bytes) -> Frame:
    frame = Frame()
    frame.message = _read_general(raw)
    frame.raw = raw
    return frame


_BY_ID = {cls.ID: cls for cls in messages.ALL}
_MESSAGES = message_codecs.reader_table(_read_general, None)
_FRAMES = message_codecs.reader_table(_frame_general, Frame)
_WRITERS: dict[type[Message], message_codecs.Writer] = {}


# --- out ---------------------------------------------------------------------------------------


def encode(message: Message, session: int = 0, sequence: int = 0, flags: int = 0, seal: Seal | None = None) -> bytes:
    """A whole frame with both delimiters. `seal` makes the 16-byte MAC of header and body, and the frame keyed.

    Raises ValueError if a value does not fit its field.
    """
    if seal is not None:
        flags |= FLAG_KEYED
    elif flags & FLAG_KEYED:
        raise ValueError("a keyed frame needs something that seals it")
    try:
        raw = (_WRITERS.get(type(message)) or _writer(type(message)))(message, flags, session, sequence)
    except (struct.error, ValueError) as error:
        raise ValueError(f"{message} cannot be sent: {error}") from None
    if seal is not None:
        raw += message_codecs.raw_of_size(seal(raw), MAC_SIZE)
    if len(raw) > FRAME_MAX - CRC_SIZE:
        raise ValueError(f"{message.NAME} makes a frame of {len(raw) + CRC_SIZE} bytes, at most {FRAME_MAX} are sent")
    return b"\0%b\0" % _stuff(raw + _crc32(raw).to_bytes(CRC_SIZE, "little"))


def _writer(cls: type[Message]) -> message_codecs.Writer:
    """Compiled on first use, then kept."""
    if cls is UnknownMessage:
        _WRITERS[cls] = _write_unknown
    elif _BY_ID.get(cls.ID) is cls:
        _WRITERS[cls] = message_codecs.compile_writer(cls)
    else:
        raise ValueError(f"{cls.__name__} is not in the message table")
    return _WRITERS[cls]


def _write_unknown(message: UnknownMessage, flags: int, session: int, sequence: int) -> bytes:
    head = struct.pack("<BBHHH", VERSION << 4 | message.kind & 0x0F, flags, message.id, session, sequence)
    return head + message.body


# --- in ----------------------------------------------------------------------------------------


@dataclass
class Drops:
    """Pieces between delimiters that were not delivered, by reason; the names are those of `link_counters`."""

    bad_stuffing: int = 0  # not COBS
    bad_crc: int = 0
    too_short: int = 0
    too_long: int = 0
    bad_version: int = 0
    bad_flags: int = 0  # asks for something this version does not understand
    malformed: int = 0  # a body shorter than the table says, or keyed and too short for a MAC
    unfinished: int = 0  # the stream ended inside a frame

    def total(self) -> int:
        return sum(self.by_reason().values())

    def by_reason(self) -> dict[str, int]:
        return {field.name: getattr(self, field.name) for field in fields(self)}


# Those that the device's reader counts too, in its order (firmware/protocol/frame.py).
DEVICE_DROPS = tuple(field.name for field in fields(Drops))[:DROP_KINDS]


def drop_reason(piece: bytes) -> str:
    """Why a piece between two delimiters is not a frame: the name of a counter; "" if it is one, or was empty."""
    if len(piece) > WIRE_MAX:
        return "too_long"
    try:
        raw = unstuff(piece)
    except StuffingError:
        return "bad_stuffing"
    if not _FRAME_MIN <= len(raw) <= FRAME_MAX:
        return "" if not piece else "too_short" if len(raw) < _FRAME_MIN else "too_long"
    if _crc32(raw) != CRC_RESIDUE:
        return "bad_crc"
    if raw[0] >> 4 != VERSION:
        return "bad_version"
    if raw[1] & _FLAGS_REFUSED:
        return "bad_flags"
    try:
        _read_general(raw)
    except Malformed:
        return "malformed"
    return ""


def split(data: bytes, on_drop: OnDrop | None = None) -> list[bytes]:
    """Header, body and MAC of every good frame, as they are: nothing but the frame itself has been checked.

    Bytes after the last delimiter are left out; a Decoder would wait for the rest of them.
    """
    found: list[bytes] = []
    bad: list[int] = []
    add = found.append
    pieces = data.split(_DELIMITER)
    pieces.pop()
    for piece in filter(None, pieces):
        try:
            raw = _unstuff(piece)
        except _StuffingError:
            bad.append(len(found) + len(bad))
            continue
        if (
            _crc32(raw) == CRC_RESIDUE
            and _VERSION_FIRST <= raw[0] <= _VERSION_LAST
            and not raw[1] & _FLAGS_REFUSED
            and _FRAME_MIN <= len(raw) <= FRAME_MAX
        ):
            add(raw[:-CRC_SIZE])
        else:
            bad.append(len(found) + len(bad))
    if bad and on_drop is not None:
        for offset, piece in _located(pieces, bad, 0):
            on_drop(offset, len(piece), drop_reason(piece))
    return found


def decode_all(data: bytes, on_drop: OnDrop | None = None) -> list[Frame]:
    """Every good frame of a whole capture; what follows the last delimiter is left out."""
    decoder = Decoder(on_drop)
    return [frame for part in _parts(data) for frame in decoder.feed(part)]


def decode_messages(data: bytes, on_drop: OnDrop | None = None) -> list[Message]:
    """The messages alone, without the frames they came in."""
    decoder = Decoder(on_drop)
    return [message for part in _parts(data) for message in decoder.feed_messages(part)]


def _parts(data: bytes) -> Iterator[bytes]:
    """Of a size that stays in the processor's cache from one step of decoding to the next."""
    return (data[at : at + _PART] for at in range(0, len(data), _PART))


class Decoder:
    """Feed it bytes, iterate the frames. Holds at most one frame's worth of unfinished bytes.

    `on_drop(offset, length, reason)` is called for whatever is not delivered: its offset from the first byte
    fed, its length without delimiters, and why, by the names in Drops. `drops` goes on with the counts of another one.
    """

    def __init__(self, on_drop: OnDrop | None = None, drops: Drops | None = None) -> None:
        self.drops = drops or Drops()
        self.offset = 0  # bytes fed so far
        self._on_drop = on_drop
        self._rest = b""
        self._lost = 0  # bytes of an overlong piece that were let go

    def feed(self, data: bytes) -> Sequence[Frame]:
        """All frames that `data` completes."""
        return self._found(data, _FRAMES)

    def feed_messages(self, data: bytes) -> Sequence[Message]:
        """The same without the frames, which is faster; only for a line that needs no session."""
        return self._found(data, _MESSAGES)

    def feed_located(self, data: bytes) -> Iterator[tuple[int, Frame]]:
        """The same, each frame with the offset of its first byte after the delimiter."""
        taken = self._take(data, _FRAMES)
        passed_over = set(taken.bad)
        good = [index for index in range(len(taken.found) + len(taken.bad)) if index not in passed_over]
        places = (offset for offset, _piece in _located(taken.pieces, good, taken.start))
        return zip(places, taken.found, strict=True)

    def _found(self, data: bytes, readers: list[list[Callable[[bytes], T]]]) -> Sequence[T]:
        """What these bytes complete. Two kinds of read are so common that they have a shortcut: a part of a frame, and
        one whole frame."""
        last = data.rfind(_DELIMITER)
        if last < 0:
            self.offset += len(data)
            self._rest += data
            if len(self._rest) > WIRE_MAX:
                self._lose_rest()
            return ()
        if last == len(data) - 1 and not self._lost:
            # Without a delimiter inside, this is one piece: all of the read, or the end of one that was begun.
            piece = self._rest + data[:last] if self._rest else data[1:last]
            if _DELIMITER not in piece and (self._rest or not data[0]):
                try:
                    raw = _unstuff(piece)
                    if _crc32(raw) == CRC_RESIDUE:
                        found = readers[raw[3]][raw[2]](raw)
                        self.offset += len(data)
                        self._rest = b""
                        return (found,)
                except (_StuffingError, Malformed):
                    pass
        return self._take(data, readers).found

    def _take(self, data: bytes, readers: list[list[Callable[[bytes], T]]]) -> _Taken[T]:
        """The general way: any number of pieces, good or bad; drops are counted and reported."""
        start = self.offset - len(self._rest)
        self.offset += len(data)
        pieces = (self._rest + data if self._rest else data).split(_DELIMITER)
        self._rest = pieces.pop()
        if self._lost and pieces:
            self._drop(start - self._lost, self._lost + len(pieces[0]), "too_long")
            self._lost = 0
            start += len(pieces[0])
            pieces[0] = b""
        taken = _read_pieces(pieces, start, readers)
        for offset, piece in _located(pieces, taken.bad, start):
            self._drop(offset, len(piece), drop_reason(piece))
        if len(self._rest) > WIRE_MAX:
            self._lose_rest()
        return taken

    def finish(self) -> None:
        """The stream is over: a piece without its closing delimiter is dropped as unfinished."""
        length = self._lost + len(self._rest)
        if length:
            self._drop(self.offset - length, length, "too_long" if self._lost else "unfinished")
        self._lost = 0
        self._rest = b""

    def _lose_rest(self) -> None:
        """Let go of a piece that is too long for a frame; it is counted when its end comes."""
        self._lost += len(self._rest)
        self._rest = b""

    def _drop(self, offset: int, length: int, reason: str) -> None:
        setattr(self.drops, reason, getattr(self.drops, reason) + 1)
        if self._on_drop is not None:
            self._on_drop(offset, length, reason)


@dataclass
class _Taken(Generic[T]):
    """What some bytes completed, and the pieces between delimiters it came from."""

    found: list[T]
    pieces: list[bytes]
    bad: list[int]  # which of the pieces that are not empty are no frame
    start: int  # offset of the first piece


def _read_pieces(pieces: list[bytes], start: int, readers: list[list[Callable[[bytes], T]]]) -> _Taken[T]:
    """On a clean line everything is a frame, and then steps that each take all of the pieces are fastest."""
    try:
        raws = list(map(_unstuff, filter(None, pieces)))
        if list(map(_crc32, raws)).count(CRC_RESIDUE) == len(raws):
            # Nothing shorter than four bytes has a good CRC.
            return _Taken([readers[raw[3]][raw[2]](raw) for raw in raws], pieces, [], start)
    except (_StuffingError, Malformed):
        pass
    return _read_carefully(pieces, start, readers)


def _read_carefully(pieces: list[bytes], start: int, readers: list[list[Callable[[bytes], T]]]) -> _Taken[T]:
    """The same piece by piece: some are bad."""
    found: list[T] = []
    bad: list[int] = []
    for piece in filter(None, pieces):
        try:
            raw = _unstuff(piece)
            if _crc32(raw) == CRC_RESIDUE:
                found.append(readers[raw[3]][raw[2]](raw))
                continue
        except (_StuffingError, Malformed):
            pass
        bad.append(len(found) + len(bad))
    return _Taken(found, pieces, bad, start)


def _located(pieces: list[bytes], chosen: list[int], offset: int) -> Iterator[tuple[int, bytes]]:
    """The chosen ones of the pieces that are not empty, with their places; the first piece is at `offset`."""
    if not chosen:
        return
    wanted = iter(chosen)
    index = next(wanted)
    count = -1
    for piece in pieces:
        if piece:
            count += 1
            if count == index:
                yield offset, piece
                index = next(wanted, -1)
        offset += len(piece) + 1
