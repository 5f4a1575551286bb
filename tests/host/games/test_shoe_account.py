"""The account of a shoe of Double Attack Blackjack, against the rule itself: every card is in the shoe, on the table,
in the rack, or was taken out. A state machine draws, burns, finds cards face up and tens, and ends rounds.

The procedure is the device's own; the beams are left out: what they would count is counted in the ledger."""

import json
from array import array
from pathlib import Path
from typing import Any

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

from firmware.deck.ledger import DEALT, DISCARDED, HOPPER, PATH, REMOVED
from firmware.games import flow as states
from firmware.games.drawn.misdeliveries import BURN_PAT_HAND
from firmware.games.drawn.round import BURN_DEALER, BURN_SHOE, Play
from firmware.games.drawn.steps import step_deck_spent, step_draw_ready, step_drawing
from firmware.games.records import record_do, record_objection
from firmware.image import IN_HOPPER, Inputs, Outputs
from firmware.journal.outbox import Outbox
from firmware.machines.panel import PRESS_GREEN
from firmware.machines.spec import Spec
from firmware.protocol import ids
from rig.games import load_profile

ROOT = Path(__file__).parents[3]
BOARD = json.loads((ROOT / "board_configs" / "pico-draw.json").read_text())
GAME = json.loads((ROOT / "game_profiles" / "double-attack-blackjack.json").read_text())
CARDS = 40
STEPS: dict[int, Any] = {
    states.DRAW_READY: step_draw_ready,
    states.DRAWING: step_drawing,
    states.DECK_SPENT: step_deck_spent,
}


class ShoeTable(RuleBasedStateMachine):
    """One shoe. The rule: `hands` of this round, `rack`, and `out` for tens; the rest is in the shoe."""

    @initialize(boxes=st.integers(0, 3))
    def load(self, boxes: int) -> None:
        profile = load_profile({**GAME, "deck_cards": CARDS}).at_table(BOARD)
        self.inp, self.out_image = Inputs(), Outputs()
        self.inp.level[IN_HOPPER] = 1
        self.flow = flow = states.Flow(Spec(BOARD), profile, Outbox(), array("H", [0] * 64))
        flow.room = 10_000
        flow.play = Play(flow)
        flow.machine.rejects = True
        flow.ledger.begin(CARDS)
        flow.outbox.deck = 1
        flow.outbox.post(ids.EV_DECK_LOADED, CARDS, ids.LOADED_SHUFFLED)
        flow.state = states.DRAW_READY
        self.boxes = flow.positions = boxes
        self.hands = self.rack = self.out = self.face_ups = 0
        self.burns = {BURN_SHOE}
        self.void = False
        self.step()

    def step(self) -> None:
        for _ in range(3):
            STEPS[self.flow.state](self.flow, self.inp, self.out_image, 0)
            outbox = self.flow.outbox
            while outbox.count:
                entry = outbox.head()
                self.flow.facts.note(entry.message, entry.values, entry.deck, entry.round)
                outbox.drop_head()

    def record(self, what: int, a: int = 0, b: int = 0) -> bool:
        if record_objection(self.flow, ids.ROLE_TABLE, what, a, b):
            return False
        record_do(self.flow, what, a, b, 0)
        self.step()
        return True

    def playing(self) -> bool:
        return not self.void and self.shoe() > 0

    def shoe(self) -> int:
        return CARDS - self.hands - self.rack - self.out

    def deal(self) -> int:
        return 1 + 2 * (self.boxes or 1)

    @precondition(lambda self: self.playing())
    @rule(face_up=st.sampled_from([False, False, False, True]))
    def draw(self, face_up: bool) -> None:
        machine, ledger = self.flow.machine, self.flow.ledger
        ledger.arrive()
        if face_up:  # the sensor has seen it
            machine.face_ups += 1
            ledger.move(PATH, DISCARDED, 1)
            self.rack += 1
            self.face_ups += 1
        else:
            machine.count += 1
            ledger.move(PATH, machine.zone, 1)
            if self.burns:
                self.rack += 1
                self.burns.remove(min(self.burns))
            else:
                self.hands += 1
        self.step()
        self.judge()

    def judge(self) -> None:
        """The second card of a shoe that lies face up, or the second ten, voids the round and ends the shoe."""
        if self.face_ups > 1 or self.out > 1:
            self.void = True
            assert self.flow.state == states.DECK_SPENT and not self.flow.round_open

    @precondition(lambda self: self.playing() and self.hands > self.flow.play.dealt_before)
    @rule()
    def told_face_up(self) -> None:
        assert self.record(ids.REC_FACE_UP, 1)
        self.hands -= 1
        self.rack += 1
        self.face_ups += 1
        self.judge()

    @precondition(lambda self: self.playing() and self.hands > self.flow.play.dealt_before)
    @rule()
    def ten(self) -> None:
        assert self.record(ids.REC_TEN_FOUND, 1)
        self.hands -= 1
        self.out += 1
        self.judge()

    @precondition(lambda self: self.playing() and self.flow.state == states.DRAWING)
    @rule()
    def burn_on_a_pat_hand(self) -> None:
        """No card of the deal, and not the dealer's second one: without that there is no hand."""
        drawn = self.hands - self.flow.play.dealt_before > self.deal() + 1
        assert self.record(ids.REC_BURNED, 1, BURN_PAT_HAND) == drawn
        if drawn:
            self.hands -= 1
            self.rack += 1

    @precondition(lambda self: self.playing() and self.flow.state == states.DRAWING)
    @rule()
    def drawn_in_error(self) -> None:
        """Seen, it is the next card only after the deal; not seen, once a card has come. It stays where it is."""
        assert self.record(ids.REC_DRAWN_IN_ERROR, 1, 1) == (self.flow.play.draws > self.deal())
        assert self.record(ids.REC_DRAWN_IN_ERROR, 1, 0) == (self.flow.play.draws > 0)

    @precondition(lambda self: self.playing() and self.flow.state == states.DRAWING)
    @rule()
    def end_the_round(self) -> None:
        self.flow.panel.pressed[PRESS_GREEN] += 1
        self.step()
        assert self.flow.state == states.DRAW_READY
        self.flow.positions = self.boxes
        self.flow.play.dealt_before = self.hands

    @precondition(lambda self: self.playing() and self.flow.state == states.DRAW_READY)
    @rule()
    def another_dealer(self) -> None:
        assert self.record(ids.REC_DEALER_CHANGE)
        self.burns.add(BURN_DEALER)

    @precondition(lambda self: not self.playing())
    @rule()
    def shoe_is_over(self) -> None:
        """Nothing follows."""

    @invariant()
    def every_card_is_where_the_rule_says(self) -> None:
        if not hasattr(self, "flow") or self.void:
            return  # a shoe that is over is counted with its rack
        zone = self.flow.ledger.zone
        found = zone[HOPPER], zone[DEALT], zone[DISCARDED], zone[REMOVED]
        assert found == (self.shoe(), self.hands, self.rack, self.out)


@pytest.mark.drawn
def test_every_card_of_a_shoe_is_where_the_rule_says() -> None:
    drawn = settings(max_examples=amount(25, 200), stateful_step_count=50)
    run_state_machine_as_test(ShoeTable, settings=drawn)
