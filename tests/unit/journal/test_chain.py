"""The chain of records: whatever is changed in storage is found at the next boot, and told."""

from binascii import crc32

from services import KEY, device, records
from support import act, fields_of, to_device
from test_journal import CAPACITY, fresh, journal_on, record

from firmware.fault import FAULT_JOURNAL
from firmware.journal.cells import CELL_SIZE, CRC_AT, LOG_CELL, RECORD_CELL
from firmware.journal.store import BROKEN_HASH, BROKEN_RECORD, WHOLE
from firmware.protocol import ids

COUNT = 6


def filled(acked=0):
    nv, journal = fresh()
    for _ in range(COUNT):
        record(journal)
    if acked:
        assert journal.acknowledge(acked)
    return nv


def cell_of(seq):
    return (RECORD_CELL + seq % CAPACITY) * CELL_SIZE


def mend(nv, at):
    """A forger who alters a record renews its CRC."""
    crc = crc32(bytes(nv.data[at : at + CRC_AT]))
    for i in range(4):
        nv.data[at + CRC_AT + i] = crc >> (8 * i) & 0xFF


def broken(nv):
    journal = journal_on(nv)
    return journal.broken, journal.broken_seq


def test_a_chain_nobody_touched_is_whole():
    for acked in range(COUNT + 1):
        assert broken(filled(acked)) == (WHOLE, 0)
    nv, journal = fresh()
    for _ in range(3 * CAPACITY):
        record(journal)
        journal.acknowledge(journal.seq_last)
        assert broken(nv) == (WHOLE, 0)


def test_every_altered_byte_with_a_good_crc_breaks_the_chain_there_or_at_the_next_record():
    seq = 3
    for at in range(1, CRC_AT):
        if 4 <= at < 8:
            continue  # its number: then it is no record of this place, see below
        nv = filled()
        nv.data[cell_of(seq) + at] ^= 0x40
        mend(nv, cell_of(seq))
        what, where = broken(nv)
        assert what == BROKEN_HASH, at
        assert where == (seq if at >= 60 else seq + 1), at


