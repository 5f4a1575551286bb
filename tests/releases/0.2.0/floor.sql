CREATE FUNCTION public.drop_old_events() RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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
CREATE FUNCTION public.events_month(day date) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO 'public', 'pg_temp'
    AS $$
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
CREATE TABLE public.alarms (
    id bigint NOT NULL,
    rule text NOT NULL,
    severity text NOT NULL,
    device bigint NOT NULL,
    text text NOT NULL,
    raised_at double precision NOT NULL,
    cleared_at double precision,
    acknowledged_at double precision,
    acknowledged_by text,
    note text,
    part text DEFAULT ''::text NOT NULL,
    place text DEFAULT ''::text NOT NULL,
    pit text DEFAULT ''::text NOT NULL,
    ended_sent boolean DEFAULT false NOT NULL
);
ALTER TABLE public.alarms ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.alarms_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.assignments (
    id bigint NOT NULL,
    device bigint NOT NULL,
    place text NOT NULL,
    pit text NOT NULL,
    gateway text NOT NULL,
    began double precision NOT NULL,
    ended double precision,
    CONSTRAINT assignments_check CHECK ((ended > began))
);
ALTER TABLE public.assignments ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.assignments_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.conflicts (
    device bigint NOT NULL,
    log bytea NOT NULL,
    seq bigint NOT NULL,
    body bytea NOT NULL,
    gateway text NOT NULL,
    found timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.dead_letters (
    id bigint NOT NULL,
    name bytea NOT NULL,
    stream text NOT NULL,
    subject text NOT NULL,
    seq bigint NOT NULL,
    device bigint NOT NULL,
    reason text NOT NULL,
    data bytea NOT NULL,
    times bigint DEFAULT 1 NOT NULL,
    found timestamp with time zone DEFAULT now() NOT NULL,
    found_last timestamp with time zone DEFAULT now() NOT NULL,
    closed timestamp with time zone,
    outcome text DEFAULT ''::text NOT NULL
);
ALTER TABLE public.dead_letters ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.dead_letters_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE SEQUENCE public.events_positions
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
CREATE TABLE public.events (
    "position" bigint DEFAULT nextval('public.events_positions'::regclass) NOT NULL,
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
    stored timestamp with time zone DEFAULT now() NOT NULL,
    month date DEFAULT (date_trunc('month'::text, (now() AT TIME ZONE 'UTC'::text)))::date NOT NULL
)
PARTITION BY RANGE (month);
CREATE TABLE public.events_2026_11 (
    "position" bigint DEFAULT nextval('public.events_positions'::regclass) NOT NULL,
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
    stored timestamp with time zone DEFAULT now() NOT NULL,
    month date DEFAULT (date_trunc('month'::text, (now() AT TIME ZONE 'UTC'::text)))::date NOT NULL
);
CREATE TABLE public.events_2026_12 (
    "position" bigint DEFAULT nextval('public.events_positions'::regclass) NOT NULL,
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
    stored timestamp with time zone DEFAULT now() NOT NULL,
    month date DEFAULT (date_trunc('month'::text, (now() AT TIME ZONE 'UTC'::text)))::date NOT NULL
);
CREATE TABLE public.gaps (
    id bigint NOT NULL,
    device bigint NOT NULL,
    log bytea NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    gateway text NOT NULL,
    after double precision NOT NULL,
    before double precision NOT NULL,
    found timestamp with time zone DEFAULT now() NOT NULL,
    closed timestamp with time zone,
    outcome text DEFAULT ''::text NOT NULL
);
ALTER TABLE public.gaps ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.gaps_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.journals (
    id bigint NOT NULL,
    device bigint NOT NULL,
    log bytea NOT NULL,
    kept_at double precision NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    sha256 bytea NOT NULL,
    content bytea NOT NULL,
    problem text NOT NULL,
    gateway text DEFAULT ''::text NOT NULL,
    number bigint DEFAULT 0 NOT NULL
);
ALTER TABLE public.journals ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.journals_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.leases (
    name text NOT NULL,
    number bigint NOT NULL,
    holder text NOT NULL,
    until timestamp with time zone NOT NULL
);
CREATE TABLE public.logs (
    id bigint NOT NULL,
    device bigint NOT NULL,
    log bytea NOT NULL,
    ranges int8multirange DEFAULT '{}'::int8multirange NOT NULL,
    began double precision NOT NULL,
    gateway text NOT NULL,
    received double precision DEFAULT 0 NOT NULL,
    turn bigint DEFAULT 0 NOT NULL,
    started bigint DEFAULT 0 NOT NULL,
    over bigint DEFAULT 0 NOT NULL,
    outside bigint DEFAULT 0 NOT NULL,
    cleared bigint DEFAULT 0 NOT NULL,
    latched bigint DEFAULT 0 NOT NULL,
    latched_at double precision DEFAULT 0 NOT NULL,
    latched_round bigint DEFAULT 0 NOT NULL,
    warning text DEFAULT ''::text NOT NULL
);
ALTER TABLE public.logs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.logs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.parts (
    name text NOT NULL,
    value text NOT NULL,
    heard timestamp with time zone DEFAULT now() NOT NULL,
    moved timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.policies (
    what text NOT NULL,
    days double precision NOT NULL,
    set_by text NOT NULL,
    set_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT policies_days_check CHECK ((days >= (1)::double precision))
);
CREATE TABLE public.samples (
    device bigint NOT NULL,
    at double precision NOT NULL,
    gateway text NOT NULL,
    sample jsonb NOT NULL,
    id bigint NOT NULL,
    stored timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE public.samples ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.samples_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.schema_steps (
    step integer NOT NULL,
    done timestamp with time zone DEFAULT now() NOT NULL
);
CREATE TABLE public.stream_places (
    stream text NOT NULL,
    seq bigint NOT NULL,
    stored_at timestamp with time zone NOT NULL
);
CREATE TABLE public.wear (
    device bigint NOT NULL,
    series jsonb NOT NULL
);
ALTER TABLE ONLY public.events ATTACH PARTITION public.events_2026_11 FOR VALUES FROM ('2026-11-01') TO ('2026-12-01');
ALTER TABLE ONLY public.events ATTACH PARTITION public.events_2026_12 FOR VALUES FROM ('2026-12-01') TO ('2027-01-01');
INSERT INTO public.events_2026_11 VALUES (1, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 1, 256, 'booted', 1, 0, 0, 0, 0, '{"cause": 0, "halted": "", "firmware": "0.2.0", "board_crc": 2436380948, "halted_boot": 0}', '\x0100000001000000000000000000000000000000000014393891302e322e3000000000000000000000000000', 1794993788.1863782, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (2, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 2, 267, 'sealed', 1, 0.12, 0, 0, 0, '{"key": 1, "mac": "54ea960e288ca2518a6021dcc8061e7c"}', '\x020000000100000000007800000000000000000000010054ea960e288ca2518a6021dcc8061e7c', 1794993788.1863782, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (3, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 3, 263, 'clock_set', 1, 0.12, 189388800, 0, 0, '{"role": "table", "old_utc_s": 0}', '\x03000000010000000000780000d8490b00000000000200000000', 1794993788.1896236, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (4, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 4, 258, 'empty_proved', 1, 1.576, 189388801, 0, 0, '{"slots_swept": 54}', '\x04000000010001000000400201d8490b00000000003600', 1794993788.1934485, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (5, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 5, 272, 'shuffle_started', 1, 2.202, 189388802, 0, 1, '{"expected": 52, "report_ds": 230}', '\x05000000010002000000ca0002d8490b00000000013400e600', 1794993788.1966274, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (6, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 6, 279, 'shuffle_committed', 1, 2.202, 189388802, 0, 1, '{"wait_ds": 0, "commitment": "f56f4537d718a8b1784efbe33f090cf1f6d661b5a67221284b35564d95eec010"}', '\x06000000010002000000ca0002d8490b0000000001f56f4537d718a8b1784efbe33f090cf1f6d661b5a67221284b35564d95eec01000', 1794993788.1993244, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (7, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 7, 273, 'deck_verified', 1, 25.202, 189388825, 0, 1, '{"swept": 52, "stalls": 0, "counted": 52, "misfeeds": 0}', '\x07000000010019000000ca0019d8490b0000000001340034000000', 1794993788.2461314, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (8, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 8, 288, 'round_started', 1, 25.902, 189388825, 1, 1, '{"game": "CS", "positions": 0}', '\x08000000010019000000860319d8490b0100000001435300000000000000', 1794993788.2489135, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (9, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 9, 289, 'lockout_confirmed', 1, 26.802, 189388826, 1, 1, '{"clause": "CS-9c", "accepted": null, "collected": null}', '\x0900000001001a00000022031ad8490b0100000001ffffffff43532d3963000000', 1794993788.2518532, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (10, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 10, 290, 'stack_started', 1, 26.802, 189388826, 1, 1, '{"cards": 5, "stack": 1}', '\x0a00000001001a00000022031ad8490b01000000010105', 1794993788.2533307, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (11, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 11, 291, 'stack_offered', 1, 27.817, 189388827, 1, 1, '{"cards": 5, "stack": 1, "stalls": 0, "misfeeds": 0}', '\x0b00000001001b00000031031bd8490b010000000101050000', 1794993788.2581916, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (12, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 12, 292, 'stack_taken', 1, 28.722, 189388828, 1, 1, '{"cards": 5, "stack": 1}', '\x0c00000001001c000000d2021cd8490b01000000010105', 1794993788.2613044, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (13, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 13, 290, 'stack_started', 1, 28.722, 189388828, 1, 1, '{"cards": 5, "stack": 2}', '\x0d00000001001c000000d2021cd8490b01000000010205', 1794993788.262305, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (14, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 14, 291, 'stack_offered', 1, 29.737, 189388829, 1, 1, '{"cards": 5, "stack": 2, "stalls": 0, "misfeeds": 0}', '\x0e00000001001d000000e1021dd8490b010000000102050000', 1794993788.267754, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (15, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 15, 292, 'stack_taken', 1, 30.522, 189388830, 1, 1, '{"cards": 5, "stack": 2}', '\x0f00000001001e0000000a021ed8490b01000000010205', 1794993788.2735639, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (16, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 16, 290, 'stack_started', 1, 30.522, 189388830, 1, 1, '{"cards": 5, "stack": 3}', '\x1000000001001e0000000a021ed8490b01000000010305', 1794993788.2766786, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (17, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 17, 291, 'stack_offered', 1, 31.537, 189388831, 1, 1, '{"cards": 5, "stack": 3, "stalls": 0, "misfeeds": 0}', '\x1100000001001f00000019021fd8490b010000000103050000', 1794993788.2811399, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (18, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 18, 292, 'stack_taken', 1, 32.322, 189388832, 1, 1, '{"cards": 5, "stack": 3}', '\x12000000010020000000420120d8490b01000000010305', 1794993788.284009, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (19, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 19, 290, 'stack_started', 1, 32.322, 189388832, 1, 1, '{"cards": 5, "stack": 4}', '\x13000000010020000000420120d8490b01000000010405', 1794993788.299695, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (20, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 20, 291, 'stack_offered', 1, 33.337, 189388833, 1, 1, '{"cards": 5, "stack": 4, "stalls": 0, "misfeeds": 0}', '\x14000000010021000000510121d8490b010000000104050000', 1794993788.3117988, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (21, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 21, 292, 'stack_taken', 1, 34.122, 189388834, 1, 1, '{"cards": 5, "stack": 4}', '\x150000000100220000007a0022d8490b01000000010405', 1794993788.3279266, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (22, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 22, 290, 'stack_started', 1, 34.122, 189388834, 1, 1, '{"cards": 5, "stack": 5}', '\x160000000100220000007a0022d8490b01000000010505', 1794993788.3323088, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (23, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 23, 291, 'stack_offered', 1, 35.137, 189388835, 1, 1, '{"cards": 5, "stack": 5, "stalls": 0, "misfeeds": 0}', '\x17000000010023000000890023d8490b010000000105050000', 1794993788.3388228, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (24, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 24, 292, 'stack_taken', 1, 35.922, 189388835, 1, 1, '{"cards": 5, "stack": 5}', '\x180000000100230000009a0323d8490b01000000010505', 1794993788.341585, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (25, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 25, 290, 'stack_started', 1, 35.922, 189388835, 1, 1, '{"cards": 5, "stack": 6}', '\x190000000100230000009a0323d8490b01000000010605', 1794993788.3445272, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (26, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 26, 291, 'stack_offered', 1, 36.937, 189388836, 1, 1, '{"cards": 5, "stack": 6, "stalls": 0, "misfeeds": 0}', '\x1a000000010024000000a90324d8490b010000000106050000', 1794993788.348588, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (27, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 27, 292, 'stack_taken', 1, 37.722, 189388837, 1, 1, '{"cards": 5, "stack": 6}', '\x1b000000010025000000d20225d8490b01000000010605', 1794993788.367849, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (28, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 28, 290, 'stack_started', 1, 37.722, 189388837, 1, 1, '{"cards": 5, "stack": 7}', '\x1c000000010025000000d20225d8490b01000000010705', 1794993788.379671, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (29, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 29, 291, 'stack_offered', 1, 38.737, 189388838, 1, 1, '{"cards": 5, "stack": 7, "stalls": 0, "misfeeds": 0}', '\x1d000000010026000000e10226d8490b010000000107050000', 1794993788.3917885, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (30, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 30, 292, 'stack_taken', 1, 39.522, 189388839, 1, 1, '{"cards": 5, "stack": 7}', '\x1e0000000100270000000a0227d8490b01000000010705', 1794993788.4118907, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (31, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 31, 290, 'stack_started', 1, 39.522, 189388839, 1, 1, '{"cards": 5, "stack": 8}', '\x1f0000000100270000000a0227d8490b01000000010805', 1794993788.4196813, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (32, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 32, 291, 'stack_offered', 1, 40.537, 189388840, 1, 1, '{"cards": 5, "stack": 8, "stalls": 0, "misfeeds": 0}', '\x20000000010028000000190228d8490b010000000108050000', 1794993788.4398487, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (33, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 33, 292, 'stack_taken', 1, 41.322, 189388841, 1, 1, '{"cards": 5, "stack": 8}', '\x21000000010029000000420129d8490b01000000010805', 1794993788.4602046, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (34, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 34, 290, 'stack_started', 1, 41.322, 189388841, 1, 1, '{"cards": 5, "stack": 9}', '\x22000000010029000000420129d8490b01000000010905', 1794993788.4676797, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (35, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 35, 267, 'sealed', 1, 41.322, 189388841, 1, 1, '{"key": 1, "mac": "3948cdfd4102ff085ec93456e748670d"}', '\x23000000010029000000420129d8490b010000000101003948cdfd4102ff085ec93456e748670d', 1794993788.483626, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (36, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 36, 291, 'stack_offered', 1, 42.337, 189388842, 1, 1, '{"cards": 5, "stack": 9, "stalls": 0, "misfeeds": 0}', '\x2400000001002a00000051012ad8490b010000000109050000', 1794993788.4958277, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.events_2026_11 VALUES (37, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 37, 292, 'stack_taken', 1, 43.122, 189388843, 1, 1, '{"cards": 5, "stack": 9}', '\x2500000001002b0000007a002bd8490b01000000010905', 1794993788.5119085, 'pit-1', '2026-11-19 20:18:42.395112+00', '2026-11-01');
INSERT INTO public.leases VALUES ('writer', 1, 'd569c4b3a415dd4e', '2026-11-19 20:18:42.466394+00');
INSERT INTO public.logs OVERRIDING SYSTEM VALUE VALUES (1, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', '{[1,38)}', 1794993788.1863782, 'pit-1', 1794993788.5119085, 37, 8, 0, 7, 0, 0, 0, 0, '');
INSERT INTO public.parts VALUES ('desk', '1', '2026-11-19 20:18:42.341338+00', '2026-11-19 20:18:42.341338+00');
INSERT INTO public.parts VALUES ('publisher pit-1', 'be4e8ad59d34fa56f1fbb3764ae3d971 0', '2026-11-19 20:18:42.420534+00', '2026-11-19 20:18:42.420534+00');
INSERT INTO public.parts VALUES ('gateway pit-1', 'be4e8ad59d34fa56f1fbb3764ae3d971 0.0', '2026-11-19 20:18:42.420534+00', '2026-11-19 20:18:42.420534+00');
INSERT INTO public.parts VALUES ('trouble publisher pit-1', '', '2026-11-19 20:18:42.420534+00', '2026-11-19 20:18:42.420534+00');
INSERT INTO public.parts VALUES ('trouble consumer', '', '2026-11-19 20:18:42.420534+00', '2026-11-19 20:18:42.420534+00');
INSERT INTO public.parts VALUES ('consumer', '1795119523', '2026-11-19 20:18:42.420534+00', '2026-11-19 20:18:42.420534+00');
INSERT INTO public.policies VALUES ('samples', 400, 'default', '2026-11-19 20:18:40.053258+00');
INSERT INTO public.schema_steps VALUES (1, '2026-11-19 20:18:40.053258+00');
INSERT INTO public.stream_places VALUES ('fairshoe', 1, '2026-11-19 20:18:42.391799+00');
SELECT pg_catalog.setval('public.alarms_id_seq', 1, false);
SELECT pg_catalog.setval('public.assignments_id_seq', 1, false);
SELECT pg_catalog.setval('public.dead_letters_id_seq', 1, false);
SELECT pg_catalog.setval('public.events_positions', 37, true);
SELECT pg_catalog.setval('public.gaps_id_seq', 1, false);
SELECT pg_catalog.setval('public.journals_id_seq', 1, false);
SELECT pg_catalog.setval('public.logs_id_seq', 1, true);
SELECT pg_catalog.setval('public.samples_id_seq', 1, false);
ALTER TABLE ONLY public.alarms
    ADD CONSTRAINT alarms_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.assignments
    ADD CONSTRAINT assignments_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.conflicts
    ADD CONSTRAINT conflicts_pkey PRIMARY KEY (device, log, seq, body);
ALTER TABLE ONLY public.dead_letters
    ADD CONSTRAINT dead_letters_name_key UNIQUE (name);
ALTER TABLE ONLY public.dead_letters
    ADD CONSTRAINT dead_letters_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_key PRIMARY KEY (device, log, seq, month);
ALTER TABLE ONLY public.events_2026_11
    ADD CONSTRAINT events_2026_11_pkey PRIMARY KEY (device, log, seq, month);
ALTER TABLE ONLY public.events_2026_12
    ADD CONSTRAINT events_2026_12_pkey PRIMARY KEY (device, log, seq, month);
ALTER TABLE ONLY public.gaps
    ADD CONSTRAINT gaps_device_log_first_last_key UNIQUE (device, log, first, last);
ALTER TABLE ONLY public.gaps
    ADD CONSTRAINT gaps_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.journals
    ADD CONSTRAINT journals_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.journals
    ADD CONSTRAINT journals_sha256_key UNIQUE (sha256);
ALTER TABLE ONLY public.leases
    ADD CONSTRAINT leases_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.logs
    ADD CONSTRAINT logs_pkey PRIMARY KEY (device, log);
ALTER TABLE ONLY public.parts
    ADD CONSTRAINT parts_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.policies
    ADD CONSTRAINT policies_pkey PRIMARY KEY (what);
ALTER TABLE ONLY public.samples
    ADD CONSTRAINT samples_pkey PRIMARY KEY (device, at);
ALTER TABLE ONLY public.schema_steps
    ADD CONSTRAINT schema_steps_pkey PRIMARY KEY (step);
ALTER TABLE ONLY public.stream_places
    ADD CONSTRAINT stream_places_pkey PRIMARY KEY (stream);
ALTER TABLE ONLY public.wear
    ADD CONSTRAINT wear_pkey PRIMARY KEY (device);
CREATE INDEX alarms_ended ON public.alarms USING btree (cleared_at);
CREATE UNIQUE INDEX alarms_open ON public.alarms USING btree (rule, device, part) WHERE (cleared_at IS NULL);
CREATE INDEX assignments_device ON public.assignments USING btree (device, began);
CREATE UNIQUE INDEX assignments_now ON public.assignments USING btree (device) WHERE (ended IS NULL);
CREATE INDEX assignments_place ON public.assignments USING btree (place, began);
CREATE INDEX dead_letters_open ON public.dead_letters USING btree (device) WHERE (closed IS NULL);
CREATE INDEX events_device_name ON ONLY public.events USING btree (device, name, received);
CREATE INDEX events_2026_11_device_name_received_idx ON public.events_2026_11 USING btree (device, name, received);
CREATE INDEX events_device_received ON ONLY public.events USING btree (device, received);
CREATE INDEX events_2026_11_device_received_idx ON public.events_2026_11 USING btree (device, received);
CREATE INDEX events_name_received ON ONLY public.events USING btree (name, received);
CREATE INDEX events_2026_11_name_received_idx ON public.events_2026_11 USING btree (name, received);
CREATE INDEX events_position ON ONLY public.events USING btree ("position");
CREATE INDEX events_2026_11_position_idx ON public.events_2026_11 USING btree ("position");
CREATE INDEX events_received ON ONLY public.events USING btree (received);
CREATE INDEX events_2026_11_received_idx ON public.events_2026_11 USING btree (received);
CREATE INDEX events_judged ON ONLY public.events USING btree (received, "position") WHERE (name = ANY (ARRAY['booted'::text, 'deck_refused'::text, 'deck_verified'::text, 'journal_broken'::text, 'serviced'::text, 'warning_cleared'::text, 'warning_latched'::text]));
CREATE INDEX events_2026_11_received_position_idx ON public.events_2026_11 USING btree (received, "position") WHERE (name = ANY (ARRAY['booted'::text, 'deck_refused'::text, 'deck_verified'::text, 'journal_broken'::text, 'serviced'::text, 'warning_cleared'::text, 'warning_latched'::text]));
CREATE INDEX events_2026_12_device_name_received_idx ON public.events_2026_12 USING btree (device, name, received);
CREATE INDEX events_2026_12_device_received_idx ON public.events_2026_12 USING btree (device, received);
CREATE INDEX events_2026_12_name_received_idx ON public.events_2026_12 USING btree (name, received);
CREATE INDEX events_2026_12_position_idx ON public.events_2026_12 USING btree ("position");
CREATE INDEX events_2026_12_received_idx ON public.events_2026_12 USING btree (received);
CREATE INDEX events_2026_12_received_position_idx ON public.events_2026_12 USING btree (received, "position") WHERE (name = ANY (ARRAY['booted'::text, 'deck_refused'::text, 'deck_verified'::text, 'journal_broken'::text, 'serviced'::text, 'warning_cleared'::text, 'warning_latched'::text]));
CREATE INDEX gaps_open ON public.gaps USING btree (device, log) WHERE (closed IS NULL);
CREATE INDEX journals_device ON public.journals USING btree (device, log, last);
CREATE INDEX journals_kept ON public.journals USING btree (kept_at);
CREATE INDEX samples_at ON public.samples USING btree (at);
CREATE INDEX samples_device_id ON public.samples USING btree (device, id);
CREATE UNIQUE INDEX samples_id ON public.samples USING btree (id);
CREATE INDEX samples_stored ON public.samples USING btree (stored);
ALTER INDEX public.events_device_name ATTACH PARTITION public.events_2026_11_device_name_received_idx;
ALTER INDEX public.events_device_received ATTACH PARTITION public.events_2026_11_device_received_idx;
ALTER INDEX public.events_name_received ATTACH PARTITION public.events_2026_11_name_received_idx;
ALTER INDEX public.events_key ATTACH PARTITION public.events_2026_11_pkey;
ALTER INDEX public.events_position ATTACH PARTITION public.events_2026_11_position_idx;
ALTER INDEX public.events_received ATTACH PARTITION public.events_2026_11_received_idx;
ALTER INDEX public.events_judged ATTACH PARTITION public.events_2026_11_received_position_idx;
ALTER INDEX public.events_device_name ATTACH PARTITION public.events_2026_12_device_name_received_idx;
ALTER INDEX public.events_device_received ATTACH PARTITION public.events_2026_12_device_received_idx;
ALTER INDEX public.events_name_received ATTACH PARTITION public.events_2026_12_name_received_idx;
ALTER INDEX public.events_key ATTACH PARTITION public.events_2026_12_pkey;
ALTER INDEX public.events_position ATTACH PARTITION public.events_2026_12_position_idx;
ALTER INDEX public.events_received ATTACH PARTITION public.events_2026_12_received_idx;
ALTER INDEX public.events_judged ATTACH PARTITION public.events_2026_12_received_position_idx;
