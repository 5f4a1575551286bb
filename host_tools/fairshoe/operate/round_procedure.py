"""Lead a round from any state to its end: what the machine, a person or a command has to do next, until it is over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import Any, Protocol

from fairshoe import messages
from fairshoe.errors import UsageError
from fairshoe.games.rounds import RoundView, StackState, fold
from fairshoe.operate.driver import Driver, NotDone
from fairshoe.text.advice import next_step, warned
from fairshoe.text.describe import words
from fairshoe.text.describe_game import consequence, rule

_STOPPED = (messages.State.WARNING, messages.State.REMOVING, messages.State.REMOVED_OFFERED)
DEALT = (messages.State.WAITING_FOR_GREEN, messages.State.WAITING_FOR_WAGERS, messages.State.WAITING_FOR_ROUND_END)
DEALING = (
    messages.State.DECK_READY,
    messages.State.WAITING_FOR_LOCKOUT,
    messages.State.DISPENSING,
    messages.State.STACK_OFFERED,
    *DEALT,
)


class Person(Protocol):
    """The person at the table."""

    def tell(self, text: str) -> None:
        """Show a person what to do or to wait for; once per state."""
        ...

    def confirm(self, text: str, still: Callable[[], bool]) -> bool:
        """Whether a command is to be given now; False if `still` has become untrue, since a button did the same."""
        ...

    def number(self, text: str) -> int:
        """How many."""
        ...


@dataclass(frozen=True)
class RoundReport:
    """What became of a round."""

    view: RoundView
    handed_out: int | None = None  # cards of a deck that is dealt by other means

    @classmethod
    def of(cls, events: list[messages.Event]) -> RoundReport:
        return cls(reduce(fold, events, RoundView()))

    @property
    def good(self) -> bool:
        return self.view.void is None and (self.view.end is not None or self.handed_out is not None)

    @property
    def stacks(self) -> list[tuple[int, int]]:
        """Number and cards of every stack that was taken."""
        return [(it.number, it.cards) for it in self.view.stacks if it.state is StackState.TAKEN]

    def lines(self) -> list[str]:
        if self.handed_out is not None:
            return [f"deck handed out: {self.handed_out} cards"]
        view, end = self.view, self.view.end
        seats = f", {view.positions} positions" if view.positions else ""
        lines = [f"round {view.number}{f' of {view.game}' if view.game else ''}{seats}"]
        lines += [f"  stack {stack or 'extra'!s:6s} {cards} cards" for stack, cards in self.stacks]
        if end is not None:
            lines.append(f"  dealt        {_count(end.dealt)} cards in {_count(end.stacks)} stacks")
            lines.append(f"  remainder    {_count(end.remainder)} cards")
            if end.stub is not None:
                counted = f", counted {end.stub_counted}" if end.stub_counted is not None else ""
                lines.append(f"  stub         {end.stub} cards{counted}")
            lines.append("  ended")
        if view.void is not None:
            lines.append(f"  VOID by {rule(view.void.clause)}: {consequence(view.void.consequence)}")
        return lines

    def facts(self) -> dict[str, Any]:
        view, end, void = self.view, self.view.end, self.view.void
        return {
            "round": view.number or None,
            "game": view.game or None,
            "positions": view.positions or None,
            "stacks": [{"stack": stack, "cards": cards} for stack, cards in self.stacks],
            "ended": end is not None,
            "dealt": end.dealt if end else None,
            "remainder": end.remainder if end else None,
            "void": {"clause": void.clause, "warning": void.warning.name.lower()} if void else None,
            "handed_out": self.handed_out,
        }


def _count(number: int | None) -> str:
    return "unknown" if number is None else str(number)


class Procedure:
    """Works through states until the round is over, or as far as `until` says."""

    def __init__(self, driver: Driver, person: Person, positions: int = 0) -> None:
        self._driver = driver
        self._person = person
        self._positions = positions
        self._shown: tuple[messages.State, messages.Need] | None = None

    def run(self, until: tuple[messages.State, ...] = ()) -> RoundReport:
        """NotDone says what stopped it; running it again goes on from there."""
        driver = self._driver
        status = driver.begin()
        while True:
            if status.state in _STOPPED:
                status = driver.fresh()  # the warning comes at once, its effect on the round once that is recorded
            over = self._over()
            if over is not None:
                return over
            if status.state in until:
                return RoundReport.of(driver.round_events(status.round))
            self._check(status)
            self._step(status)
            status = driver.fresh()

    def _over(self) -> RoundReport | None:
        for event in self._driver.events:
            if isinstance(event, (messages.RoundEnded, messages.RoundVoided)):
                return RoundReport.of(self._driver.round_events(event.round))
            if isinstance(event, messages.RemainderTaken) and not event.round:
                return RoundReport(RoundView(), event.counted)
        return None

    def _check(self, status: messages.Status) -> None:
        warning = warned(status)
        if status.state in _STOPPED and warning is not None:
            raise NotDone(
                f"the shoe has stopped: {words(status.warning.name)}: {warning.what}.",
                f"{warning.advice[:1].upper()}{warning.advice[1:]}. Then run this again.",
            )
        if status.state == messages.State.UNRECOGNISED:
            raise NotDone("the shoe is in a state this tool does not know.", "Update this tool.")
        if warning is not None and (status.state, status.need) != self._shown:
            self._person.tell(f"{warning.what}: {warning.advice}")

    def _step(self, status: messages.Status) -> None:
        step = next_step(status)
        new = (status.state, status.need) != self._shown
        if status.state == messages.State.STACK_OFFERED and not status.positions:
            self._open_ended(status)
            return
        self._shown = status.state, status.need
        if step.records or step.host:
            due = words(status.need.name)
            advice = f"{step.text[:1].upper()}{step.text[1:]}; then run this again."
            raise NotDone(f"the shoe waits: {due} due.", advice)
        if step.command is None:
            if step.hand and new:
                self._person.tell(step.text)
        else:
            if status.state == messages.State.DECK_READY:
                self._seat(status)
            if self._person.confirm(step.text, lambda: self._driver.fresh().state == status.state):
                self._give(step.command)

    def _seat(self, status: messages.Status) -> None:
        """Dealing ends by itself where the shoe knows how many play."""
        wanted = self._positions or (0 if status.positions else self._person.number("how many positions play?"))
        if wanted and wanted != status.positions:
            self._give(messages.SetPositions, positions=wanted)

    def _open_ended(self, status: messages.Status) -> None:
        """The number of players is not set: deal stacks until the dealer says that all have theirs."""
        if self._shown is None or self._shown[0] != messages.State.STACK_OFFERED:
            self._person.tell("take the stack out of the tray")
        self._shown = status.state, status.need

        def still() -> bool:
            now = self._driver.fresh()
            return (now.state, now.stack) == (status.state, status.stack)

        if self._person.confirm("or end the dealing if all have their cards, this stack left in the tray", still):
            result = self._driver.give(messages.Release)
            if not result.done and result.reason in (messages.Reason.STATE, messages.Reason.NEED):
                self._give(messages.DealCommunity)

    def _give(self, kind: type[messages.Command], **arguments: int) -> None:
        result = self._driver.give(kind, **arguments)
        if not result.done:
            raise self._driver.why(kind.NAME, result)


def check_can_deal(status: messages.Status | None) -> None:
    """Before anything is given: whether cards can be dealt from here."""
    if status is not None and status.state not in DEALING:
        step = next_step(status)
        raise UsageError(
            f"the shoe cannot deal now: {words(status.state.name)}.",
            f"Next: {step.text}; `fairshoe round` walks through all of it.",
        )
