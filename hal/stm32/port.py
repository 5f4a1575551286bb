"""The STM32H7: pins with names, buses whose pins are fixed by MicroPython's board files, noise from its generator.

Pin interrupts are hard, one for each number whatever the bank: inputs must differ in that (`fairshoe config check`).
MicroPython's machine.Timer counts milliseconds here, so the stop uses a hardware timer through pyb.
"""

import pyb
import stm
from machine import I2C, SPI, Pin
from micropython import const

from hal.board.edges import Beam, IrqBeams
from hal.board.port import I2C_HZ, SPI_HZ, BoardHal
from hal.stm32.uart import PumpedUart
from hal.stm32.vcp import VcpPort

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from hal.api import Config, Hal

_ALARM_TIMER = const(2)  # of 32 bits; the other one, 5, has no priority of its own in MicroPython: it is a servo's
_I2C_TIMEOUT_US = const(2000)
_ERRORS = const(0x06)  # RNG_SR: seed and clock error, as they are now


class Alarm:
    """What the stop asks of a timer: once, after so many microseconds, in a hard interrupt."""

    def __init__(self, number: int) -> None:
        timer: "Any" = pyb.Timer(_ALARM_TIMER, freq=1000)
        self._prescaler = timer.source_freq() // 1000000 - 1
        self._timer = timer
        self._callback: "Any" = None
        self._fired = self._on_timer  # bound once: binding allocates

    def init(self, mode: int, period: int, tick_hz: int, callback: "Callable[[Any], None]", hard: bool) -> None:
        self._callback = callback
        timer = self._timer
        timer.callback(None)
        # Not `period`: MicroPython has it buffered, and it would hold only when the one before is over.
        timer.init(prescaler=self._prescaler, period=period)
        timer.callback(self._fired)

    def deinit(self) -> None:
        self._timer.callback(None)

    def _on_timer(self, timer: "Any") -> None:
        timer.callback(None)
        self._callback(timer)


class Stm32Hal(BoardHal):
    """One board."""

    _timer = Alarm

    def _make_beams(self, lines: "list[tuple[int, str]]", slot: int, limit: int) -> IrqBeams:
        pins = [(line, Pin(pin, Pin.IN, Pin.PULL_UP)) for line, pin in lines]
        return IrqBeams(Beam, self._stop, pins, limit)

    def _uart(self, link: "Config") -> "Any":
        return PumpedUart(link["uart"], link["baud"])

    def _i2c(self, bus: "Config") -> "Any":
        return I2C(bus["i2c"], freq=I2C_HZ, timeout=_I2C_TIMEOUT_US)

    def _spi(self, bus: "Config") -> "Any":
        return SPI(bus["spi"], baudrate=SPI_HZ)

    def _service(self) -> "Any":
        return VcpPort()


def make_hal(config: "Config", inputs: "tuple[str, ...]", outputs: "tuple[str, ...]") -> "Hal":
    return Stm32Hal(config, inputs, outputs, _fit)


def _fit(board: BoardHal, config: "Config") -> None:
    source = config["entropy"]["source"]
    if source != "stm32_rng":
        raise ValueError("no noise " + source)
    board.entropy_into = rng_into


def rng_into(buf: bytearray) -> bool:
    """A byte of each number. MicroPython looks only whether a number came; that the source is sound, the chip says in
    its status, and numbers that are all the same say that it is not."""
    status = stm.RNG + stm.RNG_SR
    try:
        for i in range(len(buf)):
            buf[i] = pyb.rng() & 0xFF
            if stm.mem32[status] & _ERRORS:
                return False
    except OSError:
        return False
    first = buf[0]
    for byte in buf:
        if byte != first:
            return True
    return len(buf) < 2
