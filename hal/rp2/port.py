"""The RP2 family: an axis in PIO and DMA, cells in its own flash, noise from ring oscillators.

Parts are imported only where the board has them, and the rest is as hal/board has it.
"""

from machine import mem32
from micropython import const

from hal.board.port import BoardHal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from hal.api import Config, Hal

_REASON = const(0x08)  # registers of the watchdog: 0 after power-up or RESET
_SCRATCH = const(0x1C)
_FED = 0x6AB73121  # left there by whoever starts the watchdog, and by no other reset


class Rp2Hal(BoardHal):
    """One board."""

    watchdog = 0x40058000  # an RP2040's

    def reset_cause(self) -> int:
        """MicroPython's own answer calls machine.reset() a watchdog's, too: every new firmware would begin with one."""
        if not mem32[self.watchdog + _REASON]:
            return 0
        return 1 if mem32[self.watchdog + _SCRATCH] == _FED else 2


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
    elif source == "rp2350_trng":
        from hal.rp2.trng import noise_into

        board.watchdog = 0x400D8000
    else:
        raise ValueError("no noise " + source)
    board.entropy_into = noise_into
