"""What the procedure knows, and the moves every step is made of: enter a state, wait for storage, stop on a warning."""

from micropython import const

from firmware.deck.ledger import Ledger
from firmware.deck.permutation import permutation_wipe
from firmware.fault import (
    FAULT_BACK,
    FAULT_BEAM,
    FAULT_CARDS_INSIDE,
    FAULT_DOOR,
    FAULT_ENTROPY,
    FAULT_INTERNAL,
    FAULT_JOURNAL,
    FAULT_MISMATCH,
    FAULT_NONE,
    FAULT_PANEL,
    FAULT_STACK,
    require,
)
from firmware.games.profile import (
    CLAUSE_NONE,
    EXTRA_TENS_OUT,
    RULE_COUNT,
    RULE_DEAL_FAULT,
    RULE_HOUSE,
    RULE_MISDEAL,
    RULE_SHUFFLE_FAULT,
    RULE_TWO_DECKS,
    TAIL_HANDED,
)
from firmware.games.table_facts import NOT_IN, TableFacts
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
    from firmware.image import Inputs, Outputs
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

# The procedure as data: the states that may follow each state, by its number. flow_enter obeys it; docs/PROCEDURE.md is
# generated from it. WARNING follows every state.
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
    (DRAW_READY, DECK_SPENT),  # DRAWING
    (WAITING_FOR_DECK,),  # DECK_SPENT
    (DISPENSING, WAITING_FOR_GREEN),  # WAITING_FOR_WAGERS
)

ORDER_NONE = const(0)
ORDER_WANTED = const(1)  # the app draws it while nothing moves: crypto allocates
ORDER_READY = const(2)
ORDER_FAILED = const(3)

COMMIT_MS_MAX = const(2000)  # storage that takes longer has failed

# Faults after which the beams tell the whole truth: every card is in a slot, the hopper or the tray. After any other a
# card may lie where no beam looks, and only a person who opened the door can know that it does not.
_BEAMS_SUFFICE = (FAULT_MISMATCH, FAULT_CARDS_INSIDE, FAULT_ENTROPY, FAULT_JOURNAL, FAULT_BEAM, FAULT_PANEL)


_DECK_OUT = (WAITING_FOR_DECK, WARNING)  # states in which no deck is in play


class Flow:
    """One device at one table. Sole owner of the machine; state has one writer, flow_enter."""

    def __init__(self, spec: "Spec", profile: "Profile", outbox: "Outbox", order: "array[int]") -> None:
        self.spec = spec
        self.profile = profile
        self.outbox = outbox
        self.order = order
        self.ledger = Ledger()
        self.meters = Meters()
        self.tray = Tray(spec, self.ledger)
        self.machine = make_machine(spec, self.ledger, self.meters, self.tray, order)
        self.panel = Panel()
        self.state = STARTING
        self.steps: "Any" = ()  # the step of each state; set at boot by procedure_resume
        self.phase = 0  # a step's own progress, 0 when the state is entered
        self.page_due = True  # the display does not say what it should
        self.entered_ms = 0
        self.door_open = False
        self.door_told = False  # what was last posted about it
        self.door_was_open = False  # since then
        self.door_due = False  # must be opened before an acknowledgement counts
        self.prove_due = False  # somebody may have left something inside
        self.warning = FAULT_NONE  # latched until the machine has been proved empty
        self.sensor = 0  # the input it is about, counted from 1; 0: none
        self.hold = FAULT_NONE  # shown while it lasts: nothing was lost, but the next round may not start
        self.need = ids.NEED_NONE  # shown in the same way: what a rule wants first
        self.need_told = ids.NEED_NONE
        self.facts = TableFacts(profile)
        self.facts.once = not self.machine.draws
        self.play: "Any" = None  # what is known of a shoe that is drawn by hand; procedure.py makes it where one is
        self.by_hand: "Any" = None  # HandRounds, where decks are handed out
        self.cover: "Any" = None  # CoverAll, where the table plays it
        if profile.extras & EXTRA_TENS_OUT and self.machine.shuffles:
            self.machine.feed.faces.tens_out = True
        self.room = 0  # events the journal can still take, as the app last saw it
        self._rounds()
        self.order_state = ORDER_NONE
        self.report_ms = 0  # when the result of a shuffle will be told, as the host was promised
        self.due_ms = 0  # when it is; a status must not show when this became known, which is when the cards were in

    def _rounds(self) -> None:
        """What is known of rounds."""
        self.round_last = 0
        self.round_open = False  # with cards of it in the machine
        self.tail = 0  # TAIL_...: all of them out, and the dealer has not ended it, whatever the machine does meanwhile
        self.tail_deck = 1
        self.machine_round = 0  # and what the machine is about, while an event of the tail is posted
        self.machine_deck = 0
        self.tail_stacks = 0
        self.tail_dealt = 0
        self.tail_rest = 0
        self.positions = 0
        self.stack = 0
        self.wanted = 0  # cards of the stack under way
        self.asked = 0  # of them from the machine: the others lie in the tray already
        self.last = False  # it is the dealer's or the community's
        self.extra = 0  # it is a single card that a rule makes due: the state to which play returns
        self.stacks_taken = 0
        self.rule = RULE_HOUSE  # by which the cards inside have to come out
        self.page = 0  # of those that a state has
        self.hands = 0  # that take part in Cover All
        self.dealt_before = 0  # cards of this deck dealt before this round
        self.cut_told = False


