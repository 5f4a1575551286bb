"""HMAC and the permutation."""

from array import array
from binascii import hexlify
from hashlib import sha256

from firmware.deck.drbg import Drbg
from firmware.deck.permutation import DRAW_BYTES, Draws, permutation_fill
from firmware.digest import Hmac, differ, wipe


def test_hmac_matches_rfc_4231():
    assert hexlify(Hmac(b"\x0b" * 20).digest(b"Hi", b" There")) == (
        b"b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"
    )
    assert hexlify(Hmac(b"Jefe").digest(b"what do ya want for nothing?", b"")) == (
        b"5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    )


def test_a_key_of_a_whole_block_counts_itself_and_a_longer_one_by_its_hash():
    for key in (bytes(range(63)), bytes(range(64)), bytes(range(65))):
        short = sha256(key).digest() if len(key) > 64 else key
        padded = short + bytes(64 - len(short))
        inner = sha256(bytes(byte ^ 0x36 for byte in padded) + b"text").digest()
        outer = sha256(bytes(byte ^ 0x5C for byte in padded) + inner).digest()
        assert Hmac(key).digest(b"te", b"xt") == outer


def test_bytes_differ_wherever_one_bit_does_and_nowhere_else():
    left = bytes(range(16))
    buf = bytearray(b"\xff" * 3 + left + b"\xff")
    assert differ(left, buf, 3, 16) == 0
    assert differ(left, buf, 3, 0) == 0
    for at in range(3, 19):
        for bit in (0x01, 0x80):
            buf[at] ^= bit
            assert differ(left, buf, 3, 16) == bit
            buf[at] ^= bit


class Words:
    """A DRBG whose 16-bit words a test has chosen."""

    def __init__(self, words):
        self.words = words
        self.at = 0
        self.chunks = []

    def generate(self, size):
        chunk = bytearray(size)
        for i in range(0, size, 2):
            word = self.words[self.at % len(self.words)]
            self.at += 1
            chunk[i] = word & 0xFF
            chunk[i + 1] = word >> 8
        self.chunks.append(chunk)
        return chunk


def test_an_order_is_a_permutation_of_every_size_in_use():
    for count in (1, 2, 52, 54, 384):
        order = array("H", [0] * count)
        permutation_fill(order, count, Drbg(bytes([count & 0xFF]) * 32, b"", b""))
        assert sorted(order) == list(range(count))


def test_every_value_below_a_bound_has_the_same_number_of_words():
    """All 65,536 words, one by one: each value equally often, the rest rejected. Uniform exactly, not about."""
    for bound in (3, 52):
        draws = Draws(Words(range(65536)))
        tally = [0] * bound
        accepted = 65536 // bound * bound
        for _ in range(accepted):
            tally[draws.below(bound)] += 1
        assert tally == [65536 // bound] * bound
        # The next number comes from the next pass over the words: all that were left have been rejected.
        draws.below(bound)
        assert draws.drbg.at == 65536 + DRAW_BYTES // 2


def test_rejection_begins_exactly_at_the_last_whole_multiple():
    for bound in (2, 3, 5, 7, 51, 52, 53, 54, 255, 256, 257, 384):
        limit = 65536 - 65536 % bound
        assert Draws(Words([limit - 1, 0])).below(bound) == bound - 1
        rejected = [] if limit == 65536 else [limit, 65535]
        draws = Draws(Words(rejected + [1] * 62))
        assert draws.below(bound) == 1
        assert draws.at == 2 * len(rejected) + 2


def test_the_ways_to_draw_give_every_order_once():
    """Fisher-Yates over all n! ways to draw: a bijection, so uniform draws give uniform orders."""
    for count in (1, 2, 3, 4, 5):
        ways = [[]]
        for bound in range(count, 1, -1):
            # A word of the second multiple: it gives j only if the bound is right.
            ways = [way + [bound + j] for way in ways for j in range(bound)]
        seen = set()
        order = array("H", [0] * count)
        for way in ways:
            permutation_fill(order, count, Words(way + [0]))
            seen.add(tuple(order))
        assert len(ways) == len(seen)


def test_nothing_of_the_draws_is_left():
    words = Words([0xFFFF, 0x1234, 1, 2, 3])
    order = array("H", [0] * 200)
    permutation_fill(order, 200, words)
    assert len(words.chunks) > 2
    for chunk in words.chunks:
        assert bytes(chunk) == bytes(DRAW_BYTES)


def test_a_wiped_order_holds_nothing():
    order = array("H", [0] * 52)
    permutation_fill(order, 52, Drbg(bytes(32), b"", b""))
    wipe(order)
    assert list(order) == [0] * 52
