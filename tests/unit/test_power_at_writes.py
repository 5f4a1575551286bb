"""Power that fails at a storage write, as scenarios order it."""

from support import board, raises

from rig.actions import check_action, do
from rig.rig import Rig


def test_power_fails_at_the_ordered_write_and_not_before():
    rig = Rig(board(), "caribbean-stud", 1, 0)
    do(rig, "cut_at_write", {"write": 0, "bytes": 10})
    wrote = rig.nv.writes
    limit_us = rig.plant.now_us + 2000000
    while rig.powered and rig.plant.now_us < limit_us:
        rig.step(limit_us)
    assert not rig.powered
    assert rig.nv.writes == wrote + 1


def test_power_that_fails_during_the_boot_leaves_the_machine_off():
    rig = Rig(board(), "caribbean-stud", 1, 0)
    # A seed that nobody was told of: the next boot writes zeros over it.
    assert rig.app.seeds.hold(99, 52, bytearray(range(32)))
    do(rig, "cut", {})
    do(rig, "cut_at_write", {})
    do(rig, "boot", {})
    assert not rig.powered
    do(rig, "boot", {})
    assert rig.powered


def test_a_write_below_zero_is_refused():
    for arguments in ({"write": -1}, {"bytes": "ten"}, {"at": 3}):
        assert raises(ValueError, check_action, "cut_at_write", arguments), arguments
