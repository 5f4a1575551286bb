"""The seed of a deck, where storage loses contact for a moment."""

from support import board

from firmware.image import INPUTS
from firmware.journal.cells import CELL_SIZE, TOLD_CELL
from firmware.journal.seeds import Seeds
from firmware.protocol import ids
from hal.sim.nv import Nv
from hal.sim.plant import Plant
from hal.sim.port import SimHal

SEED = bytes(range(1, 33))


class Loose(SimHal):
    """Storage of which one of the next verbs fails."""

    left = -1

    def nv_read(self, address, buf):
        self.left -= 1
        return self.left != 0 and SimHal.nv_read(self, address, buf)

    def nv_prog(self, address, buf):
        self.left -= 1
        return self.left != 0 and SimHal.nv_prog(self, address, buf)

    def nv_sync(self):
        self.left -= 1
        return self.left != 0 and SimHal.nv_sync(self)


def loose():
    return Loose(Plant(board(), INPUTS, 1), Nv(40 * CELL_SIZE))


def test_a_seed_that_is_to_be_told_is_not_forgotten_while_it_cannot_be_written():
    for left in range(1, 5):
        storage = loose()
        seeds = Seeds(storage, True)
        assert seeds.hold(7, 52, bytearray(SEED))
        assert SEED not in bytes(storage.nv.data)
        storage.left = left
        if not seeds.end():
            assert SEED in bytes(seeds.buf), left
            assert seeds.end()
        assert not any(seeds.buf)
        storage.left = -1
        values = [0] * 3
        assert seeds.tell(values) == SEED and values == [1, 7, 52]


def test_a_device_that_erases_keeps_no_seed_anywhere():
    storage = loose()
    seeds = Seeds(storage, False)
    assert seeds.hold(7, 52, bytearray(SEED))
    assert not any(seeds.buf) and not any(storage.nv.data)
    values = [0] * 3
    assert seeds.tell(values) == bytes(32) and values == [0, 0, 0]


def test_a_seed_that_was_disclosed_is_erased_once_the_policy_is_to_erase():
    for left in range(-1, 4):
        storage = loose()
        told = Seeds(storage, True)
        assert told.hold(7, 52, bytearray(SEED)) and told.end()
        assert SEED in bytes(storage.nv.data)
        seeds = Seeds(storage, False)
        storage.left = left
        if not seeds.hold(8, 52, bytearray(SEED)):
            assert seeds.hold(8, 52, bytearray(SEED))
        assert not any(storage.nv.data), left


def test_a_deck_is_out_of_play_from_the_event_that_takes_it_out_until_its_seed_is_dealt_with():
    seeds = Seeds(loose(), True)
    assert not seeds.out
    for message in range(256, 309):
        seeds.note(message)
        assert seeds.out == (message in ids.DECK_OUT), message
        if seeds.out:
            assert seeds.end()
        assert not seeds.out


def test_a_disclosed_seed_that_is_damaged_is_not_told():
    storage = loose()
    seeds = Seeds(storage, True)
    assert seeds.hold(7, 52, bytearray(SEED)) and seeds.end()
    storage.nv.data[TOLD_CELL * CELL_SIZE + 90] ^= 1
    values = [0] * 3
    assert seeds.tell(values) == bytes(32) and values == [1, 0, 0]
