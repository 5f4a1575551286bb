"""A firmware that fails or hangs: motors off within half a second, a latched warning that says so, nothing resumed."""

from support import GAME, act, board, check_stage, play, raises
from tables import clear_by_hand, set_up

from firmware.fault import FAULT_INTERNAL, FAULT_POWER, FAULT_RESET, Broken
from firmware.games.flow import SHUFFLING, WARNING
from firmware.image import motors_running
from firmware.main import run
from rig import stories
from rig.rig import WATCHDOG_US
from rig.story import Stage

CARDS = 8
RESET_MS = WATCHDOG_US // 1000


def feeding():
    """A device in the middle of a shuffle, with a card on its way."""
    stage = set_up("carousel", CARDS)
    stage.play([("", 300, "load", CARDS), ("", 300, "press", "green")])
    stage.until("shuffle_started", 5000)
    turning(stage, 0, 2)
    return stage


def turning(stage, first, end):
    """Until one of these motors turns."""
    for _ in range(5000):
        if any(stage.rig.plant.outputs[first:end]):
            return
        stage.run(1)
    raise AssertionError("nothing turns")


def crash(stage, name):
    """The next scan raises; what the outputs and the watchdog did until the next boot."""
    rig = stage.rig
    stage.act("crash", {"name": name})
    app = rig.app
    stage.run(1)
    assert not rig.powered
    assert not any(rig.plant.outputs) and not rig.plant.axis.moving
    fed = rig.hal.fed
    stage.run(RESET_MS - 2)
    assert rig.app is app and rig.hal.fed == fed, "the watchdog has nothing to wait for"
    stage.run(3)
    assert rig.app is not app and rig.powered
    return stage


def told(stage):
    """(cause, halted boot, name) of every boot that the host has heard of."""
    stage.run(4000)
    found = []
    for event in stage.peer.events:
        if event.name == "booted":
            name = stage.peer.payloads[event.seq][-8:].rstrip(b"\0")
            found.append((event.fields[0], event.fields[2], name))
    return found


def test_a_halt_is_told_once_and_its_warning_outlives_every_boot():
    stage = crash(set_up("carousel", CARDS), "OSError")
    stage.run(1000)
    stage.act("boot", {})
    assert told(stage) == [(0, 0, b""), (1, 1, b"OSError"), (0, 0, b"")]
    assert stage.rig.app.flow.warning == FAULT_RESET and "power_lost" not in stage.names()
    stage.play([("", 500, "press", "ack"), ("", 5000, "wait", 0)])
    assert stage.rig.app.flow.state == WARNING, "nothing but an opened door may clear it"


def test_power_that_fails_at_the_last_word_leaves_a_plain_power_loss():
    stage = feeding()
    stage.act("crash", {})
    act(stage, 1, "cut_at_write", write=0, bytes=40)
    assert not stage.rig.powered
    stage.rig.step(stage.rig.plant.now_us + 3000000)
    assert not stage.rig.powered, "without power there is no watchdog"
    stage.act("boot", {})
    assert told(stage)[1] == (0, 0, b"")
    assert stage.rig.app.flow.warning == FAULT_POWER


def test_a_scan_that_hangs_while_a_card_moves_runs_the_motors_on_for_half_a_second_at_most():
    stage = feeding()
    rig = stage.rig
    before_us = rig.plant.now_us
    stage.act("stuck", {"ms": 60000})
    app = rig.app
    while rig.app is app:
        stage.run(1)
    assert rig.plant.now_us - before_us <= WATCHDOG_US + 1000
    assert not any(rig.plant.outputs[:4]) and not rig.plant.axis.moving
    assert told(stage)[1] == (1, 0, b"")
    assert rig.app.flow.warning == FAULT_RESET
    clear_by_hand(stage)
    check_stage(stage)


def test_a_late_scan_at_rest_is_no_reset():
    stage = set_up("carousel", CARDS)
    app = stage.rig.app
    act(stage, 5000, "stuck", ms=RESET_MS - 10)
    assert stage.rig.app is app
    assert stage.rig.reset_us < 0


