"""Where the cards of the deck in play must really be in every state that claims to know, card by card."""

from firmware.deck.ledger import DEALT, DISCARDED, STORE, TRAY
from firmware.games import flow as states
from firmware.protocol import ids
from hal.sim.chassis import CUT_CARD, FOREIGN
from hal.sim.oracle import CardCounts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from hal.api import Config
    from rig.rig import Rig

SETTLE_US = 1300  # the debounce time of firmware/image.py, 1 ms, and a bounce on top
_VERIFIED = (states.DECK_READY, states.DECK_HELD)
_HOLDS = (
    states.DECK_READY,
    states.DECK_HELD,
    states.WAITING_FOR_LOCKOUT,
    states.STACK_OFFERED,
    states.WAITING_FOR_GREEN,
    states.REMAINDER_OFFERED,
    states.WAITING_FOR_ROUND_END,
)
_MOVES_OUT = (states.DISPENSING, states.RELEASING)


class Finding(Exception):
    """An invariant was broken."""


class CardLocations:
    """Knows the order that was drawn and the pile that was fed, and so every card's place from there on."""

    def __init__(self, rig: "Rig", config: "Config") -> None:
        self.rig = rig
        self.plant = rig.plant
        self.kind = config["mechanism"]["kind"]
        self.full = config["mechanism"]["count_assurance"] == "full"
        self.landed = 0
        self.taken_us = -1  # when a hand last emptied the tray
        self.word_false = False  # the door was opened and closed, and cards were left where no beam looks
        self.cleared = False
        self.fresh()
        self.forget()

    def fresh(self) -> None:
        """Forget conditions that explained a count mismatch."""
        self.doubled = False  # two cards have come as one
        self.strewn = False  # the cards in the tray changed, under a beam that only shows blocked or clear

    def forget(self) -> None:
        """Another boot, another deck."""
        self.verified = False
        self.deck: "list[int]" = []  # in the order in which it must come out
        self.touched = True  # the pile is not what was fed
        self.fed: "list[int]" = []
        self.ranks: "list[int]" = []

    # -- what happens ----------------------------------------------------------------------------------------------

    def hand(self, action: str, arguments: "dict[str, object]") -> None:
        plant = self.plant
        if action in ("load", "lift", "clear"):
            self.touched = True
        if action == "clear":
            self.cleared = True
            self.word_false = False
        elif action == "open":
            self.cleared = False
        elif action == "close" and not self.cleared and (self._unseen() or plant.lost):
            self.word_false = True
        elif action == "take" and arguments.get("cards", -1) == -1:
            self.taken_us = plant.now_us if plant.tray else -1
        elif action in ("take", "litter") and plant.tray:
            self.strewn = True

    def watch(self, flow: "Flow") -> None:
        """After every scan, note conditions that later explain a count mismatch."""
        plant = self.plant
        if not self.full and not self.doubled and self.kind != "draw":
            for body in plant.throat.bodies:
                if len(body.cards) > 1:
                    self.doubled = True
        if not self.strewn and plant.tray and (flow.ledger.zone[TRAY] or plant.tray[0] < FOREIGN):
            # What falls onto cards that are already there moves no beam.
            self.strewn = plant.tray[-1] >= FOREIGN
        tray = plant.output_tray
        if plant.tray and self.taken_us >= 0 and 0 <= tray.filled_us - self.taken_us <= SETTLE_US:
            self.strewn = True  # emptied, and the next card fell before a clear beam counts as one
        if tray.late and flow.state not in _MOVES_OUT:
            self.strewn = True  # a card later than its time may fall into any later stack
        if not tray.late:
            self.landed = tray.landed
        elif tray.landed > self.landed + 1:
            # A packet that still hangs over the tray when the next one falls ends up above it: the beam is blocked
            # either way, and no sensor sees the order of a pile.
            self.touched = True

    def entered(self, flow: "Flow", before: int) -> None:
        state = flow.state
        if state == states.PREPARING:
            self.forget()
        elif before == states.PREPARING and (state == states.SHUFFLING or state == states.DECK_READY):
            self._begin(flow)
        if state in _VERIFIED and before != state:
            self._check_verified(flow)
        if state in _MOVES_OUT and not self.plant.tray and not self.plant.output_tray.late:
            self.strewn = False
        if state in _MOVES_OUT and flow.machine.shuffles and not self.verified:
            raise Finding("release: of a deck that was not verified, from " + _word(before))
        if state in _HOLDS and flow.machine.shuffles:
            self._check_store(flow)
        if state == states.STACK_OFFERED:
            self._check_stack(flow)
        elif state == states.REMAINDER_OFFERED:
            self._check_remainder(flow)
        elif state == states.WAITING_FOR_DECK:
            self._check_empty()

    # -- what must be so -------------------------------------------------------------------------------------------

    def _begin(self, flow: "Flow") -> None:
        """The first card has not moved yet."""
        pile = [card for card in self.plant.hopper if card != CUT_CARD]
        if self.plant.source.at_end:
            pile.reverse()
        self.fed = pile
        self.touched = bool(self._unseen())  # a card under the roller comes before the pile
        order = self.rig.app.order
        if flow.machine.shuffles:
            self.ranks = [order[i] for i in range(flow.profile.deck_cards)]
        else:
            self.deck = pile

    def _check_verified(self, flow: "Flow") -> None:
        if not flow.machine.shuffles:
            return
        self.verified = True
        cards = flow.profile.deck_cards
        slots = self.plant.slots
        if self.kind == "carousel":
            # What comes out counts: by the places of the config, wherever they are on a machine that differs.
            slots = [slots[self.plant.axis.slot_of(place)] for place in range(len(slots))]
        inside: "list[int]" = []
        full_slots = 0
        for slot in slots:
            inside += slot
            full_slots += 1 if slot else 0
        lied = self.plant.beams.lied
        sound = not (lied[self.plant.line_opacity] or self.doubled)
        if flow.ledger.zone[STORE] != cards:
            raise Finding("deck: the ledger has %d in the store of %d" % (flow.ledger.zone[STORE], cards))
        if self.kind == "carousel" and full_slots != cards and not lied[self.plant.line_slot]:
            raise Finding("deck: verified with %d slots full, not %d" % (full_slots, cards))
        if sound and len(inside) != cards:
            raise Finding("deck: verified with %d cards, not %d" % (len(inside), cards))
        self.deck = inside
        if sound and not self.touched and inside != self._ordered():
            raise Finding("deck: verified, but not in the order drawn")

    def _ordered(self) -> "list[int]":
        """The fed pile as the drawn order wants it, from the first slot or the bottom on."""
        cards = [-1] * len(self.ranks)
        for i in range(min(len(self.ranks), len(self.fed))):
            cards[self.ranks[i]] = self.fed[i]
        return cards

    def _check_store(self, flow: "Flow") -> None:
        inside = CardCounts(self.plant).store
        if inside != flow.ledger.zone[STORE] and not (self.doubled or self._lied("opacity")):
            facts = (inside, flow.ledger.zone[STORE], _word(flow.state))
            raise Finding("store: %d cards, %d by the facts in %s" % facts)

    def _check_stack(self, flow: "Flow") -> None:
        zone = flow.ledger.zone
        wanted = flow.wanted
        if self.kind == "shoe":
            wanted += flow.machine.feed.face_ups  # each comes out with the stack, and the next card in its place
        if zone[TRAY] != wanted:
            raise Finding("stack: %d offered by the facts, not %d" % (zone[TRAY], wanted))
        gone = zone[DEALT] + zone[DISCARDED]
        self._check_tray(flow, self.deck[gone : gone + wanted], wanted)

    def _check_remainder(self, flow: "Flow") -> None:
        zone = flow.ledger.zone
        where = CardCounts(self.plant)
        self._check_tray(flow, self.deck[zone[DEALT] + zone[DISCARDED] :], zone[TRAY])
        if where.store or (self.kind == "shoe" and where.hopper and not self._lied("hopper")):
            raise Finding("remainder: offered with %d in the store, %d in the hopper" % (where.store, where.hopper))

    def _check_tray(self, flow: "Flow", cards: "list[int]", count: int) -> None:
        """The stack offered is that number of cards, and those; after a hand in the tray neither is checked."""
        if self.strewn or self._lied("tray"):
            return
        tray = list(self.plant.tray)
        if not tray and 0 <= self.plant.now_us - self.taken_us <= 3 * SETTLE_US:
            return  # taken whole, a scan before it was offered: the beam had not settled
        for _due_us, late in self.plant.output_tray.late:
            tray += late
        if self.doubled or self._lied("opacity"):
            if len(tray) < count:
                raise Finding("tray: %d cards offered as %d" % (len(tray), count))
            return
        if len(tray) != count:
            raise Finding("tray: %d cards offered as %d in %s" % (len(tray), count, _word(flow.state)))
        if tray != cards and not self.touched:
            raise Finding("tray: not the cards that were to come in " + _word(flow.state))

    def _check_empty(self) -> None:
        plant = self.plant
        inside = CardCounts(plant).store
        seen = 0
        for track in plant.tracks:
            for body in track.bodies:
                seen += 1 if body.mark > 0 else 0
        if plant.kind == "draw":
            seen = 0  # a hand may be at the cards at any time
        if (inside and not self._lied("slot")) or (seen and not self._any_lied()):
            raise Finding("empty: waits for a deck with %d in the store and %d on the way" % (inside, seen))

    def _lied(self, name: str) -> bool:
        return self.plant.beams.lied[self.plant.lines.index(name)] != 0

    def _any_lied(self) -> bool:
        return any(self.plant.beams.lied)

    def _unseen(self) -> int:
        """Cards on the way that no beam sees: under the pick roller, or between a slot and the exit beam."""
        count = 0
        for track in self.plant.tracks:
            for body in track.bodies:
                count += 1 if body.mark == 0 else 0
        return count


def _word(state: int) -> str:
    return ids.STATE_NAMES.split()[state] if state >= 0 else "the start"
