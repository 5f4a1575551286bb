"""Answers while a deck is shuffled: at instants fixed by the clock, counted from the start of the shuffle.

When nothing moves in a shuffle depends on the order. A record written, or an answer sent, right then would reveal it;
one that waits for the result keeps a dealer waiting who settles the round of the other deck. So the device looks at
fixed instants, and only there, whether something waits: a command, a button, an event. If so, from that instant to the
next it says nothing new: it repeats the last status, and takes nothing from the link or the panel. Meanwhile it comes
to rest where it would wait for its axis anyway, does what waits, writes it with the time of the first instant, and goes
on. At the next instant it answers. Between the two nothing comes in and nothing new goes out, so that no host can
measure when the rest was. Instants are further apart than the machine ever needs to come to rest without a fault.

Rejected: a rest after a number of cards (its time depends on the order); an answer as soon as it is written (the same).
"""

from micropython import const

from firmware.games.pages import page_lines
from firmware.games.settling import tail_scan
from firmware.journal.outbox import OUTBOX_MAX
from firmware.link.admission import link_begin, link_exhausted, link_finish, link_flush
from firmware.link.report import STATUS_MS, report_due
from firmware.link.status import fill_elapsed
from firmware.machines.machine import JOB_DONE, JOB_RUNNING
from firmware.machines.panel import PRESS_KINDS
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS, ticks_add, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from firmware.games.flow import Flow
    from firmware.link.commands import CommandRunner

SCANS = const(6)  # of a rest: end_round is recorded, pressed, done, recorded again and answered in five

TALKING = const(0)
STOPPING = const(1)
RESTING = const(2)
WRITTEN = const(3)  # and quiet until the next instant


class Answers:
    """Of a machine that shuffles. Sole writer of Axis.hold."""

    def __init__(self, app: "Any") -> None:
        self.app = app
        self.state = TALKING
        self.begun_ms = 0  # when the shuffle began
        self.slot = 0  # the last instant
        self.due_ms = 0  # the next one
        self.rest_ms = 0
        self.left = 0  # scans of this rest
        self.uptime_s = 0  # of the instant
        self.uptime_ms = 0
        self.pressed = [0] * PRESS_KINDS  # before the instant

    def scan(self, now_ms: int) -> int:
        """The share of link and storage in a scan of a shuffle. Returns in how many ms to run again.

        Every scan while cards move comes here: without min() and without a call more than it needs."""
        app = self.app
        flow = app.flow
        left_ms = ticks_diff(self.due_ms, now_ms)
        if left_ms <= 0 or self.begun_ms != flow.entered_ms:
            left_ms = self._count(flow, now_ms)
        if self.state:
            next_ms = min(self._rest(now_ms), self._beat(now_ms))
        else:
            # A frame that is due goes out before anything is taken. Otherwise it would depend on the edges of cards,
            # for which a frame waits, how many messages are taken before it.
            next_ms = report_due(app.reporter, flow.shown, now_ms)
            if next_ms > 0:
                next_ms = app.talk(now_ms, next_ms)
            else:
                app.frame(now_ms, app.eventful)
                next_ms = 1 if app.link.writer.busy() else 0
        return next_ms if next_ms < left_ms else left_ms

    def _count(self, flow: "Flow", now_ms: int) -> int:
        """An instant is over: in how many milliseconds the next one is."""
        every_ms = flow.machine.answer_ms
        since_ms = ticks_diff(now_ms, flow.entered_ms)
        self.slot = since_ms // every_ms
        self.begun_ms = flow.entered_ms
        late_ms = since_ms - self.slot * every_ms
        self.due_ms = ticks_add(now_ms, every_ms - late_ms)
        self._instant(late_ms)
        return every_ms - late_ms

    def _instant(self, late_ms: int) -> None:
        app = self.app
        flow = app.flow
        if not self.slot:
            self.state = TALKING
        elif self.state:
            if self.state != WRITTEN:
                return  # a fault holds the machine up: the answer waits for the next instant
            self.state = TALKING
            flow.panel.clear()  # made without an answer to the one before: most often the same again
            app.reporter.status_due = app.reporter.host_seen
        elif flow.outbox.count or _waits(app.runner) or (flow.tail and sum(flow.panel.pressed)):
            self._stop(late_ms)
        if flow.page_due:
            flow.redraw(False)
            app.hal.show(page_lines(flow))

    def _stop(self, late_ms: int) -> None:
        """Something waits. What is pressed or sent from now on is for the next time."""
        flow = self.app.flow
        self.state = STOPPING
        self.left = SCANS
        self.uptime_s = flow.outbox.uptime_s
        self.uptime_ms = flow.outbox.uptime_ms - late_ms
        while self.uptime_ms < 0:  # bounded by the time between two instants
            self.uptime_ms += 1000
            self.uptime_s -= 1
        _copy(self.pressed, flow.panel.pressed)
        flow.machine.axis.hold = flow.machine.state == JOB_RUNNING
        flow.machine.axis.held = False

    def _beat(self, now_ms: int) -> int:
        """The status goes on, as it was at the instant: a host must not take silence for a lost line."""
        reporter = self.app.reporter
        link = reporter.link
        session = link.session
        if not link_flush(link):
            return 1
        left_ms = STATUS_MS - ticks_diff(now_ms, reporter.status_ms)
        if not reporter.host_seen or link_exhausted(session):
            return FOREVER_MS
        if left_ms <= 0:
            reporter.status_ms = now_ms
            fill_elapsed(reporter.status, self.app.flow, now_ms)
            link_begin(link, session, ids.CLASS_TELEMETRY, ids.STATUS)
            link.writer.put(reporter.status)
            link_finish(link, session)
            return 0
        return left_ms

    def _rest(self, now_ms: int) -> int:
        """Wait until the machine rests; then a few scans in which everything goes on as between rounds."""
        machine = self.app.flow.machine
        if self.state == STOPPING:
            if not machine.axis.held and machine.state != JOB_DONE:
                return FOREVER_MS
            self.state = RESTING
            self.rest_ms = now_ms
        if self.state == WRITTEN:
            return FOREVER_MS
        left_ms = machine.spec.rest_ms - ticks_diff(now_ms, self.rest_ms)
        if left_ms > 0:
            return left_ms  # what is left of a motion
        self._act(now_ms)
        self.left -= 1
        if not self.left:
            self.state = WRITTEN
            machine.axis.hold = False
        return 0

    def _act(self, now_ms: int) -> None:
        app = self.app
        flow = app.flow
        panel = flow.panel
        _copy(panel.pressed, self.pressed)
        if flow.tail:
            # In a shuffle GREEN ends no round that this machine has dealt: it has just started the shuffle.
            tail_scan(flow, app.out, flow.by_hand is not None, now_ms)
        app.runner.scan(now_ms)
        _copy(self.pressed, panel.pressed)
        outbox = flow.outbox
        for i in range(outbox.count):
            entry = outbox.entries[(outbox.first + i) % OUTBOX_MAX]
            entry.uptime_s = self.uptime_s
            entry.uptime_ms = self.uptime_ms
        app.recorder.record_all()
        app.recorder.refuse()


def _waits(runner: "CommandRunner") -> bool:
    """Whether a command waits for more than the end of this shuffle."""
    return runner.refused != 0 or (runner.role != 0 and runner.lanes.by_role[runner.role].command != ids.CMD_SHUFFLE)


def _copy(to: "list[int]", of: "list[int]") -> None:
    for i in range(PRESS_KINDS):
        to[i] = of[i]
