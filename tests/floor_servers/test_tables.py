"""What happened at a table has an answer after a swap, and a shift report is true when shoes are silent."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from one_floor import Site

from fairshoe.cli.command_line import main
from fairshoe.messages import Meters
from fairshoe_floor.assignments import Assignment, assign, assignments, expect
from fairshoe_floor.history import queries
from fairshoe_floor.history.consumer import sample_row
from fairshoe_floor.history.report import report
from fairshoe_floor.history.size import sizes
from fairshoe_floor.history.writer import Writer
from fairshoe_floor.inventory import Entry, Inventory
from fairshoe_floor.samples import Link, Sample, sample_to_json
from fairshoe_floor.stream.event_lines import EventRow

NOON = 1_793_707_200.0  # 2026-11-03 12:00 UTC
HOUR = 3600.0
METERS = Meters(*([0] * 18))


def row(device: int, seq: int, at: float, name: str = "round_ended") -> EventRow:
    return EventRow(device, b"\7", seq, 1, name, 1, 0.0, 0, 0, 0, "{}", b"", at, "pit-1")


def sample(device: int, at: float, table: str, since: float, link: Link = Link.OPEN, gateway: str = "pit-1") -> Any:
    heard = at if link is Link.OPEN else None
    it = Sample(
        device, at, link, heard_at=heard, table=table, pit="1", since=since, meters=replace(METERS, cards=int(at))
    )
    said = {"gateway": gateway, "sample": json.loads(sample_to_json(it))}
    return sample_row(f"s.samples.{device:08x}", json.dumps(said).encode())


def store(site: Site, rows: Sequence[EventRow] = (), samples: Sequence[Any] = ()) -> None:
    async def work() -> None:
        async with await psycopg.AsyncConnection.connect(site.database, autocommit=True) as db:
            writer = Writer(db)
            await writer.store(rows, "s", None)
            for it in samples:
                await writer.store_samples([it])

    asyncio.run(work())


def places(site: Site) -> list[tuple[int, str, float, float | None]]:
    with psycopg.connect(site.database) as db:
        return [(it.device, it.place, it.began, it.ended) for it in assignments(db)]


def test_a_swap_is_noted_from_samples_and_a_table_keeps_its_history(site: Site) -> None:
    """Shoes 1 and 2 change places at 13:00: each gateway says it with its next sample, and since when."""
    swap = NOON + HOUR
    store(
        site,
        [row(device, seq, NOON + 600 * seq) for device in (1, 2) for seq in range(12)],
        [
            *(sample(1, NOON, "BJ-07", NOON - 5), sample(2, NOON, "BJ-08", NOON - 5)),
            *(sample(1, NOON + 60, "BJ-07", NOON + 50), sample(1, swap + 30, "BJ-08", swap)),  # first only a restart
            *(sample(2, swap + 50, "BJ-07", swap),),
            # Another inventory still has shoe 2, without its port; its own gateway has, and has lost it.
            *(
                sample(2, swap + 60, "BJ-99", NOON, Link.FAILED, "pit-2"),
                sample(2, swap + 70, "BJ-07", swap, Link.LOST),
            ),
        ],
    )
    began = NOON - 5
    assert sorted(places(site)) == [
        *((1, "BJ-07", began, swap), (1, "BJ-08", swap, None)),
        *((2, "BJ-07", swap, None), (2, "BJ-08", began, swap)),
    ]
    with psycopg.connect(site.database) as db:
        found = queries.events(db, None, None, NOON, 100, NOON + 3 * HOUR, "BJ-07")
        assert [(it.device, it.seq) for it in found] == [
            *((1, seq) for seq in range(6)),
            *((2, seq) for seq in range(6, 12)),
        ]
        lines = report(db, NOON + 1800, swap + 1800)
        assert [(it.place, it.device, it.counts["rounds"]) for it in lines] == [
            *(("BJ-07", 1, 3), ("BJ-07", 2, 3), ("BJ-08", 2, 3), ("BJ-08", 1, 3)),
        ]


def test_a_person_corrects_the_past_and_takes_a_shoe_off_the_floor(site: Site) -> None:
    with psycopg.connect(site.database, autocommit=True) as db:
        assign(db, Assignment(1, "BJ-07", "1", "pit-1", 100.0))
        assign(db, Assignment(1, "BJ-08", "1", "pit-1", 200.0, 300.0))
        assert [it[1:] for it in sorted(places(site), key=lambda it: it[2])] == [
            *(("BJ-07", 100.0, 200.0), ("BJ-08", 200.0, 300.0), ("BJ-07", 300.0, None)),
        ]
        assign(db, Assignment(1, "", "", "", 250.0))
        assert [it[1:] for it in places(site)] == [("BJ-07", 100.0, 200.0), ("BJ-08", 200.0, 250.0)]
        pit = Inventory("pit-1", None, None, (Entry(1, "BJ-01", "1", "a"), Entry(2, "BJ-02", "1", "b")))  # type: ignore[arg-type]
        expect(db, [pit], 400.0)
        expect(db, [replace(pit, shoes=pit.shoes[:1])], 500.0)
        expect(db, [], 600.0)  # without inventories nothing is known
        assert places(site)[:2] == [(1, "BJ-01", 400.0, None), (2, "BJ-02", 400.0, 500.0)]


def test_a_report_says_how_long_a_shoe_was_not_heard(site: Site) -> None:
    """Heard all the time; silent in the middle; silent since; only by events; never."""
    minutes = range(0, 120)
    heard = {
        1: minutes,
        2: [it for it in minutes if not 30 < it < 90],
        3: [it for it in minutes if it < 60],
        4: [0],
        5: [],
    }
    rows = [row(4, 1 + it, NOON + 60 * it) for it in minutes]
    samples = [sample(device, NOON + 60 * it, f"T{device}", NOON) for device, its in heard.items() for it in its]
    store(site, rows, samples)
    with psycopg.connect(site.database, autocommit=True) as db:
        assign(db, Assignment(5, "T5", "1", "pit-1", NOON))
        db.execute(
            "INSERT INTO gaps (device, log, first, last, gateway, after, before) VALUES (3, '\\x07', 5, 9, '', %s, %s)",
            (NOON + 60, NOON + 90),
        )
        lines = {it.device: it for it in report(db, NOON, NOON + 2 * HOUR)}
    assert [(it.state, it.silent_s) for _, it in sorted(lines.items())] == [
        *(("in service", 0), ("in service", 3600), ("silent", 3660), ("in service", 0), ("not heard", 7200)),
    ]
    assert lines[2].silent == [(NOON + 1800, NOON + 5400)] and lines[3].lost == 5 and lines[4].counts["rounds"] == 120
    assert lines[1].meters == {"cards": 119 * 60, "misfeeds": 0, "jams": 0} and lines[5].meters is None


def test_the_commands_speak_in_the_time_of_the_house(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    def call(*words: str) -> str:
        assert main(["floor", *words, "--database", site.database]) == 0
        return capsys.readouterr().out

    store(site, [row(1, seq, NOON + 600 * seq) for seq in range(12)], [sample(1, NOON, "BJ-07", NOON)])
    day = ("--day", "2026-11-03", "--zone", "America/New_York")
    said = call("report", *day, "--shift", "06:00-08:00")
    assert "from 2026-11-03 06:00:00-05:00 to 2026-11-03 08:00:00-05:00, 2.0 h, America/New_York" in said
    assert "BJ-07      pit 1    00000001  silent      6 rounds" in said and "1 lines; 1 not heard all the time" in said
    assert "there from 2026-11-03 07:00:00-05:00" in said
    assert call("history", "--table", "BJ-07", *day).count("round_ended") == 12
    assert call("history", "--table", "BJ-08", *day) == ""
    call("assign", "00000001", "BJ-08", "--from", "2026-11-03 13:00", "--to", "2026-11-03 13:30")
    assert call("history", "--table", "BJ-08", *day).count("round_ended") == 3
    assert call("assignments", *day).count("00000001") == 3
    assert "events: kept for ever" in call("retention")
    assert "events: kept 1825 days, set by Ines" in call("retention", "--events-days", "1825", "--by", "Ines")
    assert "events: kept for ever" in call("retention", "--events-days", "0", "--by", "Ines")
    assert "by the model" in call("size") and "a year takes" in call("size", "--shoes", "400")
    with psycopg.connect(site.database) as db:
        found = sizes(db, NOON + 2 * 86400)[0]
        assert (found.days, found.rows_per_day) == (2.0, 6.0) and found.bytes_per_row > 100
    assert main(["floor", "report", "--shift", "22:00-06:00", "--database", site.database]) != 0
    assert "--day" in capsys.readouterr().err and time.time() > NOON
