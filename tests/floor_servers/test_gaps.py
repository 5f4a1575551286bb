"""A store that was restored from a copy: what is lost becomes a gap in the record, and the shoe goes on."""

from __future__ import annotations

import psycopg
import pytest
from one_floor import Site, arrived, identity

from fairshoe.cli.command_line import main
from fairshoe_floor.alarms import book
from fairshoe_floor.alarms.desk import Desk
from fairshoe_floor.alarms.rules import load_rules

LOST = (9, 10)


def lose(site: Site) -> None:
    """Events 1 to 8 are in the stream. The store is then one of a copy that ends at 5, and goes on at 11."""
    site.record(1, 1, 8)
    site.run(site.publisher(), site.consumer(), until=lambda: site.passed() == 8)
    with site.store.transaction("") as db:
        db.execute("DELETE FROM events WHERE seq > 5")
    site.record(1, 11, 13)


def gaps(site: Site) -> list[tuple[object, ...]]:
    return site.rows("SELECT device, first, last, gateway, outcome FROM gaps ORDER BY id")


def test_a_hole_is_a_gap_on_record_an_alarm_and_does_not_hold_up_the_shoe(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    lose(site)
    publisher, consumer = site.publisher(hole_s=0.5), site.consumer()
    site.run(publisher, consumer, until=lambda: site.passed() == 13)  # retention goes on, too
    assert site.seqs(1) == [*range(1, 9), 11, 12, 13] and gaps(site) == [(1, *LOST, "pit-1", "")]
    times = site.rows("SELECT after, before, received FROM gaps JOIN events ON seq = first - 1")
    assert times[0][0] == times[0][2] < times[0][1]
    assert main(["floor", "gaps", "--database", site.database]) == 0
    said = capsys.readouterr().out
    assert "events 9 to 10 were lost at gateway pit-1" in said and "fairshoe journal pull" in said
    with psycopg.connect(site.database, autocommit=True) as db:
        desk = Desk(site.database, load_rules())
        engine, places = desk.warm_up(db, 10.0)
        places = desk.step(db, engine, places, 10.0)
        assert [alarm.text for alarm in book.alarms(db) if alarm.rule == "events-lost"] == [
            "events 9 to 10 were lost at gateway pit-1. See: fairshoe floor gaps"
        ]
        # They turn up: another publisher of the same store sends them, and the gap is closed.
        site.store.fill(1, identity(1), [(seq, arrived(seq).message.ID, arrived(seq).body) for seq in range(*LOST)])
        site.run(site.publisher(), site.consumer(), until=lambda: len(site.seqs(1)) == 12)
        assert gaps(site) == [(1, *LOST, "pit-1", "")]  # half of it is still lost
        site.store.fill(1, identity(1), [(10, arrived(10).message.ID, arrived(10).body)])
        publisher, consumer = site.publisher(), site.consumer()
        site.run(publisher, consumer, until=lambda: gaps(site) == [(1, *LOST, "pit-1", "the events turned up")])
        desk.step(db, engine, places, 20.0)
        assert [alarm for alarm in book.alarms(db) if alarm.rule == "events-lost"] == []
    assert sorted(site.seqs(1)) == list(range(1, 14)) and publisher.counts.gaps == 0


def test_the_gap_of_a_shoe_that_was_moved_waits_longer(site: Site) -> None:
    lose(site)
    publisher = site.publisher(hole_s=0.0, moved_s=600.0, gateway="pit-2")
    rounds: list[int] = []
    publisher.on_round = rounds.append
    site.run(publisher, until=lambda: len(rounds) > 30)
    assert publisher.counts.events == publisher.counts.gaps == 0
    publisher = site.publisher(hole_s=600.0, moved_s=0.3, gateway="pit-2")
    site.run(publisher, until=lambda: publisher.counts.events == 3)
    assert publisher.counts.gaps == 1


def test_a_gap_is_declared_once_whichever_publisher_restarts(site: Site) -> None:
    lose(site)
    first, second = site.publisher(hole_s=0.1), site.publisher(hole_s=0.1)
    site.run(first, second, site.consumer(), until=lambda: site.passed() == 13)
    site.run(site.publisher(hole_s=0.0), site.consumer(), until=lambda: len(site.seqs(1)) == 11)
    assert len(gaps(site)) == 1 and first.counts.gaps + second.counts.gaps == 1


def test_a_gap_after_a_stream_that_has_aged_begins_where_the_central_record_ends(site: Site) -> None:
    lose(site)
    site.purge()
    site.run(site.publisher(hole_s=0.1), site.consumer(), until=lambda: site.passed() == 13)
    assert gaps(site) == [(1, *LOST, "pit-1", "")]


def test_a_gap_is_closed_by_a_person_with_a_note(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    lose(site)
    site.run(site.publisher(hole_s=0.1), site.consumer(), until=lambda: site.passed() == 13)
    call = ["floor", "gaps", "close", "1", "--database", site.database]
    assert main(call) != 0 and "--note" in capsys.readouterr().err
    assert main([*call, "--note", "Ines: video checked"]) == 0
    assert gaps(site) == [(1, *LOST, "pit-1", "closed: Ines: video checked")]
