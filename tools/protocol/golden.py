"""The golden capture: what a tap on the device's line might record, with noise and damage, and what must come out."""

from __future__ import annotations

from dataclasses import dataclass, field

from firmware.protocol import ids
from firmware.protocol.frame import CRC_SIZE
from protocol.frames import Frame, Json, Key, Value, make, stuff, with_crc
from protocol.table import BY_NAME
from protocol.words import usual


@dataclass
class Capture:
    """Bytes so far, and what a decoder must find in them. Offsets and lengths leave the delimiters out."""

    data: bytearray = field(default_factory=bytearray)
    found: list[tuple[int, int, Frame]] = field(default_factory=list[tuple[int, int, Frame]])
    drops: list[tuple[int, int, str, str]] = field(default_factory=list[tuple[int, int, str, str]])
    unfinished: tuple[int, int] = (0, 0)

    def good(self, frame: Frame) -> None:
        self.data += b"\x00"
        self.found.append((len(self.data), len(frame.wire) - 2, frame))
        self.data += frame.wire[1:]

    def shared(self, frame: Frame) -> None:
        """A frame that begins with the delimiter that ended the one before it."""
        del self.data[-1]
        self.good(frame)

    def bad(self, inner: bytes, reason: str, what: str, open_end: bool = False) -> None:
        """Bytes without a zero, up to a delimiter: their own, or the first one of the next frame."""
        if 0 in inner:
            raise ValueError(f"{what}: a delimiter inside")
        self.drops.append((len(self.data), len(inner), reason, what))
        self.data += inner
        if not open_end:
            self.data += b"\x00"

    def tail(self, inner: bytes) -> None:
        self.data += b"\x00"
        self.unfinished = (len(self.data), len(inner))
        self.data += inner

    def json(self, capture: bytes) -> Json:
        if bytes(self.data) != capture:
            raise ValueError("not this capture")
        return {
            "file": "golden.bin",
            "bytes": len(capture),
            "frames": [
                {"offset": offset, "length": length, **frame.json(f"golden {number}")}
                for number, (offset, length, frame) in enumerate(self.found, 1)
            ],
            "drops": [
                {"offset": offset, "length": length, "reason": reason, "what": what}
                for offset, length, reason, what in self.drops
            ],
            "unfinished": {"offset": self.unfinished[0], "length": self.unfinished[1]},
        }


def golden(key: Key) -> Capture:
    """A device's line: clear at first, then keyed; the tap starts in the middle of a frame."""
    capture = Capture()
    _clear_part(capture)
    _keyed_part(capture, key)
    return capture


def _clear_part(capture: Capture) -> None:
    session = 0x2B09
    status = make("status", usual(BY_NAME["status"]), session, 40)
    capture.bad(status.wire[20:-1], "bad_crc", "the end of a frame: the tap came late")
    capture.good(status)
    capture.good(make("shuffle_started", event("shuffle_started", 1), session, 41))
    capture.bad(b"\x55\xaa\x55", "bad_stuffing", "noise between two frames", open_end=True)
    capture.good(make("deck_verified", event("deck_verified", 2), session, 42))
    capture.shared(make("round_started", event("round_started", 3), session, 43))
    flipped = bytearray(make("lockout_confirmed", event("lockout_confirmed", 4), session, 44).raw)
    flipped[8] ^= 0x20
    capture.data += b"\x00"
    capture.bad(stuff(bytes(flipped))[1:-1], "bad_crc", "one bit wrong")
    capture.good(make("lockout_confirmed", event("lockout_confirmed", 4), session, 45, flags=ids.FLAG_AGAIN))
    capture.data += bytes(5)
    capture.good(make("stack_started", event("stack_started", 5), session, 46, flags=0x08))
    _torn(capture, make("stack_offered", event("stack_offered", 6), session, 47))
    capture.good(make("stack_offered", event("stack_offered", 6), session, 48, flags=ids.FLAG_AGAIN))
    capture.bad(b"\xff" * 700, "too_long", "a line stuck for 700 bytes", open_end=True)
    capture.good(make("dictionary_line", usual(BY_NAME["dictionary_line"]), 0, 2))


def _torn(capture: Capture, frame: Frame) -> None:
    """A byte became zero: two pieces, neither of which is a frame."""
    inner = frame.wire[1:-1]
    at = next(i for i in range(20, len(inner)) if inner[i] == 5)
    capture.data += b"\x00"
    capture.bad(inner[:at], "bad_crc", "a byte became zero: the piece before it")
    capture.bad(inner[at + 1 :], "bad_stuffing", "and the piece after it")


def _keyed_part(capture: Capture, key: Key) -> None:
    capture.good(make("welcome", usual(BY_NAME["welcome"]), sequence=0, key=key))
    newer = make("status", usual(BY_NAME["status"]), sequence=1, key=key).raw[:-CRC_SIZE]
    capture.data += b"\x00"
    capture.bad(with_crc(b"\x26" + newer[1:])[1:-1], "bad_version", "a frame of version 2")
    capture.bad(with_crc(newer[:1] + b"\xc0" + newer[2:])[1:-1], "bad_flags", "a flag to be understood that is not")
    capture.bad(b"\x01", "too_short", "an empty frame")
    capture.bad(stuff(b"\x10\x80")[1:-1], "too_short", "two bytes")
    capture.good(make("stack_offered", event("stack_offered", 6), sequence=2, key=key, flags=ids.FLAG_AGAIN))
    capture.good(make("result", usual(BY_NAME["result"]), sequence=3, key=key))
    capture.good(make("stack_taken", event("stack_taken", 7), sequence=4, key=key, extra=b"\x00\x01"))
    capture.good(make("link_counters", usual(BY_NAME["link_counters"]), sequence=5, key=key))
    joined = make("time_is", usual(BY_NAME["time_is"]), sequence=6, key=key).wire[1:-1]
    joined += make("result", usual(BY_NAME["result"]), sequence=7, key=key).wire[1:-1]
    capture.data += b"\x00"
    capture.bad(joined, "bad_crc", "two frames whose delimiters were lost")
    capture.good(make("session_ending", usual(BY_NAME["session_ending"]), sequence=0xFF00, key=key))
    capture.tail(make("round_ended", event("round_ended", 8), sequence=0xFF01, key=key).wire[1:30])


def event(name: str, seq: int) -> dict[str, Value]:
    number = 0 if seq < 3 else 88
    return {**usual(BY_NAME[name]), "seq": seq, "uptime_s": 60 + seq, "uptime_ms": seq * 37, "round": number}
