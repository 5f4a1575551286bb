"""The tables of the books. A new file gets all of them in one transaction; a kill in between leaves it empty."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from fairshoe.errors import UsageError

VERSION = 2  # `user_version` of the file

_TABLES = (
    """CREATE TABLE rounds (
    id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, game TEXT NOT NULL, shoe_round INTEGER,
    over INTEGER NOT NULL DEFAULT 0, device TEXT NOT NULL DEFAULT 'unknown', log TEXT NOT NULL DEFAULT 'unknown',
    settings TEXT NOT NULL DEFAULT 'unknown', program TEXT NOT NULL DEFAULT 'unknown',
    package TEXT NOT NULL DEFAULT 'unknown', began TEXT NOT NULL DEFAULT 'unknown')""",
    "CREATE UNIQUE INDEX one_open_round ON rounds (tbl) WHERE over = 0",
    """CREATE TABLE inputs (
    id INTEGER PRIMARY KEY, round INTEGER NOT NULL, key TEXT NOT NULL, kind TEXT NOT NULL, data TEXT NOT NULL,
    seq INTEGER NOT NULL DEFAULT 0, utc TEXT NOT NULL DEFAULT 'unknown', shift INTEGER NOT NULL DEFAULT 0,
    UNIQUE (round, key))""",
    """CREATE TABLE lines (
    round INTEGER NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, line TEXT NOT NULL, cause INTEGER NOT NULL,
    PRIMARY KEY (round, key, version))""",
    """CREATE TABLE transfers (
    id INTEGER PRIMARY KEY, round INTEGER NOT NULL, cause INTEGER NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL,
    cents INTEGER NOT NULL, utc TEXT NOT NULL DEFAULT 'unknown')""",
    "CREATE TABLE accounts (name TEXT PRIMARY KEY, cents INTEGER NOT NULL)",
    """CREATE TABLE meters (
    link TEXT NOT NULL, pool TEXT NOT NULL, name TEXT NOT NULL, cents INTEGER NOT NULL, seed INTEGER NOT NULL,
    rate INTEGER NOT NULL, carry INTEGER NOT NULL, owed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (link, pool, name))""",
    """CREATE TABLE contributions (
    round INTEGER NOT NULL, pool TEXT NOT NULL, stake INTEGER NOT NULL, PRIMARY KEY (round, pool))""",
    "CREATE TABLE links (link TEXT NOT NULL, tbl TEXT NOT NULL PRIMARY KEY, facts TEXT NOT NULL)",
    "CREATE TABLE settings (hash TEXT PRIMARY KEY, data TEXT NOT NULL)",
    """CREATE TABLE rack (
    id INTEGER PRIMARY KEY, tbl TEXT NOT NULL, shift INTEGER NOT NULL, kind TEXT NOT NULL, cents INTEGER NOT NULL,
    key TEXT NOT NULL, note TEXT NOT NULL, by TEXT NOT NULL, utc TEXT NOT NULL, UNIQUE (tbl, key))""",
)


def prepare(db: sqlite3.Connection, path: Path | str) -> None:
    """Make the tables of a new file; refuse books of another version, unchanged."""
    ready = _is_ready(db, path)
    db.execute("PRAGMA journal_mode = WAL")
    db.execute("PRAGMA synchronous = FULL")
    if ready:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        if not _is_ready(db, path):  # another program may have done it meanwhile
            for statement in _TABLES:
                db.execute(statement)
            db.execute(f"PRAGMA user_version = {VERSION}")
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise


def _is_ready(db: sqlite3.Connection, path: Path | str) -> bool:
    found = int(db.execute("PRAGMA user_version").fetchone()[0])
    tables = db.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()[0]
    if found != VERSION and tables:
        raise UsageError(
            f"{path} has books of version {found}, and this program knows version {VERSION}.",
            "Start the program that made it. Nothing was changed.",
        )
    return found == VERSION
