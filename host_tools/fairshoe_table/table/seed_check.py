"""Hold the cards of a round against the seed of its shuffle, which the device discloses when the deck is out of play.

The seed says which card, counted as they were taken in, came out first, second and so on. With the order in which the
deck was inserted that is a face for each card, and so for each stack. The order within a stack, and which end of the
rest a dealer deals from, are not compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from fairshoe import Shoe, Store
from fairshoe.errors import AuditFailed
from fairshoe.games.rounds import RoundView
from fairshoe.journal.seed_audit import NothingDisclosed, Verdict, examine, record_of
from fairshoe.messages import DeckVerified, Event, RoundStarted, SeedIs, Share, ShuffleCommitted, ShuffleNonce
from fairshoe_table.books.books import Books
from fairshoe_table.play.game import Play, name_of
from fairshoe_table.play.options import Options
from fairshoe_table.rules.cards import names
from fairshoe_table.rules.seats import stack_of


@dataclass(frozen=True)
class Check:
    """`held` is False if the cards could not be compared; `text` says why not, or what differs."""

    held: bool
    agrees: bool
    text: str


def held_against_seed(
    shoe: Shoe,
    books: Books,
    number: int,
    options: Options,
    auditor: Path,
    inserted: Sequence[int],
    idle: Callable[[], None],
) -> Check:
    """Read the seed with the auditor's key, and compare the cards of a round that is over. `idle` is called while the
    line is waited for."""
    shoe_round = next((fact.data["round"] for fact in books.inputs(number) if fact.key == "closed"), 0)
    view = shoe.current_round
    disclosed = shoe.seed_for_auditor(auditor, idle)
    store, welcome = shoe.store, shoe.welcome
    if store is None or welcome is None or not disclosed.seq or view.number != shoe_round:
        return Check(False, False, "the device discloses no seed for this round")
    log = bytes.fromhex(books.header(number).log)
    try:
        verdict = verdict_of(store, welcome.device, log, shoe_round, disclosed)
    except AuditFailed as error:
        return Check(True, False, error.what)
    except NothingDisclosed:
        verdict = None
    if verdict is None:
        return Check(False, False, "the device discloses no seed for this round")
    return check(books.play(number, options), view, verdict, inserted)


def verdict_of(store: Store, device: int, log: bytes, shoe_round: int, disclosed: SeedIs) -> Verdict | None:
    """The order of the shuffle with which this round was dealt; None if the seed is of another one."""
    kinds = [RoundStarted, ShuffleCommitted, ShuffleNonce, DeckVerified]
    events = [it.event for it in store.events(device, kinds=kinds, log=log) if isinstance(it.event, Event)]
    started = next((it for it in events if isinstance(it, RoundStarted) and it.round == shoe_round), None)
    if started is None:
        return None
    before = [
        it for it in events if isinstance(it, ShuffleCommitted) and it.deck == started.deck and it.seq < started.seq
    ]
    if not before or before[-1].seq != disclosed.seq:
        return None
    record = record_of(events, disclosed.seq, "the store")
    return examine(disclosed.seed, record, disclosed.cards, device, disclosed.seq)


def check(play: Play, view: RoundView, verdict: Verdict, inserted: Sequence[int]) -> Check:
    """Compare each hand that was entered with the stack that the shuffle gave it."""
    if not verdict.agrees:
        return Check(True, False, "the disclosed seed is not the one that the device committed to")
    if view.face_ups or any(not stack.number for stack in view.stacks):
        return Check(False, False, "cards were replaced in this round: its stacks do not follow from the seed")
    if len(inserted) != len(verdict.places):
        return Check(False, False, "the order in which the deck was inserted is not known")
    out = [inserted[place] for place in verdict.dealt]
    wrong = [
        f"{who}: {names(sorted(odd))} {'was' if len(odd) == 1 else 'were'} not dealt there"
        for who, cards, allowed in _hands(play, out)
        if (odd := set(cards) - allowed)
    ]
    return Check(True, not wrong, "; ".join(wrong) or f"the cards agree with the disclosed seed{_alone(verdict)}")


def _alone(verdict: Verdict) -> str:
    asked = verdict.share in (Share.LATE, Share.DECLINED)
    return ", from which alone the order comes: the device may have chosen it" if asked else ""


def _hands(play: Play, out: Sequence[int]) -> Iterable[tuple[str, Sequence[int], set[int]]]:
    """Each hand: whose, its cards as entered, and the cards that may be in it."""
    each = play.game.profile["stack_cards"]
    stacks = stack_of(play.seats)
    last_at = each * len(stacks)
    rest_at = last_at + play.game.profile.get("last_cards", each)
    for seat, cards in play.game.faces(play).items():
        own = (stacks.get(seat, 1) - 1) * each
        lie = {"own": out[own : own + each], "last": out[last_at:rest_at], "rest": out[rest_at:]}
        yield name_of(seat), cards, {card for place in play.game.places(seat) for card in lie[place]}
