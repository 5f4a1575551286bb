"""The stepper of carousel or elevator: trapezoidal moves that run in PIO and DMA, whatever the scans are doing.

Three DMA channels follow each other, all from one table made at start: up the ramp, cruise (the same word again and
again), down the ramp and the closing zero. Nothing is computed or allocated to start a move.

The home mark has one edge that counts, before place 0 in the direction of homing: by `home_steps` of the config, or
HOME_STEPS. From there on it covers the sensor for HOME_STEPS at least. Homing ends at rest at place 0, or `lost`. First
an interrupt finds the edge:

- A carousel turns once and one slot further.
- An elevator seeks downwards at a quarter of its speed and slows down where the edge passes. That takes a sixteenth of
  the ramp below place 0. Standing on the mark, it first goes up one shelf.

The interrupt may be late: half a millisecond is 2.6 steps of a carousel. So the axis then goes to APPROACH_STEPS before
the edge, comes on in single steps, reads the sensor at rest after each, and takes the step that covers it for the edge.

There is no encoder, but every move that is not homing knows where the edge has to pass: elsewhere, or not at all, and
the axis is lost. What steps were lost shows at the next pass of the mark. Lost steps make it late: by how much it was
early, for a turn shorter than configured, is in `early`.
"""

from array import array

from machine import Pin
from micropython import const
from rp2 import DMA, StateMachine
from uctypes import addressof

from hal.rp2.step_pio import STEP_CYCLES, step_program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hal.api import Config
    from hal.board.clock import sleep_us
else:
    from time import sleep_us

AXIS_REST = const(0)
AXIS_MOVING = const(1)
AXIS_LOST = const(2)

HOME_STEPS = const(2)  # of a mark that is mounted at place 0: one step of doubt, one of margin
_UNKNOWN = const(-1)
_CHATTER_STEPS = const(3)  # an edge taken back sooner is none: at 5,000 steps/s a bounce is over in two
APPROACH_STEPS = const(16)  # a stamp that is 2 ms late is 11 steps late at 5,184 steps/s
_CREEP_STEPS_MAX = const(32)  # 0.3 s
_HOME_EDGES_MAX = const(32)  # in one move: the mark passes twice at most, and each pass bounces some five times
_SEEK_SHIFT = const(4)  # a sixteenth of the ramp is a quarter of the speed

