"""The RP2 family: an axis in PIO and DMA, cells in its own flash, noise from ring oscillators.

Parts are imported only where the board has them, and the rest is as hal/board has it.
"""

from machine import mem32

from hal.board.port import BoardHal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config, Hal

_ROSC_RANDOMBIT = 0x4006001C


def make_hal(config: "Config", inputs: "tuple[str, ...]", outputs: "tuple[str, ...]") -> "Hal":
    return BoardHal(config, inputs, outputs, _fit)


def _fit(board: BoardHal, config: "Config") -> None:
    if "axis" in config:
        from hal.rp2.axis import Axis

        board.axis = Axis(config["axis"], config["mechanism"])
    if config["nv"]["kind"] == "flash":
        from hal.rp2.onboard import onboard

        board.nv = onboard(config["nv"])
    source = config["entropy"]["source"]
    if source == "rp2040_rosc":
        board.entropy_into = rosc_into
    elif source == "rp2350_trng":
        from hal.rp2.trng import trng_into

        board.entropy_into = trng_into
    else:
        raise ValueError("no noise source " + source)


def rosc_into(buf: bytearray) -> bool:
    """The ring oscillator's raw bit of an RP2040, eight to a byte, unconditioned. What never changes is no source."""
    ones = 0
    for i in range(len(buf)):
        byte = 0
        for _ in range(8):
            byte = byte << 1 | mem32[_ROSC_RANDOMBIT] & 1
        buf[i] = byte
        ones |= 1 if byte else 0
        ones |= 2 if byte != 0xFF else 0
    return ones == 3
