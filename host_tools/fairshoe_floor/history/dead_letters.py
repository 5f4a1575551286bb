"""What came from the stream and could not be taken: kept with its reason, listed, and taken again on request.

A message that is refused is never tried again by itself: it would be refused again. It is kept to its last byte, so a
program that knows more (a newer version, a corrected table) can take it later. The same bytes on the same subject are
one letter, however often they come.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from fairshoe import FairshoeError

_PUT = (
    "INSERT INTO dead_letters (name, stream, subject, seq, device, reason, data) VALUES (%s, %s, %s, %s, %s, %s, %s)"
    " ON CONFLICT (name) DO UPDATE SET times = dead_letters.times + 1, found_last = now(), seq = excluded.seq,"
    " data = excluded.data"
)
_COLUMNS = (
    "id, stream, subject, seq, device, reason, data, times, extract(epoch FROM found)::float8,"
    " extract(epoch FROM found_last)::float8, extract(epoch FROM closed)::float8, outcome"
)


class LetterError(FairshoeError):
    """A dead letter that is not there."""


@dataclass(frozen=True)
class Letter:
    """Data that was refused. `device` is that of its subject, 0 if the subject names none. `once`: a later one with the
    same reason replaces it, as the newest sample of a shoe does."""

    stream: str
    subject: str
    seq: int
    reason: str
    data: bytes
    once: bool = False

    @property
    def device(self) -> int:
        try:
            return int(self.subject.split(".")[2], 16) & 0xFFFFFFFF
        except (IndexError, ValueError):
            return 0

    @property
    def name(self) -> bytes:
        rest = self.reason.encode() if self.once else self.data
        return hashlib.sha256(b"\0".join([self.stream.encode(), self.subject.encode(), rest])).digest()


@dataclass(frozen=True)
class LetterRow:
    """One on file. Times are UTC seconds since 1970; `outcome` says how it was closed."""

    id: int
    stream: str
    subject: str
    seq: int
    device: int
    reason: str
    data: bytes
    times: int
    found: float
    found_last: float
    closed: float | None
    outcome: str


async def put(db: psycopg.AsyncConnection[Any], letters: Sequence[Letter]) -> None:
    """In the transaction that is under way."""
    await db.cursor().executemany(
        _PUT, [(it.name, it.stream, it.subject, it.seq, it.device, it.reason, it.data) for it in letters]
    )


def letters(db: psycopg.Connection[Any], number: int | None = None, every: bool = False) -> list[LetterRow]:
    """Those that are open, oldest first; or all, or the one with this number."""
    where = "id = %s" if number is not None else "%s::bigint IS NULL" + ("" if every else " AND closed IS NULL")
    rows = db.execute(f"SELECT {_COLUMNS} FROM dead_letters WHERE {where} ORDER BY id".encode(), (number,)).fetchall()
    if number is not None and not rows:
        raise LetterError(f"there is no dead letter {number}.", "`fairshoe floor dead-letters` lists them.")
    return [LetterRow(*row) for row in rows]
