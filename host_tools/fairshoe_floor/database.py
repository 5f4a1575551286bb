"""How every connection to PostgreSQL is made: none waits longer than a minute for a peer that is gone.

A cut without a reset leaves both ends believing in the connection, by default for more than two hours. So the client
and the server send keepalives and give up on unacknowledged data; the server ends statements and idle transactions that
last too long, because a transaction may hold the lease of a writer that is stopped; and a program that waits for a
server that is frozen, which a keepalive does not show, hangs up by itself.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
from collections.abc import AsyncGenerator, Callable
from typing import Any, TypeVar

import psycopg

CONNECT_S = 20  # a busy machine needs seconds for a connection that takes milliseconds when idle
STATEMENT_S = 30.0
IDLE_S = 10.0  # in a transaction, between two statements
_KEEPALIVES = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
_ADVICE = {  # by class of SQLSTATE
    "25": "If the database is read-only, it is no primary: promote it, or name the primary.",
    "28": "Give this program the password of its role.",
    "42": "Tables or rights were changed: `fairshoe floor migrate` renews rights; restore what else was changed.",
}
GONE_MS = 20_000  # sent and not acknowledged for so long
T = TypeVar("T")
# What a lost connection raises, one of a program that was stopped in a transaction, and a standby before its promotion.
# Anything else is a defect of a program or of its database, and is not retried by the consumer.
LOST = (
    *(psycopg.OperationalError, psycopg.InterfaceError),
    *(psycopg.errors.IdleInTransactionSessionTimeout, psycopg.errors.ReadOnlySqlTransaction),
)
# What tables raise that are dropped or altered under a program.
CHANGED = (psycopg.ProgrammingError, psycopg.InternalError)


def settings(statement_s: float = STATEMENT_S, idle_s: float = IDLE_S, read_only: bool = False) -> dict[str, Any]:
    """For psycopg.connect and its like. statement_s=0: no limit, for migrations and reports."""
    server: dict[str, object] = {f"tcp_{name}": value for name, value in _KEEPALIVES.items()}
    server |= {
        "tcp_user_timeout": GONE_MS,
        "statement_timeout": int(statement_s * 1000),
        "lock_timeout": int(statement_s * 1000),
        "idle_in_transaction_session_timeout": int(idle_s * 1000),
        "default_transaction_read_only": "on" if read_only else "off",
    }
    return {
        "autocommit": True,
        "connect_timeout": CONNECT_S,
        "keepalives": 1,
        **_KEEPALIVES,
        "tcp_user_timeout": GONE_MS,
        "options": " ".join(f"-c {name}={value}" for name, value in server.items()),
    }


def explained(error: Exception) -> str:
    """An error of the database or of its connection in words, with what to do where that is not a matter of waiting."""
    return f"{str(error).strip().rstrip('.') or repr(error)}. {advice(error)}".rstrip()


def advice(error: Exception) -> str:
    return _ADVICE.get((getattr(error, "sqlstate", None) or "")[:2], "")


def hang_up(db: psycopg.Connection[Any]) -> None:
    """End a connection that another thread waits on: that thread gets an error at once."""
    with contextlib.suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(db.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)


async def within(seconds: float, work: Callable[[], T]) -> T:
    """In a thread. TimeoutError leaves the thread waiting: `in_threads` hangs up on its database."""
    return await asyncio.wait_for(asyncio.to_thread(work), seconds)


@contextlib.asynccontextmanager
async def in_threads(url: str) -> AsyncGenerator[psycopg.Connection[Any]]:
    """A connection for work in threads, by `within`. A thread that waits for a database that does not answer is freed
    by hanging up, after its time and when the program is stopped."""
    db = await asyncio.to_thread(lambda: psycopg.connect(url, **settings()))
    try:
        yield db
    except (TimeoutError, asyncio.TimeoutError, asyncio.CancelledError):
        hang_up(db)  # not close(): the thread may be using it
        raise
    except BaseException:
        db.close()
        raise
    db.close()
