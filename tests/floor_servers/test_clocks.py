"""A gateway's clock is a day ahead for an hour, then right; then the storage of a shoe is replaced. What is newest is
asked of logs and numbers: no time that was stored in that hour may stand above what followed."""

from __future__ import annotations

import time
from dataclasses import replace

import psycopg
import pytest
from one_floor import Site, identity

from fairshoe.client import store as store_module
from fairshoe.client.store import Arrived
from fairshoe.messages import Booted, DoorOpened, Event, Fault, KeyChanged, Meters, WarningCleared, WarningLatched
from fairshoe_floor.alarms.desk import dry_run
from fairshoe_floor.alarms.rules import Rule, RuleBook
from fairshoe_floor.api.server import Binding
from fairshoe_floor.history import queries, report
from fairshoe_floor.history.central_reader import CentralReader
from fairshoe_floor.history.serve import CentralServer
from fairshoe_floor.inventory import Entry, Inventory
from fairshoe_floor.samples import Link, Sample

DAY_S = 86400.0
DEVICE = 7
OLD, NEW = identity(1), identity(2)
ENTRY = Entry(DEVICE, "T-07", "1", "tcp://127.0.0.1:7")
UNATTENDED = RuleBook((Rule("unattended", "warning", "major", {"after_s": 300}),))
JAMMED = (Fault.JAM_EXIT, 3, 1, 88, 88)


def event(kind: type[Event], seq: int, *values: object) -> Arrived:
    head = (seq, 1, 100, 5, 0, 0, 1)
    plain = [value.encode() if isinstance(value, str) else value for value in values]
    return Arrived(seq, kind(*head, *values), kind.LAYOUT.pack(*head, *plain))


def keep(site: Site, log: bytes, *events: Arrived) -> None:
    place = site.store.resume(DEVICE, log, events[-1].seq, 1, new_log=True)
    site.store.add(place.id, events)
    site.store.handled(place.id, events[-1].seq)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How far the clock of the gateway is ahead."""
    ahead = [0.0]
    true = time.time
    monkeypatch.setattr(store_module.time, "time", lambda: true() + ahead[0])
    return ahead


def booted(seq: int, firmware: str) -> Arrived:
    return event(Booted, seq, 0, 77, firmware, 0, "")


@pytest.mark.parametrize("at_once", (True, False), ids=("a backlog of both", "as they come"))
def test_a_jam_after_a_replaced_storage_is_shown_though_the_old_one_has_later_times(
    site: Site, clock: list[float], at_once: bool
) -> None:
    """The old log is longer than two messages: its last one is sent after the new log's only one."""
    clock[0] = DAY_S
    old = [booted(1, "0.8"), event(KeyChanged, 2, 4, 1), event(WarningLatched, 3, *JAMMED)]
    old += [event(WarningCleared, 4, Fault.JAM_EXIT), *(event(DoorOpened, seq) for seq in range(5, 301))]
    keep(site, OLD, *old)
    if not at_once:
        site.carry(300)
    clock[0] = 0.0
    new = [booted(1, "0.9"), event(KeyChanged, 2, 5, 1), event(WarningLatched, 3, *JAMMED)]
    keep(site, NEW, *new)
    site.carry(303)
    reader = CentralReader(site.database, [Inventory("pit-1", site.store.path, None, (ENTRY,))])
    try:
        shoe = reader.shoe(DEVICE)
        assert shoe is not None and shoe.log == NEW
        assert shoe.warning is not None and (shoe.warning.log, shoe.warning.fault) == (NEW, Fault.JAM_EXIT)
        assert reader.logs(DEVICE) == [OLD, NEW]
        assert [it.seq for it in reader.events(DEVICE, None, 0)] == [1, 2, 3]
    finally:
        reader.close()
    with psycopg.connect(site.database, autocommit=True) as db:
        assert [it.firmware for it in queries.versions(db)] == ["0.9"]
        assert [it.generation for it in queries.keys(db)] == [5]
        found = queries.events(db, DEVICE, None, 0.0, 1000)
        assert [(it.log, it.seq) for it in found] == [*((OLD, it.seq) for it in old), *((NEW, it.seq) for it in new)]
        now = time.time()
        assert [it.rule for it in site.judge(db, UNATTENDED, now, now + 301)] == ["unattended"]
        assert [it.raised for it in dry_run(db, UNATTENDED, 0.0, now + 400)][-1:] == [True]


def test_a_storage_that_comes_back_is_the_newest_again_and_a_refill_of_the_other_changes_nothing(site: Site) -> None:
    for log, first in ((OLD, 1), (NEW, 1), (OLD, 2)):
        keep(site, log, event(DoorOpened, first))
    site.carry(3)
    keep(site, OLD, event(WarningLatched, 3, *JAMMED))
    site.carry(4)
    reader = CentralReader(site.database, [Inventory("pit-1", site.store.path, None, (ENTRY,))])
    try:
        assert reader.logs(DEVICE) == [NEW, OLD]
        site.store.fill(DEVICE, NEW, [(2, DoorOpened.ID, event(DoorOpened, 2).body)])
        site.carry(5)
        shoe = reader.shoe(DEVICE)
        assert shoe is not None and shoe.log == OLD and shoe.warning is not None
    finally:
        reader.close()


def test_a_gateway_whose_clock_is_ahead_does_not_keep_a_silent_shoe_in_service(site: Site) -> None:
    """Its last sample is of tomorrow. Silent is judged by the time at which the sample came."""
    now = time.time()
    meters = Meters(*([0] * 18))
    sample = Sample(
        DEVICE, now + DAY_S, Link.OPEN, heard_at=now + DAY_S, table="T-07", since=now + DAY_S, meters=meters
    )
    site.sample(sample)
    site.carry(1, "samples")
    site.sample(replace(sample, at=now, heard_at=now, table="T-08", since=now, meters=replace(meters, cards=5)))
    site.carry(2, "samples")
    with psycopg.connect(site.database, autocommit=True) as db:
        (line, other) = sorted(report.report(db, now - DAY_S, now + 60), key=lambda it: it.place)
        assert (line.place, other.place) == ("T-07", "T-08"), "both are in today's report"
        db.execute("UPDATE samples SET stored = stored - interval '130 seconds'")
        silent = RuleBook((Rule("silent", "silent", "major", {"after_s": 120}),))
        assert [it.rule for it in site.judge(db, silent, now, now + 121)] == ["silent"]
        db.execute("DELETE FROM samples WHERE at <= %s", (now,))
    inventory = Inventory("pit-1", site.store.path, None, (ENTRY,))
    reader = CentralReader(site.database, [inventory])
    try:
        shoe = reader.shoe(DEVICE)
        assert shoe is not None and shoe.sample is not None and (shoe.sample.heard_at or 0) < now
        central = CentralServer(reader, Binding("127.0.0.1", 0), (), False)
        assert not central.health()[0]
    finally:
        reader.close()
