"""A draw shoe while a hand draws: nothing is written or drawn on the display before the throat is clear and the scan
that sees it is over, and then at once; no scan takes in an edge and builds a frame, and none does over a card."""

from support import act, check_stage, restless
from tables import insert, set_up

from firmware.image import IN_THROAT_A, IN_THROAT_B
from firmware.link.report import STATUS_MS
from firmware.machines.hand_shoe import PASSING_MS
from firmware.ticks import ticks_diff

CARDS = 8
DRAWS = 3
OFTEN_MS = 5


class Scans:
    """Every scan of a stage's app from here on: whether a throat beam was or is blocked, and what was done in it."""

    def __init__(self, stage):
        self.app = stage.rig.app
        self.quiet = self.sent = False
        self.always = False  # there is something to do at rest in every scan
        self.rows = []
        self._scan, self._quiet, self._send = self.app.scan, self.app._quiet, self.app._send
        self.app.scan, self.app._quiet, self.app._send = self.scan, self.do_quiet, self.send

    def scan(self, now_ms):
        self.quiet = self.sent = False
        before = self.blocked()
        if self.always:
            self.app.flow.page_due = True
        wake_ms = self._scan(now_ms)
        self.rows.append((before, self.blocked(), self.quiet, self.sent, self.app.eventful, wake_ms))
        return wake_ms

    def blocked(self):
        inp = self.app.inp
        return any(inp.level[line] or inp.raw[line] for line in (IN_THROAT_A, IN_THROAT_B))

    def do_quiet(self):
        self.quiet = True
        return self._quiet()

    def send(self, now_ms):
        self.sent = True
        return self._send(now_ms)


def drawing(**game):
    """A round has begun, and its scans are watched."""
    stage = insert(set_up("draw", CARDS, **game), CARDS)
    stage.until("deck_loaded", 5000)
    stage.play([("", 500, "press", "close")])
    stage.until("round_started", 5000, then_ms=300)
    return stage, Scans(stage)


def ends(rows):
    """Where in rows a scan has seen the throat clear."""
    return [i for i in range(len(rows)) if rows[i][0] and not rows[i][1]]


def test_the_scan_that_sees_a_card_gone_writes_nothing_and_the_next_one_does():
    stage, scans = drawing()
    for _ in range(DRAWS):
        stage.play([("", 400, "draw", 150)])
    stage.run(400)
    check_stage(stage)
    rows = scans.rows
    assert not any(quiet for before, after, quiet, *_ in rows if before or after), "with a card in the throat"
    gone = ends(rows)
    assert len(gone) >= DRAWS
    written = 0
    for i in gone:
        assert rows[i][5] == 0, "the next scan comes at once"
        written += rows[i + 1][2]
    assert written == DRAWS, "what waited is done then"


def test_work_that_is_due_all_the_time_waits_from_the_first_edge_of_a_card_on():
    stage, scans = drawing()
    scans.always = True
    stage.play([("", 50, "draw", 150)])
    stage.run(400)
    blocked = [row for row in scans.rows if row[0] or row[1]]
    assert len(blocked) > 5 and not any(row[2] for row in blocked)
    assert sum(row[2] for row in scans.rows) > 5


def test_a_card_that_goes_back_is_no_other():
    stage, scans = drawing()
    act(stage, 200, "draw_back", um=60000, ms=400)
    stage.rig.app.flow.page_due = True  # for whatever reason, while it lies there
    stage.run(900)
    rows = scans.rows
    assert not any(quiet for before, after, quiet, *_ in rows if before or after)
    last = ends(rows)[-1]
    assert rows[last][5] == 0 and rows[last + 1][2]


def test_no_scan_of_a_draw_shoe_takes_in_an_edge_and_builds_a_frame_unless_that_waited():
    stage, scans = drawing()
    for _ in range(DRAWS):
        stage.play([("", 333, "draw", 150)])
    stage.run(1000)
    check_stage(stage)
    rows = scans.rows
    sent = 0
    for i in range(1, len(rows)):
        sent += rows[i][3]
        if rows[i][3] and rows[i][4]:
            assert rows[i - 1][4] and not rows[i - 1][3], "it has not waited"
    assert sent > 3


def frames_all_the_time(stage):
    """Has a status due every few milliseconds. Returns a list: for each frame that went out how long a card had been in
    the throat, -1 if none was."""
    app = stage.rig.app
    machine = app.flow.machine
    send = app._send
    sent = []

    def note(now_ms):
        sent.append(ticks_diff(now_ms, machine.busy_ms) if machine.busy else -1)
        left_ms = send(now_ms)
        if app.reporter.status_ms == now_ms:
            app.reporter.status_ms = now_ms - STATUS_MS + OFTEN_MS
        return left_ms

    app._send = note
    return sent


def test_no_frame_goes_out_over_a_card_that_a_hand_draws():
    stage, scans = drawing()
    sent = frames_all_the_time(stage)
    for _ in range(DRAWS):
        stage.play([("", 100, "draw", 150)])
    stage.run(1000)
    check_stage(stage)
    assert len(ends(scans.rows)) >= DRAWS
    assert len(sent) > 20 and set(sent) == {-1}


def test_a_card_that_stays_in_the_throat_silences_nobody():
    stage, _scans = drawing()
    sent = frames_all_the_time(stage)
    act(stage, 1200, "draw_back", um=60000, ms=900)
    over = [ms for ms in sent if ms >= 0]
    assert len(over) > 20 and min(over) >= PASSING_MS


def test_nor_does_one_that_has_stopped_the_game():
    stage, _scans = drawing()
    stage.act("draw_back", {"um": 60000, "ms": 60000})
    stage.until("warning_latched", 20000)
    machine = stage.rig.app.flow.machine
    assert machine.busy
    machine.busy_ms = stage.rig.app.scanned_ms + 1000  # days later: the clock has wrapped, and it seems to come yet
    sent = frames_all_the_time(stage)
    stage.run(500)
    assert len(sent) > 20


def test_edges_without_end_keep_nothing_from_being_written():
    """A beam that never comes to rest, and a step that wants to be asked again at once: not for ever."""
    stage, scans = drawing()
    app = stage.rig.app
    restless(app)
    app.flow.page_due = True
    stage.run(300)
    assert any(row[2] for row in scans.rows)
