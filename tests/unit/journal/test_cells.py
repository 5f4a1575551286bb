"""Cells: where each kind lies, what makes one whole, pairs that take turns, and what is kept in them."""

from struct import pack, unpack_from

from support import raises
from test_journal import CAPACITY, fresh, journal_on, record

from firmware.journal import cells
from firmware.journal.cells import CELL_SIZE, CRC_AT, Pair, cell_read, cell_write, cells_require, cells_require_room
from firmware.journal.halts import halt_forget, halt_load, halt_store
from firmware.journal.keys import Keys
from firmware.journal.meter_cells import MeterStore
from firmware.journal.store import Journal
from firmware.journal.table_cells import FactStore, facts_open
from firmware.protocol import ids
from firmware.protocol.codec import codec_table, prefix_codes
from hal.sim.nv import Nv

MAGIC = 0x42


class Chip:
    """Storage whose verbs can fail; from `wraps` on addresses begin again, as those of a smaller chip do."""

    def __init__(self, size=40 * CELL_SIZE):
        self.nv = Nv(size)
        self.reads = self.writes = self.syncs = True
        self.wraps = size
        self.left = -1  # reads until it falls silent

    def entropy_into(self, buf):
        buf[0] = self.left & 0xFF
        return True

    def unique_id(self):
        return 1

    def nv_read(self, address, buf):
        if not self.reads or self.left == 0:
            return False
        self.left -= 1
        return self.nv.read(address % self.wraps if self.wraps < len(self.nv.data) else address, buf)

    def nv_prog(self, address, buf):
        return self.writes and self.nv.prog(address, buf)

    def nv_sync(self):
        return self.syncs

    def cell(self, number):
        return bytes(self.nv.data[number * CELL_SIZE : (number + 1) * CELL_SIZE])


def test_every_kind_of_cell_stays_where_it_is_and_keeps_its_magic_byte():
    """A firmware update finds what the last one has stored: docs/STORAGE.md."""
    assert (CELL_SIZE, CRC_AT) == (96, 92)
    assert (cells.KEY_CELL, cells.MARK_CELL, cells.METERS_CELL, cells.SIGNING_CELL) == (0, 2, 4, 6)
    assert (cells.TOLD_CELL, cells.LOG_CELL, cells.HALT_CELL, cells.BOOKS_CELL, cells.RECORD_CELL) == (7, 8, 9, 10, 12)
    assert (cells.MAGIC_KEY, cells.MAGIC_MARK, cells.MAGIC_METERS, cells.MAGIC_SEED) == (0xC3, 0xA5, 0x3C, 0x5E)
    assert (cells.MAGIC_LOG, cells.MAGIC_BOOKS, cells.MAGIC_HALT, cells.MAGIC_RECORD) == (0x96, 0xB0, 0x69, 0xE5)
    assert (cells.MAGIC_SIGNING, cells.BODY_AT) == (0xED, 8)


def test_a_cell_is_read_back_only_as_the_kind_it_was_written_as():
    chip = Chip()
    buf = bytearray(range(CELL_SIZE))
    assert cell_write(chip, 5, MAGIC, buf)
    assert chip.cell(5)[:CRC_AT] == bytes((MAGIC,)) + bytes(range(1, CRC_AT))
    for magic in range(256):
        whole = cell_read(chip, 5, magic, bytearray(CELL_SIZE)) == cells.CELL_WHOLE
        assert whole == (magic in (0, MAGIC)), magic
    for other in (4, 6):
        assert cell_read(chip, other, MAGIC, bytearray(CELL_SIZE)) == cells.CELL_BLANK


def test_a_write_or_a_sync_that_fails_is_a_failed_write():
    for verb in ("writes", "syncs"):
        chip = Chip()
        setattr(chip, verb, False)
        assert not cell_write(chip, 5, MAGIC, bytearray(CELL_SIZE))
        assert not halt_forget(chip)
        assert not Pair(chip, 2, MAGIC, bytearray(CELL_SIZE)).save()


def test_storage_that_does_not_answer_is_no_empty_storage():
    chip = Chip()
    cells_require(chip)
    chip.reads = False
    assert raises(OSError, cells_require, chip)


