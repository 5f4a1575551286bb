"""The table system behind the dealer's page: taps come in, what the page shows goes out.

A `Desk` is a table whose people are at the other end of a page. Nothing in it waits for a tap: it books each input,
gives the commands that the dealer has asked for, and shows what is due next. All of it runs in one thread, which owns
shoe and books; `tap` may be called from any thread. What a round needs is in the books, so a page may be closed and a
program ended at any time.
"""

from __future__ import annotations

import contextlib
import queue
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from fairshoe import (
    CommandResult,
    FairshoeError,
    Message,
    Need,
    NoAnswer,
    Pending,
    Shoe,
    State,
    Status,
    Step,
    next_step,
)
from fairshoe.errors import ALARMS, DeckNotShared, DeviceSuspect, StoreError, UsageError
from fairshoe.messages import CloseBetting, Command, EndRound, Release, RoundStarted, SetPositions, Welcome
from fairshoe_table.books.books import Books
from fairshoe_table.desk.drafts import Draft
from fairshoe_table.desk.line_list import ShownLine, shown_lines
from fairshoe_table.desk.page_people import Hands, NotYet, PagePeople
from fairshoe_table.desk.view import desk_values
from fairshoe_table.play.game import Ask, EnteredTwice
from fairshoe_table.play.inputs import Input
from fairshoe_table.play.options import Options
from fairshoe_table.play.round import apply, asks
from fairshoe_table.table.house import ACCEPT_DECK, END_DECK, NAME_DOOR
from fairshoe_table.table.seed_check import held_against_seed
from fairshoe_table.table.table import ACTS, Table, situation

QUIET_S = 0.05  # so long the shoe is listened to before taps are looked at
CALLS_MAX = 20
PAUSE_S = 0.2  # after something has failed
TAPPED: dict[str, type[Command]] = {kind.NAME: kind for kind in (CloseBetting, Release, EndRound)}
PASSING = (UsageError, StoreError, NoAnswer)  # of the errors of a shoe: the next turn may do
PLAIN_WORK = (Need.DECK, Need.TAKE, Need.BURN, Need.EMPTY_SHOE)

Values = dict[str, Any]
Tap = Mapping[str, Any]


