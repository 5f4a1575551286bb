"""The servers of the floor, started once for all tests of this folder; a stream and a database of its own for each."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from floor import servers
from one_floor import Site, migrate

from fairshoe import Store
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.names import Names

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def both() -> Iterator[tuple[servers.Nats, servers.Postgres]]:
    lacking = servers.missing()
    if lacking:
        pytest.fail(f"missing: {'; '.join(lacking)}; python -m floor installs what it can", pytrace=False)
    with servers.running() as started:
        with psycopg.connect(started[1].url, autocommit=True) as db:
            db.execute("CREATE DATABASE migrated")
        migrate(started[1].url.removesuffix("postgres") + "migrated")
        yield started


@pytest.fixture
def site(both: tuple[servers.Nats, servers.Postgres], tmp_path: Path) -> Iterator[Site]:
    nats, postgres = both
    number = next(_numbers)
    with psycopg.connect(postgres.url, autocommit=True) as db:
        db.execute(f"CREATE DATABASE test{number} TEMPLATE migrated".encode())
    database = postgres.url.removesuffix("postgres") + f"test{number}"
    names = Names(f"test{number}")
    asyncio.run(_make_streams(nats.url, names))
    with Store(tmp_path / "pit-1.db") as store:
        yield Site(nats, postgres, store, names, database, nats.url)
    with psycopg.connect(postgres.url, autocommit=True) as db:
        db.execute(f"DROP DATABASE test{number} WITH (FORCE)".encode())


async def _make_streams(url: str, names: Names) -> None:
    """As `fairshoe floor run` does: a publisher has no right to."""
    async with broker.connected(url, "test") as (_client, stream):
        await broker.ensure_streams(stream, names)
