"""A shoe of Double Attack Blackjack and the people around it: what the tests of that game share."""

import json

from game_tables import Table
from support import act, board, lock_decide

from firmware.deck.ledger import DEALT, DISCARDED, HOPPER, REMOVED
from firmware.protocol import ids

GAME = "double-attack-blackjack"
INDUCTION = ("tens_removed", "inspected", "verified", "shown", "washed")


def game(cards):
    """The game with a set of so many cards, and cuts that such a set allows."""
    with open("game_profiles/%s.json" % GAME) as file:
        data = json.load(file)
    data["deck_cards"] = cards
    if cards < 96:
        data.update({"cut_top": 4, "cut_bottom": 4})
    return data


class Shoe(Table):
    """A draw shoe that waits for its set; `cards` makes the set a small one."""

    def __init__(self, cards=20, reader=False, face=False, recognises=False, table=None, locked=False, **others):
        config = board("draw")
        if reader:
            config["inputs"].update({"hole_card": 20, "hole_match": 21})
            config["outputs"].update({"read_ace": 8, "read_court": 9})
        if face:
            config["inputs"]["face"] = 22
        if recognises:
            config["sensors"] = {"recognition": True}
        self.cards = cards
        super().__init__(game(cards), "draw", table, config=config, **others)
        if locked:
            lock_decide(self.stage.rig.app)

    def load(self, cut_at=-1, tens=(), cards=0):
        self.stage.act("load", {"cards": cards or self.cards, "cut_at": cut_at, "tens": list(tens)})
        return self.play(("", 300, "press", "green"), ("deck_loaded", 600, "wait", 0))

    def draw(self, times=1):
        for _ in range(times):
            assert self.stage.rig.plant.hand.draw(150)
            self.stage.run(230)
        return self

    def boxes(self, count):
        assert self.command(ids.CMD_SET_POSITIONS, count) == ids.OUTCOME_DONE
        return self

    def green(self):
        return self.play(("", 300, "press", "green"), ("", 300, "wait", 0))

    def peek(self, rank, ms=1000):
        """Into the reader, and out again."""
        act(self.stage, ms, "peek", rank=rank)
        act(self.stage, 300, "peek_end")
        return self

    def lift(self):
        self.stage.rig.plant.lift()
        return self.play(("remainder_taken", 300, "wait", 0))

    def induct(self, source=1):
        for step in INDUCTION:
            assert self.record(step, 1) == ids.OUTCOME_DONE, step
        assert self.record("provenance", 1, source) == ids.OUTCOME_DONE
        return self

    def zones(self):
        """Cards by the facts: dealt, in the rack, in the shoe, taken out."""
        zone = self.flow.ledger.zone
        return zone[DEALT], zone[DISCARDED], zone[HOPPER], zone[REMOVED]

    def last(self, name="recorded"):
        found = self.told(name)
        return found[-1] if found else None

    def noted(self, what, a=0, b=0):
        """Put something on record, which is done; its event."""
        assert self.record(what, a, b) == ids.OUTCOME_DONE, what
        return self.last()

    def count(self, name):
        return len([event for event in self.stage.peer.events if event.name == name])


def dealt(boxes, **options):
    """A round of so many boxes, with all its first cards: burned one, dealt 1 + 2 * boxes."""
    shoe = Shoe(**options).load().boxes(boxes)
    return shoe.draw(2 + 2 * boxes)
