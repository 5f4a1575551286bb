"""A host that was held up sends much at once: that is work for many scans at one instant, and no livelock."""

from support import GAME, board

from rig.story import Stage


def test_a_long_backlog_of_bytes_is_worked_off_at_one_instant():
    stage = Stage(board(), GAME, 7)
    stage.run(1000)
    stage.rig.hal.received.extend(bytes(range(1, 201)) * 40)
    stage.rig.plant.changed = True
    stage.run(1000)
    assert stage.rig.hal.received == bytearray()
