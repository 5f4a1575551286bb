"""An image sealed as picotool seals one: a metadata block at its end with load map, hash and secp256k1 signature."""

from __future__ import annotations

import hashlib
import struct
from typing import Any

from fairshoe.ship.errors import need

_START, _END = 0xFFFFDED3, 0xAB123579
_IMAGE_TYPE = 0x10210142
_FIRST = 0x100  # where the first block is


def new_key() -> Any:
    ec = need("cryptography.hazmat.primitives.asymmetric.ec", "release")
    return ec.generate_private_key(ec.SECP256K1())


def public_bytes(key: Any) -> bytes:
    numbers = key.public_key().public_numbers()
    return numbers.x.to_bytes(32, "big") + numbers.y.to_bytes(32, "big")


def sealed(body: bytes, key: Any, rollback: int = 0, hashed: int | None = None) -> bytes:
    """`body` with a first block in it, and behind it the block with the signature over all, or over `hashed` bytes."""
    last = len(body)
    flash = bytearray(body)
    first = struct.pack("<6I", _START, _IMAGE_TYPE, 0x000001FF, last - _FIRST, _END, 0)
    flash[_FIRST : _FIRST + len(first)] = first
    size = last if hashed is None else hashed
    head = [_START, _IMAGE_TYPE, 0x02000348, 0x00010000, rollback | 2 << 16 | 0, 0]
    head[2] = 0x48 | 4 << 8 | 2 << 24
    head[5] = 0x004E | 0x0051 << 16
    map_at = len(head)
    load_map = [0x06 | 4 << 8 | 1 << 24, (-last - 4 * map_at) & 0xFFFFFFFF, 0x10000000, size]
    words = [*head, *load_map, 0x47 | 2 << 8 | 1 << 24]
    words.append(len(words) + 1)
    block = struct.pack(f"<{len(words)}I", *words)
    digest = hashlib.sha256(bytes(flash[:size]) + block).digest()
    block += struct.pack("<I", 0x09 | 33 << 8 | 1 << 24) + public_bytes(key) + _signature(key, digest)
    block += struct.pack("<I", 0x4B | 9 << 8) + digest
    count = len(block) // 4 - 1
    block += struct.pack("<3I", 0xFF | count << 8, (_FIRST - last) & 0xFFFFFFFF, _END)
    whole = bytes(flash) + block
    return whole + bytes(-len(whole) % 256)


def _signature(key: Any, digest: bytes) -> bytes:
    ec = need("cryptography.hazmat.primitives.asymmetric.ec", "release")
    utils = need("cryptography.hazmat.primitives.asymmetric.utils", "release")
    hashes = need("cryptography.hazmat.primitives.hashes", "release")
    der = key.sign(digest, ec.ECDSA(utils.Prehashed(hashes.SHA256())))
    return b"".join(part.to_bytes(32, "big") for part in utils.decode_dss_signature(der))
