"""Alarms over a real PostgreSQL and a real Alertmanager: written once, sent, acknowledged; and a dry run over
history."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import psycopg
import pytest
from floor.alertmanager import running_alertmanager
from one_floor import Site
from waits import LIMIT_S

from fairshoe.messages import Meters
from fairshoe_floor.alarms import book
from fairshoe_floor.alarms.desk import REPLAY_S, Desk, dry_run
from fairshoe_floor.alarms.notify import ENDED_S, Notifier, receivers
from fairshoe_floor.alarms.rules import Rule, RuleBook
from fairshoe_floor.assignments import Assignment, assign
from fairshoe_floor.samples import Link, Sample, sample_to_json

REFUSED = Rule("twice", "refused", "minor", {"times": 2})
TWICE = RuleBook((REFUSED,))


def prepare(site: Site, names: list[str]) -> None:
    with psycopg.connect(site.database) as db:
        db.execute("INSERT INTO logs (device, log, began, gateway) VALUES (1, '\\x01', 0, 'pit-1')")
        for seq, name in enumerate(names, 1):
            db.execute(
                "INSERT INTO events (device, log, seq, message, name, boot, uptime_s, utc_s, round, deck, fields, body,"
                " received, gateway) VALUES (1, '\\x01', %s, 1, %s, 1, 0, 0, 0, 0, '{}', '', %s, 'pit-1')",
                (seq, name, 1000.0 + seq),
            )


class Hook:
    """Answers POSTs with `status`, and keeps what was posted."""

    def __init__(self) -> None:
        self.posted: list[Any] = []
        self.status = 204
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                said = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if hook.status == 204:
                    hook.posted.append(said)
                self.send_response(hook.status)
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def hook() -> Iterator[Hook]:
    made = Hook()
    yield made
    made.server.shutdown()
    made.server.server_close()


def test_an_alarm_that_was_raised_and_one_that_ended_while_the_receiver_was_down_arrive(site: Site, hook: Hook) -> None:
    """Each program here is a new one: what is to be said is on file alone."""
    prepare(site, ["deck_refused", "deck_refused"])
    hook.status = 500
    with psycopg.connect(site.database, autocommit=True) as db:
        site.judge(db, TWICE, 1010.0)
        assert not Notifier(site.database, [hook.url]).turn(db, 1011.0)
        site.judge(db, TWICE, 1012.0)  # a restart raises no second one
        hook.status = 204
        assert Notifier(site.database, [hook.url]).turn(db, 1013.0)
        assert [it["labels"]["alertname"] for it in hook.posted[-1]] == ["twice"]
        assert [alarm.raised_at for alarm in book.alarms(db)] == [1010.0]
        hook.status = 500
        db.execute("UPDATE events SET name = 'deck_verified' WHERE seq = 2")
        site.judge(db, TWICE, 1100.0)
        assert book.alarms(db) == []
        for now in (1101.0, 1101.0 + 2 * ENDED_S):
            assert not Notifier(site.database, [hook.url]).turn(db, now)
        hook.status = 204
        for now in (1102.0 + 2 * ENDED_S, 1103.0 + 2 * ENDED_S):
            Notifier(site.database, [hook.url]).turn(db, now)
        assert len(hook.posted) == 2  # its end was taken, late; then there is nothing more to say
        assert hook.posted[-1][0]["endsAt"] == "1970-01-01T00:18:20.000+00:00"
        db.execute("UPDATE alarms SET cleared_at = %s", (5000.0,))
        for now in (5000.0 + ENDED_S - 1, 5000.0 + ENDED_S + 1):
            Notifier(site.database, [hook.url]).turn(db, now)
        assert len(hook.posted) == 3  # an end is repeated for 15 minutes


def test_an_alarm_names_the_table_where_the_shoe_was_and_is_acknowledged_once(site: Site, hook: Hook) -> None:
    prepare(site, ["deck_refused", "deck_refused"])
    with psycopg.connect(site.database, autocommit=True) as db:
        assign(db, Assignment(1, "BJ-07", "2", "pit-1", 5.0))
        site.judge(db, TWICE, 1010.0)
        assign(db, Assignment(1, "BJ-08", "2", "pit-1", 1011.0))
        alarm = book.alarms(db)[0]
        book.acknowledge(db, alarm.id, "Ines", "deck replaced", 1080.0)
        with pytest.raises(book.AlarmError, match="Ines"):
            book.acknowledge(db, alarm.id, "Otto", "", 1081.0)
        Notifier(site.database, [hook.url]).turn(db, 1090.0)
        said = hook.posted[0][0]
        assert said["labels"]["table"] == "BJ-07" and said["annotations"]["acknowledged_by"] == "Ines"


def test_alertmanager_that_is_killed_hears_of_everything_again(site: Site, hook: Hook, tmp_path: Path) -> None:
    """The real one, with a webhook as its receiver. It keeps no alerts: what it knew is gone with it. The sender, too,
    is another one each time."""
    prepare(site, ["deck_refused", "deck_refused"])
    with psycopg.connect(site.database, autocommit=True) as db, running_alertmanager(tmp_path, hook.url) as manager:
        site.judge(db, TWICE, 1010.0)
        manager.kill()
        assert not Notifier(site.database, receivers([manager.url], [])).turn(db, time.time())
        manager.start()

        def until(ready: Callable[[], bool]) -> None:
            end = time.monotonic() + LIMIT_S
            while not ready():
                assert time.monotonic() < end, (hook.posted, manager.log.read_text())
                Notifier(site.database, receivers([manager.url], [])).turn(db, time.time())
                time.sleep(0.2)

        def heard(status: str) -> bool:
            return any(it["status"] == status for said in hook.posted for it in said["alerts"])

        until(lambda: heard("firing"))
        (said,) = manager.alerts()
        assert said["labels"] == {"alertname": "twice", "severity": "minor", "device": "00000001"}
        manager.kill()
        db.execute("UPDATE alarms SET cleared_at = %s", (time.time(),))
        manager.start()
        assert manager.alerts() == []
        until(lambda: manager.alerts(inactive=True) == [] and book.to_send(db, time.time(), 0.0) == [])
        hook.posted.clear()
        db.execute("UPDATE alarms SET cleared_at = NULL")
        until(lambda: heard("firing"))
        db.execute("UPDATE alarms SET cleared_at = %s", (time.time(),))
        until(lambda: heard("resolved"))


def test_a_warning_that_is_older_than_the_replay_keeps_its_alarm_over_a_restart(site: Site) -> None:
    prepare(site, ["warning_latched", "deck_refused", "deck_refused"])
    rules = RuleBook((REFUSED, Rule("warning", "warning", "major", {"after_s": 300})))
    later = 1400.0 + 2 * REPLAY_S
    with psycopg.connect(site.database, autocommit=True) as db:
        db.execute("UPDATE logs SET latched = 1, latched_at = 1001, warning = 'jam_exit'")  # as the writer does
        for now in (1400.0, later):
            site.judge(db, rules, now, now)
            held = [alarm for alarm in book.alarms(db, open_only=False) if alarm.rule == "warning"]
            assert [(alarm.raised_at, alarm.cleared_at) for alarm in held] == [(1400.0, None)]
        db.execute("UPDATE logs SET cleared = 2")
        assert site.judge(db, rules, later) == []


def test_wear_goes_on_over_a_restart_and_ends_with_a_recorded_service(site: Site) -> None:
    prepare(site, ["booted"])
    rules = RuleBook((Rule("wear", "wear", "minor", {}),))
    new = Meters(*[0] * 18)
    with psycopg.connect(site.database, autocommit=True) as db:
        for first in (1, 101, 201):  # each time another desk
            desk = Desk(site.database, rules)
            engine, places = desk.warm_up(db, 1000.0 + first)
            for deck in range(first, first + 100):
                meters = replace(new, cycles=deck, cards=52 * deck, feed_us=31000 + 45 * deck)
                it = Sample(1, 1000.0 + deck, Link.OPEN, heard_at=1000.0 + deck, meters=meters)
                db.execute(
                    "INSERT INTO samples (device, at, gateway, sample) VALUES (1, %s, 'pit-1', %s)",
                    (it.at, sample_to_json(it)),
                )
            places = desk.step(db, engine, places, 1100.0 + first)
        (alarm,) = book.alarms(db)
        assert alarm.text.startswith("pick latency 3") and alarm.text.endswith(" decks: pick roller")
        fields = json.dumps({"part": "pick_roller", "replaced": 1, "cycles": 300})
        db.execute("UPDATE events SET name = 'serviced', fields = %s, received = 1400", (fields,))
        assert site.judge(db, rules, 1500.0) == []
        later = 1500.0 + 2 * REPLAY_S  # the event is not replayed any more
        assert site.judge(db, rules, later) == []


def test_events_from_before_the_replay_are_not_taken_for_news(site: Site) -> None:
    prepare(site, ["deck_refused", "deck_refused"])
    with psycopg.connect(site.database, autocommit=True) as db:
        site.judge(db, TWICE, 1010.0 + 2 * REPLAY_S)
        assert book.alarms(db, open_only=False) == []


def test_a_dry_run_tells_what_would_have_been_raised_and_writes_nothing(site: Site) -> None:
    prepare(site, ["deck_refused", "deck_refused", "deck_verified", "warning_latched"])
    rules = RuleBook((REFUSED, Rule("warning", "warning", "major", {"after_s": 300})))
    with psycopg.connect(site.database, autocommit=True) as db:
        changes = dry_run(db, rules, 0.0, 2000.0)
        assert [(it.rule.name, it.raised) for it in changes] == [("twice", True), ("twice", False), ("warning", True)]
        assert 1304 <= changes[-1].at <= 1335
        assert book.alarms(db, open_only=False) == []
