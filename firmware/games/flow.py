"""The state of the procedure, and the moves all steps share: enter a state, wait for storage, stop on a warning, void.

The steps of each state are functions in other modules; none writes `state` but `flow_enter`, and that refuses a change
which SUCCESSORS does not name. So an order of events that was not thought of stops the machine in place of dealing on.
The alternative, each step with its own next state, had 31 such places and no table to hold them against. How a round
ends by a fault stands here too: every warning, at whatever step, passes through `flow_warn`, and a void that a step
could forget would let a round go on.
"""

from micropython import const

from firmware.deck.ledger import Ledger, Settled
from firmware.digest import wipe
from firmware.fault import (
    FAULT_BACK,
    FAULT_BEAM,
    FAULT_CARDS_INSIDE,
    FAULT_ENTROPY,
    FAULT_INTERNAL,
    FAULT_JOURNAL,
    FAULT_MISMATCH,
    FAULT_NONE,
    FAULT_PANEL,
    FAULT_STACK,
    require,
)
from firmware.games.door import Door
from firmware.games.measured import add_length, post_figure
from firmware.games.profile import (
    CLAUSE_NONE,
    EXTRA_TENS_OUT,
    RULE_COUNT,
    RULE_DEAL_FAULT,
    RULE_HOUSE,
    RULE_MISDEAL,
    RULE_NONE,
    RULE_SHUFFLE_FAULT,
    RULE_TWO_DECKS,
    TAIL_HANDED,
    TAIL_HOUSE,
)
from firmware.games.table_facts import EXTRA, NOT_IN, POSITIONS, SHORT, TableFacts
from firmware.image import motors_off
from firmware.machines.kinds import make_machine
from firmware.machines.meters import Meters
from firmware.machines.panel import Panel, panel_lamps
from firmware.machines.tray import Tray
from firmware.protocol import ids
from firmware.ticks import ticks_diff

TYPE_CHECKING = False
if TYPE_CHECKING:
    from array import array
    from typing import Any

    from firmware.games.profile import Profile
    from firmware.image import Outputs
    from firmware.journal.outbox import Outbox
    from firmware.machines.spec import Spec

# In the order of ids.STATE_NAMES, which is what a host sees.
STARTING = const(0)
PROVING_EMPTY = const(1)
WAITING_FOR_DECK = const(2)
PREPARING = const(3)
SHUFFLING = const(4)
DECK_READY = const(5)
WAITING_FOR_LOCKOUT = const(6)
DISPENSING = const(7)
STACK_OFFERED = const(8)
WAITING_FOR_GREEN = const(9)
RELEASING = const(10)
REMAINDER_OFFERED = const(11)
WAITING_FOR_ROUND_END = const(12)
WARNING = const(13)
REMOVING = const(14)
REMOVED_OFFERED = const(15)
DECK_HELD = const(16)  # shuffled, in a machine that does not deal: handed out as a whole
DRAW_READY = const(17)
DRAWING = const(18)
DECK_SPENT = const(19)
WAITING_FOR_WAGERS = const(20)  # all cards of the deal are out, and betting has to be closed once more
STATE_COUNT = const(21)

# The states that may follow each state, by its number; WARNING may follow every state. docs/PROCEDURE.md shows them.
SUCCESSORS = (
    (PROVING_EMPTY,),  # STARTING
    (WAITING_FOR_DECK, WAITING_FOR_ROUND_END),  # PROVING_EMPTY
    (PROVING_EMPTY, PREPARING, WAITING_FOR_ROUND_END),  # WAITING_FOR_DECK
    (SHUFFLING, DECK_READY, DRAW_READY),  # PREPARING
    (DECK_READY, DECK_HELD),  # SHUFFLING
    (WAITING_FOR_LOCKOUT, DISPENSING, WAITING_FOR_GREEN),  # DECK_READY
    (DISPENSING,),  # WAITING_FOR_LOCKOUT
    (STACK_OFFERED,),  # DISPENSING
    (DISPENSING, WAITING_FOR_WAGERS, WAITING_FOR_GREEN, RELEASING),  # STACK_OFFERED
    (DISPENSING, RELEASING, WAITING_FOR_GREEN),  # WAITING_FOR_GREEN
    (REMAINDER_OFFERED,),  # RELEASING
    (WAITING_FOR_DECK, WAITING_FOR_ROUND_END),  # REMAINDER_OFFERED
    (WAITING_FOR_DECK,),  # WAITING_FOR_ROUND_END
    (REMOVING,),  # WARNING
    (REMOVED_OFFERED,),  # REMOVING
    (PROVING_EMPTY,),  # REMOVED_OFFERED
    (RELEASING, WAITING_FOR_GREEN),  # DECK_HELD
    (DRAWING, DECK_SPENT),  # DRAW_READY
    (DRAW_READY, DECK_SPENT, WAITING_FOR_ROUND_END),  # DRAWING
    (WAITING_FOR_DECK,),  # DECK_SPENT
    (DISPENSING, WAITING_FOR_GREEN),  # WAITING_FOR_WAGERS
)

