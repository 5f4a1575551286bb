"""Signed boot of the RP2350: sealing an image with picotool, and finding and checking the signature in a flash.

The boot ROM follows a loop of metadata blocks from the first 4 KB of the flash. The block of a sealed image has a load
map (what is hashed), the hash, a signature over it by secp256k1, and the rollback number. The ROM accepts a public key
whose SHA-256 is in OTP: that SHA-256 is the fingerprint here. docs/FIRMWARE.md says what to write into OTP.
"""

from __future__ import annotations

import hashlib
import struct
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairshoe.files import read_regular
from fairshoe.ship.checkout import Toolchain
from fairshoe.ship.errors import NoImage, need
from fairshoe.ship.flash_image import FLASH_START
from fairshoe.ship.identity import version_numbers

_BLOCK_START, _BLOCK_END = 0xFFFFDED3, 0xAB123579
_LOAD_MAP, _HASH_DEF, _VERSION, _SIGNATURE, _HASH_VALUE, _LAST = 0x06, 0x47, 0x48, 0x09, 0x4B, 0xFF
_FIRST_BYTES = 4096  # where the boot ROM looks for the first block
_BLOCK_WORDS_MAX = 0x280 // 4
_BLOCKS_MAX = 16
_KEY_BYTES = 64
_PEM_BYTES_MAX = 65536


@dataclass(frozen=True)
class Signed:
    """The signature in a flash. `good`: it is one of this public key over these bytes, and they are all hashed."""

    fingerprint: str
    rollback: int | None
    good: bool


@dataclass(frozen=True)
class _Block:
    start: int  # in the flash
    words: tuple[int, ...]
    items: dict[int, int]  # by type: where in words
    after: int  # the next block, in the flash


def find_signature(flash: bytes) -> Signed | None:
    """The signature of the image that begins with the flash; None if it is not signed."""
    found: Signed | None = None
    for block in _blocks(flash):
        if _SIGNATURE in block.items and _LOAD_MAP in block.items and _HASH_DEF in block.items:
            found = _check(flash, block)  # of several blocks the boot ROM takes the last
    return found


def _blocks(flash: bytes) -> Iterator[_Block]:
    marker = _BLOCK_START.to_bytes(4, "little")
    at = flash.find(marker, 0, _FIRST_BYTES)
    while at >= 0 and at % 4:
        at = flash.find(marker, at + 1, _FIRST_BYTES)
    first = at
    for _ in range(_BLOCKS_MAX):
        block = _block(flash, at) if at >= 0 else None
        if block is None:
            return
        yield block
        at = block.after
        if at == first:
            return


def _block(flash: bytes, start: int) -> _Block | None:
    if start < 0 or start % 4 or start + 8 > len(flash):
        return None
    count = min(_BLOCK_WORDS_MAX, (len(flash) - start) // 4)
    words = struct.unpack_from(f"<{count}I", flash, start)
    if words[0] != _BLOCK_START:
        return None
    items: dict[int, int] = {}
    at = 1
    while at + 2 < count:
        kind = words[at] & 0xFF
        size = words[at] >> 8 & (0xFFFF if kind & 0x80 else 0xFF)
        if kind == _LAST:
            if words[at + 2] != _BLOCK_END:
                return None
            offset = struct.unpack("<i", words[at + 1].to_bytes(4, "little"))[0]
            return _Block(start, words, items, start + offset)
        if not size:
            return None
        items[kind] = at
        at += size
    return None


def _check(flash: bytes, block: _Block) -> Signed:
    at = block.items[_SIGNATURE] + 1
    body = struct.pack("<32I", *block.words[at : at + 32]) if at + 32 <= len(block.words) else bytes(128)
    public, signature = body[:_KEY_BYTES], body[_KEY_BYTES:]
    digest = _digest(flash, block)
    return Signed(
        hashlib.sha256(public).hexdigest(),
        block.words[block.items[_VERSION] + 2] & 0xFFFF if _has_rollback(block) else None,
        digest is not None and _valid(public, signature, digest),
    )


def _has_rollback(block: _Block) -> bool:
    at = block.items.get(_VERSION)
    return at is not None and block.words[at] >> 8 & 0xFF > 2


def _digest(flash: bytes, block: _Block) -> bytes | None:
    """What is signed: the ranges of the load map, then the head of the block. None unless the ranges are all bytes from
    the begin of the flash to the block: what is not hashed could be changed."""
    at = block.items[_LOAD_MAP]
    header = block.words[at]
    if header >> 31:
        return None  # absolute addresses: picotool does not write them
    total = hashlib.sha256()
    end = 0
    for entry in range(header >> 24 & 0x7F):
        offset, _runs_at, size = block.words[at + 1 + 3 * entry : at + 4 + 3 * entry]
        begin = (block.start + FLASH_START + 4 * at + offset & 0xFFFFFFFF) - FLASH_START
        if begin != end or begin + size > len(flash):
            return None
        total.update(flash[begin : begin + size])
        end = begin + size
    hashed = block.words[block.items[_HASH_DEF] + 1] & 0xFFFF
    if end != block.start or not block.items[_HASH_DEF] < hashed <= block.items[_SIGNATURE]:
        return None
    total.update(flash[block.start : block.start + 4 * hashed])
    return total.digest()


def _valid(public: bytes, signature: bytes, digest: bytes) -> bool:
    ec: Any = need("cryptography.hazmat.primitives.asymmetric.ec", "release")
    utils: Any = need("cryptography.hazmat.primitives.asymmetric.utils", "release")
    hashes: Any = need("cryptography.hazmat.primitives.hashes", "release")
    invalid: Any = need("cryptography.exceptions", "release").InvalidSignature
    r, s = (int.from_bytes(part, "big") for part in (signature[:32], signature[32:]))
    try:
        key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256K1(), b"\x04" + public)
        key.verify(utils.encode_dss_signature(r, s), digest, ec.ECDSA(utils.Prehashed(hashes.SHA256())))
    except (ValueError, invalid):
        return False
    return True