class DeskLoop(Table):
    """The thread of a desk; `Desk` adds taps. `hands` are simulated ones, of a shoe in this process. With `auditor`,
    the key of that role, dealt cards are held against the seed that the device discloses after the round. `show` gets
    the values for the page after each change, `heard` each message of the shoe; both are called from the desk's
    thread."""

    def __init__(
        self,
        shoe: Shoe,
        books: Books,
        game: str,
        options: Options,
        seats: int,
        draft: Path,
        hands: Hands | None = None,
        auditor: Path | None = None,
        inserted: Sequence[int] = (),
    ) -> None:
        super().__init__(shoe, books, game, options, PagePeople(self.hand_due, self.call))
        self.seat_count = seats
        self.hands = hands
        self.hands_by_themselves = hands is not None
        self.show: Callable[[Values], None] = lambda values: None
        self.heard: Callable[[Message], None] = lambda message: None
        self.linked: Callable[[bool, str], None] = lambda up, why: None
        self.auditor = auditor  # the key with which disclosed seeds are asked for
        self.inserted = inserted  # the faces of a deck, in the order in which the machine takes it in
        self.silent = False  # the auditor uses the line
        self.refusal = ""  # why the shoe gets no command: a deck without the table's share, or a door
        self.reading = 0  # the round whose seed is read, until the shoe is back
        self.twice: EnteredTwice | None = None  # why a card was refused, until another one is entered
        self.tapped: type[Command] | None = None
        self.offered: type[Command] | None = None
        self.step: Step | None = None
        self.entry: list[tuple[int, str]] = []  # cards of the hand that is being entered, with their sources
        self.entry_key = ""
        self.calls: list[tuple[int, str]] = []
        self.previous = books.last_over()
        self.checking = self._unchecked()  # a round whose cards are still to be held against the seed
        self._calls_made = 0
        self._announced = ""  # the card that the device knows to come next
        self._under_way: tuple[Pending, tuple[object, ...]] | None = None  # a command, and the situation before it
        self._worked: tuple[object, ...] | None = None  # the situation in which the hands have done their work
        self.draft = Draft(draft)
        self._taps: queue.SimpleQueue[tuple[Callable[[], str], Future[str]]] = queue.SimpleQueue()
        self._shown: Values = {}
        self._ending = threading.Event()

    # -- the thread ---------------------------------------------------------------------------------------------------

    def tap(self, tap: Tap) -> Future[str]:
        """What the page asks for; the answer in words, empty if there is nothing to say. A FairshoeError says why
        not."""
        return self._do(lambda: self._obey(tap))

    def _do(self, action: Callable[[], str]) -> Future[str]:
        """In the desk's thread. Only this program can: a page that could send `read` would pass for a card reader."""
        answer: Future[str] = Future()
        self._taps.put((action, answer))
        return answer

    def read(self, card: int) -> None:
        """A card from the reader. What is wrong with it is shown on the page."""
        self._do(lambda: self._read(card))

    def complain(self, text: str) -> None:
        """Something is wrong with the reader."""
        self._do(lambda: self.call(text) or "")

    @property
    def simulated(self) -> bool:
        return self.hands is not None

    @property
    def welcome(self) -> Welcome | None:
        return self.shoe.welcome

    def stop(self) -> None:
        self._ending.set()

    def run(self) -> None:
        """Until `stop`. What fails, as a full disk, is shown, and tried again until its cause is gone. Raised are
        alarms, and what a new program alone can mend, as a device that has halted."""
        while not self._ending.is_set():
            self.attempt()

    def attempt(self) -> None:
        """One turn, or what keeps it from being one, in words."""
        try:
            self.turn()
        except ALARMS:
            raise
        except Exception as error:
            if isinstance(error, FairshoeError) and not isinstance(error, PASSING):
                raise
            self._failed(error)

    def _failed(self, error: Exception) -> None:
        """Say what is wrong, and wait for a moment: the books have nothing of what failed."""
        self.call(_in_words(error))
        self._ending.wait(PAUSE_S)
        while not self._taps.empty():  # a page must not wait for a disk
            self._taps.get()[1].set_exception(UsageError(_in_words(error), "Tap again then."))
        with contextlib.suppress(Exception):  # the books may not be readable now
            self.publish()

    def begin(self) -> None:
        super().begin()
        self.draft.begin(self.number)

    def turn(self) -> None:
        """What the shoe has said, until it is quiet for a moment; then what the page has asked for. First the next
        round, if opening it has failed before."""
        if self.number and self._play().over:
            self._over()
        elif not self.number:
            self.begin()
            self.publish()
        for message in self.shoe.messages(quiet_s=QUIET_S):
            self.heard(message)
            if self.take(message):
                self.shoe.acknowledge()
                self._over()
            if self._ending.is_set() or not self._taps.empty():
                self.shoe.acknowledge()  # before the loop is left: or the event would come again
                break
        self._follow_command()
        self._serve_taps()
        status = self.shoe.status
        if self.checking and self.shoe.up and status is not None and status.state == State.SHUFFLING:
            self._check_cards(self.checking)  # the table does not need the shoe meanwhile
        self.publish()

    def publish(self) -> None:
        self._begin_entry()
        status = self.shoe.status
        self.step = next_step(status) if status is not None else None
        values = desk_values(self)
        if values != self._shown:
            self._shown = values
            self.show(values)

    def _serve_taps(self) -> None:
        while not self._taps.empty():
            action, answer = self._taps.get()
            try:
                said = action()
            except ALARMS as alarm:
                answer.set_exception(alarm)
                raise
            except FairshoeError as error:
                with contextlib.suppress(Exception):  # the books may not be readable now
                    self.publish()  # a card that was refused is shown with the one that it repeats
                answer.set_exception(error)
            except (LookupError, TypeError, ValueError, ArithmeticError):
                answer.set_exception(UsageError("the page sent something that is no tap.", "Reload the page."))
            except Exception as error:  # a full disk, or whatever else: it must not end the table
                answer.set_exception(UsageError(_in_words(error), "Look at the page, and tap again then."))
            else:
                try:
                    self._look_again()
                    self.publish()  # the page shows what has changed before it gets the answer
                except ALARMS:
                    raise
                except Exception as error:  # the tap is booked; what follows from it is tried again
                    self.call(_in_words(error))
                finally:
                    answer.set_result(said)

    def _obey(self, tap: Tap) -> str:
        """Do what a tap asks for; the answer in words."""
        raise NotImplementedError

    def _read(self, card: int) -> str:
        """Take a card from the reader."""
        raise NotImplementedError

    def take(self, message: Message) -> bool:
        if isinstance(message, Status):
            setting = self._under_way is not None and isinstance(self._under_way[0].message, SetPositions)
            if self.tapped is not None or not setting:  # SetPositions does not take the button away
                self.offered = None
            if _situation(message) != self._worked:
                self._worked = None
        if isinstance(message, RoundStarted):
            self.tapped = self.offered = None
            self._closed_at_the_shoe()
        try:
            return super().take(message)
        except (NotYet, NoAnswer):  # the next status says where the shoe is
            return False

    def _tapped_on(self, kind: type[Command]) -> None:
        """The dealer has asked for a command: its button goes."""
        self.tapped, self.offered = kind, None

    def _closed_at_the_shoe(self) -> None:
        """Book what lies on the layout when the dealer has pressed CLOSE at the shoe, and not on the page."""
        play = self._play()
        if play.closed or play.seats or not self.draft.placed:
            return
        taken: list[Input] = []
        for fact in self.draft.inputs():
            try:
                play = apply(play, fact)
                taken.append(fact)
            except UsageError as error:
                self.call(f"betting was closed at the shoe, and a wager is refused: {error.what} {error.advice}")
        self._tell(*taken)

    def _look_again(self) -> None:
        """Act at once on what a tap has changed."""
        status = self.shoe.status
        if status is not None and self.shoe.up:
            self._refused = None
            if self.take(status):
                self._over()

    def _over(self) -> None:
        """Leave the round. If the next one cannot be opened now there is none, and the next turn tries again."""
        self.previous, self.number = self.number, 0
        self.checking = self._unchecked()
        self.tapped = self.offered = None
        self._clear_entry()
        self.begin()

    def _unchecked(self) -> int:
        """The round before, if its cards are to be held against the seed and were not yet; or 0."""
        if self.auditor is None or self.kind.drawn or not self.previous:
            return 0
        if self.shoe_now() != (self.books.header(self.previous).device, self.books.header(self.previous).log):
            return 0  # another shoe
        checked = any(fact.kind == "seed check" for fact in self.books.inputs(self.previous))
        return 0 if checked else self.previous

    # -- what the shoe waits for --------------------------------------------------------------------------------------

    def _status(self, status: Status) -> CommandResult | None:
        if not self.shoe.up or self.silent or self._under_way is not None:
            return None  # a command would wait for the link, and taps with it
        self.refusal = ""
        return super()._status(status)

    def check_share(self) -> bool:
        """Whether the deck inside may be played. The cause is shown with what a supervisor can do; a device that lost
        too many shares is an alarm."""
        try:
            self.shoe.check_deck()
        except DeviceSuspect:
            raise
        except DeckNotShared as error:
            self.refusal = error.what
        return not self.refusal

    def share_text(self) -> str:
        return self.shoe.share_text

    def may_decide(self) -> tuple[str, ...]:
        accept = (ACCEPT_DECK,) if self.offered is CloseBetting and self.refusal else ()
        end = (END_DECK,) if self.shoe.share_open else (NAME_DOOR,) if self.shoe.door_unexplained else ()
        return (*super().may_decide(), *accept, *end)

    def _command(self, step: Step, status: Status) -> CommandResult | None:
        kind = step.command
        if kind in TAPPED.values() and kind is not self.tapped:
            if kind is not CloseBetting or self._play().closed:
                fact = self._ask_and_report()
                if fact is not None:
                    return fact
            self.offered = kind
            if kind is CloseBetting and not self._play().closed and not self.check_share():
                return None
            return self._tell_positions(status) if kind is CloseBetting and not self._play().closed else None
        return super()._command(step, status)

    def _tell_positions(self, status: Status) -> CommandResult | None:
        """Tell the shoe how many seats have wagers while they are placed: the dealer may press CLOSE at the shoe."""
        seats = len(self._play().seats or {seat for seat, _ in self.draft.placed})
        return self._give(SetPositions, positions=seats) if seats and status.positions != seats else None

    def _draw(self) -> CommandResult | None:
        if not self.waiting() and self._play().closed and self.tapped is not EndRound:
            self.offered = EndRound
            return None
        return super()._draw()

    def _give(self, kind: type[Command], **arguments: int) -> CommandResult | None:
        """Start it: a shuffle takes longer than a dealer waits for a page."""
        status = self.shoe.status
        assert status is not None
        try:
            self._under_way = (self.shoe.start(kind, **arguments), situation(status))
        except DeviceSuspect:
            raise
        except DeckNotShared as error:
            self.refusal = error.what
        return None

    def _follow_command(self) -> None:
        """A tap is used up by its command; the first closing of bets ends with the event of the round's start. After a
        refusal the table waits for a change."""
        if self._under_way is None or not self._under_way[0].settled:
            return
        pending, before = self._under_way
        self._under_way = None
        kind = type(pending.message)
        if pending.error is not None:
            self.call(f"{kind.NAME.replace('_', ' ')}: {pending.error.what} {pending.error.advice}")
        elif pending.result is not None and pending.result.done:
            with contextlib.suppress(NoAnswer):  # the link is gone again: the next status says where the shoe is
                self.shoe.status_after(pending.result)
            if kind is self.tapped and (kind is not CloseBetting or self._play().closed):
                self.tapped = None
        else:
            self._refused = before

    def _answered(self, answer: Input) -> CommandResult | None:
        """With the status that follows: the page must not ask again what the shoe has taken."""
        result = super()._answered(answer)
        if result is not None:
            with contextlib.suppress(NoAnswer):
                self.shoe.status_after(result)
        return result

    def _announce(self, ask: Ask) -> None:
        """Once for each card: a status comes twice a second."""
        if ask.key != self._announced:
            self._announced = ask.key
            super()._announce(ask)

    def waiting(self) -> list[Ask]:
        """What is asked of people, the first one now."""
        held = self.held()
        if held is not None or self.voiding():
            return [] if held is None else [held]
        if self._play().void and not self.dealing_on():
            return asks(self._play(), self._dealt())  # before anything is done with the deck
        if self.step is not None and self.step.who == "record" and self._under_way is None:
            acts = [what for what in self.step.records if what in ACTS]
            if acts:
                return [self._act_ask(acts[0], self.step)]
        return asks(self._play(), self._dealt())

    def hand_due(self, step: Step, status: Status) -> None:
        if step.need not in self.unasked:
            return
        if _situation(status) != self._worked:  # a status may be older than what the hands did last
            self._worked = _situation(status)
            self._hands_work(step, status)

    def _hands_work(self, step: Step, status: Status) -> None:
        assert self.hands is not None
        if step.need is Need.DECK:
            self.hands.clear()
        self.hands.hand(step, status)

    def call(self, text: str) -> None:
        if all(known != text for _, known in self.calls):
            self._calls_made += 1
            self.calls = [*self.calls, (self._calls_made, text)][-CALLS_MAX:]

    # -- what is shown, and audited ------------------------------------------------------------------------------------

    def _begin_entry(self) -> None:
        """A new hand begins empty; five cards of a seat whose first three were exposed begin with these."""
        waiting = [ask for ask in self.waiting()[:1] if ask.kind == "cards"]
        key = waiting[0].key if waiting else ""
        if key == self.entry_key:
            return
        self._clear_entry()
        self.entry_key = key
        if waiting:
            before = self.kind.begins_with(self._play(), waiting[0])
            self.entry = [(int(card), str(it.data["source"])) for it in before for card in it.data["cards"]]

    def _clear_entry(self) -> None:
        self.entry, self.entry_key, self.twice = [], "", None

    def back(self) -> None:
        """The shoe answers again."""
        self.reading = 0
        self.linked(True, "")

    @property
    def giving(self) -> type[Command] | None:
        """The command that the shoe has or gets in a moment; None after a refusal: then a person sees to it."""
        if self._under_way is not None:
            return type(self._under_way[0].message)
        due = self.step.command if self.step is not None else None
        return None if self._refused is not None else self.tapped or due

    @property
    def unasked(self) -> tuple[Need, ...]:
        """What simulated hands do by themselves; a warning they clear only when they are asked to."""
        return PLAIN_WORK if self.hands is not None and self.hands_by_themselves else ()

    @property
    def linked_now(self) -> bool:
        return self.shoe.up

    def shown_round(self) -> int:
        """The round whose lines are shown: the open one; the one before until it is closed and every line is done."""
        if not self.previous:
            return self.number
        undone = any(not line.done for line in shown_lines(self.books, self.previous))
        return self.previous if undone or not self._play().closed else self.number

    def open_lines(self) -> list[ShownLine]:
        """Lines that the dealer has not done yet, in their order."""
        return [line for line in shown_lines(self.books, self.shown_round()) if not line.done]

    def _check_cards(self, number: int) -> None:
        """Hold the dealt cards against the disclosed seed, book what was found, and call a person if they differ."""
        self.checking = 0
        assert self.auditor is not None
        self.silent, self.reading = True, number
        self.publish()
        self.linked(False, "the auditor reads the seed of the last deck")
        try:
            found = held_against_seed(
                self.shoe, self.books, number, self._options_of(number), self.auditor, self.inserted, self._while_silent
            )
        except ALARMS:
            raise
        except FairshoeError as error:
            self.call(f"the seed of round {number} could not be read: {error.what} {error.advice}")
            return
        finally:
            self.silent = False
        fact = {"held": found.held, "agrees": found.agrees, "text": found.text}
        self.checking = number  # again, if it cannot be booked now
        self.books.record(number, Input("seed check", "seed check", fact), self._options_of(number))
        self.checking = 0
        if found.held and not found.agrees:
            self.call(f"ALARM, round {number}: {found.text}")

    def _options_of(self, number: int) -> Options:
        """Of a round that may be another than the open one."""
        return self.books.options(number) or self.options

    def _while_silent(self) -> None:
        if not self._taps.empty():
            self._serve_taps()
            self.publish()


def _in_words(error: Exception) -> str:
    if isinstance(error, FairshoeError):
        return f"{error.what} {error.advice}"
    if isinstance(error, (sqlite3.Error, OSError)):
        return f"books or files cannot be written: {error}. Free space or permission; the table goes on by itself"
    return f"something unexpected failed: {error!r}. The books are as before; a supervisor may void the round"


def _situation(status: Status) -> tuple[object, ...]:
    return status.state, status.need, status.round, status.stack
