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
