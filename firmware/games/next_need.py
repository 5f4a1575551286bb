"""Say what must happen next, for the status and for the reason of a refused command, from what the device knows now.

docs/PROTOCOL.md lists who can do each. A pure function of the procedure, the facts and the sensors.
"""

from firmware.fault import FAULT_STACK
from firmware.games.flow import (
    DECK_HELD,
    DECK_READY,
    DRAW_READY,
    DRAWING,
    REMOVED_OFFERED,
    SHUFFLING,
    STACK_OFFERED,
    STARTING,
    WAITING_FOR_DECK,
    WAITING_FOR_GREEN,
    WAITING_FOR_LOCKOUT,
    WAITING_FOR_ROUND_END,
    WAITING_FOR_WAGERS,
    WARNING,
    flow_committed,
)
from firmware.games.hands import undecided
from firmware.games.prerequisites import (
    need_for_cards,
    need_for_deck,
    need_for_end,
    need_for_release,
    need_for_round,
)
from firmware.games.profile import TAIL_HOUSE, TAIL_LOCKOUT, TAIL_SETTLING, TAIL_WAGERS
from firmware.games.table_facts import HELD, HELD_DISPUTE, HELD_OFF, HELD_WINNER, INDUCTED
from firmware.image import IN_ARRIVAL, IN_EXIT, IN_HOPPER, IN_THROAT_A, IN_THROAT_B
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs

# By state, unless the code below says otherwise; 0: the machine works.
_BY_STATE = bytes(
    (
        0,
        0,
        ids.NEED_DECK,
        0,
        0,
        ids.NEED_CLOSE_BETTING,
        ids.NEED_LOCKOUT,
        0,
        ids.NEED_TAKE,
        ids.NEED_RELEASE,
        0,
        ids.NEED_TAKE,
        ids.NEED_ROUND_END,
        ids.NEED_ACKNOWLEDGE,
        0,
        ids.NEED_TAKE,
        ids.NEED_RELEASE,
        ids.NEED_CLOSE_BETTING,
        ids.NEED_DRAW,
        ids.NEED_EMPTY_SHOE,
        ids.NEED_CLOSE_BETTING,
    )
)
# Where the round that is settled beside the machine is the next thing to do.
_SETTLED_FIRST = (SHUFFLING, DECK_READY, WAITING_FOR_ROUND_END, DECK_HELD, DRAW_READY, DRAWING)

# The one record that a need waits for, by its number; the others are below.
_RECORDS = bytes(
    (
        0,
        ids.REC_OUT_OF_SERVICE,
        0,
        0,
        ids.REC_PROVENANCE,
        ids.REC_CUT,
        0,
        0,
        ids.REC_PROGRESSIVE,
        0,
        ids.REC_UP_CARD,
        ids.REC_STUB_COUNTED,
    )
)
_PATH = (IN_HOPPER, IN_THROAT_A, IN_THROAT_B, IN_ARRIVAL, IN_EXIT)


def need_next(flow: "Flow", inp: "Inputs") -> int:
    """The NEED_... that must be met next. NEED_NONE: the machine works, and then continues."""
    state = flow.state
    if state == WARNING:
        return need_stopped(flow, inp)
    if flow.door.is_open and state in (STARTING, WAITING_FOR_DECK, REMOVED_OFFERED):
        return ids.NEED_CLOSE_DOOR
    if flow.hold:
        return ids.NEED_TAKE if flow.hold == FAULT_STACK else ids.NEED_STORE_EVENTS
    if state == WAITING_FOR_DECK:
        return _deck(flow, inp.level[IN_HOPPER])
    if flow.tail and state in _SETTLED_FIRST:
        return _round(flow)
    need = ids.NEED_NONE
    if state in (DECK_READY, DRAW_READY):
        need = need_for_round(flow)
        if not need and not flow.tray.empty:
            need = ids.NEED_TAKE
    elif state == WAITING_FOR_LOCKOUT:
        need = need_for_cards(flow)
    elif state in (WAITING_FOR_GREEN, WAITING_FOR_WAGERS):
        need = need_for_release(flow)
    elif state == STACK_OFFERED and flow.need == ids.NEED_DECISIONS:
        need = need_for_release(flow) or ids.NEED_RELEASE  # asked for, so that stack stays where it is
    if flow.play is not None and not need:
        need = flow.play.need_next(flow)
    return need or _BY_STATE[state]


