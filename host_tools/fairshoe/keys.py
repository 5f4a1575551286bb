"""Keys on the host: 32 bytes for one role, in a file that only its owner may read.

    table 3f1c...          the role's word and 64 hex digits

A host holds the key of its own role and can derive no other. `device` instead of a role is the device key itself, from
which all of them follow: it belongs to the provisioning bench and nowhere else. `seal` is a key that can verify a
journal and nothing else.
"""

from __future__ import annotations

import hashlib
import hmac
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from fairshoe.errors import KeyFileError
from fairshoe.files import open_to_others, protect, sync_folder
from fairshoe.messages import Role
from firmware.protocol.session import FROM_DEVICE, FROM_HOST, KEY_SIZE, MAC_SIZE

_FILE_MAX = 64 << 10
Seal = Callable[[bytes], bytes]
SEAL = "seal"

# Roles that have a key, by the word in its file.
ROLES = {role.name.lower(): role for role in Role if role not in (Role.CLEAR, Role.UNRECOGNISED)}


@dataclass(frozen=True)
class RoleKey:
    """What a host needs to open a session: which role, and its key. Never printed."""

    role: Role
    secret: bytes

    def __repr__(self) -> str:
        return f"RoleKey({self.role.name.lower()})"


class KeyRing:
    """The keys of one role of many devices, found by the number of the device when it has said which one it is.

    A folder has a file for each device, named after its number in eight hex digits: 00510001.key. A function gets the
    number and returns the key, or None if there is none. Each key is read when it is needed, and not kept."""

    def __init__(self, source: str | Path | Callable[[int], RoleKey | None], role: Role = Role.TABLE) -> None:
        self.role = role
        self._source = source

    def find(self, device: int) -> RoleKey:
        """KeyFileError if there is no key of this role for the device."""
        if not callable(self._source):
            return read_key(Path(self._source) / f"{device:08x}.key", self.role)
        key = self._source(device)
        if key is None or key.role != self.role:
            what = "no key" if key is None else f"the key of the {key.role.name.lower()} role"
            raise KeyFileError(
                f"the key ring has {what} for device {device:08x}.",
                f"Give it the {self.role.name.lower()} key of this device.",
            )
        return key


def take_key(key: RoleKey | KeyRing | str | Path | None) -> RoleKey | KeyRing | None:
    """Return a key or a key ring as it is. Read the file that a path names; a folder is a key ring of the table."""
    if not isinstance(key, (str, Path)):
        return key
    return KeyRing(key) if Path(key).is_dir() else read_key(Path(key))


def role_key(device_key: bytes, role: Role) -> RoleKey:
    """The key of a role, from the device key; the same derivation as on the device."""
    return RoleKey(role, hmac.digest(device_key, b"fairshoe role" + bytes((role,)), hashlib.sha256))


def read_key(path: Path, role: Role | None = None) -> RoleKey:
    """The key in a file; refused if others could read it too. With a device key the role must be given."""
    word, secret = _read(path)
    if word == "device":
        return role_key(secret, role or Role.TABLE)
    if word == SEAL:
        raise KeyFileError(f"{path} holds a seal key, which opens no session.", "Use the key of a role.")
    if role is not None and role != ROLES[word]:
        wanted = role.name.lower()
        raise KeyFileError(f"{path} holds the key of the {word} role.", f"Use the {wanted} key of this device.")
    return RoleKey(ROLES[word], secret)


def read_device_key(path: Path) -> bytes:
    word, secret = _read(path)
    if word != "device":
        what = "a seal key" if word == SEAL else f"the key of the {word} role"
        raise KeyFileError(f"{path} holds {what}.", "A device key is needed here.")
    return secret


def seal_key(device_key: bytes) -> bytes:
    """What seals are checked with; the same derivation as firmware/journal/seals.py."""
    return hmac.digest(device_key, b"fairshoe seal", hashlib.sha256)


def read_seal_key(path: Path) -> bytes:
    """From a file with a seal key, or with the device key that it follows from."""
    word, secret = _read(path)
    if word not in (SEAL, "device"):
        raise KeyFileError(
            f"{path} holds the key of the {word} role, which verifies no journal.", "Use the seal key of this device."
        )
    return secret if word == SEAL else seal_key(secret)


def write_key(path: Path, word: str, secret: bytes) -> None:
    """Write a key to a new file: durable, readable by its owner only, never over an existing one."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        _protect(path, descriptor)
        with os.fdopen(descriptor, "w") as file:
            file.write(f"{word} {secret.hex()}\n")
            file.flush()
            os.fsync(file.fileno())
        sync_folder(path.parent)
    except OSError as error:
        what = f"cannot write {path}: {error.strerror or error}."
        raise KeyFileError(what, "Choose another name or place.") from error


def _protect(path: Path, descriptor: int) -> None:
    """Protect an empty file before the secret is in it. If that fails, delete the file and say why."""
    try:
        protect(path)
    except OSError as error:
        os.close(descriptor)
        path.unlink()
        raise KeyFileError(
            f"{path} would not be protected: {error.strerror}, so every user of this computer could read it. "
            "The key was not written.",
            "Run the command where icacls is in PATH, on a drive with access lists (NTFS).",
        ) from error


def session_key(key: bytes, version_max: int, session: int, host_nonce: bytes, device_nonce: bytes) -> bytes:
    """The same derivation as firmware/protocol/session.py; a test compares them."""
    text = b"fairshoe session" + bytes((version_max,)) + session.to_bytes(2, "little") + host_nonce + device_nonce
    return hmac.digest(key, text, hashlib.sha256)


def host_sealer(key: bytes) -> Seal:
    return _sealer(key, FROM_HOST)


def device_sealer(key: bytes) -> Seal:
    return _sealer(key, FROM_DEVICE)


def _sealer(key: bytes, direction: bytes) -> Seal:
    """The MAC of one direction under a session key: HMAC-SHA256, cut to 16 bytes.

    The hash states behind key and direction are computed once and copied for each message, which halves its cost."""
    block = key.ljust(hashlib.sha256().block_size, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in block) + direction)
    outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in block))

    def seal(signed: bytes) -> bytes:
        inside = inner.copy()
        inside.update(signed)
        whole = outer.copy()
        whole.update(inside.digest())
        return whole.digest()[:MAC_SIZE]

    return seal


def _read(path: Path) -> tuple[str, bytes]:
    try:
        exposed = open_to_others(path)
        with path.open("rb") as file:  # or a pipe, from a program that keeps secrets
            text = file.read(_FILE_MAX).decode("ascii")
    except (OSError, UnicodeDecodeError) as error:
        raise KeyFileError(f"cannot read the key in {path}: {error}.", "Check the path and your permission.") from error
    if exposed:
        raise KeyFileError(f"{path} can be read by others.", f"Make it yours alone: chmod 600 {path}")
    words = text.split()
    try:
        secret = bytes.fromhex(words[1])
    except (ValueError, IndexError):
        secret = b""
    if len(words) != 2 or len(secret) != KEY_SIZE or words[0] not in (*ROLES, SEAL, "device"):
        raise KeyFileError(
            f"{path} does not hold a key.",
            f"It must hold one line: device, {SEAL}, {', '.join(ROLES)}, and {2 * KEY_SIZE} hex digits.",
        )
    return words[0], secret
