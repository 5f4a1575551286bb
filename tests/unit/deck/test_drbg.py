"""The DRBG against NIST's own vectors, its limits, and what it leaves behind."""

import json
from binascii import hexlify, unhexlify

from support import raises

from firmware.deck.drbg import REQUEST_BYTES_MAX, RESEED_INTERVAL, Drbg
from firmware.digest import Hmac
from firmware.fault import Broken

SIZE = 128
with open("tests/unit/kit/drbg_vectors.json") as file:
    VECTORS = json.load(file)["vectors"]


def answer(vector):
    """What the second generate call gives, as CAVP makes its calls."""
    _file, _count, entropy, nonce, personalization, reseed, reseed_additional, fresh, additional, _returned = vector
    drbg = Drbg(unhexlify(entropy), unhexlify(nonce), unhexlify(personalization))
    if reseed:
        drbg.reseed(unhexlify(reseed), unhexlify(reseed_additional))
    out = b""
    for call in range(2):
        more = unhexlify(additional[call])
        if fresh[call]:
            # 90A 9.3.1: with prediction resistance the additional input goes into the reseed, and no further.
            drbg.reseed(unhexlify(fresh[call]), more)
            more = b""
        out = drbg.generate(SIZE, more)
    return hexlify(out).decode()


def test_the_drbg_gives_what_nist_says_in_every_mode():
    for vector in VECTORS:
        assert answer(vector) == vector[-1], vector[:2]
    for file in ("no_reseed", "pr_false", "pr_true"):
        for personalized in (False, True):
            for more in (False, True):
                found = [v for v in VECTORS if v[0] == file and bool(v[4]) == personalized and bool(v[8][0]) == more]
                assert len(found) == 2, (file, personalized, more)


def test_a_vector_with_one_bit_changed_does_not_agree():
    for place in range(2, 8):
        vector = list(VECTORS[-1])
        if place in (5, 6):
            vector = list(next(v for v in VECTORS if v[6]))
        value = vector[place]
        vector[place] = (flipped(value[0]), value[1]) if place == 7 else flipped(value)
        assert answer(vector) != vector[-1], place


def flipped(text):
    return "%02x" % (int(text[:2], 16) ^ 1) + text[2:]


def test_sizes_that_are_no_whole_block_are_the_beginning_of_the_block():
    whole = Drbg(bytes(32), b"", b"").generate(64)
    for size in (1, 31, 32, 33, 63):
        assert Drbg(bytes(32), b"", b"").generate(size) == whole[:size]


def test_an_instance_refuses_past_its_reseed_interval_until_it_is_reseeded():
    drbg = Drbg(bytes(32), b"", b"")
    for _ in range(RESEED_INTERVAL):
        drbg.generate(1)
    assert raises(Broken, drbg.generate, 1)
    for _ in range(2):
        drbg.reseed(bytes(32))
        for _ in range(RESEED_INTERVAL):
            assert len(drbg.generate(1)) == 1
        assert raises(Broken, drbg.generate, 1)


def test_one_byte_of_additional_input_is_mixed_in_as_any_other():
    """The update function of 90A, 10.1.2.2, written out: two rounds as soon as there is any input."""
    drbg = Drbg(bytes(32), b"", b"")
    key, value = Hmac(bytes(32)), b"\x01" * 32
    for data in (bytes(32), b"x"):
        for number in (b"\x00", b"\x01"):
            key = Hmac(key.digest(value, number + data))
            value = key.digest(value, b"")
    assert drbg.generate(32, b"x") == key.digest(value, b"")


def test_the_limits_are_far_below_those_of_90a():
    """docs/SHUFFLE.md names them."""
    assert RESEED_INTERVAL == 64
    assert REQUEST_BYTES_MAX == 1024


def test_a_request_that_is_too_long_is_refused():
    drbg = Drbg(bytes(32), b"", b"")
    assert raises(Broken, drbg.generate, REQUEST_BYTES_MAX + 1)
    assert len(drbg.generate(REQUEST_BYTES_MAX)) == REQUEST_BYTES_MAX


def test_a_wiped_instance_holds_nothing_and_gives_nothing():
    drbg = Drbg(bytes(range(32)), b"nonce", b"personalization")
    drbg.generate(32)
    inner = drbg.hmac.inner
    value = drbg.value
    drbg.wipe()
    assert inner is drbg.hmac.inner and value is drbg.value
    assert bytes(drbg.hmac.inner) == b"\x36" * 64
    assert bytes(drbg.hmac.outer) == b"\x5c" * 64
    assert bytes(value) == bytes(32)
    assert raises(Broken, drbg.generate, 1)
