"""The tables of the books, and how a file of an older version becomes one of this version.

A new file and an old one take the same way, in one transaction: the tables of the first version, then what was added.
A kill in between leaves the old file.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from fairshoe.errors import UsageError

VERSION = 2  # `user_version` of the file

_FIRST = (
    """CREATE TABLE IF NOT EXISTS rounds (
    id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, game TEXT NOT NULL, shoe_round INTEGER,
    over INTEGER NOT NULL DEFAULT 0)""",
    "CREATE UNIQUE INDEX IF NOT EXISTS one_open_round ON rounds (tbl) WHERE over = 0",
    """CREATE TABLE IF NOT EXISTS inputs (
    id INTEGER PRIMARY KEY, round INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0, UNIQUE (round, key))""",
    """CREATE TABLE IF NOT EXISTS lines (
    round INTEGER NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, line TEXT NOT NULL, cause INTEGER NOT NULL,
    PRIMARY KEY (round, key, version))""",
    """CREATE TABLE IF NOT EXISTS transfers (
    id INTEGER PRIMARY KEY, round INTEGER NOT NULL, cause INTEGER NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,
    cents INTEGER NOT NULL)""",
    "CREATE TABLE IF NOT EXISTS accounts (name TEXT PRIMARY KEY, cents INTEGER NOT NULL)",
    """CREATE TABLE IF NOT EXISTS meters (
    link TEXT NOT NULL, pool TEXT NOT NULL, name TEXT NOT NULL, cents INTEGER NOT NULL, seed INTEGER NOT NULL,
    rate INTEGER NOT NULL, carry INTEGER NOT NULL, PRIMARY KEY (link, pool, name))""",
    "CREATE TABLE IF NOT EXISTS links (link TEXT NOT NULL, tbl TEXT NOT NULL PRIMARY KEY, facts TEXT NOT NULL)",
)
# Headers of rounds; options and approvals, once by their hash; times; the rack, in shifts.
_ADDED = (
    *(f"ALTER TABLE rounds ADD COLUMN {name} TEXT NOT NULL DEFAULT 'unknown'"
      for name in ("device", "log", "settings", "program", "package", "began")),
    """CREATE TABLE IF NOT EXISTS contributions (
    round INTEGER NOT NULL, pool TEXT NOT NULL, stake INTEGER NOT NULL, PRIMARY KEY (round, pool))""",
    "CREATE TABLE settings (hash TEXT PRIMARY KEY, data TEXT NOT NULL)",
    "ALTER TABLE inputs ADD COLUMN utc TEXT NOT NULL DEFAULT 'unknown'",
    "ALTER TABLE inputs ADD COLUMN shift INTEGER NOT NULL DEFAULT 0",
    "ALTER TABLE transfers ADD COLUMN utc TEXT NOT NULL DEFAULT 'unknown'",
    """CREATE TABLE rack (
    id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, shift INTEGER NOT NULL, kind TEXT NOT NULL, cents INTEGER NOT NULL,
    key TEXT NOT NULL, note TEXT NOT NULL, by TEXT NOT NULL, utc TEXT NOT NULL, UNIQUE (tbl, key))""",
    """CREATE TABLE notes (
    id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, text TEXT NOT NULL, by TEXT NOT NULL, utc TEXT NOT NULL)""",
)  # fmt: skip


def prepare(db: sqlite3.Connection, path: Path | str) -> None:
    """Bring a file to this version; refuse one of a newer version, unchanged."""
    _refuse_newer(db, path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    if _version(db) == VERSION:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        _refuse_newer(db, path)
        _bring(db)
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _version(db: sqlite3.Connection) -> int:
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def _refuse_newer(db: sqlite3.Connection, path: Path | str) -> None:
    found = _version(db)
    if found > VERSION:
        raise UsageError(
            f"{path} has books of version {found}, and this program knows version {VERSION}.",
            "Start the newer program. Nothing was changed.",
        )


def _bring(db: sqlite3.Connection) -> None:
    found = _version(db)
    if found < 1:  # or another program has done it meanwhile
        for statement in (*_FIRST, *_ADDED):
            db.execute(statement)
        # Contributions to the meters stood in columns of their own.
        columns = {row[1] for row in db.execute("PRAGMA table_info(rounds)")}
        for column, pool in (("progressive", "progressive"), ("five_card", "five-card")):
            if column in columns:
                take = f"SELECT id, '{pool}', {column} FROM rounds WHERE over = 0 AND {column} != 0"
                db.execute(f"INSERT OR IGNORE INTO contributions {take}")
        # The number of the shoe's round stood in an input only.
        db.execute(
            "UPDATE rounds SET shoe_round = (SELECT json_extract(data, '$.round') FROM inputs"
            " WHERE inputs.round = rounds.id AND inputs.key = 'closed')"
        )
    if found < 2:
        db.execute("ALTER TABLE meters ADD COLUMN owed INTEGER NOT NULL DEFAULT 0")
        db.execute(f"PRAGMA user_version = {VERSION}")
