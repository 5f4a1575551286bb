CREATE TABLE ended_decks (
    log INTEGER NOT NULL REFERENCES logs (id),
    seq INTEGER NOT NULL,
    name TEXT NOT NULL,
    cause TEXT NOT NULL,
    at REAL NOT NULL,
    PRIMARY KEY (log, seq)
) WITHOUT ROWID;
