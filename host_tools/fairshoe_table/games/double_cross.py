"""Double Cross Poker: two own cards and one axis of a cross of five, against the dealer's better axis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from random import Random
from typing import Any

from fairshoe.errors import UsageError
from fairshoe.games.record_kinds import COMMUNITY, DEALER
from fairshoe_table.play.game import Ask, Dealt, Place, Play, Stake, Text
from fairshoe_table.play.inputs import Cards, Decided, choices
from fairshoe_table.play.irregularities import COMMON, SEATS
from fairshoe_table.play.options import Options, Range
from fairshoe_table.play.stack_game import StackGame
from fairshoe_table.rules.cards import DECK, QUEEN, rank, suit
from fairshoe_table.rules.ledger import Line, Wager
from fairshoe_table.rules.line_shapes import Void, by_row, lost, pushed, won
from fairshoe_table.rules.money import DOLLAR, To
from fairshoe_table.rules.pay_tables import TABLES, PayTable
from fairshoe_table.rules.poker import describe5, hand3, hand5, value5
from fairshoe_table.rules.seats import settle_order


@dataclass(frozen=True)
class DoubleCrossOptions(Options):
    raise_pays: PayTable = TABLES["DCP-11b"]
    three_pays: PayTable = TABLES["DCP-11c"]

    cap_clause = "DCP 11(d)"
    cap_floor = 60_000 * DOLLAR
    cap_units = 2 * 300 + 1
    tables = {"raise_pays": ("DCP-11b",), "three_pays": ("DCP-11c",)}
    sides = {Wager.BONUS: Range(DOLLAR, 100 * DOLLAR, "DCP 6(d)")}
    takes_coupons = {Wager.ANTE: "DCP 6(a)"}


EVEN = To(1)
# Community cards in the order of the deal: the row from the dealer's left, then the top (farthest from the dealer) and
# the bottom of the middle card (DCP 7(c)(3), ruling `dcp-top`).
LEFT, CENTRE, RIGHT, TOP, BOTTOM = range(5)


class Axis(Enum):
    """Which three community cards a hand uses."""

    VERTICAL = (TOP, CENTRE, BOTTOM)
    HORIZONTAL = (LEFT, CENTRE, RIGHT)


@dataclass(frozen=True)
class Hand:
    """`exposed`: None until the three-card wager is decided. `raised`: None until the player has decided, False after a
    fold; then `axis` is where both raises lie."""

    seat: int
    ante: int
    bonus: int = 0
    cards: tuple[int, ...] = ()
    exposed: bool | None = None
    raised: bool | None = None
    axis: Axis | None = None

    @property
    def stakes(self) -> tuple[tuple[str, int], ...]:
        raised = self.ante if self.raised else 0
        return (
            *((Wager.BONUS, self.bonus), (Wager.ANTE, self.ante)),
            *((Wager.RAISE_1, raised), (Wager.RAISE_2, raised)),
        )

    @property
    def bonus_open(self) -> bool:
        """The three-card wager is not resolved: not decided, or exposed cards that are not entered yet."""
        return bool(self.bonus) and (self.exposed is None or (self.exposed and not self.cards))


@dataclass(frozen=True)
class Round:
    """A community card is None until it is turned over: first the top and the right one, then the other three."""

    hands: tuple[Hand, ...]
    dealer: tuple[int, ...] = ()
    community: tuple[int | None, ...] = (None,) * 5
    void: Void | None = None

    @property
    def complete(self) -> bool:
        return len(self.dealer) == 2 and None not in self.community


def axis_cards(community: tuple[int | None, ...], axis: Axis) -> tuple[int, int, int]:
    found = [community[place] for place in axis.value]
    one, two, three = found
    if one is None or two is None or three is None:
        raise UsageError("a community card is not turned over yet.", "Enter all five first.")
    return one, two, three


def _value(own: tuple[int, ...], community: tuple[int | None, ...], axis: Axis) -> int:
    one, two = own
    return value5(one, two, *axis_cards(community, axis))


def dealers_axis(round: Round) -> Axis:
    """The alignment that yields the higher hand (DCP 10(e)); vertical if both are equal."""
    return max(Axis, key=lambda axis: _value(round.dealer, round.community, axis))


# --- the game ----------------------------------------------------------------------------------


Vertical, Horizontal, Fold = choices("vertical", "horizontal", "fold")
OPEN = Text("open", "turn over the card farthest from you, then the one at your right", "DCP-10a")
EXPOSE = Text("expose", "expose the two cards for the three-card wager?", "DCP-10a")
SHOWN = Text(
    "shown", "enter the two cards that are exposed; they are turned face down again after their wager", "DCP-10a"
)
PLAY = Text("axis", "fold, or play vertical or horizontal?", "DCP-10c1", "Vertical, horizontal or fold?")
REST = Text("rest", "turn over the other three: left, middle, nearest", "DCP-10d")
DEALERS_TWO = Text("dealer", "turn over your two cards", "DCP-10e")
OWN = Text("own", "turn over the two cards of this seat", "DCP-10f")
PLACES = {"open": (TOP, RIGHT), "rest": (LEFT, CENTRE, BOTTOM)}  # community cards, as they are asked for


class DoubleCrossPoker(StackGame):
    name = "double-cross-poker"
    options = DoubleCrossOptions
    Round, Hand = Round, Hand
    fields = {Wager.ANTE: "ante", Wager.BONUS: "bonus"}
    capped = frozenset({Wager.RAISE_1, Wager.RAISE_2})
    choices = (Vertical, Horizontal, Fold)
    prompts = (OPEN, EXPOSE, SHOWN, PLAY, REST, DEALERS_TWO, OWN)
    misdealt = (SEATS, COMMON)
    side = (Wager.BONUS,)
    known = {"bonus": 0.976833, "game": 0.956502}

    def stakes(self, options: DoubleCrossOptions) -> tuple[Stake, ...]:
        return (
            Stake(Wager.ANTE, options.minimum, options.maximum, "DCP-6a", needed=True),
            Stake(Wager.BONUS, *options.side(Wager.BONUS), "DCP-6d"),
        )

    def asks(self, play: Play, dealt: Dealt) -> Iterator[Ask]:
        round: Round = play.round
        if play.void or not dealt.stacks or not dealt.rest:
            return
        hands = sorted(round.hands, key=lambda it: it.seat)
        if round.community[TOP] is None:
            yield Ask("cards", COMMUNITY, OPEN, 2, part="open")
            return
        for hand in hands:
            if hand.bonus and hand.exposed is None:
                yield Ask("expose", hand.seat, EXPOSE)
                return
        unseen = [hand for hand in hands if hand.exposed and not hand.cards]
        yield from (Ask("cards", hand.seat, SHOWN, 2) for hand in unseen)
        undecided = [hand for hand in hands if hand.raised is None]
        if undecided and not unseen:
            yield Ask("decide", undecided[0].seat, PLAY, choices=tuple(it.WORD for it in self.choices))
        if undecided or unseen:
            return
        if round.community[LEFT] is None:
            yield Ask("cards", COMMUNITY, REST, 3, part="rest")
        if not round.dealer:
            yield Ask("cards", DEALER, DEALERS_TWO, 2)
        for hand in settle_order(hands):
            if hand.raised and not hand.cards:
                yield Ask("cards", hand.seat, OWN, 2)

    def shown(self, play: Play, fact: Cards) -> Play:
        if fact.seat != COMMUNITY:
            return super().shown(play, fact)
        community = list(play.round.community)
        for place, card in zip(PLACES[fact.part], fact.cards, strict=True):
            community[place] = card
        return replace(play, round=replace(play.round, community=tuple(community)))

    def decided(self, play: Play, fact: Decided) -> Play:
        if isinstance(fact, Fold):
            return self.change(play, fact.seat, raised=False)
        axis = Axis.VERTICAL if isinstance(fact, Vertical) else Axis.HORIZONTAL
        ante = self.of(play, fact.seat).ante
        raises = {Wager.RAISE_1: ante, Wager.RAISE_2: ante}
        return self.change(play, fact.seat, raised=True, axis=axis).stake(fact.seat, raises)

    def waits(self, hand: Hand) -> bool:
        return hand.bonus_open

    def side_lines(self, play: Play, hand: Hand) -> list[Line]:
        """The three-card wager (DCP 10(a))."""
        top = play.round.community[TOP]
        if play.void or not hand.bonus or hand.bonus_open or (hand.exposed and top is None):
            return []
        if not hand.exposed:
            return [lost(hand.seat, Wager.BONUS, hand.bonus, "DCP 10(a)", "not exposed")]
        one, two = hand.cards
        row = play.options.three_pays.row3(hand3(one, two, top))
        return [by_row(hand.seat, Wager.BONUS, hand.bonus, row, "DCP 10(a), 11(c)", play.options.rounding)]

    def folded(self, play: Play, hand: Hand) -> list[Line]:
        return [lost(hand.seat, Wager.ANTE, hand.ante, "DCP 10(c)(1)", "fold")] if hand.raised is False else []

    def ready(self, play: Play, live: list[Hand]) -> bool:
        decided = play.round.complete and all(hand.raised is not None for hand in live)
        return decided and all(len(hand.cards) == 2 for hand in live if hand.raised)

    def lines(self, play: Play, hand: Hand) -> list[Line]:
        if not hand.raised:
            return []
        if hand.axis is None:
            raise UsageError(f"seat {hand.seat}: a raise without an axis.", "Enter vertical or horizontal.")
        round: Round = play.round
        mine = _value(hand.cards, round.community, hand.axis)
        dealers = _value(round.dealer, round.community, dealers_axis(round))
        wagers = (Wager.ANTE, Wager.RAISE_1, Wager.RAISE_2)
        if mine < dealers:
            why = f"{describe5(dealers)} beats {describe5(mine)}"
            return [lost(hand.seat, wager, hand.ante, "DCP 10(g)(2)", why) for wager in wagers]
        if mine == dealers:
            return [pushed(hand.seat, wager, hand.ante, "DCP 10(g)(3)") for wager in wagers]
        why = f"{describe5(mine)} beats {describe5(dealers)}"
        row = play.options.raise_pays.row5(mine)
        return [
            won(hand.seat, Wager.ANTE, hand.ante, EVEN, "DCP 10(g)(3)", why),
            by_row(hand.seat, Wager.RAISE_1, hand.ante, row, "DCP 11(b)", play.options.rounding),
            by_row(hand.seat, Wager.RAISE_2, hand.ante, row, "DCP 11(b)", play.options.rounding),
        ]

    def places(self, seat: int) -> tuple[str, ...]:
        return ("rest",) if seat == COMMUNITY else super().places(seat)

    def lies_at(
        self, play: Play, ask: Ask, stacks: Mapping[int, tuple[int, ...]], rest: tuple[int, ...]
    ) -> tuple[int, ...]:
        if ask.seat == COMMUNITY:
            return tuple(rest[place] for place in PLACES[ask.part] if place < len(rest))
        return super().lies_at(play, ask, stacks, rest)

    def place(self, play: Play, seat: int) -> Place:
        found = super().place(play, seat)
        return replace(found, shape="cross") if seat == COMMUNITY else found

    def says(self, hand: Any) -> str:
        return "folds" if hand.raised is False else hand.axis.name.lower() if hand.axis is not None else ""

    def decides(self, play: Play, ask: Ask, own: tuple[int, ...]) -> str:
        return axis(own, play.round.community[TOP], play.round.community[RIGHT])

    def sample(self, options: DoubleCrossOptions, rng: Random, unit: int) -> tuple[list[Line], str]:
        cards = rng.sample(DECK, 10)
        own, dealer, community = tuple(cards[:2]), tuple(cards[2:4]), tuple(cards[4:9])
        choice = axis(own, community[TOP], community[RIGHT])
        chosen = None if choice == Fold.WORD else Axis[choice.upper()]
        hand = Hand(1, unit, 100, own, True, chosen is not None, chosen)
        lines = self.settled(Round((hand,), dealer, community), options).lines
        return list(lines), "folded" if chosen is None else str(hand5((*own, *axis_cards(community, chosen))))


def axis(own: tuple[int, ...], top: int, right: int) -> str:
    """How simulated players decide: raise with a pair, a card that matches an open one, or a queen and better."""
    ranks = [rank(card) for card in own]
    worth = ranks[0] == ranks[1] or max(ranks) >= QUEEN or rank(top) in ranks or rank(right) in ranks
    return better_axis(own, top, right) if worth else Fold.WORD


def better_axis(own: tuple[int, ...], top: int, right: int) -> str:
    """The axis that pairs, else the one with three of a suit, else the one with the higher open card."""
    ranks = [rank(card) for card in own]
    pairing = [open for open in (top, right) if rank(open) in ranks]
    flush = [open for open in (top, right) if suit(open) == suit(own[0]) == suit(own[1])]
    best = max(pairing or flush or (top, right), key=rank)
    return Vertical.WORD if best == top else Horizontal.WORD


GAME = DoubleCrossPoker()
