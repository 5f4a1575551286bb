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
