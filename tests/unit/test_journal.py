"""Records survive boots and torn writes; nothing unacknowledged is overwritten; numbers never start again."""

from support import GAME, board, raises

from firmware.fault import Broken
from firmware.image import INPUTS
from firmware.journal.cells import CELL_SIZE, RECORD_CELL
from firmware.journal.outbox import OUTBOX_MAX, Outbox
from firmware.journal.store import Journal
from firmware.protocol import ids
from firmware.protocol.codec import codec_table, prefix_codes
from firmware.ticks import ticks_diff
from hal.sim.nv import Nv, PowerCut
from hal.sim.plant import Plant
from hal.sim.port import SimHal
from rig import stories
from rig.story import Stage

CAPACITY = 10


def journal_on(nv):
    hal = SimHal(Plant(board(), INPUTS, 1), nv)
    journal = Journal(hal, len(nv.data), codec_table(), prefix_codes())
    journal.recover(hal)
    return journal


def new_nv():
    return Nv((CAPACITY + RECORD_CELL) * CELL_SIZE)


def record(journal, message=ids.EV_DOOR_OPENED, round_number=0, boot=1):
    return journal.append(message, [0, boot, 0, 0, 0, round_number, 0], [0] * 6, b"")


def test_records_are_found_again_after_a_boot():
    nv = new_nv()
    journal = journal_on(nv)
    assert journal.seq_last == 0
    for _ in range(4):
        assert record(journal)
    again = journal_on(nv)
    assert again.seq_last == 4
    assert again.load(3) == ids.EV_DOOR_OPENED
    assert again.load(5) == 0


def test_a_write_torn_at_any_byte_leaves_the_journal_as_it_was():
    for size in range(CELL_SIZE):
        nv = new_nv()
        journal = journal_on(nv)
        record(journal)
        nv.cut_at = nv.writes
        nv.cut_bytes = size
        assert raises(PowerCut, record, journal)
        again = journal_on(nv)
        assert again.seq_last == 1, size
        nv.cut_at = -1
        assert record(again)
        assert journal_on(nv).seq_last == 2


def test_an_acknowledgement_torn_at_any_byte_is_old_or_new():
    for size in range(CELL_SIZE + 1):
        nv = new_nv()
        journal = journal_on(nv)
        for _ in range(5):
            record(journal)
        journal.acknowledge(2)
        nv.cut_at = nv.writes
        nv.cut_bytes = size
        assert raises(PowerCut, journal.acknowledge, 4)
        assert journal_on(nv).seq_acked == (4 if size >= CELL_SIZE else 2), size


def test_unacknowledged_events_are_never_overwritten():
    journal = journal_on(new_nv())
    for _ in range(CAPACITY):
        assert record(journal)
    assert journal.room() == 0
    assert raises(Broken, record, journal)
    assert journal.acknowledge(3)
    for _ in range(3):
        assert record(journal)
    assert raises(Broken, record, journal)
    assert journal.load(4) == ids.EV_DOOR_OPENED


def test_a_full_journal_keeps_the_number_of_a_boot_it_cannot_record_and_nothing_else_changes():
    nv = new_nv()
    journal = journal_on(nv)
    while journal.room():
        assert record(journal)
    assert journal.acknowledge(2)
    while journal.room():
        assert record(journal)
    before = (journal.seq_acked, journal.seq_last, journal.head, journal.warning)
    assert journal.keep_boot(7)
    again = journal_on(nv)
    assert (again.seq_acked, again.seq_last, again.head, again.warning) == before
    assert again.boot_last == 7 and not again.broken
    assert again.keep_boot(3) and again.boot_last == 7
    nv.broken = True
    assert not again.keep_boot(9) and again.boot_last == 7


def test_impossible_and_old_acknowledgements_change_nothing():
    journal = journal_on(new_nv())
    for _ in range(4):
        record(journal)
    assert not journal.acknowledge(5)
    assert journal.acknowledge(3)
    assert not journal.acknowledge(3)
    assert not journal.acknowledge(1)
    assert journal.seq_acked == 3


def test_sequence_round_and_boot_numbers_survive_the_recycling_of_every_record():
    nv = new_nv()
    journal = journal_on(nv)
    record(journal, ids.EV_ROUND_STARTED, 41, 7)
    for _ in range(3 * CAPACITY):
        record(journal)
        journal.acknowledge(journal.seq_last)
    again = journal_on(nv)
    assert again.seq_last == 3 * CAPACITY + 1
    assert again.round_last == 41
    assert again.boot_last == 7


def test_a_latched_warning_and_its_sensor_survive_the_recycling_of_their_record():
    nv = new_nv()
    journal = journal_on(nv)
    assert journal.append(ids.EV_WARNING_LATCHED, [0, 1, 0, 0, 0, 0, 0], [22, 0, 3], b"")
    for _ in range(2 * CAPACITY):
        assert journal.acknowledge(journal.seq_last) and record(journal)
    again = journal_on(nv)
    assert (again.warning, again.sensor) == (22, 3)
    assert again.append(ids.EV_WARNING_CLEARED, [0, 1, 0, 0, 0, 0, 0], [22], b"")
    assert (journal_on(nv).warning, journal_on(nv).sensor) == (0, 0)


def test_the_newest_of_two_kinds_is_found_across_other_records():
    journal = journal_on(new_nv())
    record(journal, ids.EV_SHUFFLE_STARTED)
    record(journal)
    assert journal.last_of(ids.INTENTS, ids.OUTCOMES) == ids.EV_SHUFFLE_STARTED
    record(journal, ids.EV_DECK_VERIFIED)
    assert journal.last_of(ids.INTENTS, ids.OUTCOMES) == ids.EV_DECK_VERIFIED


def test_a_failed_write_does_not_count():
    nv = new_nv()
    journal = journal_on(nv)
    nv.broken = True
    assert not record(journal)
    assert journal.seq_last == 0


def test_a_full_outbox_is_an_error_and_never_a_lost_event():
    outbox = Outbox()
    for _ in range(OUTBOX_MAX):
        outbox.post(ids.EV_DOOR_OPENED)
    assert raises(Broken, outbox.post, ids.EV_DOOR_OPENED)


def test_uptime_is_the_time_since_the_boot_in_seconds_and_the_rest():
    outbox = Outbox()
    outbox.uptime_ms = 3001
    outbox.carry()
    assert (outbox.uptime_s, outbox.uptime_ms) == (3, 1)
    stage = Stage(board(), GAME, 7)
    stage.play(stories.start())
    app = stage.rig.app
    outbox = app.outbox
    for ms in (1, 999, 1000, 1234, 3007):
        before_ms = outbox.uptime_s * 1000 + outbox.uptime_ms
        began_ms = app.scanned_ms
        stage.run(ms)
        uptime_ms = outbox.uptime_s * 1000 + outbox.uptime_ms
        assert outbox.uptime_ms < 1000 and uptime_ms - before_ms == ticks_diff(app.scanned_ms, began_ms)
    assert uptime_ms - before_ms > 2000
