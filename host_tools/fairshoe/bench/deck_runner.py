"""Run decks through a machine: do what its state asks for next, with any hands, until it is empty again.

The device's own events and status say what is done and what comes next, so one operator serves every mechanism and
game.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fairshoe import messages
from fairshoe.bench import hands as hands_
from fairshoe.bench.device import Device
from fairshoe.bench.hands import Hands, Task
from fairshoe.text.advice import BUTTONS, WARNINGS, next_step
from fairshoe.text.describe import words

UNKNOWN = 0xFFFF
MOVES_MAX = 2000  # eight decks drawn one by one
ASKED_MAX = 4
WARNINGS_MAX = 3  # that come back as soon as they are cleared
IDLE_S = 20.0
CATCH_UP_S = 10.0
SHUFFLE_S = 600.0  # eight decks take less than five minutes
_DONE_BY_HAND = {
    messages.Need.TAKE: hands_.TAKE,
    messages.Need.EMPTY_SHOE: hands_.LIFT,
    messages.Need.STUB_COUNT: hands_.press("lock"),  # a test counts right
}


class Overdue(Exception):
    """Something that had to happen did not; the text says what."""


@dataclass
class Deck:
    """The result of one deck."""

    number: int
    loaded: int
    expected: int = 0
    counted: int | None = None
    swept: int | None = None
    verified: bool = False
    refused: bool = False
    dealt: int | None = None
    remainder: int | None = None
    removed: int | None = None
    cut: bool = False
    intake_s: float | None = None
    stack_ms: list[int] = field(default_factory=list[int])
    misfeeds: int = 0
    stalls: int = 0
    warnings: list[str] = field(default_factory=list[str])
    ended: bool = False
    stopped: bool = False  # on purpose, by a drill

    @property
    def out(self) -> int | None:
        """Cards counted on their way out."""
        return None if self.dealt is None or self.remainder is None else self.dealt + self.remainder


class Play:
    """One device, one pair of hands."""

    def __init__(self, device: Device, hands: Hands, kind: str, decks: int = 0) -> None:
        self.device = device
        self.hands = hands
        self.kind = kind
        self.decks = decks  # so many were run before
        self._loaded = 0
        self.cut_at = -1  # a draw shoe's cut card; without one every card is drawn

    def until(self, done: Callable[[], bool], seconds: float, what: str) -> None:
        if not self.device.wait(done, seconds):
            raise Overdue(f"{what} did not come within {seconds:.0f} s; the device is {self._where()}")

    def do(self, task: Task, done: Callable[[], bool]) -> None:
        """Do an action that the device can see, and wait until it has."""
        self.hands.do(task)
        for _ in range(ASKED_MAX):
            if self.device.wait(done, self.hands.patience_s / ASKED_MAX):
                return
            self.hands.again(task)
        raise Overdue(f"after '{task.words}' nothing happened; the device is {self._where()}")

    def rest(self) -> None:
        """Bring the machine to rest: empty, without a warning, waiting for a deck."""
        self._go(lambda: self._idle(), plays=False)
        self._catch_up()

    def deck(self, cards: int, which: str = "") -> Deck:
        """One deck in, through whatever the machine does with it, and out again. `which` says how to make it."""
        device = self.device
        self.decks += 1
        mark = len(device.events)
        self.start(cards, which)
        self._go(lambda: self._over(mark) and self._idle(), plays=True)
        return gather(self.decks, cards, device.events[mark:])

    def stopped_deck(self, mark: int) -> Deck:
        """The deck that was started on after `mark` and that a drill has stopped."""
        self.decks += 1
        deck = gather(self.decks, self._loaded, self.device.events[mark:])
        deck.stopped = True
        return deck

    def start(self, cards: int, which: str = "") -> None:
        """A deck into an idle machine, and green."""
        self.rest()
        self._loaded = cards
        self.hands.do(hands_.load(cards, min(self.cut_at, cards - 1) if self.kind == "draw" else -1, which))
        self.do(hands_.press("green"), lambda: self.device.state != messages.State.WAITING_FOR_DECK)

    def go(self, done: Callable[[], bool]) -> None:
        """From a deck that was started on: whatever the machine asks for, until `done`."""
        self._go(done, plays=True)

    def _catch_up(self) -> None:
        """A status comes at once, events when they are recorded: by the next status all of them have come."""
        device = self.device
        seen = device.statuses
        device.wait(
            lambda: device.statuses > seen and device.status is not None and not device.status.events_waiting,
            CATCH_UP_S,
        )

    def clear_warning(self) -> None:
        """Door open, cards out, door shut, ACK; the machine puts out what it still holds by itself."""
        device = self.device
        device.wait(lambda: self._need() != messages.Need.NONE, CATCH_UP_S)  # the warning is recorded first
        if self._need() == messages.Need.ACKNOWLEDGE:
            # The machine knows where every card is, and counts what it puts out.
            self.do(hands_.press("ack"), lambda: device.state != messages.State.WARNING)
            return
        mark = len(device.events)
        if not _door_open(device.events):
            self.do(hands_.OPEN, lambda: bool(device.since(mark, messages.DoorOpened)))
        self.hands.do(hands_.CLEAR)
        mark = len(device.events)
        self.do(hands_.CLOSE, lambda: bool(device.since(mark, messages.DoorClosed)))
        self.do(hands_.press("ack"), lambda: device.state != messages.State.WARNING)

    def _go(self, done: Callable[[], bool], plays: bool) -> None:
        device = self.device
        device.wait(lambda: device.status is not None, 5.0)
        first = len(device.events)
        for _ in range(MOVES_MAX):
            if done():
                return
            if len(device.since(first, messages.WarningLatched)) > WARNINGS_MAX:
                raise Overdue(f"the machine cannot be brought back; it is {self._where()}")
            before = device.state
            task = self._next(plays)
            if before == messages.State.WARNING:
                self.clear_warning()
            elif task is None:
                self._wait_on(before, done, first)
            else:
                self._move(task, before)
        raise Overdue(f"no end after {MOVES_MAX} moves; the device is {self._where()}")

    def _wait_on(self, before: messages.State, done: Callable[[], bool], first: int) -> None:
        """The machine works by itself, or has nothing to do, which is the end of a deck."""
        device = self.device
        mark = len(device.events)
        idle = before == messages.State.WAITING_FOR_DECK
        if device.wait(
            lambda: device.state != before or len(device.events) > mark or done(), IDLE_S if idle else SHUFFLE_S
        ):
            return
        if not idle:
            raise Overdue(f"{words(before.name)} has no end")
        warned = ", ".join(words(event.warning.name) for event in device.since(first, messages.WarningLatched))
        raise Overdue("the deck was out before it came to that" + (f"; warnings: {warned}" if warned else ""))

    def _move(self, task: Task, before: messages.State) -> None:
        device = self.device
        mark = len(device.events)
        if task.action == "draw":
            self._draw(task)
        elif task.argument == "seat":
            self.do(task, lambda: bool(device.status and device.status.positions) or device.state != before)
        else:
            # By the stack's number: events come later than the status they belong to, and one of the stack before would
            # pass for this one.
            stack = device.status.stack if device.status and before == messages.State.STACK_OFFERED else None
            self.do(
                task,
                lambda: (
                    device.state != before
                    or bool(device.since(mark, messages.HeldBack) or device.since(mark, messages.Recorded))
                    or any(event.stack == stack for event in device.since(mark, messages.StackTaken))
                ),
            )

    def _draw(self, task: Task) -> None:
        """Counts by zone show that a card was drawn; after the last one the machine looks for a while."""
        device = self.device
        drawn = _drawn(device)
        mark = len(device.events)
        self.do(
            task, lambda: _drawn(device) != drawn or len(device.events) > mark or device.state != messages.State.DRAWING
        )

    def _next(self, plays: bool) -> Task | None:
        status = self.device.status
        if status is None:
            return None
        if status.state == messages.State.DRAW_READY and not plays:
            return hands_.LIFT
        if status.state in (messages.State.DRAW_READY, messages.State.DRAWING) and plays and self._spent():
            # In a round it is ended; before one the machine is about to notice.
            return hands_.press("green") if status.state == messages.State.DRAWING else None
        step = next_step(status)
        if step.need in _DONE_BY_HAND:
            return _DONE_BY_HAND[step.need]
        if step.records:
            raise Overdue(f"the game waits for {words(step.need.name)}, which no button of the machine can give")
        if step.need == messages.Need.CLOSE_BETTING and status.state == messages.State.DECK_READY:
            return hands_.press("close" if status.positions else "seat")
        if step.need == messages.Need.DRAW and plays:
            return hands_.DRAW
        # A deck is put in by `start`, with the green that belongs to it.
        command = None if status.state == messages.State.WAITING_FOR_DECK else step.command
        return hands_.press(BUTTONS[command]) if command else None

    def _spent(self) -> bool:
        """Whether the cut card of the shoe in play has shown, or no card is left; the hands know how many they put
        in."""
        for event in reversed(self.device.events):
            if isinstance(event, messages.CutReached):
                return True
            if isinstance(event, messages.DeckLoaded):
                break
        return _drawn(self.device) >= self._loaded

    def _need(self) -> messages.Need:
        return messages.Need.NONE if self.device.status is None else self.device.status.need

    def _idle(self) -> bool:
        status = self.device.status
        return status is not None and status.state == messages.State.WAITING_FOR_DECK and not status.warning

    def _over(self, mark: int) -> bool:
        """The deck is out: its round has ended, or it was handed out, or its warning was cleared."""
        events = self.device.events[mark:]
        if any(isinstance(event, messages.WarningLatched) for event in events):
            return any(isinstance(event, messages.WarningCleared) for event in events)
        if self.kind in ("shelves", "draw"):
            return any(isinstance(event, messages.RemainderTaken) for event in events)
        return any(isinstance(event, messages.RoundEnded) for event in events)

    def _where(self) -> str:
        status = self.device.status
        if status is None:
            return "silent"
        if not status.warning:
            return words(status.state.name)
        advice = WARNINGS[status.warning].advice
        return f"{words(status.state.name)}, warning {words(status.warning.name)}: {advice}"


def gather(number: int, loaded: int, events: list[messages.Event]) -> Deck:
    """What the device's events say about one deck."""
    deck = Deck(number, loaded)
    started: float | None = None
    stack: float | None = None
    for event in events:
        if isinstance(event, messages.ShuffleStarted):
            deck.expected = event.expected
            started = event.uptime
        elif isinstance(event, messages.DeckLoaded):
            deck.expected = event.expected
        elif isinstance(event, messages.DeckVerified):
            deck.counted, deck.swept, deck.verified = event.counted, event.swept, True
            deck.misfeeds += event.misfeeds
            deck.stalls += event.stalls
            deck.intake_s = None if started is None else round(event.uptime - started, 3)
        elif isinstance(event, messages.DeckRefused):
            deck.expected, deck.counted, deck.swept, deck.refused = event.expected, event.counted, event.swept, True
        elif isinstance(event, messages.StackStarted):
            stack = event.uptime
        elif isinstance(event, messages.StackOffered):
            deck.misfeeds += event.misfeeds
            deck.stalls += event.stalls
            if stack is not None:
                deck.stack_ms.append(round((event.uptime - stack) * 1000))
        else:
            _gather_end(deck, event)
    return deck


