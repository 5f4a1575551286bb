"""The seed of a deck, where storage loses contact for a moment."""

from support import board

from firmware.image import INPUTS
from firmware.journal.cells import CELL_SIZE, HELD_CELL
from firmware.journal.seeds import Seeds
from firmware.journal.store import Journal
from firmware.protocol.codec import codec_table, prefix_codes
from hal.sim.nv import Nv
from hal.sim.plant import Plant
from hal.sim.port import SimHal

SEED = bytes(range(1, 33))


class Loose(SimHal):
    """Storage of which one of the next reads fails."""

    left = -1

    def nv_read(self, address, buf):
        self.left -= 1
        return self.left != 0 and SimHal.nv_read(self, address, buf)


def test_a_seed_that_is_to_be_told_is_not_erased_while_it_cannot_be_read():
    for left in range(1, 5):
        loose = Loose(Plant(board(), INPUTS, 1), Nv(40 * CELL_SIZE))
        seeds = Seeds(loose, Journal(loose, 40 * CELL_SIZE, codec_table(), prefix_codes()), True)
        assert seeds.hold(7, 52, bytearray(SEED))
        loose.left = left
        if not seeds.end():
            assert SEED in bytes(loose.nv.data), left
            assert seeds.end()
        assert not any(loose.nv.data[HELD_CELL * CELL_SIZE : (HELD_CELL + 1) * CELL_SIZE])
        loose.left = -1
        values = [0] * 3
        assert seeds.tell(values) == SEED and values == [1, 7, 52]
