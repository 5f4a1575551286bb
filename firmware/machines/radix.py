"""Which shelf a card goes to in which pass, so that after the last one the pile lies in exactly the order drawn.

A rank is a card's target position from the bottom of the pile. With a hopper that gives the bottom card first, pass p
sorts by the p-th digit of the rank, lowest first, and each pass keeps the order of the one before. A hopper that gives
the top card first turns the pile over in every pass, so every second digit, counted from the last pass back, is
mirrored.
"""


class Radix:
    """The plan for one deck: passes, base and the digit of every pass."""

    def __init__(self) -> None:
        self.passes = 0
        self.base = 0
        self.top_feed = False
        self.weight = 1  # of this pass's digit
        self.mirrored = False

    def plan(self, cards: int, shelves: int, shelf_cards: int, top_feed: bool) -> bool:
        """As few passes as so many shelves allow, and then no more shelves than they need: shorter ways. False: in one
        of the passes a shelf would have to hold more than it can."""
        self.top_feed = top_feed
        self.passes = 1
        while shelves**self.passes < cards:
            self.passes += 1
        self.base = 1
        while self.base**self.passes < cards:
            self.base += 1
        self.begin(0)
        return self._fullest(cards) <= shelf_cards

    def begin(self, number: int) -> None:
        """The digit of pass `number`, from 0."""
        self.weight = self.base**number
        self.mirrored = self.top_feed and (self.passes - 1 - number) % 2 == 1

    def shelf(self, rank: int) -> int:
        digit = rank // self.weight % self.base
        return self.base - 1 - digit if self.mirrored else digit

    def _fullest(self, cards: int) -> int:
        """How many cards the fullest shelf of any pass holds: that of the digit 0, which comes first in every turn."""
        fullest = 0
        for number in range(self.passes):
            weight = self.base**number
            turn = weight * self.base
            fullest = max(fullest, cards // turn * weight + min(cards % turn, weight))
        return fullest