def test_a_chip_with_fewer_bytes_than_its_config_says_is_found():
    for size, real in ((4096, 2048), (5000, 4096), (2048 + 9 * CELL_SIZE, 2048), (8192, 4096)):
        for wraps in (real, size):
            chip = Chip(size)
            buf = bytearray(CELL_SIZE)
            cell_write(chip, cells.LOG_CELL, MAGIC, buf)
            chip.wraps = wraps
            found = raises(OSError, cells_require_room, chip, size, cells.LOG_CELL, buf)
            assert found == (wraps == real), (size, wraps)


def test_any_other_bytes_at_the_place_of_an_echo_are_none():
    for fill in (0x00, 0x42, 0xFF):
        chip = Chip(4096)
        chip.nv.data[2048:] = bytes((fill,)) * 2048
        buf = bytearray(CELL_SIZE)
        cell_write(chip, cells.LOG_CELL, MAGIC, buf)
        cells_require_room(chip, 4096, cells.LOG_CELL, buf)


def booted(chip):
    journal = Journal(chip, len(chip.nv.data), codec_table(), prefix_codes())
    journal.recover(chip)
    return journal


def test_a_device_does_not_start_on_a_chip_that_is_smaller_than_its_config_says():
    chip = Chip(4096)
    booted(chip)
    booted(chip)
    chip.wraps = 2048
    assert raises(OSError, booted, chip)


def test_storage_that_falls_silent_while_a_device_starts_keeps_its_log():
    chip = Chip(20 * CELL_SIZE)
    record(booted(chip))
    log = chip.cell(cells.LOG_CELL)
    for left in range(80):
        chip.left = left
        raises(OSError, booted, chip)
        assert chip.cell(cells.LOG_CELL) == log, left
    assert chip.left > 0, "all reads of a start were tried"


def test_the_end_of_storage_is_not_looked_for_beyond_it():
    for more in (0, CELL_SIZE, 8 * CELL_SIZE, 9 * CELL_SIZE - 1):
        chip = Chip(2048 + more)
        buf = bytearray(CELL_SIZE)
        cell_write(chip, cells.LOG_CELL, MAGIC, buf)
        cells_require_room(chip, 2048 + more, cells.LOG_CELL, buf)


def test_the_newest_whole_cell_of_a_pair_counts_and_the_other_one_is_written_next():
    chip = Chip()
    buf = bytearray(CELL_SIZE)
    pair = Pair(chip, 4, MAGIC, buf)
    assert not pair.load() and pair.generation == 0
    for turn in range(1, 6):
        buf[20] = turn
        assert pair.save()
        assert pair.generation == turn
        cell = chip.cell(4 + turn % 2)
        assert unpack_from("<I", cell, 4)[0] == turn and cell[20] == turn
        again = Pair(chip, 4, MAGIC, bytearray(CELL_SIZE))
        assert again.load() and again.generation == turn and again.buf[20] == turn
    chip.nv.data[5 * CELL_SIZE + 50] ^= 1
    buf[20] = 99
    beside = Pair(chip, 6, MAGIC, buf)
    for _ in range(9):
        assert beside.save()
    older = Pair(chip, 4, MAGIC, bytearray(CELL_SIZE))
    assert older.load() and older.generation == 4 and older.buf[20] == 4


def test_a_pair_whose_first_write_power_was_lost_over_is_zeros():
    chip = Chip()
    for turn in range(2):
        chip.nv.data[4 * CELL_SIZE : 6 * CELL_SIZE] = bytes(2 * CELL_SIZE)
        chip.nv.data[(4 + turn) * CELL_SIZE + 20] = 0x55
        pair = Pair(chip, 4, MAGIC, bytearray(b"\x77" * CELL_SIZE))
        assert not pair.load()
        assert not any(pair.buf)


def test_a_turn_that_could_not_be_written_is_taken_again():
    chip = Chip()
    pair = Pair(chip, 4, MAGIC, bytearray(CELL_SIZE))
    pair.save()
    chip.writes = False
    assert not pair.save() and pair.generation == 1
    chip.writes = True
    assert pair.save() and pair.generation == 2


# -- what is kept in them ---------------------------------------------------------------------------------------------


