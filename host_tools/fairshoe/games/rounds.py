"""A round as a value: `fold` adds one event to a RoundView and gives the next RoundView.

    view = RoundView()
    for stored in store.events(device=0x510001):
        view = fold(view, stored.event)
    print(view.number, view.stage.name, view.cards)

A pure function of the events of one log, in their order. Folding a part and then the rest gives the same view as
folding all, and folding an event a second time changes nothing. A number that no event has told is None.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum

from fairshoe import messages
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe.messages import What
from firmware.protocol.ids import UNKNOWN_U8, UNKNOWN_U16

COMMUNITY_GAMES = ("DDS",)  # the last stack is the community's; in all other games the dealer's
_CARD_DUE = (messages.Consequence.COMPLETE_HAND, messages.Consequence.REJECT_CARD)
# The record that gives what a request was held back for.
_GIVEN_BY = {
    What.CUT: messages.Need.CUT,
    What.WASHED: messages.Need.INDUCTION,
    What.PROVENANCE: messages.Need.PROVENANCE,
    What.BURNED: messages.Need.BURN,
    What.STUB_COUNTED: messages.Need.STUB_COUNT,
    What.DISPUTE: messages.Need.DISPUTE,
    What.WINNER_HOLD: messages.Need.DISPUTE,
    What.HOUSE_DECISION: messages.Need.HOUSE_DECISION,
    What.OUT_OF_SERVICE: messages.Need.SERVICE,
    What.PROGRESSIVE: messages.Need.PROGRESSIVE,
}


class Stage(Enum):
    """How far a round has come."""

    NONE = "none"  # no round was seen
    DEALING = "dealing"  # betting is closed, and cards come out
    SETTLING = "settling"  # the rest is out; the dealer settles the round and ends it
    ENDED = "ended"
    VOID = "void"


class StackState(Enum):
    """Where a stack is."""

    STARTED = "started"
    OFFERED = "offered"
    TAKEN = "taken"


@dataclass(frozen=True)
class Stack:
    """One stack of the deal. Number 0 is a single card that a rule made due; `cards` is what was taken, before that
    what was asked for."""

    number: int
    cards: int
    state: StackState


@dataclass(frozen=True)
class Due:
    """What has to happen before the round goes on, and the clause that asks for it."""

    need: messages.Need
    clause: str


@dataclass(frozen=True)
class Cards:
    """Where the cards of the round's deck are; None where no event shows it. Before the first stack nothing is known,
    and in a round that a hand draws or deals nothing until its end."""

    inside: int | None = None  # still in the machine
    tray: int = 0
    dealt: int | None = None  # taken as stacks, or drawn one by one
    set_aside: int = 0  # lay face up, and were replaced
    released: int | None = None  # the rest, once it was taken


@dataclass(frozen=True)
class Void:
    """Why a round is void, and what follows. `hands_kept`: positions whose hands stand all the same; None: not known.
    `cards_out` and `cards_inside` are what the device counted at that moment."""

    clause: str
    consequence: messages.Consequence
    warning: messages.Fault
    hands_kept: tuple[int, ...] | None
    stacks_taken: int | None
    cards_out: int | None
    cards_inside: int | None


@dataclass(frozen=True)
class End:
    """The device's report at the end of a round."""

    stacks: int | None
    dealt: int | None
    remainder: int | None
    stub: int | None
    stub_counted: int | None


