"""The clock in records: it changes at the record that says so, and never without one."""

from services import KEY, device
from support import act, fields_of, to_device

from firmware.journal.outbox import OUTBOX_MAX, OUTBOX_SPARE
from firmware.protocol import ids


def set_time(stage, utc_s, run_ms=300):
    to_device(stage, stage.peer.frame(stage.peer.session, ids.CLASS_TIME, ids.TIME_SET, [utc_s]), run_ms)


def clocks(stage):
    """(message, UTC minus uptime; 0 if unknown) of every record."""
    journal = stage.rig.app.journal
    found = []
    for seq in range(1, journal.seq_last + 1):
        message = journal.load(seq)
        buf = journal.buf
        utc_s = _u32(buf, 4 + 12)
        found.append((message, utc_s - _u32(buf, 10) if utc_s else 0))
    return found


def _u32(buf, at):
    return buf[at] | buf[at + 1] << 8 | buf[at + 2] << 16 | buf[at + 3] << 24


def test_the_clock_changes_at_the_record_that_says_so():
    stage = device(KEY)
    for utc_s in (200000000, 100000, 300000000):
        act(stage, 400, "open")
        set_time(stage, utc_s)
        act(stage, 400, "close")
    offset = 0
    for message, found in clocks(stage):
        assert found == offset or message == ids.EV_CLOCK_SET
        offset = found
    assert offset != 0
    assert len(fields_of(stage, "clock_set")) == 3


def test_what_happened_before_the_clock_was_set_keeps_its_time_though_it_is_recorded_later():
    stage = device(KEY)
    set_time(stage, 200000000)
    app = stage.rig.app
    app.outbox.post(ids.EV_DOOR_OPENED)
    app.reporter.time_values[0] = 100000000
    app._set_time()
    app.outbox.post(ids.EV_DOOR_CLOSED)
    stage.run(500)
    found = [(message, clock // 1000000) for message, clock in clocks(stage)[-3:]]
    assert found == [(ids.EV_DOOR_OPENED, 199), (ids.EV_CLOCK_SET, 99), (ids.EV_DOOR_CLOSED, 99)]


def test_a_clock_that_cannot_be_recorded_is_not_set():
    stage = device(KEY)
    set_time(stage, 200000000)
    app = stage.rig.app
    for _ in range(OUTBOX_MAX - OUTBOX_SPARE):
        app.outbox.post(ids.EV_DOOR_OPENED)
    stage.peer.messages.clear()
    app.reporter.time_values[0] = 100000000
    app._set_time()
    assert not app.reporter.time_due
    stage.run(500)
    assert "time_is" not in stage.peer.messages
    assert clocks(stage)[-1][1] // 1000000 == 199
    set_time(stage, 100000000)
    assert stage.peer.messages["time_is"][0] == 100000000
    assert clocks(stage)[-1] == (ids.EV_CLOCK_SET, clocks(stage)[-1][1])


def test_the_same_time_again_is_no_news():
    stage = device(KEY)
    set_time(stage, 200000000, 500)
    app = stage.rig.app
    app.reporter.time_values[0] = app.recorder.utc_s()
    app._set_time()
    stage.run(500)
    assert len(fields_of(stage, "clock_set")) == 1
    assert stage.peer.messages["time_is"][0] > 0


def test_a_time_that_is_set_is_answered_with_the_uptime_it_was_set_at():
    stage = device(KEY)
    assert stage.rig.app.recorder.utc_s() == 0, "not synchronised"
    stage.run(2345)
    set_time(stage, 200000000)
    outbox = stage.rig.app.outbox
    utc_s, uptime_s, uptime_ms = stage.peer.messages["time_is"]
    assert utc_s == 200000000
    passed_ms = (outbox.uptime_s - uptime_s) * 1000 + outbox.uptime_ms - uptime_ms
    assert uptime_s > 0 and 0 <= passed_ms <= 300
    stage.run(5000)
    assert stage.rig.app.recorder.utc_s() == utc_s + outbox.uptime_s - uptime_s
