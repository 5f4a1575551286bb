"""The procedure of a round, the same for every game: which step follows which, and what stops all of them.

Every motion is announced by an intent that is durable before the first card moves, and ended by an outcome: a boot that
finds an intent alone knows that cards may lie anywhere (0002). So nothing resumes by itself: a warning ends what was
going on, and only an operator who has emptied the machine gets back to play.
"""

from firmware.fault import FAULT_DOOR, FAULT_EDGE_LOST, FAULT_NOISE, FAULT_NONE, FAULT_PANEL
from firmware.games.deck_steps import (
    step_preparing,
    step_proving_empty,
    step_removed_offered,
    step_removing,
    step_starting,
    step_waiting_for_deck,
    step_warning,
)
from firmware.games.flow import (
    DECK_SPENT,
    DISPENSING,
    PREPARING,
    PROVING_EMPTY,
    RELEASING,
    REMOVED_OFFERED,
    REMOVING,
    SHUFFLING,
    STARTING,
    WAITING_FOR_DECK,
    WAITING_FOR_ROUND_END,
    WARNING,
    flow_about_tail,
    flow_cut_short,
    flow_judge,
    flow_void,
    flow_warn,
)
from firmware.games.profile import CLAUSE_NONE, RULE_FACE_UP
from firmware.games.round_steps import (
    step_deck_ready,
    step_dispensing,
    step_releasing,
    step_remainder_offered,
    step_stack_offered,
    step_waiting_for_green,
    step_waiting_for_lockout,
    step_waiting_for_round_end,
    step_waiting_for_wagers,
)
from firmware.games.settling import tail_resume
from firmware.games.table_facts import OPEN, POSITIONS, STACKS
from firmware.image import IN_DOOR, sensor_of
from firmware.machines.machine import JOB_FAILED
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from firmware.games.flow import Flow
    from firmware.image import Inputs, Outputs

# States in which an open door does no harm: no deck in play is inside.
_DOOR_HARMLESS = (STARTING, WAITING_FOR_DECK, WARNING, REMOVED_OFFERED, DECK_SPENT)

# Stopped already, or a motion that needs no button: a plug that is put back before its end costs nothing (0026).
_PANEL_NOT_NEEDED = (WARNING, PROVING_EMPTY, PREPARING, SHUFFLING, DISPENSING, RELEASING, REMOVING)


def procedure_scan(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Take at most one transition. Returns in how many ms to run again."""
    if inp.edge_lost:
        inp.edge_lost = False
        if flow.state != WARNING:
            return _warn_of_signals(flow, inp, out, now_ms)
    if (inp.level[IN_DOOR] or flow.door.was_open) and _door_harms(flow, inp):
        return flow_warn(flow, out, FAULT_DOOR, now_ms)
    if flow.machine.state == JOB_FAILED and flow.state != WARNING:
        return flow_warn(flow, out, flow.machine.fault, now_ms)
    if inp.panel_lost and flow.state not in _PANEL_NOT_NEEDED:
        return flow_warn(flow, out, FAULT_PANEL, now_ms)
    return flow.steps[flow.state](flow, inp, out, now_ms)


def _warn_of_signals(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Edges are missing, so that cards can no longer be counted: name the line, where it is known."""
    fault = FAULT_NOISE if inp.stale else FAULT_EDGE_LOST
    return flow_warn(flow, out, fault, now_ms, sensor_of(inp.suspect))


def _door_harms(flow: "Flow", inp: "Inputs") -> bool:
    """Watch the door. True: it was opened just now, and a deck is inside that counts. While a round is settled with no
    card inside, a hand reaches none of its cards."""
    is_open = inp.level[IN_DOOR] != 0
    if not flow.door.watch(is_open, flow.outbox):
        return False
    flow.redraw()
    settled = flow.state == WAITING_FOR_ROUND_END and flow.ledger.inside() == 0
    return is_open and flow.state not in _DOOR_HARMLESS and not settled


def _open_steps(flow: "Flow") -> None:
    """Set the step of each state, by its number. Imported here and not above: a device is shipped only the modules of
    states that its machine can enter."""
    shuffling = held = ready = drawing = spent = None
    flow.machine.rejects = flow.profile.clauses[RULE_FACE_UP] != CLAUSE_NONE
    if flow.machine.shuffles:
        from firmware.games.shuffle_steps import step_deck_held as held
        from firmware.games.shuffle_steps import step_shuffling as shuffling
    if flow.machine.draws:
        from firmware.games.drawn.round import Play
        from firmware.games.drawn.steps import step_deck_spent as spent
        from firmware.games.drawn.steps import step_draw_ready as ready
        from firmware.games.drawn.steps import step_drawing as drawing

        flow.play = Play(flow)
    flow.steps = (
        step_starting,
        step_proving_empty,
        step_waiting_for_deck,
        step_preparing,
        shuffling,
        step_deck_ready,
        step_waiting_for_lockout,
        step_dispensing,
        step_stack_offered,
        step_waiting_for_green,
        step_releasing,
        step_remainder_offered,
        step_waiting_for_round_end,
        step_warning,
        step_removing,
        step_removed_offered,
        held,
        ready,
        drawing,
        spent,
        step_waiting_for_wagers,
    )


def procedure_resume(
    flow: "Flow",
    out: "Outputs",
    interrupted: int,
    round_open: bool,
    warning: int,
    lost: int,
    now_ms: int,
    sensor: int = 0,
    voiding: int = -1,
) -> None:
    """After a boot: void what was cut short, by loss of power or a reset; latch a latched warning again, with the
    sensor it names. A round whose cards were all out was not cut short: the dealer goes on settling it. A round that a
    rule had voided already (`voiding`), or a warning, is void by that and not by the loss of power."""
    _open_steps(flow)
    if flow.profile.mode:
        from firmware.games.by_hand import HandRounds

        flow.by_hand = HandRounds()
    if flow.profile.cover_all:
        from firmware.games.cover_all import CoverAll

        flow.cover = CoverAll()
    tail_resume(flow)
    drawn = flow.machine.draws and flow.tail  # its cards are in this shoe, and the dealer goes on by hand
    if drawn:
        flow.outbox.round, flow.outbox.deck = flow.round_last, flow.settled.deck
    if interrupted or round_open:
        flow_warn(flow, out, lost, now_ms)
        flow_cut_short(flow, interrupted)
        flow.outbox.post(ids.EV_POWER_LOST, interrupted, 1 if round_open or drawn else 0)
    elif warning:
        flow_warn(flow, out, warning, now_ms, sensor)
    if round_open or voiding >= 0:
        _cut_short(flow, warning or lost, voiding)


def _cut_short(flow: "Flow", fault: int, voiding: int) -> None:
    row = flow.facts.row
    flow.seat(row[POSITIONS])
    stacks = row[STACKS] if row[OPEN] else ids.UNKNOWN_U8
    flow_about_tail(flow, True)
    if voiding >= 0:
        flow_void(flow, FAULT_NONE, voiding, stacks)
        flow.set_tail(0)
    else:
        flow_judge(flow, fault, stacks)
    flow_about_tail(flow, False)
