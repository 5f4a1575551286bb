"""What a store keeps for the table's share: the secret that nonces are made with, who answers for a deck, and to how
many hands it had to be dealt where the device said less."""

from __future__ import annotations

import secrets
import sqlite3
import time
from typing import Any

# From the last commitment before the shift on, which was of the deck that was inside when it began, and over as many
# shuffles as count as a shift, whatever the clock says.
EVENTS_MAX = 50_000  # of the newest
HISTORY = """
SELECT message, body, received FROM events WHERE log = ?1 AND name IN ({names}) AND seq >= MAX(
    (SELECT MAX(seq) FROM events WHERE log = ?1) - {events_max},
    MIN(COALESCE((SELECT MAX(seq) FROM events WHERE log = ?1 AND name = 'shuffle_committed' AND received < ?2), 0),
        COALESCE((SELECT seq FROM events WHERE log = ?1 AND name = 'shuffle_committed'
                  ORDER BY seq DESC LIMIT 1 OFFSET {shuffles}), 0))) ORDER BY seq
"""


def secret(db: sqlite3.Connection) -> bytes:
    """Made once for a file."""
    db.execute("INSERT OR IGNORE INTO share_secret VALUES (1, ?)", (secrets.token_bytes(32),))
    return db.execute("SELECT secret FROM share_secret").fetchone()[0]


def accept(db: sqlite3.Connection, log: int, seq: int, name: str) -> None:
    row: tuple[Any, ...] = (log, seq, name, time.time())
    db.execute("INSERT OR REPLACE INTO accepted_decks VALUES (?, ?, ?, ?)", row)


def note_hands(db: sqlite3.Connection, log: int, seq: int, hands: int) -> None:
    db.execute("INSERT OR REPLACE INTO wagered_hands VALUES (?, ?, ?)", (log, seq, hands))


def end(db: sqlite3.Connection, log: int, seq: int, name: str, cause: str) -> None:
    row: tuple[Any, ...] = (log, seq, name, cause, time.time())
    db.execute("INSERT OR REPLACE INTO ended_decks VALUES (?, ?, ?, ?, ?)", row)
