"""How many cards are in which zone. Counts move, they are never set; the sum stays what was counted.

Before a count the hopper holds an expectation, not a fact. Counting brings cards in one by one; `settle` then drops
what is left of the expectation, and from there on the sum is constant until the deck is gone.
"""

from micropython import const

from firmware.fault import FAULT_INTERNAL, require

HOPPER = const(0)
PATH = const(1)
STORE = const(2)
TRAY = const(3)
DEALT = const(4)
DISCARDED = const(5)
RELEASED = const(6)
REMOVED = const(7)
ZONE_COUNT = const(8)

ZONE_NAMES = "hopper path store tray dealt discarded released removed"


class Ledger:
    """Cards of one deck by zone, and the total they must add up to."""

    def __init__(self) -> None:
        self.zone = [0] * ZONE_COUNT
        self.total = 0
        self.counting = False

    def begin(self, expected: int) -> None:
        """A deck said to have `expected` cards lies in the hopper."""
        for i in range(ZONE_COUNT):
            self.zone[i] = 0
        self.zone[HOPPER] = expected
        self.total = 0
        self.counting = True

    def arrive(self) -> None:
        """One card entered the path: seen, whether it was expected or not."""
        require(self.counting, FAULT_INTERNAL)
        if self.zone[HOPPER] > 0:
            self.zone[HOPPER] -= 1
        self.zone[PATH] += 1
        self.total += 1

    def lift(self) -> None:
        """One card of a deck already counted entered the path; one too many shows in the total."""
        if self.zone[HOPPER] > 0:
            self.zone[HOPPER] -= 1
        else:
            self.total += 1
        self.zone[PATH] += 1

    def refill(self, count: int) -> None:
        """Cards of a shoe that were dealt or discarded go back into it, shuffled: expected, and counted once more."""
        discarded = min(self.zone[DISCARDED], count)
        require(self.zone[DEALT] >= count - discarded, FAULT_INTERNAL)
        self.zone[DISCARDED] -= discarded
        self.zone[DEALT] -= count - discarded
        self.zone[HOPPER] += count
        self.total -= count

    def settle(self) -> int:
        """The hopper is empty: what was counted is now the deck. Returns the count."""
        self.counting = False
        self.zone[HOPPER] = 0
        self.check()
        return self.total

    def move(self, source: int, target: int, count: int) -> None:
        require(count >= 0 and self.zone[source] >= count, FAULT_INTERNAL)
        self.zone[source] -= count
        self.zone[target] += count

    def find(self) -> None:
        """A card came out of a store whose content is not known (after a fault or a boot): into the tray with it."""
        if self.zone[STORE] > 0:
            self.zone[STORE] -= 1
        else:
            self.total += 1
        self.zone[TRAY] += 1

    def remove_all(self) -> None:
        """The machine was emptied under a warning: whatever it held is off the table now."""
        if self.counting:
            self.counting = False
            self.zone[HOPPER] = 0  # an expectation that never became a card is no card
        self.move(HOPPER, REMOVED, self.zone[HOPPER])
        self.move(PATH, REMOVED, self.zone[PATH])
        self.move(STORE, REMOVED, self.zone[STORE])
        self.move(TRAY, REMOVED, self.zone[TRAY])

    def inside(self) -> int:
        """Cards the machine holds."""
        return self.zone[HOPPER] + self.zone[PATH] + self.zone[STORE] + self.zone[TRAY]

    def outside(self) -> int:
        """Cards dealt or released to the table in this round."""
        return self.zone[DEALT] + self.zone[DISCARDED] + self.zone[RELEASED]

    def check(self) -> None:
        """Raise Broken if a card has appeared or vanished."""
        total = 0
        for i in range(ZONE_COUNT):
            total += self.zone[i]
        require(self.counting or total == self.total, FAULT_INTERNAL)


class Settled:
    """The round being settled: copies of the machine's figures when its last card was out."""

    def __init__(self) -> None:
        # Written by games/flow.py.
        self.deck = 1
        self.stacks = 0
        self.dealt = 0
        self.rest = 0
        self.machine_round = 0  # what the outbox is about otherwise, kept while an event of the settled round is posted
        self.machine_deck = 0
