"""The device's link: which host may send what. Frames in, checked against session, MAC, sequence and role; frames out,
sealed.

A hello alone changes nothing for a keyed session that is alive: the new session takes over only with its first message
that proves knowledge of the key. So without the key an attacker cannot take the link from a host, acknowledge an event
or give a command. Refused frames are counted by reason.
"""

from micropython import const

from firmware.digest import differ
from firmware.protocol import ids
from firmware.protocol.codec import VALUES_MAX, pack, pack_numbers, packed_size, unpack
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
    SEQUENCE_MAX,
    Session,
    role_key,
    session_heard,
    session_hmac,
    session_open,
)
from firmware.ticks import ticks_add, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Hal

RX_BYTES = const(64)  # per scan: bounds the time a flood of bytes can take
OFFERS = const(3)  # sessions that wait for their proof
OFFER_MS = const(300)  # so long a new hello cannot push one aside: time for a proof to arrive
ALIVE_MS = const(10000)  # a keyed session unheard for this long may be replaced by a clear one
GUESSES_MAX = const(3)
BACKOFF_MS = const(1000)
BACKOFF_MS_MAX = const(4000)  # a MAC of 128 bits needs no more, and longer would let anyone lock hosts out

REFUSE_SESSION = const(0)
REFUSE_MAC = const(1)
REFUSE_REPLAY = const(2)
REFUSE_CLEAR = const(3)  # asks for something only a keyed session may
REFUSE_ROLE = const(4)
REFUSE_MALFORMED = const(5)
REFUSE_UNKNOWN = const(6)
REFUSE_KINDS = const(7)

HELLO_NONCE_AT = const(10)  # header 8, version_max, role
COMMAND_FIRST = const(512)
COMMAND_END = const(768)
# Open to every host, in or out of a session; keys are authenticated in another way: service.py.
_OPEN = (ids.DICTIONARY_GET, ids.KEY_INSTALL, ids.KEY_ROTATE)
_JOURNAL = (ids.JOURNAL_GET, ids.JOURNAL_SIGN)
_RANK = b"\x00\x01\x03\x03\x01\x02"  # by role; 0: without a key, 1: reads, 2: acknowledges, 3: gives commands
_COMMAND_CODES = b"\x04"  # the operation number, which every command has


class Link:
    """Reader, writer, the session in force and those on offer, which still have to prove themselves."""

    def __init__(self, hal: "Hal", codes: "dict[int, bytes]", key: bytes, clear_ack: bool) -> None:
        self.hal = hal
        self.codes = codes
        self.key = key
        self.clear_ack = clear_ack
        self.reader = FrameReader()
        self.writer = FrameWriter()
        self.service = False  # the key switch is on: this is the service port
        self.rx = bytearray(RX_BYTES)
        self.rx_at = 0
        self.rx_size = 0
        self.values = [0] * VALUES_MAX
        self.session = Session()
        self.offers = [Session() for _ in range(OFFERS)]
        self.lobby = Session()  # clear, number 0: for refusals and the dictionary, whatever else is in force
        self.refused = [0] * REFUSE_KINDS
        self.host_nonce = b""
        self.device_nonce = b""
        self.hello_role = -1  # a hello waits for its answer
        self.hello_version = 0
        self.guesses = 0
        self.backoff_ms = 0
        self.backoff_until_ms = 0
        self.backing_off = False


def link_reset(link: Link) -> None:
    """Forget the host on the line, with its sessions and unfinished frames."""
    link.session = Session()
    for i in range(OFFERS):
        link.offers[i].hmac = None
    link.reader.fill = 0
    link.writer.end = link.writer.sent
    link.rx_at = link.rx_size
    link.hello_role = -1


def link_receive(link: Link, now_ms: int) -> int:
    """Go on to the end of the next frame in what was taken, rx[rx_at:rx_size]: the id of an acceptable message, its
    integers in link.values, its frame in link.reader.buf; else 0. One frame a call: each costs as much as a scan."""
    reader = link.reader
    link.rx_at = reader.push(link.rx, link.rx_at, link.rx_size)
    return _accept(link, now_ms) if reader.size else 0


