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