# --- sealing -----------------------------------------------------------------------------------


def check_can_seal(tools: Toolchain, key: Path) -> None:
    """Raise NoImage if `seal` would fail for its key or its picotool. Ask before the build, which takes minutes."""
    make_one = "Make one: openssl ecparam -name secp256k1 -genkey -noout -out key.pem"
    if not key.is_file():
        raise NoImage(f"there is no key {key}.", make_one)
    if not _is_boot_key(key):
        raise NoImage(f"{key} is not a private key of secp256k1 in PEM, without a password.", make_one)
    try:
        done = subprocess.run([tools.picotool, "help", "seal"], capture_output=True, text=True, check=False).returncode
    except OSError:
        done = 1
    if done:
        raise NoImage(
            f"{tools.picotool} cannot seal images.", "Build picotool with mbedTLS (lib/mbedtls of the pico-sdk)."
        )


def _is_boot_key(path: Path) -> bool:
    serialization: Any = need("cryptography.hazmat.primitives.serialization", "release")
    unsupported: Any = need("cryptography.exceptions", "release").UnsupportedAlgorithm
    try:
        key = serialization.load_pem_private_key(read_regular(path, _PEM_BYTES_MAX), None)
    except OSError as error:
        raise NoImage(f"cannot read the key {path}: {error.strerror or error}.", "Check your permission.") from error
    except (ValueError, TypeError, unsupported):  # no PEM, a password, a curve that is not known
        return False
    return getattr(getattr(key, "curve", None), "name", "") == "secp256k1"


def seal(tools: Toolchain, elf: Path, key: Path, version: str, rollback: int, otp: Path) -> bytes:
    """The UF2 of the image, signed. picotool writes beside it what belongs into OTP."""
    sealed, uf2 = elf.with_name("sealed.elf"), elf.with_name("sealed.uf2")
    major, minor = (*version_numbers(version), 0, 0)[:2]
    _picotool(
        tools, "seal", "--quiet", "--hash", "--sign", str(elf), str(sealed), str(key), str(otp), "--major", str(major),
        "--minor", str(minor), "--rollback", str(rollback),
    )  # fmt: skip
    _picotool(tools, "uf2", "convert", "--quiet", str(sealed), str(uf2), "--family", "rp2350-arm-s", "--abs-block")
    return uf2.read_bytes()


def _picotool(tools: Toolchain, *words: str) -> None:
    done = subprocess.run([tools.picotool, *words], capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr or done.stdout).strip()[-500:]
        raise NoImage(f"picotool {words[0]} failed: {last}", "Check that the key is one of secp256k1, in PEM.")