@dataclass(frozen=True)
class RoundView:
    """The newest round of a shoe, open or over, as far as events show. `seq` is the last event that it is made of.

    `whole`: its beginning was seen; otherwise stacks and cards are only those that were. `handed_out`: its deck was
    taken out whole, and is dealt by other means. `held` is the last request that the device held back, until what was
    missing is there. `deck_ready` and `deck_handed` are about the next round: cards of the deck that waits in the
    machine, and the deck that was taken out whole."""

    seq: int = 0
    number: int = 0
    stage: Stage = Stage.NONE
    whole: bool = False
    game: str = ""
    deck: int = 0
    positions: int = 0  # 0: not reported
    stacks: tuple[Stack, ...] = ()
    cards: Cards = Cards()
    closings: int = 0
    lockout: tuple[int | None, int | None] | None = None  # progressive wagers accepted, chips collected
    folded: frozenset[int] = frozenset()
    raised: frozenset[int] = frozenset()  # second wagers
    void_hands: frozenset[int] = frozenset()
    face_ups: int = 0
    stub_due: str = ""  # the clause that asks for a count
    stub_counted: int | None = None
    cards_due: tuple[str, ...] = ()  # the clause of each single card that is due
    held: Due | None = None
    void: Void | None = None
    end: End | None = None
    handed_out: bool = False
    deck_ready: int | None = None
    deck_handed: int = 0

    @property
    def open(self) -> bool:
        """Whether the round has begun and is not over."""
        return self.stage in (Stage.DEALING, Stage.SETTLING)

    @property
    def due(self) -> tuple[Due, ...]:
        """What is due: single cards, a count of the stub, and what the last request was held back for."""
        found = [Due(messages.Need.CARD, clause) for clause in self.cards_due]
        if self.stub_due:
            found.append(Due(messages.Need.STUB_COUNT, self.stub_due))
        if self.held is not None and self.held.need not in [it.need for it in found]:
            found.append(self.held)
        return tuple(found) if self.stage is not Stage.VOID else ()

    @property
    def taken(self) -> tuple[Stack, ...]:
        """The stacks that were taken, without single cards."""
        return tuple(stack for stack in self.stacks if stack.number and stack.state is StackState.TAKEN)

    def position_of(self, stack: int) -> int | None:
        """Whose a stack is: a position from 1, DEALER or COMMUNITY (fairshoe.games.record_kinds); None where that is
        not known: for single cards, for the newest stack as long as the number of positions is not set, and for stacks
        beyond the dealer's in a programmed deal."""
        last = self.positions + 1 if self.positions else self._last_stack()
        if stack < 1 or (last is None and stack >= len(self._numbers())):
            return None
        if last is not None and stack >= last:
            return (COMMUNITY if self.game in COMMUNITY_GAMES else DEALER) if stack == last else None
        return stack

    def stack_of(self, position: int) -> Stack | None:
        """The stack that a position, DEALER or COMMUNITY has or is about to get; None before it is dealt."""
        found = [it for it in self.stacks if it.number and self.position_of(it.number) == position]
        return found[0] if found else None

    def _numbers(self) -> list[int]:
        return [it.number for it in self.stacks if it.number]

    def _last_stack(self) -> int | None:
        """The last stack of a deal to unreported positions, once the deal is out."""
        out = self.stage in (Stage.SETTLING, Stage.ENDED) or self.closings > 1 or self.cards.released is not None
        return len(self._numbers()) if out and len(self._numbers()) > 1 else None


def fold(view: RoundView, event: messages.Message) -> RoundView:
    """The view after this event. An event that the view has already changes nothing, and nor does anything that says
    nothing about rounds."""
    if type(event) not in _KINDS or not isinstance(event, messages.Event) or event.seq <= view.seq:
        return view
    view = replace(view, seq=event.seq)
    if isinstance(event, messages.RoundStarted):
        return _started(view, event)
    view = _note_deck(view, event)
    if not event.round or event.round < view.number:
        return view
    if event.round > view.number:
        view = RoundView(view.seq, event.round, Stage.DEALING, deck=event.deck, deck_ready=view.deck_ready)
    step = _STEPS.get(type(event))
    return step(view, event) if step is not None else view


def _started(view: RoundView, event: messages.RoundStarted) -> RoundView:
    return RoundView(
        seq=event.seq,
        number=event.round,
        stage=Stage.DEALING,
        whole=True,
        game=event.game,
        deck=event.deck,
        positions=event.positions,
        closings=1,
        handed_out=event.deck == view.deck_handed != 0,
        deck_ready=view.deck_ready,
    )


