"""The RP2 family: an axis in PIO and DMA, cells in its own flash, noise from ring oscillators.

Parts are imported only where the board has them, and the rest is as hal/board has it.
"""

from hal.board.port import BoardHal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from hal.api import Config, Hal


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
        from hal.rp2.rosc import noise_into
    elif source == "rp2350_trng":
        from hal.rp2.trng import noise_into
    else:
        raise ValueError("no noise " + source)
    board.entropy_into = noise_into
