"""The database of a release becomes one of this version and loses nothing."""

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
    assert dump(site) == before
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


def test_a_step_that_fails_leaves_the_database_as_it_was(site: Site) -> None:
    migrate(site.database)
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(site.database, FAILS)
    assert "half" not in tables(site)
    assert site.rows("SELECT MAX(step) FROM schema_steps") == [(len(schema.STEPS),)]
