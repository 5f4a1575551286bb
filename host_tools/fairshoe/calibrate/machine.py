"""A device in the diagnostic mode, as calibration sees it: levels, shots and their edges, and hands that help.

Every motion is a shot: a short program that the device carries out and ends by itself (docs/PROTOCOL.md). Edges come
raw, bounces and glitches included; `Shot.at` gives the settled ones.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from fairshoe.calibrate.hands import Hands, NotCalibrated
from fairshoe.client.shoe import Shoe
from fairshoe.errors import NoAnswer
from fairshoe.messages import Diagnose, Diagnosis, Edges, Status
from fairshoe.messages import Shot as ShotMessage
from firmware.image import INPUTS, OUTPUTS
from firmware.protocol import ids

PICK, TRANSPORT, EJECTOR, OUTFEED, REVERSE, DARK = (
    1 << OUTPUTS.index(name) for name in ("pick", "transport", "ejector", "outfeed", "reverse", "dark")
)
AXIS = 0x40
ENDINGS = {"axis": 254, "pace": 253, "lamps": 252}  # until the axis is at rest; the others are no steps
NONE = 255
SWITCHED = 0x80
HOLD_US = 500  # a level that lasts so long is no bounce
ANSWER_S = 3.0
ENTER_S = 6.0  # a machine that has left the mode first proves itself empty
TRIES = 5
EDGE_BYTES = 5
NOWHERE = ids.UNKNOWN_U16
ENDS = ids.SHOT_NAMES.split()
LINE = {name: number for number, name in enumerate(INPUTS)}


class ShotRefused(NotCalibrated):
    """The device did not carry out a shot, or broke it off. `end` says why, as the device names it; `line` is noisy."""

    def __init__(self, end: str, noisy: int) -> None:
        self.end = end
        self.line = INPUTS[noisy] if end == "noise" and noisy != NONE else ""
        what, advice = _REFUSED[end]
        super().__init__(f"{self.line} is noisy." if self.line else what, advice)


@dataclass(frozen=True)
class Step:
    """Outputs, for so many milliseconds at most, or until a line has a level or the axis is at rest. With "pace": what
    the axis turns at from here on, in percent; with "lamps": those that are lit, in place of outputs."""

    outputs: int
    ms: int
    line: str = ""
    level: int = 0

    def code(self) -> bytes:
        until = ENDINGS[self.line] if self.line in ENDINGS else LINE[self.line] << 1 | self.level if self.line else NONE
        return bytes((self.outputs, until)) + self.ms.to_bytes(2, "little")


@dataclass(frozen=True)
class Change:
    """A level that lasted: since its first edge, and for how long it bounced."""

    line: str
    level: int
    us: int
    bounce_us: int


@dataclass(frozen=True)
class Shot:
    """What a shot showed."""

    end: str
    step: int
    raw: list[tuple[str, int, int]]  # line, level, microseconds
    switches: list[tuple[int, int]]  # outputs, microseconds
    home: int | None  # the step of the axis at which the mark passed
    levels: int  # at its end
    changes: list[Change] = field(default_factory=list[Change])

    @property
    def done(self) -> bool:
        return self.end == "done"

    def at(self, line: str, level: int, nth: int = 0) -> int | None:
        found = [change.us for change in self.changes if (change.line, change.level) == (line, level)]
        return found[nth] if -len(found) <= nth < len(found) else None

    def level(self, line: str) -> int:
        return self.levels >> LINE[line] & 1


def settled(raw: Sequence[tuple[str, int, int]]) -> list[Change]:
    """Of raw edges those that lasted, by time."""
    changes: list[Change] = []
    for line in {edge[0] for edge in raw}:
        edges = [edge for edge in raw if edge[0] == line]
        level, first = 1 - edges[0][1], -1
        for index, (_line, value, us) in enumerate(edges):
            first = us if first < 0 else first
            if index + 1 < len(edges) and edges[index + 1][2] - us < HOLD_US:
                continue
            if value != level:
                changes.append(Change(line, value, first, us - first))
                level = value
            first = -1
    return sorted(changes, key=lambda change: change.us)


class Machine:
    """The device and its helper's hands. `enter` begins the mode, `leave` ends it."""

    def __init__(self, shoe: Shoe, hands: Hands) -> None:
        self.shoe = shoe
        self.hands = hands
        self.going: Callable[[], None] = lambda: None  # called before each question: it may raise, to stop all
        self.seen: Callable[[Shot], None] = lambda _shot: None
        self.bench = False
        self.shots = 0
        self._number = 0

    def enter(self) -> Diagnosis:
        self.going()
        ask = Diagnose(ids.DIAGNOSE_READ, 0)
        try:  # asked again while a mode before is being left
            reading = self.shoe.ask("its mode", ask, Diagnosis, lambda it: bool(it.on), ENTER_S)
        except NoAnswer:
            raise NotCalibrated(f"{self.shoe.name} does not enter the diagnostic mode.", self._why_not()) from None
        self._number = reading.shot
        self.bench = bool(reading.bench)
        return reading

    def leave(self) -> None:
        self.shoe.ask("its mode", Diagnose(ids.DIAGNOSE_LEAVE, 0), Diagnosis, lambda it: not it.on, ANSWER_S)

    def read(self) -> Diagnosis:
        self.going()
        return self.shoe.ask("its inputs", Diagnose(ids.DIAGNOSE_READ, 0), Diagnosis, lambda _it: True, ANSWER_S)

    def level(self, line: str) -> int:
        return self.read().level >> LINE[line] & 1

    def shoot(self, *steps: Step, stop: tuple[int, str, int] | None = None, axis: int = 0, watch: bool = False) -> Shot:
        """Carry out these steps. `stop`: the device switches an output off so many microseconds after a line is
        blocked; `axis`: steps that the axis makes, where a step has AXIS among its outputs."""
        reading: Diagnosis | None = None
        output, line, delay_us = (stop[0].bit_length() - 1, LINE[stop[1]], stop[2]) if stop else (NONE, 0, 0)
        program = b"".join(step.code() for step in steps)
        seconds = sum(step.ms for step in steps) / 1000 + ANSWER_S
        for _ in range(TRIES):
            self.going()
            self.shots += 1
            number = self._number = (self._number + 1) & 0xFFFF
            message = ShotMessage(number, output, line, delay_us, abs(axis), int(axis < 0), int(watch), program)
            reading = self.shoe.ask("a shot", message, Diagnosis, lambda it, number=number: it.shot == number, seconds)
            if ENDS[reading.end] != "not_now":  # the start of the mode is being recorded
                break
        assert reading is not None
        if reading.end >= ids.SHOT_DOOR:
            raise ShotRefused(ENDS[reading.end], reading.noisy)
        return self._result(reading)

    def _result(self, reading: Diagnosis) -> Shot:
        data = b""
        while len(data) < reading.edges * EDGE_BYTES:
            at = len(data) // EDGE_BYTES
            page = self.shoe.ask(
                "its edges", Diagnose(ids.DIAGNOSE_EDGES, at), Edges, lambda it, at=at: it.first == at, ANSWER_S
            )
            data += page.edges
        raw: list[tuple[str, int, int]] = []
        switches: list[tuple[int, int]] = []
        for at in range(0, len(data), EDGE_BYTES):
            kind, us = data[at], int.from_bytes(data[at + 1 : at + EDGE_BYTES], "little")
            if kind & SWITCHED:
                switches.append((kind & ~SWITCHED, us))
            else:
                raw.append((INPUTS[kind >> 1], kind & 1, us))
        home = reading.home if reading.home != NOWHERE else None
        shot = Shot(ENDS[reading.end], reading.step, raw, switches, home, reading.level, settled(raw))
        self.seen(shot)
        return shot

    def _why_not(self) -> str:
        status: Status | None = self.shoe.status
        if status is None:
            return "Its firmware is older than this command: flash it."
        inside = status.hopper + status.path + status.store + status.tray
        if inside:
            return f"{inside} cards of a deck are inside: end the round and take them out."
        return "Use the key of the role service, turn the key switch on, and end the round."


_REFUSED = {
    "door": ("the door is open, or the key switch off.", "Close the door and leave the key switch on."),
    "noise": ("a line is noisy.", "See fairshoe bringup: it shows the edges of each line."),
    "mouth": ("a card lies in the mouth, or the ejector is out.", "Open the door and clear the path."),
    "not_bench": (
        "this is a release image, which moves nothing here.",
        "Flash a bench image: fairshoe firmware image --bench.",
    ),
    "malformed": ("the device does not know this shot.", "Flash the firmware of this version."),
    "not_now": ("the device cannot record the start of the mode.", "Let the table system collect its events."),
}
