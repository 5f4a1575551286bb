CREATE TABLE logs (
    id INTEGER PRIMARY KEY,
    device INTEGER NOT NULL,
    identity BLOB NOT NULL,
    handled INTEGER NOT NULL DEFAULT 0,
    began REAL NOT NULL
);
CREATE INDEX logs_device ON logs (device, id);
CREATE TABLE events (
    log INTEGER NOT NULL REFERENCES logs (id),
    seq INTEGER NOT NULL,
    message INTEGER NOT NULL,
    name TEXT NOT NULL,
    boot INTEGER NOT NULL,
    uptime_s REAL NOT NULL,
    utc_s INTEGER NOT NULL,
    round INTEGER NOT NULL,
    deck INTEGER NOT NULL,
    fields TEXT NOT NULL,
    body BLOB NOT NULL,
    received REAL NOT NULL,
    PRIMARY KEY (log, seq)
) WITHOUT ROWID;
CREATE TABLE lanes (
    device INTEGER NOT NULL,
    role INTEGER NOT NULL,
    op INTEGER NOT NULL,
    waiting INTEGER,
    command TEXT,
    arguments TEXT,
    PRIMARY KEY (device, role)
) WITHOUT ROWID;
CREATE TABLE cursors (
    name TEXT PRIMARY KEY,
    began REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE cursor_places (
    name TEXT NOT NULL REFERENCES cursors (name) ON DELETE CASCADE,
    log INTEGER NOT NULL REFERENCES logs (id),
    seq INTEGER NOT NULL,
    PRIMARY KEY (name, log)
) WITHOUT ROWID;
CREATE TABLE share_secret (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    secret BLOB NOT NULL
) WITHOUT ROWID;
CREATE TABLE accepted_decks (
    log INTEGER NOT NULL REFERENCES logs (id),
    seq INTEGER NOT NULL,
    name TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (log, seq)
) WITHOUT ROWID;
CREATE TABLE ended_decks (
    log INTEGER NOT NULL REFERENCES logs (id),
    seq INTEGER NOT NULL,
    name TEXT NOT NULL,
    cause TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (log, seq)
) WITHOUT ROWID;
-- Time that passed between calls of `prune`, and what was on file at which of it: store_cursors.py.
CREATE TABLE passed (one INTEGER PRIMARY KEY CHECK (one = 1), age_s REAL NOT NULL, at REAL NOT NULL);
CREATE TABLE marks (log INTEGER NOT NULL, age_s REAL NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (log, age_s));
CREATE TABLE wagered_hands (
    log INTEGER NOT NULL REFERENCES logs (id),
    seq INTEGER NOT NULL,
    hands INTEGER NOT NULL,
    PRIMARY KEY (log, seq)
) WITHOUT ROWID;
