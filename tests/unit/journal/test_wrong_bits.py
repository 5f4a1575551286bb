"""What a start reads wrongly it reads again: wrong bits change nothing. What stays unreadable is a torn write, or is
refused before anything is written."""

import random

from support import SLOW, raises, refusal
from wrong_bits import RECORDS, SIZE, Used, at_reads, fields_of, none

from firmware.journal import cells
from firmware.journal.cells import CELL_SIZE, KEY_CELL, LOG_CELL, RECORD_CELL
from firmware.journal.store import BROKEN_RECORD
from hal.sim.rng import mix

PAIRS = (0, 2, 4, 10)
SINGLES = 10 if SLOW else 100


def drawn_bit(size, field, luck):
    """One bit of a field; of one of the others if there are not so many."""
    fields = fields_of(size)
    field %= len(fields) - 1
    return fields[field] * 8 + luck % ((fields[field + 1] - fields[field]) * 8)


def many_wrong(field, first, wrong, cycle, seed):
    """A drawn bit of the field in so many of `cycle` reads in a row, the same in these, and none in the others."""

    def flips(read, size):
        at = (read + first) % cycle
        return (drawn_bit(size, field, mix(seed, read - at, 1)),) if at < wrong else ()

    return flips


def try_every_read(kind, wrong, cycle):
    """One bit of each field in every read of a start: each is one that fails, and one that repeats it."""
    used = Used(kind)
    for field in range(8):
        for first in range(cycle):
            seed = random.getrandbits(30)
            app, plant, hal = used.begin(many_wrong(field, first, wrong, cycle, seed))
            used.bits.flips = none  # what is written then is read back, and written again elsewhere if that is wrong
            found = used.finish(app, plant, hal)
            assert found == used.good, "%s: field %d, first %d, seed %d" % (kind, field, first, seed)
    used.close()


def try_one_read(kind):
    """A drawn bit in a drawn read, and nothing else wrong."""
    used = Used(kind)
    for _ in range(SINGLES):
        wrong = random.getrandbits(30) % len(used.sizes)
        bit = drawn_bit(used.sizes[wrong], random.getrandbits(3), random.getrandbits(20))
        assert used.start(at_reads({wrong: (bit,)})) == used.good, "%s: read %d, bit %d" % (kind, wrong, bit)
    used.close()


def test_a_wrong_bit_in_any_read_of_a_start_changes_nothing_on_fram():
    try_every_read("fram", 1, 2)
    try_one_read("fram")


def test_nor_on_flash():
    try_every_read("flash", 1, 2)
    try_one_read("flash")


def test_nor_in_a_file():
    try_every_read("file", 1, 2)
    try_one_read("file")


def test_the_same_wrong_bit_in_two_reads_in_a_row_changes_nothing():
    for kind in ("fram", "flash", "file"):
        try_every_read(kind, 2, 3)


def test_a_cell_of_another_address_is_read_again():
    """A bit may be wrong on the way to the chip: what comes then is whole, and of another place."""
    used = Used("fram")
    for wrong in range(random.getrandbits(3), len(used.sizes), 9):
        for bit in range(6):
            app, plant, hal = used.begin(none, (wrong, bit))
            assert used.finish(app, plant, hal) == used.good, (wrong, bit)


def test_a_start_that_gets_no_answer_to_one_read_is_none_and_writes_nothing():
    used = Used("fram")
    used.begin(none)
    reads = len(used.bits.sizes)
    started = 0
    for silent in range(random.getrandbits(2) if SLOW else 0, reads, 5 if SLOW else 1):
        started += not raises(OSError, used.begin, none, (-1, 0), silent)
        assert used.content() == used.cells, silent
    assert started <= 1, "one read looks for an echo of the log, which storage of whole cells does not answer"


def test_no_wrong_bit_makes_a_written_cell_look_blank():
    for name in dir(cells):
        if name.startswith("MAGIC_"):
            ones = sum(getattr(cells, name) >> bit & 1 for bit in range(8))
            assert 2 <= ones <= 6, name


def damaged(used, *cells):
    """The same storage after these cells have become unreadable for good."""
    data = bytearray(used.cells)
    for cell in cells:
        data[cell * CELL_SIZE + 50] ^= 0x10
    return bytes(data)


def test_a_device_without_its_identity_or_a_pair_goes_out_of_service_and_writes_nothing():
    for kind in ("fram", "file"):
        used = Used(kind)
        whole = used.cells
        for lost in ((LOG_CELL,),) + tuple((first, first + 1) for first in PAIRS):
            used.cells = damaged(used, *lost)
            said = refusal(RuntimeError, used.start, none)
            assert said.startswith("storage cell %d unreadable. Nothing was written" % lost[0]), lost
            assert used.content() == used.cells, lost
            used.cells = whole
        used.close()


def test_nor_does_it_begin_another_log_where_that_of_its_records_was_erased():
    used = Used("fram")
    used.cells = used.cells[: LOG_CELL * CELL_SIZE] + bytes(CELL_SIZE) + used.cells[(LOG_CELL + 1) * CELL_SIZE :]
    assert refusal(RuntimeError, used.start, none).startswith("storage cell 8 unreadable")
    assert used.content() == used.cells


def test_one_damaged_cell_costs_what_a_cut_may_cost_or_is_reported():
    used = Used("fram")
    whole = used.cells
    log, last = used.good[0][0][:2]
    key = used.good[0][2][:2]
    oldest = RECORD_CELL + (last + 1) % RECORDS
    for cell in range(SIZE // CELL_SIZE):
        if cell != LOG_CELL:
            used.cells = damaged(used, cell)
            knows, _later, _content = used.start(none)
            newest = cell == RECORD_CELL + last % RECORDS
            assert knows[0][0] == log and knows[2][:2] == key, cell
            assert knows[0][1] == last - newest, "a torn record is overwritten"
            whole_chain = cell < RECORD_CELL or newest or cell == oldest
            assert knows[0][4] == (0 if whole_chain else BROKEN_RECORD), cell
            used.cells = whole


def test_a_new_chip_may_hold_anything():
    """Its second start finds records, and pairs that were never written."""
    used = Used("fram")
    used.cells = bytes(mix(7, at, 1) >> 9 & 0xFF for at in range(SIZE))
    first = used.start(none)
    used.cells = first[2]
    assert used.start(none)[0][0][:2] == first[1][0][:2]
    assert not any(used.content()[KEY_CELL * CELL_SIZE : (KEY_CELL + 2) * CELL_SIZE])