def link_flush(link: Link) -> bool:
    """Hand the frame under way to the port; False if it did not take all of it."""
    writer = link.writer
    if writer.busy():
        writer.sent += link.hal.link_write(writer.wire_view, writer.sent, writer.end)
    return not writer.busy()


def link_begin(link: Link, session: Session, kind: int, message: int) -> None:
    """Start a frame in a session; the body is written from writer.at on."""
    link.writer.begin(kind, ids.FLAG_KEYED if session.hmac else 0, message, session.number, session.sent)
    session.sent += 1
    if not session.number:
        session.sent &= SEQUENCE_MAX  # hosts do not check it in session 0, which cannot be started again


def link_finish(link: Link, session: Session) -> None:
    """Seal the frame with MAC and CRC."""
    writer = link.writer
    if session.hmac:
        writer.put(session.hmac.digest(FROM_DEVICE, writer.views.first(writer.at))[:MAC_SIZE])
    writer.finish()


def link_send(link: Link, session: Session, kind: int, message: int, values: "list[int]") -> None:
    """A message of integers only."""
    link_begin(link, session, kind, message)
    writer = link.writer
    writer.at = pack_numbers(writer.body, writer.at, link.codes[message], values)
    link_finish(link, session)


def link_send_text(link: Link, session: Session, kind: int, message: int, values: "list[int]", text: bytes) -> None:
    """A message with text or bytes in it."""
    link_begin(link, session, kind, message)
    link.writer.at = pack(link.writer.body, link.writer.at, link.codes[message], values, text)
    link_finish(link, session)


def link_send_bytes(link: Link, kind: int, message: int, body: "bytes | bytearray") -> bool:
    """A message whose body is ready, in the session in force."""
    link_begin(link, link.session, kind, message)
    link.writer.put(body)
    link_finish(link, link.session)
    return True


def link_exhausted(session: Session) -> bool:
    """No number left in this direction: only a new session can go on."""
    return session.number != 0 and session.sent >= SEQUENCE_MAX


def link_offer(link: Link, now_ms: int) -> "Session | None":
    """A place for a session that has to prove itself: a free one, or the oldest unless that is too young to go."""
    oldest = link.offers[0]
    for offer in link.offers:
        if not offer.hmac:
            return offer
        if ticks_diff(offer.heard_ms, oldest.heard_ms) < 0:
            oldest = offer
    return oldest if ticks_diff(now_ms, oldest.heard_ms) >= OFFER_MS else None


def link_open(link: Link, session: Session, role: int, number: int, nonce: bytes, now_ms: int) -> None:
    """Answer a hello: a clear session is in force at once, a keyed one waits for proof."""
    link.device_nonce = nonce
    hmac = None
    if role != ids.ROLE_CLEAR:
        hmac = session_hmac(role_key(link.key, role), link.hello_version, number, link.host_nonce, nonce)
    session_open(session, number, role, hmac, now_ms)


def link_backoff_s(link: Link, now_ms: int) -> int:
    """Seconds until another keyed hello is answered. Latched off at 0: times wrap, and must not return after days."""
    left_ms = ticks_diff(link.backoff_until_ms, now_ms)
    if left_ms <= 0:
        link.backing_off = False
    return (left_ms + 999) // 1000 if link.backing_off else 0


def _accept(link: Link, now_ms: int) -> int:
    """A frame with a good CRC: the message id if it may be acted on, else 0 and a count."""
    frame = link.reader.buf
    message = frame_message(frame)
    size = link.reader.size - HEADER_SIZE - CRC_SIZE
    if frame[1] & ids.FLAG_KEYED:
        size -= MAC_SIZE
        if size < 0:
            return link_refuse(link, REFUSE_MALFORMED)
        if not _authentic(link, HEADER_SIZE + size, now_ms):
            return 0
    codes = link.codes.get(message)
    if codes is None:
        if not frame[1] & ids.FLAG_KEYED or not COMMAND_FIRST <= message < COMMAND_END:
            return link_refuse(link, REFUSE_UNKNOWN)
        codes = _COMMAND_CODES  # of a newer host: it gets an answer under its number
    if size < packed_size(codes):
        return link_refuse(link, REFUSE_MALFORMED)
    unpack(frame, HEADER_SIZE, codes, link.values)
    if frame[1] & ids.FLAG_KEYED:
        return message
    return _accept_clear(link, message, now_ms)


