"""Names of publishers are unique, and exports have places of their own: no clock, no copy and no namesake hides one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from one_floor import LIMIT_S, Site, kept

from fairshoe import Store
from fairshoe_floor.journals import journals_path
from fairshoe_floor.stream import broker
from fairshoe_floor.stream import publisher as publisher_module
from fairshoe_floor.stream.names import Names
from fairshoe_floor.stream.publisher import NameTaken


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


def test_a_pull_without_news_is_as_whole_as_the_one_before(site: Site) -> None:
    site.keep(kept(1, 1, 10, 100.0), kept(1, 10, 10, 200.0))
    site.carry(2, "journals")
    assert site.rows("SELECT last, problem FROM journals ORDER BY id") == [(10, ""), (10, "")]


def test_a_file_of_exports_that_was_restored_from_a_copy_is_sent_again(site: Site) -> None:
    site.keep(kept(1, 1, 10, 100.0), kept(1, 10, 20, 200.0))
    site.carry(2, "journals")
    assert lasts(site) == [10, 20]
    journals_path(site.store.path).unlink()
    site.keep(kept(1, 1, 10, 100.0), kept(1, 10, 21, 201.0), kept(1, 21, 30, 300.0))
    site.carry(4, "journals")
    assert lasts(site) == [10, 20, 21, 30]


def test_a_second_store_under_one_name_ends_and_comes_under_another(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publisher_module, "BEAT_S", 0.05)
    site.record(1, 1, 3)
    with Store(tmp_path / "pit-2.db") as other:
        second_site = replace(site, store=other)
        second_site.record(2, 1, 4)
        first, second = site.publisher(), site.publisher(other, claim_s=1.0)
        site.run(first, until=lambda: first.counts.beats > 0)
        with pytest.raises(NameTaken, match="--name"):
            site.run(site.publisher(), second, until=lambda: False)
        assert second.counts.beats == second.counts.events == 0
        site.run(site.publisher(), site.publisher(other, "pit-2"), site.consumer(), until=lambda: site.count() == 7)
        third = site.publisher(other, claim_s=0.05)  # the first is gone: its name is free after a while
        site.run(third, until=lambda: third.counts.beats > 0)


def test_a_publisher_has_the_name_of_its_store_and_a_second_one_ends_with_a_status(site: Site, tmp_path: Path) -> None:
    """Four gateways on one host once had one name, and three published nothing for ever."""
    paths = [tmp_path / folder / "pit-9.db" for folder in "ab"]
    for path in paths:
        path.parent.mkdir()
        Store(path).close()
    command = [sys.executable, "-m", "fairshoe", "floor", "publish", "--nats", site.url, "--stream", site.names.stream]
    with subprocess.Popen([*command, str(paths[0])]) as first:
        try:
            reader = site.consumer()
            site.run(reader, until=lambda: ("publisher pit-9",) in site.rows("SELECT name FROM parts"))
            done = subprocess.run([*command, str(paths[1])], capture_output=True, text=True, timeout=LIMIT_S)
        finally:
            first.terminate()
    assert done.returncode == 1 and "another store is published as 'pit-9'" in done.stderr
    assert first.returncode == 0


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
