"""Take in what arrives on the link: one message a scan, handed to the part of the device that it concerns."""

from micropython import const

from firmware.link.admission import (
    COMMAND_END,
    COMMAND_FIRST,
    REFUSE_ROLE,
    RX_BYTES,
    link_receive,
    link_refuse,
)
from firmware.link.report import RESEND_MS
from firmware.protocol import ids
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.link.report import Reporter

LEAVE_MS = const(1)  # a scan that has taken so long leaves the message; up to one more, as the clock has whole ms


def dispatch_receive(reporter: "Reporter", now_ms: int, busy: bool) -> int:
    """Take one message of what has arrived. Returns 0 if there was one, or may be more.

    A message takes as long as a scan. A long scan, or one that has a frame to send, leaves the message to the next
    scan, which comes at once; never twice, or scans that are all busy would keep every message out."""
    link = reporter.link
    if link.rx_at >= link.rx_size:
        link.rx_at = 0
        link.rx_size = link.hal.link_readinto(link.rx)
        if not link.rx_size:
            reporter.left = False
            return FOREVER_MS
    reporter.left = not reporter.left and (busy or ticks_diff(link.hal.ticks_ms(), now_ms) >= LEAVE_MS)
    if reporter.left:
        return 0
    message = link_receive(link, now_ms)
    if message:
        reporter.due_ms = now_ms
        _handle(reporter, message, now_ms)
    return 0 if message or link.rx_at < link.rx_size or link.rx_size == RX_BYTES else FOREVER_MS


def _handle(reporter: "Reporter", message: int, now_ms: int) -> None:
    link = reporter.link
    values = link.values
    role = link.session.role
    reads = role == ids.ROLE_OBSERVER or role == ids.ROLE_AUDITOR
    if message == ids.EVENT_ACK:
        # Ignore acknowledgements of events that were never sent, and old ones. A role that reads acknowledges nothing:
        # the events wait for the host that stores them.
        if reporter.seq_received < values[0] < reporter.seq_next and not reads:
            reporter.seq_received = values[0]
            reporter.resend_ms = RESEND_MS
            reporter.moved_ms = now_ms
    elif message == ids.DICTIONARY_GET:
        reporter.queries.line = values[0]
    elif message == ids.SEED_GET and role == ids.ROLE_AUDITOR:
        reporter.queries.seed = True
    elif message == ids.JOURNAL_GET:
        reporter.queries.record = values[0]
    elif message == ids.JOURNAL_SIGN:
        reporter.queries.ask_signature(link)
    elif message == ids.KEY_INSTALL or message == ids.KEY_ROTATE:
        reporter.queries.service.receive(message)
    elif message == ids.TIME_SET and not reads:
        reporter.time_values[0] = values[0]
        reporter.time_set = True
    elif message == ids.NONCE and reporter.drawing and reporter.drawing.receive(values, now_ms):
        pass
    elif message == ids.DIAGNOSE or message == ids.SHOT:
        if role != ids.ROLE_SERVICE or not reporter.diagnose(message):
            link_refuse(link, REFUSE_ROLE)
    elif COMMAND_FIRST <= message < COMMAND_END:
        reporter.runner.receive(role, message, values, link.reader)
    elif message != ids.HELLO or link.reader.buf[1] & ids.FLAG_KEYED:  # report.py answers a clear hello
        link_refuse(link, REFUSE_ROLE)