_LEG_MOVE = const(0)
_LEG_TURN = const(1)  # homing a carousel: past the mark
_LEG_CLEAR = const(2)  # homing an elevator: off the mark
_LEG_SEEK = const(3)  # and down to it
_LEG_APPROACH = const(4)  # either: to where single steps begin
_LEG_CREEP = const(5)  # one step
_LEG_LAND = const(6)  # from the edge to place 0

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
    """Sole owner of the step and direction pins. `state` changes only in move, service and halt."""

    def __init__(self, pins: "Config", mech: "Config") -> None:
        self.state = AXIS_REST
        self.wraps = "slot_steps" in mech
        place, unit = ("slot", "rev") if self.wraps else ("shelf", "shelf")
        self.place_steps = mech[place + "_steps"]
        self.all_steps = mech[place + "_count"] * self.place_steps
        self._home_steps = mech.get("home_steps", HOME_STEPS)
        steps = self.all_steps if self.wraps else self.place_steps
        key = "axis_m" + unit + "_per_s"
        self.table = ramp_table(mech[key] * steps // 1000, mech[key + "2"] * steps // 1000)
        self.ramp = len(self.table) // 2 - 1
        self._base = addressof(self.table)
        self._step = Pin(pins["step"], Pin.OUT, value=0)
        self._dir = Pin(pins["dir"], Pin.OUT, value=0)
        self._home = Pin(pins["home"], Pin.IN, Pin.PULL_UP)
        self._leg = _LEG_MOVE
        self._at = _UNKNOWN  # steps from place 0, once homed
        self._total = 0
        self._up = 0
        self._creeps = 0  # single steps that homing may still take
        self._left = 0  # of a seek: steps that were not made
        self._forward = False
        self._edge_level = 1  # what the sensor reads after the edge that counts, in the direction of this move
        self._home_at = _UNKNOWN  # the step at which it passed
        self._home_edges = 0  # so far in this move
        self._failed = False  # a handler raised: MicroPython does not call it again
        self._first_at = 0  # of a carousel that turns home: the step at which the edge passed first
        self.early = 0  # lost because the edge came so many steps too soon
        self.resting = False  # set by the interrupt that ends a move
        self._spoilt = False  # channels were broken off: they have to be set up again
        self._dmas: "tuple[Any, Any, Any]" = (DMA(), DMA(), DMA())  # the stubs lack channel and count
        self._ctrl = self._chain()
        # Off, and the next of none but itself: an RP2350 that breaks a channel off starts the next in its chain (E5),
        # and a control word of 0 would name channel 0.
        first, cruise, last = self._dmas
        self._off = (first.pack_ctrl(enable=False), cruise.pack_ctrl(enable=False), last.pack_ctrl(enable=False))
        self._machine = StateMachine(0)
        self._prepare(_STEP_HZ)
        self._home_irq: "Any" = self._home.irq(self._on_home, 0, hard=True)

    # -- orders ----------------------------------------------------------------------------------------------------

    def move(self, places: int, home: bool) -> None:
        self.early = 0
        if not home:
            self._leg = _LEG_MOVE
            self._begin(places * self.place_steps, self.ramp)
            return
        self._at = _UNKNOWN
        if self.wraps:
            self._leg = _LEG_TURN
            self._begin(self.all_steps + self.place_steps, self.ramp)
        elif self._home.value():
            self._leg = _LEG_CLEAR
            self._begin(self.place_steps, self.ramp)
        else:
            self._seek()

    def step(self, steps: int, pace: int) -> None:
        """So many steps, whatever places there are: at a quarter of the speed, or at `pace` percent of it. Then the
        state machine's clock is another one, which takes the ramps along: no second table."""
        self._at = _UNKNOWN
        self._leg = _LEG_MOVE
        if pace:
            self._prepare(_STEP_HZ // 100 * pace)
        self._begin(steps, self.ramp if pace else self.ramp >> _SEEK_SHIFT)
        if pace:
            self._spoilt = True  # the next move has its own clock

    def home_at(self) -> int:
        return self._home_at & 0xFFFF

    def service(self) -> None:
        """Call when `resting` is set: take note that a move has ended; in homing, start the next one.

        Or that it must: a home line that changes faster than any mark would leave no time for scans. Its interrupt has
        masked itself; the axis stops, and is lost."""
        if self._failed:
            raise RuntimeError("axis handler failed")
        self.resting = False
        if self._home_edges > _HOME_EDGES_MAX:
            self.halt()
            self.state = AXIS_LOST
            return
        self._home_irq.trigger(0)
        leg = self._leg
        if leg == _LEG_MOVE:
            self._finish(self._passed_rightly())
        elif leg >= _LEG_APPROACH:
            self._find_edge(leg)
        elif leg == _LEG_CLEAR:
            if self._home.value():
                self._finish(False)
            else:
                self._seek()
        elif self._home_at == _UNKNOWN:
            self._finish(False)
        elif leg == _LEG_TURN:
            self._first_at = self._home_at
            self._approach((self._home_at - self.place_steps - APPROACH_STEPS) % self.all_steps)
        else:
            self._approach(self._total - self._left - self._home_at + APPROACH_STEPS)

    def halt(self) -> None:
        """Stop at once. The position is unknown then: home again."""
        if self.state != AXIS_MOVING:
            return
        self._machine.active(0)
        self._home_irq.trigger(0)
        for i in range(len(self._dmas)):
            # Disabled before it is aborted, so that ending one cannot set off the next in the chain.
            self._dmas[i].config(ctrl=self._off[i])
            self._dmas[i].active(0)
        self._spoilt = True
        self._at = _UNKNOWN
        self.resting = False
        self.state = AXIS_REST

    # -- checks after a move -------------------------------------------------------------------------------------

    def _finish(self, right: bool) -> None:
        if not right:
            self._at = _UNKNOWN
        self.state = AXIS_REST if right else AXIS_LOST

    def _find_edge(self, leg: int) -> None:
        """The last legs of homing, by what the sensor reads at rest: 0 before the edge, 1 from there to place 0."""
        covered = self._home.value()
        if leg == _LEG_APPROACH and self.wraps and self._turned_early():
            self._finish(False)
        elif leg == _LEG_LAND:
            self._at = 0
            self._finish(self._on_mark())
        elif leg == _LEG_CREEP and covered:
            self._leg = _LEG_LAND
            self._begin(self._home_steps if self.wraps else -self._home_steps, self.ramp)
        elif covered or not self._creeps:
            self._finish(False)
        else:
            self._creeps -= 1
            self._leg = _LEG_CREEP
            self._begin(1 if self.wraps else -1, 0)

    def _on_mark(self) -> bool:
        """Whether the sensor reads what it must at place 0. Where that lies deeper, the mark may be over."""
        return self._home_steps > HOME_STEPS or self._home.value() == 1

    def _turned_early(self) -> bool:
        """Whether the edge passed again on the way to where single steps begin: after one turn, or two short ones."""
        if self._home_at == _UNKNOWN:
            return False
        turn = self.all_steps + self.place_steps + self._home_at - self._first_at
        if turn > self.all_steps + APPROACH_STEPS:
            turn //= 2
        self.early = max(self.all_steps - turn, 0)
        return self.early >= APPROACH_STEPS

    def _passed_rightly(self) -> bool:
        """Whether the mark's edge passed at the expected step, within a tenth of a place, where a card still fits."""
        if self._at == _UNKNOWN:
            return True
        expected = self._expected()
        if expected < 1 or expected > self._total:
            expected = _UNKNOWN
        self._at += self._total if self._forward else -self._total
        if self.wraps:
            self._at %= self.all_steps
        seen = self._home_at
        if expected == _UNKNOWN or seen == _UNKNOWN:
            return expected == seen and (self._at != 0 or self._on_mark())
        off = expected - seen
        if off > self.place_steps // 10:
            self.early = off
        return abs(off) <= self.place_steps // 10

    def _expected(self) -> int:
        """With which step from here the mark's edge passes, if the move goes so far in the right direction."""
        if self.wraps:
            return self.all_steps - self._home_steps - self._at if self._forward else self._at + self._home_steps + 1
        if self._forward:
            return self._home_steps + 1 - self._at
        return self._at - self._home_steps

    # -- moves -----------------------------------------------------------------------------------------------------

    def _approach(self, steps: int) -> None:
        self._leg = _LEG_APPROACH
        self._creeps = _CREEP_STEPS_MAX
        self._begin(steps, self.ramp)

    def _seek(self) -> None:
        self._leg = _LEG_SEEK
        self._begin(-self.all_steps, self.ramp >> _SEEK_SHIFT)

    def _begin(self, steps: int, ramp: int) -> None:
        """Steps, signed. The ramps take at most all of it but one step, which is the cruise."""
        if self._spoilt:
            self._prepare(_STEP_HZ)
        self._forward = steps > 0
        self._dir.value(1 if self._forward else 0)
        sleep_us(_DIR_US)
        if steps < 0:
            steps = -steps
        self._total = steps
        self._left = 0
        self._home_at = _UNKNOWN
        self._home_edges = 0
        if steps == 0:
            self.resting = True
            return
        # A carousel comes onto the mark by this edge as it turns forward, an elevator as it goes down.
        self._edge_level = 1 if self._forward == self.wraps else 0
        self._home_irq.trigger(Pin.IRQ_RISING | Pin.IRQ_FALLING)
        self._up = min(ramp, (steps - 1) // 2)
        self.state = AXIS_MOVING
        self._go()

    def _go(self) -> None:
        up = self._up
        dmas = self._dmas
        dmas[1].config(read=self._base + 4 * up, count=self._total - 2 * up)
        dmas[2].config(read=self._base + 4 * (2 * self.ramp + 1 - up), count=up + 1)
        if up:
            dmas[0].config(read=self._base, count=up, trigger=True)
        else:
            dmas[1].active(1)

    def _chain(self) -> "tuple[int, int, int]":
        first, cruise, last = self._dmas
        return (
            first.pack_ctrl(inc_write=False, treq_sel=0, chain_to=cruise.channel),
            cruise.pack_ctrl(inc_write=False, treq_sel=0, chain_to=last.channel, inc_read=False),
            last.pack_ctrl(inc_write=False, treq_sel=0),
        )

    def _prepare(self, step_hz: int) -> None:
        """Program, pins and channels as at the start; after a halt this also empties the state machine's queue."""
        self._spoilt = False
        for i in range(len(self._dmas)):
            self._dmas[i].config(write=_TX_FIFO, count=0, ctrl=self._ctrl[i])
        self._machine.init(step_program, freq=step_hz, set_base=self._step)
        self._machine.irq(self._on_rest, hard=True)
        self._machine.active(1)

    # -- interrupts: nothing here allocates ------------------------------------------------------------------------

    def _on_rest(self, machine: StateMachine) -> None:
        self.resting = True

    def _on_home(self, pin: Pin) -> None:
        try:
            self._home_edges += 1
            if self._home_edges > _HOME_EDGES_MAX:
                self._home_irq.trigger(0)
                self.resting = True
            else:
                self._pass_home(pin)
        except BaseException:
            self._failed = self.resting = True

    def _pass_home(self, pin: Pin) -> None:
        done = self._done()
        if pin.value() == self._edge_level:
            if self._home_at == _UNKNOWN:
                self._home_at = done
                if self._leg == _LEG_SEEK:
                    self._slow_down()
        elif self._leg != _LEG_SEEK and done - self._home_at < _CHATTER_STEPS:
            self._home_at = _UNKNOWN

    def _slow_down(self) -> None:
        """Down the ramp from here; or from where it will be at once, if it is still on its way up."""
        first, cruise, last = self._dmas
        rising = self._up and first.count
        if rising:
            cruise.config(count=1)
        if cruise.count > 1 and not (self._up and first.count):
            cruise.config(ctrl=self._off[1])
            cruise.active(0)
            self._left = cruise.count
            self._spoilt = True
            last.active(1)
        elif rising:
            self._left = self._total - 2 * self._up - 1

    def _done(self) -> int:
        """Steps made so far in this move: words handed over less those still queued.

        In this order, since a channel that was broken off keeps its count until it starts again."""
        first, cruise, last = self._dmas
        left = first.count if self._up else 0
        if left:
            left += self._total - self._up
        else:
            left = cruise.count
            if left:
                left += self._up
            else:
                left = last.count
                if left:
                    left -= 1  # the closing zero is no step
        return self._total - left - self._machine.tx_fifo()
