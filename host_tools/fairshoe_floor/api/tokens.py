"""Tokens: who may do what. A file has their hashes, so that reading the file gives no access.

[[token]]
name = "prometheus"
scopes = ["metrics"]
pits = ["1"]                    # optional: only these
sha256 = "..."

The scopes are in scopes.py.
"""

from __future__ import annotations

import hashlib
import hmac
import importlib
import json
import secrets
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fairshoe.errors import Exit, FairshoeError
from fairshoe_floor.api.scopes import SCOPES
from fairshoe_floor.inventory import Entry, Profile

BYTES = 24
BEARER = "bearer "


class TokenError(FairshoeError):
    """A file of tokens that cannot be used."""

    exit_code = Exit.INPUT


@dataclass(frozen=True)
class Grant:
    """What the bearer of a token may do. No pits: all."""

    name: str
    scopes: frozenset[str]
    sha256: str
    pits: frozenset[str] = frozenset()

    @property
    def view(self) -> object:
        """The same for all tokens that see the same of shoes and alarms."""
        return self.scopes & {"meters", "table"}, self.pits

    def sees(self, entry: Entry) -> Profile | None:
        """How much of this shoe; None: nothing."""
        if (self.pits and entry.pit not in self.pits) or not self.scopes & {"meters", "table"}:
            return None
        return entry.profile if "table" in self.scopes else Profile.METERS


class Tokens:
    """Finds the grant of a token. Every comparison takes the same time."""

    def __init__(self, grants: Iterable[Grant]) -> None:
        self._grants = tuple(grants)

    def find(self, token: str) -> Grant | None:
        given = digest(token)
        found = None
        for grant in self._grants:
            if hmac.compare_digest(given, grant.sha256):
                found = grant
        return found

    def of_header(self, header: str) -> Grant | None:
        """The grant of an Authorization header."""
        return self.find(header[len(BEARER) :]) if header.lower().startswith(BEARER) else None

    def __len__(self) -> int:
        return len(self._grants)


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def new_token(name: str, scopes: Iterable[str], pits: Iterable[str] = ()) -> tuple[str, Grant]:
    """A token, which is nowhere else, and its grant."""
    wanted = frozenset(scopes)
    if not wanted or not wanted <= SCOPES.keys():
        raise TokenError(
            f"there are no scopes {', '.join(sorted(wanted)) or '(none)'}.", f"Choose of {', '.join(SCOPES)}."
        )
    token = secrets.token_urlsafe(BYTES)
    return token, Grant(name, wanted, digest(token), frozenset(pits))


def read_tokens(path: Path) -> list[Grant]:
    toml: Any = importlib.import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        data: Any = toml.loads(path.read_text(encoding="utf-8"))
        rows: list[Any] = data.get("token", [])
        grants = [_grant(row) for row in rows]
    except OSError as error:
        raise TokenError(
            f"cannot read {path}: {error.strerror or error}.", "Make one with `fairshoe floor inventory token`."
        ) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise TokenError(
            f"{path} is no file of tokens: {error}.", "Make one with `fairshoe floor inventory token`."
        ) from error
    return grants


def _grant(row: Any) -> Grant:
    for name in ("scopes", "pits"):
        words: Any = row.get(name, ["-"])
        if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):  # pyright: ignore[reportUnknownVariableType]
            raise ValueError(f"{name} must be a list of texts that is not empty")
    scopes = frozenset(row["scopes"])
    if not scopes <= SCOPES.keys():
        raise ValueError(f"scope {sorted(scopes - SCOPES.keys())[0]!r} is not known")
    if len(bytes.fromhex(row["sha256"])) != 32:
        raise ValueError("sha256 has 64 hex digits")
    return Grant(str(row["name"]), scopes, row["sha256"].lower(), frozenset(row.get("pits", ())))


def add_token(path: Path, grant: Grant) -> None:
    """Append a grant to the file, readable by its owner."""
    lines = ["", "[[token]]", f"name = {json.dumps(grant.name)}", f"scopes = {json.dumps(sorted(grant.scopes))}"]
    if grant.pits:
        lines.append(f"pits = {json.dumps(sorted(grant.pits))}")
    lines.append(f'sha256 = "{grant.sha256}"')
    path.touch(mode=0o600)
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