def _gather_end(deck: Deck, event: messages.Event) -> None:
    if isinstance(event, messages.RemainderReleased):
        deck.remainder = _known(event.counted)
    elif isinstance(event, messages.CutReached):
        deck.cut = True
    elif isinstance(event, messages.RoundEnded):
        if deck.counted is None and (deck.remainder is not None or not event.remainder):
            deck.counted = event.dealt + event.remainder  # by dealing all of it, or by drawing to the last card
        deck.dealt, deck.remainder, deck.ended = event.dealt, _known(event.remainder), True
    elif isinstance(event, messages.WarningLatched):
        deck.warnings.append(words(event.warning.name))
        if event.warning == messages.Fault.MISMATCH:
            deck.refused, deck.counted = True, event.cards_seen
    elif isinstance(event, messages.DeckRemoved):
        deck.removed = _known(event.counted)
    elif isinstance(event, messages.RoundVoided):
        deck.dealt = _known(event.cards_out)


def _known(count: int) -> int | None:
    return None if count == UNKNOWN else count


def _door_open(events: list[messages.Event]) -> bool:
    for event in reversed(events):
        if isinstance(event, (messages.DoorOpened, messages.DoorClosed)):
            return isinstance(event, messages.DoorOpened)
    return False


def _drawn(device: Device) -> int:
    status = device.status
    return 0 if status is None else status.dealt + status.discarded + status.removed
