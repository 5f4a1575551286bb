"""Ledger, DRBG and permutation."""

from array import array
from binascii import hexlify

from support import raises

from firmware.digest import Hmac
from firmware.fault import Broken
from firmware.shoe.drbg import Drbg
from firmware.shoe.ledger import DEALT, HOPPER, PATH, REMOVED, STORE, TRAY, Ledger
from firmware.shoe.permutation import permutation_fill, permutation_wipe


def counted(cards, expected=52):
    ledger = Ledger()
    ledger.begin(expected)
    for _ in range(cards):
        ledger.arrive()
        ledger.move(PATH, STORE, 1)
    return ledger


def test_the_count_replaces_the_expectation():
    for cards in (51, 52, 53):
        ledger = counted(cards)
        assert ledger.settle() == cards
        assert ledger.zone[HOPPER] == 0
        assert ledger.zone[STORE] == cards


def test_a_move_of_cards_that_are_not_there_is_refused():
    ledger = counted(52)
    ledger.settle()
    assert raises(Broken, ledger.move, TRAY, DEALT, 1)
    assert raises(Broken, ledger.move, STORE, TRAY, -1)


def test_a_vanished_card_is_noticed():
    ledger = counted(52)
    ledger.settle()
    ledger.zone[STORE] -= 1
    assert raises(Broken, ledger.check)


def test_removing_all_keeps_the_sum():
    ledger = counted(20)
    ledger.arrive()
    ledger.remove_all()
    ledger.check()
    assert ledger.zone[REMOVED] == 21


def test_hmac_matches_rfc_4231():
    assert hexlify(Hmac(b"\x0b" * 20).digest(b"Hi", b" There")) == (
        b"b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    )
    assert hexlify(Hmac(b"Jefe").digest(b"what do ya want for nothing?", b"")) == (
        b"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )


def test_the_drbg_depends_on_every_bit_of_the_seed_and_never_repeats_a_block():
    seed = bytearray(range(32))
    first = Drbg(bytes(seed)).generate(64)
    seed[31] ^= 1
    assert Drbg(bytes(seed)).generate(64) != first
    drbg = Drbg(bytes(32))
    assert drbg.generate(32) != drbg.generate(32)


def test_an_order_is_a_permutation_of_every_size_in_use():
    for count in (1, 2, 52, 54, 384):
        order = array("H", [0] * count)
        permutation_fill(order, count, Drbg(bytes([count & 0xFF]) * 32))
        assert sorted(order) == list(range(count))


def test_three_cards_take_all_six_orders_about_equally():
    tally = {}
    order = array("H", [0, 0, 0])
    drbg = Drbg(b"three cards, one fixed seed, 32 b")
    draws = 1200
    for _ in range(draws):
        permutation_fill(order, 3, drbg)
        key = tuple(order)
        tally[key] = tally.get(key, 0) + 1
    assert len(tally) == 6
    # Chi-square with 5 degrees of freedom: 20.5 is exceeded once in a thousand seeds, and the seed is fixed.
    expected = draws // 6
    chi = sum((seen - expected) * (seen - expected) for seen in tally.values()) / expected
    assert chi < 20.5, chi


def test_a_wiped_order_holds_nothing():
    order = array("H", [0] * 52)
    permutation_fill(order, 52, Drbg(bytes(32)))
    permutation_wipe(order)
    assert list(order) == [0] * 52
