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
    escalated_at double precision
);
ALTER TABLE public.alarms ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.alarms_id_seq
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
CREATE TABLE public.events (
    "position" bigint NOT NULL,
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
    stored timestamp with time zone DEFAULT now() NOT NULL
);
ALTER TABLE public.events ALTER COLUMN "position" ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.events_position_seq
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
    gateway text DEFAULT ''::text NOT NULL
);
ALTER TABLE public.journals ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.journals_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.logs (
    id bigint NOT NULL,
    device bigint NOT NULL,
    log bytea NOT NULL,
    ranges int8multirange DEFAULT '{}'::int8multirange NOT NULL,
    began double precision NOT NULL,
    gateway text NOT NULL
);
ALTER TABLE public.logs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.logs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.samples (
    device bigint NOT NULL,
    at double precision NOT NULL,
    gateway text NOT NULL,
    sample jsonb NOT NULL,
    id bigint NOT NULL
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
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (1, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 1, 256, 'booted', 1, 0, 0, 0, 0, '{"cause": 0, "halted": "", "firmware": "0.1.0", "board_crc": 2436380948, "halted_boot": 0}', '\x0100000001000000000000000000000000000000000014393891302e312e3000000000000000000000000000', 1794993827.977452, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (2, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 2, 267, 'sealed', 1, 0.12, 0, 0, 0, '{"key": 1, "mac": "44fdb0943dcd29b1b87cf63df6686ff8"}', '\x020000000100000000007800000000000000000000010044fdb0943dcd29b1b87cf63df6686ff8', 1794993827.977452, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (3, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 3, 263, 'clock_set', 1, 0.12, 189388800, 0, 0, '{"role": "table", "old_utc_s": 0}', '\x03000000010000000000780000d8490b00000000000200000000', 1794993827.98174, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (4, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 4, 258, 'empty_proved', 1, 1.576, 189388801, 0, 0, '{"slots_swept": 54}', '\x04000000010001000000400201d8490b00000000003600', 1794993827.9921827, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (5, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 5, 272, 'shuffle_started', 1, 2.202, 189388802, 0, 1, '{"expected": 52, "report_ds": 230}', '\x05000000010002000000ca0002d8490b00000000013400e600', 1794993828.0007305, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (6, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 6, 279, 'shuffle_committed', 1, 2.202, 189388802, 0, 1, '{"wait_ds": 0, "commitment": "f56f4537d718a8b1784efbe33f090cf1f6d661b5a67221284b35564d95eec010"}', '\x06000000010002000000ca0002d8490b0000000001f56f4537d718a8b1784efbe33f090cf1f6d661b5a67221284b35564d95eec01000', 1794993828.012245, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (7, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 7, 273, 'deck_verified', 1, 25.202, 189388825, 0, 1, '{"swept": 52, "stalls": 0, "counted": 52, "misfeeds": 0}', '\x07000000010019000000ca0019d8490b0000000001340034000000', 1794993828.0649083, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (8, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 8, 288, 'round_started', 1, 25.902, 189388825, 1, 1, '{"game": "CS", "positions": 0}', '\x08000000010019000000860319d8490b0100000001435300000000000000', 1794993828.0722513, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (9, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 9, 289, 'lockout_confirmed', 1, 26.802, 189388826, 1, 1, '{"clause": "CS-9c", "accepted": null, "collected": null}', '\x0900000001001a00000022031ad8490b0100000001ffffffff43532d3963000000', 1794993828.0883596, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (10, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 10, 290, 'stack_started', 1, 26.802, 189388826, 1, 1, '{"cards": 5, "stack": 1}', '\x0a00000001001a00000022031ad8490b01000000010105', 1794993828.0960767, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (11, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 11, 291, 'stack_offered', 1, 27.817, 189388827, 1, 1, '{"cards": 5, "stack": 1, "stalls": 0, "misfeeds": 0}', '\x0b00000001001b00000031031bd8490b010000000101050000', 1794993828.108231, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (12, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 12, 292, 'stack_taken', 1, 28.722, 189388828, 1, 1, '{"cards": 5, "stack": 1}', '\x0c00000001001c000000d2021cd8490b01000000010105', 1794993828.124319, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (13, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 13, 290, 'stack_started', 1, 28.722, 189388828, 1, 1, '{"cards": 5, "stack": 2}', '\x0d00000001001c000000d2021cd8490b01000000010205', 1794993828.1316922, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (14, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 14, 291, 'stack_offered', 1, 29.737, 189388829, 1, 1, '{"cards": 5, "stack": 2, "stalls": 0, "misfeeds": 0}', '\x0e00000001001d000000e1021dd8490b010000000102050000', 1794993828.143841, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (15, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 15, 292, 'stack_taken', 1, 30.522, 189388830, 1, 1, '{"cards": 5, "stack": 2}', '\x0f00000001001e0000000a021ed8490b01000000010205', 1794993828.1599429, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (16, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 16, 290, 'stack_started', 1, 30.522, 189388830, 1, 1, '{"cards": 5, "stack": 3}', '\x1000000001001e0000000a021ed8490b01000000010305', 1794993828.1685593, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (17, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 17, 291, 'stack_offered', 1, 31.537, 189388831, 1, 1, '{"cards": 5, "stack": 3, "stalls": 0, "misfeeds": 0}', '\x1100000001001f00000019021fd8490b010000000103050000', 1794993828.175812, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (18, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 18, 292, 'stack_taken', 1, 32.322, 189388832, 1, 1, '{"cards": 5, "stack": 3}', '\x12000000010020000000420120d8490b01000000010305', 1794993828.1919167, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (19, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 19, 290, 'stack_started', 1, 32.322, 189388832, 1, 1, '{"cards": 5, "stack": 4}', '\x13000000010020000000420120d8490b01000000010405', 1794993828.1997023, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (20, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 20, 291, 'stack_offered', 1, 33.337, 189388833, 1, 1, '{"cards": 5, "stack": 4, "stalls": 0, "misfeeds": 0}', '\x14000000010021000000510121d8490b010000000104050000', 1794993828.2199721, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (21, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 21, 292, 'stack_taken', 1, 34.122, 189388834, 1, 1, '{"cards": 5, "stack": 4}', '\x150000000100220000007a0022d8490b01000000010405', 1794993828.2319171, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (22, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 22, 290, 'stack_started', 1, 34.122, 189388834, 1, 1, '{"cards": 5, "stack": 5}', '\x160000000100220000007a0022d8490b01000000010505', 1794993828.2365506, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (23, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 23, 291, 'stack_offered', 1, 35.137, 189388835, 1, 1, '{"cards": 5, "stack": 5, "stalls": 0, "misfeeds": 0}', '\x17000000010023000000890023d8490b010000000105050000', 1794993828.247599, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (24, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 24, 292, 'stack_taken', 1, 35.922, 189388835, 1, 1, '{"cards": 5, "stack": 5}', '\x180000000100230000009a0323d8490b01000000010505', 1794993828.2559986, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (25, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 25, 290, 'stack_started', 1, 35.922, 189388835, 1, 1, '{"cards": 5, "stack": 6}', '\x190000000100230000009a0323d8490b01000000010605', 1794993828.2605977, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (26, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 26, 291, 'stack_offered', 1, 36.937, 189388836, 1, 1, '{"cards": 5, "stack": 6, "stalls": 0, "misfeeds": 0}', '\x1a000000010024000000a90324d8490b010000000106050000', 1794993828.2727892, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (27, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 27, 292, 'stack_taken', 1, 37.722, 189388837, 1, 1, '{"cards": 5, "stack": 6}', '\x1b000000010025000000d20225d8490b01000000010605', 1794993828.2779286, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (28, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 28, 290, 'stack_started', 1, 37.722, 189388837, 1, 1, '{"cards": 5, "stack": 7}', '\x1c000000010025000000d20225d8490b01000000010705', 1794993828.2846134, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (29, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 29, 291, 'stack_offered', 1, 38.737, 189388838, 1, 1, '{"cards": 5, "stack": 7, "stalls": 0, "misfeeds": 0}', '\x1d000000010026000000e10226d8490b010000000107050000', 1794993828.2918422, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (30, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 30, 292, 'stack_taken', 1, 39.522, 189388839, 1, 1, '{"cards": 5, "stack": 7}', '\x1e0000000100270000000a0227d8490b01000000010705', 1794993828.2979364, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (31, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 31, 290, 'stack_started', 1, 39.522, 189388839, 1, 1, '{"cards": 5, "stack": 8}', '\x1f0000000100270000000a0227d8490b01000000010805', 1794993828.3037143, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (32, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 32, 291, 'stack_offered', 1, 40.537, 189388840, 1, 1, '{"cards": 5, "stack": 8, "stalls": 0, "misfeeds": 0}', '\x20000000010028000000190228d8490b010000000108050000', 1794993828.307736, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (33, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 33, 292, 'stack_taken', 1, 41.322, 189388841, 1, 1, '{"cards": 5, "stack": 8}', '\x21000000010029000000420129d8490b01000000010805', 1794993828.3103917, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (34, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 34, 290, 'stack_started', 1, 41.322, 189388841, 1, 1, '{"cards": 5, "stack": 9}', '\x22000000010029000000420129d8490b01000000010905', 1794993828.3115501, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (35, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 35, 267, 'sealed', 1, 41.322, 189388841, 1, 1, '{"key": 1, "mac": "13489412447cf3b0ed59b0db71cd6e71"}', '\x23000000010029000000420129d8490b0100000001010013489412447cf3b0ed59b0db71cd6e71', 1794993828.3126163, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (36, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 36, 291, 'stack_offered', 1, 42.337, 189388842, 1, 1, '{"cards": 5, "stack": 9, "stalls": 0, "misfeeds": 0}', '\x2400000001002a00000051012ad8490b010000000109050000', 1794993828.3161836, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.events OVERRIDING SYSTEM VALUE VALUES (37, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', 37, 292, 'stack_taken', 1, 43.122, 189388843, 1, 1, '{"cards": 5, "stack": 9}', '\x2500000001002b0000007a002bd8490b01000000010905', 1794993828.3185241, 'pit-1', '2026-11-18 09:23:55.524925+00');
INSERT INTO public.logs OVERRIDING SYSTEM VALUE VALUES (1, 5308423, '\x06c26f55b9a1ea2342f1a243435a3dd5', '{[1,38)}', 1794993827.977452, 'pit-1');
INSERT INTO public.schema_steps VALUES (1, '2026-11-18 09:23:54.603133+00');
INSERT INTO public.schema_steps VALUES (2, '2026-11-18 09:23:54.603133+00');
INSERT INTO public.schema_steps VALUES (3, '2026-11-18 09:23:54.603133+00');
INSERT INTO public.schema_steps VALUES (4, '2026-11-18 09:23:54.603133+00');
INSERT INTO public.stream_places VALUES ('fairshoe', 1, '2026-11-18 09:23:55.341836+00');
SELECT pg_catalog.setval('public.alarms_id_seq', 1, false);
SELECT pg_catalog.setval('public.events_position_seq', 37, true);
SELECT pg_catalog.setval('public.journals_id_seq', 1, false);
SELECT pg_catalog.setval('public.logs_id_seq', 1, true);
SELECT pg_catalog.setval('public.samples_id_seq', 1, false);
ALTER TABLE ONLY public.alarms
    ADD CONSTRAINT alarms_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.conflicts
    ADD CONSTRAINT conflicts_pkey PRIMARY KEY (device, log, seq, body);
ALTER TABLE ONLY public.events
    ADD CONSTRAINT events_pkey PRIMARY KEY (device, log, seq);
ALTER TABLE ONLY public.journals
    ADD CONSTRAINT journals_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.journals
    ADD CONSTRAINT journals_sha256_key UNIQUE (sha256);
ALTER TABLE ONLY public.logs
    ADD CONSTRAINT logs_pkey PRIMARY KEY (device, log);
ALTER TABLE ONLY public.samples
    ADD CONSTRAINT samples_pkey PRIMARY KEY (device, at);
ALTER TABLE ONLY public.schema_steps
    ADD CONSTRAINT schema_steps_pkey PRIMARY KEY (step);
ALTER TABLE ONLY public.stream_places
    ADD CONSTRAINT stream_places_pkey PRIMARY KEY (stream);
CREATE UNIQUE INDEX alarms_open ON public.alarms USING btree (rule, device) WHERE (cleared_at IS NULL);
CREATE INDEX events_device_name ON public.events USING btree (device, name, received);
CREATE INDEX events_judged ON public.events USING btree (received, "position") WHERE (name = ANY (ARRAY['booted'::text, 'deck_refused'::text, 'deck_verified'::text, 'journal_broken'::text, 'warning_cleared'::text, 'warning_latched'::text]));
CREATE UNIQUE INDEX events_position ON public.events USING btree ("position");
CREATE INDEX events_received ON public.events USING btree (received);
CREATE INDEX journals_device ON public.journals USING btree (device, log, last);
CREATE INDEX journals_kept ON public.journals USING btree (kept_at);
CREATE INDEX samples_at ON public.samples USING btree (at);
CREATE INDEX samples_device_id ON public.samples USING btree (device, id);
CREATE UNIQUE INDEX samples_id ON public.samples USING btree (id);
