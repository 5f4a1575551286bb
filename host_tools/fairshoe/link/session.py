"""The host's end of the link, without any port: bytes in, messages out, bytes to send.

Says hello and repeats it, proves the key, believes only what is proved, puts events in order, asks for a new session
when nothing is heard or the numbers run out. The same core serves every transport.
"""

from __future__ import annotations

import os
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Any, NamedTuple

from fairshoe import keys, messages
from fairshoe.errors import HelloRefused, KeyFileError
from fairshoe.keys import KeyRing, RoleKey
from fairshoe.link import framing
from fairshoe.link.halt_report import HaltLine, halt_text
from firmware.protocol.codec import is_event
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE
from firmware.protocol.ids import FLAG_KEYED, VERSION
from firmware.protocol.session import MAC_SIZE, NONCE_SIZE, SEQUENCE_MAX, SEQUENCE_WARN

HELLO_S = 0.5  # until the next hello; twice as long after an answer that came too late for the hello before
HELLO_S_MAX = 4.0
HELLOS_KEPT = 8  # by their nonces an answer is known that comes too late
LIFE_S = 4.0  # between two signs of life: after 10 s unheard a host may lose the line
SILENCE_S = 2.5  # a device with a host sends a status every half second
READERS = (messages.Role.OBSERVER, messages.Role.AUDITOR)  # a device ignores their acknowledgements
_MAC_AT = -CRC_SIZE - MAC_SIZE  # of a keyed frame
EARLY_MAX = 32  # events kept until it is known which log they are of; a device sends eight ahead


class Received(NamedTuple):
    """A message to hand out, its body as it came, and its number if it is an event."""

    message: messages.Message
    body: bytes
    seq: int | None


@dataclass
class LinkCounts:
    """What happened on this end: how good the link is."""

    events: int = 0
    repeats: int = 0
    gaps: int = 0
    hellos: int = 0
    sessions: int = 0
    disbelieved: Counter[str] = field(default_factory=Counter[str])


