"""Sessions: who is at the other end, by which key, and which numbers have been used.

    role key    = HMAC(device key, "fairshoe role" | role u8)
    session key = HMAC(role key, "fairshoe session" | version_max u8 | session u16 | host nonce 16 | device nonce 16)
    MAC         = HMAC(session key, direction | header | body)[:16]      direction: "H" from host, "D" from device

A host is given the key of its role and cannot ask for another; the version it offered is part of the key, so that
an attacker on the line cannot make it use an older one. The direction keeps a message from being sent back to its
author, the session number and nonces from being used again in another session, the strictly rising link sequence in
this one.
"""

from micropython import const

from firmware.digest import Hmac
from firmware.protocol.ids import ROLE_CLEAR

MAC_SIZE = const(16)
NONCE_SIZE = const(16)
KEY_SIZE = const(32)
SEQUENCE_MAX = const(0xFFFF)
SEQUENCE_WARN = const(0xFF00)  # ask for a new session here: 255 frames are left to make one

FROM_HOST = b"H"
FROM_DEVICE = b"D"
_LABEL = b"fairshoe session"
_ROLE_LABEL = b"fairshoe role"


class Session:
    """One session, clear or keyed. Number 0 is the clear session that exists before anyone has said hello."""

    def __init__(self) -> None:
        self.number = 0
        self.role = ROLE_CLEAR
        self.hmac: "Hmac | None" = None
        self.sent = 0  # next link sequence to send
        self.received = -1  # last accepted
        self.heard_ms = 0
        self.alive = False  # heard of lately; latched off, since times wrap


def session_open(session: Session, number: int, role: int, hmac: "Hmac | None", now_ms: int) -> None:
    session.number = number
    session.role = role
    session.hmac = hmac
    session.sent = 0
    session.received = -1
    session_heard(session, now_ms)


def session_heard(session: Session, now_ms: int) -> None:
    session.heard_ms = now_ms
    session.alive = True


def role_key(device_key: bytes, role: int) -> bytes:
    """What a host of that role holds. The device key itself never leaves the device but at provisioning."""
    return Hmac(device_key).digest(_ROLE_LABEL, bytes((role,)))


def session_hmac(key: bytes, version_max: int, number: int, host_nonce: bytes, device_nonce: bytes) -> Hmac:
    """The session's MAC key from the key of its role."""
    head = _LABEL + bytes((version_max, number & 0xFF, number >> 8))
    return Hmac(Hmac(key).digest(head, host_nonce + device_nonce))
