"""A shoe on a serial port: typed events, each delivered once and in order, and commands that act at most once."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from fairshoe import messages, wire
from fairshoe.dictionary import Dictionary, own_dictionary
from fairshoe.errors import HelloRefused, NoAnswer, PortLost, UsageError
from fairshoe.halted import HaltLine, device_halted, halt_text
from fairshoe.keys import RoleKey, read_key
from fairshoe.messages import (
    Command,
    Event,
    Halted,
    JournalGet,
    JournalIs,
    JournalRecord,
    Message,
    Outcome,
    Reason,
    Refusal,
    Result,
    Role,
    RoundEnded,
    RoundStarted,
    RoundVoided,
    SeedGet,
    SeedIs,
    Status,
    Welcome,
)
from fairshoe.operations import Operations, Unfinished
from fairshoe.records import Records
from fairshoe.session import HostSession, LinkCounts, event_seq
from fairshoe.urls import Way

ANSWER_S = 4.0
RESEND_S = 1.0
LINE_S = 0.3
Answer = TypeVar("Answer", bound=Message)
_FINAL = frozenset(Outcome) - {Outcome.ACCEPTED, Outcome.RUNNING}

_REFUSALS = {
    Refusal.VERSION: "This tool is older than the device: update it.",
    Refusal.NO_KEY: "The device has no key yet: provision it over its service port, or connect without a role.",
    Refusal.ROLE: "This tool is newer than the device: it asked for a role that the device does not know.",
    Refusal.SWITCH: "The role of service needs the key switch: turn it on, and use the service port.",
    Refusal.BACKOFF: "Somebody tried wrong keys on it; wait and try again with the right one.",
}


@dataclass(frozen=True)
class CommandResult:
    """How a command ended. `detail` is the warning's code, the state or a count, as `reason` says."""

    op: int
    outcome: Outcome
    reason: Reason
    detail: int

    @property
    def done(self) -> bool:
        return self.outcome == Outcome.DONE


@dataclass
class Pending:
    """A command on its way. `result` is None until the device has said how it ended."""

    op: int
    message: Command
    result: CommandResult | None = None
    again_at: float = 0.0


