"""A host that was held up sends much at once: that is work for many scans at one instant, and no livelock."""

from support import GAME, board, play, raises

from firmware.protocol import ids
from rig import stories
from rig.rig import ZERO_WAKES_MAX, Livelock
from rig.story import Stage


def test_a_long_backlog_of_bytes_is_worked_off_at_one_instant():
    stage = Stage(board(), GAME, 7)
    stage.run(1000)
    stage.rig.hal.received.extend(bytes(range(1, 201)) * 40)
    stage.rig.plant.changed = True
    stage.run(1000)
    assert stage.rig.hal.received == bytearray()


def test_a_long_backlog_of_small_messages_is_worked_off_while_cards_move():
    """A host whose computer was busy acknowledges a hundred events in one go. One read of the device brings several
    messages, and each takes two scans while a motor runs."""
    stage = play(stories.start() + stories.shuffle(52))
    stage.until("shuffle_started", 60000, then_ms=2000)
    peer = stage.peer
    stage.say(b"".join([peer.frame(peer.session, ids.CLASS_ACK, ids.EVENT_ACK, [1]) for _ in range(200)]))
    stage.run(1)
    assert stage.rig.hal.received == bytearray()
    stage.until("deck_verified", 60000)
    assert not stage.rig.app.flow.warning


def test_firmware_that_only_asks_for_scans_is_a_livelock_with_a_backlog_too():
    stage = Stage(board(), GAME, 7)
    stage.run(1000)
    stage.rig.hal.received.extend(bytes(1000))
    stage.rig.app.scan = lambda now_ms: 0
    scans = stage.rig.scans
    assert raises(Livelock, stage.run, 1000)
    assert stage.rig.scans - scans <= ZERO_WAKES_MAX + 2