def _accept_clear(link: Link, message: int, now_ms: int) -> int:
    """Without a MAC: hello, dictionary and keys always. The journal and acknowledgements only on a device that has no
    key; acknowledgements only if its board config allows them, too. With a key, an attacker at the cable could
    otherwise acknowledge events that no host has stored."""
    if message == ids.HELLO:
        link.hello_version = link.values[0]
        link.hello_role = link.values[1]
        link.host_nonce = bytes(link.reader.views.first(HELLO_NONCE_AT + NONCE_SIZE))[HELLO_NONCE_AT:]
        return message
    if message in _OPEN or (message in _JOURNAL and not link.key):
        return message
    session = link.session
    if message != ids.EVENT_ACK or link.key or not link.clear_ack:
        return link_refuse(link, REFUSE_CLEAR)
    if frame_session(link.reader.buf) != session.number:
        return link_refuse(link, REFUSE_SESSION)
    return message


def _authentic(link: Link, signed: int, now_ms: int) -> int:
    """Whether a keyed frame was made by the host of the session it names, for the first time; else 0 and a count."""
    frame = link.reader.buf
    number = frame_session(frame)
    session = link.session
    if not session.hmac or number != session.number:
        for offer in link.offers:
            if offer.hmac and offer.number == number:
                session = offer
    hmac = session.hmac
    if not hmac or number != session.number:
        return link_refuse(link, REFUSE_SESSION)
    sequence = frame_sequence(frame)
    if sequence <= session.received:  # first: a MAC takes as long as a scan, too much for a flood of replays
        return link_refuse(link, REFUSE_REPLAY)
    mac = hmac.digest(FROM_HOST, link.reader.views.first(signed))
    if differ(mac, frame, signed, MAC_SIZE):
        if session is not link.session:  # a wrong guess ends a session: forged frames must not end the one in force
            _wrong_guess(link, session, now_ms)
        return link_refuse(link, REFUSE_MAC)
    if session is not link.session and link_held(link, session.role, now_ms):
        return link_refuse(link, REFUSE_ROLE)
    session.received = sequence  # only now: forged frames must not use up the host's numbers
    session_heard(session, now_ms)
    if session is not link.session:
        _promote(link, session)
    return 1


def _promote(link: Link, session: Session) -> None:
    """The proof is there: this session is in force, the one before is dead."""
    for i in range(OFFERS):
        if link.offers[i] is session:
            link.offers[i] = link.session
            link.offers[i].hmac = None
    link.session = session
    link.guesses = 0
    link.backoff_ms = 0


def _wrong_guess(link: Link, session: Session, now_ms: int) -> None:
    """Every few wrong proofs double the time in which no new one is accepted."""
    link.guesses += 1
    if link.guesses >= GUESSES_MAX:
        link.guesses = 0
        session.hmac = None
        link.backoff_ms = min(link.backoff_ms * 2 or BACKOFF_MS, BACKOFF_MS_MAX)
        link.backoff_until_ms = ticks_add(now_ms, link.backoff_ms)
        link.backing_off = True


def link_alive(link: Link, now_ms: int) -> bool:
    """Whether a keyed session is in force and its host was heard of lately. Every status asks: silence must be noticed
    before times wrap."""
    session = link.session
    if session.alive and ticks_diff(now_ms, session.heard_ms) >= ALIVE_MS:
        session.alive = False
    return session.alive and session.hmac is not None


def link_held(link: Link, role: int, now_ms: int) -> bool:
    """Whether this role must leave the line to the live host that has it: to one of a higher rank. Equal ranks take
    over from each other, so that a host that was started again need not wait until its old session is dead."""
    return link_alive(link, now_ms) and _RANK[role] < _RANK[link.session.role]


def link_refuse(link: Link, kind: int) -> int:
    link.refused[kind] += 1
    return 0
