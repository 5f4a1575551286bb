"""Passwords of the roles of PostgreSQL, for the programs that log in; the server gets verifiers alone."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import b64encode
from pathlib import Path

from fairshoe.files import write_private

_ROUNDS = 4096  # of PostgreSQL


def verifier(password: str) -> str:
    """SCRAM-SHA-256 (RFC 5803), as CREATE ROLE takes it in place of a password."""
    salt = secrets.token_bytes(16)
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, _ROUNDS)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    words = [b64encode(it).decode() for it in (salt, stored, hmac.digest(salted, b"Server Key", "sha256"))]
    return f"SCRAM-SHA-256${_ROUNDS}:{words[0]}${words[1]}:{words[2]}"


def kept_password(path: Path, name: str, url: str) -> str:
    """The password in a file of environment; a new one if there is no such file. `url` has {} in its place."""
    if not path.exists():
        write_private(path, f"{name}={url.format(secrets.token_urlsafe(24))}\n")
    found = re.search(r":([^:@/]+)@", path.read_text())
    assert found is not None
    return found[1]
