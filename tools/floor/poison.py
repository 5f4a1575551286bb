"""What a hostile program writes to the stream, on the subject of a device of its own."""

from __future__ import annotations

POISONED = 0xBADBAD
_LINE = (
    b'{"device":"00badbad","log":"706f69736f6e","seq":1,"message":256,"name":"booted","boot":1,"uptime_s":1.0,"utc_s":0,'
    b'"round":0,"deck":0,"fields":{"firmware":"0.9"},"body":"","received":5.0,"gateway":"pit-9"}'
)
POISONS = (
    *(_LINE.replace(b"0.9", text) for text in (b"a\\u0000b", b"\\ud800", b"x" * 3000)),
    *(_LINE.replace(b'"seq":1', b'"seq":' + number) for number in (b"Infinity", b"NaN", str(1 << 70).encode())),
    b"[" * 100_000,
    b"\xff",
)


def is_poison(subject: str) -> bool:
    return f".{POISONED:08x}." in subject
