"""Advice in words: one for each need of a status, each warning and each refusal.

Texts that are words alone are in words.json. Those for warnings are those of docs/FAULTS.md; a test compares them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fairshoe.messages import (
    AcknowledgeWarning,
    CloseBetting,
    Command,
    ConfirmLockout,
    EndRound,
    Fault,
    Figure,
    GiveCard,
    Need,
    NotAsConfigured,
    Refusal,
    Release,
    Sensor,
    Shuffle,
    State,
    Status,
    WarningLatched,
    What,
)

WORDS: dict[str, Any] = json.loads(Path(__file__).with_name("words.json").read_text(encoding="utf-8"))
_DOOR = "open the door, remove all cards from the path, close the door, press ACK"


@dataclass(frozen=True)
class Warned:
    """A warning in words: what happened, and what to do."""

    what: str
    advice: str


def _warned(what: str, advice: str) -> Warned:
    return Warned(what, advice.replace("{door}", _DOOR))


WARNINGS = {Fault[name.upper()]: _warned(*texts) for name, texts in WORDS["warnings"].items()}

# Figures of a config warning: name, unit, and how many of the config's make one.
FIGURES: dict[Figure, tuple[str, str, int]] = {
    Figure.CARD_UM: ("card length", " mm", 1000),
    Figure.BRAKE_UM: ("brake path", " mm", 1000),
    Figure.SLOT_COUNT: ("slot count", "", 1),
    Figure.SLOT_STEPS: ("steps per slot", "", 1),
    Figure.SLOT_BEAM_SLOTS: ("slots from mouth to slot beam", "", 1),
}

# Where to find each sensor.
SENSORS: dict[Sensor, str] = {Sensor[name.upper()]: text for name, text in WORDS["sensors"].items()}

# Warnings that only delay: nothing has stopped, and they end without ACK.
HOLDS = {Fault[name.upper()]: _warned(*texts) for name, texts in WORDS["holds"].items()}

REFUSALS: dict[Refusal, str] = {Refusal[name.upper()]: text for name, text in WORDS["refusals"].items()}


def warned(status: Status, latched: WarningLatched | None = None) -> Warned | None:
    """What the status warns of, if anything; with what the last `warning_latched` says about it."""
    if status.warning == Fault.NONE:
        return None
    table = WARNINGS if status.state in STOPPED else {**WARNINGS, **HOLDS}
    warning = table.get(status.warning, WARNINGS[Fault.UNRECOGNISED])
    found = ""
    if latched is not None and latched.warning == status.warning:
        found = at_sensor(latched.sensor) if latched.sensor in SENSORS else measured(latched)
    return Warned(f"{warning.what}; {found}", warning.advice) if found else warning


def misfit(event: NotAsConfigured) -> str:
    """`slot count 11 measured, 12 configured`."""
    name, unit, scale = FIGURES.get(event.figure, (event.figure.name.lower(), "", 1))
    found, given = (f"{it / scale:.1f}" if unit else str(it) for it in (event.measured, event.configured))
    return f"{name} {found}{unit} measured, {given} configured"


def measured(event: WarningLatched) -> str:
    """`88.9 mm expected, 97.0 measured: roller speed?`; empty where no length was the reason."""
    if not event.length_um:
        return ""
    return f"{event.card_um / 1000:.1f} mm expected, {event.length_um / 1000:.1f} measured: roller speed?"


def at_sensor(sensor: Sensor) -> str:
    """`it is throat_a, the first throat beam`: the name as in the board config, and where to look."""
    return f"it is {sensor.name.lower()}, the {SENSORS[sensor]}"


@dataclass(frozen=True)
class Step:
    """What a shoe waits for, and who can do it.

    `hand`: a person at the machine. `command`: the table system, or a person with the button that stands for it.
    `records`: the table system, with the command `record` for each (`fold` or `second_wager` for each of `positions`).
    `host`: a host that acknowledges events. None of these: the machine works and goes on by itself."""

    text: str
    hand: bool = False
    command: type[Command] | None = None
    host: bool = False
    need: Need = Need.NONE
    records: tuple[What, ...] = ()
    positions: tuple[int, ...] = ()
    deck: int = 0  # of the records that name one

    @property
    def machine(self) -> bool:
        return not (self.hand or self.command or self.host or self.records)

    @property
    def who(self) -> str:
        """In one word: machine, record, command, hand or host."""
        if self.host:
            return "host"
        return "record" if self.records else "hand" if self.hand else "command" if self.command else "machine"


STOPPED = (State.WARNING, State.REMOVING, State.REMOVED_OFFERED)

STEPS: dict[Need, Step] = {
    Need.SERVICE: Step("take it back into service: record out-of-service back"),
    Need.DISPUTE: Step("when the dispute is over: record dispute 1 over, or record winner-hold 1 over"),
    Need.INDUCTION: Step("report the induction of the deck: record inspected 1, verified 1, shown 1, washed 1"),
    Need.PROVENANCE: Step("report who shuffled the deck: record provenance 1 machine|supplier|hand"),
    Need.CUT: Step("cut the deck and report it: record cut CARDS dealer|player|floorperson"),
    Need.STUB_COUNT: Step(
        "count the stub and report it: record stub-counted CARDS; or press LOCK if it is right, ACK if not"
    ),
    Need.ROUND_END: Step("settle the round, then end it (GREEN)", command=EndRound),
    Need.PROGRESSIVE: Step("report wagers and chips, which must agree: record progressive WAGERS CHIPS"),
    Need.BURN: Step("draw a card and burn it", hand=True),
    Need.HOLE_CARD: Step("report the dealer's up-card: record up-card RANK; then use the reader"),
    Need.RACK: Step(
        "count the rack and report it: record stub-counted CARDS; or press LOCK if it is right, ACK if not"
    ),
    Need.CARD: Step("a card is due from the deck: command give-card, or press LOCK", command=GiveCard),
    Need.HOUSE_DECISION: Step(
        "no rule covers this stop: a supervisor decides; record house-decision goes-on or void, or LOCK or CLOSE"
    ),
    Need.DECISIONS: Step("report each player's decision: record second-wager POSITION placed, or record fold POSITION"),
    Need.DECK: Step("insert the deck", hand=True),
    Need.SHUFFLE: Step("shuffle the deck in the hopper (GREEN)", command=Shuffle),
    Need.CLOSE_BETTING: Step("when betting is over, close it (CLOSE)", command=CloseBetting),
    Need.LOCKOUT: Step("lock out the progressive wagers and confirm it (LOCK)", command=ConfirmLockout),
    Need.TAKE: Step("empty the tray", hand=True),
    Need.RELEASE: Step("release the rest (GREEN)", command=Release),
    Need.DRAW: Step("draw; end the round when it is over (GREEN)", hand=True, command=EndRound),
    Need.EMPTY_SHOE: Step("take out the rest of the cards", hand=True),
    Need.CLOSE_DOOR: Step("close the door", hand=True),
    Need.OPEN_DOOR: Step("open the door and remove all cards from the path", hand=True),
    Need.CLEAR_PATH: Step("empty hopper and path; if a sensor is noisy, check its cable", hand=True),
    Need.ACKNOWLEDGE: Step("hopper and path are clear: press ACK", hand=True, command=AcknowledgeWarning),
    Need.STORE_EVENTS: Step("connect the host that stores the events", host=True),
}

# The button that stands for a command, at every state that waits for it.
BUTTONS: dict[type[Command], str] = {
    Shuffle: "green",
    CloseBetting: "close",
    ConfirmLockout: "lock",
    GiveCard: "lock",
    Release: "green",
    EndRound: "green",
    AcknowledgeWarning: "ack",
}

# Where the state needs a more exact text than the need.
IN_STATE: dict[tuple[Need, State], str] = {
    (Need.TAKE, State.STACK_OFFERED): "take the stack out of the tray",
    (Need.TAKE, State.REMAINDER_OFFERED): "take the rest out of the tray",
    (Need.TAKE, State.REMOVED_OFFERED): "take the cards out of the tray and off the table",
    (Need.RELEASE, State.DECK_HELD): "release the deck (GREEN)",
    (Need.CLOSE_BETTING, State.DRAW_READY): "when betting is over, close it (CLOSE) or draw",
    (Need.CLOSE_BETTING, State.WAITING_FOR_WAGERS): "when the second wagers are placed, close betting (CLOSE)",
    (Need.DECK, State.DRAWING): "insert the rack, then press GREEN",
}

# What the machine does while it needs no input.
WORKING: dict[State, str] = {
    State.STARTING: "starting",
    State.PROVING_EMPTY: "checking that it is empty",
    State.PREPARING: "preparing",
    State.SHUFFLING: "shuffling",
    State.DISPENSING: "dealing a stack",
    State.RELEASING: "releasing the rest",
    State.REMOVING: "putting out all cards",
}
NEWER = "the device is newer than this tool: update the tool"


def next_step(status: Status) -> Step:
    """What the shoe waits for, as its status says: what, and who can do it."""
    if status.need == Need.NONE:
        other = NEWER if status.state == State.UNRECOGNISED else "storing records"
        return Step(WORKING.get(status.state, other))
    step = STEPS.get(status.need, Step(NEWER))
    records = tuple(what for what in What if what >= 0 and status.records_due >> what & 1)
    positions = tuple(number for number in range(1, 17) if status.positions_due >> (number - 1) & 1)
    text = IN_STATE.get((status.need, status.state), step.text)
    if status.need == Need.INDUCTION and records:
        due = ", ".join(f"{what.name.lower().replace('_', '-')} {status.deck_next}" for what in records)
        text = f"report the induction of the deck: record {due}"
    if records == (What.FINAL_DEAL,):
        text = "report how many positions take part in the final deal: record final-deal POSITIONS"
    if positions:
        text += f" (still due: {', '.join(map(str, positions))})"
    return replace(step, text=text, need=status.need, records=records, positions=positions, deck=status.deck_next)
