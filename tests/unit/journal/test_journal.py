"""Records survive boots and torn writes; nothing unacknowledged is overwritten; numbers never start again."""

from hashlib import sha256
from struct import unpack

from services import LooseHal
from support import raises, started

from firmware.fault import Broken
from firmware.journal.cells import CELL_SIZE, LOG_CELL, MARK_CELL, RECORD_CELL
from firmware.journal.seals import ATTESTED_SIZE
from firmware.journal.store import PAYLOAD_AT, PAYLOAD_MAX, Journal, log_identity
from firmware.protocol import ids
from firmware.protocol.codec import codec_table, packed_size, prefix_codes
from firmware.ticks import ticks_diff
from hal.sim.nv import Nv, PowerCut

CAPACITY = 10


def journal_on(nv):
    hal = LooseHal(nv)
    journal = Journal(hal, len(nv.data), codec_table(), prefix_codes())
    journal.recover(hal)
    return journal


def new_nv():
    return Nv((CAPACITY + RECORD_CELL) * CELL_SIZE)


def fresh():
    nv = new_nv()
    return nv, journal_on(nv)


def record(journal, message=ids.EV_DOOR_OPENED, round_number=0, boot=1):
    return journal.append(message, [0, boot, 0, 0, 0, round_number, 0], [0] * 6, b"")


def test_records_are_found_again_after_a_boot():
    nv, journal = fresh()
    assert journal.seq_last == 0
    for _ in range(4):
        assert record(journal)
    again = journal_on(nv)
    assert again.seq_last == 4
    assert again.load(3) == ids.EV_DOOR_OPENED
    assert again.load(5) == 0


def test_a_new_journal_has_nothing_in_it():
    journal = journal_on(new_nv())
    assert (journal.seq_last, journal.seq_acked, journal.round_last, journal.boot_last) == (0, 0, 0, 0)
    assert (journal.warning, journal.sensor, journal.broken, journal.broken_seq) == (0, 0, 0, 0)
    assert journal.given and journal.room() == CAPACITY
    assert raises(Broken, Journal, journal.storage, RECORD_CELL * CELL_SIZE + 95, {}, b"")
    assert Journal(journal.storage, (RECORD_CELL + 1) * CELL_SIZE, {}, b"").room() == 1
    assert journal.head == journal.genesis()
    record(journal)
    assert journal.last_of((ids.EV_BOOTED,), (ids.EV_SEALED,)) == 0


def test_the_bytes_of_a_record_are_those_of_the_layout():
    nv, journal = fresh()
    journal.append(ids.EV_DOOR_OPENED, [0, 1, 2, 3, 4, 5, 6], [], b"")
    genesis = sha256(b"fairshoe log 1" + journal.log).digest()
    first = stored(nv, RECORD_CELL + 1)
    head = sha256(first[:92]).digest()
    assert first[:4] == b"\xe5\x15\x05\x01" and first[60:92] == genesis
    prefix = [0, 0x0102, 0x03040506, 0x0708, 0x090A0B0C, 0x0D0E0F10, 0x11]
    journal.append(ids.EV_DECK_REFUSED, prefix, [1] * 6, b"x" * 8)
    journal.append(ids.EV_DOOR_OPENED, [0, 1, 2, 3, 4, 5, 6], [], b"")
    cell = stored(nv, RECORD_CELL + 2)
    assert cell[:4] == bytes((0xE5, packed_size(journal.codes[ids.EV_DECK_REFUSED]) + 21, 0x12, 1))
    assert cell[4:25] == b"\x02\x00\x00\x00\x02\x01\x06\x05\x04\x03\x08\x07\x0c\x0b\x0a\x09\x10\x0f\x0e\x0d\x11"
    assert cell[60:92] == head == journal_head(nv, 1)
    assert not any(stored(nv, RECORD_CELL + 3)[25:60]), "nothing is left of the longer record before"
    assert PAYLOAD_AT + PAYLOAD_MAX == 60


def stored(nv, cell):
    return bytes(nv.data[cell * CELL_SIZE : (cell + 1) * CELL_SIZE])


def journal_head(nv, seq):
    """The hash that a mark has when everything up to seq was acknowledged."""
    nv = copy_of(nv)
    journal = journal_on(nv)
    assert journal.acknowledge(seq)
    return stored(nv, MARK_CELL + 1)[60:92]


def copy_of(nv):
    copy = Nv(len(nv.data))
    copy.data[:] = nv.data
    return copy


def test_the_bytes_of_a_mark_are_those_of_the_layout():
    nv, journal = fresh()
    journal.append(ids.EV_WARNING_LATCHED, [0, 0x9876, 0, 0, 0, 0x12345678, 0], [7, 300, 9, 0, 0], b"")
    record(journal)
    command(journal, ids.EV_COMMAND_ENDED, 3, 0x01020304, ids.OUTCOME_FAILED, 5, 0x0607)
    assert journal.acknowledge(2)
    mark = stored(nv, MARK_CELL + 1)
    assert mark[:3] == b"\xa5\x07\x09" and mark[4:8] == b"\x01\x00\x00\x00"
    assert mark[8:18] == b"\x02\x00\x00\x00\x78\x56\x34\x12\x76\x98"
    assert mark[18:60] == (bytes(10) + b"\xff\x00\x00\x00") * 2 + b"\x04\x03\x02\x01" + COMMAND + b"\x03\x05\x07\x06"
    assert mark[60:92] == sha256(stored(nv, RECORD_CELL + 2)[:92]).digest()


