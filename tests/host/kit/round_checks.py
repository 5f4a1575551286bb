"""Hold views of rounds against what the device itself says of them."""

from collections.abc import Iterable

from fairshoe.games.rounds import RoundView, Stage, fold
from fairshoe.link import framing
from fairshoe.messages import Event, Fault, RoundEnded, RoundVoided
from firmware.journal.store import Journal


def recorded_events(journal: Journal) -> list[Event]:
    """What a device has recorded and still holds."""
    found: list[Event] = []
    for seq in range(max(1, journal.seq_last - journal.capacity + 1), journal.seq_last + 1):
        message = journal.load(seq)
        event = framing.unpack(message, bytes(journal.buf[4 : 4 + journal.buf[1]])) if message else None
        if isinstance(event, Event):
            found.append(event)
    return found


def folded(events: Iterable[Event], view: RoundView | None = None) -> RoundView:
    view = view or RoundView()
    for event in events:
        view = fold(view, event)
    return view


def check_rounds(events: Iterable[Event]) -> int:
    """Assert that what was folded before the end of each round agrees with what the device says there. Returns how many
    rounds that the machine dealt have ended."""
    view = RoundView()
    dealt = 0
    for event in events:
        before, view = view, fold(view, event)
        if isinstance(event, RoundEnded):
            dealt += bool(before.whole and before.stacks)
            _check_ended(before, view)
        elif isinstance(event, RoundVoided) and event.round:  # 0: before the round of a deck that was handed out
            _check_void(before, view, event)
        if (
            view.number == before.number
            and before.stage is view.stage is Stage.DEALING
            and before.cards.dealt is not None
            and view.cards.dealt is not None
        ):
            assert _all(view) == _all(before), event
    return dealt


def _all(view: RoundView) -> int:
    cards = view.cards
    return (cards.inside or 0) + cards.tray + (cards.dealt or 0) + cards.set_aside + (cards.released or 0)


def _check_ended(before: RoundView, view: RoundView) -> None:
    end = view.end
    assert end is not None and view.stage is Stage.ENDED and not view.open and not view.due
    assert (view.cards.dealt, view.number) == (end.dealt, before.number)
    if before.whole and before.stacks and before.cards.dealt is None:
        assert end.dealt is None, "it went on by hand after the machine had stopped"
    elif before.whole and before.stacks:
        assert (before.cards.dealt, before.cards.released, before.cards.inside) == (end.dealt, end.remainder, 0)
        assert (len(before.taken), before.stub_counted) == (end.stacks, end.stub_counted)
        players = [view.position_of(stack.number) for stack in view.taken if view.game != "HOUSE"]
        assert players[:-1] == list(range(1, len(players))), "all but the last stack are players' in their order"
    elif before.whole:
        assert before.cards.dealt is None, "cards that a hand has drawn or dealt are not known yet"


def _check_void(before: RoundView, view: RoundView, event: RoundVoided) -> None:
    void = view.void
    assert void is not None and void.clause == event.clause and view.stage is Stage.VOID
    # Where power was lost the device does not know what is where; where the count is wrong it knows better.
    if not (before.whole and before.stacks) or void.cards_out is None or event.warning == Fault.MISMATCH:
        return
    cards = before.cards
    aside = cards.set_aside if before.stage is Stage.DEALING else 0
    assert void.cards_out == (cards.dealt or 0) + aside + (cards.released or 0)
    assert cards.inside is not None and void.cards_inside == cards.inside + cards.tray
    assert len(before.taken) == void.stacks_taken
