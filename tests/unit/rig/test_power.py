"""Power lost: what was going on is void, said so after the boot, and never goes on by itself."""

from support import GAME, board

from firmware.fault import FAULT_JOURNAL
from firmware.games.flow import DECK_READY, STARTING, WAITING_FOR_DECK, WARNING
from firmware.protocol import ids
from rig import stories
from rig.story import Stage


def test_storage_that_takes_no_record_at_power_on_is_a_warning_and_no_wait_for_a_host():
    stage = Stage(board(), GAME, 7)
    stage.rig.plant.add_fault({"fault": "nv", "kind": "broken"})
    stage.run(4000)
    flow = stage.rig.app.flow
    assert (flow.state, flow.warning, flow.room) == (WARNING, FAULT_JOURNAL, -1)
    assert stage.rig.hal.lines[:2] == ("STOP: journal", "Storage bad or full")
    stage.run(60000)
    assert not any(stage.rig.plant.outputs[:4]) and stage.names() == []
    stage.rig.plant.repair()
    stage.run(2000)
    stage.play([("", 500, "press", "ack")])
    stage.until("warning_cleared", 60000)
    assert stage.names()[:2] == ["booted", "warning_latched"] and flow.state == WAITING_FOR_DECK


def test_storage_that_is_full_at_power_on_waits_for_a_host_and_warns_of_nothing():
    stage = Stage(board(), GAME, 7)
    stage.run(1)
    journal = stage.rig.app.journal
    kept, journal.capacity = journal.capacity, 0
    end_us = stage.rig.plant.now_us + 60000000
    while stage.rig.plant.now_us < end_us:  # no host is there
        stage.rig.step(end_us)
    flow = stage.rig.app.flow
    assert (flow.state, flow.warning, flow.hold, flow.room) == (STARTING, 0, FAULT_JOURNAL, 0)
    assert stage.rig.hal.lines[:2] == ("Please wait: storage", "is full of reports")
    journal.capacity = kept
    stage.until("empty_proved", 60000)
    assert flow.state == WAITING_FOR_DECK and "warning_latched" not in stage.names()


def test_a_journal_nobody_reads_refuses_the_next_round_and_goes_on_when_read():
    stage = Stage(board(nv={"bytes": 96 * 87}), GAME, 7)
    stage.peer.acknowledges = False
    stage.play(stories.start() + stories.shuffle(52) + [("deck_verified", 0, "wait", 0)])
    app = stage.rig.app
    # Fill it as unread events would.
    while app.journal.room() >= 48:
        app.outbox.post(ids.EV_DOOR_CLOSED)
        stage.run(10)
    stage.play([("", 500, "press", "close"), ("", 3000, "wait", 0)])
    assert app.flow.state == DECK_READY
    assert app.flow.hold == FAULT_JOURNAL
    stage.peer.acknowledges = True
    stage.run(20000)
    stage.play([("", 500, "press", "close"), ("round_started", 0, "wait", 0)])
    assert stage.peer.gaps == 0


def test_the_power_cut_of_the_simulator_stops_the_firmware_for_good():
    stage = Stage(board(), GAME, 7)
    stage.rig.nv.cut_at = stage.rig.nv.writes
    stage.run(500)
    assert not stage.rig.powered
    scans = stage.rig.scans
    stage.run(500)
    assert stage.rig.scans == scans
