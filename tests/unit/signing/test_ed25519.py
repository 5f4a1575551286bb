"""Ed25519 and SHA-512 of the device: what RFC 8032 and FIPS 180-4 give, from constants that follow from definitions."""

from binascii import hexlify, unhexlify

from firmware.signing.constants import ROUND_CONSTANTS, START_STATE, TABLE
from firmware.signing.ed25519 import ORDER, public_key, sign
from firmware.signing.field import PRIME, Element, Product, field_bytes, load, multiply
from firmware.signing.sha512 import sha512

# RFC 8032, 7.1, the first test and that of SHA("abc"): seed, public key, message, signature.
VECTORS = (
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
        "d25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
        "454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030"
        "3dca179c138ac17ad9bef1177331a704",
    ),
)
STEPS_MAX = 220  # each is a scan of a device at rest


def result(steps):
    """What a generator returns, and after how many steps."""
    count = 0
    while True:
        try:
            next(steps)
            count += 1
        except StopIteration as stop:
            return stop.value, count


def number(data):
    return int.from_bytes(data, "little")


def root(value, power):
    """The whole part of a root."""
    low = 0
    high = 1 << 80
    while high - low > 1:
        middle = (low + high) // 2
        if middle**power <= value:
            low = middle
        else:
            high = middle
    return low


def test_the_constants_of_sha_512_are_fractions_of_roots_of_primes():
    primes = []
    n = 2
    while len(primes) < 80:
        if all(n % p for p in primes):
            primes.append(n)
        n += 1
    for i in range(80):
        word = (root(primes[i] << 192, 3) & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "big")
        assert ROUND_CONSTANTS[8 * i : 8 * i + 8] == word, i
    for i in range(8):
        assert START_STATE[8 * i : 8 * i + 8] == (root(primes[i] << 128, 2) & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "big"), i


def inverse(a):
    return pow(a, PRIME - 2, PRIME)


D = -121665 * inverse(121666) % PRIME


def plus(p, q):
    t = D * p[0] * q[0] * p[1] * q[1]
    x = (p[0] * q[1] + q[0] * p[1]) * inverse(1 + t)
    return x % PRIME, (p[1] * q[1] + p[0] * q[0]) * inverse(1 - t) % PRIME


def base_point():
    """The point with y = 4/5 and an even x; ORDER times it is neutral."""
    y = 4 * inverse(5) % PRIME
    square = (y * y - 1) * inverse(D * y * y + 1) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * pow(2, (PRIME - 1) // 4, PRIME) % PRIME
    return (PRIME - x if x & 1 else x), y


def test_the_table_holds_the_sums_of_four_multiples_of_the_base_point():
    teeth = [base_point()]
    for _ in range(3):
        last = teeth[-1]
        for _ in range(64):
            last = plus(last, last)
        teeth.append(last)
    for row in range(16):
        point = (0, 1)
        for i in range(4):
            if row >> i & 1:
                point = plus(point, teeth[i])
        x, y = point
        assert number(TABLE[96 * row : 96 * row + 32]) == (y - x) % PRIME
        assert number(TABLE[96 * row + 32 : 96 * row + 64]) == (y + x) % PRIME
        assert number(TABLE[96 * row + 64 : 96 * row + 96]) == 2 * D * x * y % PRIME


def test_the_order_is_that_of_the_base_point():
    point = (0, 1)
    for bit in range(252, -1, -1):
        point = plus(point, point)
        if ORDER >> bit & 1:
            point = plus(point, base_point())
    assert point == (0, 1)


def test_sha_512_of_one_block_and_of_several():
    assert hexlify(result(sha512(b"abc"))[0]) == VECTORS[1][2].encode()
    long = b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
    digest = result(sha512(long + b"nopqrstu"))[0]
    assert hexlify(digest[:16]) == b"8e959b75dae313da8cf4f72814fc143f"
    assert hexlify(digest[48:]) == b"c7d329eeb6dd26545e96e55b874be909"


def test_a_product_is_that_of_the_integers_for_the_largest_limbs_too():
    t = Product()
    for a, b in ((1, 1), (PRIME - 1, PRIME - 1), (PRIME - 1, 2), (1 << 254, 3), (0x123456789 << 200, (1 << 255) - 20)):
        x = Element()
        y = Element()
        load(x.limbs, a.to_bytes(32, "little"), 0)
        load(y.limbs, b.to_bytes(32, "little"), 0)
        multiply(x, x, y, t)
        assert number(field_bytes(x)) == a * b % PRIME


def test_public_keys_and_signatures_are_those_of_the_rfc():
    for seed, public, message, signature in VECTORS:
        made, steps = result(public_key(unhexlify(seed)))
        assert hexlify(made) == public.encode()
        assert steps <= STEPS_MAX
        made, steps = result(sign(unhexlify(seed), made, unhexlify(message)))
        assert hexlify(made) == signature.encode()
        assert steps <= STEPS_MAX
