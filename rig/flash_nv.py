"""Simulated storage whose cells lie on a simulated flash chip, behind the driver that boards have.

For ordering a cut, a write is an operation of the chip: the program of a page, or an erase. If no byte of it is
to get through, power fails before it; if all are, after it; and in the middle otherwise.
"""

from hal.flash import CELL, Flash, blocks_min
from hal.sim.nor import AFTER, BEFORE, MIDDLE, Nor
from hal.sim.nv import Nv

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    from hal.api import Config

BLOCKS_SPARE = 2  # for blocks that fail; a board has some to give as well


class FlashNv(Nv):
    """Pages that were cut may read differently at every start, as those of a real chip do."""

    def __init__(self, size: int, seed: int) -> None:
        super().__init__(0)
        self.size = size - size % CELL
        self.chip = Nor(blocks_min(self.size // CELL) + BLOCKS_SPARE, seed)
        self.chip.shaky = True
        self.data = self.chip.data
        self.power_on()

    def power_on(self) -> None:
        self.chip.power_on()
        self.flash = Flash(self.chip, self.chip.blocks, self.size)

    def read(self, address: int, buf: bytearray) -> bool:
        return self.flash.nv_read(address, buf)

    def prog(self, address: int, buf: bytearray) -> bool:
        if self.broken:
            return False
        return self._operate(self.flash.nv_prog, address, buf)

    def erase(self, address: int, size: int) -> bool:
        return self._operate(self.flash.nv_erase, address, size)

    def _operate(self, verb: "Callable[[int, Any], bool]", address: int, what: "Any") -> bool:
        chip = self.chip
        chip.cut_at = self.cut_at
        chip.cut_how = BEFORE if not self.cut_bytes else AFTER if self.cut_bytes >= CELL else MIDDLE
        try:
            return verb(address, what)
        finally:
            self.writes = chip.operations


def make_nv(config: "Config", seed: int) -> Nv:
    """What a board config says under `nv`."""
    size = config["bytes"]
    return FlashNv(size, seed) if config.get("kind") == "flash" else Nv(size)
