"""Cells on flash: what is written is read, whatever is cut, and no block wears faster than the others."""

import sys

from cut_flash import BLANK, BLOCKS, CELL, CELLS, Workload, check, content, cuts, read, recorded, start
from support import raises, refusal

from hal.flash import PREPARED_MAX, Flash, blocks_min
from hal.sim.nor import AFTER, BEFORE, MIDDLE, Misuse, Nor
from hal.sim.nv import PowerCut
from hal.sim.rng import mix

SEED = 20261
PART = 1 if sys.implementation.name == "cpython" else 3  # the VM takes every third cut and start: each takes long there


def test_a_cell_never_written_is_blank_and_no_other():
    flash = start(Nor(BLOCKS, 1))
    assert flash.nv_prog(3 * CELL, bytearray(content(1, 3, 0))) and flash.nv_sync()
    assert [read(flash, i) == BLANK for i in range(CELLS)] == [i != 3 for i in range(CELLS)]


def test_what_was_written_is_read_now_and_after_a_start():
    print("seed", SEED)
    chip = Nor(BLOCKS, SEED)
    work = Workload(chip, start(chip), SEED)
    for _ in range(6):
        work.run(120)
        for again in (work.flash, start(chip)):
            for number in range(CELLS):
                assert read(again, number) == work.known.get(number, BLANK)
        work.flash = start(chip)
    assert min(chip.erases) >= 2  # it has gone round the blocks


def test_many_cells_are_read_at_once():
    flash = start(Nor(BLOCKS, 2))
    for number in (4, 6):
        assert flash.nv_prog(number * CELL, bytearray(content(2, number, 0)))
    buf = bytearray(3 * CELL)
    assert flash.nv_read(4 * CELL, buf)
    assert bytes(buf) == content(2, 4, 0) + BLANK + content(2, 6, 0)


def test_what_is_out_of_range_or_out_of_step_is_refused():
    chip = Nor(BLOCKS, 3)
    flash = start(chip)
    cell = bytearray(CELL)
    for address in (-CELL, 1, CELL - 1, CELLS * CELL, CELLS * CELL + CELL):
        assert not flash.nv_prog(address, cell)
        assert not flash.nv_read(address, cell)
    assert not flash.nv_prog(0, bytearray(CELL - 1)) and not flash.nv_prog(0, bytearray(2 * CELL))
    assert not flash.nv_read((CELLS - 1) * CELL, bytearray(2 * CELL))
    assert chip.operations == 0


def test_another_cell_size_works_as_well_and_finds_nothing_of_this_one():
    chip = Nor(BLOCKS, 4)
    assert start(chip).nv_prog(0, bytearray(content(4, 0, 0)))
    flash = Flash(chip, BLOCKS, 16 * 64, 64)
    buf = bytearray(64)
    assert flash.nv_read(0, buf) and buf == b"\xff" * 64
    assert flash.nv_prog(15 * 64, bytearray(range(64))) and flash.nv_read(15 * 64, buf) and buf == bytes(range(64))


def test_another_number_of_blocks_finds_nothing():
    chip = Nor(BLOCKS + 1, 5)
    work = Workload(chip, Flash(chip, BLOCKS, CELLS * CELL), 5)
    work.run(800)
    flash = start(chip)
    assert read(flash, 0) == BLANK
    assert flash.nv_prog(0, bytearray(content(5, 0, 0)))
    assert [read(start(chip), number) for number in (0, 1)] == [content(5, 0, 0), BLANK]


def test_too_few_blocks_are_refused():
    for blocks in (BLOCKS - 1, 257):
        assert "23 cells need 18 to 256 blocks" in refusal(ValueError, Flash, Nor(blocks, 5), blocks, 23 * CELL)
    assert blocks_min(23) == BLOCKS


# -- power -------------------------------------------------------------------------------------------------------------


