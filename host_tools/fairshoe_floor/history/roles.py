"""The roles of the database: who may write what. Every role reads all tables; `migrator` owns them.

    migrator    makes and changes tables: `fairshoe floor migrate`, and people who set a policy
    writer      takes events into the record: the consumer of `fairshoe floor run`; dead letters, gaps
    desk        raises, sends and acknowledges alarms, says which table a shoe is at
    reader      writes nothing but who has seen an alarm: `fairshoe floor serve`, reports, other programs

`migrate` gives these rights again after its steps, as far as the roles exist: a table that a step has made is then
covered. A role may not delete or change an event: only the migrator's function drops a month, by its policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import psycopg

PREFIX = "fairshoe_"
ROLES = ("migrator", "writer", "desk", "reader")
WRITES: Mapping[str, Mapping[str, str]] = {
    "writer": {
        "events": "INSERT",
        "logs": "INSERT, UPDATE",
        "stream_places": "INSERT, UPDATE",
        "conflicts": "INSERT",
        "samples": "INSERT, DELETE",
        "journals": "INSERT",
        "dead_letters": "INSERT, UPDATE",
        "gaps": "INSERT, UPDATE",
        "parts": "INSERT, UPDATE, DELETE",
        "leases": "INSERT, UPDATE",
        "assignments": "INSERT, UPDATE, DELETE",
    },
    "reader": {"alarms": "UPDATE (acknowledged_at, acknowledged_by, note)"},
    "desk": {
        "alarms": "INSERT, UPDATE",
        "parts": "INSERT, UPDATE",
        "assignments": "INSERT, UPDATE, DELETE",
        "wear": "INSERT, UPDATE",
    },
}
FUNCTIONS = ("events_month(date)", "drop_old_events()")


def grants(found: set[str]) -> list[str]:
    """What gives these roles their rights, and the public none."""
    known = [f"{PREFIX}{role}" for role in ROLES[1:] if f"{PREFIX}{role}" in found]
    made = [f"REVOKE ALL ON FUNCTION {name} FROM PUBLIC" for name in FUNCTIONS]
    for role in known:
        made += [f"REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {role}"]
        made += [f"GRANT SELECT ON ALL TABLES IN SCHEMA public TO {role}"]
        writes = WRITES.get(role.removeprefix(PREFIX), {})
        made += [f"GRANT {rights} ON {table} TO {role}" for table, rights in writes.items()]
    if f"{PREFIX}writer" in known:
        made += [f"GRANT EXECUTE ON FUNCTION {name} TO {PREFIX}writer" for name in FUNCTIONS]
        made.append(f"GRANT USAGE ON SEQUENCE events_positions TO {PREFIX}writer")
    return made


async def grant(connection: psycopg.AsyncConnection[Any]) -> int:
    """Give the roles that exist their rights. How many exist."""
    rows = await (await connection.execute("SELECT rolname FROM pg_roles")).fetchall()
    found = {str(name) for (name,) in rows}
    async with connection.transaction():
        for statement in grants(found):
            await connection.execute(statement.encode())
    return sum(f"{PREFIX}{role}" in found for role in ROLES)
