CREATE SEQUENCE events_positions;
CREATE TABLE events (
    position bigint NOT NULL DEFAULT nextval('events_positions'),
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
    month date NOT NULL DEFAULT date_trunc('month', now() AT TIME ZONE 'UTC')::date,
    CONSTRAINT events_key PRIMARY KEY (device, log, seq, month)
) PARTITION BY RANGE (month);
CREATE INDEX events_position ON events (position);
CREATE INDEX events_received ON events (received);
CREATE INDEX events_device_received ON events (device, received);
CREATE INDEX events_name_received ON events (name, received);
CREATE INDEX events_device_name ON events (device, name, received);
CREATE INDEX events_judged ON events (received, position) WHERE name IN ('booted', 'deck_refused', 'deck_verified',
    'journal_broken', 'serviced', 'warning_cleared', 'warning_latched');
-- The table of a month, made before its first event.
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
SELECT events_month((now() AT TIME ZONE 'UTC')::date);
SELECT events_month(((now() AT TIME ZONE 'UTC') + interval '1 month')::date);
CREATE TABLE logs (
    id bigint GENERATED ALWAYS AS IDENTITY,
    device bigint NOT NULL,
    log bytea NOT NULL,
    ranges int8multirange NOT NULL DEFAULT '{}',
    began double precision NOT NULL,
    gateway text NOT NULL,
    received double precision NOT NULL DEFAULT 0,
    turn bigint NOT NULL DEFAULT 0,
    started bigint NOT NULL DEFAULT 0,
    over bigint NOT NULL DEFAULT 0,
    outside bigint NOT NULL DEFAULT 0,
    cleared bigint NOT NULL DEFAULT 0,
    latched bigint NOT NULL DEFAULT 0,
    latched_at double precision NOT NULL DEFAULT 0,
    latched_round bigint NOT NULL DEFAULT 0,
    warning text NOT NULL DEFAULT '',
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
CREATE TABLE journals (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device bigint NOT NULL,
    log bytea NOT NULL,
    kept_at double precision NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    sha256 bytea NOT NULL UNIQUE,
    content bytea NOT NULL,
    problem text NOT NULL,
    gateway text NOT NULL DEFAULT '',
    number bigint NOT NULL DEFAULT 0
);
CREATE INDEX journals_device ON journals (device, log, last);
CREATE INDEX journals_kept ON journals (kept_at);
CREATE TABLE samples (
    device bigint NOT NULL,
    at double precision NOT NULL,
    gateway text NOT NULL,
    sample jsonb NOT NULL,
    id bigint GENERATED ALWAYS AS IDENTITY,
    stored timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (device, at)
);
CREATE INDEX samples_at ON samples (at);
CREATE UNIQUE INDEX samples_id ON samples (id);
CREATE INDEX samples_device_id ON samples (device, id);
CREATE INDEX samples_stored ON samples (stored);
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
    part text NOT NULL DEFAULT '',
    place text NOT NULL DEFAULT '',
    pit text NOT NULL DEFAULT '',
    ended_sent boolean NOT NULL DEFAULT false
);
CREATE UNIQUE INDEX alarms_open ON alarms (rule, device, part) WHERE cleared_at IS NULL;
CREATE INDEX alarms_ended ON alarms (cleared_at);
CREATE TABLE parts (
    name text PRIMARY KEY,
    value text NOT NULL,
    heard timestamptz NOT NULL DEFAULT now(),
    moved timestamptz NOT NULL DEFAULT now()
);
CREATE TABLE leases (
    name text PRIMARY KEY,
    number bigint NOT NULL,
    holder text NOT NULL,
    until timestamptz NOT NULL
);
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
        SELECT it.relname AS name, substring(pg_get_expr(it.relpartbound, it.oid) FROM 'TO ..([0-9-]+)')::date AS until
        FROM pg_inherits JOIN pg_class AS it ON it.oid = inhrelid WHERE inhparent = 'events'::regclass
    ) AS part, policies WHERE what = 'events' AND until + days * interval '1 day' < now()
        ORDER BY until LIMIT 1;
    IF old IS NOT NULL THEN
        EXECUTE format('DROP TABLE %I', old);
    END IF;
    RETURN old;
END $$;
-- One series for each shoe, of fairshoe/wear.py: the desk goes on with it after a start.
CREATE TABLE wear (device bigint PRIMARY KEY, series jsonb NOT NULL);
