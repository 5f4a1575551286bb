-- Time that passed between calls of `prune`, and what was on file at which of it: store_cursors.py.
CREATE TABLE passed (one INTEGER PRIMARY KEY CHECK (one = 1), age_s REAL NOT NULL, at REAL NOT NULL);
CREATE TABLE marks (log INTEGER NOT NULL, age_s REAL NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (log, age_s));
