"""A table at a shoe: statuses of the shoe say what is due, the books what was reported, people give what a round needs.

`Table.play_round` plays the open round, or the next one, to its end. It keeps nothing in memory that the shoe or the
books do not know: end the program anywhere, start it again, and it goes on. A refused command waits for a change; a
warning calls a person and is never acknowledged by this program.
"""

from __future__ import annotations

from typing import Protocol

from fairshoe import CommandResult, Event, Message, Need, Shoe, State, Status, Step, What, next_step
from fairshoe.games.record_kinds import DEALER, By, Source
from fairshoe.messages import (
    AcknowledgeWarning,
    CloseBetting,
    CommandAccepted,
    CommandEnded,
    ConfirmLockout,
    Consequence,
    EndRound,
    HeldBack,
    Recorded,
    RoundEnded,
    RoundStarted,
    RoundVoided,
    SetPositions,
    WarningLatched,
)
from fairshoe_table.books import Books
from fairshoe_table.layout import seat_of
from fairshoe_table.ledger import Line
from fairshoe_table.options import Options
from fairshoe_table.plays import Ask, Dealt, Input, Play, asks

DRAWN = "double-attack-blackjack"  # the dealer draws card by card
_ABOUT_COMMANDS = (CommandAccepted, CommandEnded, HeldBack)


class Floor(Protocol):
    """The people at the table, or those who stand for them."""

    def wagers(self, play: Play) -> list[Input]:
        """Wagers before the deal; none: no player takes part, ask again later."""
        ...

    def answer(self, play: Play, ask: Ask) -> Input:
        """A decision of a player, or faces that were turned over, with their source."""
        ...

    def hand(self, step: Step, status: Status) -> None:
        """Something that only hands can do at the machine."""
        ...

    def call(self, text: str) -> None:
        """Call a person: a warning, a dispute, a jackpot."""
        ...

    def booked(self, lines: list[Line]) -> None:
        """Lines of the settlement, in the order in which the dealer does them."""
        ...