ORDER_NONE = const(0)
ORDER_WANTED = const(1)  # the app draws it while nothing moves: crypto allocates
ORDER_READY = const(2)
ORDER_FAILED = const(3)
ORDER_OFFERED = const(4)  # committed to a seed; the table may give its nonce

# In these a mismatch is a deck that was lifted out of a shoe: nothing was counted, and the shoe cannot go on.
_UNCOUNTED = (WAITING_FOR_LOCKOUT, STACK_OFFERED, WAITING_FOR_GREEN, WAITING_FOR_WAGERS)

COMMIT_MS_MAX = const(2000)  # storage that takes longer has failed

# Faults after which the beams see every card: each is in a slot, the hopper or the tray. After any other a
# card may lie where no beam looks, and only a person who opened the door can know that it does not.
BEAMS_SUFFICE = (FAULT_MISMATCH, FAULT_CARDS_INSIDE, FAULT_ENTROPY, FAULT_JOURNAL, FAULT_BEAM, FAULT_PANEL)


class Flow:
    """One device at one table. Each group of fields names the one module that assigns them; tests/style checks it."""

    def __init__(self, spec: "Spec", profile: "Profile", outbox: "Outbox", order: "array[int]") -> None:
        # Parts, assigned here alone.
        self.spec = spec
        self.profile = profile
        self.outbox = outbox
        self.order = order
        self.ledger = Ledger()
        self.meters = Meters()
        self.tray = Tray(spec, self.ledger)
        self.machine = make_machine(spec, self.ledger, self.meters, self.tray, order)
        self.panel = Panel()
        self.door = Door()
        self.facts = TableFacts(profile)
        self.settled = Settled()
        self.facts.once = not self.machine.draws
        if profile.extras & EXTRA_TENS_OUT and self.machine.shuffles:
            self.machine.feed.faces.tens_out = True
        self._clear()

    def _clear(self) -> None:
        # Written by games/procedure.py, at boot.
        self.steps: "Any" = ()  # the step of each state
        self.play: "Any" = None  # Play, where a dealer draws by hand
        self.by_hand: "Any" = None  # HandRounds, where decks are handed out
        self.cover: "Any" = None  # CoverAll, where the table plays it
        # Written by games/flow.py: where the procedure stands, and what stops it, and the rounds.
        self.state = STARTING
        self.shown = STARTING  # the state as a host sees it: what the dealer does next in a round dealt by hand
        self.phase = 0  # a step's own progress, 0 when the state is entered
        self.entered_ms = 0
        self.page_due = True  # the display is out of date
        self.warning = FAULT_NONE  # latched until the machine has been proved empty
        self.sensor = 0  # the input it is about, counted from 1; 0: none
        self.hold = FAULT_NONE  # shown while it lasts: no card or event is lost, but the next round may not start
        self.need = ids.NEED_NONE  # what a rule requires first, shown until it is met
        self.rule_posted = RULE_NONE  # the rule by which the need was last posted
        self.rule = RULE_HOUSE  # by which the cards inside have to come out
        self.order_state = ORDER_NONE
        self.round_last = 0
        self.round_open = False  # with cards of it in the machine
        self.tail = 0  # TAIL_...: all of them are out, and the dealer has not ended it, whatever the machine does
        self.positions = 0
        # Written by recorder.py.
        self.room = 0  # events the journal can still take
        # Written by games/deck_steps.py.
        self.report_ms = 0  # from the start of the shuffle to its result, as announced to the host
        # Written by games/shuffle_steps.py.
        self.due_ms = 0  # the same with misfeeds and stalls; a status must not show it: it becomes known with the cards
        # Written by games/round_steps.py: the stack under way.
        self.stack = 0
        self.wanted = 0  # its cards
        self.asked = 0  # of them from the machine: the others lie in the tray already
        self.last = False  # it is the community's, which green has asked for
        self.extra = 0  # it is a single card that a rule makes due: the state to which play returns
        self.stacks_taken = 0

    def redraw(self, page_due: bool = True) -> None:
        self.page_due = page_due

    def set_phase(self, phase: int) -> None:
        self.phase = phase

    def set_entered(self, now_ms: int) -> None:
        self.entered_ms = now_ms

    def set_hold(self, hold: int) -> None:
        self.hold = hold

    def hold_without_room(self) -> None:
        """Hold the next round while the journal could not take all of its events."""
        self.hold = FAULT_NONE if self.room >= self.profile.round_events else FAULT_JOURNAL

    def set_need(self, need: int, rule_posted: int) -> None:
        self.need = need
        self.rule_posted = rule_posted

    def set_order(self, order_state: int) -> None:
        self.order_state = order_state

    def set_round(self, round_last: int, round_open: bool) -> None:
        self.round_last = round_last
        self.round_open = round_open

    def seat(self, positions: int) -> None:
        self.positions = min(positions, self.profile.positions_max)

    def settle(self, tail: int, deck: int, stacks: int, dealt: int, rest: int) -> None:
        """The cards of a round are all out: settle it without the machine."""
        settled = self.settled
        settled.deck, settled.stacks = deck, stacks
        settled.dealt, settled.rest = dealt, rest
        self.round_open = False
        self.tail = tail

    def show(self, state: int) -> None:
        self.shown = state

    def set_tail(self, tail: int) -> None:
        self.tail = tail
        if not tail and self.play is not None:
            self.outbox.round = 0  # what follows is of no round


