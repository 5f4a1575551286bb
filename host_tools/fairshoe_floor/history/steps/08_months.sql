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
