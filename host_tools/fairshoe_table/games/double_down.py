"""Double Down Stud: one card each and four in common; a pay table, no dealer's hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from random import Random
from typing import Any

from fairshoe.games.record_kinds import COMMUNITY
from fairshoe_table.play.game import Ask, Dealt, Play, Stake, Text
from fairshoe_table.play.inputs import Cards, Decided, choices
from fairshoe_table.play.irregularities import COMMON, SEATS
from fairshoe_table.play.options import Options
from fairshoe_table.play.stack_game import StackGame
from fairshoe_table.rules.cards import DECK
from fairshoe_table.rules.ledger import Line, Wager
from fairshoe_table.rules.line_shapes import Void, by_row
from fairshoe_table.rules.money import DOLLAR, Lose, Push, To
from fairshoe_table.rules.pay_tables import TABLES, PayTable
from fairshoe_table.rules.poker import hand5, value5
from fairshoe_table.rules.seats import check_adjacent


@dataclass(frozen=True)
class DoubleDownOptions(Options):
    two_areas: bool = False  # DDS 6(c)
    pays: PayTable = TABLES["DDS-10b"]

    cap_clause = "DDS 10(c)"
    cap_floor = 100_000 * DOLLAR
    cap_units = 1000 * 2 * 2  # doubled, on two areas
    tables = {"pays": ("DDS-10b",)}
    takes_coupons = {Wager.ORIGINAL: "DDS 6(a)"}


@dataclass(frozen=True)
class Area:
    """One betting area. `double` is None until the second closing of bets, 0 without a double down wager."""

    seat: int
    original: int
    card: int | None = None
    double: int | None = None

    @property
    def cards(self) -> tuple[int, ...]:
        return () if self.card is None else (self.card,)

    @property
    def stakes(self) -> tuple[tuple[str, int], ...]:
        return ((Wager.ORIGINAL, self.original), (Wager.DOUBLE_DOWN, self.double or 0))


@dataclass(frozen=True)
class Round:
    """`community`: the hole card first, then the three cards that lie face up; without the hole card before it is
    turned over."""

    hands: tuple[Area, ...]
    community: tuple[int, ...] = ()
    void: Void | None = None


# --- the game ----------------------------------------------------------------------------------


Double, Stand = choices("double", "stand")
OWN = Text("own", "enter the card of this seat", "DDS-8b")
UP = Text("up", "enter the three cards that lie face up", "DDS-8c")
DOUBLE = Text("double", "double down?", "DDS-8e", "Double down?")
HOLE = Text("hole", "turn over the hole card", "DDS-9a")


class DoubleDownStud(StackGame):
    name = "double-down-stud"
    options = DoubleDownOptions
    Round, Hand = Round, Area
    fields = {Wager.ORIGINAL: "original"}
    capped = frozenset({Wager.ORIGINAL, Wager.DOUBLE_DOWN})
    choices = (Double, Stand)
    prompts = (OWN, UP, DOUBLE, HOLE)
    misdealt = (SEATS, COMMON)
    seen_early = "The hole card was seen too early"
    closes_again = "close betting again, then turn over the hole card"
    per = "original wager"
    known = {"original": 0.715965, "game": 0.952587}

    def stakes(self, options: DoubleDownOptions) -> tuple[Stake, ...]:
        return (Stake(Wager.ORIGINAL, options.minimum, options.maximum, "DDS-6a", needed=True),)

    def areas_most(self, options: DoubleDownOptions, owners: Mapping[int, str]) -> int:
        most = 2 if options.two_areas else 1
        check_adjacent(owners, most)
        return most

    def asks(self, play: Play, dealt: Dealt) -> Iterator[Ask]:
        round: Round = play.round
        if play.void or not dealt.stacks:
            return
        yield from (Ask("cards", area.seat, OWN, 1) for area in round.hands if area.card is None)
        if not round.community:
            yield Ask("cards", COMMUNITY, UP, 3, part="up")
            return
        # Also after the second closing: the dealer may have closed with the button, and chips lie there unreported.
        undecided = [area for area in sorted(round.hands, key=lambda it: it.seat) if area.double is None]
        for area in undecided:
            most = ((Double.WORD, area.original),)
            yield Ask("decide", area.seat, DOUBLE, choices=(Double.WORD, Stand.WORD), most=most)
        if not undecided and dealt.closings >= 2 and len(round.community) == 3:
            yield Ask("cards", COMMUNITY, HOLE, 1, part="hole")

    def shown(self, play: Play, fact: Cards) -> Play:
        if fact.seat != COMMUNITY:
            return self.change(play, fact.seat, card=fact.cards[0])
        # The hole card comes last and stands first.
        return replace(play, round=replace(play.round, community=(*fact.cards, *play.round.community)))

    def decided(self, play: Play, fact: Decided) -> Play:
        """A double down wager may be less than the original (DDS 1)."""
        original = self.of(play, fact.seat).original
        cents = (original if fact.cents is None else fact.cents) if isinstance(fact, Double) else 0
        return self.change(play, fact.seat, double=cents).stake(fact.seat, {Wager.DOUBLE_DOWN: cents})

    def ready(self, play: Play, live: list[Area]) -> bool:
        """The hole card is turned over."""
        return len(play.round.community) == 4 and all(None not in (area.card, area.double) for area in live)

    def lines(self, play: Play, hand: Area) -> list[Line]:
        row = play.options.pays.row5(value5(*hand.cards, *play.round.community))
        pays = ("DDS 9, 10(b)", play.options.rounding)
        return [by_row(hand.seat, wager, cents, row, *pays) for wager, cents in hand.stakes]

    def lies_at(
        self, play: Play, ask: Ask, stacks: Mapping[int, tuple[int, ...]], rest: tuple[int, ...]
    ) -> tuple[int, ...]:
        lie = super().lies_at(play, ask, stacks, rest)
        return lie if ask.seat != COMMUNITY else lie[:1] if ask.part == "hole" else lie[1:]

    def says(self, hand: Any) -> str:
        return "doubles down" if hand.double else ""

    def decides(self, play: Play, ask: Ask, own: tuple[int, ...]) -> str:
        return Double.WORD if doubles_down(own[0], play.round.community) else Stand.WORD

    def sample(self, options: DoubleDownOptions, rng: Random, unit: int) -> tuple[list[Line], str]:
        card, *community = rng.sample(DECK, 10)[:5]
        double = unit if doubles_down(card, tuple(community[1:])) else 0
        round = Round((Area(1, unit, card, double),), tuple(community))
        return list(self.settled(round, options).lines), str(hand5((card, *community)))


@cache
def _net(value: int) -> int:
    """What one unit wins or loses by the table of Double Down Stud."""
    row = TABLES["DDS-10b"].row5(value)
    match row.odds if row is not None else Lose():
        case To(wins=wins):
            return wins
        case Push():
            return 0
        case _:
            return -1


def doubles_down(card: int, community: tuple[int, ...]) -> bool:
    """Whether the hole cards that are left pay more than they cost."""
    first, second, third = community
    known = (card, first, second, third)
    return sum(_net(value5(card, first, second, third, hole)) for hole in DECK if hole not in known) > 0


GAME = DoubleDownStud()
