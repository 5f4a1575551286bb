"""Alarms over a real PostgreSQL: written once, sent, escalated, acknowledged; and a dry run over history."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import ClassVar

import psycopg
import pytest
from one_floor import Site

from fairshoe_floor.alarms import book
from fairshoe_floor.alarms.desk import REPLAY_S, Desk, dry_run
from fairshoe_floor.alarms.rules import Route, Rule, RuleBook
from fairshoe_floor.history import schema

REFUSED = Rule("twice", "refused", "minor", {"times": 2}, escalate_s=60.0)


def prepare(site: Site, names: list[str]) -> None:
    async def migrate() -> None:
        async with await psycopg.AsyncConnection.connect(site.database, autocommit=True) as connection:
            await schema.migrate(connection)

    asyncio.run(migrate())
    with psycopg.connect(site.database) as db:
        db.execute("INSERT INTO logs (device, log, began, gateway) VALUES (1, '\\x01', 0, 'pit-1')")
        for seq, name in enumerate(names, 1):
            db.execute(
                "INSERT INTO events (device, log, seq, message, name, boot, uptime_s, utc_s, round, deck, fields, body,"
                " received, gateway) VALUES (1, '\\x01', %s, 1, %s, 1, 0, 0, 0, 0, '{}', '', %s, 'pit-1')",
                (seq, name, 1000.0 + seq),
            )


class Hook(BaseHTTPRequestHandler):
    """Keeps what was posted."""

    posted: ClassVar[list[dict[str, str]]] = []

    def do_POST(self) -> None:
        self.posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(204)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_an_alarm_is_sent_escalated_acknowledged_and_cleared(site: Site) -> None:
    prepare(site, ["deck_refused", "deck_refused"])
    Hook.posted.clear()
    server = HTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    log = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    log.bind(("127.0.0.1", 0))
    log.settimeout(60)
    routes = (
        Route(f"http://127.0.0.1:{server.server_port}/alarms", "minor"),
        Route(f"syslog://127.0.0.1:{log.getsockname()[1]}", "major"),
    )
    desk = Desk(site.database, RuleBook((REFUSED,), routes))
    with psycopg.connect(site.database, autocommit=True) as db:
        engine, places = desk.warm_up(db, 1010.0)
        places = desk.step(db, engine, places, 1010.0)
        places = desk.step(db, engine, places, 1020.0)  # nothing new: nothing is sent
        places = desk.step(db, engine, places, 1071.0)  # a minute without a person: the routes above
        assert [(it["what"], it["device"]) for it in Hook.posted] == [("raised", "00000001"), ("escalated", "00000001")]
        assert b"<131>1 " in log.recv(2000)  # local0, error
        alarm = book.alarms(db)[0]
        book.acknowledge(db, alarm.id, "Ines", "deck replaced", 1080.0)
        with pytest.raises(book.AlarmError, match="Ines"):
            book.acknowledge(db, alarm.id, "Otto", "", 1081.0)
        # A desk that starts again finds the open alarm, and raises no second one.
        engine, places = Desk(site.database, RuleBook((REFUSED,))).warm_up(db, 1090.0)
        places = desk.step(db, engine, places, 1090.0)
        assert len(book.alarms(db)) == 1 and len(Hook.posted) == 2
        db.execute("UPDATE events SET name = 'deck_verified' WHERE seq = 2")
        engine, places = desk.warm_up(db, 1100.0)
        desk.step(db, engine, places, 1100.0)
        assert book.alarms(db) == [] and Hook.posted[-1]["what"] == "cleared"
        (kept,) = book.alarms(db, open_only=False)
        assert (kept.acknowledged_by, kept.note, kept.escalated_at) == ("Ines", "deck replaced", 1071.0)
    server.shutdown()
    log.close()


def test_a_warning_that_is_older_than_the_replay_keeps_its_alarm_over_a_restart(site: Site) -> None:
    prepare(site, ["warning_latched", "deck_refused", "deck_refused"])
    rules = RuleBook((REFUSED, Rule("warning", "warning", "major", {"after_s": 300})))
    later = 1400.0 + 2 * REPLAY_S
    with psycopg.connect(site.database, autocommit=True) as db:
        for now in (1400.0, later):
            desk = Desk(site.database, rules)
            engine, places = desk.warm_up(db, now)
            places = desk.step(db, engine, places, now)
            desk.step(db, engine, places, now)
            held = [alarm for alarm in book.alarms(db, open_only=False) if alarm.rule == "warning"]
            assert [(alarm.raised_at, alarm.cleared_at) for alarm in held] == [(1400.0, None)]
        db.execute("UPDATE events SET name = 'warning_cleared' WHERE seq = 2")
        engine, places = desk.warm_up(db, later)
        desk.step(db, engine, places, later)
        assert book.alarms(db) == []


def test_events_from_before_the_replay_are_not_taken_for_news(site: Site) -> None:
    prepare(site, ["deck_refused", "deck_refused"])
    desk = Desk(site.database, RuleBook((REFUSED,)))
    with psycopg.connect(site.database, autocommit=True) as db:
        engine, places = desk.warm_up(db, 1010.0 + 2 * REPLAY_S)
        desk.step(db, engine, places, 1010.0 + 2 * REPLAY_S)
        assert book.alarms(db, open_only=False) == []


def test_a_dry_run_tells_what_would_have_been_raised_and_writes_nothing(site: Site) -> None:
    prepare(site, ["deck_refused", "deck_refused", "deck_verified", "warning_latched"])
    rules = RuleBook((REFUSED, Rule("warning", "warning", "major", {"after_s": 300})))
    with psycopg.connect(site.database, autocommit=True) as db:
        changes = dry_run(db, rules, 0.0, 2000.0)
        assert [(it.rule.name, it.raised) for it in changes] == [("twice", True), ("twice", False), ("warning", True)]
        assert 1304 <= changes[-1].at <= 1335
        assert book.alarms(db, open_only=False) == []