def need_for(flow: "Flow", command: int) -> int:
    """The need of a rule that holds back what this command asks for, in a state in which it may start."""
    if command == ids.CMD_SHUFFLE:
        return need_for_deck(flow)
    if command == ids.CMD_END_ROUND:
        return need_for_end(flow) if flow.tail == TAIL_SETTLING else ids.NEED_NONE
    if command == ids.CMD_CONFIRM_LOCKOUT:
        return need_for_cards(flow)
    if command == ids.CMD_CLOSE_BETTING and flow.state in (DECK_READY, DRAW_READY) and flow.tail != TAIL_WAGERS:
        return need_for_round(flow)
    return need_for_release(flow) if command in (ids.CMD_CLOSE_BETTING, ids.CMD_RELEASE) else ids.NEED_NONE


def need_stopped(flow: "Flow", inp: "Inputs") -> int:
    """What must happen before what is inside can be removed. NEED_NONE: the warning is not recorded yet."""
    if flow.door.is_open:
        return ids.NEED_CLOSE_DOOR
    if flow.door.due:
        return ids.NEED_OPEN_DOOR
    if not flow_committed(flow):
        return ids.NEED_NONE if flow.room > 0 else ids.NEED_STORE_EVENTS
    return ids.NEED_CLEAR_PATH if inp.stale or not path_clear(inp, _PATH) else ids.NEED_ACKNOWLEDGE


def _deck(flow: "Flow", hopper: int) -> int:
    """The machine is empty. A round that is settled beside it comes first, unless a deck lies in the hopper."""
    need = need_for_deck(flow)
    if flow.tail and (not hopper or need == ids.NEED_ROUND_END):
        return _round(flow)
    return need or (ids.NEED_SHUFFLE if hopper else ids.NEED_DECK)


def _round(flow: "Flow") -> int:
    """The cards of the round are out of the machine, or drawn by a plan."""
    if flow.tail == TAIL_HOUSE:
        return ids.NEED_HOUSE_DECISION
    if flow.tail == TAIL_LOCKOUT:
        return need_for_cards(flow) or ids.NEED_LOCKOUT
    drawing = flow.state == DRAWING
    if drawing and flow.need != ids.NEED_COUNT and not flow.play.dealt(flow):
        # What players decide keeps the round from its end: shown once that was asked for.
        return ids.NEED_DECISIONS if flow.need == ids.NEED_DECISIONS and undecided(flow) else ids.NEED_DRAW
    if flow.tail == TAIL_SETTLING:
        # At a draw shoe the count is due when the end was asked for, or the cards of a known plan are out.
        need = need_for_end(flow)
        if drawing and need != ids.NEED_DECISIONS:
            need = flow.need
        return need or ids.NEED_ROUND_END
    return ids.NEED_CLOSE_BETTING


def path_clear(inp: "Inputs", lines: "tuple[int, ...]") -> bool:
    for line in lines:
        if inp.level[line]:
            return False
    return True


def records_due(flow: "Flow", need: int) -> int:
    """The records that this need waits for, as a bit for each number of a record."""
    if need in (ids.NEED_INDUCTION, ids.NEED_DISPUTE):
        return _deck_records(flow, need, flow.facts.turn())
    if need == ids.NEED_COUNT:
        later = flow.profile.recorded and flow.facts.stub_reported_later()
        return 1 << (ids.REC_FINAL_DEAL if later else ids.REC_STUB_COUNTED)
    if need == ids.NEED_DECISIONS:
        return 1 << ids.REC_FOLD | 1 << ids.REC_SECOND_WAGER if undecided(flow) else 1 << ids.REC_FINAL_DEAL
    return 1 << _RECORDS[need] & ~1 if need <= ids.NEED_RACK else 0


def _deck_records(flow: "Flow", need: int, deck: int) -> int:
    held = flow.facts.deck(deck, HELD)
    if need == ids.NEED_INDUCTION:
        if held & HELD_OFF and not flow.profile.recorded:
            return 1 << ids.REC_DECK_REMOVED
        return flow.profile.induction & ~flow.facts.deck(deck, INDUCTED)
    return (held & (HELD_DISPUTE | HELD_WINNER)) << ids.REC_DISPUTE  # the bits are in the order of the records


def positions_due(flow: "Flow", need: int) -> int:
    """The positions whose decision is due, as bits."""
    return undecided(flow) & 0xFFFF if need == ids.NEED_DECISIONS else 0
