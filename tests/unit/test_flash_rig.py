"""The firmware on flash: it boots, records, and finds its journal again after a cut at any of its first operations."""

from support import board

from hal.flash import Flash, blocks_min
from hal.sim.nor import MIDDLE, Nor
from hal.sim.nv import Nv
from rig.rig import Rig

RECORD = 64


class OnFlash(Nv):
    """Simulated storage whose bytes lie on a simulated flash chip."""

    def __init__(self, size, chip):
        super().__init__(0)
        self.size = size
        self.chip = chip
        self.start()

    def start(self):
        self.chip.power_on()
        self.flash = Flash(self.chip, self.chip.blocks, self.size, RECORD)

    def read(self, address, buf):
        return self.flash.nv_read(address, buf)

    def prog(self, address, buf):
        self.writes += 1
        return self.flash.nv_prog(address, buf)


def _run(rig, seconds):
    until_us = rig.plant.now_us + seconds * 1000000
    while rig.powered and rig.plant.now_us < until_us:
        rig.step(until_us)


def test_a_journal_on_flash_goes_on_after_every_cut():
    config = board()
    config["nv"]["bytes"] = size = 128 * RECORD
    nv = OnFlash(size, Nor(blocks_min(128), 31))
    rig = Rig(config, "caribbean-stud", 1, 0, b"", nv)
    _run(rig, 20)
    known = rig.app.journal.seq_last
    assert rig.powered and known > 0
    for turn in range(4):  # erase, the newest cell once more, and what a boot records
        nv.start()
        nv.chip.cut_at = nv.chip.operations + turn
        nv.chip.cut_how = MIDDLE
        rig.boot()
        _run(rig, 20)
        assert not rig.powered
        nv.start()
        rig.boot()
        journal = rig.app.journal
        assert journal.seq_last >= known
        for seq in range(1, known + 1):
            assert journal.load(seq)
        _run(rig, 5)
        known = rig.app.journal.seq_last
    assert rig.powered