class Shoe:
    """An open shoe. Use `with Shoe.open(port) as shoe: for event in shoe.events(): ...`."""

    def __init__(
        self,
        port: Any,
        name: str,
        session: HostSession | None,
        operations: Operations | None = None,
        clock: Callable[[], float] | None = None,
    ) -> None:
        self._port = port
        self._session = session
        self._clock = clock or time.monotonic
        self._operations = operations or Operations(None)
        self._listener = wire.Decoder()
        self._halt_line = HaltLine()
        self._waiting: deque[Message] = deque()
        self._pending: Pending | None = None
        self._held: Message | None = None  # the event the program has in hand
        self._seq_heard = 0
        self.name = name
        self.status: Status | None = None
        self.open_round = 0
        self.records = Records(self)  # what no sensor sees

    @classmethod
    def open(
        cls,
        url: str,
        key: RoleKey | str | Path | None = None,
        operations: Operations | None = None,
        after_seq: int = 0,
        answer_s: float = ANSWER_S,
    ) -> Shoe:
        """Open a port (fairshoe.urls says which there are), say hello and wait for the device's welcome.

        With the key of a role, or the file that holds it (see fairshoe.keys), the session is authenticated both ways;
        without one the shoe only reports. `operations` remembers the numbers of commands; see fairshoe.operations.
        `after_seq` is the last event you have stored: what the device sends again up to it is not shown again."""
        if isinstance(key, (str, Path)):
            key = read_key(Path(key))
        port = Way(url).open()
        shoe = cls(port, url, HostSession(key, after_seq), operations, getattr(port, "clock", None))
        try:
            shoe.greet(answer_s)
        except BaseException:
            shoe.close()
            raise
        return shoe

    @classmethod
    def listen(cls, url: str) -> Shoe:
        """Open a port and send nothing at all: for a tap, or beside another host. Nothing it hears is proved."""
        port = Way(url).open()
        return cls(port, url, None, None, getattr(port, "clock", None))

    @property
    def welcome(self) -> Welcome | None:
        """What the device said about itself when the session began."""
        return self._session.welcome if self._session else None

    @property
    def drops(self) -> wire.Drops:
        """What was lost on the way here; the device sends events again until they arrive."""
        return (self._session.decoder if self._session else self._listener).drops

    @property
    def counts(self) -> LinkCounts:
        return self._session.counts if self._session else LinkCounts()

    @property
    def seq_last(self) -> int:
        """Of the last event received."""
        return self._session.seq_last if self._session else self._seq_heard

    def events(self, quiet_s: float | None = None) -> Iterator[Event]:
        """Events as they come; ends after quiet_s seconds without any message."""
        for message in self.messages(quiet_s):
            if isinstance(message, Event):
                yield message

    def messages(self, quiet_s: float | None = None) -> Iterator[Message]:
        """Events and status. Coming back for the next message acknowledges the event before it, unless
        `acknowledge` did so already; an event that was never acknowledged comes again at the next connection."""
        if self._held is not None:
            # The last loop over this shoe ended with an event in hand: it was never said to be safe.
            self._waiting.appendleft(self._held)
        heard = self._clock()
        while True:
            while self._waiting:
                message = self._waiting.popleft()
                heard = self._clock()
                self._held = message if event_seq(message) is not None else None
                yield message
                self.acknowledge()
            self._pump()
            if not self._waiting and quiet_s is not None and self._clock() - heard >= quiet_s:
                return

    def acknowledge(self) -> None:
        """Say that the last event is safely stored, before coming back for the next."""
        if self._held is not None and self._session is not None:
            self._session.acknowledge(event_seq(self._held) or 0)
            self._write()
        self._held = None

    def start(self, kind: type[Command], **arguments: int) -> Pending:
        """Give a command. Its number is written down first, and it is repeated until it is answered, so that it acts
        once however often the link breaks. `messages` (or `wait`) carries it on; look at `pending.result`."""
        welcome = self._keyed()
        _check(kind(1, **arguments))
        unfinished = self._operations.unfinished(welcome.device, welcome.role)
        if unfinished is not None:
            raise UsageError(
                f"the outcome of {unfinished.command} (operation {unfinished.op}) is not known yet.",
                "Wait for it, or ask about it with resume(unfinished()).",
            )
        op = self._operations.begin(welcome.device, welcome.role, welcome.op_last, kind.NAME, arguments)
        self._pending = Pending(op, kind(op, **arguments))
        return self._pending

    def resume(self, unfinished: Unfinished) -> Pending:
        """Ask about a command of an earlier run, under its own number: it acts now if it never did."""
        self._keyed()
        for kind in messages.ALL:
            if issubclass(kind, Command) and unfinished.command == kind.NAME:
                self._pending = Pending(unfinished.op, kind(unfinished.op, **unfinished.arguments))
                return self._pending
        raise UsageError(f"this version knows no command {unfinished.command}.", "Use the version that gave it.")

    def wait(self, pending: Pending, timeout_s: float = 120.0) -> CommandResult:
        """The outcome of a command. Events that come meanwhile are delivered afterwards."""
        end = self._clock() + timeout_s
        while pending.result is None and self._clock() < end:
            self._pump()
        if pending.result is not None:
            return pending.result
        raise NoAnswer(
            f"no outcome of command {pending.op} ({pending.message.NAME}) within {timeout_s:.0f} s.",
            "It may still act. Ask again with resume(unfinished()): the same number never acts twice.",
        )

    def command(self, kind: type[Command], timeout_s: float = 120.0, **arguments: int) -> CommandResult:
        """Give a command and wait for its outcome."""
        return self.wait(self.start(kind, **arguments), timeout_s)

    def unfinished(self) -> Unfinished | None:
        """The command of an earlier run whose outcome nobody heard."""
        welcome = self._keyed()
        return self._operations.unfinished(welcome.device, welcome.role)

    def seed(self, timeout_s: float = ANSWER_S) -> SeedIs:
        """What the device discloses about the last shuffle whose deck is out of play. Needs the auditor's key."""
        if self._session is None or self._keyed().role != Role.AUDITOR:
            raise UsageError("only an auditor is told seeds.", "Open the shoe with the auditor's key.")
        return self.ask("its seed", SeedGet(), SeedIs, lambda _answer: True, timeout_s)

    def journal_is(self, timeout_s: float = ANSWER_S) -> JournalIs:
        """What the device's journal holds, under its seal key."""
        return self.ask("its journal", JournalGet(0), JournalIs, lambda _answer: True, timeout_s)

    def journal_record(self, seq: int, timeout_s: float = ANSWER_S) -> bytes:
        """One record as it is stored; empty if the device does not have it, or cannot read it."""
        about = f"record {seq} of its journal"
        return self.ask(about, JournalGet(seq), JournalRecord, lambda answer: answer.seq == seq, timeout_s).record

    def ask(
        self, about: str, question: Message, kind: type[Answer], fits: Callable[[Answer], bool], timeout_s: float
    ) -> Answer:
        """Ask until it is answered. Events that come meanwhile stay in line, and are not acknowledged."""
        session = self._session
        if session is None:
            raise UsageError(f"{self.name} is only listened to.", "Open it to ask questions.")
        self._waiting = deque(message for message in self._waiting if not isinstance(message, kind))
        end = self._clock() + timeout_s
        again_at = 0.0
        while self._clock() < end:
            if self._clock() >= again_at:
                again_at = self._clock() + RESEND_S
                session.send(question)
            self._pump()
            for message in self._waiting:
                if isinstance(message, kind) and fits(message):
                    self._waiting.remove(message)
                    return message
        raise NoAnswer(f"{self.name} did not answer about {about}.", "Check the cable; is its firmware too old?")

    def dictionary(self) -> Dictionary:
        """The device's own message table: ours if the hashes agree, else fetched line by line and checked."""
        welcome = self.welcome
        ours = own_dictionary()
        if welcome is None or self._session is None or welcome.dictionary == ours.hash:
            return ours
        lines = self._session.lines
        wanted = 0
        tries = 0
        while 0 not in lines or wanted < lines[0].lines:
            if wanted in lines:
                wanted += 1
                tries = 0
                continue
            if tries == 20:
                raise NoAnswer(f"{self.name} did not send line {wanted} of its dictionary.", "Check the cable.")
            tries += 1
            self._session.ask_dictionary(wanted)
            end = self._clock() + LINE_S
            while wanted not in lines and self._clock() < end:
                self._pump()
        found = Dictionary([lines[i].text.decode("ascii", "replace") for i in range(lines[0].lines)])
        if found.hash != welcome.dictionary:
            raise NoAnswer(f"{self.name} sent a dictionary that is not the one it named.", "Do not trust this device.")
        return found

    def close(self) -> None:
        self._port.close()

    def __enter__(self) -> Shoe:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def greet(self, answer_s: float = ANSWER_S) -> None:
        """Say hello and wait for the welcome. `open` has done so; this is for a port of your own."""
        session = self._session
        assert session is not None
        end = self._clock() + answer_s
        while self._clock() < end:
            self._pump()
            if session.welcome is not None:
                return
            if session.refused is not None and session.refused.why != Refusal.BACKOFF:
                why = session.refused.why
                raise HelloRefused(
                    f"{self.name} refused the session: {why.name.lower()}.",
                    _REFUSALS.get(why, "Update this tool."),
                    why,
                )
        if session.counts.disbelieved["welcome without the key"]:
            raise NoAnswer(f"{self.name} answers with another key.", "Use the key file of this device.")
        if session.refused is not None:
            wait_s = session.refused.detail
            raise HelloRefused(
                f"{self.name} refused the session: backoff, {wait_s} s to wait.", _REFUSALS[Refusal.BACKOFF]
            )
        advice = "Check that the device is powered, that this is its table port and that no other program has it open."
        raise NoAnswer(f"nothing on {self.name} answered as a shoe within {answer_s:.0f} s.", advice)

    def _keyed(self) -> Welcome:
        if self.welcome is None or self.welcome.role == Role.CLEAR:
            raise HelloRefused(
                f"{self.name} is open without a key, and takes no command.", "Open it with the key of a role."
            )
        return self.welcome

    def _pump(self) -> None:
        """Move bytes once, and put what came out of them in line."""
        if self._session is None:
            data = self._read()
            text = self._halt_line.feed(data)
            if text is not None:
                raise device_halted(self.name, text)
            for frame in self._listener.feed(data):
                if isinstance(frame.message, Halted):
                    raise device_halted(self.name, halt_text(frame.message.text))
                # A listener cannot ask for what it missed, but need not see twice what is sent again.
                if not isinstance(frame.message, Event) or frame.message.seq > self._seq_heard:
                    self._note(frame.message)
            return
        now = self._clock()
        self._session.tick(now)
        pending = self._pending
        if pending is not None and now >= pending.again_at:
            pending.again_at = now + RESEND_S
            self._session.send(pending.message)
        self._write()
        for message in self._session.feed(self._read(), self._clock()):
            self._note(message)
        if self._session.halted:
            raise device_halted(self.name, self._session.halted)
        if self._session.other_device is not None:
            raise PortLost(
                f"another device answers on {self.name} now: {self._session.other_device:08x}.",
                "Its events are not mixed with the first one's: open the port again for it.",
            )
        if self._session.rewound:
            raise PortLost(
                f"{self.name} has recorded fewer events than the {self._session.seq_last} received from it before.",
                "Its memory was replaced or erased: take it out of service and find out why.",
            )
        self._write()

    def _note(self, message: Message) -> None:
        if isinstance(message, Result):
            self._settle(message)
        elif isinstance(message, Status):
            self.status = message
        elif isinstance(message, Event):
            self._seq_heard = message.seq
            if isinstance(message, RoundStarted):
                self.open_round = message.round
            elif isinstance(message, (RoundEnded, RoundVoided)):
                self.open_round = 0
        if event_seq(message) is None:
            # Snapshots: only the newest of a kind is worth waiting for.
            self._waiting = deque(waiting for waiting in self._waiting if type(waiting) is not type(message))
        self._waiting.append(message)

    def _settle(self, result: Result) -> None:
        pending = self._pending
        if pending is None or result.op != pending.op or result.outcome not in _FINAL:
            return
        welcome = self._keyed()
        self._operations.finish(welcome.device, welcome.role, result.op)
        pending.result = CommandResult(result.op, result.outcome, result.reason, result.detail)
        self._pending = None

    def _read(self) -> bytes:
        try:
            return self._port.read(max(1, self._port.in_waiting))
        except (OSError, TypeError) as error:  # pyserial raises TypeError when the port was closed under it
            raise self._lost() from error

    def _write(self) -> None:
        assert self._session is not None
        data = self._session.take_output()
        if data:
            try:
                self._port.write(data)
            except OSError as error:
                raise self._lost() from error

    def _lost(self) -> PortLost:
        what = f"{self.name} disappeared"
        if self.open_round:
            what += f" while round {self.open_round} was open; the round is not known to have ended"
        return PortLost(
            f"{what}. Last event received: {self.seq_last}.",
            "Check cable and power, then connect again: the device keeps every event that was not acknowledged.",
        )


def _check(command: Command) -> None:
    """Before it gets a number: a command that cannot be encoded must not use one up."""
    try:
        wire.encode(command)
    except (ValueError, OverflowError, TypeError) as error:
        raise UsageError(f"{command.NAME} cannot be given like that: {error}.", "Check its arguments.") from error
