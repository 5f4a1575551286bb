"""Answers to hello: welcome with fresh nonce and session number, or a refusal that says why.

A hello needs no key, so it must not be able to do harm: it opens a session that still has to prove itself, is refused
while someone is guessing, and cannot push a live keyed session aside.
"""

from hashlib import sha256

from micropython import const

from firmware.link.admission import (
    REFUSE_ROLE,
    link_backoff_s,
    link_held,
    link_offer,
    link_open,
    link_refuse,
    link_send_text,
)
from firmware.protocol import ids
from firmware.protocol.codec import VALUES_MAX
from firmware.protocol.session import NONCE_SIZE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.journal.store import Journal
    from firmware.link.admission import Link
    from firmware.protocol.session import Session
    from hal.api import Hal

HELLO_IGNORED = const(0)
HELLO_ANSWERED = const(1)

NOISE_BYTES = const(34)
POOL_CHUNKS = const(16)  # of 64 bytes: 512 bits on an RP2040, as much as a start-up test takes


class Handshake:
    """What a welcome says about this device."""

    def __init__(self, link: "Link", journal: "Journal", mode: int, boot: int, text: bytes, pool: bytes) -> None:
        self.link = link
        self.journal = journal
        self.mode = mode
        self.boot = boot
        self.text = text
        self.pool = pool  # noise of this boot
        self.nonces = 0
        self.values = [0] * VALUES_MAX


def noise_pool(hal: "Hal") -> bytes:
    """For a device without a shuffler: the hash of so much noise that nonces cannot be guessed."""
    chunk = bytearray(64)
    pool = sha256()
    for _ in range(POOL_CHUNKS):
        hal.entropy_into(chunk)
        pool.update(chunk)
    return pool.digest()


def handshake_answer(handshake: Handshake, seq_received: int, now_ms: int) -> int:
    """Build the answer to the hello that waits in the link."""
    link = handshake.link
    role = link.hello_role
    link.hello_role = -1
    if link.hello_version < ids.VERSION:
        return _refuse(handshake, ids.REFUSED_VERSION, ids.VERSION)
    if role >= ids.ROLE_COUNT:
        return _refuse(handshake, ids.REFUSED_ROLE, role)
    held = link_held(link, role, now_ms)
    session = None
    if role == ids.ROLE_CLEAR:
        if not held:
            session = link.session
    elif not link.key:
        return _refuse(handshake, ids.REFUSED_NO_KEY, 0)
    elif role == ids.ROLE_SERVICE and not link.service:
        return _refuse(handshake, ids.REFUSED_SWITCH, 0)
    elif held:
        return _refuse(handshake, ids.REFUSED_BUSY, 0)
    else:
        wait_s = link_backoff_s(link, now_ms)
        if wait_s:
            return _refuse(handshake, ids.REFUSED_BACKOFF, wait_s)
        session = link_offer(link, now_ms)
    if session is None:
        link_refuse(link, REFUSE_ROLE)
        return HELLO_IGNORED
    return _welcome(handshake, session, role, seq_received, now_ms)


def _welcome(handshake: Handshake, session: "Session", role: int, seq_received: int, now_ms: int) -> int:
    link = handshake.link
    seed, safe = _fresh(handshake)
    if role != ids.ROLE_CLEAR and not safe:
        return _refuse(handshake, ids.REFUSED_BACKOFF, 1)
    number = seed[30] | seed[31] << 8
    while number == 0 or _in_use(link, number):  # two sessions must not share a number
        number = (number + 1) & 0xFFFF
    link_open(link, session, role, number, seed[:NONCE_SIZE], now_ms)
    values = handshake.values
    values[0] = ids.VERSION
    values[1] = role
    values[2] = link.hal.unique_id()
    values[3] = handshake.boot
    values[4] = handshake.mode
    values[5] = 1 if link.key else 0
    values[6] = seq_received + 1
    values[7] = handshake.journal.seq_last
    values[8] = handshake.journal.lanes.by_role[role].op if role < ids.LANE_COUNT else 0
    text = link.device_nonce + link.host_nonce + handshake.text
    link_send_text(link, session, ids.CLASS_HANDSHAKE, ids.WELCOME, values, text)
    return HELLO_ANSWERED


def _refuse(handshake: Handshake, why: int, detail: int) -> int:
    link = handshake.link
    handshake.values[0] = why
    handshake.values[1] = detail
    link_send_text(link, link.lobby, ids.CLASS_HANDSHAKE, ids.REFUSED, handshake.values, link.host_nonce)
    return HELLO_ANSWERED


def _in_use(link: "Link", number: int) -> bool:
    for session in link.offers + [link.session]:
        if session.number == number:
            return True
    return False


def _fresh(handshake: Handshake) -> "tuple[bytes, bool]":
    """32 bytes that never come twice, even from a source that repeats itself: boot and count are hashed in. So is the
    pool of this boot: the noise of a hello alone is worth 17 bits on an RP2040, and more would hold up the scan.

    Not safe under a key while the source is broken, or this boot's number is not recorded and can come again."""
    noise = bytearray(NOISE_BYTES)
    safe = handshake.link.hal.entropy_into(noise) and handshake.journal.boot_last >= handshake.boot
    handshake.nonces += 1
    return sha256(handshake.pool + noise + b"%d %d" % (handshake.boot, handshake.nonces)).digest(), safe
