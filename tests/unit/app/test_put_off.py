"""While something moves, no scan takes in an edge or a message and builds a frame as well; and no frame waits long."""

from support import GAME, board, check_stage, play, restless, started, to_device

from firmware.app import PUT_OFF_MAX
from firmware.protocol import ids
from rig import stories
from rig.story import Stage


class Scans:
    """Every scan of a stage's app from here on: how long a frame waits, whether it built one, and whether it had
    something else to do."""

    def __init__(self, stage):
        self.app = stage.rig.app
        self.rows = []
        self.good = 0
        self._scan = self.app.scan
        self._send = self.app._send
        self.app.scan = self.scan
        self.app._send = self.send

    def scan(self, now_ms):
        self.good = self.app.link.reader.good
        self.rows.append([0, False, False])
        wake_ms = self._scan(now_ms)
        self.rows[-1][0] = self.app.put_off
        assert wake_ms == 0 or not self.app.put_off
        return wake_ms

    def send(self, now_ms):
        row = self.rows[-1]
        row[1] = True
        row[2] = not self.app.resting() and (self.app.eventful or self.app.link.reader.good != self.good)
        return self._send(now_ms)


def check(rows):
    """Returns for how many scans a frame waited at most."""
    waited = 0
    for i in range(1, len(rows)):
        before = rows[i - 1][0]
        put_off, sent, busy = rows[i]
        if before:
            waited += 1
            assert sent if put_off == 0 else put_off == before + 1
        assert put_off <= PUT_OFF_MAX
        assert not (sent and busy) or before == PUT_OFF_MAX
    assert waited > 5, waited
    return max([row[0] for row in rows])


def test_a_frame_waits_for_a_scan_without_an_edge():
    """The scan after an edge settles it, and has as much to do."""
    stage = Stage(board(), GAME, 9)
    scans = Scans(stage)
    stage.play(stories.start() + stories.round_of(3))
    check_stage(stage)
    assert check(scans.rows) >= 2


def test_a_frame_waits_for_a_scan_that_switches_nothing():
    """A machine also goes on when the axis has come to rest or a time is over. That is as long a scan as one at an
    edge: 2.0 ms on a carousel."""
    stage = Stage(board(), GAME, 9)
    app = stage.rig.app
    scan, drive, send = app.scan, app._drive, app._send
    switched = []  # milliseconds of scans that switch something without an edge
    last = [0]  # how many before this scan

    def scanning(now_ms):
        last[0] = len(switched)
        return scan(now_ms)

    def driving():
        drive()
        if not (app.resting() or app.inp.edge_count or app.inp.waiting):
            switched.append(app.scanned_ms)
            app.reporter.status_due = True  # a frame is due in each of them
            app.reporter.due_ms = app.scanned_ms

    def sending(now_ms):
        assert len(switched) == last[0], switched[-1]
        return send(now_ms)

    app.scan, app._drive, app._send = scanning, driving, sending
    stage.play(stories.start() + stories.round_of(3))
    check_stage(stage)
    assert len(switched) > 50


def test_a_frame_waits_for_a_scan_without_a_message():
    stage = play(stories.start() + [("", 500, "load", 52), ("", 300, "press", "green")])
    scans = Scans(stage)
    peer = stage.peer
    for _ in range(60):
        # What was acknowledged long ago: it changes nothing, and has to be read all the same.
        to_device(stage, peer.frame(peer.session, ids.CLASS_ACK, ids.EVENT_ACK, [1]), 97)
    check(scans.rows)


class SlowScans:
    """The port as the link sees it when every scan has taken a millisecond before it is the link's turn."""

    def __init__(self, hal):
        self.hal = hal
        self.link_readinto = hal.link_readinto
        self.link_write = hal.link_write
        self.link_service = hal.link_service
        self.entropy_into = hal.entropy_into
        self.unique_id = hal.unique_id

    def ticks_ms(self):
        return self.hal.ticks_ms() + 1


def test_a_message_is_left_to_the_next_scan_by_a_busy_one_and_then_taken():
    stage = Stage(board(), GAME, 7)
    app = stage.rig.app
    app.link.hal = SlowScans(stage.rig.hal)
    scan, rows = app.scan, []

    def watched(now_ms):
        good = app.link.reader.good
        wake_ms = scan(now_ms)
        rows.append((app.reporter.left, app.link.reader.good - good))
        assert wake_ms == 0 or not app.reporter.left
        return wake_ms

    app.scan = watched
    stage.play(stories.start() + stories.round_of(3))
    check_stage(stage)
    left = 0
    for i in range(1, len(rows)):
        assert not rows[i - 1][0] or not rows[i][0], "twice"
        assert rows[i][1] <= (1 if rows[i - 1][0] else 0), "at once"
        left += rows[i][0]
    assert left > 20 and app.link.reader.good > 20


def test_with_edges_in_every_scan_frames_still_go_out():
    """A beam that never comes to rest must not silence the device."""
    stage = started()
    app = stage.rig.app
    restless(app)
    app.resting = lambda: False
    heard = stage.peer.valid
    stage.run(3000)
    assert stage.peer.valid >= heard + 6  # a status every half second
