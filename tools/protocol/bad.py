"""Frames that must not be believed: those a reader drops by themselves, and those a device in a session refuses."""

from __future__ import annotations

from firmware.protocol import ids
from firmware.protocol.cobs import FRAME_MAX
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE
from firmware.protocol.session import MAC_SIZE
from protocol.frames import Json, Key, Value, make, stuff, with_crc

# The link sequence that the device of `refused_frames` accepted last.
RECEIVED = 20

_ACK: dict[str, Value] = {"seq": 1207}
_OP: dict[str, Value] = {"op": 41}


def bad_frames() -> list[Json]:
    """Each with the name of the counter in link_counters that counts it. The CRC is right unless that is the point."""
    good = make("event_ack", _ACK, 0x2B09, 7)
    head = good.raw[:-CRC_SIZE]
    return [
        *_bad_stuffing(good.wire),
        _bad("no bytes at all", stuff(b""), "too_short"),
        _bad("four bytes", with_crc(b""), "too_short"),
        _bad("eleven bytes: a header cut short", with_crc(head[: HEADER_SIZE - 1]), "too_short"),
        *_bad_lengths(head),
        _bad("one bit wrong in the body", stuff(_flip(good.raw, HEADER_SIZE)), "bad_crc"),
        _bad("one bit wrong in the header", stuff(_flip(good.raw, 2)), "bad_crc"),
        _bad("one bit wrong in the CRC", stuff(_flip(good.raw, len(good.raw) - 1)), "bad_crc"),
        _bad("the CRC in the wrong byte order", stuff(head + good.raw[-CRC_SIZE:][::-1]), "bad_crc"),
        _bad("the last byte missing", stuff(good.raw[:-1]), "bad_crc"),
        _bad("a byte too many", stuff(good.raw + b"\x01"), "bad_crc"),
        _bad("version 0", with_crc(bytes((ids.CLASS_ACK,)) + head[1:]), "bad_version"),
        _bad("version 2", with_crc(bytes((2 << 4 | ids.CLASS_ACK,)) + head[1:]), "bad_version"),
        _bad("version 2 and a wrong CRC", stuff(_flip(good.raw, 0, 0x30)), "bad_crc"),
        *(
            _bad(f"must-understand flag 0x{flag:02X}", with_crc(head[:1] + bytes((flag,)) + head[2:]), "bad_flags")
            for flag in (0x10, 0x20, 0x40, 0x50)
        ),
        _bad("version 2 and an unknown flag", with_crc(bytes((2 << 4, 0x40)) + head[2:]), "bad_version"),
    ]


def refused_frames(key: Key) -> list[Json]:
    """What a device refuses though the frame is good: it is in this keyed session and last accepted RECEIVED."""
    later = RECEIVED + 1
    good = make("set_positions", {"op": 41, "positions": 3}, sequence=later, key=key)
    other = Key(bytes(32), key.role, key.session, key.host_nonce, key.device_nonce)
    elsewhere = Key(key.device_key, key.role, key.session ^ 1, key.host_nonce, key.device_nonce)
    nonces = Key(key.device_key, key.role, key.session, key.device_nonce, key.host_nonce)
    service = Key(key.device_key, ids.ROLE_SERVICE, key.session, key.host_nonce, key.device_nonce)
    cases = (
        ("made with another device key", make("event_ack", _ACK, sequence=later, key=other).wire, "bad_mac"),
        ("made with other nonces", make("event_ack", _ACK, sequence=later, key=nonces).wire, "bad_mac"),
        ("made for another role", make("event_ack", _ACK, sequence=later, key=service).wire, "bad_mac"),
        ("of another session", make("event_ack", _ACK, sequence=later, key=elsewhere).wire, "bad_session"),
        ("an argument changed, CRC repaired", _changed(good.raw, HEADER_SIZE + 4), "bad_mac"),
        ("the sequence raised, CRC repaired", _changed(good.raw, 7), "bad_mac"),
        ("the MAC changed, CRC repaired", _changed(good.raw, len(good.raw) - CRC_SIZE - 1), "bad_mac"),
        ("cut short, CRC repaired", with_crc(good.raw[: -CRC_SIZE - 1]), "bad_mac"),
        ("sent back to its author", make("door_opened", _event(), sequence=later, key=key).wire, "bad_mac"),
        ("the last one again", make("event_ack", _ACK, sequence=RECEIVED, key=key).wire, "replayed"),
        ("an older one again", make("event_ack", _ACK, sequence=3, key=key).wire, "replayed"),
        ("an older one, made with another device key", make("event_ack", _ACK, sequence=3, key=other).wire, "replayed"),
        ("an acknowledgement in clear", make("event_ack", _ACK, key.session, later).wire, "not_keyed"),
        ("a command in clear", make("shuffle", _OP, key.session, later).wire, "not_keyed"),
        ("too short for a MAC", with_crc(good.raw[: HEADER_SIZE + MAC_SIZE - 1]), "malformed"),
        ("authentic, an argument missing", _short(key, later), "malformed"),
        ("authentic, no such message", _unknown(key, later), "unknown"),
    )
    return [{"name": name, "frame_hex": wire.hex(), "reason": reason} for name, wire, reason in cases]


def _bad(name: str, wire: bytes, reason: str) -> Json:
    return {"name": name, "frame_hex": wire.hex(), "reason": reason}


def _bad_stuffing(good: bytes) -> list[Json]:
    return [
        _bad("a code that points past the end", b"\x00" + bytes((good[1] + 90,)) + good[2:], "bad_stuffing"),
        _bad("code 0xFF", b"\x00\xff" + b"\x55" * 254 + b"\x00", "bad_stuffing"),
        _bad("the last byte lost on the wire", good[:-2] + b"\x00", "bad_stuffing"),
        _bad("text", b"\x00Traceback\x00", "bad_stuffing"),
    ]


def _bad_lengths(head: bytes) -> list[Json]:
    body = head[:HEADER_SIZE] + bytes(FRAME_MAX + 1 - HEADER_SIZE - CRC_SIZE)
    return [
        _bad("254 bytes", with_crc(body), "too_long"),
        _bad("600 bytes without a delimiter", b"\x00" + b"\xff" * 600 + b"\x00", "too_long"),
    ]


def _flip(raw: bytes, at: int, bits: int = 1) -> bytes:
    return raw[:at] + bytes((raw[at] ^ bits,)) + raw[at + 1 :]


def _changed(raw: bytes, at: int) -> bytes:
    return with_crc(_flip(raw, at)[:-CRC_SIZE])


def _event() -> dict[str, Value]:
    return {"seq": 9, "boot": 1, "uptime_s": 60, "uptime_ms": 0, "utc_s": 0, "round": 0, "deck": 0}


def _short(key: Key, sequence: int) -> bytes:
    """set_positions without its argument, under a right MAC."""
    whole = make("event_ack", _ACK, sequence=sequence, key=key)
    return _resign(whole.raw, ids.CMD_SET_POSITIONS, key)


def _unknown(key: Key, sequence: int) -> bytes:
    whole = make("event_ack", _ACK, sequence=sequence, key=key)
    return _resign(whole.raw, 200, key)


def _resign(raw: bytes, message: int, key: Key) -> bytes:
    """The same frame as another message, with the MAC and CRC of that."""
    signed = raw[:2] + message.to_bytes(2, "little") + raw[4 : -CRC_SIZE - MAC_SIZE]
    return with_crc(signed + key.device_hmac().digest(b"H", signed)[:MAC_SIZE])
