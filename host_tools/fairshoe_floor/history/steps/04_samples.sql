ALTER TABLE samples ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY;
CREATE UNIQUE INDEX samples_id ON samples (id);
CREATE INDEX samples_device_id ON samples (device, id);
CREATE INDEX events_judged ON events (received, position) WHERE name IN ('booted', 'deck_refused', 'deck_verified',
    'journal_broken', 'warning_cleared', 'warning_latched');
