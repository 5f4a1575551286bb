"""The account of where the cards are, against the rule itself: every card of the deck is in a hand, in the rack or in
the stub. A state machine deals rounds of all poker games, by the device and by hand, with every irregularity that
people can put on record.

The procedure is the device's own; only motors and beams are left out: what they would move is moved in the ledger."""

import json
from array import array
from pathlib import Path

import pytest
from draws import amount
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from firmware.deck.ledger import PATH, STORE, TRAY
from firmware.games import deck_steps, round_steps
from firmware.games import flow as states
from firmware.games.by_hand import HandRounds
from firmware.games.profile import TAIL_SETTLING, TAIL_WAGERS
from firmware.games.records import record_do, record_objection
from firmware.games.settling import tail_resume
from firmware.games.table_facts import DEALT, FACE_UPS
from firmware.image import Inputs, Outputs
from firmware.journal.outbox import Outbox
from firmware.machines.machine import JOB_DONE
from firmware.machines.panel import PRESS_CLOSE, PRESS_GREEN, PRESS_LOCK
from firmware.machines.spec import Spec
from firmware.protocol import ids
from rig.games import load_profile

BOARD = json.loads((Path(__file__).parents[3] / "board_configs" / "pico-carousel.json").read_text())
DEALER, COMMUNITY = 0, 255
UNNAMED = -1  # hands of the final deal, where it is not on record whose second wagers stand
ASKED = (states.WAITING_FOR_GREEN, states.WAITING_FOR_WAGERS)
UNKNOWN = ids.UNKNOWN_U16
SEATS = st.sampled_from([DEALER, *range(1, 11), COMMUNITY])
POSITIONS = st.integers(1, 10)


class Deck:
    """The rule. `left`: cards that went to a hand; `seen`: what the dealer has found in it."""

    def __init__(self) -> None:
        self.left: dict[int, int] = {}
        self.seen: dict[int, int] = {}
        self.rack = 0

    def deal(self, hand: int, cards: int) -> None:
        self.left[hand] = self.left.get(hand, 0) + cards
        self.seen[hand] = self.seen.get(hand, 0) + cards

    def rest(self) -> int:
        """What the device has left."""
        return self._rest(self.left)

    def stub(self) -> int:
        """What a count must find: with the hands as they were found, the whole deck."""
        return self._rest(self.seen)

    def _rest(self, hands: dict[int, int]) -> int:
        """Records may tell of more cards than a deck has: then none is left."""
        return max(0, 52 - self.rack - sum(hands.values()))


