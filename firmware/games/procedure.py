"""The procedure of a round, the same for every game: which step follows which, and what stops all of them.

Every motion is announced by an intent that is durable before the first card moves, and ended by an outcome. Nothing
resumes by itself: a warning ends what was going on, and only an operator who has emptied the machine gets back to play.
"""

from firmware.fault import FAULT_DOOR, FAULT_EDGE_LOST, FAULT_NOISE, FAULT_PANEL
from firmware.games.deck_steps import (
    step_deck_held,
    step_preparing,
    step_proving_empty,
    step_removed_offered,
    step_removing,
    step_shuffling,
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
    flow_warn,
)
from firmware.games.profile import RULE_DEAL_FAULT
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
from firmware.games.table_facts import OPEN, STACKS
from firmware.image import IN_DOOR, NO_LINE, sensor_of
from firmware.machines.machine import JOB_FAILED
from firmware.protocol import ids

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from firmware.games.flow import Flow
    from firmware.image import Inputs, Outputs

# The step of each state, by its number.
_STEPS: "tuple[Any, ...]" = (
    step_starting,
    step_proving_empty,
    step_waiting_for_deck,
    step_preparing,
    step_shuffling,
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
    step_deck_held,
)
_STEPS_AFTER_DRAWING: "tuple[Any, ...]" = (step_waiting_for_wagers,)

# Where an open door harms nothing: no deck inside that anyone relies on.
_DOOR_HARMLESS = (STARTING, WAITING_FOR_DECK, WARNING, REMOVED_OFFERED, DECK_SPENT)

# Stopped already, or a motion that needs no button and may end well.
_PANEL_NOT_NEEDED = (WARNING, PROVING_EMPTY, PREPARING, SHUFFLING, DISPENSING, RELEASING, REMOVING)


def procedure_scan(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Take at most one transition. Returns when to come back."""
    if inp.edge_lost:
        inp.edge_lost = False
        if flow.state != WARNING:
            return _warn_of_signals(flow, inp, out, now_ms)
    if (inp.level[IN_DOOR] or flow.door_was_open or flow.door_open) and _watch_door(flow, inp):
        return flow_warn(flow, out, FAULT_DOOR, now_ms)
    if flow.machine.state == JOB_FAILED and flow.state != WARNING:
        return flow_warn(flow, out, flow.machine.fault, now_ms)
    if inp.panel_lost and flow.state not in _PANEL_NOT_NEEDED:
        return flow_warn(flow, out, FAULT_PANEL, now_ms)
    return flow.steps[flow.state](flow, inp, out, now_ms)


def _warn_of_signals(flow: "Flow", inp: "Inputs", out: "Outputs", now_ms: int) -> int:
    """Edges are missing, so that cards can no longer be counted: name the line, where it is known."""
    fault = FAULT_EDGE_LOST if inp.noisy == NO_LINE else FAULT_NOISE
    return flow_warn(flow, out, fault, now_ms, sensor_of(inp.suspect))


def _watch_door(flow: "Flow", inp: "Inputs") -> bool:
    """Keep book of the door; True if it was opened where that does harm.

    A door that swings while nothing can be recorded is told of once there is room: opened, and closed if it is."""
    door_open = inp.level[IN_DOOR] != 0
    harm = False
    if door_open and not flow.door_open:
        flow.door_was_open = True
        flow.door_due = False
        flow.prove_due = True
        settled = flow.state == WAITING_FOR_ROUND_END and flow.ledger.inside() == 0
        harm = flow.state not in _DOOR_HARMLESS and not settled
    if door_open != flow.door_open:
        flow.door_open = door_open
        flow.page_due = True
    outbox = flow.outbox
    if flow.door_was_open and not flow.door_told and outbox.roomy():
        flow.door_told = True
        outbox.post(ids.EV_DOOR_OPENED)
    if flow.door_told and not door_open and outbox.roomy():
        flow.door_told = False
        flow.door_was_open = False
        outbox.post(ids.EV_DOOR_CLOSED)
    return harm


def _open_steps(flow: "Flow") -> None:
    """Set the steps of this machine. Only a draw shoe carries the modules of its three states, and enters them."""
    drawn: "tuple[Any, ...]" = (None, None, None)
    if flow.machine.draws:
        from firmware.games.drawn.round import Play
        from firmware.games.drawn.steps import DRAW_STEPS

        flow.play = Play(flow)
        drawn = DRAW_STEPS
    flow.steps = _STEPS + drawn + _STEPS_AFTER_DRAWING


def procedure_resume(
    flow: "Flow",
    out: "Outputs",
    interrupted: int,
    round_open: bool,
    warning: int,
    lost: int,
    now_ms: int,
    sensor: int = 0,
) -> None:
    """After a boot: void what was cut short, by loss of power or a reset; latch a latched warning again, with the
    sensor it names. A round whose cards were all out was not cut short: the dealer goes on settling it."""
    _open_steps(flow)
    if flow.profile.mode:
        from firmware.games.by_hand import HandRounds

        flow.by_hand = HandRounds()
    if flow.profile.cover_all:
        from firmware.games.cover_all import CoverAll

        flow.cover = CoverAll()
    tail_resume(flow)
    if not interrupted and not round_open:
        if warning:
            flow_warn(flow, out, warning, now_ms, sensor)
        return
    flow_warn(flow, out, lost, now_ms)
    flow.outbox.post(ids.EV_POWER_LOST, interrupted, 1 if round_open else 0)
    if round_open:
        flow.rule = RULE_DEAL_FAULT
        consequence = flow.profile.consequences[RULE_DEAL_FAULT]
        kept = ids.UNKNOWN_U16 if consequence == ids.ALL_VOID_BUT_COMPLETE else 0
        unknown = ids.UNKNOWN_U16
        clause = flow.profile.clauses[RULE_DEAL_FAULT]
        # Stacks whose taking was recorded before the cut. One that lay in the tray may be gone since: not counted.
        row = flow.facts.row
        taken = row[STACKS] if row[OPEN] else ids.UNKNOWN_U8
        flow.outbox.post(ids.EV_ROUND_VOIDED, lost, taken, unknown, unknown, clause, consequence, kept)
