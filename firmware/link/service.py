"""Service: the key switch, and keys. Turned, the switch moves the link from the table port to the service port.

A first key is taken as it comes: who turned the switch is at the machine. With the key in force it can be rotated:

    pad       = HMAC(device key, "fairshoe wrap 1" | nonce 16)        wrapped = new key XOR pad
    mac       = HMAC(device key, "fairshoe rotate 1" | nonce 16 | wrapped 32)[:16]

Without it, the locked door must be open as well. Every change is recorded, and so is the switch.
"""

from hashlib import sha256

from micropython import const

from firmware.digest import Hmac, differ, wipe
from firmware.games.flow import STARTING, WAITING_FOR_DECK, WARNING
from firmware.image import IN_DOOR, IN_KEY
from firmware.link.admission import link_reset
from firmware.protocol import ids
from firmware.protocol.frame import HEADER_SIZE
from firmware.protocol.session import KEY_SIZE, MAC_SIZE, NONCE_SIZE
from firmware.ticks import FOREVER_MS, ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs
    from firmware.journal.keys import Keys
    from firmware.journal.seals import Sealer
    from firmware.link.admission import Link

CHECK_SIZE = const(8)
STEADY_US = const(50000)  # a hand turns the switch for longer; noise on its line would fill the journal
_WRAPPED_AT = const(24)  # header, nonce
_MAC_AT = const(56)
_CHECK = b"fairshoe key 1"
_ROTATE = b"fairshoe rotate 1"
_WRAP = b"fairshoe wrap 1"
_NO_CHANGE = const(-1)
ROOM_MIN = const(4)  # records: what is still posted, a seal, the change and another seal


class Service:
    """A change of the key waits here until it may be written; its answer until it is sent."""

    def __init__(self, link: "Link", flow: "Flow", inp: "Inputs", keys: "Keys", sealer: "Sealer") -> None:
        self.link = link
        self.flow = flow
        self.inp = inp
        self.keys = keys
        self.sealer = sealer
        self.on = False
        self.posted = False  # what was last posted about the switch
        self.key = bytearray(KEY_SIZE)
        self.how = _NO_CHANGE
        self.answer_due = False
        self.keyed = False  # the last question, and so its answer
        self.ending = False  # the session was made with a key that is no more
        self.answer = [0, 0]

    def watch(self) -> int:
        """The switch may have been turned: how long it must stay so to be believed, or FOREVER_MS when it is. Then the
        other port is the link, without a host; a key that waited is dropped, because its sender is gone."""
        inp = self.inp
        on = inp.level[IN_KEY] != 0
        age_us = ticks_diff(inp.now_us, inp.enter_us[IN_KEY] if on else inp.leave_us[IN_KEY])
        if 0 <= age_us < STEADY_US:  # below 0: so long ago that the clock has wrapped
            return (STEADY_US - age_us) // 1000 + 1
        self.on = on
        self.link.service = self.on
        self.link.hal.link_service(self.on)
        link_reset(self.link)
        self.how = _NO_CHANGE
        wipe(self.key)
        self.answer_due = False
        self.tell()
        return FOREVER_MS

    def may_diagnose(self, message: int) -> bool:
        """Whether the diagnostic mode may begin: no deck inside, no round open. A machine that cannot prove itself
        empty stands in a warning, or waits for a door that never closes: its switch may be wired wrongly."""
        flow = self.flow
        asked = message == ids.DIAGNOSE and self.link.values[0] != ids.DIAGNOSE_LEAVE
        idle = flow.state == WAITING_FOR_DECK or flow.state == WARNING
        idle = idle or (flow.state == STARTING and flow.door.is_open)
        inside = flow.round_open or flow.tail or flow.ledger.inside()
        return asked and idle and self.on and not inside and flow.outbox.roomy()

    def tell(self) -> None:
        """Record the switch once there is room; if it was turned twice meanwhile, only its last position."""
        if self.posted != self.on and self.flow.outbox.roomy():
            self.posted = self.on
            self.flow.outbox.post(ids.EV_SERVICE, 1 if self.on else 0)

    def receive(self, message: int) -> None:
        """A new key, in the link's frame. One that may be taken waits for a quiet moment."""
        if self.how != _NO_CHANGE:
            return
        frame = self.link.reader.buf
        self.keyed = frame[1] & ids.FLAG_KEYED != 0
        key = self.keys.key
        result = ids.KEY_DONE
        if not self.on:
            result = ids.KEY_SWITCH_OFF
        elif self.flow.round_open:
            result = ids.KEY_ROUND_OPEN
        elif self.flow.room < ROOM_MIN:
            result = ids.KEY_STORAGE
        elif message == ids.KEY_INSTALL:
            if key and not self.inp.level[IN_DOOR]:
                result = ids.KEY_DOOR_SHUT
            else:
                self.key[:] = memoryview(frame)[HEADER_SIZE : HEADER_SIZE + KEY_SIZE]
                self.how = ids.KEY_REPLACED if key else ids.KEY_FIRST
        elif not key or not self._unwrap(Hmac(key), frame):
            result = ids.KEY_WRONG
        else:
            self.how = ids.KEY_ROTATED
        frame[HEADER_SIZE : HEADER_SIZE + KEY_SIZE] = bytes(KEY_SIZE)
        if result != ids.KEY_DONE:
            self._answer(result)

    def _unwrap(self, hmac: Hmac, frame: bytearray) -> bool:
        """The new key from a rotation, if it was made with the key in force."""
        signed = memoryview(frame)[HEADER_SIZE:_MAC_AT]
        if differ(hmac.digest(_ROTATE, signed), frame, _MAC_AT, MAC_SIZE):
            return False
        pad = hmac.digest(_WRAP, signed[:NONCE_SIZE])
        for i in range(KEY_SIZE):
            self.key[i] = frame[_WRAPPED_AT + i] ^ pad[i]
        return True

    def change(self) -> None:
        """Write a key that waits. Everything so far is recorded and sealed; quiet work."""
        if self.how == _NO_CHANGE:
            return
        result = ids.KEY_ROUND_OPEN  # the dealer was faster
        if not self.flow.round_open:
            result = ids.KEY_STORAGE
            if self.keys.store(self.key):
                result = ids.KEY_DONE
                self.link.key = self.keys.key
                self.sealer.rekey()
                self.flow.outbox.post(ids.EV_KEY_CHANGED, self.keys.generation(), self.how)
                self.ending = True
        wipe(self.key)
        self._answer(result)
        self.how = _NO_CHANGE

    def waits(self) -> bool:
        return self.how != _NO_CHANGE

    def ended(self) -> bool:
        """True once, when the answer about a new key is out: sessions made with the old one are over."""
        ending = self.ending and not self.answer_due
        if ending:
            self.ending = False
        return ending

    def check(self) -> bytes:
        """A check value that shows a host that its key arrived, and reveals nothing about the key."""
        return sha256(_CHECK + self.keys.key).digest()[:CHECK_SIZE] if self.keys.key else bytes(CHECK_SIZE)

    def _answer(self, result: int) -> None:
        self.answer[0] = result
        self.answer[1] = self.keys.generation()
        self.answer_due = True