def _note_deck(view: RoundView, event: messages.Event) -> RoundView:
    """What happens to the deck in the machine, whichever round it is for."""
    match event:
        case messages.DeckVerified():
            return replace(view, deck_ready=event.counted)
        case messages.DeckLoaded():
            return replace(view, deck_ready=event.expected)
        case messages.RemainderTaken() if not event.round:
            return replace(view, deck_ready=None, deck_handed=0 if view.deck_ready is None else event.deck)
        case messages.ShuffleStarted() if event.deck == view.deck_handed:
            return replace(view, deck_ready=None, deck_handed=0)
        case (
            messages.Booted()
            | messages.ShuffleStarted()
            | messages.RemovalStarted()
            | messages.DeckRefused()
            | messages.DeckRemoved()
        ):
            return replace(view, deck_ready=None)
        case messages.HeldBack():
            return replace(view, held=Due(event.need, event.clause))
        case messages.Recorded() if view.held is not None and _GIVEN_BY.get(event.what) == view.held.need:
            return replace(view, held=None)
        case _:
            return view


def _stack(view: RoundView, event: messages.Event) -> RoundView:
    assert isinstance(event, (messages.StackStarted, messages.StackOffered, messages.StackTaken))
    state = _STACK_STATES[type(event)]
    stacks = view.stacks
    cards = view.cards
    if view.whole and not stacks:
        cards = Cards(inside=view.deck_ready, dealt=0)  # the machine deals this round
    if stacks and stacks[-1].number == event.stack and stacks[-1].state is not StackState.TAKEN:
        stacks = stacks[:-1]
    stacks = (*stacks, Stack(event.stack, event.cards, state))
    view = replace(
        view, stacks=stacks, cards=cards, held=_unless(view.held, messages.Need.PROGRESSIVE, messages.Need.DECISIONS)
    )
    if state is StackState.OFFERED:
        return replace(
            view, cards=replace(cards, tray=event.cards, inside=_add(cards.inside, cards.tray - event.cards))
        )
    if state is StackState.STARTED:
        return view
    due = view.cards_due if event.stack else view.cards_due[1:]
    aside = cards.set_aside + max(cards.tray - event.cards, 0)
    cards = replace(cards, tray=0, dealt=_add(cards.dealt, event.cards), set_aside=aside)
    return replace(view, cards=cards, cards_due=due, held=view.held if due else _unless(view.held, messages.Need.CARD))


def _cards_odd(view: RoundView, event: messages.Event) -> RoundView:
    """A card lies face up in the tray, and one more was dealt in its place. The hand that takes the stack sets it
    aside."""
    assert isinstance(event, messages.CardsOdd)
    if event.warning != messages.Fault.FACE_UP:
        return view
    more = event.found - view.face_ups if view.stacks else 0
    cards = replace(view.cards, tray=view.cards.tray + more, inside=_add(view.cards.inside, -more))
    return replace(view, cards=cards, face_ups=event.found)


def _closed(view: RoundView, event: messages.Event) -> RoundView:
    assert isinstance(event, messages.BettingClosed)
    return replace(view, closings=event.closing)


def _locked_out(view: RoundView, event: messages.Event) -> RoundView:
    assert isinstance(event, messages.LockoutConfirmed)
    lockout = (_known(event.accepted), _known(event.collected))
    return replace(view, lockout=lockout, held=_unless(view.held, messages.Need.PROGRESSIVE))


def _released(view: RoundView, event: messages.Event) -> RoundView:
    assert isinstance(event, messages.RemainderReleased)
    return replace(view, cards=replace(view.cards, inside=0, tray=event.counted))


def _rest_taken(view: RoundView, event: messages.Event) -> RoundView:
    assert isinstance(event, messages.RemainderTaken)
    if not view.stacks:
        return view  # the stub, out of a shoe that is drawn by hand
    cards = replace(view.cards, inside=0, tray=0, released=_known(event.counted))
    stage = Stage.SETTLING if view.stage is Stage.DEALING else view.stage
    return replace(view, cards=cards, stage=stage, cards_due=(), deck_ready=None)


def _going_on(view: RoundView, event: messages.Event) -> RoundView:
    """A request was granted: nothing holds it back any more."""
    return replace(view, held=None)