def flow_enter(flow: Flow, state: int, now_ms: int) -> int:
    """Go to a state; presses made before it do not count for it. Returns 0: scan again at once."""
    require(state == WARNING or state in SUCCESSORS[flow.state], FAULT_INTERNAL)
    flow.state = state
    flow.need = flow.need_told = ids.NEED_NONE
    flow.page_due = True
    if state in _DECK_OUT:
        flow.meters.dirty = True  # what was kept back while a deck was in play
    flow.phase = 0
    flow.entered_ms = now_ms
    flow.panel.clear()
    return 0


def flow_idle(flow: Flow, now_ms: int) -> int:
    """The machine is empty. A table with one deck waits for the end of the round; with two the other one may come."""
    settling = flow.tail and flow.tail != TAIL_HANDED and flow.profile.decks == 1
    return flow_enter(flow, WAITING_FOR_ROUND_END if settling else WAITING_FOR_DECK, now_ms)


def flow_about_tail(flow: Flow, about: bool) -> None:
    """Events posted from here on are about the round that is being settled; or about the machine again."""
    outbox = flow.outbox
    if about:
        flow.machine_round = outbox.round
        flow.machine_deck = outbox.deck
        outbox.round = flow.round_last
        outbox.deck = flow.tail_deck
    elif flow.profile.decks > 1:
        outbox.round = flow.machine_round
        outbox.deck = flow.machine_deck


def flow_committed(flow: Flow) -> bool:
    """Whether everything announced so far is durable, so that cards may move."""
    return flow.outbox.count == 0


def flow_await_commit(flow: Flow, out: "Outputs", now_ms: int) -> int:
    """Wait for storage, but not for ever: nothing may start by itself when a dead chip comes back to life."""
    left_ms = COMMIT_MS_MAX - ticks_diff(now_ms, flow.entered_ms)
    return left_ms if left_ms > 0 else flow_warn(flow, out, FAULT_JOURNAL, now_ms)


def flow_warn(flow: Flow, out: "Outputs", fault: int, now_ms: int, sensor: int = 0) -> int:
    """Stop everything, latch, end what was going on. The order matters: motors first, words after; and of the words the
    warning first, since what ends an intent must not be recorded without it: power may be lost between the two."""
    motors_off(out)
    out.halt = True
    flow.hold = FAULT_NONE
    flow.door_due = fault not in _BEAMS_SUFFICE and not flow.door_open
    flow.machine.stop(out)
    permutation_wipe(flow.order)
    flow.order_state = ORDER_NONE
    flow.warning = fault
    flow.sensor = sensor
    flow.outbox.post(ids.EV_WARNING_LATCHED, fault, flow.ledger.total, sensor)
    _end_by_fault(flow, fault)
    panel_lamps(out, 0, 0, 1)
    return flow_enter(flow, WARNING, now_ms)


def flow_refuse(flow: Flow, out: "Outputs", counted: int, second: int, now_ms: int) -> int:
    """A deck that is not whole: stop, and say that it leaves the table."""
    profile = flow.profile
    flow_warn(flow, out, FAULT_MISMATCH, now_ms)
    flow.rule = RULE_COUNT
    order = profile.consequences[RULE_COUNT]
    flow.outbox.post(ids.EV_DECK_REFUSED, profile.deck_cards, counted, second, order, profile.clauses[RULE_COUNT])
    return 0


