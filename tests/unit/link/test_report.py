"""The device's end of the link: nothing lost over a bad link, nothing acknowledged that was never sent."""

from support import GAME, board, check_stage, started, to_device, without_heap

from firmware.games.flow import DECK_READY, SHUFFLING
from firmware.image import IN_HOPPER
from firmware.link.admission import link_receive
from firmware.link.report import WINDOW, _next_telemetry
from firmware.protocol import ids
from firmware.protocol.codec import is_event
from firmware.protocol.frame import CRC_SIZE, HEADER_SIZE, frame_message
from firmware.ticks import TICKS_MAX
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


def test_an_event_is_marked_as_sent_again_from_its_second_time_on_and_each_is_counted():
    stage = Stage(board(), GAME, 7)
    stage.peer.acknowledges = False
    stage.peer.frames = []
    stage.play(stories.start())
    stage.run(20000)
    seen = set()
    again = 0
    for frame in stage.peer.frames:
        if is_event(frame_message(frame)):
            seq = frame[8] | frame[9] << 8
            assert frame[1] & ids.FLAG_AGAIN == (1 if seq in seen else 0)
            again += seq in seen
            seen.add(seq)
    assert seen == {1, 2}
    assert stage.rig.app.reporter.resent == again > 4


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
    stage = started()
    to_device(stage, stage.peer.frame(stage.peer.session, ids.CLASS_ACK, ids.EVENT_ACK, [100000]), 100)
    assert stage.rig.app.journal.seq_acked == stage.rig.app.journal.seq_last == 2


def test_no_more_than_a_window_of_events_is_under_way():
    stage = Stage(board(), GAME, 7)
    stage.peer.acknowledges = False
    stage.play(stories.start())
    for _ in range(20):
        stage.rig.app.outbox.post(261)
        stage.run(1)
        assert stage.rig.app.reporter.seq_next - 1 <= WINDOW
    assert stage.rig.app.reporter.seq_next - 1 == WINDOW == 8


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


def test_a_status_is_sent_with_at_most_one_integer_and_one_slice_allocated():
    """The CRC may be above 2**30, which is two blocks of the heap on a 32-bit VM, and the body is copied into its frame
    by a slice, which is one; nothing else may be.

    CPython does not say what it allocates; there only the frame itself is checked."""
    import gc

    stage = started()
    reporter = stage.rig.app.reporter
    writer = reporter.link.writer
    used = getattr(gc, "mem_alloc", int)
    grown = []
    for _ in range(12):
        stage.run(701)
        now_ms = stage.rig.hal.ticks_ms()
        gc.collect()
        gc.disable()
        before = used()
        reporter.status_due = True
        assert _next_telemetry(reporter, now_ms)
        grown.append(used() - before)
        gc.enable()
    assert min(grown) <= 16 and max(grown) <= 48, grown
    stage.peer.feed(bytearray(writer.wire[: writer.end]))
    assert stage.peer.messages["status"][0] == stage.rig.app.flow.state


def test_a_status_has_every_number_where_the_table_of_messages_has_it():
    """The app writes its bytes one by one; the other end reads them by the table."""
    stage = started()
    app = stage.rig.app
    now_ms = stage.rig.hal.ticks_ms()
    app.flow.hold = 3
    app.outbox.round = 0x12345678
    app.outbox.deck = 2
    app.flow.positions = 5
    app.flow.stack = 0x107  # more than its field holds: cut, as everywhere
    app.flow.ledger.zone[:] = [0x101, 2, 0x303, 4, 5, 6, 7, 8]
    app.reporter.seq_received = app.journal.seq_last - 0x10009
    app.link.reader.drops[:] = [0x1000, 2, 3, 4, 5, 6]
    zones = [0x101, 2, 0x303, 4, 5, 6, 7, 8]
    app.inp.level[IN_HOPPER] = 1
    for state, elapsed in ((DECK_READY, [0, 0]), (SHUFFLING, [12, 90])):
        app.flow.state = app.reporter.status[0] = state
        app.flow.entered_ms = (now_ms - 1234) & TICKS_MAX
        app.flow.report_ms = 9000
        app.reporter.status_due = True
        assert _next_telemetry(app.reporter, now_ms)
        assert len(app.reporter.status) == 42
        writer = app.link.writer
        stage.peer.feed(bytearray(writer.wire[: writer.end]))
        told = stage.peer.messages["status"]
        need = [ids.NEED_STORE_EVENTS, 1, 1, 0, 0]
        assert told == [state, 3, 0x12345678, 2, 5, 7] + elapsed + zones + [9, 0x1014] + need
        app.flow.ledger.zone[:] = [9] * 8  # while it shuffles they stand still, and the hopper sensor too
        app.inp.level[IN_HOPPER] = 0


