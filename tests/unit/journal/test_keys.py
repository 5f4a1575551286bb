"""Where the device key lives: whatever power does to a change, there is one key afterwards, and only one."""

from services import KEY, NEW_KEY, THIRD_KEY, LooseHal
from support import raises

from firmware.journal.cells import CELL_SIZE, KEY_CELL
from firmware.journal.keys import Keys
from hal.sim.nv import Nv, PowerCut

WRITES = 2  # of a change


def keys_on(nv):
    return Keys(LooseHal(nv))


def stored(*keys):
    nv = Nv(40 * CELL_SIZE)
    for key in keys:
        assert keys_on(nv).store(key)
    return nv


def test_a_key_is_found_again_and_counts_its_generation():
    nv = Nv(40 * CELL_SIZE)
    assert keys_on(nv).key == b""
    assert keys_on(nv).generation() == 0
    for count, key in ((1, KEY), (2, NEW_KEY), (3, KEY)):
        assert keys_on(nv).store(key)
        assert keys_on(nv).key == key
        assert keys_on(nv).generation() == count


def test_a_change_cut_at_any_byte_of_any_write_leaves_the_old_key_or_the_new_one():
    for write in range(WRITES):
        for size in range(CELL_SIZE + 1):
            nv = stored(KEY)
            keys = keys_on(nv)
            nv.cut_at = nv.writes + write
            nv.cut_bytes = size
            assert raises(PowerCut, keys.store, NEW_KEY)
            nv.cut_at = -1
            again = keys_on(nv)
            new = write > 0 or size == CELL_SIZE
            assert again.key == (NEW_KEY if new else KEY), (write, size)
            assert again.generation() == (2 if new else 1), (write, size)
            # The next one is a change like any other.
            assert again.store(THIRD_KEY)
            assert keys_on(nv).key == THIRD_KEY
            assert keys_on(nv).generation() == (3 if new else 2)


def test_a_first_key_cut_at_any_byte_is_there_or_not():
    for write in range(WRITES):
        for size in range(CELL_SIZE + 1):
            nv = Nv(40 * CELL_SIZE)
            keys = keys_on(nv)
            nv.cut_at = nv.writes + write
            nv.cut_bytes = size
            assert raises(PowerCut, keys.store, KEY)
            nv.cut_at = -1
            assert keys_on(nv).key == (KEY if write or size == CELL_SIZE else b"")


def test_the_old_key_is_nowhere_in_storage_once_a_change_is_complete():
    nv = stored(KEY, NEW_KEY)
    assert KEY not in bytes(nv.data)
    assert NEW_KEY in bytes(nv.data)


def test_the_old_key_is_gone_after_the_boot_that_follows_a_cut_change():
    for size in range(CELL_SIZE + 1):
        nv = stored(KEY)
        keys = keys_on(nv)
        nv.cut_at = nv.writes + 1
        nv.cut_bytes = size
        assert raises(PowerCut, keys.store, NEW_KEY)
        nv.cut_at = -1
        keys_on(nv)
        assert KEY not in bytes(nv.data), size
        assert KEY[8:24] not in bytes(nv.data), size


def test_a_boot_that_is_cut_while_it_finishes_a_change_finishes_it_the_next_time():
    for size in range(CELL_SIZE + 1):
        nv = stored(KEY)
        keys = keys_on(nv)
        nv.cut_at = nv.writes + 1
        nv.cut_bytes = 20
        assert raises(PowerCut, keys.store, NEW_KEY)
        nv.cut_at = nv.writes
        nv.cut_bytes = size
        assert raises(PowerCut, keys_on, nv)
        nv.cut_at = -1
        assert keys_on(nv).key == NEW_KEY
        assert KEY not in bytes(nv.data)


def test_a_change_that_power_was_lost_over_leaves_nothing_of_the_key_that_never_was():
    """After one boot: not in the place of the key before, nor in that of the first key of all."""
    for before in ((), (KEY,), (KEY, THIRD_KEY)):
        for size in range(9, CELL_SIZE):
            nv = stored(*before)
            keys = keys_on(nv)
            generation = keys.generation()
            nv.cut_at = nv.writes
            nv.cut_bytes = size
            assert raises(PowerCut, keys.store, NEW_KEY)
            nv.cut_at = -1
            assert NEW_KEY[: min(size - 8, 32)] in bytes(nv.data)
            keys = keys_on(nv)
            assert (keys.key, keys.generation()) == (before[-1] if before else b"", generation), size
            assert NEW_KEY[:1] not in bytes(nv.data), size
            if before:
                for cell in range(KEY_CELL, KEY_CELL + 2):
                    copy = bytes(nv.data)
                    nv.data[cell * CELL_SIZE + 20] ^= 1
                    assert keys_on(nv).key == before[-1], "there are two of it again"
                    nv.data[:] = copy


def test_storage_that_fails_changes_nothing():
    nv = stored(KEY)
    keys = keys_on(nv)
    nv.broken = True
    assert not keys.store(NEW_KEY)
    assert keys.key == KEY
    nv.broken = False
    assert keys_on(nv).key == KEY


def test_one_damaged_cell_does_not_cost_the_key():
    for cell in (KEY_CELL, KEY_CELL + 1):
        for at in range(CELL_SIZE):
            nv = stored(KEY, NEW_KEY)
            nv.data[cell * CELL_SIZE + at] ^= 0x10
            assert keys_on(nv).key == NEW_KEY, (cell, at)


def test_a_key_that_can_no_longer_be_read_is_not_replaced_by_nothing():
    """A change was cut, and the boot that would finish it loses contact with its storage for a moment."""
    for failing in range(3):
        nv = stored(KEY)
        keys = keys_on(nv)
        nv.cut_at = nv.writes + 1
        nv.cut_bytes = 20
        assert raises(PowerCut, keys.store, NEW_KEY)
        nv.cut_at = -1
        loose = LooseHal(nv, reads=(failing,))
        assert raises(OSError, Keys, loose), failing
        assert keys_on(nv).key == NEW_KEY, failing


def test_whichever_writes_fail_the_generation_names_the_key_in_force():
    """A change, then another, with a boot before, between or after them; up to two writes anywhere answer that they
    failed. Seals name the generation: under it a verifier must find the key that made them, before and after a boot."""
    for boots in range(8):
        for first in range(WRITES * 4):
            for second in range(first, WRITES * 4):
                nv = stored(KEY)
                chip = LooseHal(nv, writes=(first, second))
                keys = Keys(chip)
                named = {1: KEY}
                for step, key in enumerate((NEW_KEY, THIRD_KEY, NEW_KEY)):
                    generation = keys.generation()
                    if keys.store(key):
                        assert keys.generation() == generation + 1, (boots, first, second)
                        named[generation + 1] = key
                    assert named[keys.generation()] == keys.key, (boots, first, second)
                    if boots >> step & 1:
                        generation = keys.generation()
                        keys = Keys(chip)
                        assert keys.generation() == generation and named[generation] == keys.key, (boots, first, second)
                keys.settle()
                assert KEY not in bytes(nv.data) or len(named) == 1, (boots, first, second)
