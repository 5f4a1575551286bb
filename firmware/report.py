"""The device's end of the link: receipts in, recorded events and status out, one frame at a time.

Events come from the journal, so whatever the host has not acknowledged is sent again, after a reconnect or a reboot
too. Acknowledgements count at once for what is sent, and are recorded when no card moves: that is a storage write.
"""

from micropython import const

from firmware.journal.store import PAYLOAD_AT
from firmware.protocol import ids
from firmware.protocol.codec import VALUES_MAX, pack, unpack
from firmware.protocol.frame import HEADER_SIZE, FrameReader, FrameWriter, frame_message
from firmware.ticks import FOREVER_MS, TICKS_MAX, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.journal.store import Journal
    from hal.api import Hal

WINDOW = const(8)  # events on their way without an acknowledgement
RESEND_MS = const(1000)
RESEND_MS_MAX = const(8000)
STATUS_MS = const(500)
RX_BYTES = const(64)  # per scan: bounds the time a flood of bytes can take


class Reporter:
    """Link state. The session starts with a host's hello; events flow without one as well."""

    def __init__(self, hal: "Hal", journal: "Journal", codes: "dict[int, bytes]", welcome: "list[int]", text: bytes):
        self.hal = hal
        self.journal = journal
        self.codes = codes
        self.reader = FrameReader()
        self.writer = FrameWriter()
        self.rx = bytearray(RX_BYTES)
        self.values = [0] * VALUES_MAX
        self.welcome = welcome  # version, nonce, device, boot, first and last event: in the order of the table
        self.welcome_text = text
        self.welcome_due = False
        self.host_seen = False
        self.link_sequence = 0
        self.seq_next = journal.seq_acked + 1
        self.seq_received = journal.seq_acked  # acknowledged by the host, perhaps not yet recorded
        self.resend_ms = RESEND_MS
        self.moved_ms = 0  # when the last event was sent or acknowledged
        self.status_due = False
        self.status_ms = 0
        self.status = [0] * VALUES_MAX


def report_receive(reporter: Reporter, now_ms: int) -> int:
    """Take at most RX_BYTES from the link. Returns 0 if there may be more."""
    size = reporter.hal.link_readinto(reporter.rx)
    at = 0
    while at < size:
        at = reporter.reader.push(reporter.rx, at, size)
        if reporter.reader.size:
            _handle(reporter, now_ms)
    return 0 if size == RX_BYTES else FOREVER_MS


def report_send(reporter: Reporter, now_ms: int) -> int:
    """Keep the link busy: finish the frame under way, then the next due one. Returns when to come back."""
    writer = reporter.writer
    while True:  # bounded: each turn sends a whole frame, and at most WINDOW + 2 are due
        if writer.busy():
            writer.sent += reporter.hal.link_write(writer.wire_view, writer.sent, writer.end)
            if writer.busy():
                return 1
        if not _next_frame(reporter, now_ms):
            return _wake(reporter, now_ms)


def report_acknowledge(reporter: Reporter) -> bool:
    """Record the newest acknowledgement, if there is one. Only while no card moves."""
    journal = reporter.journal
    return reporter.seq_received > journal.seq_acked and journal.acknowledge(reporter.seq_received)


def _handle(reporter: Reporter, now_ms: int) -> None:
    """A good frame: do what it asks. Unknown messages are for newer firmware and are passed over."""
    frame = reporter.reader.buf
    message = frame_message(frame)
    values = reporter.values
    if message == ids.HELLO:
        unpack(frame, HEADER_SIZE, reporter.codes[message], values)
        reporter.welcome[1] = values[1] & TICKS_MAX
        reporter.welcome_due = True
        reporter.host_seen = True
        reporter.seq_next = reporter.seq_received + 1
        reporter.resend_ms = RESEND_MS
    elif message == ids.EVENT_ACK:
        unpack(frame, HEADER_SIZE, reporter.codes[message], values)
        # An acknowledgement of what was never sent is nobody's business; an old one changes nothing.
        if reporter.seq_received < values[0] < reporter.seq_next:
            reporter.seq_received = values[0]
            reporter.resend_ms = RESEND_MS
            reporter.moved_ms = now_ms


def _next_frame(reporter: Reporter, now_ms: int) -> bool:
    """Build the most urgent frame that is due; False if there is none."""
    journal = reporter.journal
    if reporter.welcome_due:
        reporter.welcome_due = False
        reporter.welcome[4] = reporter.seq_received + 1
        reporter.welcome[5] = journal.seq_last
        _message(reporter, ids.CLASS_HANDSHAKE, ids.WELCOME, reporter.welcome, reporter.welcome_text)
        reporter.status_due = True
        return True
    waiting = reporter.seq_next - reporter.seq_received - 1
    if waiting and ticks_diff(now_ms, reporter.moved_ms) >= reporter.resend_ms:
        reporter.seq_next = reporter.seq_received + 1
        reporter.resend_ms = min(reporter.resend_ms * 2, RESEND_MS_MAX)
        waiting = 0
    if reporter.seq_next <= journal.seq_last and waiting < WINDOW:
        _event(reporter, reporter.seq_next)
        reporter.seq_next += 1
        reporter.moved_ms = now_ms
        return True
    if reporter.host_seen and (reporter.status_due or ticks_diff(now_ms, reporter.status_ms) >= STATUS_MS):
        reporter.status_due = False
        reporter.status_ms = now_ms
        _message(reporter, ids.CLASS_TELEMETRY, ids.STATUS, reporter.status, b"")
        return True
    return False


def _wake(reporter: Reporter, now_ms: int) -> int:
    wake_ms = FOREVER_MS
    if reporter.seq_next - 1 > reporter.seq_received:
        wake_ms = reporter.resend_ms - ticks_diff(now_ms, reporter.moved_ms)
    if reporter.host_seen:
        wake_ms = min(wake_ms, STATUS_MS - ticks_diff(now_ms, reporter.status_ms))
    return max(wake_ms, 0)


def _event(reporter: Reporter, seq: int) -> None:
    journal = reporter.journal
    message = journal.load(seq)
    writer = reporter.writer
    _begin(reporter, ids.CLASS_EVENT, message)
    size = journal.payload_size()
    for i in range(size):
        writer.body[writer.at + i] = journal.buf[PAYLOAD_AT + i]
    writer.at += size
    writer.finish()


def _message(reporter: Reporter, kind: int, message: int, values: "list[int]", text: bytes) -> None:
    writer = reporter.writer
    _begin(reporter, kind, message)
    writer.at = pack(writer.body, writer.at, reporter.codes[message], values, text)
    writer.finish()


def _begin(reporter: Reporter, kind: int, message: int) -> None:
    reporter.writer.begin(kind, message, 0, reporter.link_sequence)
    reporter.link_sequence = (reporter.link_sequence + 1) & 0xFFFF
