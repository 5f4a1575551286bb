"""Give a shoe one command at a time, report what happens meanwhile, and explain a refusal.

What happens is read from the device's journal, so nothing is acknowledged: events stay for the host that stores them. A
command that was sent and not answered is stored, and an interrupted user gets the command that asks for its outcome.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from fairshoe import messages
from fairshoe.client.shoe import CommandResult, Pending, Shoe
from fairshoe.errors import Exit, FairshoeError, NoAnswer, UsageError
from fairshoe.journal.export import Record
from fairshoe.text.advice import STEPS, WARNINGS
from fairshoe.text.describe import describe_reason, words

SLICE_S = 0.2
QUIET_S = 15.0  # a shoe that answers nothing for so long is gone
TESTING_MAX = 60  # statuses, two in a second
BACK_MAX = 200  # records read back for a round that was going on before we came

OnEvent = Callable[[messages.Event], None]
OnStatus = Callable[[messages.Status], None]


class Interrupted(FairshoeError):
    """Interrupted."""

    exit_code = Exit.INTERRUPTED


class NotDone(FairshoeError):
    """A command or a round that did not come to its end; the device says why."""

    exit_code = Exit.FAILED


def _nothing(_message: object) -> None:
    pass


@dataclass
class Driver:
    """One shoe under commands. `on_event` and `on_status` get everything once, in order."""

    shoe: Shoe
    timeout_s: float = 120.0
    on_event: OnEvent = _nothing
    on_status: OnStatus = _nothing
    events: list[messages.Event] = field(default_factory=list[messages.Event])
    _seq: int = -1
    _shown: messages.Status | None = None

    def begin(self) -> messages.Status:
        """The first look: earlier events are not reported again. UsageError if a command was never answered."""
        unfinished = self.shoe.unfinished()
        if unfinished is not None:
            raise UsageError(
                f"the outcome of {unfinished.command} (operation {unfinished.op}) is not known.",
                f"Ask about it first: fairshoe command {self.shoe.name} --resume",
            )
        self._seq = self.shoe.journal_is().last
        return self.fresh()

    def fresh(self) -> messages.Status:
        """The next status of the shoe, at the latest after half a second; and all events until then."""
        # Waits for the next status; `look` uses the answer to the query.
        status = self.shoe.ask("its state", messages.JournalGet(0), messages.Status, lambda _status: True, QUIET_S)
        self.look()
        return status

    def look(self) -> None:
        """Take in what is new."""
        last = self.shoe.journal_is().last
        for seq in range(self._seq + 1, last + 1):
            event = self._record(seq)
            self._seq = seq
            if event is not None:
                self.events.append(event)
                self.on_event(event)
        self._tell_status()

    def give(self, kind: type[messages.Command], **arguments: int) -> CommandResult:
        """Give a command and wait for its outcome."""
        return self.follow(self.shoe.start(kind, **arguments))

    def self_test(self) -> CommandResult:
        """Have a shoe test itself, once it has done so of its own accord if it has just started."""
        status = self.begin()
        for _ in range(TESTING_MAX):
            if status.state not in (messages.State.STARTING, messages.State.PROVING_EMPTY):
                break
            status = self.fresh()
        return self.give(messages.SelfTest)

    def follow(self, pending: Pending) -> CommandResult:
        """The outcome of a command that was given; what happens meanwhile goes to the callbacks."""
        end = time.monotonic() + self.timeout_s
        try:
            while pending.result is None:
                try:
                    self.shoe.wait(pending, SLICE_S)
                except NoAnswer:
                    if time.monotonic() > end:
                        raise self._unanswered(pending, NoAnswer) from None
                self._tell_status()
        except KeyboardInterrupt:
            raise self._unanswered(pending, Interrupted) from None
        if self._seq >= 0:
            self.look()
        return pending.result

    def round_events(self, number: int) -> list[messages.Event]:
        """Everything of a round, from its start on; also what was recorded before we came."""
        found: list[messages.Event] = []
        for seq in range(self._seq, max(self._seq - BACK_MAX, 0), -1):
            event = self._record(seq)
            if event is not None and event.round == number:
                found.append(event)
                if isinstance(event, messages.RoundStarted):
                    break
        return found[::-1]

    def why(self, name: str, result: CommandResult) -> NotDone:
        """A command that did not do what it is for, in words, with the next step."""
        what = f"{words(name)} (operation {result.op}): {words(result.outcome.name)}"
        if result.outcome == messages.Outcome.IN_DOUBT:
            return NotDone(f"{what}: power was lost before it ended.", "Empty the machine as its display says.")
        if result.reason == messages.Reason.WARNING:
            fault = messages.Fault(result.detail)
            return NotDone(f"{what}, {WARNINGS[fault].what}.", f"{_sentence(WARNINGS[fault].advice)} on the shoe.")
        if result.reason == messages.Reason.ROLE:
            return NotDone(f"{what}, {words(result.reason.name)}.", _ROLE_ADVICE)
        if result.reason == messages.Reason.NEED:
            need = messages.Need(result.detail)
            step = STEPS.get(need)
            advice = f"{_sentence(step.text)}, then run this again." if step else "Update this tool."
            return NotDone(f"{what}: {words(need.name)} first.", advice)
        advice = _ADVICE.get(result.reason, "`fairshoe status` says what the shoe waits for.")
        return NotDone(f"{what}{describe_reason(result.reason, result.detail)}.", advice)

    def _record(self, seq: int) -> messages.Event | None:
        record = Record(seq, self.shoe.journal_record(seq))
        return None if record.fault else record.event()

    def _tell_status(self) -> None:
        status = self.shoe.status
        if status is not None and status is not self._shown:
            self._shown = status
            self.on_status(status)

    def _unanswered(self, pending: Pending, kind: type[FairshoeError]) -> FairshoeError:
        begin = "interrupted; " if kind is Interrupted else ""
        return kind(
            f"{begin}{words(pending.message.NAME)} (operation {pending.op}) was sent, and its outcome is not known.",
            f"It never acts twice. Ask about it: fairshoe command {self.shoe.name} --resume",
        )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


_ROLE_ADVICE = "Its board config must say link.mode table, and the key be the table's, or service's with the switch."
_ADVICE = {
    messages.Reason.ARGUMENT: "The game does not allow that number.",
    messages.Reason.BUSY: "Another command is running: wait for it.",
    messages.Reason.UNKNOWN: "The firmware of this shoe is older and knows no such command.",
    messages.Reason.POWER: "Power was lost: empty the machine as its display says.",
}
