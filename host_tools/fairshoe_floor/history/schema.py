"""The tables of the central record, and the steps that bring an older database to this version.

A step is never changed once released: later versions add steps. `fairshoe floor migrate` does those that are missing,
all or none, under a lock. No other program changes a table.

Events are in one table for each month in which they were stored, by the database's clock: a month that is over is
dropped as a whole, and a question about a day reads small indexes. A key over all months would have to contain the
month, so it cannot prevent that an event is stored again later: `logs.ranges` does, in the transaction that adds the
event. The same row has the newest facts of a log (which round is open, which warning is latched), so that what is known
of all shoes is read from one row each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """
    ALTER TABLE events RENAME TO events_before;
    ALTER TABLE events_before ALTER COLUMN position DROP IDENTITY;
    ALTER INDEX events_position RENAME TO events_before_position;
    ALTER INDEX events_received RENAME TO events_before_received;
    ALTER INDEX events_device_name RENAME TO events_before_device_name;
    ALTER INDEX events_judged RENAME TO events_before_judged;
    -- A constant: the rows are not written again.
    DO $$ BEGIN EXECUTE format('ALTER TABLE events_before ADD COLUMN month date NOT NULL DEFAULT %L',
        date_trunc('month', now() AT TIME ZONE 'UTC')::date - 1); END $$;
    CREATE SEQUENCE events_positions;
    SELECT setval('events_positions', COALESCE((SELECT MAX(position) FROM events_before), 0) + 1, false);
    CREATE TABLE events (LIKE events_before INCLUDING DEFAULTS) PARTITION BY RANGE (month);
    ALTER TABLE events ALTER COLUMN position SET DEFAULT nextval('events_positions'),
        ALTER COLUMN month SET DEFAULT date_trunc('month', now() AT TIME ZONE 'UTC')::date;
    CREATE FUNCTION events_month(day date) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = public, pg_temp AS $$
    DECLARE
        first date := date_trunc('month', day)::date;
        name text := to_char(first, '"events_"YYYY_MM');
    BEGIN
        IF to_regclass(name) IS NULL THEN
            PERFORM pg_advisory_xact_lock(77195014012930);
        END IF;
        IF to_regclass(name) IS NULL THEN
            EXECUTE format('CREATE TABLE %I (LIKE events INCLUDING DEFAULTS)', name);
            EXECUTE format('ALTER TABLE events ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)',
                name, first, (first + interval '1 month')::date);
        END IF;
    END $$;
    ALTER TABLE events_before DROP CONSTRAINT events_pkey;
    ALTER TABLE events ADD CONSTRAINT events_key PRIMARY KEY (device, log, seq, month);
    ALTER TABLE events_before ADD CONSTRAINT events_before_key PRIMARY KEY (device, log, seq, month);
    DROP INDEX events_before_position;
    CREATE INDEX events_before_position ON events_before (position);
    CREATE INDEX events_before_device_received ON events_before (device, received);
    CREATE INDEX events_before_name_received ON events_before (name, received);
    CREATE INDEX events_position ON events (position);
    CREATE INDEX events_received ON events (received);
    CREATE INDEX events_device_received ON events (device, received);
    CREATE INDEX events_name_received ON events (name, received);
    CREATE INDEX events_device_name ON events (device, name, received);
    CREATE INDEX events_judged ON events (received, position) WHERE name IN ('booted', 'deck_refused', 'deck_verified',
        'journal_broken', 'warning_cleared', 'warning_latched');
    DO $$ BEGIN
        IF EXISTS (SELECT FROM events_before) THEN
            EXECUTE format('ALTER TABLE events ATTACH PARTITION events_before FOR VALUES FROM (MINVALUE) TO (%L)',
                date_trunc('month', now() AT TIME ZONE 'UTC')::date);
        ELSE
            DROP TABLE events_before;
        END IF;
    END $$;
    SELECT events_month((now() AT TIME ZONE 'UTC')::date);
    SELECT events_month(((now() AT TIME ZONE 'UTC') + interval '1 month')::date);
    """,
    """
    ALTER TABLE logs ADD COLUMN received double precision NOT NULL DEFAULT 0,
        ADD COLUMN started bigint NOT NULL DEFAULT 0,
        ADD COLUMN over bigint NOT NULL DEFAULT 0,
        ADD COLUMN outside bigint NOT NULL DEFAULT 0,
        ADD COLUMN cleared bigint NOT NULL DEFAULT 0,
        ADD COLUMN latched bigint NOT NULL DEFAULT 0,
        ADD COLUMN latched_at double precision NOT NULL DEFAULT 0,
        ADD COLUMN latched_round bigint NOT NULL DEFAULT 0,
        ADD COLUMN warning text NOT NULL DEFAULT '';
    UPDATE logs SET received = COALESCE((SELECT it.received FROM events AS it WHERE it.device = logs.device
            AND it.log = logs.log ORDER BY it.seq DESC LIMIT 1), 0),
        started = COALESCE((SELECT seq FROM events AS it WHERE it.device = logs.device AND it.log = logs.log
            AND name = 'round_started' ORDER BY seq DESC LIMIT 1), 0),
        over = COALESCE((SELECT seq FROM events AS it WHERE it.device = logs.device AND it.log = logs.log
            AND name IN ('round_ended', 'round_voided') ORDER BY seq DESC LIMIT 1), 0),
        outside = COALESCE((SELECT seq FROM events AS it WHERE it.device = logs.device AND it.log = logs.log
            AND (round = 0 OR name IN ('round_ended', 'round_voided')) ORDER BY seq DESC LIMIT 1), 0),
        cleared = COALESCE((SELECT seq FROM events AS it WHERE it.device = logs.device AND it.log = logs.log
            AND name = 'warning_cleared' ORDER BY seq + 0 DESC LIMIT 1), 0);
    UPDATE logs SET (latched, latched_at, latched_round, warning) = (it.seq, it.received, it.round, it.warning)
        FROM (SELECT DISTINCT ON (device, log) device, log, seq, received, round,
            COALESCE(fields->>'warning', '') AS warning FROM events WHERE name = 'warning_latched'
            ORDER BY device, log, seq DESC) AS it WHERE it.device = logs.device AND it.log = logs.log;
    CREATE TABLE assignments (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        device bigint NOT NULL,
        place text NOT NULL,
        pit text NOT NULL,
        gateway text NOT NULL,
        began double precision NOT NULL,
        ended double precision,
        CHECK (ended > began)
    );
    CREATE UNIQUE INDEX assignments_now ON assignments (device) WHERE ended IS NULL;
    CREATE INDEX assignments_place ON assignments (place, began);
    CREATE INDEX assignments_device ON assignments (device, began);
    ALTER TABLE alarms DROP COLUMN escalated_at,
        ADD COLUMN place text NOT NULL DEFAULT '',
        ADD COLUMN pit text NOT NULL DEFAULT '',
        ADD COLUMN ended_sent boolean NOT NULL DEFAULT false;
    CREATE INDEX alarms_ended ON alarms (cleared_at);
    CREATE TABLE policies (
        what text PRIMARY KEY,
        days double precision NOT NULL CHECK (days >= 1),
        set_by text NOT NULL,
        set_at timestamptz NOT NULL DEFAULT now()
    );
    INSERT INTO policies VALUES ('samples', 400, 'default');
    -- The oldest month of events that is older than its policy, dropped: one at a time, and none without a policy.
    CREATE FUNCTION drop_old_events() RETURNS text LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = public, pg_temp AS $$
    DECLARE
        old text;
    BEGIN
        SELECT part.name INTO old FROM (
            SELECT it.relname AS name, substring(pg_get_expr(it.relpartbound, it.oid) FROM 'TO ..([0-9-]+)')::date
                + CASE it.relname WHEN 'events_before' THEN 31 ELSE 0 END AS until
            FROM pg_inherits JOIN pg_class AS it ON it.oid = inhrelid WHERE inhparent = 'events'::regclass
        ) AS part, policies WHERE what = 'events' AND until + days * interval '1 day' < now()
            ORDER BY until LIMIT 1;
        IF old IS NOT NULL THEN
            EXECUTE format('DROP TABLE %I', old);
        END IF;
        RETURN old;
    END $$;
    """,
    """
    -- One series for each shoe, of fairshoe/wear.py: the desk goes on with it after a start.
    CREATE TABLE wear (device bigint PRIMARY KEY, series jsonb NOT NULL);
    DROP INDEX events_judged;
    CREATE INDEX events_judged ON events (received, position) WHERE name IN ('booted', 'deck_refused', 'deck_verified',
        'journal_broken', 'serviced', 'warning_cleared', 'warning_latched');
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
