"""What the device says and in which order: answers to hello, recorded events, results of commands, status, counters.

Events are read from the journal, and there is no queue. What is not on record cannot be sent, and what the host has
not acknowledged is sent again, after a reconnect or a reboot too (0002).
Acknowledgements count at once for what is sent, and are recorded when no card moves: that is a storage write.
"""

from micropython import const

from firmware.link.admission import (
    REFUSE_KINDS,
    link_alive,
    link_begin,
    link_exhausted,
    link_finish,
    link_flush,
    link_reset,
    link_send,
    link_send_bytes,
)
from firmware.link.handshake import HELLO_IGNORED, handshake_answer
from firmware.link.status import STATUS_SIZE
from firmware.machines.meters import METER_CYCLES, METER_THROAT_US
from firmware.protocol import ids
from firmware.protocol.codec import VALUES_MAX
from firmware.protocol.frame import DROP_KINDS
from firmware.protocol.session import SEQUENCE_MAX, SEQUENCE_WARN
from firmware.ticks import ticks_add, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Protocol

    from firmware.journal.store import Journal
    from firmware.link.admission import Link
    from firmware.link.commands import CommandRunner
    from firmware.link.handshake import Handshake
    from firmware.link.queries import Queries

    class Drawing(Protocol):
        """firmware/drawing.py, seen from here."""

        def receive(self, values: "list[int]", now_ms: int) -> bool: ...


WINDOW = const(8)  # events on their way without an acknowledgement
RESEND_MS = const(1000)
RESEND_MS_MAX = const(8000)
STATUS_MS = const(500)
# A host that acts on a result needs the state after it. Not at once: one that answers every status with a command would
# fill the line.
STATUS_SOON_MS = const(20)
COUNTERS_MS = const(10000)
_WEAR_DUE = const(2)
DUE_MS_MAX = const(60000)
HELLO_MS = const(100)  # answers are this far apart: each costs a nonce and two HMACs, and every host can ask


class Reporter:
    """Everything that is due on the link."""

    def __init__(
        self, link: "Link", journal: "Journal", runner: "CommandRunner", handshake: "Handshake", queries: "Queries"
    ) -> None:
        self.link = link
        self.journal = journal
        self.runner = runner
        self.handshake = handshake
        self.queries = queries
        self.drawing: "Drawing | None" = None  # takes the table's nonces; by the app, if the machine shuffles
        self.session_number = link.session.number
        self.hello_ms = 0  # when one was answered last
        self.hello_paced = False  # that was only just now; latched off, since times wrap
        self.host_seen = False
        self.seq_next = journal.seq_acked + 1
        self.seq_received = journal.seq_acked  # acknowledged by the host, perhaps not yet recorded
        self.seq_top = journal.seq_acked  # highest ever sent, to mark repeats
        self.unread = False  # the next event could not be read, because storage does not answer
        self.resend_ms = RESEND_MS
        self.resent = 0
        self.moved_ms = 0  # when the last event was sent or acknowledged
        self.due_ms = link.hal.ticks_ms()  # when report_send has to look again, new events and states apart
        self.status_due = False
        self.status_ms = 0
        self.left = False  # a message was left to the next scan, which must take it
        self.status_sent = False  # a status has just gone out: meters and counters may follow
        self.status = bytearray(STATUS_SIZE)  # the body of the last one, state first
        self.fill_status: "Callable[[int], None]"  # set by the app
        self.diagnose: "Callable[[int], bool]"  # set by the app
        self.counters_due = False
        self.counters_ms = 0
        self.health_due = False
        self.meters_due = 0  # 1: meters, and wear after it; 2: wear
        self.meters = [0] * VALUES_MAX  # as they were after the last job
        self.utc_s = 0  # now, if a host has set the clock
        self.time_due = False
        self.time_set = False  # time_values hold a new time, for the app to take over
        self.time_values = [0] * 3
        self.overruns = [0, 0]  # scans that took too long while something moved, and the longest in ms
        self.ending_sent = False
        self.scratch = [0] * VALUES_MAX


