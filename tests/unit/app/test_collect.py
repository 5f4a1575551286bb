"""Memory after a collection: what is made while cards move finds room at once, behind the holes."""

# Needs a fresh VM: what other tests left behind makes more holes than a device ever has.

import sys

from firmware import main

ADDRESSES = sys.implementation.name != "cpython"  # there id() tells where in a heap of 16-byte blocks something lies
HASH_WORDS = 28  # about what MicroPython's sha256 takes: eight blocks


class Places:
    """In place of id(): where each thing seems to lie, so far behind the one before."""

    def __init__(self, steps):
        self.steps = steps
        self.at = 0x20000000
        self.asked = 0

    def __call__(self, _thing):
        self.at += self.steps[min(self.asked, len(self.steps) - 1)]
        self.asked += 1
        return self.at


def asked_of(steps):
    """How many things collect() makes if they come to lie so."""
    places = Places(steps)
    main.id = places
    try:
        main.collect()
    finally:
        del main.id
    return places.asked


def test_it_ends_where_much_is_free_in_a_row():
    in_a_row = main.ROOM_BYTES // main.HOLE_BYTES
    assert asked_of([main.HOLE_BYTES]) == 1 + in_a_row, "the first has none before it"
    holes = [48 * main.HOLE_BYTES, main.HOLE_BYTES, main.HOLE_BYTES + 16]
    assert asked_of(holes * 9 + [main.HOLE_BYTES]) == 27 + in_a_row


def test_a_heap_without_room_in_a_row_takes_so_long_and_no_longer():
    assert asked_of([main.HOLE_BYTES + 16]) == main.HOLES_MAX == 64000 // main.HOLE_BYTES
    assert asked_of([main.HOLE_BYTES] * 9 + [-16 * main.HOLE_BYTES]) == main.HOLES_MAX


def apart(pairs):
    """Of so many pairs, how many are a small thing and one as large as a hash that do not lie side by side."""
    count = 0
    for _ in range(pairs):
        small = id(object())
        large = id((small,) * HASH_WORDS)
        count += not 0 < large - small <= 64
    return count


def fill_holes():
    """Fill what the compiler left free, down to two blocks: a device has no such holes, and their places are luck."""
    free = id((0,) * 16384)  # where anything finds room
    chain = ()
    for words in (1022, 254, 62, 30, 14, 6):
        while True:
            piece = (chain,) * words
            if id(piece) >= free:
                break
            chain = piece
    return chain


if ADDRESSES:

    def test_what_is_as_large_as_a_hash_finds_room_at_once():
        filled = fill_holes()
        lists = [None] * 400
        for i in range(len(lists)):
            lists[i] = [0] * 12
        for one in lists:
            one.clear()  # a hole of two blocks, without a collection: this VM has none before a test ends
        assert apart(100) > 90, "without holes that are passed this claims nothing"
        main.collect()
        assert apart(20) == 0, "room was looked for elsewhere first"
        assert filled, "kept until here"
