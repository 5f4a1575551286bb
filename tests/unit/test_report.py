"""The device's end of the link: nothing lost over a bad link, nothing acknowledged that was never sent."""

from support import GAME, board, check_stage, without_heap

from firmware.link.gate import link_receive, link_send
from firmware.link.report import WINDOW
from firmware.protocol import ids
from rig import stories
from rig.story import Stage


def test_events_unheard_are_sent_again_until_heard_once_each_in_order():
    stage = Stage(board(), GAME, 7)
    stage.peer.acknowledges = False
    stage.play(stories.start())
    stage.run(20000)
    assert stage.peer.repeats > 0
    stage.peer.acknowledges = True
    stage.run(20000)
    check_stage(stage)
    assert stage.rig.app.journal.seq_acked == stage.rig.app.journal.seq_last


def test_a_lossy_link_delays_events_and_loses_none():
    stage = Stage(board(), GAME, 7)
    feed = stage.peer.feed
    count = [0]

    def lossy(data):
        # Every third delivery is lost or damaged on the way.
        count[0] += 1
        if count[0] % 3 == 1:
            return b""
        if count[0] % 3 == 2:
            data = bytearray(data)
            data[len(data) // 2] ^= 0x10
        return feed(data)

    stage.peer.feed = lossy
    stage.play(stories.start() + stories.round_of(1))
    stage.peer.feed = feed
    stage.run(20000)
    names = stage.names()
    assert names[-1] == "round_ended"
    seqs = [event.seq for event in stage.peer.events]
    assert seqs == list(range(1, len(seqs) + 1))


def test_an_acknowledgement_of_events_never_sent_is_ignored():
    stage = Stage(board(), GAME, 7)
    stage.play(stories.start())
    stage._to_device(stage.peer.frame(stage.peer.session, ids.CLASS_ACK, ids.EVENT_ACK, [100000]))
    stage.run(100)
    assert stage.rig.app.journal.seq_acked == stage.rig.app.journal.seq_last == 2


def test_no_more_than_a_window_of_events_is_under_way():
    stage = Stage(board(), GAME, 7)
    stage.peer.acknowledges = False
    stage.play(stories.start())
    for _ in range(20):
        stage.rig.app.outbox.post(261)
        stage.run(1)
    assert stage.rig.app.reporter.seq_next - 1 <= WINDOW


def test_a_flood_of_garbage_does_not_disturb_a_round():
    stage = Stage(board(), GAME, 7)
    feed = stage.peer.feed

    def with_noise(data):
        return bytes((i * 37 + 11) & 0xFF for i in range(300)) + b"\x00" + feed(data)

    stage.peer.feed = with_noise
    stage.play(stories.start() + stories.round_of(1))
    check_stage(stage)
    assert stage.names()[-1] == "round_ended"
    assert sum(stage.rig.app.link.reader.drops) > 0


def test_a_good_acknowledgement_in_clear_is_taken_without_allocating():
    stage = Stage(board(), GAME, 7)
    stage.peer.acknowledges = False
    stage.play(stories.start())
    link = stage.rig.app.link
    peer = stage.peer

    def one(seq):
        link.rx[:] = bytearray(64)
        data = peer.frame(peer.session, ids.CLASS_ACK, ids.EVENT_ACK, [seq])
        link.rx[: len(data)] = data
        link.rx_at = 0
        link.rx_size = len(data)
        return without_heap(link_receive, link, 0)

    # The first of a length makes the view that later ones use.
    data = peer.frame(peer.session, ids.CLASS_ACK, ids.EVENT_ACK, [1])
    link.reader.push(bytearray(data), 0, len(data))
    assert one(1) == ids.EVENT_ACK
    assert one(2) == ids.EVENT_ACK


def test_a_status_is_sent_with_at_most_one_integer_allocated():
    """The CRC may be above 2**30, which is a heap object on a 32-bit VM; nothing else may be.

    CPython does not say what it allocates; there only the frame itself is checked."""
    import gc

    stage = Stage(board(), GAME, 7)
    stage.play(stories.start())
    link = stage.rig.app.link
    values = list(range(1, 21))
    used = getattr(gc, "mem_alloc", int)
    link_send(link, link.session, ids.CLASS_TELEMETRY, ids.STATUS, values)
    gc.collect()
    gc.disable()
    before = used()
    link_send(link, link.session, ids.CLASS_TELEMETRY, ids.STATUS, values)
    grown = used() - before
    gc.enable()
    assert grown <= 32, grown
    stage.peer.feed(bytearray(link.writer.wire[: link.writer.end]))
    assert stage.peer.messages["status"] == values[:18]


def test_events_are_sent_again_without_any_host_too():
    from rig.rig import Rig

    rig = Rig(board(), GAME, 7, 0)
    heard = []
    for second in range(1, 41):
        while rig.plant.now_us < second * 1000000:
            rig.step(second * 1000000)
        if rig.hal.sent:
            heard.append(second)
            rig.hal.sent = bytearray()
    # Doubling from one second to eight, and never giving up.
    assert len(heard) >= 6
    assert heard[-1] >= 32


def test_every_scan_feeds_the_watchdog_and_nothing_else_does():
    stage = Stage(board(), GAME, 7)
    stage.play(stories.start())
    assert stage.rig.hal.fed == stage.rig.scans > 0
    scans = stage.rig.hal.fed
    stage.rig.cut_power()
    stage.run(1000)
    assert stage.rig.hal.fed == scans
