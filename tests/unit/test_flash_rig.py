"""The firmware on flash: it boots, records, and finds its journal again after a cut at any of its first operations."""

from support import board

from hal.sim.nor import MIDDLE
from rig.flash_nv import FlashNv
from rig.rig import Rig

CELLS = 128


def _run(rig, seconds):
    until_us = rig.plant.now_us + seconds * 1000000
    while rig.powered and rig.plant.now_us < until_us:
        rig.step(until_us)


def test_a_journal_on_flash_goes_on_after_every_cut():
    config = board()
    config["nv"]["kind"] = "flash"
    config["nv"]["bytes"] = 96 * CELLS
    rig = Rig(config, "caribbean-stud", 1, 0)
    assert isinstance(rig.nv, FlashNv)
    _run(rig, 20)
    known = rig.app.journal.seq_last
    assert rig.powered and known > 0
    for turn in range(4):  # erase, the newest cell once more, and what a boot records
        rig.nv.cut_at = rig.nv.writes + turn
        rig.nv.cut_bytes = 50
        rig.boot()
        _run(rig, 20)
        assert not rig.powered and rig.nv.chip.cut_how == MIDDLE
        rig.nv.cut_at = -1
        rig.boot()
        journal = rig.app.journal
        assert journal.seq_last >= known and not journal.broken
        for seq in range(1, known + 1):
            assert journal.load(seq)
        _run(rig, 5)
        known = rig.app.journal.seq_last
    assert rig.powered
