"""The lease of the writer: one program writes to a database, and every transaction of it proves that it still may.

An advisory lock is held by a session. A program whose network is cut keeps its lock until the server notices, and one
that was stopped (a laptop lid, a hypervisor) believes in its lock when it goes on. A lease is a row with a number: it
ends by the database's clock, a standby takes it with the next number, and a transaction with an earlier number changes
nothing. The row is locked until the transaction ends, so number and writes cannot be torn apart. The end on file must
be the one that was committed last, too: in a database that was restored under a running program it is an older one,
and the program must look again what the database has.
"""

from __future__ import annotations

import secrets
from datetime import date, datetime
from typing import Any

import psycopg

LEASE_S = 40.0
_TAKE = (
    "INSERT INTO leases AS held (name, number, holder, until) VALUES ('writer', 1, %(me)s,"
    " clock_timestamp() + %(s)s * interval '1 second') ON CONFLICT (name) DO UPDATE SET number = held.number + 1,"
    " holder = excluded.holder, until = excluded.until WHERE held.until < clock_timestamp() OR held.holder = %(me)s"
    " RETURNING number, until"
)
_RENEW = (
    "UPDATE leases SET until = clock_timestamp() + %s * interval '1 second'"
    " WHERE name = 'writer' AND number = %s AND holder = %s AND until = %s"
    " RETURNING (now() AT TIME ZONE 'UTC')::date, until"
)
# Without the end on file: a program that ends between a commit and its answer does not know it.
_RELEASE = "UPDATE leases SET until = clock_timestamp() WHERE name = 'writer' AND number = %s AND holder = %s"


class LeaseLost(EOFError):
    """Another program writes to this database now, or it was restored from a copy."""


class Lease:
    """Of one program. `take` until it succeeds, then `renew` first in every transaction and `keep` after its commit."""

    def __init__(self, seconds: float = LEASE_S) -> None:
        self.seconds = seconds
        self.holder = secrets.token_hex(8)
        self.number = 0
        self._until = self._renewed = datetime.max  # the end on file, and that of the transaction under way

    async def take(self, db: psycopg.AsyncConnection[Any]) -> bool:
        found = await (await db.execute(_TAKE, {"me": self.holder, "s": self.seconds})).fetchone()
        self.number, self._until = found or (0, datetime.max)
        return bool(found)

    async def renew(self, db: psycopg.AsyncConnection[Any]) -> date:
        """The day of this transaction, by the database's clock."""
        found = await (await db.execute(_RENEW, (self.seconds, self.number, self.holder, self._until))).fetchone()
        if not found:
            raise LeaseLost("another program has taken over the database, or it was restored: looking what it has")
        today, self._renewed = found
        return today

    def keep(self) -> None:
        """The transaction of the last `renew` is committed."""
        self._until = self._renewed

    async def release(self, db: psycopg.AsyncConnection[Any]) -> None:
        """A standby need not wait for its end."""
        await db.execute(_RELEASE, (self.number, self.holder))
