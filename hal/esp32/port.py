"""The ESP32-S3: interrupts that wait for the VM, a UART that must not be filled, noise that may be none.

There are no hard interrupts here. A pin's handler waits in a queue of eight until the VM is between two bytecodes, so
its time stamp is late by whatever the VM was doing, and an edge that finds the queue full has no handler at all. So
every look at the inputs compares the pins with what the handlers saw: such an edge comes late, but it comes. What
changes and changes back while the VM is busy is not seen. Nothing in the firmware keeps the VM busy for as long as a
card takes while cards move: no collection, no storage, no cryptography, and of the display a slice of 0.7 ms.
"""

import os

from machine import UART, Pin, Timer
from micropython import const, schedule

from hal.board.edges import Beam, IrqBeams
from hal.board.port import RX_BYTES, TX_BYTES, BoardHal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from hal.api import Config, Hal, InputImage

_BURST = const(256)  # of the buffer's 1,024, so that there is always room


class SoftBeam(Beam):
    """A beam whose handler comes when the VM has time."""

    def _listen(self, handler: "Callable[[Pin], None] | None") -> None:
        self.pin.irq(handler, Pin.IRQ_RISING | Pin.IRQ_FALLING)


class SoftTimer:
    """machine.Timer, of which none is hard."""

    def __init__(self, number: int) -> None:
        self._timer: "Any" = Timer(0)  # the stubs know no period together with tick_hz

    def init(self, mode: int, period: int, tick_hz: int, callback: "Callable[[Timer], None]", hard: bool) -> None:
        self._timer.init(mode=mode, period=period, tick_hz=tick_hz, callback=callback)

    def deinit(self) -> None:
        self._timer.deinit()


class EmptyUart:
    """A UART that is given bytes only when all before them are gone: a write that finds no room would wait for it, and
    the free room cannot be read."""

    def __init__(self, link: "Config") -> None:
        self._uart: "Any" = UART(
            link["uart"], link["baud"], tx=Pin(link["tx"]), rx=Pin(link["rx"]), rxbuf=RX_BYTES, txbuf=TX_BYTES
        )
        self.any = self._uart.any
        self.readinto = self._uart.readinto

    def write(self, buf: memoryview, start: int, size: int) -> int:
        if not self._uart.txdone():
            return 0
        return self._uart.write(buf, start, min(size, _BURST)) or 0


class Esp32Hal(BoardHal):
    """One board."""

    _timer = SoftTimer

    def _make_beams(self, lines: "list[tuple[int, int]]", slot: int, limit: int) -> IrqBeams:
        pins = [(line, Pin(pin, Pin.IN, Pin.PULL_UP)) for line, pin in lines]
        return IrqBeams(SoftBeam, self._stop, pins, limit)

    def _uart(self, link: "Config") -> "Any":
        return EmptyUart(link)

    def sample(self, inp: "InputImage") -> bool:
        self._catch_up()
        return BoardHal.sample(self, inp)

    def _news(self) -> bool:
        self._catch_up()
        return BoardHal._news(self)

    def _catch_up(self) -> None:
        """Through the queue like any other edge: handlers do not interrupt each other, but they would this."""
        if self._beams.masked:
            return
        for beam in self._beams.all:
            if beam.pin.value() != beam.level:
                try:
                    schedule(beam.on_edge, beam.pin)
                except RuntimeError:
                    return  # full: its entries come first, and then the lines are read again


def make_hal(config: "Config", inputs: "tuple[str, ...]", outputs: "tuple[str, ...]") -> "Hal":
    return Esp32Hal(config, inputs, outputs, _fit)


def _fit(board: BoardHal, config: "Config") -> None:
    source = config["entropy"]["source"]
    if source != "esp32_rng":
        raise ValueError("no noise " + source)
    board.entropy_into = rng_into


def rng_into(buf: bytearray) -> bool:
    """The chip's generator. Without radio or ADC, which this firmware never uses, its maker calls the output
    pseudo-random, and nothing in the bytes would show it: good for nonces, not for the order of a deck
    (docs/BOARDS.md). Only that they are all the same can be seen."""
    noise = os.urandom(len(buf))
    for i in range(len(buf)):
        buf[i] = noise[i]
    return noise != noise[:1] * len(buf)
