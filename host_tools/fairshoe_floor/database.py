"""How every connection to PostgreSQL is made: none waits longer than a minute for a peer that is gone.

A cut without a reset leaves both ends believing in the connection, by default for more than two hours. So the client
and the server send keepalives and give up on unacknowledged data; the server ends statements and idle transactions that
last too long, because a transaction may hold the lease of a writer that is stopped; and a program that waits for a
server that is frozen, which a keepalive does not show, hangs up by itself.
"""

from __future__ import annotations

import contextlib
import os
import socket
from typing import Any

import psycopg

CONNECT_S = 5
STATEMENT_S = 15.0
IDLE_S = 10.0  # in a transaction, between two statements
_KEEPALIVES = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
GONE_MS = 20_000  # sent and not acknowledged for so long
# What a lost connection raises. Anything else is a defect of a program or of its database, and is not retried.
LOST = (psycopg.OperationalError, psycopg.InterfaceError)


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


def hang_up(db: psycopg.Connection[Any]) -> None:
    """End a connection that another thread waits on: that thread gets an error at once."""
    with contextlib.suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(db.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)
