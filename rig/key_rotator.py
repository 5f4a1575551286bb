"""A technician at the service port who rotates the device key: docs/PROTOCOL.md."""

from firmware.digest import Hmac
from firmware.protocol import ids
from firmware.protocol.session import KEY_SIZE, MAC_SIZE, NONCE_SIZE, Session
from rig.peer import Peer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rig.story import Stage


def new_key(number: int) -> bytes:
    """Keys of a scenario, by number."""
    return bytes((number * 31 + i * 7) & 0xFF for i in range(KEY_SIZE))


def rotate(stage: "Stage", old: bytes, new: bytes) -> None:
    """Send the new key. The table system has both, because a power cut may leave either."""
    stage.peer.spare_key = new
    stage.service = Peer()
    hmac = Hmac(old)
    nonce = bytes(range(NONCE_SIZE))
    pad = hmac.digest(b"fairshoe wrap 1", nonce)
    body = nonce + bytes(new[i] ^ pad[i] for i in range(KEY_SIZE))
    body += hmac.digest(b"fairshoe rotate 1", body)[:MAC_SIZE]
    stage.to_service(stage.service.frame(Session(), ids.CLASS_DIAGNOSTIC, ids.KEY_ROTATE, [], body))
