"""A careful operator: what a person who reads the display and looks at the machine does next, and how such a person
brings any machine back to play. A state that this operator cannot leave is a defect of the firmware."""

from firmware.fault import FAULT_ENTROPY
from firmware.games import flow as states
from firmware.games.drawn.plan import plan_undrawn
from firmware.games.profile import TAIL_SETTLING
from firmware.machines.machine import JOB_RUNNING
from firmware.protocol import ids
from hal.sim.noise import Noise
from rig.steps import BUTTONS, PRESS_ONLY, TAKING
from rig.story import Stuck

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from rig.story import Stage

    Move = tuple[int, str, dict[str, Any]]  # after so many ms, do this

PATIENCE = 600  # moves and waits until the operator gives up; eight decks in stacks of two are 192
WAIT_MS = 4000
DRAWN_MAX = 5  # cards of a shoe's only round

_PRESS = (states.DECK_READY,) + PRESS_ONLY
_IDLE = (states.WAITING_FOR_DECK, states.DECK_READY, states.DECK_HELD, states.DISPENSING, states.RELEASING)


def next_moves(stage: "Stage", plays: bool = False) -> "list[Move]":
    """The next actions; none means wait. An operator who does not play takes the cards out instead of drawing them."""
    rig = stage.rig
    plant = rig.plant
    if not rig.powered:
        return [(1000, "boot", {})] if rig.reset_us < 0 else []  # the watchdog is about to
    flow = rig.app.flow
    state = flow.state
    if plant.beams.truth[plant.line_door]:
        return [(300, "close", {})]
    if plant.level[plant.lines.index("key_switch")]:
        return [(300, "key", {"to": "off"})]
    if state == states.WARNING:
        return [(500, "open", {}), (500, "clear", {}), (500, "close", {}), (500, "press", {"button": "ack"})]
    if state in TAKING or (state in _IDLE and plant.tray and flow.machine.state != JOB_RUNNING):
        return [(600, "take", {})]
    if flow.need in (ids.NEED_COUNT, ids.NEED_RACK, ids.NEED_HOUSE_DECISION):
        return [(1500, "press", {"button": "lock"})]  # counted, and right; or the round goes on
    if flow.need == ids.NEED_INDUCTION and not flow.profile.recorded:  # a deck is ordered off: confirm another
        return [(500, "open", {}), (500, "clear", {}), (500, "close", {}), (2000, "press", {"button": "ack"})]
    if plant.kind == "draw":
        return _draw_moves(stage, plays)
    if state == states.WAITING_FOR_DECK and plays and not flow.door.prove_due:
        return _load(stage, -1)
    if flow.shown in _PRESS:
        return [(500, "press", {"button": BUTTONS[flow.shown]})]
    return []


def _load(stage: "Stage", cut_at: int) -> "list[Move]":
    flow = stage.rig.app.flow
    moves: "list[Move]" = [(300, "press", {"button": "green"})]
    if not stage.rig.plant.hopper:
        load: "dict[str, Any]" = {"cards": flow.profile.deck_cards, "cut_at": cut_at}
        if flow.profile.decks > 1:
            load["deck"] = flow.facts.turn()  # the one whose turn it is, or it is refused
        moves.insert(0, (300, "load", load))
    return moves


