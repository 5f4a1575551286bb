"""A storage chip with a loose contact while a device starts: out of service, and never taken for an empty one; one that
is smaller than the board's config says: out of service, from its second start on."""

import sys

from drivers import Rp2Driver, read_board
from table import Table

from firmware.journal.keys import Keys
from firmware.protocol import ids

GAME = {"deck_cards": 8, "stack_cards": 3, "positions_max": 1}
KEY = bytes(range(32))
CELLS = 64
# Transfers for which the contact is open, the last for good: all of them where a start takes no second.
AWAY = (1, 2, 9, 100000) if sys.implementation.name == "cpython" else (1, 100000)


class Contact:
    """Of the chip's supply: open from one transfer on, for so many."""

    def __init__(self, world):
        self.world = world
        self.shift = world.fram.shift
        self.count = 0
        self.open_from = -1
        self.open_for = 0
        world.fram.shift = self

    def __call__(self, data):
        at = self.count
        self.count += 1
        if self.open_from <= at < self.open_from + self.open_for:
            return bytes((self.world.fram_floats,)) * len(data)
        return self.shift(data)


def used_board(driver):
    """A device that has its key and has recorded something."""
    config = read_board(driver.family + "-shoe")
    config["nv"]["bytes"] = CELLS * 96
    board = driver(config, 7)
    assert Keys(board.hal).store(KEY)
    table = Table(board, GAME)
    table.run(1500)
    app = table.rig.app
    app.outbox.post(ids.EV_SHUFFLE_COMMITTED, text=bytes(32))
    table.run(50)
    assert app.journal.load(app.journal.seq_last) == ids.EV_SHUFFLE_COMMITTED
    return table


def starts(table):
    try:
        table.rig.boot()
    except OSError:
        return False
    return True


def try_contact(driver, step):
    table = used_board(driver)
    world = table.board.world
    contact = Contact(world)
    assert starts(table)
    moments = [1, 2, 3, 4] + list(range(0, contact.count, step))
    known = bytes(world.fram.data)
    journal = table.rig.app.journal
    before = journal.log, journal.seq_last, journal.head
    refused = 0
    for open_from in moments:
        for open_for in AWAY:
            world.fram_floats = 0xFF if open_from & 1 else 0x00
            contact.count, contact.open_from, contact.open_for = 0, open_from, open_for
            started = starts(table)
            refused += not started
            contact.open_for = 0
            assert bytes(world.fram.data) == known, (open_from, open_for)
            if started:
                journal = table.rig.app.journal
                assert (journal.log, journal.seq_last, journal.head) == before, (open_from, open_for)
                assert table.rig.app.link.key == KEY, (open_from, open_for)
    assert refused > 0
    assert starts(table)


def test_a_chip_that_loses_contact_while_a_pico_starts_is_never_taken_for_an_empty_one():
    try_contact(Rp2Driver, 103)


def test_a_device_without_its_storage_does_not_start():
    for driver in (Rp2Driver,):
        table = used_board(driver)
        for floats in (0x00, 0xFF):
            table.board.world.fram_there = False
            table.board.world.fram_floats = floats
            assert not starts(table)
        table.board.world.fram_there = True
        assert starts(table)


def test_a_chip_with_fewer_bytes_than_the_config_says_is_found_out_at_its_second_start():
    """At the first it is blank, and nothing shows that."""
    for driver in (Rp2Driver,):
        for size, found_out in ((8192, False), (4096, True), (2048, True)):
            config = read_board(driver.family + "-shoe")
            config["nv"]["bytes"] = 8192
            board = driver(config, 7)
            board.world.fram.data = bytearray(size)
            table = Table(board, GAME)
            table.run(1500)
            assert starts(table) != found_out, (driver.family, size)


def test_what_a_new_chip_holds_is_no_proof_of_its_size():
    """A factory's test pattern repeats too."""
    for pattern in (b"\x00", b"\xff", b"\xaa\x55", b"\xde\xad\xbe\xef", bytes(range(256))):
        config = read_board("pico-shoe")
        config["nv"]["bytes"] = 8192
        board = Rp2Driver(config, 7)
        board.world.fram.data = bytearray(pattern * (8192 // len(pattern)))
        table = Table(board, GAME)
        table.run(1500)
        assert starts(table) and starts(table), pattern
