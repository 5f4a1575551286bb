"""Beam edges, stamped in hard interrupts, and the stop that needs no scan.

A roller is off 0.1 ms after the edge (docs/BUDGETS.md), 0.12 mm of card at 1.2 m/s. A pulse that is over before the
handler reads the pin is not reported, for no card is so short; but it stops a roller that waits for this beam, since
many an edge begins so. Nothing here allocates once made; interrupt handlers may not.
"""

from machine import Pin, Timer, disable_irq, enable_irq
from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hal.board.clock import ticks_us
    from hal.board.ring import Edges
else:
    from time import ticks_us

_NOBODY = const(-1)


class Stop:
    """At most one order to switch an output off by itself, some time after a line becomes blocked.

    The output stays off until the firmware asks for that, or gives a new order: a scan that began before the edge
    still believes the roller to be running and must not restart it.
    """

    def __init__(self, pins: "list[Pin | None]", levels: bytearray, timer: "Any") -> None:
        self.pins = pins
        self.levels = levels  # what the outputs are at, as the port remembers it
        self.line = _NOBODY
        self.held = _NOBODY
        self._output = 0
        self._delay_us = 0
        self._running = False
        self._timer = timer
        self._fired = self._on_timer  # bound once: binding allocates

    def arm(self, output: int, line: int, delay_us: int) -> None:
        """A new order; the old one and what it held are forgotten."""
        self.cancel()
        self._output = output
        self._delay_us = delay_us
        self.line = line

    def cancel(self) -> None:
        self.line = _NOBODY
        if self._running:
            self._timer.deinit()
            self._running = False
        self.held = _NOBODY

    def blocked(self) -> None:
        """Interrupt side: the line that the order names has just become blocked."""
        self.line = _NOBODY
        if self._delay_us:
            self._running = True
            self._timer.init(
                mode=Timer.ONE_SHOT, period=self._delay_us, tick_hz=1000000, callback=self._fired, hard=True
            )
        else:
            self._switch_off()

    def _on_timer(self, timer: Timer) -> None:
        if self._running:
            self._running = False
            self._switch_off()

    def _switch_off(self) -> None:
        output = self._output
        pin = self.pins[output]
        if pin is not None:
            pin.value(0)
            self.levels[output] = 0
            self.held = output


class Beam:
    """One input pin whose edges are stamped. A broken wire reads 1: blocked, open, away from home."""

    def __init__(self, edges: "Edges", stop: Stop, line: int, pin: Pin, watched: bool) -> None:
        self.edges = edges
        self.stop = stop
        self.line = line
        self.pin = pin
        self.level = 0
        self.watched = watched
        self._irq = self._listen(Pin.IRQ_RISING | Pin.IRQ_FALLING)
        if not watched:
            self._irq.trigger(0)
        # Only now: what changed before anybody listened would stay unseen until it changed back.
        while watched and self.level != pin.value():
            self.level = pin.value()

    def _listen(self, both: int) -> "Any":
        """Hard: in the middle of whatever the VM does."""
        return self.pin.irq(self.on_edge, both, hard=True)

    def watch(self, on: bool) -> None:
        """Stamp edges from now on, or show 0. Either may itself be an edge."""
        self.watched = on
        held = disable_irq()
        self._irq.trigger(Pin.IRQ_RISING | Pin.IRQ_FALLING if on else 0)
        level = self.pin.value() if on else 0
        if level != self.level:
            self.level = level
            self.edges.push(self.line, level, ticks_us())
        enable_irq(held)

    def on_edge(self, pin: Pin) -> None:
        """Interrupt side, or in its stead."""
        now_us = ticks_us()
        level = pin.value()
        if level == self.level:
            if not level and self.stop.line == self.line:
                self.stop.blocked()
            return
        self.level = level
        # The stop before the book-keeping: it is what the card feels.
        if level and self.stop.line == self.line:
            self.stop.blocked()
        self.edges.push(self.line, level, now_us)
