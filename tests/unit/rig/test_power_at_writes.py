"""Power that fails where scenarios order it to: at a storage write, at an instant, in a frame."""

from support import act, board, raises

from rig.actions import check_action, do
from rig.rig import Rig
from rig.story import Stage


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
    do(rig, "cut", {})
    rig.nv.data[:] = bytes(len(rig.nv.data))  # a new chip: the boot begins a log
    do(rig, "cut_at_write", {})
    do(rig, "boot", {})
    assert not rig.powered
    do(rig, "boot", {})
    assert rig.powered


def test_power_fails_at_the_ordered_microsecond():
    rig = Rig(board(), "caribbean-stud", 1, 0)
    do(rig, "cut_at_time", {"us": 123457})
    while not rig.struck:
        assert rig.powered and rig.plant.now_us <= 123457
        rig.step(2000000)
    assert not rig.powered
    assert rig.plant.now_us == 123457
    do(rig, "boot", {})
    assert rig.powered and not rig.struck


def test_of_the_frame_in_which_power_fails_so_many_bytes_arrive():
    """The first one is the welcome."""
    for size in (0, 7, 4096):
        stage = Stage(board(), "caribbean-stud", 1)
        act(stage, 1000, "cut_at_frame", frame=0, bytes=size)
        assert stage.rig.struck and not stage.rig.powered
        assert stage.rig.frames_sent == 1
        assert stage.peer.welcomes == (1 if size == 4096 else 0), size


def test_a_wait_ends_when_power_fails_as_ordered():
    stage = Stage(board(), "caribbean-stud", 1)
    stage.act("cut_at_time", {"us": 50000})
    stage.until("round_ended", 60000)
    assert stage.rig.plant.now_us == 50000
    stage.run(1000)
    assert stage.rig.plant.now_us == 50000
    act(stage, 1000, "boot")
    assert stage.rig.plant.now_us == 1050000


def test_a_write_below_zero_is_refused():
    for arguments in ({"write": -1}, {"bytes": "ten"}, {"at": 3}):
        assert raises(ValueError, check_action, "cut_at_write", arguments), arguments