def report_due(reporter: Reporter, state: int, now_ms: int) -> int:
    """In how many milliseconds report_send has something to do; 0: now."""
    if (
        reporter.seq_next <= reporter.journal.seq_last
        and reporter.seq_next - reporter.seq_received <= WINDOW
        and not reporter.unread
    ):
        return 0
    writer = reporter.link.writer
    if writer.sent < writer.end or reporter.runner.result_due or reporter.time_due or reporter.status[0] != state:
        return 0
    left_ms = ticks_diff(reporter.due_ms, now_ms)
    return left_ms if left_ms > 0 else 0


def report_send(reporter: Reporter, now_ms: int) -> int:
    """Finish the frame under way, or build the next one that is due: one a scan, for each costs as much as a scan.

    Returns when to come back."""
    if not reporter.link.writer.busy() and not _next_frame(reporter, now_ms):
        left_ms = _wake(reporter, now_ms)
        reporter.due_ms = ticks_add(now_ms, left_ms)
        return left_ms
    reporter.due_ms = now_ms  # what was sent may have to be sent again: look once more when it is out
    return 0 if link_flush(reporter.link) else 1


def report_acknowledge(reporter: Reporter) -> bool:
    """Record the newest acknowledgement, if there is one. Only while no card moves."""
    journal = reporter.journal
    return reporter.seq_received > journal.seq_acked and journal.acknowledge(reporter.seq_received)


def _next_frame(reporter: Reporter, now_ms: int) -> bool:
    """Build the most urgent frame that is due; False if there is none."""
    link = reporter.link
    if reporter.queries.service.ended():
        link_reset(link)
    if reporter.hello_paced and ticks_diff(now_ms, reporter.hello_ms) >= HELLO_MS:
        reporter.hello_paced = False
    if link.hello_role >= 0 and not reporter.hello_paced:
        reporter.hello_ms = now_ms
        reporter.hello_paced = True
        if handshake_answer(reporter.handshake, reporter.seq_received, now_ms) != HELLO_IGNORED:
            return True
    session = link.session
    if session.number != reporter.session_number:
        _start_over(reporter)
    if link_exhausted(session):
        # Nothing but a new session can help; the dictionary is outside of all of them.
        return reporter.queries.line >= 0 and reporter.queries.tell_line(link)
    if session.sent >= SEQUENCE_WARN and not reporter.ending_sent:
        reporter.ending_sent = True
        reporter.scratch[0] = SEQUENCE_MAX - session.sent
        link_send(link, session, ids.CLASS_DIAGNOSTIC, ids.SESSION_ENDING, reporter.scratch)
        return True
    runner = reporter.runner
    if runner.result_due:
        runner.result_due = False
        if session.role == runner.result_for:  # if not, its host repeats the number and gets the stored answer
            link_send(link, session, ids.CLASS_RESPONSE, ids.RESULT, runner.result)
            reporter.status_ms = ticks_add(now_ms, STATUS_SOON_MS - STATUS_MS)
            return True
    if reporter.time_due:
        reporter.time_due = False
        link_send(link, session, ids.CLASS_TIME, ids.TIME_IS, reporter.time_values)
        return True
    if reporter.queries.answer_private(link):
        return True
    # Every host may ask for the dictionary, so it comes last: a flood of requests must not delay anything else.
    if _next_event(reporter, now_ms) or _next_telemetry(reporter, now_ms):
        return True
    return reporter.queries.answer_public(link, reporter.utc_s)


def _start_over(reporter: Reporter) -> None:
    """Begin a new session with the first event that is not acknowledged."""
    reporter.session_number = reporter.link.session.number
    reporter.host_seen = True
    reporter.ending_sent = False
    reporter.seq_next = reporter.seq_received + 1
    reporter.resend_ms = RESEND_MS
    reporter.status_due = True
    reporter.counters_due = True
    reporter.meters_due = 1


def _next_event(reporter: Reporter, now_ms: int) -> bool:
    waiting = reporter.seq_next - reporter.seq_received - 1
    if waiting and ticks_diff(now_ms, reporter.moved_ms) >= reporter.resend_ms:
        # From the first one on: a host takes events in order only, and drops those behind a gap.
        reporter.seq_next = reporter.seq_received + 1
        reporter.resend_ms = min(reporter.resend_ms * 2, RESEND_MS_MAX)
        waiting = 0
    if reporter.seq_next > reporter.journal.seq_last or waiting >= WINDOW:
        return False
    if reporter.unread and ticks_diff(now_ms, reporter.moved_ms) < RESEND_MS:
        return False
    reporter.moved_ms = now_ms
    reporter.unread = not _event(reporter, reporter.seq_next)
    if reporter.unread:
        return False
    reporter.seq_next += 1
    return True