def test_a_halt_is_kept_with_boot_and_name_until_it_is_forgotten():
    chip = Chip()
    assert halt_load(chip) == (0, bytes(8))
    for name, kept in (("OSError", b"OSError\x00"), ("MemoryError", b"MemoryEr")):
        halt_store(chip, 0xFEDC, name)
        assert halt_load(chip) == (0xFEDC, kept)
        assert chip.cell(9)[:CRC_AT] == b"\x69\x00\xdc\xfe" + kept + bytes(CRC_AT - 12)
    assert halt_forget(chip)
    assert halt_load(chip) == (0, bytes(8))
    assert chip.cell(9) == bytes(CELL_SIZE)
    chip.nv.data[9 * CELL_SIZE : 10 * CELL_SIZE] = b"\x69" * CELL_SIZE
    assert halt_load(chip) == (0, bytes(8))


def test_no_copy_of_a_key_stays_in_the_buffer_that_stored_it():
    chip = Chip()
    keys = Keys(chip)
    assert keys.store(b"k" * 32)
    assert keys.key == b"k" * 32
    assert not any(keys._pair.buf)
    again = Keys(chip)
    assert again.key == b"k" * 32
    assert not any(again._pair.buf)


def test_meters_are_found_again_and_the_rest_of_their_cell_is_zeros():
    chip = Chip()
    values = [70001, 70002, 70003, 70004, 5, 6, 7, 70008, 70009] + list(range(10, 19)) + [70019]
    store = MeterStore(chip)
    store._pair.buf[80] = 1
    assert store.save(values)
    found = [0] * len(values)
    MeterStore(chip).load(found)
    assert found == values
    assert not any(chip.cell(5)[60:CRC_AT])
    older = pack("<IIIIHHHIIHHHHHHHHH", *values[:18])
    assert chip.cell(5)[8:56] == older, "as firmware 0.2.0 wrote them, and reads them"
    MeterStore(Chip()).load(found)
    assert found == values, "nothing was stored there"


def test_facts_are_found_again_with_the_number_of_their_last_event():
    chip = Chip()
    row = bytearray(range(100, 144))
    store = FactStore(chip)
    assert store.seq == 0
    store._pair.buf[80] = 1
    assert store.save(row, 0x1234567)
    assert store.seq == 0x1234567
    assert chip.cell(11)[8:CRC_AT] == b"\x67\x45\x23\x01" + bytes(row) + bytes(CRC_AT - 56)
    chip.writes = False
    assert not store.save(row, 0x1234568)
    assert store.seq == 0x1234567
    again = FactStore(chip)
    found = bytearray(44)
    again.load(found)
    assert (again.seq, found) == (0x1234567, row)
    empty = FactStore(Chip())
    empty.load(found)
    assert (empty.seq, found) == (0, row), "nothing was stored there"


class Facts:
    def __init__(self):
        self.row = bytearray(44)
        self.noted = []

    def note(self, message, values, deck, round_number):
        self.noted.append((message, values[0], values[1], deck, round_number))


def recorded(count):
    nv, journal = fresh()
    for number in range(1, count + 1):
        journal.append(ids.EV_CUT_REACHED, [0, 1, 0, 0, 0, 300 + number, number], [500 + number, 600, 0, 0], b"")
        journal.acknowledge(journal.seq_last)
    return nv


def noted(nv, stored):
    """Which events are noted again at a boot, if the row was stored after so many."""
    journal = journal_on(nv)
    if stored:
        FactStore(journal.storage).save(bytearray(b"r" * 44), stored)
    facts = Facts()
    store = facts_open(journal.storage, journal, facts)
    assert store.seq == stored
    assert facts.row == (bytearray(b"r" * 44) if stored else bytearray(44))
    return facts.noted


def test_events_after_the_stored_facts_are_noted_again_with_deck_and_round():
    for stored in (0, 1, 3, 4):
        expected = [(ids.EV_CUT_REACHED, 500 + n, 600, n, 300 + n) for n in range(stored + 1, 5)]
        assert noted(recorded(4), stored) == expected


def test_only_events_that_are_still_there_and_whole_are_noted():
    count = CAPACITY + 5
    found = [item[4] - 300 for item in noted(recorded(count), 2)]
    assert found == list(range(6, count + 1))
    nv = recorded(4)
    nv.data[(cells.RECORD_CELL + 3) * CELL_SIZE + 9] ^= 1
    assert [item[4] - 300 for item in noted(nv, 0)] == [1, 2, 4]
