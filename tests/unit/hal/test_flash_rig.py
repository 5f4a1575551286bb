"""The firmware on flash: it boots, records, and finds its journal again after a cut at any of its first operations."""

from support import board

from firmware.fault import FAULT_JOURNAL
from hal.sim.nor import MIDDLE
from rig.flash_nv import FlashNv
from rig.peer import Peer
from rig.rig import Rig

CELLS = 128


def _run(rig, seconds):
    until_us = rig.plant.now_us + seconds * 1000000
    while rig.powered and rig.plant.now_us < until_us:
        rig.step(until_us)


def _flash_rig():
    return Rig(board(nv={"kind": "flash", "bytes": 96 * CELLS}), "caribbean-stud", 1, 0)


def test_nobody_hears_of_the_last_event_before_the_next_boot_is_on_record():
    """A page that was being written when power failed may read well now and not the next time."""
    rig = _flash_rig()
    _run(rig, 20)
    rig.boot()
    written = rig.nv.writes
    told = rig.app.journal.seq_last
    rig.hal.received += Peer().hello()
    while rig.nv.writes == written:
        assert not rig.hal.sent
        rig.step(rig.plant.now_us + 1000000)
    _run(rig, 1)
    assert rig.app.journal.seq_last > told and rig.hal.sent


def test_a_device_that_can_record_nothing_says_so_all_the_same():
    rig = _flash_rig()
    _run(rig, 20)
    rig.nv.broken = True
    rig.boot()
    rig.hal.received += Peer().hello()
    _run(rig, 1)
    assert rig.hal.sent and rig.app.flow.hold == FAULT_JOURNAL


def test_a_journal_on_flash_goes_on_after_every_cut():
    rig = _flash_rig()
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
