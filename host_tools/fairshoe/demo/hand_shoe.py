"""The demonstration on a hand-drawn shoe: rounds of Double Attack Blackjack, up to the cut card and after it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fairshoe import messages

if TYPE_CHECKING:
    from fairshoe.demo.table import Table
    from fairshoe.text.screen import Screen

GAME = "double-attack-blackjack"
BOARD = "pico-draw"
SET = 384
CUT_AT = 24  # cards before the cut card: an ordinary shoe has 280, which is no demonstration any more
DRAW_S = 0.6


class Dealer:
    """Draws, calls and reports, as the rules require."""

    def __init__(self, table: Table) -> None:
        self.table = table

    def record(self, what: messages.What, a: int = 0, b: int = 0) -> None:
        self.table.order(messages.Record, after_s=0.5, what=what, a=a, b=b)

    def draw(self, cards: int) -> None:
        self.table.do(*["draw 150"] * cards, after_s=DRAW_S)

    def burn(self) -> None:
        self.draw(1)
        self.table.wait(messages.Recorded)

    def deal(self, boxes: int) -> None:
        """The dealer's card, which closes the betting, and two to each box."""
        self.table.order(messages.SetPositions, positions=boxes)
        self.draw(1)
        self.table.wait(messages.BettingClosed)
        self.draw(2 * boxes)

    def finish(self, cards: int) -> None:
        """Dealer's Card, and so many."""
        self.record(messages.What.DEALER_CARD)
        self.draw(cards)
        self.table.order(messages.EndRound, after_s=1.2)


def play(table: Table, screen: Screen) -> None:
    dealer = Dealer(table)
    screen.heading(f"Act 1: a new shoe of {SET} cards; its first card is burned")
    table.shuffle(f"{SET}:{CUT_AT}")
    dealer.burn()
    screen.heading("Act 2: three boxes; the first card closes the betting")
    dealer.deal(3)
    dealer.draw(2)
    dealer.finish(2)
    screen.heading("Act 3: another dealer burns a card; a ten turns up and is taken out")
    dealer.record(messages.What.DEALER_CHANGE)
    dealer.burn()
    dealer.deal(2)
    dealer.draw(1)
    dealer.record(messages.What.TEN_FOUND, 1)
    dealer.finish(2)
    screen.heading("Act 4: the cut card; the round is finished, then the shoe is")
    dealer.deal(2)  # with the cut card among them, which is no card
    table.wait(messages.CutReached)
    dealer.draw(2)
    dealer.finish(1)
    table.do("lift", after_s=1.2)
    table.wait(messages.RemainderTaken)
    screen.heading("Act 5: rack and rest are counted: the set, without the ten")
    dealer.record(messages.What.STUB_COUNTED, SET - 1)
