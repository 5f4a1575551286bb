"""Device keys on the host: 32 bytes, as 64 hex digits in a file that nobody else may read."""

from __future__ import annotations

import hashlib
import hmac
import os
import stat
from collections.abc import Callable
from pathlib import Path

from fairshoe.errors import KeyFileError
from firmware.protocol.session import FROM_DEVICE, FROM_HOST, KEY_SIZE, MAC_SIZE

Seal = Callable[[bytes], bytes]


def read_key(path: Path) -> bytes:
    """The key in a file; refused if others could read it too."""
    try:
        mode = path.stat().st_mode
        text = path.read_text("ascii").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise KeyFileError(f"cannot read the key in {path}: {error}.", "Check the path and your permission.") from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise KeyFileError(f"{path} can be read by others.", f"Make it yours alone: chmod 600 {path}")
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_SIZE:
        raise KeyFileError(f"{path} does not hold a key.", f"It must hold {2 * KEY_SIZE} hex digits and nothing else.")
    return key


def write_key(path: Path, key: bytes) -> None:
    """A new file for a key, readable by its owner only; never over an existing one."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w") as file:
            file.write(key.hex() + "\n")
    except OSError as error:
        raise KeyFileError(
            f"cannot write {path}: {error.strerror or error}.", "Choose another name or place."
        ) from error


def session_key(key: bytes, role: int, session: int, host_nonce: bytes, device_nonce: bytes) -> bytes:
    """The same derivation as firmware/protocol/session.py; a test compares them."""
    text = b"fairshoe session" + bytes((role,)) + session.to_bytes(2, "little") + host_nonce + device_nonce
    return hmac.digest(key, text, hashlib.sha256)


def sealer(key: bytes, direction: bytes) -> Seal:
    """The MAC of one direction under a session key."""

    def seal(signed: bytes) -> bytes:
        return hmac.digest(key, direction + signed, hashlib.sha256)[:MAC_SIZE]

    return seal


def host_sealer(key: bytes) -> Seal:
    return sealer(key, FROM_HOST)


def device_sealer(key: bytes) -> Seal:
    return sealer(key, FROM_DEVICE)
