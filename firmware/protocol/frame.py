"""Frames: 00 | COBS(header 8, body, [MAC 16,] CRC-32) | 00. The CRC is checked before any field is read.

    header: u8 version<<4 | class   u8 flags   u16 message   u16 session   u16 link sequence

A reader takes any bytes whatever, in any pieces, and counts everything it drops. A writer holds one frame at a time
and hands out what a partial write left over. Nothing allocates on a good frame once its length has been seen.
"""

from binascii import crc32
from struct import pack_into

from micropython import const

from firmware.protocol.cobs import FILL_BITS, FRAME_MAX, WIRE_MAX, cobs_decode, cobs_encode, cobs_gather
from firmware.protocol.ids import FLAG_KEYED, FLAGS_MUST, VERSION

HEADER_SIZE = const(8)
CRC_SIZE = const(4)
CRC_RESIDUE = const(0x2144DF1C)  # crc32 over a frame including its CRC; a small integer, so checking costs no heap
BODY_AT = const(2)

DROP_COBS = const(0)
DROP_CRC = const(1)
DROP_SHORT = const(2)
DROP_LONG = const(3)
DROP_VERSION = const(4)
DROP_FLAGS = const(5)
DROP_KINDS = const(6)


class Views:
    """Views of a buffer's first n bytes, each made once: slicing on every frame would allocate on every frame."""

    def __init__(self, buf: "bytearray | memoryview") -> None:
        self.whole = memoryview(buf)
        self.made: "list[memoryview | None]" = [None] * (FRAME_MAX + 1)

    def first(self, size: int) -> memoryview:
        view = self.made[size]
        if view is None:
            view = self.whole[:size]
            self.made[size] = view
        return view


class FrameReader:
    """Reassembles frames. `buf[:size]` holds the last good one, header first, CRC last."""

    def __init__(self) -> None:
        self.buf = bytearray(WIRE_MAX)
        self.views = Views(self.buf)
        self.size = 0
        self.fill = 0  # more than WIRE_MAX: too long for any frame
        self.good = 0
        self.drops = [0] * DROP_KINDS

    def push(self, chunk: bytearray, start: int, end: int) -> int:
        """Take bytes until a good frame is complete (then size > 0) or the chunk ends. Returns where it stopped."""
        self.size = 0
        while start < end and not self.size:
            gathered = cobs_gather(self.buf, self.fill, chunk, start, end)
            start = gathered >> FILL_BITS
            self.fill = gathered & (1 << FILL_BITS) - 1
            if start < end:  # the delimiter of a frame
                start += 1
                self._finish(self.fill)
                self.fill = 0
        return start

    def _finish(self, fill: int) -> None:
        drops = self.drops
        if fill > WIRE_MAX:
            drops[DROP_LONG] += 1
            return
        size = cobs_decode(self.buf, fill)
        if size < 0:
            drops[DROP_COBS] += 1
        elif size < HEADER_SIZE + CRC_SIZE:
            drops[DROP_SHORT] += 1
        elif size > FRAME_MAX:
            drops[DROP_LONG] += 1
        elif crc32(self.views.first(size)) != CRC_RESIDUE:
            drops[DROP_CRC] += 1
        elif self.buf[0] >> 4 != VERSION:
            drops[DROP_VERSION] += 1
        elif self.buf[1] & FLAGS_MUST & ~FLAG_KEYED:
            drops[DROP_FLAGS] += 1
        else:
            self.good += 1
            self.size = size


class FrameWriter:
    """Builds one frame and keeps it until the link has taken all of it. The body is stuffed where it lies: it is good
    for nothing after `finish`."""

    def __init__(self) -> None:
        self.wire = bytearray(WIRE_MAX)
        self.wire_view = memoryview(self.wire)
        self.body = self.wire_view[BODY_AT:]
        self.views = Views(self.body)
        self.at = 0  # next free byte of body
        self.sent = 0
        self.end = 0  # bytes of wire in use

    def busy(self) -> bool:
        return self.sent < self.end

    def begin(self, kind: int, flags: int, message: int, session: int, sequence: int) -> None:
        body = self.body
        body[0] = VERSION << 4 | kind
        body[1] = flags
        body[2] = message & 0xFF
        body[3] = message >> 8
        body[4] = session & 0xFF
        body[5] = session >> 8
        body[6] = sequence & 0xFF
        body[7] = sequence >> 8 & 0xFF
        self.at = HEADER_SIZE

    def put(self, data: "bytes | bytearray | memoryview") -> None:
        """Append bytes to the body."""
        end = self.at + len(data)
        self.body[self.at : end] = data
        self.at = end

    def finish(self) -> None:
        """Seal the frame: CRC, stuffing, delimiter at both ends."""
        pack_into("<I", self.body, self.at, crc32(self.views.first(self.at)))
        end = BODY_AT + self.at + CRC_SIZE
        cobs_encode(self.wire, BODY_AT - 1, end)
        self.wire[end] = 0
        self.end = end + 1
        self.sent = 0


def frame_message(frame: bytearray) -> int:
    """Message id of a good frame."""
    return frame[2] | frame[3] << 8


def frame_session(frame: bytearray) -> int:
    return frame[4] | frame[5] << 8


def frame_sequence(frame: bytearray) -> int:
    return frame[6] | frame[7] << 8
