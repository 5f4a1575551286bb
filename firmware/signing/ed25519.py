"""Ed25519 (RFC 8032): public keys and signatures, in steps that are short enough for a scan at rest.

The functions are generators: every `yield` ends a step, and the result is returned. Points go through the same
operations whatever the secret is. What is left to Python's integers, arithmetic modulo ORDER and the last conversion,
takes a time that depends on the numbers by some microseconds.
"""

from micropython import const

from firmware.digest import wipe
from firmware.signing.constants import TABLE
from firmware.signing.field import Element, Product, add_subtract, double_add, field_bytes, load, multiply
from firmware.signing.sha512 import sha512

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Generator

    Steps = Generator[None, None, bytes]

SEED_SIZE = const(32)
PUBLIC_SIZE = const(32)
SIGNATURE_SIZE = const(64)
ORDER = (1 << 252) + 27742317777372353535851937790883648493  # of the base point
_COLUMNS = const(64)
_ROW_SIZE = const(96)
_SQUARES = const(8)  # in a step
# z**(2**(n+m) - 1) from those of n and m, up to 250.
_CHAIN = ((1, 1), (2, 2), (4, 1), (5, 5), (10, 10), (20, 20), (40, 10), (50, 50), (100, 100), (200, 50))


def public_key(seed: "bytes | bytearray") -> "Steps":
    secret = yield from _expand(seed)
    public = yield from _multiply_base(secret[:32])
    wipe(secret)
    return public


def sign(seed: "bytes | bytearray", public: bytes, message: bytes) -> "Steps":
    secret = yield from _expand(seed)
    nonce = yield from _reduced(bytes(secret[32:]) + message)
    point = yield from _multiply_base(nonce.to_bytes(32, "little"))
    challenge = yield from _reduced(point + public + message)
    proof = (nonce + challenge * int.from_bytes(secret[:32], "little")) % ORDER
    wipe(secret)
    return point + proof.to_bytes(32, "little")


def _expand(seed: "bytes | bytearray") -> "Generator[None, None, bytearray]":
    """The secret scalar, and 32 bytes from which nonces are made."""
    secret = yield from sha512(seed)
    secret[0] &= 0xF8
    secret[31] = secret[31] & 0x7F | 0x40
    return secret


def _reduced(message: bytes) -> "Generator[None, None, int]":
    digest = yield from sha512(message)
    return int.from_bytes(digest, "little") % ORDER


def _multiply_base(scalar: "bytes | bytearray") -> "Steps":
    """The encoded product of the base point. Four bits of the scalar at a time, 64 apart, choose a row of TABLE."""
    point = _Point()
    yield
    for column in range(_COLUMNS - 1, -1, -1):
        point.double()
        yield
        row = 0
        for bit in range(column + 3 * _COLUMNS, -1, -_COLUMNS):
            row = row << 1 | scalar[bit >> 3] >> (bit & 7) & 1
        point.add(row)
        yield
    inverse = yield from _invert(point.z, point.t)
    multiply(point.x, point.x, inverse, point.t)
    multiply(point.y, point.y, inverse, point.t)
    encoded = bytearray(field_bytes(point.y))
    encoded[31] |= (field_bytes(point.x)[0] & 1) << 7
    yield
    return bytes(encoded)


def _invert(z: Element, t: Product) -> "Generator[None, None, Element]":
    """z**(p - 2), where p - 2 is 250 ones and 01011 in binary."""
    powers = {1: z}
    r = z
    for n, m in _CHAIN:
        r = powers[n]
        for i in range(m):
            square = r
            r = r if i else Element()
            multiply(r, square, square, t)
            if i % _SQUARES == _SQUARES - 1:
                yield
        multiply(r, r, powers[m], t)
        powers[n + m] = r
        yield
    for bit in (0, 1, 0, 1, 1):
        multiply(r, r, r, t)
        if bit:
            multiply(r, r, z, t)
    yield
    return r


class _Point:
    """A point (x/z, y/z) on the curve, which begins as the neutral one, and what its arithmetic needs in between."""

    def __init__(self) -> None:
        self.x = Element()
        self.y = Element(1)
        self.z = Element(1)
        self.a = Element()
        self.b = Element()
        self.c = Element()
        self.e = Element()
        self.f = Element()
        self.g = Element()
        self.h = Element()
        self.spare = Element()
        self.t = Product()

    def double(self) -> None:
        """RFC 8032, 5.1.4. Leaves xy/z in c, which `add` needs."""
        a, b, e, h, t = self.a, self.b, self.e, self.h, self.t
        multiply(a, self.x, self.x, t)
        multiply(b, self.y, self.y, t)
        multiply(self.c, self.z, self.z, t)
        add_subtract(e.limbs, self.spare.limbs, self.x.limbs, self.y.limbs)
        multiply(e, e, e, t)
        add_subtract(h.limbs, self.g.limbs, a.limbs, b.limbs)
        add_subtract(self.spare.limbs, e.limbs, h.limbs, e.limbs)
        double_add(self.f.limbs, self.c.limbs, self.g.limbs, 1)
        self._finish()
        multiply(self.c, e, h, t)

    def add(self, row: int) -> None:
        """A row of TABLE, after `double`. With row 0, the neutral point, the work is the same."""
        a, b, c, spare, t = self.a, self.b, self.c, self.spare, self.t
        at = row * _ROW_SIZE
        add_subtract(b.limbs, a.limbs, self.y.limbs, self.x.limbs)
        load(spare.limbs, TABLE, at)
        multiply(a, a, spare, t)
        load(spare.limbs, TABLE, at + 32)
        multiply(b, b, spare, t)
        load(spare.limbs, TABLE, at + 64)
        multiply(c, c, spare, t)
        add_subtract(self.h.limbs, self.e.limbs, b.limbs, a.limbs)
        double_add(self.f.limbs, self.z.limbs, c.limbs, -1)
        double_add(self.g.limbs, self.z.limbs, c.limbs, 1)
        self._finish()

    def _finish(self) -> None:
        multiply(self.x, self.e, self.f, self.t)
        multiply(self.y, self.g, self.h, self.t)
        multiply(self.z, self.f, self.g, self.t)
