-- One series for each shoe, of fairshoe/wear.py: the desk goes on with it after a start.
CREATE TABLE wear (device bigint PRIMARY KEY, series jsonb NOT NULL);
DROP INDEX events_judged;
CREATE INDEX events_judged ON events (received, position) WHERE name IN ('booted', 'deck_refused', 'deck_verified',
    'journal_broken', 'serviced', 'warning_cleared', 'warning_latched');
