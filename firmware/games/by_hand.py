"""Rounds of a deck that this device has shuffled and handed out: a dealer deals it from a manual shoe or from the hand.

Every card is out, so such a round lives beside the machine, as the tail of any other: the dealer closes the betting,
confirms the lock-out, closes again where the game asks for it, and ends the round. Nothing that the device could hold
back is left inside; a step out of order is refused, and the round does not end before its steps are made. A device
that deals itself does not carry this module.
"""

from firmware.games.flow import (
    DECK_HELD,
    DRAWING,
    SHUFFLING,
    WAITING_FOR_DECK,
    WAITING_FOR_LOCKOUT,
    WAITING_FOR_ROUND_END,
    WAITING_FOR_WAGERS,
    flow_about_tail,
    flow_committed,
    flow_enter,
)
from firmware.games.prerequisites import hold_for, need_for_cards
from firmware.games.profile import TAIL_HANDED, TAIL_LOCKOUT, TAIL_SETTLING, TAIL_WAGERS
from firmware.games.round_steps import locked_out, round_begin, seat_pressed
from firmware.games.settling import tail_next
from firmware.machines.panel import PRESS_CLOSE, PRESS_LOCK
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.games.profile import Page

_STATES = (WAITING_FOR_DECK, WAITING_FOR_ROUND_END, DECK_HELD, SHUFFLING, DRAWING)


class HandRounds:
    """Rounds of decks that the machine hands out whole: Flow.by_hand."""

    def begin(self, flow: "Flow") -> None:
        """A whole deck was handed out."""
        flow.settle(TAIL_HANDED, flow.outbox.deck, 0, 0, 0)
        flow.seat(0)

    def scan(self, flow: "Flow", now_ms: int) -> None:
        """Take what the dealer presses before the cards of the round are all out."""
        panel = flow.panel
        if not flow_committed(flow):
            return  # the last press is not in the facts yet
        if flow.tail == TAIL_HANDED:
            seat_pressed(flow)
            if panel.take(PRESS_CLOSE) and not flow.hold:
                self.close_betting(flow)
                if not flow.profile.overlaps:
                    flow_enter(flow, WAITING_FOR_ROUND_END, now_ms)
        else:
            flow.show(WAITING_FOR_LOCKOUT)
            pressed = panel.take(PRESS_LOCK)
            flow_about_tail(flow, True)
            if pressed and not hold_for(flow, need_for_cards(flow), pressed):
                locked_out(flow)
                tail_next(flow, TAIL_LOCKOUT)
            flow_about_tail(flow, False)

    def close_betting(self, flow: "Flow") -> None:
        """No more bets: the round begins, with the cards that its plan takes off the deck."""
        profile = flow.profile
        deck = flow.settled.deck
        flow.set_round(flow.round_last + 1, False)
        flow_about_tail(flow, True)
        flow.outbox.round = flow.round_last
        round_begin(flow, deck)
        flow_about_tail(flow, False)
        stacks, dealt, rest = 0, ids.UNKNOWN_U16, 0
        if flow.positions:
            stacks = flow.positions + 1
            dealt = flow.positions * profile.stack_cards + profile.last_cards
            rest = profile.deck_cards - dealt
        flow.settle(TAIL_HANDED, deck, stacks, dealt, rest)
        tail_next(flow, TAIL_HANDED)

    def page(self, flow: "Flow") -> "Page | None":
        state = flow.state
        pages = flow.profile.pages
        if state not in _STATES:
            return None
        if flow.tail == TAIL_HANDED:
            return "Deck is out", "SEAT: positions", "Press CLOSE when", "betting is closed"
        if flow.tail == TAIL_LOCKOUT:
            return pages.get(WAITING_FOR_LOCKOUT, ("Betting closed", "", "Confirm progressive", "lock-out: LOCK"))
        if flow.tail == TAIL_WAGERS:
            return pages.get(WAITING_FOR_WAGERS, ("More wagers", "", "Press CLOSE when", "betting is closed"))
        if flow.tail != TAIL_SETTLING or state == WAITING_FOR_DECK:
            return None
        return pages.get(DRAWING, ("Deal the cards,", "settle the round", "Press GREEN when", "the round is over"))