class Table(RuleBasedStateMachine):
    """One round. `over`: void, or its stub was counted."""

    game = ""
    dealing = "shoe"

    @initialize(players=st.integers(1, 9), told=st.booleans())
    def begin(self, players: int, told: bool) -> None:
        profile = load_profile(self.game).at_table({**BOARD, "table": {"dealing": self.dealing}})
        self.inp, self.out = Inputs(), Outputs()
        self.flow = flow = states.Flow(Spec(BOARD), profile, Outbox(), array("H", [0] * 64))
        flow.room = 10_000
        self.players = min(players, flow.profile.positions_max)
        self.deck = Deck()
        self.folded: set[int] = set()
        self.withdrawn: set[int] = set()  # of them, by taking the second wager back
        self.void: set[int] = set()
        self.second: set[int] = set()
        self.final = self.over = self.completed = self.from_rest = False
        self.short: list[int] = []  # hands that wait for a card
        flow.ledger.begin(52)
        for _ in range(52):
            flow.ledger.arrive()
        flow.ledger.move(PATH, STORE, 52)
        flow.ledger.settle()
        flow.outbox.deck = 1
        flow.tray.empty = True
        if profile.mode:
            self.hand_out()
        else:
            flow.state = states.DECK_READY
        flow.positions = self.players if told or profile.mode else 0  # by hand the device knows nothing else
        self.press(PRESS_CLOSE)
        if profile.lockout:
            self.press(PRESS_LOCK)
        if profile.mode:
            self.deal_by_hand()

    def hand_out(self) -> None:
        """The device has shuffled and counted the deck, and the dealer takes it."""
        flow = self.flow
        flow.by_hand = HandRounds()
        flow.outbox.post(ids.EV_DECK_VERIFIED, 52, 52)
        flow.ledger.move(STORE, TRAY, 52)
        flow.state = states.REMAINDER_OFFERED
        self.commit()
        round_steps.step_remainder_offered(flow, self.inp, self.out, 0)
        self.commit()

    def deal_by_hand(self) -> None:
        """The cards of the plan; the device sees none of them."""
        profile = self.flow.profile
        for seat in range(1, self.players + 1):
            self.deck.deal(seat, profile.stack_cards)
        community = profile.closings > 1
        self.deck.deal(COMMUNITY if community else DEALER, profile.last_cards)
        if profile.final_fixed and not profile.final_each:
            self.deck.deal(COMMUNITY, profile.final_fixed)

    # -- the machine, without motors ---------------------------------------------------------------------------

    def commit(self) -> None:
        outbox = self.flow.outbox
        while outbox.count:
            entry = outbox.head()
            self.flow.facts.note(entry.message, entry.values, entry.deck, entry.round)
            self.last = entry.message, list(entry.values)
            outbox.drop_head()

    def press(self, button: int) -> None:
        flow = self.flow
        flow.panel.pressed[button] += 1
        step = {
            states.DECK_READY: round_steps.step_deck_ready,
            states.WAITING_FOR_LOCKOUT: round_steps.step_waiting_for_lockout,
            states.STACK_OFFERED: round_steps.step_stack_offered,
            states.WAITING_FOR_WAGERS: round_steps.step_waiting_for_wagers,
            states.WAITING_FOR_GREEN: round_steps.step_waiting_for_green,
            states.WAITING_FOR_DECK: deck_steps.step_waiting_for_deck,
            states.WAITING_FOR_ROUND_END: round_steps.step_waiting_for_round_end,
        }[flow.state]
        step(flow, self.inp, self.out, 0)
        self.settle()

    def settle(self) -> None:
        flow = self.flow
        zone = flow.ledger.zone
        self.commit()
        if flow.state == states.DISPENSING:
            flow.ledger.move(STORE, TRAY, flow.wanted - zone[TRAY])
            states.flow_enter(flow, states.STACK_OFFERED, 0)
            flow.tray.empty, flow.tray.blocked = False, True
        elif flow.state == states.RELEASING:
            flow.ledger.move(STORE, TRAY, zone[STORE])
            flow.phase, flow.machine.state = round_steps.PHASE_MOVING, JOB_DONE
            round_steps.step_releasing(flow, self.inp, self.out, 0)
            assert self.posted(ids.EV_REMAINDER_RELEASED)[:2] == [zone[TRAY], zone[TRAY]]
            flow.tray.empty = False

    def posted(self, message: int) -> list[int]:
        self.commit()
        assert self.last[0] == message
        return self.last[1]

    def waits(self) -> int:
        """What a round that is dealt by hand waits for."""
        return states.WAITING_FOR_WAGERS if self.flow.tail == TAIL_WAGERS else self.flow.state

    def going(self) -> bool:
        return not self.over and bool(self.flow.round_open or self.flow.tail)

    # -- the deal ----------------------------------------------------------------------------------------------

    @precondition(lambda self: self.going() and self.flow.state == states.STACK_OFFERED)
    @rule()
    def take(self) -> None:
        flow = self.flow
        profile = flow.profile
        cards = flow.ledger.zone[TRAY]
        if flow.extra:
            self.deck.deal(self.short.pop(), cards)
        elif flow.last or flow.stack == self.players + 1:
            self.deck.deal(COMMUNITY if profile.closings > 1 else DEALER, cards)
        else:
            self.deck.deal(flow.stack, cards)
        flow.tray.empty = True
        round_steps.step_stack_offered(flow, self.inp, self.out, 0)
        self.settle()
        if flow.state == states.STACK_OFFERED and not flow.positions and not flow.extra:
            community = profile.closings > 1
            if flow.stack == self.players + (1 if community else 2) and not flow.last:
                self.press(PRESS_GREEN)  # all have their cards: what lies in the tray is the community's, or the rest's

    @precondition(lambda self: self.going() and self.flow.state == states.STACK_OFFERED)
    @rule()
    def take_all(self) -> None:
        while self.flow.state == states.STACK_OFFERED:
            self.take()

    @precondition(lambda self: self.going() and states.WAITING_FOR_WAGERS in (self.flow.state, self.waits()))
    @rule()
    def close_again(self) -> None:
        self.press(PRESS_CLOSE)

    @precondition(lambda self: self.going() and self.short and self.flow.state in ASKED)
    @rule()
    def ask_for_the_card(self) -> None:
        self.press(PRESS_LOCK)
        assert self.flow.state == states.STACK_OFFERED

    @precondition(lambda self: self.going() and self.flow.state == states.WAITING_FOR_GREEN)
    @rule()
    def release(self) -> None:
        self.press(PRESS_GREEN)

    @precondition(lambda self: self.going() and self.flow.state == states.REMAINDER_OFFERED)
    @rule()
    def take_the_rest(self) -> None:
        flow = self.flow
        flow.tray.empty = True
        assert self.final or flow.ledger.zone[TRAY] == self.deck.rest()
        round_steps.step_remainder_offered(flow, self.inp, self.out, 0)
        self.commit()
        self.from_rest = bool(self.short)
        while self.short:
            self.deck.deal(self.short.pop(), 1)
        if flow.profile.final_fixed and not flow.profile.final_each:
            self.deck.deal(COMMUNITY, flow.profile.final_fixed)

    @precondition(lambda self: self.going() and self.flow.tail)
    @rule()
    def lose_power(self) -> None:
        self.flow.settle(self.flow.tail, 1, 0, 0, 0)
        tail_resume(self.flow)

    # -- records -----------------------------------------------------------------------------------------------

    def record(self, what: int, a: int = 0, b: int = 0) -> list[int] | None:
        """The event, or nothing if it is refused."""
        if record_objection(self.flow, ids.ROLE_TABLE, what, a, b):
            return None
        record_do(self.flow, what, a, b, 0)
        entry = self.flow.outbox.head()
        values = list(entry.values)
        self.commit()
        self.over = self.over or not (self.flow.round_open or self.flow.tail)
        return values

    def standing(self) -> set[int]:
        return {seat for seat in self.deck.left if 0 < seat < COMMUNITY} - self.folded - self.void

    def decides(self) -> bool:
        if self.flow.profile.mode:
            return not self.final and self.flow.tail == TAIL_SETTLING
        return not self.final and self.flow.state not in (states.STACK_OFFERED, states.WAITING_FOR_WAGERS)

    @precondition(lambda self: self.going())
    @rule(hand=SEATS)
    def face_up(self, hand: int) -> None:
        if hand not in self.deck.left:
            return
        second = self.flow.facts.row[FACE_UPS] != 0
        told = self.record(ids.REC_FACE_UP, 1)
        assert (told is not None) == (self.flow.state != states.DISPENSING and not self.all_dealt())
        if told is None:
            return
        assert self.over == second
        self.deck.rack += 1
        self.deck.left[hand] -= 1
        self.deck.seen[hand] -= 1
        if self.flow.tail:
            self.deck.deal(hand, 1)
        else:
            self.short.append(hand)

    def all_dealt(self) -> bool:
        """Whether the machine has dealt every card: its rest is out, and no hand waits for a card of it."""
        out = bool(self.flow.tail) or self.flow.state == states.REMAINDER_OFFERED
        due = self.short or self.from_rest
        return out and (self.flow.profile.code, self.dealing) == (b"CS", "shoe") and not due

    @precondition(lambda self: self.going())
    @rule(hand=SEATS, cards=st.integers(0, 8))
    def misdeal(self, hand: int, cards: int) -> None:
        profile = self.flow.profile
        if hand in self.short:
            return  # a hand that waits for a card is not judged
        told = self.record(ids.REC_MISDEAL, hand, cards)
        plays = hand in self.deck.left and hand not in self.void  # a hand is judged also when its player has folded
        if profile.code == b"DDS" and hand == DEALER:
            plays = COMMUNITY in self.deck.left
        if not plays:
            assert told is None
            return
        due = {b"DDS": 1, b"B5": 5 if self.has_final(hand) else 3, b"CS": 5, b"DCP": 2}[profile.code]
        if hand == COMMUNITY or (hand == DEALER and profile.code == b"DDS"):
            due = {b"DDS": 4, b"DCP": 5}[profile.code]
        if told is None:
            unsure = profile.code == b"B5" and not self.final and self.flow.tail and hand == DEALER and cards == 4
            unsure = unsure and not ((self.folded or self.second) and self.standing() - self.second)
            again = self.completed and hand == DEALER and cards == 4
            too_many = cards - due > 52 - self.flow.facts.row[DEALT]
            assert cards == due or unsure or again or too_many or self.flow.state == states.STACK_OFFERED
            return
        assert cards != due
        one = profile.code in (b"B5", b"CS")
        if one and 0 < hand < COMMUNITY:
            assert told[3] == ids.ONE_VOID
            self.void.add(hand)
            self.withdrawn.discard(hand)
            if not self.final:
                self.second.discard(hand)  # a void hand gets no final cards
            self.found(hand, cards)
        elif one and hand == DEALER and due == 5 and cards == 4:
            assert told[3] == ids.COMPLETE_HAND and not self.completed
            self.completed = True
            self.found(hand, cards)
            if self.flow.tail:
                self.deck.deal(hand, 1)
                self.from_rest = True
            else:
                self.short.append(hand)
        else:
            assert self.over

    def has_final(self, hand: int) -> bool:
        """Whether it has cards of the final deal. Without any second wager on record any hand that stands may."""
        unnamed = hand not in self.folded and self.deck.left.get(UNNAMED, 0) > 0
        return self.final and (not hand or hand in self.second or unnamed)

    def found(self, hand: int, cards: int) -> None:
        """What was dealt by hand is as it was found; what the device has counted out has left it."""
        by_hand = 2 if self.has_final(hand) else 0
        if by_hand and hand and hand not in self.second:
            self.deck.deal(UNNAMED, -2)
            self.deck.deal(hand, 2)
        if self.flow.profile.mode:
            self.deck.deal(hand, cards - self.deck.left[hand])
            return
        counted = self.deck.left[hand] - by_hand
        if by_hand:
            self.deck.left[hand] = counted + max(cards - counted, 0)
        self.deck.seen[hand] = cards

    @precondition(lambda self: self.going())
    @rule(hand=POSITIONS)
    def fold(self, hand: int) -> None:
        told = self.record(ids.REC_FOLD, hand)
        stands = hand in self.standing() or hand in self.withdrawn
        allowed = self.flow.profile.code != b"DDS" and self.decides() and stands
        assert (told is not None) == (allowed and self.dealt())
        if told is not None:
            self.folded.add(hand)
            self.withdrawn.discard(hand)
            self.second.discard(hand)

    def dealt(self) -> bool:
        """Whether players can decide: the deal is out, and the rest, where a cross is dealt from it."""
        cross = self.flow.profile.code == b"DCP"
        out = self.flow.state in (states.WAITING_FOR_GREEN, states.REMAINDER_OFFERED)
        return bool(self.flow.tail) or (out and not cross)

    @precondition(lambda self: self.going() and self.flow.profile.final_each)
    @rule(hand=POSITIONS, placed=st.integers(0, 1))
    def second_wager(self, hand: int, placed: int) -> None:
        told = self.record(ids.REC_SECOND_WAGER, hand, placed)
        allowed = self.decides() and self.dealt() and hand in self.standing() and placed != (hand in self.second)
        assert (told is not None) == allowed
        if told is not None:
            (self.second.add if placed else self.second.discard)(hand)
            if not placed:
                self.folded.add(hand)
                self.withdrawn.add(hand)

    @precondition(lambda self: self.going() and self.flow.profile.final_each)
    @rule(hands=st.integers(0, 10))
    def final_deal(self, hands: int) -> None:
        told = self.record(ids.REC_FINAL_DEAL, hands)
        released = self.flow.tail or self.flow.state == states.REMAINDER_OFFERED
        fits = hands == len(self.second) if self.second else hands <= len(self.standing())
        assert (told is not None) == (released and not self.final and fits)
        if told is not None:
            self.final = True
            for hand in self.second or [UNNAMED] * hands:
                self.deck.deal(hand, 2)
            self.deck.deal(DEALER, 2)

    @precondition(lambda self: self.going() and self.flow.tail)
    @rule(off=st.integers(-2, 2), misdealt=st.booleans())
    def count(self, off: int, misdealt: bool) -> None:
        cards = max(self.deck.stub() + off, 0)
        told = self.record(ids.REC_STUB_COUNTED, cards, int(misdealt))
        right = cards == self.deck.stub()
        known = self.final or not self.flow.profile.final_each
        countable = self.flow.profile.stub_rounds != 0 and known and not (right and misdealt)
        assert (told is not None) == countable
        if told is not None:
            assert self.over != right
            self.over = True

    @precondition(lambda self: not self.going())
    @rule()
    def clear_the_table(self) -> None:
        """Nothing follows."""

    @invariant()
    def the_stub_is_what_is_left(self) -> None:
        if not hasattr(self, "flow") or not self.going() or not self.flow.tail:
            return
        known = self.final or not self.flow.profile.final_each
        assert self.flow.facts.stub() == (self.deck.stub() if known else UNKNOWN)


POKER = ("double-down-stud", "boston-5-stud", "caribbean-stud", "double-cross-poker")


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("name", "dealing"),
    [(name, dealing) for name in POKER for dealing in ("shoe", "hand") if (name, dealing) != (POKER[0], "hand")]
    + [(POKER[0], "manual")],
)
def test_every_expected_number_follows_the_cards(name: str, dealing: str) -> None:
    machine = type("TableOf", (Table,), {"game": name, "dealing": dealing})
    drawn = settings(max_examples=amount(25, 200), stateful_step_count=40)
    run_state_machine_as_test(machine, settings=drawn)
