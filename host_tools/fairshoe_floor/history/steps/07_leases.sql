CREATE TABLE leases (
    name text PRIMARY KEY,
    number bigint NOT NULL,
    holder text NOT NULL,
    until timestamptz NOT NULL
);
