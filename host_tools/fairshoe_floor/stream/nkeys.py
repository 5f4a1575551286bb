"""Keys by which programs log in at the broker: Ed25519, in the form of NATS (nkeys). The broker has public keys alone:
its configuration is no secret, and no program has a password of it in a URL.

    SUAM...     a file with the seed of a user, 0600: base32 of two prefix bytes, 32 bytes and a CRC-16
    UDXU...     the public key, in the broker's accounts

The package `nkeys` is not used: it needs a second library for the curve; `cryptography` is here already.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from fairshoe.errors import KeyFileError
from fairshoe.files import open_to_others, read_regular, write_private

_SEED, _USER = 18 << 3, 20 << 3  # they show as S and U
_SIZE_MAX = 256


def _coded(prefix: bytes, raw: bytes) -> str:
    data = prefix + raw
    return base64.b32encode(data + _crc(data)).decode().rstrip("=")


def _crc(data: bytes) -> bytes:
    return binascii.crc_hqx(data, 0).to_bytes(2, "little")  # CRC-16/XMODEM


class UserKey:
    """Of one account. Its text is secret."""

    def __init__(self, seed: bytes) -> None:
        self._seed = seed
        self._key = Ed25519PrivateKey.from_private_bytes(seed)

    @property
    def public(self) -> str:
        return _coded(bytes([_USER]), self._key.public_key().public_bytes_raw())

    def text(self) -> str:
        return _coded(bytes([_SEED | _USER >> 5, (_USER & 31) << 3]), self._seed)

    def sign(self, nonce: str) -> bytes:
        """As the client of the broker wants it."""
        return base64.urlsafe_b64encode(self._key.sign(nonce.encode())).rstrip(b"=")


def read_key(path: Path) -> UserKey:
    try:
        word = read_regular(path, _SIZE_MAX).strip()
        data = base64.b32decode(word + b"=" * (-len(word) % 8))
        if len(data) != 36 or _crc(data[:-2]) != data[-2:] or UserKey(data[2:-2]).text().encode() != word:
            raise ValueError
    except (ValueError, OSError) as error:
        raise KeyFileError(
            f"{path} has no key of an account of the broker.", "Make one with `fairshoe floor accounts`."
        ) from error
    if open_to_others(path):
        raise KeyFileError(f"{path} is open to other users.", f"Run: chmod 600 {path}")
    return UserKey(data[2:-2])


def made_key(path: Path) -> UserKey:
    """The one in this file; a new one if there is no such file."""
    if not path.exists():
        write_private(path, UserKey(secrets.token_bytes(32)).text() + "\n")
    return read_key(path)
