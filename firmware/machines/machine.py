"""What every mechanism is to the procedure: something that does one job at a time, and ends it or fails.

A job is a tuple of phases, each a function that starts something, waits for it and goes on. A kind of mechanism is
its jobs and the parts they move; the parts are shared.
"""

from micropython import const

from firmware.fault import FAULT_NONE
from firmware.image import OUT_DARK, output_set

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from firmware.deck.ledger import Ledger
    from firmware.image import Inputs, Outputs
    from firmware.machines.meters import Meters
    from firmware.machines.spec import Spec

    Phase = Callable[[Any, Inputs, Outputs, int], int]

JOB_IDLE = const(0)
JOB_RUNNING = const(1)
JOB_DONE = const(2)
JOB_FAILED = const(3)


class Machine:
    """One mechanism. Subclasses say what they can do and have a tuple of phases for each job."""

    shuffles = False
    deals = False  # stacks, by motor
    draws = False  # single cards, by hand
    counts_out = True  # what a purge puts out is counted on its way

    def __init__(self, spec: "Spec", ledger: "Ledger", meters: "Meters") -> None:
        self.spec = spec
        self.ledger = ledger
        self.meters = meters
        self.state = JOB_IDLE
        self.fault = FAULT_NONE
        self.fresh = False  # the phase has not run yet
        self.phases: "tuple[Phase, ...]" = ()
        self.phase = 0
        self.entered_ms = 0
        self.rejects = False  # a card that lies face up goes to the rack, and play goes on
        self.expected = 0
        self.count = 0  # cards of this job
        self.second = 0  # the same, counted by other means
        self.busy = False  # a card moves, or may, whatever the motors do: in a hand, coasting, falling into the tray

    def report_ms(self, cards: int) -> int:
        """When the result of shuffling so many cards is reported. Must not depend on the order."""
        return self.spec.shuffle_report_ms

    def begin(self, phases: "tuple[Phase, ...]", now_ms: int) -> None:
        self.phases = phases
        self.phase = 0
        self.fresh = True
        self.entered_ms = now_ms
        self.state = JOB_RUNNING
        self.fault = FAULT_NONE
        self.count = 0
        self.second = 0
        self.busy = False

    def enter(self) -> bool:
        """True once for each phase: start its motion then."""
        fresh = self.fresh
        self.fresh = False
        return fresh

    def advance(self, now_ms: int) -> int:
        """The phase is over. Returns 0: scan again at once."""
        self.phase += 1
        self.fresh = True
        self.entered_ms = now_ms
        if self.phase == len(self.phases):
            self.state = JOB_DONE
        return 0

    def fail(self, out: "Outputs", fault: int) -> int:
        self.stop(out)
        self.state = JOB_FAILED
        self.fault = fault
        self.meters.fault(fault)
        return 0

    def stop(self, out: "Outputs") -> None:
        """Stop the job under way."""
        self.state = JOB_IDLE
        output_set(out, OUT_DARK, 0)

    def scan(self, inp: "Inputs", out: "Outputs", now_ms: int) -> int:
        """While a job is running: take at most one transition. Returns when to come back."""
        return self.phases[self.phase](self, inp, out, now_ms)