COMMAND = b"\x02\x02\x44\x33\x22\x11"  # as command() has it: number and digest


def command(journal, message, role, op, outcome=0, reason=0, detail=0):
    journal.append(message, [0, 1, 0, 0, 0, 0, 0], [role, op, 0x0202, 0x11223344, outcome, reason, detail], b"")


def lane(journal, role):
    lane = journal.lanes.by_role[role]
    return [lane.op, lane.command, lane.digest, lane.outcome, lane.reason, lane.detail]


def test_lanes_are_those_of_the_last_commands_recorded_also_after_a_boot_and_recycling():
    nv, journal = fresh()
    command(journal, ids.EV_COMMAND_ENDED, 2, 8, ids.OUTCOME_FAILED, 5, 300)
    expected = [8, 0x0202, 0x11223344, ids.OUTCOME_FAILED, 5, 300]
    assert lane(journal, 2) == lane(journal_on(nv), 2) == expected
    command(journal, ids.EV_COMMAND_ACCEPTED, 2, 9)
    expected = [9, 0x0202, 0x11223344, ids.OUTCOME_ACCEPTED, 0, 0]
    assert lane(journal, 2) == lane(journal_on(nv), 2) == expected
    for _ in range(2 * CAPACITY):
        journal.acknowledge(journal.seq_last)
        record(journal)
    assert lane(journal_on(nv), 2) == expected
    assert lane(journal_on(nv), 1)[0] == lane(journal_on(nv), 3)[0] == 0


def test_a_command_in_doubt_is_found_so_wherever_in_the_ring_its_records_lie():
    """A boot reads the ring from its first cell on, and so may meet the acceptance after the end."""
    for before in range(CAPACITY):
        nv, journal = fresh()
        for _ in range(before):
            record(journal)
        journal.acknowledge(journal.seq_last)
        command(journal, ids.EV_COMMAND_ACCEPTED, ids.ROLE_TABLE, 5)
        record(journal)
        doubt = (ids.OUTCOME_IN_DOUBT, ids.REASON_POWER, ids.UNKNOWN_U16)
        command(journal, ids.EV_COMMAND_ENDED, ids.ROLE_TABLE, 5, *doubt)
        found = journal_on(nv).lanes.by_role[ids.ROLE_TABLE]
        assert (found.outcome, found.reason, found.detail) == doubt, before


def test_a_log_whose_identity_could_not_be_written_does_not_begin():
    """Its records would be hashed on an identity that the next boot does not find."""
    nv = new_nv()
    nv.broken = True
    assert raises(OSError, journal_on, nv)
    nv.broken = False
    assert record(journal_on(nv))
    again = journal_on(nv)
    assert (again.broken, again.seq_last) == (0, 1)


def test_big_numbers_come_back_whole():
    nv, journal = fresh()
    for seq in (0x01020304, 0x7F00FF00, 0x10008000):
        journal.seq_last = journal.seq_acked = seq - 1
        journal.round_last = journal.boot_last = 0
        record(journal, round_number=seq ^ 0x0F0F0F0F, boot=seq & 0xFFFF)
        again = journal_on(nv)
        assert (again.seq_last, again.round_last, again.boot_last) == (seq, seq ^ 0x0F0F0F0F, seq & 0xFFFF)
        assert journal.acknowledge(seq)
        again = journal_on(nv)
        found = (again.seq_last, again.seq_acked, again.round_last, again.boot_last)
        assert found == (seq, seq, seq ^ 0x0F0F0F0F, seq & 0xFFFF)
        nv, journal = fresh()


def test_a_record_at_the_place_of_another_does_not_count():
    long = new_nv()
    journal = journal_on(long)
    for _ in range(8):
        record(journal, round_number=77)
    for place in (0, 4, 5, 6, 7, 9):
        nv, journal = fresh()
        for _ in range(3):
            record(journal)
        at = (RECORD_CELL + place) * CELL_SIZE
        nv.data[at : at + CELL_SIZE] = stored(long, RECORD_CELL + 8)
        again = journal_on(nv)
        assert (again.seq_last, again.round_last) == (3, 0), place


def test_an_event_of_which_only_the_number_is_known_is_blank():
    journal = journal_on(new_nv())
    journal.append(ids.EV_DECK_REFUSED, [0, 1, 2, 3, 4, 5, 6], [1] * 6, b"x" * 8)
    journal.values[1:7] = [9] * 6
    journal.blank(0x01020304)
    assert bytes(journal.payload()) == b"\x04\x03\x02\x01" + bytes(17)
    assert not any(journal.buf[25:])


