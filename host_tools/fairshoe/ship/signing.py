"""Ed25519 signatures of releases and reports, beside the file as FILE.sig, and the keys for them as files.

    release-signing 3f1c...     64 hex digits, for its owner alone
    release-public 77ab...      64 hex digits, public

The signature file has a line for each who signed: `ed25519 PUBLIC SIGNATURE`. A public key in there proves nothing; the
one that counts is the one the verifier trusts.
"""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairshoe.errors import KeyFileError
from fairshoe.files import read_regular, write_whole
from fairshoe.keys import write_key
from fairshoe.ship.errors import ManifestError, SignatureError, need
from fairshoe.ship.manifest import MANIFEST_BYTES_MAX, Manifest, find_manifest, parse_manifest

SIGNING, PUBLIC = "release-signing", "release-public"
_KEY_SIZE, _SIGNATURE_SIZE = 32, 64
_FILE_MAX = 64 << 10
_HEX_KEY = re.compile(r"[0-9a-f]{64}")
_NAMED_MAX = 8


@dataclass(frozen=True)
class Kind:
    """What is signed. The label stands before the signed bytes, so that a signature of one kind is none of another."""

    label: bytes
    word: str
    content: str
    without: str = ""  # what to do without a signature


RELEASE = Kind(
    *(b"fairshoe release signature 1\n", "release", "manifest"),
    without="; --unsigned compares without one, and proves less",
)
REPORT = Kind(b"fairshoe report signature 1\n", "report", "report")


def _ed25519() -> Any:
    return need("cryptography.hazmat.primitives.asymmetric.ed25519", "release")


def public_path(path: Path) -> Path:
    return path.with_name(path.name + ".pub")


def make_key(path: Path) -> str:
    """A new pair of keys: the signing key in `path`, the public one in `path`.pub; the public one."""
    if path.is_dir():
        raise KeyFileError(f"{path} is a folder.", "Name the file in it too.")
    secret = os.urandom(_KEY_SIZE)
    public = public_of(secret)
    if public_path(path).exists():
        raise KeyFileError(f"{public_path(path)} is there already.", "Keys are never overwritten: use another name.")
    write_key(path, SIGNING, secret)
    try:
        with public_path(path).open("x", encoding="ascii") as file:
            file.write(f"{PUBLIC} {public}\n")
    except OSError as error:
        raise KeyFileError(f"cannot write {public_path(path)}: {error.strerror or error}.", "See above.") from error
    return public


def public_of(secret: bytes) -> str:
    key = _ed25519().Ed25519PrivateKey.from_private_bytes(secret)
    return key.public_key().public_bytes_raw().hex()


def read_signing_key(path: Path) -> bytes:
    if _holds_public(path):
        raise KeyFileError(
            f"{path} is a public key, which signs nothing.", "Give the signing key; the public one is for checking."
        )
    if path.is_file() and path.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise KeyFileError(f"{path} can be read by others.", f"Make it yours alone: chmod 600 {path}")
    return _read(path, SIGNING, f"{SIGNING} and 64 hex digits, as `fairshoe firmware release keygen` writes it")


def read_public_key(path: Path) -> str:
    return _read(path, PUBLIC, f"{PUBLIC} and 64 hex digits, as `fairshoe firmware release keygen` writes it").hex()


def _holds_public(path: Path) -> bool:
    try:
        return path.is_file() and read_regular(path, _FILE_MAX).split()[:1] == [PUBLIC.encode()]
    except OSError:
        return False  # reading it reports why


def _read(path: Path, word: str, wanted: str) -> bytes:
    try:
        with path.open("rb") as file:  # or a pipe, from a program that keeps secrets
            words = file.read(_FILE_MAX).decode("ascii").split()
        key = bytes.fromhex(words[1]) if len(words) == 2 and words[0] == word else b""
    except OSError as error:
        raise KeyFileError(
            f"cannot read the key in {path}: {error.strerror or error}.", "Check the path and your permission."
        ) from error
    except ValueError:
        key = b""
    if len(key) != _KEY_SIZE:
        raise KeyFileError(f"{path} does not hold the key that is needed here.", f"It must hold one line: {wanted}.")
    return key


