"""The carousel's stepper: trapezoidal moves that run in PIO and DMA, whatever the scans are doing.

Three DMA channels follow each other, all from one table made at start: up the ramp, cruise (the same word again and
again), down the ramp and the closing zero. Nothing is computed or allocated to start a move.

Homing turns once and one slot further, notes the step at which the mark's edge passed, then goes back round to it. It
thus ends at rest with a full ramp, on the mark or not at all: a mark that is not seen, or not under the sensor at the
end, is `lost`. The edge must lie HOME_STEPS before the place where slot 0 is at the mouth. There is no encoder: a
carousel held fast between two homings shows only at the next one, or by a card that does not arrive.
"""

from array import array

from machine import Pin
from micropython import const
from rp2 import DMA, StateMachine
from uctypes import addressof

from hal.rp2.clock import sleep_us
from hal.rp2.steps import STEP_CYCLES, step_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hal.api import Config

AXIS_REST = const(0)
AXIS_MOVING = const(1)
AXIS_LOST = const(2)

HOME_STEPS = const(2)  # how far inside the mark it stands at home: one step of doubt, one of margin

_LEG_MOVE = const(0)
_LEG_SEARCH = const(1)
_LEG_LAND = const(2)

_STEP_HZ = const(1000000)
_DIR_US = const(5)  # assumed: how long the driver wants the direction settled before a step
_TX_FIFO = 0x50200010  # of state machine 0 in PIO 0, whose transfer request is number 0


def ramp_table(speed: int, accel: int) -> "array[int]":
    """Pauses in microseconds: up (n words), cruise, down (n words), 0. Speed and acceleration in steps and seconds."""
    n = speed * speed // (2 * accel)
    table = array("I", [0] * (2 * n + 2))
    before = 0.0
    for i in range(n):
        after = ((i + 1) * 2.0 / accel) ** 0.5 * 1e6
        pause = int(after - before) - STEP_CYCLES
        table[i] = pause
        table[2 * n - i] = pause
        before = after
    table[n] = 1000000 // speed - STEP_CYCLES
    return table


class Axis:
    """Sole owner of the step and direction pins. `state` changes only in move, home, service and halt."""

    def __init__(self, pins: "Config", mech: "Config") -> None:
        self.state = AXIS_REST
        self.slot_steps = mech["slot_steps"]
        self.turn_steps = mech["slot_count"] * self.slot_steps
        speed = mech["axis_mrev_per_s"] * self.turn_steps // 1000
        self.table = ramp_table(speed, mech["axis_mrev_per_s2"] * self.turn_steps // 1000)
        self.ramp = len(self.table) // 2 - 1
        self._base = addressof(self.table)
        self._step = Pin(pins["step"], Pin.OUT, value=0)
        self._dir = Pin(pins["dir"], Pin.OUT, value=0)
        self._home = Pin(pins["home"], Pin.IN, Pin.PULL_UP)
        self._leg = _LEG_MOVE
        self._total = 0
        self._up = 0
        self._home_at = -1
        self.resting = False  # set by the interrupt that ends a move
        self._halted = False
        self._dmas: "tuple[Any, Any, Any]" = (DMA(), DMA(), DMA())  # the stubs lack channel and count
        self._ctrl = self._chain()
        self._machine = StateMachine(0)
        self._prepare()
        self._home_irq: "Any" = self._home.irq(self._on_home, Pin.IRQ_RISING, hard=True)
        self._home_irq.trigger(0)

    def move(self, slots: int) -> None:
        self._leg = _LEG_MOVE
        self._begin(slots * self.slot_steps)

    def home(self) -> None:
        self._leg = _LEG_SEARCH
        self._home_at = -1
        self._home_irq.trigger(Pin.IRQ_RISING)
        self._begin(self.turn_steps + self.slot_steps)

    def service(self) -> None:
        """Call when `resting` is set: take note that a move has ended; in homing, start the second one."""
        self.resting = False
        if self._leg == _LEG_SEARCH:
            self._home_irq.trigger(0)
            if self._home_at >= 0:
                self._leg = _LEG_LAND
                steps = (self._home_at - self.slot_steps + HOME_STEPS) % self.turn_steps
                if steps:
                    self._begin(steps)
                    return
        found = self._leg == _LEG_MOVE or (self._home_at >= 0 and self._home.value() == 1)
        self.state = AXIS_REST if found else AXIS_LOST

    def halt(self) -> None:
        """Stop dead. Where it stands is not known then: only homing helps."""
        if self.state != AXIS_MOVING:
            return
        self._machine.active(0)
        self._home_irq.trigger(0)
        for dma in self._dmas:
            # Disabled before it is aborted, so that ending one cannot set off the next in the chain.
            dma.config(ctrl=0)
            dma.active(0)
        self._halted = True
        self.resting = False
        self.state = AXIS_REST

    def _begin(self, steps: int) -> None:
        """Steps, signed and not 0. The ramps take at most all of it but one step, which is the cruise."""
        if self._halted:
            self._prepare()
        self._dir.value(1 if steps > 0 else 0)
        sleep_us(_DIR_US)
        if steps < 0:
            steps = -steps
        if steps == 0:
            self.resting = True
            return
        up = min(self.ramp, (steps - 1) // 2)
        self._up = up
        self._total = steps
        first, cruise, last = self._dmas
        cruise.config(read=self._base + 4 * up, count=steps - 2 * up)
        last.config(read=self._base + 4 * (2 * self.ramp + 1 - up), count=up + 1)
        self.state = AXIS_MOVING
        if up:
            first.config(read=self._base, count=up, trigger=True)
        else:
            cruise.active(1)

    def _chain(self) -> "tuple[int, int, int]":
        first, cruise, last = self._dmas
        return (
            first.pack_ctrl(inc_write=False, treq_sel=0, chain_to=cruise.channel),
            cruise.pack_ctrl(inc_write=False, treq_sel=0, chain_to=last.channel, inc_read=False),
            last.pack_ctrl(inc_write=False, treq_sel=0),
        )

    def _prepare(self) -> None:
        """Program, pins and channels as at the start; after a halt this also empties the state machine's queue."""
        self._halted = False
        for i in range(len(self._dmas)):
            self._dmas[i].config(write=_TX_FIFO, count=0, ctrl=self._ctrl[i])
        self._machine.init(step_program, freq=_STEP_HZ, set_base=self._step)
        self._machine.irq(self._on_rest, hard=True)
        self._machine.active(1)

    def _on_rest(self, machine: StateMachine) -> None:
        self.resting = True

    def _on_home(self, pin: Pin) -> None:
        if self._home_at < 0:
            self._home_at = self._done()

    def _done(self) -> int:
        """Steps made so far in this move: words handed over less those still queued. Allocates nothing."""
        first, cruise, last = self._dmas
        left = last.count
        if not left:
            left = cruise.count
            if left:
                left += self._up
            else:
                left = first.count
                if left:
                    left += self._total - self._up
        else:
            left -= 1  # the closing zero is no step
        return self._total - left - self._machine.tx_fifo()
