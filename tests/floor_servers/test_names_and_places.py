"""Names of publishers are unique, and exports have places of their own: no clock, no copy and no namesake hides one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from one_floor import Site, kept

from fairshoe import Store
from fairshoe_floor.journals import journals_path
from fairshoe_floor.stream import broker
from fairshoe_floor.stream.names import Names


def lasts(site: Site) -> list[int]:
    """The last record of each export."""
    return [row[0] for row in site.rows("SELECT last FROM journals ORDER BY id")]


def test_an_export_that_was_pulled_by_a_clock_a_day_ahead_hides_no_later_one(site: Site) -> None:
    site.keep(kept(1, 1, 10, 100.0), kept(1, 10, 20, 90_000.0))
    site.carry(2, "journals")
    assert lasts(site) == [10, 20]
    site.keep(kept(1, 20, 30, 300.0), kept(1, 1, 12, 400.0))
    site.carry(4, "journals")
    assert lasts(site) == [10, 20, 30, 12]
    found = site.rows("SELECT problem FROM journals ORDER BY id")
    assert found == [("",), ("",), ("",), ("it ends with record 12, and an earlier export reached 30",)]


def test_a_file_of_exports_that_was_restored_from_a_copy_is_sent_again(site: Site) -> None:
    site.keep(kept(1, 1, 10, 100.0), kept(1, 10, 20, 200.0))
    site.carry(2, "journals")
    assert lasts(site) == [10, 20]
    journals_path(site.store.path).unlink()
    site.keep(kept(1, 1, 10, 100.0), kept(1, 10, 21, 201.0), kept(1, 21, 30, 300.0))
    site.carry(4, "journals")
    assert lasts(site) == [10, 20, 21, 30]


def test_two_stores_cannot_be_published_under_one_name(
    site: Site, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    site.record(1, 1, 3)
    with Store(tmp_path / "pit-2.db") as other:
        first, second = site.publisher(), site.publisher(other, claim_s=0.05)
        site.run(first, until=lambda: first.counts.beats > 0)
        rounds: list[int] = []
        second.on_round = rounds.append
        site.run(first, second, until=lambda: "another store is published as 'pit-1'" in caplog.text)
        assert second.counts.beats == 0 and not rounds
        third = site.publisher(other, claim_s=0.05)  # the first is gone: its name is free after a while
        site.run(third, until=lambda: third.counts.beats > 0)


def test_streams_of_an_earlier_version_get_the_new_subjects(site: Site) -> None:
    async def work() -> list[str]:
        async with broker.connected(site.url, "test") as (_client, stream):
            await broker.ensure_streams(stream, site.names)
            config = (await stream.stream_info(site.names.latest)).config
            config.subjects = [f"{site.names.stream}.committed.>"]
            await stream.update_stream(config)  # pyright: ignore[reportUnknownMemberType]
            await broker.ensure_streams(stream, site.names)
            return (await stream.stream_info(site.names.latest)).config.subjects or []

    assert sorted(asyncio.run(work())) == sorted(Names(site.names.stream).latest_subjects)
