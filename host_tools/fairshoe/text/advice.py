"""What to do next: for every state a shoe can be in, every warning it can latch and every refusal.

The words for warnings are those of docs/FAULTS.md; a test compares them.
"""

from __future__ import annotations

from dataclasses import dataclass

from fairshoe.messages import (
    CloseBetting,
    Command,
    ConfirmLockout,
    EndRound,
    Fault,
    Need,
    Refusal,
    Release,
    Sensor,
    Shuffle,
    State,
    Status,
)

_DOOR = "open the door, take out what lies in the path, close, ACK"


@dataclass(frozen=True)
class Warned:
    """A warning in words: what happened, and what to do."""

    what: str
    advice: str


WARNINGS: dict[Fault, Warned] = {
    Fault.MISFEED: Warned(
        "no card came at four tries",
        f"look at hopper and pick roller: cards worn, bent, sticky, pile askew; {_DOOR}",
    ),
    Fault.JAM_THROAT: Warned(
        "a card stopped between hopper and store, or was seen by one throat beam only",
        _DOOR,
    ),
    Fault.JAM_EXIT: Warned(
        "a card stopped behind the store or the mouth, or left one beam and never reached the next",
        f"{_DOOR}; look under the rails",
    ),
    Fault.DOUBLE_FEED: Warned(
        "more than one card where one should be, by thickness or length",
        f"{_DOOR}; take the pair apart and count the deck",
    ),
    Fault.CARD_LENGTH: Warned(
        "a passage too short to be a card",
        f"{_DOOR}; look for a foreign or torn card",
    ),
    Fault.MISMATCH: Warned(
        "the count is not what the deck must have, or two counts disagree",
        "empty the hopper, ACK, take the deck out of the tray and off the table",
    ),
    Fault.AXIS: Warned(
        "the store did not arrive, or lost its home mark",
        f"{_DOOR}; if it comes back call service",
    ),
    Fault.DOOR: Warned("the door was opened with cards inside", "close it, ACK; all cards are put out"),
    Fault.CARDS_INSIDE: Warned(
        "cards where the machine had to be empty",
        "empty hopper and path, ACK, take what is put out",
    ),
    Fault.POWER: Warned("power was lost in the middle of something", _DOOR),
    Fault.ENTROPY: Warned("no healthy randomness", "lift the deck out, ACK; if it comes back call service"),
    Fault.JOURNAL: Warned(
        "storage failed, or is full of events nobody has collected",
        "check the link to the table system; ACK; if it comes back call service",
    ),
    Fault.EDGE_LOST: Warned(
        "more beam edges than could be kept: counts unknown",
        f"{_DOOR}; look for a fluttering beam",
    ),
    Fault.STACK: Warned("a stack that is not what was asked for, or a tray somebody reached into", _DOOR),
    Fault.EJECTOR: Warned("the ejector or pusher did not come home", f"{_DOOR}; call service"),
    Fault.INTERNAL: Warned("the firmware contradicts itself", "as for a jam; report it with the journal"),
    Fault.BEAM: Warned(
        "a beam that does not see, or sees what cannot be",
        "clean it; empty hopper and path, ACK; if it comes back call service",
    ),
    Fault.BACK: Warned("a card with another back", f"{_DOOR}; take the card off the table"),
    Fault.FACE_UP: Warned("a card that lies face up", f"{_DOOR}; turn it over"),
    Fault.COMPOSITION: Warned(
        "the right number of cards, but no whole decks",
        f"{_DOOR}; check the deck card by card",
    ),
    Fault.RESET: Warned(
        "the firmware stopped or hung, and the watchdog started it again; `booted` says why",
        f"{_DOOR}; report it with the journal",
    ),
    Fault.NOISE: Warned(
        "a sensor's signal changes faster than any card can make it: counts unknown",
        f"check that sensor's cable, connector and shield, and lamps that shine on it; {_DOOR}",
    ),
    Fault.PANEL: Warned(
        "buttons and lamps do not answer, for 3 s or more",
        "check the panel's cable and plug; when it is back, empty hopper and path, ACK; a table system may send ACK",
    ),
    Fault.UNRECOGNISED: Warned("a warning this version does not know", "update this tool: the device is newer"),
}

# Where to find each sensor.
SENSORS: dict[Sensor, str] = {
    Sensor.HOPPER: "hopper beam",
    Sensor.THROAT_A: "first throat beam",
    Sensor.THROAT_B: "second throat beam, at the mouth",
    Sensor.OPACITY: "thickness sensor at the first throat beam",
    Sensor.SLOT: "slot beam of the store",
    Sensor.EXIT: "exit beam",
    Sensor.TRAY: "tray beam",
    Sensor.EJECTOR: "home switch of the ejector",
    Sensor.DOOR: "door switch",
    Sensor.ARRIVAL: "arrival beam at the shelf",
    Sensor.CUT: "cut-card sensor",
    Sensor.BACK: "card-back sensor",
    Sensor.FACE: "face sensor",
    Sensor.HOLE_CARD: "card switch of the hole-card reader",
    Sensor.HOLE_MATCH: "match output of the hole-card reader",
    Sensor.KEY_SWITCH: "key switch",
    Sensor.BUTTON_CLOSE: "button CLOSE",
    Sensor.BUTTON_LOCK: "button LOCK",
    Sensor.BUTTON_SEAT: "button SEAT",
    Sensor.BUTTON_GREEN: "button GREEN",
    Sensor.BUTTON_ACK: "button ACK",
}

