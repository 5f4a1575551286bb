"""The RP2 family: beams and an axis in PIO and DMA, cells in its own flash, noise from ring oscillators.

Parts are imported only where the board has them, and the rest is as hal/board has it.
"""

from machine import Pin, mem32

from hal.board.port import BoardHal
from hal.rp2.beams import PinStop, PioBeams

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hal.api import Config, Hal

_FED = 0x6AB73121  # written by the code that starts the watchdog, and by no other reset


class Rp2Hal(BoardHal):
    """One board."""

    scratch: int  # where the chip has register 4 of the eight that keep their content when the watchdog resets it
    clock: int  # where it has the low word of its microseconds

    _stop_kind = PinStop

    def _make_beams(self, lines: "list[tuple[int, int]]", slot: int, limit: int) -> PioBeams:
        for line, pin in lines:
            self._stop.listen(line, Pin(pin, Pin.IN, Pin.PULL_UP))
        return PioBeams(lines, slot, limit, self.clock)

    def reset_cause(self) -> int:
        """MicroPython's own answer calls machine.reset() a watchdog's, too: every new firmware would begin with one."""
        cause = BoardHal.reset_cause(self)
        return 2 if cause == 1 and mem32[self.scratch] != _FED else cause


def make_hal(config: "Config", inputs: "tuple[str, ...]", outputs: "tuple[str, ...]") -> "Hal":
    return Rp2Hal(config, inputs, outputs, _fit)


def _fit(board: "Any", config: "Config") -> None:
    if "axis" in config:
        from hal.rp2.axis import Axis

        board.axis = Axis(config["axis"], config["mechanism"])
    if config["nv"]["kind"] == "flash":
        from hal.rp2.onboard import onboard

        board.nv = onboard(config["nv"])
    source = config["entropy"]["source"]
    if source == "rp2040_rosc":
        from hal.rp2.rosc import noise_into

        board.scratch = 0x4005801C
        board.clock = 0x40054028
    elif source == "rp2350_trng":
        from hal.rp2.trng import noise_into

        board.scratch = 0x400D801C
        board.clock = 0x400B0028
    else:
        raise ValueError("no noise " + source)
    board.entropy_into = noise_into