class Table:
    """One table: a shoe with the key of the table's role, its books, a game and its options."""

    def __init__(self, shoe: Shoe, books: Books, game: str, options: Options, floor: Floor) -> None:
        options.check()
        self.shoe = shoe
        self.books = books
        self.game = game
        self.options = options
        self.floor = floor
        self.number = 0

    def play_round(self) -> int:
        """The number of the round in the books, when it has ended or is void."""
        self.number = self.books.open_round(self.game)
        unfinished = self.shoe.unfinished()
        if unfinished is not None:  # of a run that crashed: ask what became of it before anything else
            self.shoe.status_after(self.shoe.wait(self.shoe.resume(unfinished)))
        refused: tuple[object, ...] | None = None
        for message in self.shoe.messages():
            if isinstance(message, Event):
                if not isinstance(message, _ABOUT_COMMANDS):
                    refused = None  # something has changed
                if self._event(message):
                    self.shoe.acknowledge()
                    return self.number
                continue
            if message is not self.shoe.status or not isinstance(message, Status):
                continue
            now = (message.state, message.need, message.records_due, message.positions_due, message.positions)
            if now == refused:
                continue
            result = self._status(message)
            if result is not None:
                refused = None if result.done else now
                self.shoe.status_after(result)
        raise RuntimeError("the shoe was closed")

    def _play(self) -> Play:
        return self.books.play(self.number, self.options)

    def _tell(self, told: Input, seq: int = 0) -> None:
        lines = self.books.record(self.number, told, self.options, seq)
        if lines:
            self.floor.booked(lines)

    # -- what the shoe says -------------------------------------------------------------------------------------------

    def _event(self, event: Message) -> bool:
        """Whether the round is over with it. Events of an earlier round, told again, change nothing."""
        match event:
            case RoundStarted():
                self._tell(Input("closed", "closed", {"round": event.round}), event.seq)
            case WarningLatched():
                self.floor.call(f"warning: {event.warning.name.lower().replace('_', ' ')}")
            case RoundVoided() if self._is_ours(event.round):
                view = self.shoe.current_round
                kept = (view.void.hands_kept if view.void is not None else None) or ()
                seats = [seat_of(self._play().seats, position) for position in kept]
                self._tell(Input("void", "void", {"clause": event.clause, "kept": seats}), event.seq)
                self._tell(Input("over", "over"), event.seq)
                return True
            case Recorded(what=What.MISDEAL, consequence=Consequence.ONE_VOID) if self._is_ours(event.round):
                seat = seat_of(self._play().seats, event.a)
                told = {"seat": seat, "clause": event.clause}
                self._tell(Input(f"void hand:{seat}", "void hand", told), event.seq)
            case RoundEnded() if self._is_ours(event.round):
                self._tell(Input("over", "over"), event.seq)
                return True
            case _:
                pass
        return False

    def _is_ours(self, shoe_round: int) -> bool:
        closed = [told for told in self.books.inputs(self.number) if told.key == "closed"]
        return bool(closed) and closed[0].data["round"] == shoe_round

    def _dealt(self) -> Dealt:
        view = self.shoe.current_round
        if not self._is_ours(view.number):
            return Dealt()
        if self.game == DRAWN:
            return Dealt(True)
        stacks = view.positions > 0 and len(view.taken) == view.positions + 1
        return Dealt(stacks, view.closings, view.cards.released is not None)

    def _progress(self) -> None:
        """Ask for everything that the round needs as far as the shoe has come."""
        while waiting := asks(self._play(), self._dealt()):
            self._tell(self.floor.answer(self._play(), waiting[0]))

    # -- what the shoe waits for --------------------------------------------------------------------------------------

    def _status(self, status: Status) -> CommandResult | None:
        step = next_step(status)
        if step.need is Need.ACKNOWLEDGE or step.command is AcknowledgeWarning:
            self.floor.call(step.text)
            self.floor.hand(step, status)
            return None
        if step.need is Need.DRAW:
            return self._draw()
        match step.who:
            case "record":
                return self._record(step, status)
            case "command":
                return self._command(step, status)
            case "hand":
                self.floor.hand(step, status)
            case _:
                pass
        return None

    def _command(self, step: Step, status: Status) -> CommandResult | None:
        if step.command is None:
            return None
        if step.command is CloseBetting and status.state != State.WAITING_FOR_WAGERS:
            seats = self._bet()
            if not seats:
                return None
            if status.positions != len(seats):
                return self.shoe.command(SetPositions, positions=len(seats))
        elif step.command is ConfirmLockout:
            told = self._progressive()
            if told is not None:
                return told
        else:
            self._progress()
        if step.command is EndRound and (asks(self._play(), self._dealt()) or self._on_the_layout()):
            self.floor.call("the round cannot end: wagers lie on the layout")
            return None
        return self.shoe.command(step.command)

    def _draw(self) -> CommandResult | None:
        """One card or decision; the end of the round when nothing is needed any more."""
        waiting = asks(self._play(), self._dealt())
        if not waiting:
            return self.shoe.command(EndRound) if self._play().closed and not self._on_the_layout() else None
        ask = waiting[0]
        if ask.kind == "cards" and ask.seat == DEALER and ask.part == "2":
            self.shoe.records.put(What.DEALER_CARD)
        self._tell(self.floor.answer(self._play(), ask))
        return None

    def _bet(self) -> tuple[int, ...]:
        """The wagering seats. Wagers are booked one seat after the other."""
        play = self._play()
        if not play.seats:
            for told in self.floor.wagers(play):
                self._tell(told)
        return self._play().seats

    def _progressive(self) -> CommandResult | None:
        """Tell the device how many progressive wagers were accepted and how many chips collected (CS 7(c)), once."""
        if any(told.key == "progressive" for told in self.books.inputs(self.number)):
            return None
        wagers = sum(1 for hand in self._play().stakes if hand[1].value == "progressive")
        result = self.shoe.records.progressive(wagers, wagers)
        self._tell(Input("progressive", "progressive", {"wagers": wagers, "taken": result.done}))
        return result if result.done else None

    def _on_the_layout(self) -> bool:
        play = self._play()
        settled = sum(line.stake for line in self.books.lines(self.number))
        return sum(cents for _, _, cents in play.stakes) != settled

    def _record(self, step: Step, status: Status) -> CommandResult | None:
        """A record that is due, from the books."""
        play = self._play()
        if step.positions:
            self._progress()
            play = self._play()
            seat = seat_of(play.seats, step.positions[0])
            second = any(told[0] == seat and told[1].value == "second" for told in play.stakes)
            put = self.shoe.records.second_wager if second else self.shoe.records.fold
            return put(step.positions[0])
        known = {
            What.PROVENANCE: (step.deck, Source.MACHINE),
            What.CUT: (26, By.DEALER),
            What.FINAL_DEAL: (len({seat for seat, it, _ in play.stakes if it.value == "second"}), 0),
        }
        what = What.TENS_REMOVED if What.TENS_REMOVED in step.records else step.records[0]
        if what is What.PROGRESSIVE:
            return self._progressive()
        if step.need in (Need.STUB_COUNT, Need.DISPUTE, Need.SERVICE) and what is not What.FINAL_DEAL:
            self.floor.call(step.text)
            self.floor.hand(step, status)
            return None
        first, second_number = known.get(what, (step.deck, 0))
        return self.shoe.records.put(what, int(first), int(second_number))
