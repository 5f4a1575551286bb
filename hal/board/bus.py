"""The I2C bus of the panel: buttons, lamps and display. A bus that a chip holds low costs no time-out, and is repaired.

A chip that missed clocks in the middle of an answer (a reset, a disturbance, a loose plug) holds SDA low until it has
had the clocks for the rest. The panel's driver calls `mend` before it looks for a chip that did not answer, once a
second: it gives up to ten clocks of 10 us, then a STOP, so that no chip takes what follows for the rest of its answer,
and sets the controller up again.
"""

from machine import Pin
from micropython import const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from hal.api import Config
    from hal.board.clock import sleep_us
else:
    from time import sleep_us

_CLOCKS = const(10)  # a byte, its acknowledgement, and one
_CLOCK_US = const(5)
_HELD = OSError(110)  # ETIMEDOUT; made once, so that raising it in a scan allocates little


class Bus:
    """`make` makes the chip's I2C from the section `expander` of the board config."""

    def __init__(self, config: "Config", make: "Callable[[Config], Any]") -> None:
        self._config = config
        self._make = make
        self.mend()

    def mend(self) -> None:
        """Clock a chip free that holds SDA, then set up pins and controller. Never raises for a bus that stays held."""
        sda, scl = self._config["sda"], self._config["scl"]
        data = Pin(sda, Pin.IN, Pin.PULL_UP)
        clock = Pin(scl, Pin.OPEN_DRAIN, value=1)
        if not data.value():
            for _ in range(_CLOCKS):
                _set(clock, 0)
                _set(clock, 1)
                if data.value():
                    # A STOP: SDA falls while SCL is low, which is no START, and rises while SCL is high.
                    _set(clock, 0)
                    data = Pin(sda, Pin.OPEN_DRAIN)
                    _set(data, 0)
                    _set(clock, 1)
                    _set(data, 1)
                    break
        self._i2c = self._make(self._config)
        self._sda = Pin(sda)
        self._scl = Pin(scl)

    def writeto(self, address: int, buf: "bytes | bytearray") -> None:
        self._check()
        self._i2c.writeto(address, buf)

    def readfrom_mem_into(self, address: int, register: int, buf: bytearray) -> None:
        self._check()
        self._i2c.readfrom_mem_into(address, register, buf)

    def _check(self) -> None:
        """Between transfers both lines are high. On a held bus a transfer would wait for its time-out, 2 ms."""
        if not (self._sda.value() and self._scl.value()):
            raise _HELD


def _set(pin: Pin, level: int) -> None:
    pin.value(level)
    sleep_us(_CLOCK_US)