def broken(now_ms):
    raise Broken(FAULT_INTERNAL)


def test_a_scan_that_breaks_an_invariant_does_not_feed_the_watchdog():
    stage = set_up("carousel", CARDS)
    stage.run(1000)
    rig = stage.rig
    decide = rig.app.decide
    fed = rig.hal.fed
    rig.app.decide = broken
    rig.app.scan(rig.hal.ticks_ms())
    assert rig.hal.fed == fed
    rig.app.decide = decide
    rig.app.scan(rig.hal.ticks_ms())
    assert rig.hal.fed == fed + 1
    assert rig.app.flow.warning == FAULT_INTERNAL


def test_a_firmware_that_breaks_in_every_scan_is_not_kept_alive():
    stage = set_up("carousel", CARDS)
    stage.run(1000)
    rig = stage.rig
    fed = rig.hal.fed
    rig.app.decide = broken
    app = rig.app
    # Either the watchdog is not fed for too long, or there is no room left to say so, which ends in main's handler.
    raises(Broken, stage.run, RESET_MS)
    assert rig.hal.fed == fed or rig.app is not app


class Enough(Exception):
    """The run has been long enough."""


class SlowScans:
    """Makes every scan of a stage's device last so long, by its own clock, and ends the run after some time."""

    def __init__(self, stage, scan_ms, run_ms):
        self.hal = stage.rig.hal
        self.late_ms = 0
        self.scan_ms = scan_ms
        self.end_us = stage.rig.plant.now_us + run_ms * 1000
        self.clock, self.look, self.wait = self.hal.ticks_ms, self.hal.sample, self.hal.idle
        self.hal.ticks_ms, self.hal.sample, self.hal.idle = self.ticks_ms, self.sample, self.idle

    def ticks_ms(self):
        return self.clock() + self.late_ms & 0x3FFFFFFF

    def sample(self, inp):
        self.late_ms += self.scan_ms
        return self.look(inp)

    def idle(self, ms):
        if self.hal.plant.now_us >= self.end_us:
            raise Enough()
        self.wait(ms)


def never():
    raise AssertionError("not five seconds at rest")


def test_a_start_counts_when_the_device_has_scanned_for_five_seconds_and_rests():
    stage = Stage(board(), GAME, 7)
    app = stage.rig.app
    done_ms = [stage.rig.plant.now_us // 1000]
    SlowScans(stage, 0, 60000)
    assert raises(Enough, run, app, lambda: done_ms.append(stage.rig.plant.now_us // 1000 if app.resting() else -1))
    assert len(done_ms) > 3 and not app.silent
    for i in range(1, len(done_ms)):
        assert done_ms[i] - done_ms[i - 1] >= 5000, done_ms


def test_late_scans_count_while_something_moves():
    stage = feeding()
    app = stage.rig.app
    assert app.flow.state == SHUFFLING and motors_running(app.inp, app.out)
    SlowScans(stage, app.scan_ms_max + 3, 30)
    assert raises(Enough, run, app, never)
    overruns, longest_ms = app.reporter.overruns
    assert overruns > 0 and longest_ms == app.scan_ms_max + 3


def test_late_scans_at_rest_do_not_count():
    stage = set_up("carousel", CARDS)
    stage.run(2000)
    app = stage.rig.app
    SlowScans(stage, app.scan_ms_max + 3, 3000)
    assert raises(Enough, run, app, never)
    assert app.reporter.overruns == [0, 0]


def test_scans_in_time_do_not_count():
    stage = feeding()
    app = stage.rig.app
    SlowScans(stage, app.scan_ms_max, 30)
    assert raises(Enough, run, app, never)
    assert app.reporter.overruns == [0, 0]


def test_a_round_goes_on_after_the_machine_was_cleared():
    stage = play(stories.start() + stories.shuffle(52))
    stage.run(3000)
    crash(stage, "RuntimeError")
    stage.until("warning_latched", 5000)
    clear_by_hand(stage)
    stage.play(stories.round_of(1))
    check_stage(stage)
    assert "round_ended" in stage.names()
