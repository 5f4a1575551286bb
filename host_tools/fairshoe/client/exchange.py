"""What Shoe and AsyncShoe have in common, without port or clock: repeat commands and queries until they are answered,
queue events until the program takes them, store them before they are acknowledged.

`Shoe` moves the bytes and waits in its thread, `AsyncShoe` in a loop. Whatever takes more than one exchange is a
generator of steps (wait for this condition, or this long) that both follow.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from fairshoe import errors, messages
from fairshoe.client.command_queue import CommandQueue, CommandResult, Pending
from fairshoe.client.device_clock import ROLES as CLOCK_ROLES
from fairshoe.client.device_clock import DeviceClock
from fairshoe.client.event_queue import EventQueue
from fairshoe.client.notices import EventsElsewhere, LinkBack, LinkLost, LogStarted, Notice, ShareLost
from fairshoe.client.operation_numbers import MemoryNumbers, Numbers, Unfinished
from fairshoe.client.single_reader import SingleReader
from fairshoe.client.store import Arrived, Store, StoredLog
from fairshoe.client.table_share import TableShare
from fairshoe.games.rounds import RoundView, fold
from fairshoe.link import framing
from fairshoe.link.halt_report import HaltLine, device_halted, halt_text
from fairshoe.link.session import HostSession, LinkCounts, Received, event_seq
from fairshoe.text.advice import REFUSALS

ANSWER_S = 4.0
RESEND_S = 1.0
SILENT_S = 6.0  # nothing heard for so long, in spite of hellos: the device is gone
LOOK_S = 0.75
PAUSE_S = 1.0  # a program that did not read for so long cannot tell silence from delay

Answer = TypeVar("Answer", bound=messages.Message)
T = TypeVar("T")


class Step(NamedTuple):
    """Wait until `done` says so, or for so many seconds."""

    done: Callable[[], bool]
    seconds: float


Steps = Generator[Step, None, T]


@dataclass
class Question(Generic[Answer]):
    """Something that is asked until it is answered."""

    message: messages.Message
    kind: type[Answer]
    fits: Callable[[Answer], bool]
    answer: Answer | None = None
    again_at: float = 0.0


class Core:
    """Feed it time and bytes, take its output, and take messages out of it one by one. Without a session it listens."""

    def __init__(
        self,
        name: str,
        session: HostSession | None,
        numbers: Numbers | None = None,
        store: Store | None = None,
        new_log: bool = False,
        device: int | None = None,
        clock: bool = False,
        share: TableShare | None = None,
    ) -> None:
        self.name = name
        self.session = session
        self.queue = CommandQueue(numbers or store or MemoryNumbers())
        self.clock = DeviceClock(clock)
        self.share = share or TableShare(False)
        self.store = store
        self.status: messages.Status | None = None
        self.view = RoundView()  # as far as events were received
        self.view_taken = RoundView()  # as far as events were handed to the program
        self.held: messages.Message | None = None  # the event that the program has in hand
        self.notices: deque[Notice] = deque()
        self.events = EventQueue(store) if store is not None else None
        self.up = False  # a session is in force, and the device was heard of lately
        self.answered = False  # the device has welcomed us on this port, since it was opened
        self.closed = False
        self.turn = SingleReader(name)
        self._new_log = new_log
        self._device = device
        self._listener = framing.Decoder()
        self._halt_line = HaltLine()
        self._seq_heard = 0
        self._statuses = 0  # received so far
        self._waiting: deque[messages.Message] = deque()
        self._questions: list[Question[messages.Message]] = []
        self._sessions = 0
        self._boot = 0
        self._down_at = 0.0
        self._ticked_at = 0.0
        self._due_at = 0.0  # as `due` has answered last
        self._log_again_at = 0.0
        self.save_at = 0.0  # what could not be stored is tried again then

    @property
    def welcome(self) -> messages.Welcome | None:
        return self.session.welcome if self.session else None

    @property
    def open_round(self) -> int:
        return self.view.number if self.view.open else 0

    @property
    def pending(self) -> Pending | None:
        return self.queue.current

    @property
    def _sendable(self) -> Pending | None:
        """The command under way, unless it waits until it is known which log the device writes."""
        return None if self.queue.held else self.queue.current

    @property
    def drops(self) -> framing.Drops:
        return (self.session.decoder if self.session else self._listener).drops

    @property
    def counts(self) -> LinkCounts:
        return self.session.counts if self.session else LinkCounts()

    @property
    def seq_last(self) -> int:
        return self.session.seq_last if self.session else self._seq_heard

    # -- bytes and time ----------------------------------------------------------------------------------------------

    def tick(self, now: float) -> None:
        """Do what is due by the clock."""
        session = self.session
        if session is None:
            return
        if now - max(self._ticked_at, self._due_at) > PAUSE_S:
            session.heard_at = max(session.heard_at, now)
        self._ticked_at = now
        session.tick(now)
        if not session.connected:
            return
        if self.up and now - session.heard_at > SILENT_S:
            self._down("nothing is heard from it", now - SILENT_S)
        if session.log_due and now >= self._log_again_at:
            self._log_again_at = now + RESEND_S
            self._ask_log(session)
        if now >= self.save_at:
            self.save_at = now + RESEND_S
            self._save()
        self.clock.tick(session, now)
        self.share.tick(session, now)
        for asked in (self._sendable, *self._questions):
            if asked is not None and now >= asked.again_at:
                asked.again_at = now + RESEND_S
                session.send(asked.message)

    def due(self, now: float) -> float:
        """When `tick` has something to do next. Silence is noticed in time: a hello is due long before."""
        session = self.session
        if session is None:
            return now + LOOK_S
        due = session.due()
        if session.connected:
            if session.log_due:
                due = min(due, self._log_again_at)
            elif self.clock.due:
                due = min(due, self.clock.again_at)
            if self.events is not None and self.events.unsaved and not self.events.busy:
                due = min(due, self.save_at)
            if self.share.wanted:
                due = min(due, self.share.due())
            if self._sendable is not None:
                due = min(due, self._sendable.again_at)
            for asked in self._questions:
                due = min(due, asked.again_at)
        self._due_at = due
        return due

    def output(self) -> bytes:
        return self.session.take_output() if self.session else b""

    def feed(self, data: bytes, now: float) -> bool:
        """Take bytes, put what they say in line, store what is to be stored. Raises what a program has to know.
        Returns whether `due` may be earlier now: False after nothing but events."""
        session = self.session
        if session is None:
            self._check_halt(self._halt_line.feed(data))
            for frame in self._listener.feed(data):
                if isinstance(frame.message, messages.Halted):
                    self._check_halt(halt_text(frame.message.text))
                # A listener cannot ask for what it missed, but need not see twice what is sent again.
                if not isinstance(frame.message, messages.Event) or frame.message.seq > self._seq_heard:
                    self._note(frame.message, event_seq(frame.message))
            return False
        changed = self.share.wanted
        for received in session.feed(data, now):
            self._receive(received)
            changed = changed or received.seq is None
        if session.halted or session.rewound or session.other_device is not None:
            self._check(session)
        if session.counts.sessions != self._sessions:
            self._opened(session, now)
            changed = True
        self._save()
        return changed

    def link_lost(self, why: str, now: float) -> None:
        """The port is gone."""
        if self.session is not None:
            self.session.connected = False
        self.answered = False
        self._down(why, now)

    def relink(self) -> None:
        """There is a port again: say hello on it."""
        if self.session is not None:
            self.session.restart()
        else:
            self._listener = framing.Decoder(drops=self._listener.drops)

    def silent_s(self, now: float) -> float:
        """How long nothing was received while listening."""
        return now - self.session.heard_at if self.session else 0.0

    def lost_error(self) -> errors.PortLost:
        what = f"{self.name} disappeared"
        if self.open_round:
            what += f" while round {self.open_round} was open; the round is not known to have ended"
        return errors.PortLost(
            f"{what}. Last event received: {self.seq_last}.",
            "Check cable and power, then connect again: the device keeps every event that was not acknowledged.",
        )

    # -- messages out ------------------------------------------------------------------------------------------------

    def next_message(self) -> messages.Message | None:
        """The next one in line. An event is in the program's hands until `acknowledge`."""
        if self.closed:
            return None
        queued = self.events.next() if self.events is not None else None
        if queued is not None:
            self.held, view = queued
            self.view_taken = view or fold(self.view_taken, self.held)
            return self.held
        if not self._waiting:
            return None
        message = self._waiting.popleft()
        self.held = message if event_seq(message) is not None else None
        self.view_taken = fold(self.view_taken, message)
        return message

    @property
    def ready(self) -> bool:
        """Whether `next_message` has one."""
        return bool(self._waiting) or (self.events is not None and self.events.ready)

    def hold_back(self) -> None:
        """The last loop ended without acknowledging its event: redeliver it."""
        if self.held is not None:
            (self._waiting.appendleft if self.events is None else self.events.put_back)(self.held)
        self.held = None

    def acknowledge(self) -> None:
        """Acknowledge the current event."""
        held, self.held = self.held, None
        if held is None or self.session is None:
            return
        (self.session.acknowledge if self.events is None else self.events.handled)(event_seq(held) or 0)

    # -- commands ----------------------------------------------------------------------------------------------------

    def keyed(self) -> messages.Welcome:
        welcome = self.welcome
        if welcome is None or welcome.role == messages.Role.CLEAR:
            raise errors.HelloRefused(
                f"{self.name} is open without a key, and takes no command.", "Open it with the key of a role."
            )
        return welcome

    def check_open(self) -> None:
        """A command of a closed shoe must not get a number: it would not be sent now, and would act later."""
        if self.closed:
            raise errors.UsageError(f"{self.name} is closed.", "Open it again.")

    def start(self, kind: type[messages.Command], arguments: dict[str, int]) -> Pending:
        self.check_open()
        welcome = self.keyed()
        self.share.check(kind)
        return self.queue.start(welcome, kind, arguments)

    def resume(self, unfinished: Unfinished) -> Pending:
        self.check_open()
        self.keyed()
        return self.queue.resume(unfinished)

    def unfinished(self) -> Unfinished | None:
        welcome = self.keyed()
        return self.queue.numbers.unfinished(welcome.device, welcome.role)

    # -- what takes more than one exchange ---------------------------------------------------------------------------

    def greeting(self, answer_s: float) -> Steps[None]:
        session = self.session
        if session is None:
            raise errors.UsageError(f"{self.name} is only listened to.", "Open it to talk to it.")

        def settled() -> bool:
            refused = session.refused
            known = refused is not None and refused.why != messages.Refusal.BACKOFF
            return self._sessions > 0 or known or session.no_key is not None

        yield Step(settled, answer_s)
        refused = session.refused
        if self._sessions:
            return
        if session.no_key is not None:
            raise session.no_key
        if refused is not None and refused.why != messages.Refusal.BACKOFF:
            raise errors.HelloRefused(
                f"{self.name} refused the session: {refused.why.name.lower()}.",
                REFUSALS.get(refused.why, "Update this tool."),
                refused.why,
            )
        if session.counts.disbelieved["welcome without the key"]:
            raise errors.WrongKey(f"{self.name} answers with another key.", "Use the key file of this device.")
        if refused is not None:
            raise errors.HelloRefused(
                f"{self.name} refused the session: backoff, {refused.detail} s to wait.",
                REFUSALS[messages.Refusal.BACKOFF],
            )
        advice = "Check that the device is powered, that this is its table port and that no other program has it open."
        raise errors.NoAnswer(f"nothing on {self.name} answered as a shoe within {answer_s:g} s.", advice)

    def commanding(
        self, kind: type[messages.Command], arguments: dict[str, int], timeout_s: float
    ) -> Steps[CommandResult]:
        """Give a command and wait for its outcome. If the wait ends before it was sent, it never is."""
        pending = self.start(kind, arguments)
        try:
            return (yield from self.awaiting(pending, timeout_s))
        finally:
            self.queue.withdraw(pending)

    def awaiting(self, pending: Pending, timeout_s: float) -> Steps[CommandResult]:
        yield Step(lambda: pending.settled, timeout_s)
        if pending.error is not None:
            raise pending.error
        if pending.result is not None:
            return pending.result
        if not pending.op:
            raise errors.NoAnswer(
                f"{pending.message.NAME} was not sent within {timeout_s:g} s: it waits for {self.queue.awaited}.",
                "Wait for that: a command that was sent may still act.",
            )
        raise errors.NoAnswer(
            f"no outcome of command {pending.op} ({pending.message.NAME}) within {timeout_s:g} s.",
            "It may still act. Ask again with resume(unfinished()): the same number never acts twice.",
        )

    def awaiting_status(self, result: CommandResult, timeout_s: float) -> Steps[messages.Status]:
        yield Step(lambda: self._statuses > result.statuses, timeout_s)
        if self._statuses <= result.statuses or self.status is None:
            raise errors.NoAnswer(
                f"{self.name} sent no status for {timeout_s:g} s after command {result.op}.",
                "Check cable and power: a device with a host sends one every half second.",
            )
        return self.status

    def setting_clock(self, timeout_s: float) -> Steps[messages.TimeIs]:
        role = self.keyed().role
        if role not in CLOCK_ROLES:
            raise errors.HelloRefused(
                f"the role {role.name.lower()} may not set the clock of {self.name}.",
                "Open it with the key of the recorder, the table or service.",
            )
        self.clock.ask()
        yield Step(lambda: self.clock.answer is not None, timeout_s)
        if self.clock.answer is None:
            raise errors.NoAnswer(
                f"{self.name} did not confirm the time within {timeout_s:g} s.",
                "Check the cable. A device whose journal is full cannot record the change, and does not answer.",
            )
        return self.clock.answer

    def asking(
        self,
        about: str,
        message: messages.Message,
        kind: type[Answer],
        fits: Callable[[Answer], bool],
        timeout_s: float,
    ) -> Steps[Answer]:
        if self.session is None:
            raise errors.UsageError(f"{self.name} is only listened to.", "Open it to ask questions.")
        question = Question(message, kind, fits)
        self._questions.append(question)  # pyright: ignore[reportArgumentType]
        try:
            yield Step(lambda: question.answer is not None, timeout_s)
        finally:
            self._questions = [it for it in self._questions if it is not question]
        if question.answer is None:
            raise errors.NoAnswer(
                f"{self.name} did not answer about {about}.", "Check the cable; is its firmware too old?"
            )
        return question.answer

    # -- inside ------------------------------------------------------------------------------------------------------

    def _receive(self, received: Received) -> None:
        message, body, seq = received
        if (
            seq is None
            and isinstance(message, messages.JournalIs)
            and self.session is not None
            and self.session.log_due
        ):
            self._resume_log(message.log)
            if self.session.welcome is not None:
                self.clock.heard(self.session.welcome, message.utc_s)
            return
        self._note(message, seq)
        if seq is not None and self.events is not None:
            self.events.unsaved.append(Arrived(seq, message, body, time.monotonic(), self.view))

    def _opened(self, session: HostSession, now: float) -> None:
        """A session has begun."""
        welcome = session.welcome
        assert welcome is not None
        if self._device is not None and welcome.device != self._device:
            session.connected = False
            raise errors.WrongDevice(
                f"{self.name} is device {welcome.device:08x}, and {self._device:08x} was expected.",
                "Check which cable this is.",
            )
        self._sessions = session.counts.sessions
        if not self.up and self._boot:
            self.notices.append(LinkBack(max(0.0, now - self._down_at), welcome.boot != self._boot))
        self.up = self.answered = True
        self._boot = welcome.boot
        self.clock.opened(welcome)
        self.share.opened(welcome.device)
        for asked in (self.pending, *self._questions):
            if asked is not None:
                asked.again_at = 0.0
        self._log_again_at = 0.0
        self.queue.held = session.log_due
        if self.store is not None and self.events is not None and self.events.log is None and not self._new_log:
            # Until the device has said which log it keeps: if it is another one, StorageReplaced follows.
            on_file = self.store.newest_log(welcome.device)
            self.view = self._rebuilt(on_file, on_file.last) if on_file is not None else RoundView()
        if session.log_due and _hides_log(welcome):
            self._resume_log(b"")
        self._tell_elsewhere(session)

    def _ask_log(self, session: HostSession) -> None:
        if session.welcome is not None and _hides_log(session.welcome):
            self._resume_log(b"")
        else:
            session.send(messages.JournalGet(0))

    def _resume_log(self, identity: bytes) -> None:
        """Find out where on file this device's log ends, and go on from there."""
        session, events = self.session, self.events
        assert session is not None and session.welcome is not None and events is not None
        welcome = session.welcome
        self._save()
        if events.busy or events.unsaved:
            return  # until it is stored where this log ends; the device is asked again
        number = session.counts.sessions
        before = events.log or events.store.newest_log(welcome.device)

        def resumed(other: bool) -> None:
            log = events.log
            assert log is not None
            if other:
                self.held = None
                self.view = self._rebuilt(log, log.last)
                self.view_taken = self._rebuilt(log, log.handled)
                self.share.resume(log)
                if not log.last:
                    self.notices.append(LogStarted(welcome.device, identity))
            self._new_log = False  # allowed once
            if number != session.counts.sessions:
                return  # another session has begun meanwhile, and asks for itself
            for received in session.resume_after(log.last):
                self._receive(received)
            self.queue.release(welcome, before is not None and before.id != log.id)
            self._tell_elsewhere(session)
            self._save()

        events.resume(welcome, identity, self._new_log, resumed)

    def _rebuilt(self, log: StoredLog, last: int) -> RoundView:
        """The round as the events on file have it, up to this one."""
        assert self.store is not None
        view = RoundView()
        for event in self.store.round_events(log.id, last):
            view = fold(view, event)
        return view

    def _tell_elsewhere(self, session: HostSession) -> None:
        if session.elsewhere is not None:
            self.notices.append(EventsElsewhere(*session.elsewhere))
            session.elsewhere = None

    def _save(self) -> None:
        """Store what has arrived, and only then acknowledge it. What cannot be stored stays, and is tried again."""
        if self.events is not None and self.session is not None:
            self.events.save(self._saved)

    def _saved(self, seq: int) -> None:
        assert self.session is not None
        self.session.acknowledge(seq)
        self._log_again_at = 0.0  # a log that is due waited for this

    def _down(self, why: str, now: float) -> None:
        if self.up:
            self.notices.append(LinkLost(why, self.seq_last, self.open_round))
            self._down_at = now
        self.up = False

    def _check_halt(self, text: str | None) -> None:
        if text:
            raise device_halted(self.name, text)

    def _check(self, session: HostSession) -> None:
        self._check_halt(session.halted)
        if session.other_device is not None:
            raise errors.WrongDevice(
                f"another device answers on {self.name} now: {session.other_device:08x}.",
                "Its events are not mixed with the first one's: open the port again for it.",
            )
        if session.rewound:
            raise errors.StorageReplaced(
                f"{self.name} has recorded fewer events than the {session.seq_last} received from it before.",
                "Its memory was replaced or erased: take it out of service and find out why.",
            )

    def _note(self, message: messages.Message, seq: int | None) -> None:
        """Take in what a message says, and put it in line unless it answers a question. Events wait in the store's line
        if there is a store."""
        if seq is not None:
            self._note_event(message, seq)
        elif isinstance(message, messages.Result):
            self.queue.settle(self.keyed(), message, self._statuses)
        elif isinstance(message, messages.TimeIs):
            if self.welcome is not None:
                self.clock.take(self.welcome, message)
            return
        elif isinstance(message, messages.Status):
            self._statuses += 1
            self.status = message
        asked = bool(self._questions) and self._answer(message)
        if seq is None:
            # Snapshots: only the newest of a kind is worth waiting for.
            self._waiting = deque(waiting for waiting in self._waiting if type(waiting) is not type(message))
        if not asked and (self.events is None or seq is None):
            self._waiting.append(message)

    def _note_event(self, message: messages.Message, seq: int) -> None:
        if isinstance(message, messages.Event):
            self._seq_heard = seq
            self.view = fold(self.view, message)
            if self.share.wanted:
                lost = self.share.heard(message)
                if lost is not None:
                    self.notices.append(ShareLost(lost, *self.share.column(lost.seq in self.share.judge.ended)))

    def _answer(self, message: messages.Message) -> bool:
        """Whether the message answers a question."""
        asked = [it for it in self._questions if isinstance(message, it.kind) and it.fits(message)]
        for question in asked:
            question.answer = message
        return bool(asked)


def _hides_log(welcome: messages.Welcome) -> bool:
    """A device with a key sends its log in keyed sessions only."""
    return bool(welcome.has_key) and welcome.role == messages.Role.CLEAR