def flow_enter(flow: Flow, state: int, now_ms: int) -> int:
    """Go to a state; presses made before it do not count for it. Returns 0: scan again at once."""
    require(state == WARNING or state in SUCCESSORS[flow.state], FAULT_INTERNAL)
    flow.state = flow.shown = state
    flow.set_need(ids.NEED_NONE, RULE_NONE)
    flow.page_due = True
    if state in (WAITING_FOR_DECK, WARNING):  # no deck is in play: store the meters
        flow.meters.dirty = True
    flow.phase, flow.entered_ms = 0, now_ms
    flow.panel.clear()
    return 0


def flow_idle(flow: Flow, now_ms: int) -> int:
    """The machine is empty. A table with one deck waits for the end of the round; with two the other one may come."""
    settling = flow.tail and flow.tail != TAIL_HANDED and not flow.profile.overlaps
    return flow_enter(flow, WAITING_FOR_ROUND_END if settling else WAITING_FOR_DECK, now_ms)


def flow_about_tail(flow: Flow, about: bool) -> None:
    """Post the next events about the round that is being settled, or about the machine again."""
    outbox = flow.outbox
    settled = flow.settled
    if about:
        settled.machine_round, settled.machine_deck = outbox.round, outbox.deck
        outbox.round = flow.round_last if flow.tail != TAIL_HANDED else 0  # which no round has begun with
        outbox.deck = settled.deck
    elif flow.profile.overlaps:
        outbox.round, outbox.deck = settled.machine_round, settled.machine_deck


def flow_committed(flow: Flow) -> bool:
    """Whether everything announced so far is durable, so that cards may move."""
    return flow.outbox.count == 0


def flow_await_commit(flow: Flow, out: "Outputs", now_ms: int) -> int:
    """Wait for storage or for a nonce, up to a limit: nothing may start by itself when a failed chip works later."""
    left_ms = COMMIT_MS_MAX - ticks_diff(now_ms, flow.entered_ms)
    if left_ms <= 0:
        if flow.order_state != ORDER_OFFERED:
            return flow_warn(flow, out, FAULT_JOURNAL, now_ms)
        flow.order_state = ORDER_WANTED  # no nonce came in time: draw without
        flow.entered_ms = now_ms
    return max(left_ms, 0)


