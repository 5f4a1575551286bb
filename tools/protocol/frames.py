"""Frames made by the device's own encoder, for vectors, the golden capture and the worked examples."""

from __future__ import annotations

import hashlib
import hmac as host_hmac
from binascii import crc32
from dataclasses import dataclass

from firmware.digest import Hmac
from firmware.protocol import ids
from firmware.protocol.codec import codec_table, pack, prefix_codes
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE, FrameWriter
from firmware.protocol.session import FROM_DEVICE, FROM_HOST, MAC_SIZE, role_key, session_hmac
from firmware.protocol.table import field_codes
from protocol.table import BY_NAME, Message, value_name

Value = int | str
Json = dict[str, object]

LABEL = b"fairshoe session"
ROLE_LABEL = b"fairshoe role"
_CODES = codec_table()


@dataclass(frozen=True)
class Key:
    """What the two ends of a keyed session share."""

    device_key: bytes
    role: int
    session: int
    host_nonce: bytes
    device_nonce: bytes

    @property
    def session_key(self) -> bytes:
        """By the standard library, so that the device's own derivation is checked against something else."""
        return host_hmac.new(self.role_key, self.hashed, hashlib.sha256).digest()

    @property
    def role_key(self) -> bytes:
        return host_hmac.new(self.device_key, ROLE_LABEL + bytes((self.role,)), hashlib.sha256).digest()

    @property
    def hashed(self) -> bytes:
        """What the session key is made from, besides the key of the role."""
        return LABEL + bytes((ids.VERSION,)) + self.session.to_bytes(2, "little") + self.host_nonce + self.device_nonce

    def device_hmac(self) -> Hmac:
        key = role_key(self.device_key, self.role)
        return session_hmac(key, ids.VERSION, self.session, self.host_nonce, self.device_nonce)

    def json(self) -> Json:
        return {
            "device_key_hex": self.device_key.hex(),
            "role": self.role,
            "role_key_hex": self.role_key.hex(),
            "version_max": ids.VERSION,
            "session": self.session,
            "host_nonce_hex": self.host_nonce.hex(),
            "device_nonce_hex": self.device_nonce.hex(),
            "session_key_hex": self.session_key.hex(),
        }


@dataclass(frozen=True)
class Frame:
    """One frame and what it was made from. `raw` is the frame before stuffing: header, body, MAC, CRC."""

    message: Message
    flags: int
    session: int
    sequence: int
    fields: dict[str, Value]
    extra: bytes
    key: Key | None
    raw: bytes
    wire: bytes

    @property
    def body(self) -> bytes:
        end = len(self.raw) - CRC_SIZE - (MAC_SIZE if self.key else 0)
        return self.raw[HEADER_SIZE:end]

    @property
    def mac(self) -> bytes:
        return self.raw[-CRC_SIZE - MAC_SIZE : -CRC_SIZE] if self.key else b""

    def json(self, name: str) -> Json:
        entry: Json = {
            "name": name,
            "from": "host" if self.message.from_host else "device",
            "message": self.message.name,
            "id": self.message.id,
            "class": self.message.kind,
            "flags": self.flags,
            "session": self.session,
            "sequence": self.sequence,
            "fields": self.fields,
        }
        words = {field: value_name(field, value) for field, value in self.fields.items() if isinstance(value, int)}
        words = {field: word for field, word in words.items() if word}
        if words:
            entry["words"] = words
        if self.extra:
            entry["extra_hex"] = self.extra.hex()
        entry["body_hex"] = self.body.hex()
        if self.key:
            entry["key"] = self.key.json()
            entry["mac_hex"] = self.mac.hex()
        entry["frame_hex"] = self.wire.hex()
        return entry


def make(
    name: str,
    fields: dict[str, Value],
    session: int = 0,
    sequence: int = 0,
    key: Key | None = None,
    flags: int = 0,
    extra: bytes = b"",
) -> Frame:
    """A frame as the device's encoder makes it. `extra` stands after the fields, as from a newer version."""
    message = BY_NAME[name]
    if key:
        session = key.session
        flags |= ids.FLAG_KEYED
    writer = FrameWriter()
    writer.begin(message.kind, flags, message.id, session, sequence)
    codes = _CODES[message.id]
    if message.kind == ids.CLASS_EVENT:
        codes = prefix_codes() + codes
    numbers, raw = _split(message, fields)
    writer.at = pack(writer.body, writer.at, codes, numbers, raw)
    for byte in extra:
        writer.body[writer.at] = byte
        writer.at += 1
    if key:
        _sign(writer, key, FROM_HOST if message.from_host else FROM_DEVICE)
    body = bytes(writer.body[: writer.at])
    raw_frame = body + crc32(body).to_bytes(CRC_SIZE, "little")
    writer.finish()
    return Frame(message, flags, session, sequence, fields, extra, key, raw_frame, bytes(writer.wire[: writer.end]))


def stuff(raw: bytes) -> bytes:
    """Any bytes as a frame on the wire, the CRC being part of them or not."""
    from firmware.protocol.cobs import cobs_encode

    wire = bytearray(2) + raw + b"\0"
    cobs_encode(wire, 1, len(wire) - 1)
    return bytes(wire)


def with_crc(raw: bytes) -> bytes:
    """On the wire with a right CRC: how someone who has no key would repair a changed frame."""
    return stuff(raw + crc32(raw).to_bytes(CRC_SIZE, "little"))


def _split(message: Message, fields: dict[str, Value]) -> tuple[list[int], bytes]:
    """Integers in order, and the raw fields in order at their full size: what pack takes."""
    if set(fields) != {field.name for field in message.fields}:
        raise ValueError(f"{message.name} has the fields {[field.name for field in message.fields]}")
    numbers: list[int] = []
    raw = b""
    for field in message.fields:
        value = fields[field.name]
        if isinstance(value, int):
            numbers.append(value)
        else:
            data = value.encode("ascii") if field.kind == "t8" else bytes.fromhex(value)
            raw += data + bytes(max(0, field.size - len(data)))
    if len(numbers) != len([code for code in field_codes(_spec(message)) if code < 8]):
        raise ValueError(f"{message.name}: a number where bytes belong, or the other way round")
    return numbers, raw


def _spec(message: Message) -> str:
    return " ".join(f"{field.name}:{field.kind}" for field in message.fields)


def _sign(writer: FrameWriter, key: Key, direction: bytes) -> None:
    signed = bytes(writer.body[: writer.at])
    mac = key.device_hmac().digest(direction, signed)[:MAC_SIZE]
    if mac != host_hmac.new(key.session_key, direction + signed, hashlib.sha256).digest()[:MAC_SIZE]:
        raise ValueError("the device's HMAC and the standard library's differ")
    for byte in mac:
        writer.body[writer.at] = byte
        writer.at += 1