def full():
    """A ring that was written over once and a half, everything acknowledged."""
    nv, journal = fresh()
    for _ in range(CAPACITY + CAPACITY // 2):
        record(journal)
        journal.acknowledge(journal.seq_last)
    return nv, journal.seq_last


def test_in_a_full_ring_only_the_oldest_record_may_be_missing():
    """A torn write would have gone there."""
    _nv, last = full()
    for seq in range(last - CAPACITY + 1, last + 1):
        nv, last = full()
        nv.data[cell_of(seq) + 30] ^= 1
        oldest = seq == last - CAPACITY + 1
        assert broken(nv) == ((WHOLE, 0) if oldest else (BROKEN_RECORD, seq))


def test_in_a_full_ring_an_altered_record_is_found_from_the_oldest_on():
    _nv, last = full()
    for seq in range(last - CAPACITY + 1, last):
        nv, last = full()
        nv.data[cell_of(seq) + 30] ^= 1
        mend(nv, cell_of(seq))
        assert broken(nv) == (BROKEN_HASH, seq + 1)


def test_the_chain_goes_on_from_an_acknowledged_record_that_is_lost():
    nv = filled(acked=COUNT)
    before = journal_on(nv).head
    nv.data[cell_of(COUNT) + 30] ^= 1
    assert journal_on(nv).head == before


def test_the_numbers_of_what_is_broken_are_those_on_the_wire():
    assert [WHOLE, BROKEN_RECORD, BROKEN_HASH] == [0, 1, 2]


def test_every_altered_byte_without_a_good_crc_is_a_record_that_cannot_be_read():
    for at in range(CELL_SIZE):
        nv = filled()
        nv.data[cell_of(3) + at] ^= 1
        assert broken(nv) == (BROKEN_RECORD, 3), at


def test_another_number_in_a_record_leaves_its_place_empty():
    for at in range(4, 8):
        nv = filled()
        nv.data[cell_of(3) + at] ^= 0x10
        mend(nv, cell_of(3))
        what, where = broken(nv)
        assert (what in (BROKEN_RECORD, BROKEN_HASH) and where <= 4) or what == BROKEN_RECORD, at


def test_records_that_change_places_are_found():
    nv = filled()
    a, b = cell_of(2), cell_of(4)
    one = bytes(nv.data[a : a + CELL_SIZE])
    nv.data[a : a + CELL_SIZE] = nv.data[b : b + CELL_SIZE]
    nv.data[b : b + CELL_SIZE] = one
    assert broken(nv) == (BROKEN_RECORD, 2)


def test_the_last_record_is_held_against_the_acknowledgement():
    """Nothing follows it that would carry its hash; if it was acknowledged, the mark does."""
    nv = filled(acked=COUNT)
    nv.data[cell_of(COUNT) + 12] ^= 1
    mend(nv, cell_of(COUNT))
    assert broken(nv) == (BROKEN_HASH, COUNT)


def test_an_acknowledged_record_that_was_erased_is_missed():
    nv = filled(acked=COUNT)
    at = cell_of(COUNT)
    nv.data[at : at + CELL_SIZE] = bytes(CELL_SIZE)
    assert broken(nv) == (BROKEN_RECORD, COUNT)


def test_the_log_of_another_device_does_not_fit_these_records():
    nv = filled()
    at = LOG_CELL * CELL_SIZE
    nv.data[at + 5] ^= 1
    mend(nv, at)
    assert broken(nv) == (BROKEN_HASH, 1)


def test_a_broken_chain_is_told_at_the_next_boot_and_goes_on_from_there():
    stage = device(KEY)
    at = (RECORD_CELL + 2) * CELL_SIZE
    stage.rig.nv.data[at + 30] ^= 1
    mend(stage.rig.nv, at)
    act(stage, 3000, "boot")
    assert fields_of(stage, "journal_broken") == [[BROKEN_HASH, 3]]
    act(stage, 3000, "boot")
    assert len(fields_of(stage, "journal_broken")) == 2, "as long as the broken place is there"
    found = [message for message, _body, _record in records(stage)]
    assert found[-1] == ids.EV_SEALED or ids.EV_SEALED in found[-3:]


# -- commands in doubt ------------------------------------------------------------------------------------------------


def test_a_command_in_doubt_is_told_again_with_what_was_found_inside():
    stage = device(KEY)
    stage.play([("", 300, "load", 8)])
    to_device(stage, stage.peer.command(1, ids.CMD_SHUFFLE), 3000)
    while any(track.bodies for track in stage.rig.plant.tracks):  # bounded by the eight cards
        stage.run(10)
    stage.act("boot", {})
    stage.until("warning_latched", 5000, then_ms=1500)
    ended = fields_of(stage, "command_ended")
    assert ended[-1][4:] == [ids.OUTCOME_IN_DOUBT, ids.REASON_POWER, ids.UNKNOWN_U16]
    stage.play([("", 500, "open", 0), ("", 500, "lift", 0), ("", 500, "close", 0), ("", 500, "press", "ack")])
    stage.until("deck_removed", 60000, then_ms=2000)
    counted = fields_of(stage, "deck_removed")[-1][0]
    ended = fields_of(stage, "command_ended")
    assert counted != ids.UNKNOWN_U16, "the carousel counts what it puts out"
    assert ended[-1][1] == 1
    assert ended[-1][4:] == [ids.OUTCOME_IN_DOUBT, ids.REASON_POWER, counted]
    # And from then on it never changes, over a boot too.
    stage.play([("", 500, "take", 0), ("", 2000, "wait", 0)])
    act(stage, 4000, "boot")
    assert len(fields_of(stage, "command_ended")) == len(ended)
    stage.peer.results.clear()
    to_device(stage, stage.peer.command(1, ids.CMD_SHUFFLE), 500)
    assert stage.peer.results[-1][2:] == [ids.OUTCOME_IN_DOUBT, ids.REASON_POWER, counted]


# -- a host that does not come ----------------------------------------------------------------------------------------


def swing(stage, until, limit=400):
    """Open and close the door until that is so; a closed one lets the machine prove itself empty."""
    for i in range(limit):
        if until() and i % 2 == 0:
            return
        act(stage, 600 if i % 2 == 0 else 3000, "open" if i % 2 == 0 else "close")
    raise AssertionError("it never came")


def test_a_journal_that_fills_is_told_early_then_refuses_rounds_and_everything_arrives_once():
    stage = device(KEY, cells=60)
    journal = stage.rig.app.journal
    stage.peer.acknowledges = False
    swing(stage, lambda: journal.room() < 20)
    filling = [body for message, body, _record in records(stage) if message == ids.EV_JOURNAL_FILLING]
    assert len(filling) == 1
    waiting, room = filling[0][0] | filling[0][1] << 8, filling[0][2] | filling[0][3] << 8
    assert waiting + room == journal.capacity
    assert room > journal.capacity // 4, "time to look for the host"
    swing(stage, lambda: journal.room() < stage.rig.app.flow.profile.round_events)
    stage.play([("", 300, "load", 8), ("", 300, "press", "green"), ("", 3000, "wait", 0)])
    assert stage.rig.app.flow.hold == FAULT_JOURNAL
    assert "shuffle_started" not in [message for message, _body, _record in records(stage)]
    stage.peer.acknowledges = True
    stage.run(30000)
    sequence = [event.seq for event in stage.peer.events]
    assert sequence == list(range(sequence[0], journal.seq_last + 1))
    assert stage.peer.altered == 0 and stage.peer.gaps == 0
    assert stage.rig.app.flow.hold == 0
    assert stage.peer.seq_last == journal.seq_last
