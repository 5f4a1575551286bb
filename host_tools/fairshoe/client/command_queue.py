"""Commands of one shoe, one after the other: a command gets its operation number when the one before has its outcome.

The device takes one command at a time. Up to QUEUE_MAX more wait here, in the order in which they were given. A command
that waits has no number and is stored nowhere: a program that ends meanwhile has never sent it. In a loop the number is
stored by the store's writer thread, and the command is sent when it is on the disk.

With events on file a command waits as well until it is known which log the device writes (`held`): numbers and outcomes
belong to one storage, and at another one a number that has acted would act again.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field, fields, replace

from fairshoe import messages
from fairshoe.client.operation_numbers import Numbers, Unfinished, check_finished
from fairshoe.client.store import Store
from fairshoe.client.store_writer import Submit
from fairshoe.errors import FairshoeError, QueueFull, StorageReplaced, UsageError
from fairshoe.link import framing
from fairshoe.messages import Command, Outcome, Reason, Result, Welcome

QUEUE_MAX = 16
_FINAL = frozenset(Outcome) - {Outcome.ACCEPTED, Outcome.RUNNING}


@dataclass(frozen=True)
class CommandResult:
    """How a command ended. `detail` is the warning's code, the state or a count, as `reason` says."""

    op: int
    outcome: Outcome
    reason: Reason
    detail: int
    statuses: int = field(default=0, compare=False, repr=False)  # received before it: see `status_after`

    @property
    def done(self) -> bool:
        return self.outcome == Outcome.DONE


@dataclass(eq=False)
class Pending:
    """A command on its way. `op` is 0 while it waits for the command before it or for its number; `result` is None
    until the device has said how it ended. `error`: it could not be sent, and never will be."""

    op: int
    message: Command
    result: CommandResult | None = None
    error: FairshoeError | None = None
    again_at: float = 0.0

    @property
    def settled(self) -> bool:
        return self.result is not None or self.error is not None


class CommandQueue:
    """The command under way, and those that wait for its outcome."""

    def __init__(self, numbers: Numbers) -> None:
        self.numbers = numbers
        self.submit: Submit | None = None  # hands a job to the writer thread of the store that keeps the numbers
        self.current: Pending | None = None
        self.beginning: Pending | None = None  # its number is being stored
        self.waiting: deque[Pending] = deque()
        self.held = False  # until it is known which log the device writes

    def start(self, welcome: Welcome, kind: type[Command], arguments: dict[str, int]) -> Pending:
        """Send the command now if none is under way, or put it in line."""
        _check(kind, arguments)
        pending = Pending(0, kind(0, **arguments))
        before = self.current or self.beginning
        if self.held and before is None:
            check_finished(self.numbers.unfinished(welcome.device, welcome.role))
        if before is None and not self.held:
            self._begin(welcome, pending)
        elif len(self.waiting) < QUEUE_MAX:
            self.waiting.append(pending)
        else:
            raise QueueFull(
                f"{QUEUE_MAX} commands wait for {self.awaited}.",
                "Wait for one of them before you give the next.",
            )
        return pending

    @property
    def awaited(self) -> str:
        """What commands without a number wait for, in words."""
        before = self.current or self.beginning
        if before is None or self.held:
            return "the device to say which log it writes"
        return f"the outcome of {before.message.NAME} (operation {before.op})"

    def resume(self, unfinished: Unfinished) -> Pending:
        """Ask about a command under its own number, before everything that waits."""
        if not isinstance(unfinished, Unfinished):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise UsageError(f"{unfinished!r} is no command to ask about.", "Give what unfinished() returns, if any.")
        kinds = [it for it in messages.ALL if issubclass(it, Command) and unfinished.command == it.NAME]
        if not kinds:
            raise UsageError(f"this version knows no command {unfinished.command}.", "Use the version that gave it.")
        message = kinds[0](unfinished.op, **unfinished.arguments)
        before = self.current or self.beginning
        if before is None:
            self.current = Pending(unfinished.op, message)
            return self.current
        if before.message == message:
            return before
        raise UsageError(f"{before.message.NAME} is being sent.", "Wait for its outcome first.")

    def withdraw(self, pending: Pending) -> bool:
        """Take a command out of the line; False if it is not there: it was sent, or is settled."""
        if pending not in self.waiting:
            return False
        self.waiting.remove(pending)
        return True

    def settle(self, welcome: Welcome, result: Result, statuses: int) -> None:
        """Take the device's answer. If it is the outcome of the command under way, send the next one."""
        pending = self.current
        if pending is None or (result.op, result.command) != (pending.op, pending.message.ID):
            return
        if result.outcome not in _FINAL:
            return
        self.numbers.finish(welcome.device, welcome.role, result.op)
        pending.result = CommandResult(result.op, result.outcome, result.reason, result.detail, statuses)
        self.current = None
        self._begin_next(welcome)

    def release(self, welcome: Welcome, replaced: bool) -> None:
        """It is known which log the device writes. If its storage was replaced, what became of a command that only the
        former one knows is not asked here: at the new one its number would act again."""
        self.held = False
        current = self.current
        if current is not None and replaced:
            self.numbers.finish(welcome.device, welcome.role, current.op)
            current.error = StorageReplaced(
                f"what became of {current.message.NAME} (operation {current.op}) is known to the device's former"
                " storage alone.",
                "Look at the machine, and give the command again if it has not acted.",
            )
            self.current = None
        self._begin_next(welcome)

    def _begin_next(self, welcome: Welcome) -> None:
        while self.current is None and self.beginning is None and self.waiting and not self.held:
            following = self.waiting.popleft()
            try:
                self._begin(welcome, following)
            except FairshoeError as error:
                following.error = error  # raised to the program that waits for this command

    def _begin(self, welcome: Welcome, pending: Pending) -> None:
        message = pending.message
        arguments = {it.name: getattr(message, it.name) for it in fields(message) if it.name != "op"}
        lane = (welcome.device, welcome.role, welcome.op_last, message.NAME, arguments)
        if self.submit is None or not isinstance(self.numbers, Store):
            self._begun(pending, self.numbers.begin(*lane))
            return

        def done(op: int, error: Exception | None) -> None:
            self.beginning = None
            if error is None:
                self._begun(pending, op)
            elif isinstance(error, FairshoeError):
                pending.error = error
                self._begin_next(welcome)
            else:
                raise error

        self.beginning = pending
        try:
            self.submit(self.numbers.begin_job(*lane), done)
        except BaseException:
            self.beginning = None
            raise

    def _begun(self, pending: Pending, op: int) -> None:
        pending.op = op
        pending.message = replace(pending.message, op=op)
        self.current = pending


def _check(kind: type[Command], arguments: dict[str, int]) -> None:
    """Refuse a command that cannot be encoded before it gets a number."""
    if not (isinstance(kind, type) and issubclass(kind, Command)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise UsageError(f"{kind!r} is no command.", "Give a class of fairshoe.messages: Shuffle, for example.")
    try:
        framing.encode(kind(1, **arguments))
    except (ValueError, OverflowError, TypeError) as error:
        raise UsageError(f"{kind.NAME} cannot be given like that: {error}.", "Check its arguments.") from error