def flow_warn(flow: Flow, out: "Outputs", fault: int, now_ms: int, sensor: int = 0) -> int:
    """Stop the motors; post the warning; then how the job and the round ended: power may be lost before that."""
    motors_off(out)
    out.halt = True
    flow.hold = FAULT_NONE
    flow.door.ask(fault not in BEAMS_SUFFICE)
    flow.machine.stop(out)
    wipe(flow.order)
    flow.order_state = ORDER_NONE
    flow.warning, flow.sensor = fault, sensor
    flow.outbox.post(ids.EV_WARNING_LATCHED, fault, flow.ledger.total, sensor)
    add_length(flow.spec, flow.outbox)
    _end_by_fault(flow, fault)
    post_figure(flow.spec, flow.outbox)
    panel_lamps(out, 0, 0, 1)
    return flow_enter(flow, WARNING, now_ms)


def flow_cut_short(flow: Flow, intent: int) -> None:
    """After a boot: a shuffle that power or a reset has ended is none, by the same rule as one that stops."""
    if intent == ids.EV_SHUFFLE_STARTED:
        flow.rule = RULE_SHUFFLE_FAULT


def flow_proved(flow: Flow) -> None:
    """The machine was proved empty: the only end of a latched warning."""
    flow.door.proved()
    flow.outbox.post(ids.EV_EMPTY_PROVED, flow.spec.place_count)
    if flow.warning:
        flow.outbox.post(ids.EV_WARNING_CLEARED, flow.warning)
        flow.warning = flow.sensor = 0
    flow.rule = RULE_HOUSE


def flow_refuse(flow: Flow, out: "Outputs", counted: int, second: int, now_ms: int) -> int:
    """Stop on a deck with a wrong count, and post that it leaves the table."""
    profile = flow.profile
    flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    flow.rule = RULE_COUNT
    order = profile.consequences[RULE_COUNT]
    flow.outbox.post(ids.EV_DECK_REFUSED, profile.deck_cards, counted, second, order, profile.clauses[RULE_COUNT])
    return 0


def _end_by_fault(flow: Flow, fault: int) -> None:
    """Post how the job and the round ended."""
    flow.rule = RULE_HOUSE
    if flow.machine.shuffles and flow.state in (PREPARING, SHUFFLING):  # another machine takes a deck in, no more
        flow.rule = RULE_TWO_DECKS if fault == FAULT_BACK and flow.profile.decks > 1 else RULE_SHUFFLE_FAULT
        order = flow.profile.consequences[RULE_SHUFFLE_FAULT]
        flow.outbox.post(ids.EV_SHUFFLE_FAILED, fault, order, text=flow.profile.clauses[flow.rule])
    elif flow.state == REMOVING:
        flow.outbox.post(ids.EV_REMOVAL_FAILED, fault)
    elif flow.state == RELEASING and not flow.round_open:
        flow.outbox.post(ids.EV_RELEASE_FAILED, fault)
    if flow.round_open:
        flow_judge(flow, fault, -1)
    elif fault == FAULT_BACK and flow.machine.draws and flow.profile.decks > 1:
        _wrong_deck(flow)


def _wrong_deck(flow: Flow) -> None:
    """A card of the other deck came out of a draw shoe. Before a round that deck is out of turn; in one no clause says
    what follows."""
    if flow.tail:
        _ask_house(flow, flow.settled.stacks)
    else:
        flow.rule = RULE_TWO_DECKS


def flow_judge(flow: Flow, fault: int, lost: int) -> None:
    """The machine stopped in a round. A game with a rule for that says what becomes of the round; of a game without
    one the house decides (docs/decisions/0057). `lost` is as for flow_void."""
    rule, clauses = _void_rule(flow, fault), flow.profile.clauses
    if flow.profile.code == CLAUSE_NONE or not clauses[rule] == CLAUSE_NONE == clauses[RULE_DEAL_FAULT]:
        flow_void(flow, fault, rule, lost)
    else:
        flow.rule = RULE_HOUSE
        _ask_house(flow, flow.stacks_taken if lost < 0 else lost)


def _ask_house(flow: Flow, stacks: int) -> None:
    flow.outbox.post(ids.EV_HELD_BACK, ids.NEED_HOUSE_DECISION, text=CLAUSE_NONE)
    flow.settle(TAIL_HOUSE, flow.outbox.deck or 1, stacks, ids.UNKNOWN_U16, 0)