def _cut_everywhere(seed, shaky, turns):
    """A run is cut at each of its operations, before, in the middle and after; then it goes on. How many cuts."""
    chip, work, base = recorded(seed, 190, turns)
    base.shaky = shaky
    taken = count = 0
    hows = (MIDDLE,) if shaky else (BEFORE, MIDDLE, AFTER)
    for operation, how, cut in cuts(base, chip.log, base.operations, hows):
        if mix(seed, operation, how) % PART:
            continue
        count += 1
        where = "seed %d operation %d how %d" % (seed, operation, how)
        cut.power_on()
        flash = start(cut)
        step = work.at(operation)
        took = check(flash, step, where)
        taken += took
        # What was found stays, whatever a cut program reads as at later starts.
        assert flash.nv_prog(7 * CELL, bytearray(content(seed, 7, 9999))), where
        known = dict(step[3])
        if took:
            known[step[1]] = step[2]
        known[7] = content(seed, 7, 9999)
        for _ in range(2 if shaky else 1):
            cut.power_on()
            check(start(cut), (0, -1, b"", known), where + " later")
    assert taken > 0
    return count


def test_a_cut_at_any_operation_leaves_the_old_cell_or_the_new():
    print("seed", SEED)
    assert _cut_everywhere(SEED, False, 70) > 150 // PART // PART


def test_a_cut_program_that_reads_differently_at_every_start_is_decided_once():
    print("seed", SEED + 1)
    assert _cut_everywhere(SEED + 1, True, 90) > 70 // PART // PART


def test_a_cut_in_the_recovery_from_a_cut_changes_nothing():
    print("seed", SEED + 2)
    seed = SEED + 2
    chip, work, base = recorded(seed, 190, 70)
    double = 0
    for operation, how, cut in cuts(base, chip.log, base.operations):
        if mix(seed, operation, how) % (9 * PART):
            continue
        cut.power_on()
        step = work.at(operation)
        flash = start(cut)
        known = dict(step[3])
        if check(flash, step, "first cut"):
            known[step[1]] = step[2]
        once = cut.copy()
        cut.log = []
        after = Workload(cut, flash, seed + operation, known)
        after.run(4)
        for second, how2, twice in cuts(once, cut.log, once.operations):
            where = "seed %d operation %d how %d, then %d how %d" % (seed, operation, how, second, how2)
            twice.power_on()
            check(start(twice), after.at(second), where)
            double += 1
    assert double > 150 // PART // PART