def test_what_goes_out_with_a_status_does_so_however_long_each_scan_takes():
    """On a device the next scan begins a millisecond or two later; here it would be the same instant."""
    stage = started()
    reporter = stage.rig.app.reporter
    writer = reporter.link.writer
    now_ms = stage.rig.hal.ticks_ms()
    reporter.status_due = reporter.meters_due = reporter.counters_due = True
    told = []
    for i in range(6):
        if not _next_telemetry(reporter, now_ms + 3 * i):
            break
        stage.peer.messages.clear()
        stage.peer.feed(bytearray(writer.wire[: writer.end]))
        told += stage.peer.messages
    assert told == ["status", "meters", "wear", "link_counters", "health"]
    reporter.meters_due = True
    assert not _next_telemetry(reporter, now_ms + 30), "without a status its instant would tell when a scan was"


def test_an_event_that_storage_does_not_give_at_the_moment_is_told_when_it_does():
    """And not as damaged: a host would acknowledge that, and never hear what it was."""
    stage = started()
    nv = stage.rig.nv
    read = nv.read
    nv.read = lambda address, buf: False
    stage.play([("", 500, "open", 0), ("", 500, "close", 0)])
    stage.run(5000)
    assert stage.rig.app.journal.seq_last > stage.peer.seq_last
    assert "status" in stage.peer.messages, "the link goes on"
    nv.read = read
    stage.run(2000)
    check_stage(stage)
    assert stage.names()[-3:] == ["door_opened", "door_closed", "empty_proved"]
    assert "record_damaged" not in stage.names()


def test_nor_is_one_told_as_damaged_that_a_loose_contact_spoils_once():
    """Not given at all, or given with noise in it: the next read is good."""
    for noise in (False, True):
        stage = started()
        nv = stage.rig.nv
        read = nv.read
        left = [1]

        def once(address, buf, read=read, left=left, noise=noise):
            done = read(address, buf)
            if left[0]:
                left[0] = 0
                buf[50] ^= 0x10
                return noise
            return done

        nv.read = once
        stage.play([("", 500, "open", 0)])
        stage.run(3000)
        assert left == [0]
        check_stage(stage)
        assert stage.names()[-1] == "door_opened" and "record_damaged" not in stage.names()


def test_a_record_that_storage_does_not_give_is_not_shown_as_damaged_when_it_is_pulled():
    """A pull of the journal would disclose it. Spoiled once it is read again, not given it waits."""
    stage = started()
    nv = stage.rig.nv
    read = nv.read
    left = [0]

    def noisy(address, buf):
        if left[0] < 0:
            return False
        done = read(address, buf)
        if left[0]:
            left[0] -= 1
            buf[50] ^= 0x10
        return done

    nv.read = noisy
    for spoiled, sizes in ((0, [92]), (2, [92]), (3, [0]), (-1, [])):
        left[0] = spoiled
        stage.peer.frames = []
        to_device(stage, stage.peer.frame(stage.peer.session, ids.CLASS_DIAGNOSTIC, ids.JOURNAL_GET, [1]), 600)
        told = [frame for frame in stage.peer.frames if frame[2] == ids.JOURNAL_RECORD and frame[3] == 0]
        assert [len(frame) - HEADER_SIZE - 4 - CRC_SIZE for frame in told] == sizes, spoiled
        assert stage.peer.frames, "a status comes in any case"


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
    assert heard[-1] >= 32 and heard[-2] == heard[-1] - 8 and heard[-3] == heard[-1] - 16, heard


def test_every_scan_feeds_the_watchdog_and_nothing_else_does():
    stage = started()
    assert stage.rig.hal.fed == stage.rig.scans > 0
    scans = stage.rig.hal.fed
    stage.rig.cut_power()
    stage.run(1000)
    assert stage.rig.hal.fed == scans
