"""Seals: from time to time a record proves, under the device's key, that everything before it is the device's own.

    seal key    = HMAC(device key, "fairshoe seal")
    sealed      = HMAC(seal key, log 16 | hash of the record before 32 | the record up to its mac)[:16]
    journal_is  = HMAC(seal key, "fairshoe journal 1" | device u32 | the message up to its mac)[:16]

The holder of the seal key can check seals, and make them; firmware/signing has what only the device can make.
docs/JOURNAL.md says how both are checked.
"""

from micropython import const

from firmware.digest import Hmac
from firmware.protocol import ids
from firmware.protocol.session import MAC_SIZE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.journal.keys import Keys

SEAL_EVERY = const(32)  # records at most between two seals
ATTESTED_SIZE = const(62)  # of journal_is, up to its mac
_AFTER = (
    ids.EV_BOOTED,
    ids.EV_ROUND_ENDED,
    ids.EV_ROUND_VOIDED,
    ids.EV_KEY_CHANGED,
    ids.EV_SERVICE,
    ids.EV_SIGNING_KEY,
)
_LABEL = b"fairshoe seal"
_WHOLE = b"fairshoe journal 1"


class Sealer:
    """Knows when a seal is due, and makes it. Without a key there are none."""

    def __init__(self, keys: "Keys", device: int) -> None:
        self.keys = keys
        self.whole_label = _WHOLE + device.to_bytes(4, "little")
        self.hmac: "Hmac | None" = None
        self.since = 0  # records after the last seal
        self.wanted = False
        self.rekey()

    def rekey(self) -> None:
        """Another key is in force."""
        self.hmac = Hmac(Hmac(self.keys.key).digest(_LABEL, b"")) if self.keys.key else None

    def note(self, message: int) -> None:
        """An event has been recorded."""
        self.since += 1
        if message == ids.EV_SEALED:
            self.since = 0
            self.wanted = False
        elif message in _AFTER:
            self.wanted = True

    def due(self) -> bool:
        return self.hmac is not None and (self.wanted or self.since >= SEAL_EVERY)

    def open(self) -> bool:
        """Whether anything was recorded that no seal covers."""
        return self.hmac is not None and self.since > 0

    def sign(self, before: bytes, record: bytearray, at: int) -> None:
        """Put the MAC into the record, whose payload ends at `at`; `before` is the log and the hash of the last one."""
        if self.hmac:
            mac = self.hmac.digest(before, memoryview(record)[: at - MAC_SIZE])
            record[at - MAC_SIZE : at] = mac[:MAC_SIZE]

    def attest(self, numbers: bytes, log: bytes, head: bytes) -> bytes:
        """The body of journal_is: what the journal holds, and the MAC of that; zeros without a key."""
        statement = numbers + self.keys.generation().to_bytes(2, "little") + log + head
        return statement + (self.hmac.digest(self.whole_label, statement)[:MAC_SIZE] if self.hmac else bytes(MAC_SIZE))