class HostSession:
    """Feed it time and bytes. `now` is any clock in seconds that does not jump.

    Numbers begin again when the storage of a device is replaced. So a host that keeps events on file must know their
    log before it takes or acknowledges one: with `asks_log` every welcome puts events aside (`log_due`) until
    `resume_after` says where to go on."""

    def __init__(self, key: RoleKey | KeyRing | None = None, after_seq: int = 0, asks_log: bool = False) -> None:
        self.decoder = framing.Decoder()
        self.counts = LinkCounts()
        self.welcome: messages.Welcome | None = None
        self.refused: messages.Refused | None = None
        self.other_device: int | None = None  # a different one answers on this port now
        self.rewound = False  # the device knows fewer events than we have had from it
        self.seq_last = after_seq  # of the last event handed out
        self.acknowledged = after_seq  # of the last event the program has said is safe
        self.lines: dict[int, messages.DictionaryLine] = {}
        self.halted = ""  # what a device says that could not start
        self._halt_line = HaltLine()
        self.elsewhere: tuple[int, int] | None = None  # events that only another host has, first and last
        self.connected = False  # a session is in force on this port
        self.log_due = False
        self.heard_at = 0.0  # when the device was last heard of
        self._asks_log = asks_log
        self._early: list[Received] = []
        self.no_key: KeyFileError | None = None  # the key ring has none for the device that answers
        self._ring = key if isinstance(key, KeyRing) else None
        self._key = key.secret if isinstance(key, RoleKey) else None
        self._role = key.role if key else messages.Role.CLEAR
        self.output = bytearray()  # to be sent: see `take_output`
        self._nonce = b""
        self._nonces: deque[bytes] = deque(maxlen=HELLOS_KEPT)  # of hellos that are not answered
        self._hello_s = HELLO_S
        self._hello_at: float | None = None
        self._life_at = 0.0
        self._renew_at = 0.0
        self._number = 0
        self._sequence = 0
        self._received = -1
        self._seal: keys.Seal | None = None
        self._check: keys.Seal | None = None

    def take_output(self) -> bytes:
        data = bytes(self.output)
        self.output.clear()
        return data

    def tick(self, now: float) -> None:
        """Say hello when it is time to: at first, after silence, and before the numbers run out."""
        running_out = self._sequence >= SEQUENCE_WARN and now >= self._renew_at
        if self._hello_at is None or now >= self._hello_at or running_out:
            self._say_hello(now)
        elif self._seal is not None and now >= self._life_at:
            # A keyed session that is silent for ten seconds may be replaced by one without a key. 0 acknowledges none.
            self.send(messages.EventAck(0 if self.log_due else self.acknowledged))
        if self.output:
            self._life_at = now + LIFE_S

    def due(self) -> float:
        """When `tick` has something to do next; 0 for at once."""
        if self._hello_at is None:
            return 0.0
        due = self._hello_at
        if self._sequence >= SEQUENCE_WARN:
            due = min(due, self._renew_at)
        return due if self._seal is None else min(due, self._life_at)

    def feed(self, data: bytes, now: float) -> Iterable[Received]:
        """Messages to hand out: each event once and in order, everything else as it comes. Take them one by one: a
        message counts as received when it is taken, and the device repeats those that are not."""
        if self._nonce:  # a halt counts only while a hello is not answered, and is repeated every second
            self._hear_halt(self._halt_line.feed(data))
        frames = self.decoder.feed(data)
        return self._receive(frames, now) if frames else ()

    def _receive(self, frames: Iterable[framing.Frame], now: float) -> Iterator[Received]:
        for frame in frames:
            message = frame.message
            without_session = _WITHOUT_SESSION.get(type(message))
            if without_session is not None:
                without_session(self, frame, message, now)
                continue
            body = self._believe(frame.raw)
            if body is None:
                continue
            self.heard_at = now
            self._hello_at = now + SILENCE_S
            if type(message) is messages.SessionEnding and now >= self._renew_at:
                self._say_hello(now)
            seq = event_seq(message)
            if seq is not None and self.log_due:
                self._early = [*self._early[1 - EARLY_MAX :], Received(message, body, seq)]
            elif seq is None or self._in_order(seq):
                yield Received(message, body, seq)

    def _hear_welcome(self, frame: framing.Frame, welcome: messages.Welcome, now: float) -> None:
        if self._believe_welcome(frame, welcome):
            self.heard_at = now
            self._open(frame, welcome, now)
        elif welcome.host_nonce != self._nonce and welcome.host_nonce in self._nonces:
            # The answer takes longer than we waited, and the hello that we sent since has replaced its session.
            self._hello_s = min(2 * self._hello_s, HELLO_S_MAX)
            self._hello_at = now + self._hello_s

    def _hear_refused(self, _frame: framing.Frame, refused: messages.Refused, now: float) -> None:
        self._hear_clear(now)
        if refused.host_nonce == self._nonce:
            self.refused = refused

    def _hear_halted(self, _frame: framing.Frame, halted: messages.Halted, now: float) -> None:
        self._hear_clear(now)
        self._hear_halt(halt_text(halted.text))

    def _hear_line(self, _frame: framing.Frame, line: messages.DictionaryLine, now: float) -> None:
        self._hear_clear(now)
        self.lines[line.line] = line

    def _hear_clear(self, now: float) -> None:
        """A frame that no key proves. In a keyed session it is no sign of life: an attacker on the line can send it."""
        if self._role == messages.Role.CLEAR:
            self.heard_at = now

    def resume_after(self, seq: int) -> Iterator[Received]:
        """It is known which log this is, and that its events up to `seq` are on file."""
        self.log_due = False
        self.seq_last = self.acknowledged = seq
        self._skip_to_first()
        early, self._early = self._early, []
        for received in early:
            if self._in_order(received.seq or 0):
                yield received

    def restart(self) -> None:
        """The port was lost and is another one now: half a frame and the session are gone, and hello is due."""
        self.decoder = framing.Decoder(drops=self.decoder.drops)
        self.connected = False
        self._hello_at = None
        self._nonce = b""
        self.output.clear()
        self._early = []

    def acknowledge(self, seq: int) -> None:
        """Acknowledge the event and all before it; they are safe.

        Wait with it while the log is unknown: the device may have a new one, whose events of these numbers are stored
        nowhere. Raise HelloRefused in a clear session with a device that holds a key, and in one of a role that reads:
        the device would ignore the acknowledgement, and send no event after the first eight."""
        if self._role == messages.Role.CLEAR and self.welcome is not None and self.welcome.has_key:
            raise HelloRefused(
                "the device holds a key, and takes acknowledgements only from a host that proves a role's key.",
                "Open it with the key of the recorder or the table, or only listen to it.",
            )
        if self._role in READERS:
            raise HelloRefused(
                f"the role {self._role.name.lower()} reads, and acknowledges no event.",
                "Open the device with the key of the recorder or the table, or read its journal.",
            )
        self.acknowledged = max(self.acknowledged, seq)
        if not self.log_due:
            self.send(messages.EventAck(self.acknowledged))

    def send(self, message: messages.Message) -> None:
        """In the session. Without one, or without a number left in it, it is not sent: a new session is asked for, and
        every message that matters is one that is repeated."""
        if not self.connected or self._sequence > SEQUENCE_MAX:
            return
        self.output += framing.encode(message, self._number, self._sequence, 0, self._seal)
        self._sequence += 1

    def ask_dictionary(self, line: int) -> None:
        self.output += framing.encode(messages.DictionaryGet(line))

    def _say_hello(self, now: float) -> None:
        self._nonce = self._fresh_nonce()
        self._nonces.append(self._nonce)
        self._hello_at = self._renew_at = now + self._hello_s
        self.counts.hellos += 1
        self.refused = None
        self.output += framing.encode(messages.Hello(VERSION, self._role, self._nonce))

    def _hear_halt(self, text: str | None) -> None:
        """An attacker on the line can send it, so it counts only while a hello is unanswered."""
        if text is not None and self._nonce:
            self.halted = text

    def _fresh_nonce(self) -> bytes:
        """A method, so that a simulation can be repeated."""
        return os.urandom(NONCE_SIZE)

    def _open(self, frame: framing.Frame, welcome: messages.Welcome, now: float) -> None:
        if welcome.host_nonce != self._nonce:
            return
        self._nonce = b""
        self._nonces.clear()
        self._number = frame.session
        self._sequence = 0
        self._received = frame.sequence
        if self._key is not None:
            secret = keys.session_key(self._key, VERSION, frame.session, welcome.host_nonce, welcome.nonce)
            self._seal, self._check = keys.host_sealer(secret), keys.device_sealer(secret)
        if self.welcome is not None and self.welcome.device != welcome.device:
            self.other_device = welcome.device
            return
        if self.seq_last > welcome.seq_last and not self._asks_log:
            self.rewound = True  # another log: its events would pass for repeats, and be dropped
            return
        self.welcome = welcome
        self.connected = True
        self.log_due = self._asks_log
        self._early = []
        if not self.log_due:
            self._skip_to_first()
        self.refused = None
        self._hello_at = now + SILENCE_S
        self.counts.sessions += 1
        if self._key is not None:
            self.send(messages.EventAck(0))  # anything keyed proves that we hold the key; this says nothing else

    def _skip_to_first(self) -> None:
        """A device that knows more of our acknowledgements than we do has talked to another host; go on from there."""
        first = self.welcome.seq_first if self.welcome else 1
        if first - 1 > self.seq_last:
            self.elsewhere = (self.seq_last + 1, first - 1)
        self.seq_last = max(self.seq_last, first - 1)
        self.acknowledged = max(self.acknowledged, first - 1)

    def _believe(self, raw: bytes) -> bytes | None:
        """The body of a frame of this session which, in a keyed one, the device made, now, and for us; None if the
        frame is not to be believed."""
        if raw[4] | raw[5] << 8 != self._number or self.welcome is None:
            return self._disbelieve("other session")
        keyed = raw[1] & FLAG_KEYED
        if self._check is None:
            return raw[HEADER_SIZE : _MAC_AT if keyed else -CRC_SIZE]
        if not keyed:
            return self._disbelieve("not keyed")
        if not compare_digest(self._check(raw[:_MAC_AT]), raw[_MAC_AT:-CRC_SIZE]):
            return self._disbelieve("wrong mac")
        sequence = raw[6] | raw[7] << 8
        if sequence <= self._received:
            return self._disbelieve("replayed")
        self._received = sequence
        return raw[HEADER_SIZE:_MAC_AT]

    def _believe_welcome(self, frame: framing.Frame, welcome: messages.Welcome) -> bool:
        if welcome.host_nonce != self._nonce or welcome.role != self._role:
            self._disbelieve("welcome for another")
            return False
        if self._ring is not None:
            try:
                self._key = self._ring.find(welcome.device).secret
                self.no_key = None
            except KeyFileError as error:
                self.no_key = error
                return False
        if self._key is None:
            return True
        secret = keys.session_key(self._key, VERSION, frame.session, welcome.host_nonce, welcome.nonce)
        if not frame.mac or not compare_digest(keys.device_sealer(secret)(frame.signed), frame.mac):
            self._disbelieve("welcome without the key")
            return False
        return True

    def _disbelieve(self, why: str) -> None:
        self.counts.disbelieved[why] += 1

    def _in_order(self, seq: int) -> bool:
        if seq == self.seq_last + 1:
            self.seq_last = seq
            self.counts.events += 1
            return True
        if seq <= self.seq_last:
            self.counts.repeats += 1
            if seq <= self.acknowledged:
                # By its own number: after a boot a device ignores the numbers of events that it has not sent again yet.
                self.send(messages.EventAck(seq))
        else:
            self.counts.gaps += 1  # the device repeats from the first one we have not acknowledged
        return False


# Taken without a session: they make one, say why there is none, or are open to every host.
_WITHOUT_SESSION: dict[type[messages.Message], Callable[[HostSession, framing.Frame, Any, float], None]] = {
    messages.Welcome: HostSession._hear_welcome,  # pyright: ignore[reportPrivateUsage]
    messages.Refused: HostSession._hear_refused,  # pyright: ignore[reportPrivateUsage]
    messages.Halted: HostSession._hear_halted,  # pyright: ignore[reportPrivateUsage]
    messages.DictionaryLine: HostSession._hear_line,  # pyright: ignore[reportPrivateUsage]
}


def event_seq(message: messages.Message) -> int | None:
    """The number of an event, also of one that this version cannot take apart; None for others. The id decides.

    Unknown events have to be stored and acknowledged like all others, or the device never gets past them."""
    if isinstance(message, messages.Event):
        return message.seq
    if isinstance(message, messages.UnknownMessage) and is_event(message.id) and len(message.body) >= framing.SEQ_SIZE:
        return int.from_bytes(message.body[: framing.SEQ_SIZE], "little")
    return None