def _storm(seed, shaky, failing, starts, shortest, longest):
    """Start, work, cut, again and again on one chip: every cell must hold what it may, and no program be refused."""
    chip = Nor(BLOCKS + failing, seed)
    chip.shaky = shaky
    known = {}
    doubt = {}  # cells that were cut, as long as no program has returned since: all that they may hold
    for turn in range(starts // PART):
        chip.power_on()
        for block in range(chip.blocks):
            chip.worn[block] = 0
        if failing:
            chip.worn[mix(seed, turn, 7) % chip.blocks] = mix(seed, turn, 8) % 4
        work = Workload(chip, start(chip), seed + turn * 1000)
        for number in range(CELLS):
            found = read(work.flash, number)
            where = "seed %d start %d cell %d" % (seed, turn, number)
            assert found in doubt.get(number, (known.get(number, BLANK),)), where
            work.known[number] = found
        before = dict(work.known)
        chip.cut_at = chip.operations + shortest + mix(seed, turn, 5) % (longest - shortest)
        chip.cut_how = mix(seed, turn, 6) % 3
        try:
            work.run(1000)
        except PowerCut:
            pass
        _, number, data, _ = work.steps[-1]
        if work.known != before:
            known = work.known
            doubt = {}
        if number >= 0:
            doubt[number] = doubt.get(number, (known.get(number, BLANK),)) + (data,)


def test_power_that_fails_again_and_again_costs_neither_cells_nor_room():
    print("seed", SEED + 3)
    for shortest, longest in ((0, 40), (0, 4), (4, 13)):
        _storm(SEED + 3, False, 0, 50, shortest, longest)


def test_room_stays_when_every_move_is_cut_where_all_cells_lie_in_a_row():
    """The dearest place for a cut: blocks full of live cells are being moved, and no move ever gets to its end."""
    cells = 103
    chip = Nor(blocks_min(cells), 20)
    size = cells * CELL
    flash = Flash(chip, chip.blocks, size)
    for number in range(1, cells):
        assert flash.nv_prog(number * CELL, bytearray(content(20, number, 0)))
    while flash.nv_erase(0, CELL) or chip.operations < 300:  # until the next thing to do is to move that row
        assert flash.nv_prog(0, bytearray(content(20, 0, 0)))
    for turn in range(40):
        chip.power_on()
        flash = Flash(chip, chip.blocks, size)
        chip.cut_at = chip.operations + 3 + turn % 11
        try:
            for _ in range(20):
                flash.nv_erase(0, 30 * CELL)
        except PowerCut:
            pass
    chip.power_on()
    flash = Flash(chip, chip.blocks, size)
    for turn in range(200):
        assert flash.nv_prog(0, bytearray(content(20, 0, turn)))
    for number in range(1, cells):
        assert read(flash, number) == content(20, number, 0)


def test_it_costs_nothing_either_when_cut_pages_read_differently_at_every_start():
    print("seed", SEED + 4)
    for seed in (20028, SEED + 4, SEED + 5):
        _storm(seed, True, 0, 90, 0, 18)


def test_starts_that_were_cut_long_ago_never_turn_up_as_the_newest():
    """Two starts in a row are cut in their first program, and the second one's page reads as good one day."""
    chip = Nor(BLOCKS, 21)
    flash = start(chip)
    _full(flash)  # blocks 0 and 1
    tried = []
    for block in (2, 3):
        start(chip).nv_erase(0, CELL)
        at = block * 4096
        tried.append(bytes(chip.data[at : at + 256]))
        assert tried[-1] != b"\xff" * 256
    for block in (2, 3):
        chip.data[block * 4096 + 30 : block * 4096 + 60] = bytes(30)
    flash = start(chip)
    for number in range(8):  # all of them into block 2
        assert flash.nv_prog(number * CELL, bytearray(content(21, number, 1)))
    if chip.data[3 * 4096 + 30 : 3 * 4096 + 60] == bytes(30):
        chip.data[3 * 4096 : 3 * 4096 + 256] = tried[1]
    flash = start(chip)
    for number in range(8):
        assert read(flash, number) == content(21, number, 1)


def test_nor_when_blocks_fail_now_and_then():
    print("seed", SEED + 8)
    for seed in range(SEED + 8, SEED + 10):
        _storm(seed, False, 3, 50, 0, 40)


# -- time and wear -----------------------------------------------------------------------------------------------------


def _full(flash):
    for number in range(CELLS):
        assert flash.nv_prog(number * CELL, bytearray(content(6, number, 0)))


def test_programs_that_were_got_ready_are_quick():
    chip = Nor(BLOCKS, 6)
    _full(start(chip))
    flash = start(chip)
    for turn in range(15):
        calls = 0
        while True:
            before_us = chip.off_us
            done = flash.nv_erase(0, PREPARED_MAX * CELL)
            assert chip.off_us - before_us <= chip.erase_us + 15 * chip.program_us
            if done:
                break
            calls += 1
            assert calls < 16
        for i in range(PREPARED_MAX):
            before_us = chip.off_us
            assert flash.nv_prog((turn + i) % CELLS * CELL, bytearray(content(6, i, turn)))
            assert chip.off_us - before_us <= chip.program_us
    assert not flash.nv_erase(0, (PREPARED_MAX + 1) * CELL)


def test_programs_that_were_not_got_ready_wait_for_one_erase():
    chip = Nor(BLOCKS, 7)
    flash = start(chip)
    _full(flash)
    slow = 0
    for turn in range(600):
        if turn % 50 == 0:
            flash = start(chip)
        before_us = chip.off_us
        assert flash.nv_prog(turn * 7 % CELLS * CELL, bytearray(content(7, 0, turn)))
        spent_us = chip.off_us - before_us
        assert spent_us <= chip.erase_us + 16 * chip.program_us
        slow += spent_us > chip.program_us
    assert 20 < slow < 120


def test_reads_stop_no_interrupts():
    chip = Nor(BLOCKS, 8)
    flash = start(chip)
    _full(flash)
    before = chip.off_us, chip.operations
    for number in range(CELLS):
        read(flash, number)
    assert (chip.off_us, chip.operations) == before


def test_wear_is_spread_evenly_over_all_blocks():
    """One hot cell beside others that never change: the worst case for a log that leaves them where they are."""
    chip = Nor(BLOCKS, 9)
    flash = start(chip)
    _full(flash)
    programs = 2500
    for turn in range(programs):
        assert flash.nv_prog(5 * CELL, bytearray(content(9, 5, turn % 4)))
    assert min(chip.erases) > 8 and max(chip.erases) - min(chip.erases) <= 1
    # Each lap moves the 19 others once.
    assert sum(chip.erases) * 16 < programs * 1.25


def test_starts_without_writing_wear_nothing():
    chip = Nor(BLOCKS, 10)
    _full(start(chip))
    before = chip.operations
    for _ in range(5):
        start(chip)
    assert chip.operations == before


def test_a_full_storage_whose_cells_all_live_in_a_row_never_runs_out_of_room():
    cells = (blocks_min(200) - 16) * 8 + 7  # the most that fit
    chip = Nor(blocks_min(cells), 11)
    flash = Flash(chip, chip.blocks, cells * CELL)
    for turn in range(3 * cells):
        assert flash.nv_prog(turn % cells * CELL, bytearray(content(11, 0, turn % 5)))
    for turn in range(3000 // PART):
        assert flash.nv_prog(0, bytearray(content(11, 1, turn % 5)))
    assert max(chip.erases) - min(chip.erases) <= 1


# -- chips that fail ---------------------------------------------------------------------------------------------------


def test_blocks_that_fail_to_program_are_passed_over():
    for kind in (1, 2, 3):
        chip = Nor(BLOCKS + 2, 12)
        chip.worn[3] = chip.worn[4] = kind
        work = Workload(chip, start(chip), 12)
        work.run(700)
        for again in (work.flash, start(chip)):
            for number in range(CELLS):
                assert read(again, number) == work.known.get(number, BLANK)


def test_a_chip_that_takes_nothing_says_so_and_keeps_what_it_has():
    for turns in range(60, 64):
        chip = Nor(BLOCKS, 13)
        work = Workload(chip, start(chip), 13)
        work.run(turns)
        for block in range(BLOCKS):
            chip.worn[block] = 1
        for _ in range(2 * BLOCKS):
            assert not work.flash.nv_prog(0, bytearray(content(13, 0, 5000)))
        for number in range(CELLS):
            assert read(work.flash, number) == work.known.get(number, BLANK)
            assert read(start(chip), number) == work.known.get(number, BLANK)


def test_a_cell_that_decays_costs_itself_and_no_other():
    chip = Nor(BLOCKS, 14)
    flash = start(chip)
    _full(flash)
    chip.data[4 * 256 + 40] ^= 0x10  # cell 4, in the fifth page that was ever written
    for turn in range(400):
        assert flash.nv_prog(0, bytearray(content(6, 0, turn)))
    assert flash.lost == 1 and read(flash, 4) == BLANK
    for number in range(1, CELLS):
        assert number == 4 or read(flash, number) == content(6, number, 0)


# -- the chip itself ---------------------------------------------------------------------------------------------------


def test_the_simulated_chip_forgives_no_second_program():
    chip = Nor(2, 15)
    chip.writeblocks(0, b"\x0f" * 256, 256)
    assert raises(Misuse, chip.writeblocks, 0, b"\x00" * 256, 256)
    assert raises(Misuse, chip.writeblocks, 0, b"\x00" * 96, 512)
    assert chip.data[256] == 0x0F
    chip.cut_at, chip.cut_how = chip.operations, MIDDLE
    assert raises(PowerCut, chip.ioctl, 6, 0)
    assert raises(PowerCut, chip.readblocks, 0, bytearray(4), 0)
    chip.power_on()
    assert raises(Misuse, chip.writeblocks, 0, b"\x00" * 256, 0)