def _draw_moves(stage: "Stage", plays: bool) -> "list[Move]":
    """A shoe ends with its cut card, or when the cards are taken out, which is a mismatch."""
    plant = stage.rig.plant
    flow = stage.rig.app.flow
    state = flow.state
    if plant.hand.held:
        return [(200, "let_go", {})]
    if plant.hand.bodies:
        return []
    if state == states.WAITING_FOR_DECK and plays and not flow.door.prove_due:
        return _load(stage, min(DRAWN_MAX, flow.profile.deck_cards - 1))
    if state == states.DRAW_READY and plays and flow.need == ids.NEED_BURN:
        return [(300, "draw", {"ms": 200})]
    if state == states.DRAW_READY:
        return [(500, "press", {"button": BUTTONS[state]})] if plays else [(500, "lift", {})]
    if flow.shown in _PRESS:
        return [(500, "press", {"button": BUTTONS[flow.shown]})]
    if state == states.DRAWING:
        # Betting is closed again only when the cards of the plan are out.
        # A table that records what players decide wants every card of the plan; others end with the cut card.
        due = not flow.machine.cut_seen or (flow.profile.recorded and plan_undrawn(flow))
        if flow.tail > TAIL_SETTLING or (plays and due):
            return [(300, "draw", {"ms": 200})]
        return [(500, "press", {"button": BUTTONS[state]})]
    if state == states.DECK_SPENT and plant.hopper:
        return [(500, "lift", {})]
    return []


def waits_for_deck(stage: "Stage") -> bool:
    flow = stage.rig.app.flow
    plant = stage.rig.plant
    shut = not plant.level[plant.line_door] and not plant.level[plant.lines.index("key_switch")]
    due = flow.door.prove_due or flow.hold
    return stage.rig.powered and shut and flow.state == states.WAITING_FOR_DECK and not due


def recover(stage: "Stage") -> None:
    """Everything is repaired, the host listens, and the operator does what has to be done until a deck may come."""
    rig = stage.rig
    stage.peer.acknowledges = True
    if stage.to_host is not None:
        stage.to_host = Noise(1)  # another cable, a good one
        stage.to_device = Noise(1)
    rig.nv.cut_at = rig.cut_us = rig.cut_frame = -1
    rig.plant.repair()
    for _ in range(PATIENCE):
        stage.run(500)
        if rig.powered and waits_for_deck(stage):
            return
        _move(stage, False)
    flow = rig.app.flow
    raise Stuck("the operator cannot leave %s, warning %d" % (ids.STATE_NAMES.split()[flow.state], flow.warning))


def good_round(stage: "Stage", positions: int = 0) -> None:
    """An empty machine, a good deck, and everything that is to be done with it once: stacks for so many players, or
    for none in particular, until the cards are out.

    A noise source that was bad at the boot fails the first shuffle, even if it is good by then: it is tried again."""
    for action in ("open", "clear", "close"):
        stage.run(500)
        stage.act(action, {})
    recover(stage)
    _catch_up(stage)
    first = len(stage.peer.events)
    goal = "round_ended" if stage.rig.app.flow.machine.deals else "remainder_taken"
    shuffler = stage.rig.app.shuffler
    owed = shuffler is not None and shuffler.entropy.owed
    names: "list[str]" = []
    for _ in range(PATIENCE):
        names = [event.name for event in stage.peer.events[first:]]
        if owed and stage.rig.app.flow.warning == FAULT_ENTROPY:
            owed = False
            recover(stage)
            _catch_up(stage)
            first = len(stage.peer.events)
        elif "warning_latched" in names:
            raise Stuck("a good deck ended in a warning, after %s" % " ".join(names))
        if goal in names:
            return
        if stage.rig.app.flow.state == states.DECK_READY:
            for _ in range(positions):
                stage.run(200)
                stage.act("press", {"button": "seat"})
        _move(stage, True)
    raise Stuck("no %s, only %s" % (goal, " ".join(names)))


def _catch_up(stage: "Stage") -> None:
    """Run until the host has every event."""
    for _ in range(60):
        stage.run(1000)
        if stage.peer.seq_last == stage.rig.app.journal.seq_last:
            return
    raise Stuck("events up to %d arrived of %d" % (stage.peer.seq_last, stage.rig.app.journal.seq_last))


def _move(stage: "Stage", plays: bool) -> None:
    moves = next_moves(stage, plays)
    for delay_ms, action, arguments in moves:
        stage.run(delay_ms)
        stage.act(action, arguments)
    stage.run(400 if moves else WAIT_MS)