def _end_by_fault(flow: Flow, fault: int) -> None:
    """What was going on has ended; the warning is said before, since power may be lost between the two."""
    flow.rule = RULE_DEAL_FAULT if flow.round_open else RULE_HOUSE
    if flow.state in (PREPARING, SHUFFLING):
        flow.rule = RULE_TWO_DECKS if fault == FAULT_BACK and flow.profile.decks > 1 else RULE_SHUFFLE_FAULT
        profile = flow.profile
        reshuffle = profile.consequences[RULE_SHUFFLE_FAULT]
        flow.outbox.post(ids.EV_SHUFFLE_FAILED, fault, reshuffle, text=profile.clauses[flow.rule])
    elif flow.state == REMOVING:
        flow.outbox.post(ids.EV_REMOVAL_FAILED, fault)
    elif flow.state == RELEASING and not flow.round_open:
        flow.outbox.post(ids.EV_RELEASE_FAILED, fault)
    if flow.round_open:
        flow_void(flow, fault, _void_rule(flow, fault))


def _void_rule(flow: Flow, fault: int) -> int:
    if fault == FAULT_DOOR:
        return RULE_HOUSE
    if fault == FAULT_MISMATCH:
        return RULE_COUNT
    # A game without a word about a device that stops still has one about hands with a wrong number of cards.
    unsaid = flow.profile.clauses[RULE_DEAL_FAULT] == CLAUSE_NONE
    return RULE_MISDEAL if fault == FAULT_STACK and unsaid else RULE_DEAL_FAULT


def flow_void(flow: Flow, fault: int, rule: int) -> None:
    """The round does not count, by this rule: every hand, or all but those of players who have all their cards."""
    ledger = flow.ledger
    clause = flow.profile.clauses[rule]
    consequence = flow.profile.consequences[rule]
    kept = 0
    if consequence == ids.ALL_VOID_BUT_COMPLETE:
        kept = _hands_kept(flow)
        if not flow_players(flow):
            clause = CLAUSE_NONE  # the rule speaks of rounds in which a player has a whole stack
            consequence = ids.ALL_VOID_RESHUFFLE
    elif consequence == ids.REMOVE_DECK:
        consequence = ids.ALL_VOID_REMOVE_DECK
    elif not ids.ALL_VOID_RESHUFFLE <= consequence <= ids.ALL_VOID:
        consequence = ids.ALL_VOID_RESHUFFLE
    flow.rule = rule
    stacks = flow.stacks_taken
    outside = ledger.outside()
    inside = ledger.inside()
    if flow.tail:
        stacks = flow.tail_stacks
        outside = flow.tail_dealt + flow.tail_rest
        inside = 0
    flow.outbox.post(ids.EV_ROUND_VOIDED, fault, stacks, outside, inside, clause, consequence, kept)
    flow.round_open = False


def flow_dealing(flow: Flow) -> bool:
    """Whether stacks of the deal are still to come."""
    return flow.state in (DISPENSING, STACK_OFFERED) and not flow.extra


def flow_players(flow: Flow) -> int:
    """Positions that have their cards. Once the deal is out the last stack was the dealer's or the community's; before
    that, and where nobody has set positions, any stack may have been a player's."""
    if flow.tail:
        return max(flow.tail_stacks - 1, 1) if flow.tail_stacks else flow.profile.positions_max
    stacks = flow.stacks_taken
    if flow.positions:
        return min(stacks, flow.positions)
    return stacks if stacks < 2 or flow_dealing(flow) else stacks - 1


def _hands_kept(flow: Flow) -> int:
    """A bit for each player's hand that stands: complete, neither folded nor void, and certainly not the dealer's."""
    players = flow_players(flow)
    if flow.tail and not flow.tail_stacks:
        return ids.UNKNOWN_U16  # dealt by hand, to players that were not told of
    if players > 1 and not flow.positions and flow_dealing(flow):
        players -= 1  # the last stack may have been the dealer's own
    return ((1 << players) - 1) & ~flow.facts.word(NOT_IN)


def flow_path_clear(inp: "Inputs", lines: "tuple[int, ...]") -> bool:
    for line in lines:
        if inp.level[line]:
            return False
    return True
