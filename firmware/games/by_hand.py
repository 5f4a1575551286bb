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
from firmware.games.profile import RULE_CLOSING_AGAIN, TAIL_HANDED, TAIL_LOCKOUT, TAIL_SETTLING, TAIL_WAGERS
from firmware.games.round_steps import locked_out, round_begin, seat_pressed
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
                if flow.profile.decks == 1:
                    flow_enter(flow, WAITING_FOR_ROUND_END, now_ms)
        elif flow.tail == TAIL_LOCKOUT:
            flow.show(WAITING_FOR_LOCKOUT)
            pressed = panel.take(PRESS_LOCK)
            flow_about_tail(flow, True)
            if pressed and not hold_for(flow, need_for_cards(flow), pressed):
                locked_out(flow)
                _next(flow, TAIL_LOCKOUT)
            flow_about_tail(flow, False)
        else:
            _close_again(flow)

    def close_betting(self, flow: "Flow") -> None:
        """No more bets: the round begins, with the cards that its plan takes off the deck."""
        profile = flow.profile
        deck = flow.settled.deck
        flow.set_round(flow.round_last + 1, False)
        flow_about_tail(flow, True)
        round_begin(flow, deck)
        flow_about_tail(flow, False)
        if flow.positions:
            dealt = flow.positions * profile.stack_cards + profile.last_cards
            flow.settle(TAIL_HANDED, deck, flow.positions + 1, dealt, profile.deck_cards - dealt)
        _next(flow, TAIL_HANDED)

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


def _close_again(flow: "Flow") -> None:
    """At a draw shoe not before the cards of the plan are out."""
    closed = flow.panel.take(PRESS_CLOSE)
    if flow.state == DRAWING and not flow.play.dealt(flow):
        return
    flow.show(WAITING_FOR_WAGERS)
    if closed:
        flow_about_tail(flow, True)
        flow.outbox.post(ids.EV_BETTING_CLOSED, 2, text=flow.profile.clauses[RULE_CLOSING_AGAIN])
        _next(flow, TAIL_WAGERS)
        flow_about_tail(flow, False)


def _next(flow: "Flow", phase: int) -> None:
    """Go to the next phase and drop earlier presses."""
    flow.set_tail(flow.profile.phase_after(phase))
    flow.show(flow.state)
    flow.redraw()
    flow.panel.clear()
