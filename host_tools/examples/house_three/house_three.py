"""House Three: a game of the house on a pay table, as a package of its own. docs/NEW_GAME.md leads through it.

Two cards to each seat and one in the middle. A player who has seen the own cards plays, with a second wager that equals
the ante, or folds. The middle card is turned over, and the pay table settles ante and play wager of three cards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fairshoe.games.record_kinds import COMMUNITY
from fairshoe_table.play.game import Ask, Dealt, Play, Stake, Text
from fairshoe_table.play.inputs import Decided
from fairshoe_table.play.irregularities import COMMON, SEATS
from fairshoe_table.play.options import Options
from fairshoe_table.play.stack_game import StackGame, StackHand
from fairshoe_table.rules.cards import rank, suit
from fairshoe_table.rules.ledger import Line
from fairshoe_table.rules.line_shapes import by_row, lost
from fairshoe_table.rules.money import To
from fairshoe_table.rules.pay_tables import PayTable, Row
from fairshoe_table.rules.poker import hand3
from fairshoe_table.rules.seats import deal_order, settle_order

_PAYS = (
    ("Three-card straight flush", 25),
    ("Three-of-a-kind", 20),
    ("Three-card straight", 4),
    ("Three-card flush", 3),
    ("One pair", 1),
)
PAYS = PayTable("H3-1", "H3 1", tuple(Row(text, To(odds)) for text, odds in _PAYS), approval="HOUSE-2026-04")


class Go(Decided):
    WORD = "play"


class Fold(Decided):
    WORD = "fold"


GO = Text("go", "play or fold?", "H3-4a", "Play or fold?")
MIDDLE = Text("middle", "turn over the card in the middle", "H3-4b")
OWN = Text("own", "turn over the two cards of this seat", "H3-4c")


@dataclass(frozen=True)
class HouseThreeOptions(Options):
    pays: PayTable = PAYS

    tables = {"pays": ("H3-1",)}


class HouseThree(StackGame):
    name = "house-three"
    profile_file = Path(__file__).with_name("house_three.json")
    options = HouseThreeOptions
    choices = (Go, Fold)
    prompts = (GO, MIDDLE, OWN)
    misdealt = (SEATS, COMMON)
    known = {"game": 0.85629}  # per ante, counted over every deal in house_three_test.py

    def stakes(self, options: HouseThreeOptions) -> tuple[Stake, ...]:
        return (Stake("ante", options.minimum, options.maximum, "H3-2a", needed=True),)

    def asks(self, play: Play, dealt: Dealt) -> Iterator[Ask]:
        if play.void or not dealt.stacks or not dealt.rest:
            return
        live: list[StackHand] = [hand for hand in play.round.hands if not hand.void]
        for hand in deal_order(live):
            if hand.choice is None:
                yield Ask("decide", hand.seat, GO, choices=(Go.WORD, Fold.WORD))
                return
        if not play.round.community:
            yield Ask("cards", COMMUNITY, MIDDLE, 1)
        for hand in settle_order(live):
            if hand.choice is Go and not hand.cards:
                yield Ask("cards", hand.seat, OWN, 2)

    def decided(self, play: Play, fact: Decided) -> Play:
        ante = self.of(play, fact.seat).on("ante")
        return self.more(play, fact, {"play": ante} if isinstance(fact, Go) else {})

    def says(self, hand: StackHand) -> str:
        return "" if hand.choice is None else "in" if hand.choice is Go else "folds"

    def lines(self, play: Play, hand: StackHand) -> list[Line]:
        if hand.choice is Fold:
            return [lost(hand.seat, "ante", hand.on("ante"), "H3 4(a)", "fold")]
        if not hand.cards or not play.round.community:
            return []
        row = play.options.pays.row3(hand3(*hand.cards, *play.round.community))
        rounding = play.options.rounding
        return [by_row(hand.seat, wager, cents, row, "H3 5", rounding) for wager, cents in hand.stakes]

    def decides(self, play: Play, ask: Ask, own: tuple[int, ...]) -> str:
        return Go.WORD if plays(*own) else Fold.WORD


def plays(first: int, second: int) -> bool:
    """A pair, one suit, or ranks at most two apart."""
    return suit(first) == suit(second) or abs(rank(first) - rank(second)) <= 2


GAME = HouseThree()
