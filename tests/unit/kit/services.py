"""A technician at the service port: the key switch, keys on their way in, and what the journal says afterwards."""

from support import board
from tables import set_up, small_board

from firmware.digest import Hmac
from firmware.image import INPUTS
from firmware.journal.store import BODY_AT, PAYLOAD_AT, PREVIOUS_AT
from firmware.protocol import ids
from firmware.protocol.session import Session
from hal.sim.plant import Plant
from hal.sim.port import SimHal
from rig.peer import Peer
from rig.story import Stage

KEY = bytes(range(32))
NEW_KEY = bytes(range(100, 132))
THIRD_KEY = bytes(range(200, 232))
NONCE = bytes(range(50, 66))
CARDS = 8


class LooseHal(SimHal):
    """A port whose storage fails in some of its reads and writes, counted from 0."""

    def __init__(self, nv, reads=(), writes=()):
        SimHal.__init__(self, Plant(board(), INPUTS, 1), nv)
        self.failing = reads, writes
        self.reads = self.writes = 0

    def nv_read(self, address, buf):
        self.reads += 1
        return self.reads - 1 not in self.failing[0] and SimHal.nv_read(self, address, buf)

    def nv_prog(self, address, buf):
        self.writes += 1
        return self.writes - 1 not in self.failing[1] and SimHal.nv_prog(self, address, buf)


def device(key: bytes = b"", cells: int = 0) -> Stage:
    """A small carousel that has proved itself empty."""
    config = small_board("carousel")
    config["link"]["mode"] = "table"
    if cells:
        config["nv"]["bytes"] = (cells + 12) * 96
    if not key:
        return set_up("carousel", CARDS, config=config, stack_cards=2)
    stage = Stage(config, {"deck_cards": CARDS, "stack_cards": 2}, 7, key, ids.ROLE_TABLE)
    stage.until("empty_proved", 20000, then_ms=300)
    return stage


def turn(stage: Stage, to: str) -> None:
    stage.act("key", {"to": to})
    stage.run(300)


def plug(stage: Stage, key: bytes = b"", role: int = ids.ROLE_CLEAR) -> Peer:
    """Turn the switch on, with a host at the service port; a keyed one says hello."""
    stage.service = Peer(key, role)
    stage.service.hellos = 30
    turn(stage, "on")
    if role != ids.ROLE_CLEAR:
        stage.to_service(stage.service.hello())
        stage.run(300)
    return stage.service


def plugged():
    """A device with a key, and a host without one at its service port."""
    stage = device(KEY)
    plug(stage)
    return stage


def install_frame(key: bytes) -> bytes:
    return Peer().frame(Session(), ids.CLASS_DIAGNOSTIC, ids.KEY_INSTALL, [], key)


def rotation(old: bytes, new: bytes, nonce: bytes = NONCE) -> bytes:
    """The body of key_rotate."""
    hmac = Hmac(old)
    pad = hmac.digest(b"fairshoe wrap 1", nonce)
    wrapped = bytes(new[i] ^ pad[i] for i in range(32))
    return nonce + wrapped + hmac.digest(b"fairshoe rotate 1", nonce + wrapped)[:16]


def rotate_frame(body: bytes) -> bytes:
    return Peer().frame(Session(), ids.CLASS_DIAGNOSTIC, ids.KEY_ROTATE, [], body)


def send(stage, frame, run_ms=400):
    """What became of the key that was sent to the service port; -1: no answer."""
    stage.service.messages.pop("key_is", None)
    stage.to_service(frame)
    stage.run(run_ms)
    return stage.service.messages.get("key_is", [-1])[0]


def records(stage):
    """Of the journal: (message, body after the prefix, record up to its CRC), from the oldest on."""
    journal = stage.rig.app.journal
    found = []
    for seq in range(max(journal.seq_last - journal.capacity + 1, 1), journal.seq_last + 1):
        message = journal.load(seq)
        found.append((message, bytes(journal.buf[BODY_AT : PAYLOAD_AT + journal.buf[1]]), bytes(journal.buf[:92])))
    return found


def changes(stage):
    """(generation, how) of every key_changed."""
    bodies = [body for message, body, _record in records(stage) if message == ids.EV_KEY_CHANGED]
    return [(body[0] | body[1] << 8, body[2]) for body in bodies]


def seal_is_good(stage, record, key):
    """Whether a seal was made with this device key, by the words of docs/JOURNAL.md."""
    hmac = Hmac(Hmac(key).digest(b"fairshoe seal", b""))
    end = PAYLOAD_AT + record[1]
    mac = hmac.digest(stage.rig.app.journal.log + record[PREVIOUS_AT:], record[: end - 16])
    return mac[:16] == record[end - 16 : end]
