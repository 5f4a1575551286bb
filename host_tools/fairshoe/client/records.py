"""Records as typed calls: `shoe.records.cut(26, By.DEALER)`. games/record_kinds.py has the kinds and their numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from fairshoe.client.command_queue import CommandResult
from fairshoe.games.record_kinds import By, Delivered, Misdealt, Source
from fairshoe.messages import What
from firmware.protocol.ids import HOUSE_GOES_ON, HOUSE_VOID, REMOVED_ALONE

Outcome = TypeVar("Outcome")


class Records(Generic[Outcome]):
    """Typed calls, one for each kind; each gives the outcome, or what can be awaited for it. `shoe.records` is one of
    these."""

    def __init__(self, give: Callable[[dict[str, int], float], Outcome]) -> None:
        self._give = give

    def put(self, what: What, a: int = 0, b: int = 0, timeout_s: float = 120.0) -> Outcome:
        return self._give({"what": what, "a": a, "b": b}, timeout_s)

    # -- a deck, while it is out --------------------------------------------------------------------------------------

    def inspected(self, deck: int = 1) -> Outcome:
        return self.put(What.INSPECTED, deck)

    def verified(self, deck: int = 1) -> Outcome:
        return self.put(What.VERIFIED, deck)

    def shown(self, deck: int = 1) -> Outcome:
        return self.put(What.SHOWN, deck)

    def washed(self, deck: int = 1) -> Outcome:
        return self.put(What.WASHED, deck)

    def provenance(self, source: Source, deck: int = 1) -> Outcome:
        return self.put(What.PROVENANCE, deck, source)

    def cut(self, cards: int, by: By = By.DEALER) -> Outcome:
        return self.put(What.CUT, cards, by)

    def deck_removed(self, deck: int = 1, replaced: bool = False) -> Outcome:
        """`replaced`: a new deck was inducted in its place; only at a table that keeps no records of induction."""
        return self.put(What.DECK_REMOVED, deck, int(replaced))

    def goes_on_with_one(self, deck: int) -> Outcome:
        """This one of two decks has left the table, which goes on with the other until a new one was inducted."""
        return self.put(What.DECK_REMOVED, deck, REMOVED_ALONE)

    def delivered_wrongly(self, position: int, becomes: Delivered) -> Outcome:
        """`position` is the box that gets the card, or had got it; DEALER where it is the dealer's next card."""
        return self.put(What.DELIVERED_WRONGLY, position, becomes)

    def let_out(self, position: int, cards: int) -> Outcome:
        """The house lets a box that has so many cards out of the hand."""
        return self.put(What.LET_OUT, position, cards)

    def dispute(self, begins: bool, deck: int = 1) -> Outcome:
        return self.put(What.DISPUTE, deck, int(begins))

    def winner_hold(self, begins: bool, deck: int = 1) -> Outcome:
        return self.put(What.WINNER_HOLD, deck, int(begins))

    def house_decision(self, goes_on: bool) -> Outcome:
        """What a supervisor decides about a round in which the machine stopped and no rule says more."""
        return self.put(What.HOUSE_DECISION, HOUSE_GOES_ON if goes_on else HOUSE_VOID)

    # -- the table ----------------------------------------------------------------------------------------------------

    def no_activity(self) -> Outcome:
        return self.put(What.NO_ACTIVITY)

    def out_of_service(self, out: bool) -> Outcome:
        return self.put(What.OUT_OF_SERVICE, int(out))

    # -- a round ------------------------------------------------------------------------------------------------------

    def progressive(self, wagers: int, chips: int) -> Outcome:
        return self.put(What.PROGRESSIVE, wagers, chips)

    def fold(self, position: int) -> Outcome:
        return self.put(What.FOLD, position)

    def second_wager(self, position: int, placed: bool = True) -> Outcome:
        return self.put(What.SECOND_WAGER, position, int(placed))

    def final_deal(self, positions: int) -> Outcome:
        return self.put(What.FINAL_DEAL, positions)

    def stub_counted(self, cards: int, misdealt: Misdealt = Misdealt.NO) -> Outcome:
        return self.put(What.STUB_COUNTED, cards, misdealt)

    def hole_card_seen(self) -> Outcome:
        return self.put(What.HOLE_CARD_SEEN)

    def misdeal(self, position: int, cards: int) -> Outcome:
        """`position` may be DEALER or COMMUNITY; `cards` is what it got."""
        return self.put(What.MISDEAL, position, cards)

    def face_up(self, cards: int = 1) -> Outcome:
        return self.put(What.FACE_UP, cards)

    def drawn_in_error(self, cards: int = 1, seen: bool = False) -> Outcome:
        return self.put(What.DRAWN_IN_ERROR, cards, int(seen))


class ShoeRecords(Records[CommandResult]):
    """The same where a call waits for the outcome."""

    def induction(self, deck: int = 1) -> CommandResult:
        """All four steps at once, for a table system that has seen them; stops at the first that is not taken."""
        result = self.inspected(deck)
        for step in (self.verified, self.shown, self.washed):
            if not result.done:
                break
            result = step(deck)
        return result
