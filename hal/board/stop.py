"""Switching a roller off without a scan: at most one order, given ahead, carried out by an interrupt.

A roller is off 0.1 ms after the edge (docs/BUDGETS.md), 0.12 mm of card at 1.2 m/s. Interrupt handlers may not
allocate, and nothing here does once it is made.
"""

from machine import Timer
from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from machine import Pin

_NONE = const(-1)


class Stop:
    """An order to switch an output off by itself, some time after a line becomes blocked.

    The output stays off until the firmware asks for that, or gives a new order: a scan that began before the edge
    still believes the roller to be running and must not restart it.
    """

    def __init__(self, pins: "list[Pin | None]", levels: bytearray, motors: "list[int]", timer: "Any") -> None:
        self.pins = pins
        self.levels = levels  # what the outputs are at, as the port remembers it
        self.motors = motors  # the outputs that go off when everything does
        self.line = _NONE
        self.held = _NONE
        self.failed = False  # a handler raised: MicroPython does not call it again
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
        self.line = _NONE
        if self._running:
            self._timer.deinit()
            self._running = False
        self.held = _NONE

    # -- interrupts ------------------------------------------------------------------------------------------------

    def blocked(self) -> None:
        """The line that the order names has just become blocked."""
        self.line = _NONE
        if self._delay_us:
            self._running = True
            self._timer.init(
                mode=Timer.ONE_SHOT, period=self._delay_us, tick_hz=1000000, callback=self._fired, hard=True
            )
        else:
            self._switch_off(self._output)
            self.held = self._output

    def motors_off(self) -> None:
        """Every motor, at once, in an interrupt or not; the order is left for `cancel`."""
        for output in self.motors:
            self._switch_off(output)

    def _on_timer(self, timer: Timer) -> None:
        try:
            if self._running:
                self._running = False
                self._switch_off(self._output)
                self.held = self._output
        except BaseException:
            self.failed = True

    def _switch_off(self, output: int) -> None:
        pin = self.pins[output]
        if pin is not None:
            pin.value(0)
            self.levels[output] = 0
