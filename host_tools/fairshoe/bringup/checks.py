"""What a step of bring-up finds, and what it has to work with.

A check is passed by a sensor, never by an answer of the technician. What no sensor can show is said to be not tested.
"""

from __future__ import annotations

import copy
from dataclasses import asdict, dataclass, field
from typing import Any

from fairshoe.boards.configs import check_board
from fairshoe.bringup.lines import Lines
from fairshoe.calibrate.derive import report_ms
from fairshoe.calibrate.machine import Machine

PASSED, FAILED, NOT_TESTED = "passed", "failed", "not tested"
BENCH = "needs a bench image"
MEND = "mend what was found first"
UNSEEN = "no sensor sees it"
LASTING = (UNSEEN,)  # running the step again would not change it


@dataclass(frozen=True)
class Check:
    """`what` was seen; of a finding also its `key`, for programs, and the cure. `swap` are two inputs or outputs
    whose entries in the config would cure it, `change` figures of the mechanism that would. `why` something is not
    tested."""

    name: str
    result: str
    what: str
    key: str = ""
    cure: str = ""
    swap: tuple[str, str] | None = None
    change: dict[str, int] | None = None
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        return {key: value for key, value in asdict(self).items() if value}


def passed(name: str, what: str) -> Check:
    return Check(name, PASSED, what)


def failed(key: str, what: str, cure: str, swap: tuple[str, str] | None = None) -> Check:
    """The key is the kind of fault and the part, or one word."""
    return Check(key.split()[:2][-1], FAILED, what, key, cure, swap)


def untested(name: str, what: str, why: str) -> Check:
    return Check(name, NOT_TESTED, what, why=why)


def cured(config: dict[str, Any], checks: list[Check]) -> dict[str, Any] | None:
    """The config with all wires that are swapped, and figures that were found wrong, put right; None if there are
    none, or it would be no good config."""
    new = copy.deepcopy(config)
    for check in checks:
        if check.swap:
            one, other = check.swap
            wires = new["inputs" if one in new["inputs"] else "outputs"]
            wires[one], wires[other] = wires[other], wires[one]
        if check.change:
            new["mechanism"] |= check.change
            new["mechanism"]["shuffle_report_ms"] = report_ms(new["mechanism"])
    return new if new != config and not check_board(new) else None


def turned(motor: str) -> Check:
    return failed(
        f"backwards {motor}",
        f"the motor {motor} turns the wrong way: what it drives moves in the other direction.",
        f"Swap the two wires of the motor {motor}"
        + (", or those of one coil, if it is a stepper." if motor == "axis" else "."),
    )


@dataclass
class Bringup:
    """A machine on its way. `line_of` says at which line each input was
    seen, as far as that is known by now."""

    machine: Machine
    config: dict[str, Any]
    crc: int
    line_of: dict[str, str] = field(default_factory=dict[str, str])
    open: set[str] = field(default_factory=set[str])  # steps of this run that failed, or could not be tried
    inside: bool = False  # the diagnostic mode has begun
    homed: bool = False  # in this run

    def __post_init__(self) -> None:
        self.lines = Lines(self.config)
        self.machine.seen = self.lines.take

    @property
    def mech(self) -> dict[str, Any]:
        return self.config["mechanism"]

    def enter(self) -> None:
        if not self.inside:
            self.machine.enter()
            self.inside = True

    def leave(self) -> None:
        if self.inside:
            self.inside = False
            self.machine.leave()

    def wired(self, *names: str) -> list[str]:
        return [name for name in names if name in self.config["inputs"]]
