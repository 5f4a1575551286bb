"""The device's end of the link, made of the host's own frames: answers hello, names its log and sends keyed events.

It has no firmware, journal or clock. It exists to load a host with more shoes than one machine can simulate.
"""

from __future__ import annotations

from fairshoe import keys
from fairshoe.keys import RoleKey
from fairshoe.link import framing
from fairshoe.messages import DoorOpened, EventAck, Hello, JournalGet, JournalIs, Message, Mode, Role, Welcome
from firmware.protocol.ids import VERSION
from firmware.protocol.session import NONCE_SIZE

BOOT = 1
SESSION = 7


class FakeShoe:
    """One shoe with the key of the recorder's role. `output` holds the bytes to send to the host."""

    def __init__(self, device: int, secret: bytes) -> None:
        self.device = device
        self.key = RoleKey(Role.RECORDER, secret)
        self.output = bytearray()
        self.seq_sent = 0  # of the last event sent
        self.seq_acked = 0
        self._decoder = framing.Decoder()
        self._sequence = 0
        self._seal: keys.Seal | None = None

    def receive(self, data: bytes) -> None:
        """Take bytes of the host, and answer them."""
        for frame in self._decoder.feed(data):
            message = frame.message
            if isinstance(message, Hello):
                self._welcome(message)
            elif isinstance(message, JournalGet):
                log = self.device.to_bytes(16, "big")
                self._send(JournalIs(1, self.seq_sent, 0, 1, log, bytes(32), bytes(16)))
            elif isinstance(message, EventAck):
                self.seq_acked = max(self.seq_acked, message.seq)

    def send_event(self) -> int:
        """Send the next event; its number."""
        self.seq_sent += 1
        self._send(DoorOpened(self.seq_sent, BOOT, 100, 5, 0, 3, 1))
        return self.seq_sent

    def take_output(self) -> bytes:
        data = bytes(self.output)
        self.output.clear()
        return data

    def _welcome(self, hello: Hello) -> None:
        nonce = bytes(NONCE_SIZE)
        secret = keys.session_key(self.key.secret, VERSION, SESSION, hello.nonce, nonce)
        self._seal = keys.device_sealer(secret)
        self._sequence = 0
        self._send(
            Welcome(
                VERSION,
                Role.RECORDER,
                nonce,
                hello.nonce,
                self.device,
                BOOT,
                Mode.TABLE,
                1,
                bytes(8),
                "bench",
                "bench",
                self.seq_acked + 1,
                self.seq_sent,
                0,
            )
        )

    def _send(self, message: Message) -> None:
        self.output += framing.encode(message, SESSION, self._sequence, 0, self._seal)
        self._sequence += 1
