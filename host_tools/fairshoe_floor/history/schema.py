"""The tables of the central record, and the steps that bring an older database to this version.

A step is a file of steps/, in the order of their numbers, and is never changed once released: later versions add steps.
`fairshoe floor migrate` does those that are missing, all or none, under a lock. No other program changes a table.

Events are in one table for each month in which they were stored, by the database's clock: a month that is over is
dropped as a whole, and a question about a day reads small indexes. A key over all months would have to contain the
month, so it cannot prevent that an event is stored again later: `logs.ranges` does, in the transaction that adds the
event. The same row has the newest facts of a log (which round is open, which warning is latched), so that what is known
of all shoes is read from one row each.

Which log of a device is the newest, no clock says: that of a gateway may be wrong for an hour, and what it stored then
would stand above all that follows. `logs.turn` is the position of the newest event that was sent while the gateway went
on with the log; the gateway's store knows the order of its logs, and a message of an older one says so (`LEFT`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import psycopg

from fairshoe import FairshoeError

LOCK = 0x46534845_0001  # advisory lock of migrations in its database

STEPS = tuple(path.read_text(encoding="utf-8") for path in sorted((Path(__file__).parent / "steps").glob("*.sql")))


class DatabaseError(FairshoeError):
    """The database cannot be used as it is."""


# A restore makes tables first, then their rows, then keys and indexes: while one of these is missing, what a program
# writes would be there twice.
_TABLES = set(re.findall(r"CREATE TABLE (\w+)", "".join(STEPS))) - {"events"}
_INDEXES = re.findall(r"CREATE (?:UNIQUE )?INDEX (\w+)", "".join(STEPS))
_PARTS = ("schema_steps", "events_key", *(f"{name}_pkey" for name in sorted(_TABLES)), *_INDEXES)
IS_WHOLE = f"SELECT bool_and(to_regclass(name) IS NOT NULL) FROM unnest('{{{','.join(_PARTS)}}}'::text[]) AS name"


async def is_whole(connection: psycopg.AsyncConnection[Any]) -> bool:
    """Whether all tables have their keys and indexes: not so while the database is being restored."""
    found = await (await connection.execute(IS_WHOLE.encode())).fetchone()
    return bool(found and found[0])


async def is_current(connection: psycopg.AsyncConnection[Any]) -> bool:
    """Whether the database has all steps, and is whole. No DDL, and no lock."""
    if not await is_whole(connection):
        return False
    found = await (await connection.execute("SELECT COALESCE(MAX(step), 0) FROM schema_steps")).fetchone()
    return bool(found) and found[0] == len(STEPS)


async def migrate(
    connection: psycopg.AsyncConnection[Any],
    steps: Sequence[str] = STEPS,
    begins: Callable[[int], None] = lambda _number: None,
) -> int:
    """Bring the tables to this version: all missing steps or none. How many were done; `begins` hears of each."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(%s)", (LOCK,))
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_steps"
            " (step integer PRIMARY KEY, done timestamptz NOT NULL DEFAULT now())"
        )
        found = await (await connection.execute("SELECT COALESCE(MAX(step), 0) FROM schema_steps")).fetchone()
        version = int(found[0]) if found else 0
        if version > len(steps):
            raise DatabaseError(
                f"the database has schema {version}, this program knows {len(steps)}.", "Update this program."
            )
        for number, step in enumerate(steps[version:], version + 1):
            begins(number)
            await connection.execute(step.encode())
            await connection.execute("INSERT INTO schema_steps (step) VALUES (%s)", (number,))
    return len(steps) - version
