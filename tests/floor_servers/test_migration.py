"""A database of any version before, with data in every table, becomes one of this version and loses nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest
from one_floor import Site, migrate
from release_files import FILES, database_from

from fairshoe import Store
from fairshoe.cli.command_line import main
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
    "wear": 'INSERT INTO wear VALUES (1, \'{"format": 1, "points": [], "since": {}}\')',
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
    rows = {name: site.rows(f"SELECT to_jsonb(it) FROM {name} AS it ORDER BY it") for name in tables(site)}
    return {name: [row[0] for row in found] for name, found in rows.items()}


def empty(site: Site) -> None:
    with psycopg.connect(site.database) as db:
        db.execute("DROP SCHEMA public CASCADE")
        db.execute("CREATE SCHEMA public")


def lost(before: dict[str, list[dict[str, Any]]], after: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Columns whose values are not what they were."""
    return [
        f"{table}.{column}"
        for table, rows in before.items()
        for number, row in enumerate(rows)
        for column, value in row.items()
        if (table, column) not in DROPPED and after[table][number][column] != value
    ]


FAILS = (*schema.STEPS, "CREATE TABLE half (a integer); SELECT 1 / 0")


@pytest.mark.parametrize("release", sorted(FILES.glob("*/floor.sql")), ids=lambda path: path.parent.name)
def test_a_floor_goes_on_from_the_database_of_a_release(
    site: Site, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing is lost, in one transaction; its gateway sends all it has once more, and no event is stored twice."""
    empty(site)
    with psycopg.connect(site.database) as db:
        db.execute(release.read_bytes())
    before = dump(site)
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(site.database, FAILS)
    assert dump(site) == before
    assert main(["floor", "migrate", "--database", site.database]) == 0
    assert not lost(before, dump(site))
    database_from(release.with_name("store.sql").read_text(), tmp_path / "old.db")
    (log,) = before["logs"]
    device, last = log["device"], len(before["events"])
    with Store(tmp_path / "old.db") as store:
        site.store = store
        site.record(device, last + 1, last + 3, bytes.fromhex(log["log"].removeprefix("\\x")))
        site.run(site.publisher(), site.consumer(), until=lambda: len(site.seqs(device)) >= last + 3)
        assert site.seqs(device) == list(range(1, last + 4))
    with psycopg.connect(site.database) as db:
        db.execute("INSERT INTO schema_steps (step) VALUES (%s)", (len(schema.STEPS) + 1,))
    newer = dump(site)
    capsys.readouterr()
    assert main(["floor", "migrate", "--database", site.database]) == 1
    assert "Update this program" in capsys.readouterr().err and dump(site) == newer


def test_a_database_of_any_version_before_keeps_all_its_data(site: Site) -> None:
    for version in range(RELEASED, len(schema.STEPS) + 1):
        empty(site)
        assert migrate(site.database, schema.STEPS[:version]) == version
        with psycopg.connect(site.database) as db:
            for table in tables(site):
                if table != "policies":  # it has a row of its own
                    db.execute(DATA[table].encode())  # a new table needs a row here
        before = dump(site)
        assert migrate(site.database) == len(schema.STEPS) - version
        assert not lost(before, dump(site)), f"from version {version}"
        assert site.rows(FACTS) == [(1, 5.0, 0, 1)] or version > FACTS_SINCE


def test_a_step_that_fails_leaves_the_database_as_it_was(site: Site) -> None:
    migrate(site.database)
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(site.database, FAILS)
    assert "half" not in tables(site)
    assert site.rows("SELECT MAX(step) FROM schema_steps") == [(len(schema.STEPS),)]
