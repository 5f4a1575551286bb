"""Retention by time that was seen to pass: no clock deletes anything, and never more than a day's worth at once."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from bench.fake_shoe import FakeShoe, Server
from floor_case import served
from hypothesis import given
from hypothesis import strategies as st
from waits import until

from fairshoe.keys import write_key
from fairshoe_floor.api.server import Binding
from fairshoe_floor.api.tokens import new_token
from fairshoe_floor.gateway import process
from fairshoe_floor.gateway.process import Gateway, Settings
from fairshoe_floor.inventory import Entry, Inventory
from fairshoe_floor.seen_time import DAY_S, SeenTime, seen_path

_TOKEN, GRANT = new_token("test", ["table"])


@given(st.lists(st.tuples(st.floats(0, 3 * DAY_S), st.integers(0, 50)), max_size=40), st.integers(1, 20))
def test_nothing_younger_than_it_is_kept_is_deleted_nor_more_than_a_days_worth_at_once(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[float, int]], days: int
) -> None:
    """Time passes and things are stored; after each step one mark at most is used."""
    keep_s = days * DAY_S
    seen = SeenTime(tmp_path_factory.mktemp("seen") / "seen.db")
    stored: list[float] = []  # the age at which each was stored
    age = gone = 0.0
    for passed_s, count in steps:
        age += passed_s
        seen.pass_by(passed_s)
        seen.mark({"it": len(stored)}, keep_s)
        stored += [age] * count
        mark = seen.old("it", keep_s)
        if mark is not None:
            deleted = stored[int(gone) : mark[1]]
            assert all(age - at >= keep_s for at in deleted)
            assert not deleted or deleted[-1] - deleted[0] <= DAY_S + 3 * DAY_S  # a step is up to three days long here
            gone = max(gone, mark[1])
            seen.used(mark[0])
    seen.close()


def gateway(folder: Path, server: Server, days: int = 90) -> Gateway:
    keys = folder / "keys"
    if not keys.exists():
        keys.mkdir()
        write_key(keys / "00000001.key", "recorder", bytes(32))
    shoes = (Entry(1, "T-1", "1", server.url),)
    return Gateway(Inventory("pit", folder / "pit.db", keys, shoes, days), Settings(Binding(), [GRANT], sample_s=0.05))


async def test_a_gateway_that_starts_with_a_clock_100_days_ahead_deletes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process, "RETENTION_S", 0.02)
    clock = time.time

    async with Server(FakeShoe(1, bytes(32))) as server:
        for ahead_days in (0, 100, -100, 0):
            monkeypatch.setattr(time, "time", lambda ahead=ahead_days: clock() + ahead * DAY_S)
            async with gateway(tmp_path, server) as it, served(it):
                first = server.shoe.seq_last
                server.record(20)
                await until(lambda: server.shoe.seq_acked == server.shoe.seq_last)
                age = it.seen.age_s
                await until(lambda age=age: it.seen.age_s > age + 0.1)  # retention has run
                assert [stored.seq for stored in it.store.events()] == list(range(1, first + 21))
                assert it.samples.last() and it.samples.after(0, 1)[0][0] == 1


async def test_what_is_old_by_the_time_that_passed_is_deleted_a_day_at_a_time(tmp_path: Path) -> None:
    async with Server(FakeShoe(1, bytes(32))) as server, gateway(tmp_path, server, days=3) as it, served(it):
        for day in range(1, 7):
            server.record(10)
            await until(lambda: server.shoe.seq_acked == server.shoe.seq_last)
            await until(lambda day=day: it.store.logs()[0].handled == 10 * day)
            it.seen.mark({f"log {it.store.logs()[0].id}": 10 * day}, 3 * DAY_S)
            it.seen.pass_by(DAY_S)
        firsts: list[int] = []
        for _turn in range(6):
            it.delete_old()
            firsts.append(it.store.logs()[0].first)
        assert firsts == [11, 21, 31, 41, 41, 41]
    assert seen_path(tmp_path / "pit.db").exists()
