"""`shoe.play()`: what the loop of a table system decides, without a port.

Every status says what the shoe waits for (text.advice.next_step). The table system gives the command or tells the
record that is due, and leaves the rest to people. What was refused is not asked again until something has changed: a
device that waits for a person would refuse it twice a second, and record each refusal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fairshoe.client.command_queue import CommandResult
from fairshoe.errors import UsageError
from fairshoe.games.rounds import RoundView
from fairshoe.messages import (
    CloseBetting,
    Command,
    CommandAccepted,
    CommandEnded,
    EndRound,
    Event,
    HeldBack,
    Message,
    Mode,
    Need,
    Record,
    Role,
    RoundEnded,
    RoundVoided,
    SetPositions,
    State,
    Status,
    Welcome,
    What,
)
from fairshoe.text.advice import Step, next_step

ROUNDS_MAX = 1_000_000
POSITIONS_MAX = 16
DRAWN = 20  # statuses, two in a second: a hand that draws no card for so long has finished the round
ABOUT_COMMANDS = (CommandAccepted, CommandEnded, HeldBack)  # events that change nothing about what is due
# Only a person knows: a count, whether a dispute is over, whether a jam is cleared, what the dealer's card shows.
PERSON = (Need.STUB_COUNT, Need.RACK, Need.DISPUTE, Need.SERVICE, Need.ACKNOWLEDGE, Need.HOLE_CARD)

Numbers = tuple[int, int]
Given = tuple[type[Command], dict[str, int]]


def _no_numbers(_what: What, _step: Step, _view: RoundView) -> Numbers | None:
    return None


def _no_call(_step: Step) -> None:
    pass


def _always(_command: type[Command], _status: Status) -> bool:
    return True


def _silent(_command: type[Command], _result: CommandResult) -> None:
    pass


@dataclass(frozen=True)
class Hooks:
    """What the program does itself. `positions`: how many play each round.

    record  the two numbers of a record that is due (games/record_kinds.py); None: a person tells it at the shoe.
    person  called once at each stop that only a person can end.
    allow   whether to give a command now; asked again with every status while the answer is no.
    told    called with the outcome of every command."""

    positions: int
    record: Callable[[What, Step, RoundView], Numbers | None] = _no_numbers
    person: Callable[[Step], None] = _no_call
    allow: Callable[[type[Command], Status], bool] = _always
    told: Callable[[type[Command], CommandResult], None] = _silent


class RoundPlay:
    """Rounds until so many are over."""

    def __init__(self, rounds: int, hooks: Hooks, welcome: Welcome | None) -> None:
        _check(rounds, hooks, welcome)
        self.over: list[RoundView] = []
        self._rounds = rounds
        self._hooks = hooks
        self._seen: object = None  # what the last status said
        self._same = 0  # statuses that said it again
        self._refused: object = None  # the status for which a command was refused
        self._given: type[Command] = Command
        self._positions_refused = False  # betting is closed without them

    @property
    def done(self) -> bool:
        return len(self.over) == self._rounds

    def heard(self, message: Message, view: RoundView) -> Given | None:
        """The command that this message makes due, and its arguments."""
        if isinstance(message, (RoundEnded, RoundVoided)):
            self.over.append(view)
        if isinstance(message, Event) and not isinstance(message, ABOUT_COMMANDS):
            self._refused = None
            self._positions_refused = False
        if not isinstance(message, Status) or self.done:
            return None
        now = (message.state, message.need, message.records_due, message.positions_due, message.dealt)
        self._same = self._same + 1 if now == self._seen else 0
        self._seen = now
        if self._refused is not None and self._refused == now:
            return None
        given = self._due(message, view)
        if given is not None:
            self._given = given[0]
        return given

    def answered(self, result: CommandResult) -> None:
        """How the last command ended."""
        if self._given is SetPositions:
            self._positions_refused = not result.done
        else:
            self._refused = None if result.done else self._seen
        self._hooks.told(self._given, result)

    def _due(self, status: Status, view: RoundView) -> Given | None:
        step = next_step(status)
        person = step.need in PERSON and What.FINAL_DEAL not in step.records
        if step.records and not person:
            return self._record(step, view)
        if person or step.command is None:
            self._call(step, person)
            return None
        drawing = step.command is EndRound and step.need is Need.DRAW
        if drawing and self._same < DRAWN:
            return None
        if not self._hooks.allow(step.command, status):
            return None
        closes = step.command is CloseBetting and status.state is not State.WAITING_FOR_WAGERS
        if closes and status.positions != self._hooks.positions and not self._positions_refused:
            return SetPositions, {"positions": self._hooks.positions}
        return step.command, {}

    def _record(self, step: Step, view: RoundView) -> Given | None:
        first = What.TENS_REMOVED if What.TENS_REMOVED in step.records else step.records[0]
        what = What.SECOND_WAGER if step.positions else first
        numbers = self._hooks.record(what, step, view)
        if numbers is None:
            self._call(step, True)
            return None
        return Record, {"what": int(what), "a": numbers[0], "b": numbers[1]}

    def _call(self, step: Step, person: bool) -> None:
        if person and not self._same:
            self._hooks.person(step)


def _check(rounds: int, hooks: Hooks, welcome: Welcome | None) -> None:
    """Refuse what cannot be played before the first command."""
    if not 0 < rounds <= ROUNDS_MAX:
        raise UsageError(f"{rounds} rounds cannot be played.", f"Give a number from 1 to {ROUNDS_MAX:,}.")
    if not 0 < hooks.positions <= POSITIONS_MAX:
        raise UsageError(f"{hooks.positions} positions cannot play.", f"Give a number from 1 to {POSITIONS_MAX}.")
    if welcome is not None and welcome.mode is not Mode.TABLE:
        raise UsageError(
            "this shoe only reports: its link takes no commands.",
            "Set link.mode to table in its board config, or read its events and let people press the buttons.",
        )
    if welcome is not None and welcome.role not in (Role.TABLE, Role.SERVICE):
        raise UsageError(
            f"the role {welcome.role.name.lower()} gives no commands.", "Open the shoe with the key of the table."
        )
