ALTER TABLE journals ADD COLUMN number bigint NOT NULL DEFAULT 0;
ALTER TABLE samples ADD COLUMN stored timestamptz NOT NULL DEFAULT now();
CREATE INDEX samples_stored ON samples (stored);
CREATE TABLE parts (
    name text PRIMARY KEY,
    value text NOT NULL,
    heard timestamptz NOT NULL DEFAULT now(),
    moved timestamptz NOT NULL DEFAULT now()
);
