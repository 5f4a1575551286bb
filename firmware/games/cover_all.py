"""Cover All: the column of pays for the hands of a round, on a table that has set how hands are counted.

A device whose board config says nothing of Cover All does not carry this module.
"""

from firmware.games.flow import (
    PREPARING,
    RELEASING,
    REMAINDER_OFFERED,
    SHUFFLING,
    WAITING_FOR_DECK,
    WAITING_FOR_ROUND_END,
)
from firmware.games.profile import RULE_COVER_ALL
from firmware.machines.panel import PRESS_SEAT
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.games.profile import Page

_HANDS = ("Royal Flush", "Straight Flush", "4 of a Kind", "Full House", "Flush", "Straight", "3 of a Kind")
_STATES = (REMAINDER_OFFERED, WAITING_FOR_ROUND_END, WAITING_FOR_DECK, PREPARING, SHUFFLING, RELEASING)
_NONE = "no Cover All table"


class CoverAll:
    """The Cover All column of a table that plays it: Flow.cover. Sole writer of its fields."""

    def __init__(self) -> None:
        self.hands = 0  # that take part in the last round of which the rest was released
        self.leaf = 0  # of its pages

    def begin(self, flow: "Flow") -> None:
        """Post the column for the hands of this round; a number of hands without a column gets none."""
        hands = flow.stacks_taken + flow.profile.cover_all - 2  # the table sets whether the dealer's counts
        self.hands = hands
        self.leaf = 0
        column = hands if hands in flow.profile.columns else 0
        flow.outbox.post(ids.EV_COVER_ALL, hands, column, text=flow.profile.clauses[RULE_COVER_ALL])

    def turn(self, flow: "Flow") -> None:
        """Show the next page if SEAT was pressed."""
        if self.hands and flow.panel.take(PRESS_SEAT):
            self.leaf += 1
            flow.redraw()

    def page(self, flow: "Flow") -> "Page | None":
        """The column of this round, two rows a page, with what to do next on each."""
        if not (flow.round_open or flow.tail) or not self.hands or flow.state not in _STATES:
            return None
        column = flow.profile.columns.get(self.hands)
        then = "Take the remainder"
        if flow.state != REMAINDER_OFFERED:
            then = "SEAT more, GREEN end" if flow.tail else "Please wait"
        if column is None:
            return "Cover All: %d hands" % self.hands, _NONE, "", then
        first = self.leaf % 4 * 2
        rows = ["", ""]
        for i in range(2):
            if first + i < len(_HANDS):
                rows[i] = "%s %d:1" % (_HANDS[first + i], column[first + i])
        return "Cover All: %d hands" % self.hands, rows[0], rows[1], then
