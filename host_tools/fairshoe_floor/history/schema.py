"""The tables of the central record, and the steps that bring an older database to this version.

A step is never changed once released: later versions add steps. Every step runs in a transaction of its own, under a
lock, so two programs that start together do it once.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg

from fairshoe import FairshoeError

LOCK = 0x46534845_0001  # advisory lock of migrations in its database

STEPS: tuple[str, ...] = (
    """
    CREATE TABLE events (
        position bigint GENERATED ALWAYS AS IDENTITY,
        device bigint NOT NULL,
        log bytea NOT NULL,
        seq bigint NOT NULL,
        message integer NOT NULL,
        name text NOT NULL,
        boot integer NOT NULL,
        uptime_s double precision NOT NULL,
        utc_s bigint NOT NULL,
        round bigint NOT NULL,
        deck integer NOT NULL,
        fields jsonb NOT NULL,
        body bytea NOT NULL,
        received double precision NOT NULL,
        gateway text NOT NULL,
        stored timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (device, log, seq)
    );
    CREATE UNIQUE INDEX events_position ON events (position);
    CREATE INDEX events_received ON events (received);
    CREATE INDEX events_device_name ON events (device, name, received);
    CREATE TABLE logs (
        id bigint GENERATED ALWAYS AS IDENTITY,
        device bigint NOT NULL,
        log bytea NOT NULL,
        ranges int8multirange NOT NULL DEFAULT '{}',
        began double precision NOT NULL,
        gateway text NOT NULL,
        PRIMARY KEY (device, log)
    );
    CREATE TABLE stream_places (
        stream text PRIMARY KEY,
        seq bigint NOT NULL,
        stored_at timestamptz NOT NULL
    );
    CREATE TABLE conflicts (
        device bigint NOT NULL,
        log bytea NOT NULL,
        seq bigint NOT NULL,
        body bytea NOT NULL,
        gateway text NOT NULL,
        found timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (device, log, seq, body)
    );
    """,
    """
    CREATE TABLE alarms (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        rule text NOT NULL,
        severity text NOT NULL,
        device bigint NOT NULL,
        text text NOT NULL,
        raised_at double precision NOT NULL,
        cleared_at double precision,
        acknowledged_at double precision,
        acknowledged_by text,
        note text,
        escalated_at double precision
    );
    CREATE UNIQUE INDEX alarms_open ON alarms (rule, device) WHERE cleared_at IS NULL;
    CREATE TABLE samples (
        device bigint NOT NULL,
        at double precision NOT NULL,
        gateway text NOT NULL,
        sample jsonb NOT NULL,
        PRIMARY KEY (device, at)
    );
    CREATE TABLE journals (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        device bigint NOT NULL,
        log bytea NOT NULL,
        kept_at double precision NOT NULL,
        first bigint NOT NULL,
        last bigint NOT NULL,
        sha256 bytea NOT NULL UNIQUE,
        content bytea NOT NULL,
        verdict text NOT NULL,
        problem text NOT NULL
    );
    CREATE INDEX journals_device ON journals (device, log, last);
    """,
    """
    ALTER TABLE journals ADD COLUMN gateway text NOT NULL DEFAULT '';
    ALTER TABLE journals DROP COLUMN verdict;
    CREATE INDEX journals_kept ON journals (kept_at);
    CREATE INDEX samples_at ON samples (at);
    """,
    """
    ALTER TABLE samples ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY;
    CREATE UNIQUE INDEX samples_id ON samples (id);
    CREATE INDEX samples_device_id ON samples (device, id);
    CREATE INDEX events_judged ON events (received, position) WHERE name IN ('booted', 'deck_refused', 'deck_verified',
        'journal_broken', 'warning_cleared', 'warning_latched');
    """,
    """
    CREATE TABLE dead_letters (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name bytea NOT NULL UNIQUE,
        stream text NOT NULL,
        subject text NOT NULL,
        seq bigint NOT NULL,
        device bigint NOT NULL,
        reason text NOT NULL,
        data bytea NOT NULL,
        times bigint NOT NULL DEFAULT 1,
        found timestamptz NOT NULL DEFAULT now(),
        found_last timestamptz NOT NULL DEFAULT now(),
        closed timestamptz,
        outcome text NOT NULL DEFAULT ''
    );
    CREATE INDEX dead_letters_open ON dead_letters (device) WHERE closed IS NULL;
    CREATE TABLE gaps (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        device bigint NOT NULL,
        log bytea NOT NULL,
        first bigint NOT NULL,
        last bigint NOT NULL,
        gateway text NOT NULL,
        after double precision NOT NULL,
        before double precision NOT NULL,
        found timestamptz NOT NULL DEFAULT now(),
        closed timestamptz,
        outcome text NOT NULL DEFAULT '',
        UNIQUE (device, log, first, last)
    );
    CREATE INDEX gaps_open ON gaps (device, log) WHERE closed IS NULL;
    ALTER TABLE alarms ADD COLUMN part text NOT NULL DEFAULT '';
    DROP INDEX alarms_open;
    CREATE UNIQUE INDEX alarms_open ON alarms (rule, device, part) WHERE cleared_at IS NULL;
    """,
    """
    ALTER TABLE journals ADD COLUMN number bigint NOT NULL DEFAULT 0;
    ALTER TABLE samples ADD COLUMN stored timestamptz NOT NULL DEFAULT now();
    CREATE INDEX samples_stored ON samples (stored);
    CREATE TABLE parts (
        name text PRIMARY KEY,
        value text NOT NULL,
        heard timestamptz NOT NULL DEFAULT now(),
        moved timestamptz NOT NULL DEFAULT now()
    );
    """,
    """
    CREATE TABLE leases (
        name text PRIMARY KEY,
        number bigint NOT NULL,
        holder text NOT NULL,
        until timestamptz NOT NULL
    );
    """,
)


class DatabaseError(FairshoeError):
    """The database cannot be used as it is."""


async def is_current(connection: psycopg.AsyncConnection[Any], steps: Sequence[str] = STEPS) -> bool:
    """Whether the database has all steps. No DDL, and no lock."""
    found = await (await connection.execute("SELECT to_regclass('schema_steps') IS NOT NULL")).fetchone()
    if not found or not found[0]:
        return False
    found = await (await connection.execute("SELECT COALESCE(MAX(step), 0) FROM schema_steps")).fetchone()
    return bool(found) and found[0] == len(steps)


async def migrate(connection: psycopg.AsyncConnection[Any], steps: Sequence[str] = STEPS) -> int:
    """Bring the tables to this version. How many steps were done."""
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
            await connection.execute(step.encode())
            await connection.execute("INSERT INTO schema_steps (step) VALUES (%s)", (number,))
    return len(steps) - version
