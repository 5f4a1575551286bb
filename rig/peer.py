"""The other end of the link, in process: reads what the device sends, acknowledges events, keeps them by name."""

from firmware.protocol import ids
from firmware.protocol.codec import VALUES_MAX, codec_table, is_event, pack, prefix_codes, unpack
from firmware.protocol.frame import HEADER_SIZE, FrameReader, FrameWriter, frame_message


class Event:
    """A decoded event: its name, sequence number, round and integer fields in table order."""

    def __init__(self, name: str, seq: int, round_number: int, fields: "list[int]") -> None:
        self.name = name
        self.seq = seq
        self.round = round_number
        self.fields = fields


class Peer:
    """Says hello once, then acknowledges every event when it has kept it."""

    def __init__(self) -> None:
        self.codes = codec_table()
        self.prefix = prefix_codes()
        self.names = {message: spec.split()[0] for message, _kind, spec in ids.MESSAGES}
        self.reader = FrameReader()
        self.writer = FrameWriter()
        self.values = [0] * VALUES_MAX
        self.events: "list[Event]" = []
        self.seq_last = 0
        self.repeats = 0
        self.gaps = 0
        self.statuses = 0
        self.acknowledges = True
        self.status = [0] * VALUES_MAX

    def hello(self) -> bytes:
        return self._frame(ids.CLASS_HANDSHAKE, ids.HELLO, [ids.VERSION, 1])

    def feed(self, data: bytearray) -> bytes:
        """Take what the device sent; returns what to send back."""
        answer = b""
        at = 0
        while at < len(data):
            at = self.reader.push(data, at, len(data))
            if self.reader.size:
                answer += self._handle()
        return answer

    def _handle(self) -> bytes:
        frame = self.reader.buf
        message = frame_message(frame)
        if message == ids.STATUS:
            self.statuses += 1
            unpack(frame, HEADER_SIZE, self.codes[message], self.status)
        if not is_event(message):
            return b""
        at = unpack(frame, HEADER_SIZE, self.prefix, self.values)
        seq = self.values[0]
        round_number = self.values[5]
        unpack(frame, at, self.codes[message], self.values)
        if seq <= self.seq_last:
            self.repeats += 1
        else:
            if seq != self.seq_last + 1:
                self.gaps += 1
                return b""
            self.seq_last = seq
            fields = self.values[: len([code for code in self.codes[message] if code != 8])]
            self.events.append(Event(self.names[message], seq, round_number, fields))
        return self._frame(ids.CLASS_ACK, ids.EVENT_ACK, [self.seq_last]) if self.acknowledges else b""

    def _frame(self, kind: int, message: int, values: "list[int]") -> bytes:
        writer = self.writer
        writer.begin(kind, message, 0, 0)
        writer.at = pack(writer.body, writer.at, self.codes[message], values, b"")
        writer.finish()
        return bytes(writer.wire[: writer.end])