def test_a_payload_is_never_longer_than_its_place():
    journal = journal_on(new_nv())
    for size, sent in ((0, 0), (55, 55), (56, 56), (57, 56), (255, 56)):
        journal.buf[1] = size
        assert len(journal.payload()) == sent


def test_an_identity_takes_64_bytes_of_noise_and_the_number_of_the_device():
    class Source:
        number = 7

        def entropy_into(self, buf):
            self.size = len(buf)
            buf[len(buf) - 1] = 0x55

        def unique_id(self):
            return self.number

    source = Source()
    one = log_identity(source)
    assert one == sha256(bytes(63) + b"\x55" + b"7").digest()[:16]
    source.number = 8
    assert log_identity(source) != one


def test_the_log_has_nothing_but_identity_layout_and_size():
    nv = new_nv()
    at = LOG_CELL * CELL_SIZE
    nv.data[at : at + CELL_SIZE] = b"\x55" * CELL_SIZE
    log = journal_on(nv).log
    assert stored(nv, LOG_CELL)[:92] == b"\x96\x00\x00\x01" + log + bytes((CAPACITY + RECORD_CELL, 0)) + bytes(70)


def test_a_seal_signs_its_record_as_it_is_stored():
    class Sealer:
        def sign(self, before, record, at):
            self.signed = (bytes(before), bytes(record[:at]))

    nv, journal = fresh()
    journal.sealer = Sealer()
    record(journal)
    assert not hasattr(journal.sealer, "signed")
    before = journal.log + journal.head
    journal.append(ids.EV_SEALED, [0, 1, 2, 3, 4, 5, 6], [9], b"m" * 16)
    cell = stored(nv, RECORD_CELL + 2)
    assert journal.sealer.signed == (before, cell[: 4 + cell[1]])


def test_what_is_attested_is_the_oldest_and_the_newest_record_that_are_there_and_the_time():
    class Sealer:
        def attest(self, numbers, log, head):
            return unpack("<III", numbers), log, head

    journal = journal_on(new_nv())
    for count in range(1, 2 * CAPACITY):
        record(journal)
        journal.acknowledge(journal.seq_last)
        numbers = (max(count - CAPACITY + 1, 1), count, 0x01020304)
        assert journal.attested(Sealer(), 0x01020304) == (numbers, journal.log, journal.head)
    assert 3 * 4 + 2 + len(journal.log) + len(journal.head) == ATTESTED_SIZE


def test_a_write_torn_at_any_byte_leaves_the_journal_as_it_was():
    for size in range(CELL_SIZE):
        nv, journal = fresh()
        record(journal)
        nv.cut_at = nv.writes
        nv.cut_bytes = size
        assert raises(PowerCut, record, journal)
        again = journal_on(nv)
        assert again.seq_last == 1, size
        nv.cut_at = -1
        assert record(again)
        assert journal_on(nv).seq_last == 2


def test_a_read_that_fails_once_at_a_start_costs_neither_identity_nor_records():
    """A driver that does not stay silent after a failed read, as that of the FRAM does, must not cost a journal."""
    nv, journal = fresh()
    for _ in range(5):
        record(journal)
    journal.acknowledge(3)
    known = bytes(nv.data)
    started = failing = 0
    while True:
        hal = LooseHal(nv, reads=(failing,))
        again = Journal(hal, len(nv.data), codec_table(), prefix_codes())
        failed = raises(OSError, again.recover, hal)
        assert bytes(nv.data) == known, failing
        if hal.reads <= failing:
            break
        started += not failed
        assert failed or (again.log, again.seq_last) == (journal.log, 5), failing
        failing += 1
    assert 0 < started < failing


def test_an_acknowledgement_torn_at_any_byte_is_old_or_new():
    for size in range(CELL_SIZE + 1):
        nv, journal = fresh()
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
    nv, journal = fresh()
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
    nv, journal = fresh()
    record(journal, ids.EV_ROUND_STARTED, 41, 7)
    for _ in range(3 * CAPACITY):
        record(journal)
        journal.acknowledge(journal.seq_last)
    again = journal_on(nv)
    assert again.seq_last == 3 * CAPACITY + 1
    assert again.round_last == 41
    assert again.boot_last == 7


def test_a_latched_warning_and_its_sensor_survive_the_recycling_of_their_record():
    nv, journal = fresh()
    assert journal.append(ids.EV_WARNING_LATCHED, [0, 1, 0, 0, 0, 0, 0], [22, 0, 3, 0, 0], b"")
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
    nv, journal = fresh()
    nv.broken = True
    assert not record(journal)
    assert journal.seq_last == 0


def test_uptime_is_the_time_since_the_boot_in_seconds_and_the_rest():
    stage = started()
    app = stage.rig.app
    outbox = app.outbox
    for ms in (1, 999, 1000, 1234, 3007):
        before_ms = outbox.uptime_s * 1000 + outbox.uptime_ms
        began_ms = app.scanned_ms
        stage.run(ms)
        uptime_ms = outbox.uptime_s * 1000 + outbox.uptime_ms
        assert outbox.uptime_ms < 1000 and uptime_ms - before_ms == ticks_diff(app.scanned_ms, began_ms)
    assert uptime_ms - before_ms > 2000