def _void_rule(flow: Flow, fault: int) -> int:
    """The rule that covers a round in which the machine stopped with this fault."""
    if fault == FAULT_MISMATCH and flow.state not in _UNCOUNTED:
        return RULE_COUNT
    # A game without a rule for a device that stops still has one for hands with a wrong number of cards.
    unsaid = flow.profile.clauses[RULE_DEAL_FAULT] == CLAUSE_NONE
    return RULE_MISDEAL if fault == FAULT_STACK and unsaid else RULE_DEAL_FAULT


def flow_void(flow: Flow, fault: int, rule: int, lost: int = -1) -> None:
    """Void the round by this rule: every hand, or all but those of players who have all their cards. `lost`: after a
    boot, the stacks whose taking is on record; where the cards are is not known then."""
    clause, consequence, kept = flow.profile.clauses[rule], flow.profile.consequences[rule], 0
    stacks = flow.stacks_taken if lost < 0 else lost
    if consequence == ids.ALL_VOID_BUT_COMPLETE:
        kept = _hands_kept(flow, stacks)
        if not flow_players(flow, stacks):
            clause = CLAUSE_NONE  # the rule covers rounds in which a player has a whole stack
            consequence = ids.ALL_VOID_RESHUFFLE
    elif consequence == ids.REMOVE_DECK:
        consequence = ids.ALL_VOID_REMOVE_DECK
    elif not ids.ALL_VOID_RESHUFFLE <= consequence <= ids.ALL_VOID:
        consequence = ids.ALL_VOID_RESHUFFLE
    if not flow.tail or flow.settled.machine_deck in (0, flow.settled.deck):
        flow.rule = rule  # else the cards inside are of the other deck, and come out for their own reason
    outside, inside = flow.ledger.outside(), flow.ledger.inside()
    if lost >= 0 and (flow.machine.draws or not flow.tail):
        outside = inside = ids.UNKNOWN_U16
    elif flow.tail:
        stacks = flow.settled.stacks
        if flow.state != DRAWING:
            outside = min(flow.settled.dealt + flow.settled.rest, ids.UNKNOWN_U16)
            inside = 0 if outside != ids.UNKNOWN_U16 else outside
    flow.outbox.post(ids.EV_ROUND_VOIDED, fault, stacks, outside, inside, clause, consequence, kept)
    flow.round_open = False


def flow_dealing(flow: Flow) -> bool:
    """Whether stacks of the deal are still to come."""
    return flow.state in (DISPENSING, STACK_OFFERED) and not flow.extra


def flow_players(flow: Flow, stacks: int) -> int:
    """Positions that have their cards. Once the deal is out the last stack was the dealer's or the community's; before
    that, and while no positions are set, any stack may have been a player's."""
    if flow.tail:
        stacks, seats = flow.settled.stacks, flow.facts.row[POSITIONS]
        if flow.tail == TAIL_HOUSE:
            return min(stacks, seats) if seats else stacks  # as far as they were dealt
        return max(stacks - 1, 1) if stacks else flow.profile.positions_max
    if flow.positions:
        return min(stacks, flow.positions)
    return stacks if stacks < 2 or flow_dealing(flow) else stacks - 1


def _hands_kept(flow: Flow, stacks: int) -> int:
    """A bit for each player's hand that stands: complete, neither folded nor void, and certainly not the dealer's."""
    players = flow_players(flow, stacks)
    if stacks == ids.UNKNOWN_U8 or (flow.tail and not flow.settled.stacks):
        return ids.UNKNOWN_U16  # the record was lost; or dealt by hand, and the number of players is unknown
    if players > 1 and not flow.positions and flow_dealing(flow):
        players -= 1  # the last stack may have been the dealer's own
    kept, row = ((1 << players) - 1) & ~flow.facts.word(NOT_IN), flow.facts.row
    if not row[EXTRA] or not row[SHORT]:
        return kept
    # A hand is not complete while a rejected card is to be replaced. Whose it was is not known once the deal is out.
    return kept & ~(1 << row[SHORT] - 1) if row[SHORT] <= players else ids.UNKNOWN_U16