# A warning that only holds something up: nothing has stopped, and it ends by itself.
HOLDS: dict[Fault, Warned] = {
    Fault.JOURNAL: Warned(
        "storage is full of events that nobody has collected",
        "connect the host that collects them; it goes on by itself",
    ),
    Fault.STACK: Warned("something lies in the tray", "take it out; it goes on by itself"),
}

REFUSALS: dict[Refusal, str] = {
    Refusal.VERSION: "This tool is older than the device: update it.",
    Refusal.NO_KEY: "The device has no key yet: provision it over its service port, or connect without one (--no-key).",
    Refusal.ROLE: "This tool is newer than the device: it asked for a role that the device does not know.",
    Refusal.SWITCH: "The role of service needs the key switch: turn it on, and use the service port.",
    Refusal.BUSY: "The table's host holds the line: ask there, or close it and wait ten seconds.",
    Refusal.BACKOFF: "Somebody tried wrong keys on it; wait and try again with the right one.",
}


def warned(status: Status, sensor: Sensor = Sensor.NONE) -> Warned | None:
    """What the status warns of, if anything; with the sensor that the last `warning_latched` named."""
    if status.warning == Fault.NONE:
        return None
    table = WARNINGS if status.state in _STOPPED else {**WARNINGS, **HOLDS}
    told = table.get(status.warning, WARNINGS[Fault.UNRECOGNISED])
    return Warned(f"{told.what}; {at_sensor(sensor)}", told.advice) if sensor in SENSORS else told


def at_sensor(sensor: Sensor) -> str:
    """`it is throat_a, the first throat beam`: the name as in the board config, and where to look."""
    return f"it is {sensor.name.lower()}, the {SENSORS[sensor]}"


@dataclass(frozen=True)
class Step:
    """What a state waits for: the machine itself, a hand, or a command, which a button stands for too."""

    text: str
    hand: bool = False
    command: type[Command] | None = None

    @property
    def machine(self) -> bool:
        return not self.hand and self.command is None


_STOPPED = (State.WARNING, State.REMOVING, State.REMOVED_OFFERED)
STEPS: dict[State, Step] = {
    State.STARTING: Step("starting; close the door if it is open"),
    State.PROVING_EMPTY: Step("checking that it is empty"),
    State.WAITING_FOR_DECK: Step("insert the deck, then shuffle (GREEN)", hand=True, command=Shuffle),
    State.PREPARING: Step("preparing"),
    State.SHUFFLING: Step("shuffling"),
    State.DECK_READY: Step("when betting is over, close it (CLOSE)", command=CloseBetting),
    State.WAITING_FOR_LOCKOUT: Step("lock out the progressive wagers and confirm it (LOCK)", command=ConfirmLockout),
    State.DISPENSING: Step("dealing a stack"),
    State.STACK_OFFERED: Step("take the stack out of the tray", hand=True),
    State.WAITING_FOR_GREEN: Step("have the rest released (GREEN)", command=Release),
    State.RELEASING: Step("releasing the rest"),
    State.REMAINDER_OFFERED: Step("take the rest out of the tray", hand=True),
    State.WAITING_FOR_ROUND_END: Step("settle the round, then end it (GREEN)", command=EndRound),
    State.WARNING: Step("do what the warning asks for, then press ACK", hand=True),
    State.REMOVING: Step("putting out all cards"),
    State.REMOVED_OFFERED: Step("take the cards out of the tray and off the table", hand=True),
    State.DECK_HELD: Step("have the deck handed out (GREEN)", command=Release),
    State.DRAW_READY: Step("when betting is over, close it (CLOSE) or draw", command=CloseBetting),
    State.DRAWING: Step("draw; end the round when it is over (GREEN)", hand=True, command=EndRound),
    State.DECK_SPENT: Step("take out the rest of the cards", hand=True),
    State.WAITING_FOR_WAGERS: Step("when the second wagers are placed, close betting (CLOSE)", command=CloseBetting),
}
_UNKNOWN = Step("the device is newer than this tool: update the tool")

# What a deck or round waits for, and how to tell the shoe that it is done.
NEEDS: dict[Need, str] = {
    Need.SERVICE: "back in service? Tell it: record out-of-service back",
    Need.DISPUTE: "over? Tell it: record dispute 1 over, or record winner-hold 1 over",
    Need.INDUCTION: "tell what was done with the deck: record inspected 1, verified 1, shown 1, washed 1",
    Need.PROVENANCE: "tell who shuffled the deck: record provenance 1 machine|supplier|hand",
    Need.CUT: "cut the deck and tell it: record cut CARDS dealer|player|floorperson",
    Need.STUB_COUNT: "count the stub and tell it: record stub-counted CARDS; or press LOCK if it is right, ACK if not",
    Need.ROUND_END: "the last round has not ended: command end-round",
    Need.CARD: "a card is due from the deck: command give-card, or press LOCK",
    Need.PROGRESSIVE: "tell wagers and chips, which must agree: record progressive WAGERS CHIPS",
    Need.BURN: "draw a card and burn it",
    Need.HOLE_CARD: "tell the dealer's up-card: record up-card RANK; then use the reader",
    Need.DECISIONS: "tell what each player decides: record second-wager POSITION placed, or record fold POSITION",
    Need.RACK: "count the rack and tell it: record stub-counted CARDS",
}


def next_step(status: Status) -> Step:
    """What the shoe waits for in this state."""
    return STEPS.get(status.state, _UNKNOWN)
