"""Signatures of a journal's end: Ed25519, under a key that the device made and never gives away.

    signing-public 00510007 1 77ab... 1 812     device, generation of its device key, 64 hex digits of the public key,
                                                first and last record that it may prove (- : still in force)

A file may have such a line for every key of every device: an inventory. Who holds it can verify, and forge nothing. A
key that was rotated away proves nothing after its last record: it may have been stolen since. Lines without records are
of keys whose range is not known.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from fairshoe.errors import KeyFileError, UsageError, install_advice
from fairshoe.files import LOG_BYTES_MAX, read_regular
from fairshoe.journal.export import Attestation, Export
from fairshoe.os_errors import os_errors_as

WORD = "signing-public"
SIGNED_TEXT = b"fairshoe signed journal 1"
_KEY = re.compile(r"[0-9a-f]{64}")
_LINE = re.compile(rf"{WORD} ([0-9a-f]{{8}}) ([0-9]{{1,5}}) ([0-9a-f]{{64}})(?: ([0-9]{{1,10}}) ([0-9]{{1,10}}|-))?")
# Points of small order, by their coordinate y modulo P: under such a key any signature can be forged.
_P = 2**255 - 19
_EIGHTH = int.from_bytes(bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little")
_SMALL = frozenset((0, 1, _P - 1, _EIGHTH, _P - _EIGHTH))


@dataclass(frozen=True)
class PublicKey:
    """A key that is trusted. `device` None: for whatever device the export is of. It proves records from `first` to
    `last`; None: not known, or still in force."""

    key: bytes
    device: int | None = None
    generation: int | None = None
    first: int | None = None
    last: int | None = None

    def __post_init__(self) -> None:
        if int.from_bytes(self.key, "little") % 2**255 % _P in _SMALL:
            raise KeyFileError(
                f"{self.key.hex()} is no public key: under it every signature can be forged.",
                "Take the device out of service, or find out who gave you this key.",
            )

    def line(self) -> str:
        known = "" if self.first is None else f" {self.first} {'-' if self.last is None else self.last}"
        return f"{WORD} {self.device or 0:08x} {self.generation or 0} {self.key.hex()}{known}\n"

    def fits(self, export: Export, attestation: Attestation) -> bool:
        """Whether it is a key of this device and of the generation that the attestation names."""
        return self.device in (None, export.device) and self.generation in (None, attestation.key)

    def retired(self, export: Export, generation: int, seq: int) -> bool:
        """Whether the key of this generation, of which it is one, was out of force before that record was made, or was
        not made yet."""
        known = self.device == export.device and self.generation == generation
        return known and not (self.first or 0) <= seq <= (seq if self.last is None else self.last)


def read_public_keys(text: str) -> list[PublicKey]:
    """The key itself, 64 hex digits, or a file with a line for each key."""
    if _KEY.fullmatch(text.lower()):
        return [PublicKey(bytes.fromhex(text))]
    with os_errors_as(KeyFileError, f"cannot read the public key in {text}", "Name a file, or give 64 hex digits."):
        lines = read_regular(Path(text), LOG_BYTES_MAX).decode("ascii", "replace").splitlines()
    found = [_LINE.fullmatch(line.strip()) for line in lines if line.strip()]
    if not found or None in found:
        at = found.index(None) + 1 if None in found else 1
        raise KeyFileError(
            f"{text}: line {at} is no public key.",
            f"Each line must be {WORD}, device, generation and 64 hex digits, as `fairshoe provision` writes it.",
        )
    return [_public(match) for match in found if match is not None]


def _public(match: re.Match[str]) -> PublicKey:
    first = int(match[4]) if match[4] else None
    last = int(match[5]) if match[5] not in (None, "-") else None
    return PublicKey(bytes.fromhex(match[3]), int(match[1], 16), int(match[2]), first, last)


def signature_good(device: int, log: bytes, attestation: Attestation) -> bool:
    """Whether the attestation is signed with the public key that it names itself."""
    return _good(attestation.public, attestation.signature, SIGNED_TEXT + attestation.signed(device, log))


def signer_of(export: Export, attestation: Attestation, trusted: Sequence[PublicKey]) -> PublicKey | None:
    """The trusted key that has signed this attestation."""
    if not attestation.signature:
        return None
    message = SIGNED_TEXT + attestation.signed(export.device, export.log)
    fitting = (public for public in trusted if public.fits(export, attestation))
    return next((public for public in fitting if _good(public.key, attestation.signature, message)), None)


def _good(key: bytes, signature: bytes, message: bytes) -> bool:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise UsageError("a signature needs the package cryptography.", install_advice("verify")) from error
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    except (ValueError, InvalidSignature):
        return False
    return True
