"""A database of any version before, with data in every table, becomes one of this version and loses nothing."""

from __future__ import annotations

from typing import Any

import psycopg
from one_floor import Site, migrate

from fairshoe_floor.history import schema

DATA = {
    "events": "INSERT INTO events (device, log, seq, message, name, boot, uptime_s, utc_s, round, deck, fields, body,"
    " received, gateway) VALUES (1, '\\x01', 1, 1, 'booted', 1, 0, 0, 0, 0, '{}', '\\x07', 5, 'pit-1')",
    "logs": "INSERT INTO logs (device, log, ranges, began, gateway) VALUES (1, '\\x01', '{[1,2)}', 5, 'pit-1')",
    "stream_places": "INSERT INTO stream_places VALUES ('fairshoe', 7, now())",
    "conflicts": "INSERT INTO conflicts (device, log, seq, body, gateway) VALUES (1, '\\x01', 1, '\\x08', 'pit-2')",
    "alarms": "INSERT INTO alarms (rule, severity, device, text, raised_at) VALUES ('journal', 'major', 1, 'x', 5)",
    "samples": "INSERT INTO samples (device, at, gateway, sample) VALUES (1, 5, 'pit-1', '{}')",
    "journals": "INSERT INTO journals (device, log, kept_at, first, last, sha256, content, problem, gateway)"
    " VALUES (1, '\\x01', 5, 1, 9, '\\x0a', '\\x0b', 'cut', 'pit-1')",
    "dead_letters": "INSERT INTO dead_letters (name, stream, subject, seq, device, reason, data)"
    " VALUES ('\\x01', 'fairshoe', 'a.b.c', 1, 1, 'no JSON', '\\x02')",
    "leases": "INSERT INTO leases VALUES ('writer', 7, 'someone', now())",
    "parts": "INSERT INTO parts (name, value) VALUES ('desk', '1')",
    "assignments": "INSERT INTO assignments (device, place, pit, gateway, began) VALUES (1, 'BJ-07', '1', 'pit-1', 5)",
    "gaps": "INSERT INTO gaps (device, log, first, last, gateway, after, before)"
    " VALUES (1, '\\x01', 5, 9, 'pit-1', 1, 2)",
}
RELEASED = 4  # steps of the oldest version that is in use
DROPPED = {("alarms", "escalated_at")}
FACTS = "SELECT upper(ranges) - 1, received, started, outside FROM logs"
FACTS_SINCE = 8  # steps without them


def tables(site: Site) -> set[str]:
    rows = site.rows(
        "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
        " AND NOT relispartition"
    )
    return {row[0] for row in rows} - {"schema_steps"}


def dump(site: Site) -> dict[str, list[dict[str, Any]]]:
    return {name: [row[0] for row in site.rows(f"SELECT to_jsonb(it) FROM {name} AS it")] for name in tables(site)}


def test_a_database_of_any_version_before_keeps_all_its_data(site: Site) -> None:
    for version in range(RELEASED, len(schema.STEPS) + 1):
        with psycopg.connect(site.database) as db:
            db.execute("DROP SCHEMA public CASCADE")
            db.execute("CREATE SCHEMA public")
        assert migrate(site.database, schema.STEPS[:version]) == version
        with psycopg.connect(site.database) as db:
            for table in tables(site):
                if table != "policies":  # it has a row of its own
                    db.execute(DATA[table].encode())  # a new table needs a row here
        before = dump(site)
        assert migrate(site.database) == len(schema.STEPS) - version
        after = dump(site)
        for table, (row,) in before.items():
            for column, value in row.items():
                if (table, column) not in DROPPED:
                    assert after[table][0][column] == value, f"{table}.{column} from version {version}"
        assert site.rows(FACTS) == [(1, 5.0, 0, 1)] or version > FACTS_SINCE


def test_a_step_that_fails_leaves_the_database_as_it_was(site: Site) -> None:
    migrate(site.database)
    try:
        migrate(site.database, (*schema.STEPS, "CREATE TABLE half (a integer); SELECT 1 / 0"))
    except psycopg.errors.DivisionByZero:
        pass
    else:
        raise AssertionError("the step did not fail")
    assert "half" not in tables(site)
    assert site.rows("SELECT MAX(step) FROM schema_steps") == [(len(schema.STEPS),)]
