"""The other end of the link, in process: says hello, acknowledges events when it has kept them, gives commands."""

from hashlib import sha256

from firmware.digest import differ
from firmware.protocol import ids, table
from firmware.protocol.codec import TYPE_RAW, VALUES_MAX, codec_table, is_event, pack, prefix_codes, unpack
from firmware.protocol.frame import (
    CRC_SIZE,
    HEADER_SIZE,
    FrameReader,
    FrameWriter,
    frame_message,
    frame_sequence,
    frame_session,
)
from firmware.protocol.session import (
    FROM_DEVICE,
    FROM_HOST,
    MAC_SIZE,
    NONCE_SIZE,
    Session,
    role_key,
    session_hmac,
    session_open,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.digest import Hmac

_NONCE_AT = HEADER_SIZE + 2
_SEQ_FIRST = 6  # among the integers of a welcome


class Event:
    """A decoded event: its name, sequence number, round and integer fields in table order."""

    def __init__(self, name: str, seq: int, round_number: int, fields: "list[int]") -> None:
        self.name = name
        self.seq = seq
        self.round = round_number
        self.fields = fields


class Peer:
    """A host. With a key and a role its session is keyed, and it ignores frames without a MAC."""

    def __init__(self, key: bytes = b"", role: int = ids.ROLE_CLEAR) -> None:
        self.key = key
        self.spare_key = b""  # for a device whose key is being replaced: it has one or the other
        self.role = role
        self.codes = codec_table()
        self.prefix = prefix_codes()
        self.names = {message: spec.split()[0] for message, _kind, spec in table.MESSAGES}
        self.reader = FrameReader()
        self.writer = FrameWriter()
        self.values = [0] * VALUES_MAX
        self.session = Session()
        self.nonce = bytes(NONCE_SIZE)
        self.hellos = 0
        self.welcomes = 0
        self.refusals: "list[int]" = []
        self.events: "list[Event]" = []
        self.results: "list[list[int]]" = []
        self.messages: "dict[str, list[int]]" = {}  # the newest of each other kind
        self.seeds: "list[bytes]" = []  # bodies of every seed_is
        self.seq_last = 0
        self.repeats = 0
        self.altered = 0  # repeats that were not the same as the first time
        self.payloads: "dict[int, bytes]" = {}
        self.gaps = 0
        self.ahead = 0  # the newest event seen before its turn: the device has to send it again
        self.disbelieved = 0
        self.acknowledges = True
        self.share = -1  # its answer to commitments: NONCE_GIVEN, _DECLINED, or none: NONCE_LATE; -1: it never asks
        self.valid = 0  # frames that belong to the session
        self.frames: "list[bytes] | None" = None  # a list keeps every good frame

    def hello(self) -> bytes:
        self.hellos += 1
        self.nonce = bytes((self.hellos + i * 7) & 0xFF for i in range(NONCE_SIZE))
        lobby = Session()
        return self.frame(lobby, ids.CLASS_HANDSHAKE, ids.HELLO, [ids.VERSION, self.role], self.nonce)

    def command(self, op: int, message: int, argument: int = 0, a: int = 0, b: int = 0) -> bytes:
        return self.frame(self.session, ids.CLASS_COMMAND, message, [op, argument, a, b])

    def forged(self, message: int) -> bytes:
        """A command of this session by a stranger: without the key its MAC is wrong, or there is none."""
        session = Session()
        session.number = self.session.number
        session.sent = self.session.sent
        if self.session.hmac:
            key = role_key(bytes(NONCE_SIZE * 2), self.role)
            session.hmac = session_hmac(key, ids.VERSION, session.number, self.nonce, self.nonce)
        return self.frame(session, ids.CLASS_COMMAND, message, [1, 0, 0, 0])

    def ask_share(self) -> bytes:
        """Ask to give a nonce to each shuffle of this session, if it is to."""
        return self.nonce_frame(ids.NONCE_ASKED, 0, b"") if self.share >= 0 else b""

    def nonce_frame(self, share: int, seq: int, nonce: bytes) -> bytes:
        return self.frame(self.session, ids.CLASS_DIAGNOSTIC, ids.NONCE, [share, seq], nonce)

    def feed(self, data: bytearray) -> bytes:
        """Take what the device sent; returns what to send back."""
        answer = b""
        at = 0
        while at < len(data):
            at = self.reader.push(data, at, len(data))
            if self.reader.size:
                if self.frames is not None:
                    self.frames.append(bytes(self.reader.buf[: self.reader.size]))
                answer += self._handle()
        return answer

    def frame(self, session: Session, kind: int, message: int, values: "list[int]", text: bytes = b"") -> bytes:
        writer = self.writer
        flags = ids.FLAG_KEYED if session.hmac else 0
        writer.begin(kind, flags, message, session.number, session.sent)
        session.sent = session.sent + 1 & 0xFFFF
        writer.at = pack(writer.body, writer.at, self.codes[message], values, text)
        if session.hmac:
            mac = session.hmac.digest(FROM_HOST, writer.views.first(writer.at))
            for i in range(MAC_SIZE):
                writer.body[writer.at + i] = mac[i]
            writer.at += MAC_SIZE
        writer.finish()
        return bytes(writer.wire[: writer.end])

    def _handle(self) -> bytes:
        frame = self.reader.buf
        message = frame_message(frame)
        codes = self.codes[message]
        if message == ids.WELCOME:
            return self._welcome(frame, codes)
        if message not in (ids.REFUSED, ids.DICTIONARY_LINE):
            if frame_session(frame) != self.session.number:
                return b""
            if self.role != ids.ROLE_CLEAR and not self._believe(self.session.hmac, frame, self.session.number):
                return b""
            self.session.received = frame_sequence(frame)
            self.valid += 1
        if is_event(message):
            return self._event(frame, message, codes)
        unpack(frame, HEADER_SIZE, codes, self.values)
        count = len([code for code in codes if code < TYPE_RAW])
        self.messages[self.names[message]] = self.values[:count]
        if message == ids.RESULT:
            self.results.append(self.values[:5])
        elif message == ids.SEED_IS:
            self.seeds.append(bytes(frame[HEADER_SIZE : self.reader.size - CRC_SIZE - MAC_SIZE]))
        elif message == ids.REFUSED:
            self.refusals.append(self.values[0])
        return b""

    def _welcome(self, frame: bytearray, codes: bytes) -> bytes:
        """Open the session it offers, if it answers our hello and proves the key."""
        unpack(frame, HEADER_SIZE, codes, self.values)
        number = frame_session(frame)
        device_nonce = bytes(frame[_NONCE_AT : _NONCE_AT + NONCE_SIZE])
        if bytes(frame[_NONCE_AT + NONCE_SIZE : _NONCE_AT + 2 * NONCE_SIZE]) != self.nonce:
            self.disbelieved += 1
            return b""
        if self.role == ids.ROLE_CLEAR:
            self._open(number, None)
            return b""
        for key in (self.key, self.spare_key):
            hmac = session_hmac(role_key(key, self.role), ids.VERSION, number, self.nonce, device_nonce)
            if key and self._believe(hmac, frame, number):
                self._open(number, hmac)
                # Anything keyed proves that we hold the key; an acknowledgement of nothing does no harm.
                return self.frame(self.session, ids.CLASS_ACK, ids.EVENT_ACK, [0]) + self.ask_share()
        return b""

    def _open(self, number: int, hmac: "Hmac | None") -> None:
        session_open(self.session, number, self.role, hmac, 0)
        # What another host has acknowledged is not ours to wait for.
        self.seq_last = max(self.seq_last, self.values[_SEQ_FIRST] - 1)
        self.welcomes += 1
        self.valid += 1

    def _believe(self, hmac: "Hmac | None", frame: bytearray, number: int) -> bool:
        signed = self.reader.size - CRC_SIZE - MAC_SIZE
        if (
            hmac is None
            or not frame[1] & ids.FLAG_KEYED
            or frame_session(frame) != number
            or (hmac is self.session.hmac and frame_sequence(frame) <= self.session.received)
            or differ(hmac.digest(FROM_DEVICE, self.reader.views.first(signed)), frame, signed, MAC_SIZE)
        ):
            self.disbelieved += 1
            return False
        return True

    def _event(self, frame: bytearray, message: int, codes: bytes) -> bytes:
        at = unpack(frame, HEADER_SIZE, self.prefix, self.values)
        seq = self.values[0]
        round_number = self.values[5]
        if seq > self.seq_last + 1:
            self.gaps += 1
            self.ahead = max(self.ahead, seq)
            return b""
        end = self.reader.size - CRC_SIZE - (MAC_SIZE if frame[1] & ids.FLAG_KEYED else 0)
        payload = bytes(frame[2:4]) + bytes(frame[HEADER_SIZE:end])
        if seq <= self.seq_last:
            self.repeats += 1
            if self.payloads.get(seq, payload) != payload:
                self.altered += 1
        else:
            self.payloads[seq] = payload
            self.seq_last = seq
            unpack(frame, at, codes, self.values)
            fields = self.values[: len([code for code in codes if code < TYPE_RAW])]
            self.events.append(Event(self.names[message], seq, round_number, fields))
        answer = b""
        if message == ids.EV_SHUFFLE_COMMITTED and self.share in (ids.NONCE_GIVEN, ids.NONCE_DECLINED):
            answer = self.nonce_frame(self.share, seq, nonce_of(seq))
        if self.acknowledges:
            # A repeat is acknowledged by its own number: the device may have forgotten that it ever sent later ones.
            answer += self.frame(self.session, ids.CLASS_ACK, ids.EVENT_ACK, [seq])
        return answer


def nonce_of(seq: int) -> bytes:
    """The nonce that this host gives to a shuffle: the same in every run."""
    return sha256(b"%d" % seq).digest()
