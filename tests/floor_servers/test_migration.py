"""A database of the version before, with data in every table, becomes one of this version and loses nothing."""

from __future__ import annotations

import asyncio

import psycopg
from one_floor import Site

from fairshoe_floor.history import schema

DATA = {
    "events": "INSERT INTO events (device, log, seq, message, name, boot, uptime_s, utc_s, round, deck, fields, body,"
    " received, gateway) VALUES (1, '\\x01', 1, 1, 'booted', 1, 0, 0, 0, 0, '{}', '\\x07', 5, 'pit-1')",
    "logs": "INSERT INTO logs (device, log, ranges, began, gateway) VALUES (1, '\\x01', '{[1,2)}', 5, 'pit-1')",
    "stream_places": "INSERT INTO stream_places VALUES ('fairshoe', 7, now())",
    "conflicts": "INSERT INTO conflicts (device, log, seq, body, gateway) VALUES (1, '\\x01', 1, '\\x08', 'pit-2')",
    "alarms": "INSERT INTO alarms (rule, severity, device, text, raised_at) VALUES ('journal', 'major', 1, 'x', 5)",
    "samples": "INSERT INTO samples VALUES (1, 5, 'pit-1', '{}')",
    "journals": "INSERT INTO journals (device, log, kept_at, first, last, sha256, content, problem, gateway)"
    " VALUES (1, '\\x01', 5, 1, 9, '\\x0a', '\\x0b', 'cut', 'pit-1')",
}


def migrate(site: Site, steps: tuple[str, ...]) -> int:
    async def work() -> int:
        async with await psycopg.AsyncConnection.connect(site.database, autocommit=True) as connection:
            return await schema.migrate(connection, steps)

    return asyncio.run(work())


def tables(site: Site) -> set[str]:
    rows = site.rows("SELECT table_name FROM information_schema.tables WHERE table_schema = 'public'")
    return {row[0] for row in rows} - {"schema_steps"}


def test_a_database_of_the_version_before_keeps_all_its_data(site: Site) -> None:
    assert migrate(site, schema.STEPS[:-1]) == len(schema.STEPS) - 1
    assert tables(site) == set(DATA), "a new table needs a row here, so that the next migration is tried with it"
    with psycopg.connect(site.database) as db:
        for insert in DATA.values():
            db.execute(insert.encode())
    before = {table: site.rows(f"SELECT * FROM {table}") for table in DATA}
    assert migrate(site, schema.STEPS) == 1
    after = {table: site.rows(f"SELECT * FROM {table}") for table in before}
    assert after.pop("samples") == [(*row, 1) for row in before.pop("samples")]  # with their number
    assert after == before


def test_a_step_that_fails_leaves_the_database_as_it_was(site: Site) -> None:
    migrate(site, schema.STEPS)
    try:
        migrate(site, (*schema.STEPS, "CREATE TABLE half (a integer); SELECT 1 / 0"))
    except psycopg.errors.DivisionByZero:
        pass
    else:
        raise AssertionError("the step did not fail")
    assert "half" not in tables(site)
    assert site.rows("SELECT MAX(step) FROM schema_steps") == [(len(schema.STEPS),)]
