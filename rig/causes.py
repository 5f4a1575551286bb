"""Which step of a record a warning comes from.

A machine that is handled for minutes has old faults in it, some of them noticed long ago. A warning belongs to what
happened last and was not noticed yet: a fault, from the moment it struck, or something that hands did and that leads to
this warning. A fault that the device has noticed and that is still there comes last.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hal.sim.faults import Fault, Faults

# Which warnings come of what hands do; every other warning comes of a fault.
_HANDS = {
    "open": "door",
    "cut": "power",
    "crash": "internal reset",
    "stuck": "internal reset",
    "stop_card": "jam_throat jam_exit misfeed",
    "load": "mismatch composition cards_inside back",
    "lift": "misfeed mismatch",
    "litter": "stack cards_inside",
    "take": "stack",
    "draw_two": "double_feed",
    "hold": "jam_throat",
}


class Cause:
    """A step that may lead to a warning; `fault` is what it put into the machine, if it is that."""

    def __init__(self, step: "dict[str, Any]", number: int, acted_us: int, fault: "Fault | None") -> None:
        self.step = step
        self.number = number
        self.acted_us = acted_us
        self.fault = fault
        self.noticed = False

    def struck_us(self) -> int:
        """When it did something to the machine; -1: not yet."""
        return self.fault.struck_us if self.fault is not None else self.acted_us

    def leads_to(self, warning: str) -> bool:
        return self.fault is not None or warning in _HANDS[self.step["do"]].split()


class Causes:
    """Everything in a record that may lead to a warning, oldest first."""

    def __init__(self, faults: "Faults") -> None:
        self.faults = faults
        self.all: "list[Cause]" = []
        # Faults that the machine began with belong to no step.
        for fault in faults.entries:
            self.all.append(Cause({"do": "fault", "fault": fault.name}, 0, 0, fault))

    def acted(self, step: "dict[str, Any]", number: int, now_us: int) -> None:
        """A step was done; the first of a record has number 1."""
        if step["do"] == "fault":
            self.all.append(Cause(step, number, now_us, self.faults.entries[-1]))
        elif step["do"] in _HANDS:
            self.all.append(Cause(step, number, now_us, None))

    def struck_us(self) -> int:
        """When the newest fault first did anything; -1: none has."""
        return max([cause.struck_us() for cause in self.all if cause.fault is not None] + [-1])

    def of(self, warning: str, now_us: int) -> "dict[str, Any] | None":
        """The step that this warning comes from, as the page shows it; None if no step explains it."""
        found: "Cause | None" = None
        for again in (False, True):
            for cause in self.all:
                struck_us = cause.struck_us()
                if not 0 <= struck_us <= now_us or not cause.leads_to(warning) or cause.noticed != again:
                    continue
                if again and cause.fault not in self.faults.entries:
                    continue  # noticed, and repaired
                if found is None or struck_us >= found.struck_us():
                    found = cause
            if found is not None:
                break
        if found is None:
            return None
        cause = {"step": found.step, "number": found.number, "acted": found.acted_us, "struck": found.struck_us()}
        cause["again"] = found.noticed
        found.noticed = True
        return cause
