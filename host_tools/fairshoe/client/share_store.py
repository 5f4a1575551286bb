"""What a store keeps for the table's share: the secret that nonces are made with, and decks that were accepted."""

from __future__ import annotations

import secrets
import sqlite3
import time
from typing import Any

# From the last commitment before the shift on: the deck that was inside when it began.
HISTORY = """
SELECT message, body, received FROM events WHERE log = ? AND name IN ({names}) AND seq >= COALESCE(
    (SELECT MAX(seq) FROM events WHERE log = ? AND name = 'shuffle_committed' AND received < ?), 0) ORDER BY seq
"""


def secret(db: sqlite3.Connection) -> bytes:
    """Made once for a file."""
    db.execute("INSERT OR IGNORE INTO share_secret VALUES (1, ?)", (secrets.token_bytes(32),))
    return db.execute("SELECT secret FROM share_secret").fetchone()[0]


def accept(db: sqlite3.Connection, log: int, seq: int, name: str) -> None:
    row: tuple[Any, ...] = (log, seq, name, time.time())
    db.execute("INSERT OR REPLACE INTO accepted_decks VALUES (?, ?, ?, ?)", row)
