ALTER TABLE journals ADD COLUMN gateway text NOT NULL DEFAULT '';
ALTER TABLE journals DROP COLUMN verdict;
CREATE INDEX journals_kept ON journals (kept_at);
CREATE INDEX samples_at ON samples (at);
