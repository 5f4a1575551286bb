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
