"""Observe a shoe, through unplugging and back, without taking anything from its table system.

Says hello, in clear or with a key, where no other host is in session, and only listens where one is. Acknowledges
nothing unless configured to: an event belongs to the host that stores it. The device sends eight events ahead of their
acknowledgement; later ones are read from its journal, which acknowledges nothing either.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from functools import partial
from typing import Any

from fairshoe import messages
from fairshoe.errors import FairshoeError, HelloRefused, PortError, PortLost, WrongKey
from fairshoe.journal.export import Record
from fairshoe.keys import RoleKey
from fairshoe.link import framing
from fairshoe.link.halt_report import device_halted
from fairshoe.link.session import HostSession, event_seq
from fairshoe.printable import device_text
from fairshoe.text.advice import REFUSALS
from fairshoe.transport.busy_line import HostConnected, port_busy
from fairshoe.transport.urls import PortAddress
from firmware.protocol.ids import CLASS_EVENT, FLAG_AGAIN

ASK_S = 1.5  # no answer for so long while frames arrive: another host is in session
# Time between two looks counts as this much at most: a simulated shoe may be far ahead before it has got the hello.
LOOK_S = 0.25
AGAIN_S = 1.0
REOPEN_S = 1.0
IDLE_S = 0.05
QUIET_S = 4.0  # a listener that hears nothing for so long asks again

Opener = Callable[[], Any]


class Mode(Enum):
    """How the line is."""

    CLOSED = "not connected"
    ASKING = "asking"
    LIVE = "in session"
    LISTENING = "listening"


@dataclass
class LinkQuality:
    """Quality of the line, over all connections of this watch."""

    frames: int = 0
    again: int = 0  # events the device sent again
    drops: framing.Drops = field(default_factory=framing.Drops)
    reconnects: int = 0


@dataclass
class LastMessages:
    """What the shoe last said, by kind."""

    welcome: messages.Welcome | None = None
    status: messages.Status | None = None
    meters: messages.Meters | None = None
    wear: messages.Wear | None = None
    health: messages.Health | None = None
    counters: messages.LinkCounters | None = None
    journal: messages.JournalIs | None = None

    def note(self, message: messages.Message) -> None:
        match message:
            case messages.Welcome():
                self.welcome = message
            case messages.Status():
                self.status = message
            case messages.Meters():
                self.meters = message
            case messages.Wear():
                self.wear = message
            case messages.Health():
                self.health = message
            case messages.LinkCounters():
                self.counters = message
            case messages.JournalIs():
                self.journal = message
            case _:
                pass


class Watch:
    """Call `step` again and again; it waits for at most a moment, and gives what is new."""

    def __init__(
        self,
        url: str,
        key: RoleKey | None = None,
        *,
        acknowledge: bool = False,
        listen: bool = False,
        history: int = 0,
        opener: Opener | None = None,
    ) -> None:
        self.url = url
        self.mode = Mode.CLOSED
        self.known = LastMessages()
        self.link = LinkQuality()
        self.problem: FairshoeError | None = None  # why there is no connection
        self.clock: Callable[[], float] = time.monotonic
        self._key = key
        self._acknowledge = acknowledge
        self._listen = listen
        self._history = history
        self._open = opener or PortAddress(url).open
        self._port: Any = None
        self._session = HostSession(key)
        self._ear = framing.Decoder()
        self._reader = JournalReader()
        self._early: list[messages.Message] = []  # heard while it was open whom it is for
        self._seq = 0  # of the last event handed out
        self._since = 0.0
        self._looked_at = 0.0
        self._asked_s = 0.0  # how long a hello was not answered
        self._heard = 0.0
        self._reopen_at = 0.0

    @property
    def missing(self) -> int:
        """Events the shoe has and does not show: its journal is for those who have a key."""
        status = self.known.status
        if self.mode is not Mode.LIVE or status is None or self.readable():
            return 0
        return max(self._session.acknowledged + status.events_waiting - self._seq, 0)

    @property
    def halted(self) -> FairshoeError | None:
        """The error if the device reports that it could not start."""
        text = "" if self.mode is Mode.LIVE else self._session.halted
        return device_halted(self.url, text) if text else None

    @property
    def silent_s(self) -> float:
        """For how long nothing was heard."""
        return self.clock() - self._heard

    def open(self) -> None:
        """Open the port now, or raise the reason; `step` would hide it and try again."""
        self._connect()
        if self.problem is not None:
            raise self.problem

    def step(self) -> list[messages.Message]:
        """What is new; an event once, in order. Raises HelloRefused if the device refuses every session."""
        if self._port is None and (time.monotonic() < self._reopen_at or not self._connect()):
            time.sleep(IDLE_S)
            return []
        try:
            return self._exchange()
        except (OSError, TypeError) as error:  # pyserial raises TypeError when the port was closed under it
            self._lost(error)
            return []

    def close(self) -> None:
        if self._port is not None:
            with contextlib.suppress(OSError, TypeError):
                self._port.close()
        self._port = None
        self.mode = Mode.CLOSED

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    # -- questions -----------------------------------------------------------------------------------------------------

    def dictionary_lines(self, tries: int, seconds: float) -> list[str] | None:
        """The device's own message table, line by line; None if it stops answering."""
        lines = self._session.lines
        lines.clear()
        wanted = 0
        while 0 not in lines or wanted < lines[0].lines:
            if not self._asked(partial(self._session.ask_dictionary, wanted), lines, wanted, tries, seconds):
                return None
            wanted += 1
        return [device_text(lines[number].text) for number in range(lines[0].lines)]

    def records(self, count: int, tries: int = 5, seconds: float = 1.0) -> list[Record]:
        """The last records of the journal, as far as the device answers."""
        journal = self.known.journal
        if journal is None:
            return []
        answers: dict[int, Record] = {}
        self._reader.raw = answers
        wanted = range(max(journal.last - count + 1, journal.first, 1), journal.last + 1)
        for seq in wanted:
            if not self._asked(partial(self._session.send, messages.JournalGet(seq)), answers, seq, tries, seconds):
                break
        return [answers[seq] for seq in wanted if seq in answers]

    def _asked(
        self, ask: Callable[[], None], answers: Mapping[int, object], number: int, tries: int, seconds: float
    ) -> bool:
        for _ in range(tries):
            ask()
            end = self.clock() + seconds
            while number not in answers and self.clock() < end and self.problem is None:
                self.step()
            if number in answers:
                return True
        return False

    # -- the port ------------------------------------------------------------------------------------------------------

    def _connect(self) -> bool:
        again = self.problem is not None
        try:
            self._port = self._open()
        except PortError as error:
            self._reopen_at = time.monotonic() + REOPEN_S
            self.problem = error
            return False
        self.clock = getattr(self._port, "clock", None) or time.monotonic
        self.link.reconnects += isinstance(self.problem, PortLost) or (again and self.link.frames > 0)
        self.problem = None
        self._ask()
        self._heard = self._since
        if self._listen:
            self.mode = Mode.LISTENING
        return True

    def _ask(self) -> None:
        self.mode = Mode.ASKING
        self._since = self._looked_at = self.clock()
        self._asked_s = 0.0

    def _lost(self, error: Exception) -> None:
        self.close()
        self._session.restart()
        if isinstance(error, HostConnected):
            self.problem = port_busy(self.url)
        else:
            self.problem = PortLost(
                f"{self.url} disappeared.", "Check cable and power; it is tried again every second."
            )
        self.problem.__cause__ = error
        self._reopen_at = time.monotonic() + REOPEN_S

    def _exchange(self) -> list[messages.Message]:
        now = self.clock()
        if self.mode is Mode.LIVE:
            self._acknowledge_shown()
            if self.readable():
                self._ask_journal(now)
        if self.mode is not Mode.LISTENING:
            self._session.tick(now)
        self._flush()
        data: bytes = self._port.read(max(1, self._port.in_waiting))
        heard = self._listen_to(data)
        now = self.clock()
        if heard:
            self._heard = now
        believed = [received.message for received in self._session.feed(data, now)]
        fresh = self._after(believed, heard, now)
        self._flush()
        return fresh

    def _flush(self) -> None:
        data = self._session.take_output()
        if data and self.mode is not Mode.LISTENING:
            self._port.write(data)

    def _listen_to(self, data: bytes) -> list[messages.Message]:
        frames = list(self._ear.feed(data))
        self.link.frames += len(frames)
        self.link.again += sum(1 for frame in frames if frame.flags & FLAG_AGAIN)
        self.link.drops = self._ear.drops
        return [frame.message for frame in frames]

    # -- who we are on this line ---------------------------------------------------------------------------------------

    def _after(
        self, believed: list[messages.Message], heard: list[messages.Message], now: float
    ) -> list[messages.Message]:
        session = self._session
        if session.other_device is not None or session.rewound:
            return self._start_over()
        if self.mode is Mode.ASKING:
            if session.connected and session.welcome is not None:
                self._begin(session.welcome)
            else:
                self._early += heard
                self._check_refusal(now)
                heard = self._early
        if self.mode is Mode.LISTENING and now - self._heard > QUIET_S and not self._listen:
            self._ask()
        if self.mode is Mode.LIVE:
            if session.welcome is not self.known.welcome and session.welcome is not None:
                self.known.welcome = session.welcome  # another session: the device, or the line, was away
            return self._in_order(believed)
        if self.mode is Mode.LISTENING:
            self._early = []
            return self._as_heard(heard)
        return []

    def _begin(self, welcome: messages.Welcome) -> None:
        self.mode = Mode.LIVE
        self._early = []
        self.known.welcome = welcome
        if not self._seq:
            self._seq = welcome.seq_first - 1
            if self._history and self.readable():
                self._seq = max(min(self._seq, welcome.seq_last - self._history), 0)

    def _check_refusal(self, now: float) -> None:
        refused = self._session.refused
        if refused is not None and refused.why != messages.Refusal.BACKOFF:
            advice = REFUSALS.get(refused.why, "Update this tool.")
            raise HelloRefused(f"{self.url} refused the session: {refused.why.name.lower()}.", advice, refused.why)
        self._asked_s += min(now - self._looked_at, LOOK_S)
        self._looked_at = now
        if self._asked_s < ASK_S:
            return
        if self._session.counts.disbelieved["welcome without the key"]:
            raise WrongKey(f"{self.url} answers with another key.", "Use the key file of this device.")
        if self._key is None and self._heard > self._since:
            self.mode = Mode.LISTENING

    def _start_over(self) -> list[messages.Message]:
        """Another device, or an older storage, answers on this port: forget what was known."""
        self._session = HostSession(self._key)
        self._reader = JournalReader()
        self.known = LastMessages()
        self._seq = 0
        self._ask()
        return []

    # -- events --------------------------------------------------------------------------------------------------------

    def readable(self) -> bool:
        """Whether the device lets us read its journal."""
        welcome = self._session.welcome
        return welcome is not None and (not welcome.has_key or welcome.role != messages.Role.CLEAR)

    def _acknowledge_shown(self) -> None:
        """Asking for the next message acknowledges the current one."""
        seq = min(self._seq, self._session.seq_last)  # what was read from the journal may not have been sent yet
        if self._acknowledge and seq > self._session.acknowledged:
            self._session.acknowledge(seq)

    def _ask_journal(self, now: float) -> None:
        welcome, status = self.known.welcome, self.known.status
        # A host that acknowledges is sent all that is new; only what was there before it came has to be asked for.
        last = welcome.seq_last if welcome else 0
        if status is not None and not self._acknowledge:
            last = self._session.acknowledged + status.events_waiting
        question = self._reader.question(self.known.journal is not None, self._seq + 1, last, now)
        if question is not None:
            self._session.send(question)

    def _as_heard(self, heard: list[messages.Message]) -> list[messages.Message]:
        """A listener cannot ask for what it missed, but need not see twice what is sent again."""
        fresh: list[messages.Message] = []
        for message in heard:
            self.known.note(message)
            seq = event_seq(message)
            if seq is None or seq > self._seq:
                self._seq = seq or self._seq
                fresh.append(message)
        return fresh

    def _in_order(self, believed: list[messages.Message]) -> list[messages.Message]:
        fresh: list[messages.Message] = []
        for message in believed:
            self.known.note(message)
            seq = event_seq(message)
            if seq is not None:
                self._reader.waiting[seq] = message
            elif isinstance(message, messages.JournalRecord):
                self._reader.take(message)
            elif not isinstance(message, (messages.SessionEnding, messages.JournalIs)):
                fresh.append(message)
        while self._seq + 1 in self._reader.waiting:
            self._seq += 1
            fresh.append(self._reader.waiting.pop(self._seq))
        for seq in [seq for seq in self._reader.waiting if seq <= self._seq]:
            del self._reader.waiting[seq]
        return fresh


class JournalReader:
    """Asks for records that the device does not send by itself, one at a time."""

    def __init__(self) -> None:
        self.waiting: dict[int, messages.Message] = {}  # events that came, until those before them have
        self.raw: dict[int, Record] | None = None  # records as received; None: not wanted
        self._asked = -1
        self._again_at = 0.0

    def question(self, journal_known: bool, wanted: int, last: int, now: float) -> messages.JournalGet | None:
        """About the journal as a whole at first, then for the next record that is missing; None while there is none,
        or its answer may still come."""
        while wanted in self.waiting:
            wanted += 1
        about = wanted if journal_known else 0
        if about > last or (about == self._asked and now < self._again_at):
            return None
        self._asked, self._again_at = about, now + AGAIN_S
        return messages.JournalGet(about)

    def take(self, answer: messages.JournalRecord) -> None:
        record = Record(answer.seq, answer.record)
        if self.raw is not None:
            self.raw[answer.seq] = record
        if record.fault:
            self.waiting[answer.seq] = messages.RecordDamaged(answer.seq, 0, 0, 0, 0, 0, 0)
        else:
            self.waiting[answer.seq] = record.event() or messages.UnknownMessage(
                record.message, CLASS_EVENT, record.payload
            )