def _recorded(view: RoundView, event: messages.Event) -> RoundView:
    assert isinstance(event, messages.Recorded)
    position = frozenset({event.a})
    if event.what == What.FACE_UP:
        view = replace(view, face_ups=view.face_ups + event.a)
    match event.what:
        case What.FOLD:
            return replace(view, folded=view.folded | position, raised=view.raised - position)
        case What.SECOND_WAGER:
            return replace(view, raised=view.raised | position if event.b else view.raised - position)
        case What.STUB_COUNTED:
            return replace(view, stub_counted=_known(event.a), stub_due="")
        case What.HOUSE_DECISION if event.consequence == messages.Consequence.PLAY_ON:
            return replace(view, cards=Cards())  # the machine stopped and the round goes on by hand: no count holds
        case What.MISDEAL if event.consequence == messages.Consequence.ONE_VOID:
            view = replace(view, void_hands=view.void_hands | position)
        case _:
            pass
    if event.consequence not in _CARD_DUE or view.stage is not Stage.DEALING or not view.stacks:
        return view
    cards = view.cards
    if event.consequence == messages.Consequence.REJECT_CARD and (cards.dealt or 0) >= event.a:
        cards = replace(cards, dealt=_add(cards.dealt, -event.a), set_aside=cards.set_aside + event.a)
    return replace(view, cards=cards, cards_due=(*view.cards_due, event.clause))


def _stub_due(view: RoundView, event: messages.Event) -> RoundView:
    assert isinstance(event, messages.StubDue)
    return replace(view, stub_due=event.clause)


def _hole_card(view: RoundView, event: messages.Event) -> RoundView:
    return replace(view, held=_unless(view.held, messages.Need.HOLE_CARD))


def _voided(view: RoundView, event: messages.Event) -> RoundView:
    assert isinstance(event, messages.RoundVoided)
    kept = _known(event.hands_kept)
    void = Void(
        event.clause,
        event.consequence,
        event.warning,
        None if kept is None else tuple(bit + 1 for bit in range(kept.bit_length()) if kept >> bit & 1),
        None if event.stacks_taken == UNKNOWN_U8 else event.stacks_taken,
        _known(event.cards_out),
        _known(event.cards_inside),
    )
    return replace(view, stage=Stage.VOID, void=void, held=None, stub_due="", cards_due=())


def _ended(view: RoundView, event: messages.Event) -> RoundView:
    assert isinstance(event, messages.RoundEnded)
    end = End(
        None if event.stacks == UNKNOWN_U8 else event.stacks,
        _known(event.dealt),
        _known(event.remainder),
        _known(event.stub),
        _known(event.stub_counted),
    )
    view = replace(view, stage=Stage.ENDED, end=end, held=None, stub_due="", cards_due=())
    if view.stacks:
        return view
    if view.handed_out:
        return replace(view, cards=Cards(inside=0, dealt=end.dealt, released=end.remainder))
    # A shoe drawn by hand: the rest is for the next round.
    return replace(view, cards=Cards(inside=end.remainder, dealt=end.dealt), deck_ready=end.remainder)


def _add(count: int | None, more: int) -> int | None:
    return None if count is None else count + more


def _unless(held: Due | None, *given: messages.Need) -> Due | None:
    return None if held is not None and held.need in given else held


def _known(count: int) -> int | None:
    return None if count == UNKNOWN_U16 else count


_STACK_STATES = {
    messages.StackStarted: StackState.STARTED,
    messages.StackOffered: StackState.OFFERED,
    messages.StackTaken: StackState.TAKEN,
}
_STEPS: dict[type[messages.Event], Callable[[RoundView, messages.Event], RoundView]] = {
    messages.StackStarted: _stack,
    messages.StackOffered: _stack,
    messages.StackTaken: _stack,
    messages.CardsOdd: _cards_odd,
    messages.BettingClosed: _closed,
    messages.LockoutConfirmed: _locked_out,
    messages.GreenPressed: _going_on,
    messages.ReleaseStarted: _going_on,
    messages.RemainderReleased: _released,
    messages.RemainderTaken: _rest_taken,
    messages.Recorded: _recorded,
    messages.StubDue: _stub_due,
    messages.HoleCardRead: _hole_card,
    messages.RoundVoided: _voided,
    messages.RoundEnded: _ended,
}
_DECK = (
    messages.DeckVerified,
    messages.DeckLoaded,
    messages.Booted,
    messages.ShuffleStarted,
    messages.RemovalStarted,
    messages.DeckRefused,
    messages.DeckRemoved,
    messages.HeldBack,
)
_KINDS: frozenset[type[messages.Message]] = frozenset({*_STEPS, *_DECK, messages.RoundStarted})
