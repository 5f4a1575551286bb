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