# --- signing and checking ----------------------------------------------------------------------


def signature_path(manifest: Path) -> Path:
    return manifest.with_name(manifest.name + ".sig")


def sign(path: Path, secret: bytes) -> str:
    """Sign a release; signatures of others stay. The public key."""
    manifest = find_manifest(path)
    try:
        raw = read_regular(manifest, MANIFEST_BYTES_MAX)
    except OSError as error:
        raise _cannot_sign(manifest, error, RELEASE) from error
    parse_manifest(raw)  # refuse to sign what cannot be read
    return sign_file(manifest, raw, secret, RELEASE)


def sign_file(path: Path, raw: bytes, secret: bytes, kind: Kind) -> str:
    """Write a signature of what is in this file beside it; signatures of others stay. The public key."""
    signatures = signature_path(path)
    public = public_of(secret)
    key = _ed25519().Ed25519PrivateKey.from_private_bytes(secret)
    try:
        old = read_regular(signatures, _FILE_MAX).decode("ascii").splitlines() if signatures.exists() else []
        kept = [line for line in old if line.split()[1:2] != [public]]
        lines = [*kept, f"ed25519 {public} {key.sign(kind.label + raw).hex()}"]
        write_whole(signatures, "".join(f"{line}\n" for line in lines))
    except (OSError, UnicodeDecodeError) as error:
        raise _cannot_sign(path, error, kind) from error
    return public


def _cannot_sign(path: Path, error: OSError | UnicodeDecodeError, kind: Kind) -> ManifestError:
    reason = getattr(error, "strerror", None) or error
    return ManifestError(f"cannot sign {path}: {reason}.", f"Name a {kind.word} in a folder that you may write.")


def check_signature(path: Path, manifest: Manifest, trusted: list[str]) -> str:
    """The trusted key that has signed this release."""
    return check_file(find_manifest(path), manifest.raw, trusted, RELEASE)


def check_file(path: Path, raw: bytes, trusted: list[str], kind: Kind) -> str:
    """The trusted key that has signed what is in this file."""
    signatures = signature_path(path)
    try:
        lines = read_regular(signatures, _FILE_MAX).decode("ascii", "replace").splitlines()
    except FileNotFoundError:
        raise SignatureError(
            f"{signatures} is missing: the {kind.word} is not signed.",
            f"Get the signature from the maker of the {kind.word}{kind.without}.",
        ) from None
    except OSError as error:
        raise SignatureError(
            f"cannot read {signatures}: {error.strerror or error}.", "Check your permission."
        ) from error
    signed = [words for words in (line.split() for line in lines) if len(words) == 3 and words[0] == "ed25519"]
    ours = [(public, signature) for _kind, public, signature in signed if public in trusted]
    for public, signature in ours:
        if _good(public, signature, kind.label + raw):
            return public  # an attacker can add a bad line beside it
    if ours:
        raise SignatureError(
            f"the signature in {signatures} is not one of this {kind.content}.",
            f"The {kind.word} was altered after it was signed, or damaged: do not use it, get it again.",
        )
    # The file is not trusted: text that is no key is not printed.
    keys = [public for _kind, public, _signature in signed if _HEX_KEY.fullmatch(public)]
    names = ", ".join(f"{public[:16]}..." for public in keys[:_NAMED_MAX]) or "no key"
    raise SignatureError(
        f"the {kind.word} is signed by {names}, not by a key that you trust.",
        f"Compare the public key with that of the maker of the {kind.word}, obtained by another way.",
    )


def _good(public: str, signature: str, signed: bytes) -> bool:
    invalid = need("cryptography.exceptions", "release").InvalidSignature
    try:
        key = _ed25519().Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))
        data = bytes.fromhex(signature)
        if len(data) != _SIGNATURE_SIZE:
            return False
        key.verify(data, signed)
    except (ValueError, invalid):
        return False
    return True