def _event(reporter: Reporter, seq: int) -> bool:
    """False if storage does not answer. Reported as damaged, an event would be acknowledged and lost."""
    journal = reporter.journal
    message = journal.load(seq)
    if not message:
        if not journal.given:
            return False
        # Send record_damaged in its place, so that the host can continue and sees the gap.
        message = ids.EV_RECORD_DAMAGED
        journal.blank(seq)
    link = reporter.link
    link_begin(link, link.session, ids.CLASS_EVENT, message)
    if seq <= reporter.seq_top:
        reporter.resent += 1
        link.writer.body[1] |= ids.FLAG_AGAIN
    else:
        reporter.seq_top = seq
    link.writer.put(journal.payload())
    link_finish(link, link.session)
    return True


def _next_telemetry(reporter: Reporter, now_ms: int) -> bool:
    if not reporter.host_seen:
        return False
    link = reporter.link
    link_alive(link, now_ms)
    session = link.session
    if reporter.status_due or ticks_diff(now_ms, reporter.status_ms) >= STATUS_MS:
        reporter.status_due = False
        reporter.status_ms = now_ms
        reporter.fill_status(now_ms)
        reporter.status_sent = True
        return link_send_bytes(link, ids.CLASS_TELEMETRY, ids.STATUS, reporter.status)
    # Only right after a status: a frame of its own would go out at whatever scan comes first after it is due, and when
    # scans happen depends on the cards.
    if not reporter.status_sent:
        return False
    if reporter.meters_due:
        if reporter.meters_due != _WEAR_DUE:
            reporter.meters_due = _WEAR_DUE
            link_send(link, session, ids.CLASS_TELEMETRY, ids.METERS, reporter.meters)
            return True
        reporter.meters_due = 0
        reporter.scratch[0] = reporter.meters[METER_CYCLES]
        reporter.scratch[1] = reporter.meters[METER_THROAT_US]
        link_send(link, session, ids.CLASS_TELEMETRY, ids.WEAR, reporter.scratch)
        return True
    if reporter.health_due:
        reporter.health_due = False
        link_send(link, session, ids.CLASS_TELEMETRY, ids.HEALTH, reporter.overruns)
        return True
    if reporter.counters_due or ticks_diff(now_ms, reporter.counters_ms) >= COUNTERS_MS:
        reporter.counters_due = False
        reporter.counters_ms = now_ms
        reporter.health_due = True
        _fill_counters(reporter)
        link_send(link, session, ids.CLASS_DIAGNOSTIC, ids.LINK_COUNTERS, reporter.scratch)
        return True
    reporter.status_sent = False
    return False


def _fill_counters(reporter: Reporter) -> None:
    values = reporter.scratch
    link = reporter.link
    values[0] = link.reader.good
    for i in range(DROP_KINDS):
        values[1 + i] = link.reader.drops[i]
    for i in range(REFUSE_KINDS):
        values[1 + DROP_KINDS + i] = link.refused[i]
    values[1 + DROP_KINDS + REFUSE_KINDS] = reporter.resent


def _wake(reporter: Reporter, now_ms: int) -> int:
    """When the next timed frame is due. Without min(), which costs as much as a call."""
    wake_ms = DUE_MS_MAX
    if reporter.hello_paced:
        wake_ms = HELLO_MS - ticks_diff(now_ms, reporter.hello_ms)
    if reporter.unread or reporter.seq_next - 1 > reporter.seq_received:
        left_ms = (RESEND_MS if reporter.unread else reporter.resend_ms) - ticks_diff(now_ms, reporter.moved_ms)
        if left_ms < wake_ms:
            wake_ms = left_ms
    if reporter.host_seen and not link_exhausted(reporter.link.session):
        left_ms = STATUS_MS - ticks_diff(now_ms, reporter.status_ms)
        if left_ms < wake_ms:
            wake_ms = left_ms
    return wake_ms if wake_ms > 0 else 0
